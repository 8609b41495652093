"""Promises about teams in other things: from outside a team is an agent like any other."""

import pytest
from pydantic import BaseModel
from teamwork import (
    Report,
    Topic,
    begun,
    compute,
    crew_of,
    effects,
    go,
    look_up,
    pay,
    research,
    said,
    to,
    told,
    trace,
    write,
)

from planboard import (
    ActionContext,
    Agent,
    Ai,
    Approve,
    Crew,
    DefinitionError,
    Flow,
    Goal,
    Host,
    Message,
    Network,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    Specialist,
    achieves_goal,
    action,
    call,
    chat_agent,
    run,
)
from planboard.steps import map_each, sequence, subagent


class Question(BaseModel):
    text: str


class Answer(BaseModel):
    text: str


def crew_named(name: str, worker=look_up, *, times: int = 1) -> Crew:
    """Return a crew that gives one task to one worker, and says so."""
    replies = [to(worker.__name__ if not isinstance(worker, Agent) else worker.name, task=name), f"{name} is done"]
    return Crew(name, [worker], llm=ScriptedModel(*(replies * times)), description=f"Does {name}.")


def test_crews_nest_three_deep():
    inner = crew_named("inner")
    middle = crew_named("middle", inner)
    outer = crew_named("outer", middle)
    process = outer.run("q")
    assert (effects["look_up"], process.result(str)) == (1, "outer is done")


def test_what_went_on_in_an_inner_crew_stays_there():
    outer = crew_named("outer", crew_named("inner"))
    assert said(outer.run("q")) == [
        "user: q",
        "supervisor -> inner: outer",
        "inner: inner is done",
        "inner -> supervisor: Done.",
        "supervisor: outer is done",
    ]


def test_full_output_shows_what_went_on_in_an_inner_crew_under_its_name():
    outer = Crew("outer", [crew_named("inner")], llm=ScriptedModel(to("inner", task="t"), "end"), output="full")
    inner = [message for message in outer.run("q").board.all(Message) if message.kind == "inner"]
    assert {message.author for message in inner} == {"inner"}
    assert "looked up inner" in [message.content for message in inner]


def test_someone_deep_down_may_wait_for_a_person():
    process = begun(crew_named("outer", crew_named("middle", crew_named("inner", pay))), "q")
    assert process.status is ProcessStatus.WAITING
    process.respond(process.pending[0].id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    assert effects["pay"] == 1


def test_listeners_hear_of_what_goes_on_deep_down():
    """Case 153."""
    heard: list[str] = []
    options = ProcessOptions(listeners=(lambda event: heard.append(f"{event.kind} {getattr(event, 'action', '')}"),))
    begun(crew_named("outer", crew_named("middle", crew_named("inner"))), "q", options=options)
    assert heard.count("action_succeeded look_up") == 2  # the action of the crew, and that of the worker


def test_identities_are_the_same_deep_down():
    """Case 153."""
    seen: list[object] = []

    def who(task: str, context: ActionContext) -> str:
        seen.append(context.identities)
        return "me"

    options = ProcessOptions(identities={"user": "ada"})
    begun(crew_named("outer", crew_named("inner", who)), "q", options=options)
    assert seen == [{"user": "ada"}]


def test_a_team_is_an_action_of_an_agent():
    @achieves_goal("an answer")
    @action
    def tell(said: str) -> Answer:
        return Answer(text=said)

    crew = crew_named("crew")
    agent = Agent("agent", [subagent(crew, instruction="Look it up.", returning=str), tell], goals=[Goal(Answer)])
    assert run(agent, Question(text="q"), returning=Answer) == Answer(text="crew is done")


def test_a_team_is_told_once_what_an_agent_above_knows():
    crew, model = crew_of([look_up], "end")
    agent = Agent("agent", [subagent(crew, instruction="Look it up.", returning=str)], goals=[Goal(str)])
    run(agent, Question(text="tides"), returning=str)
    assert told(model)[1:] == ['user: Look it up.\n\nState so far:\n{"question":{"text":"tides"}}']


def test_a_team_is_a_part_of_a_sequence():
    def shout(said: str) -> Answer:
        return Answer(text=said.upper())

    agent = Agent("agent", [sequence(crew_named("crew"), shout, name="both")], goals=[Goal(Answer)])
    assert run(agent, "q", returning=Answer) == Answer(text="CREW IS DONE")


def test_a_team_is_given_the_objects_that_its_workers_take():
    def choose(question: Question) -> Topic:
        return Topic(text=question.text)

    crew, _ = crew_of([research, write], to("research"), to("write"), "end", output="typed", returning=Report)
    flow = Flow.sequence("flow", choose, crew)
    assert run(flow, Question(text="tides"), returning=Report) == Report(title="tides", body="tides")


def test_a_team_is_run_for_each_item():
    crew = crew_named("crew", times=3)
    agent = Agent("agent", [map_each(["a", "b", "c"], crew, name="each")], goals=[Goal(list[str])])
    assert run(agent, returning=list[str]) == ["crew is done"] * 3


def test_a_team_is_a_tool_of_a_model():
    crew = crew_named("crew")

    @action
    async def ask(question: Question, ai: Ai) -> Answer:
        return Answer(text=await ai.agentic(question.text, tools=[crew]))

    model = ScriptedModel(call("crew", text="find out"), "so it is")
    agent = Agent("agent", [ask], goals=[Goal(Answer)], services=[Ai(model)])
    assert run(agent, Question(text="q"), returning=Answer) == Answer(text="so it is")
    assert "crew is done" in told(model)[-1]


def test_a_team_is_a_specialist_of_a_host():
    host = Host(
        "host", [Specialist("crew", "Looks up.", crew_named("crew"))], llm=ScriptedModel(call("crew", task="a"))
    )
    assert host.run("q").result(str) == "crew is done"


def test_a_team_is_a_member_of_a_network():
    network = Network("network", [crew_named("one"), crew_named("two")], topology="line")
    process = network.run("q")
    assert trace(process) == ["one", "two"]
    assert process.result(str) == "two is done"


def test_a_network_and_a_host_are_workers_of_a_crew():
    network = Network("net", [look_up, compute], topology="line")
    host = Host("desk", [look_up], llm=ScriptedModel(call("look_up", task="a")))
    crew, _ = crew_of([network, host], [to("net", task="n"), to("desk", task="d")], "end", handoff_messages=False)
    assert said(crew.run("q"))[1:3] == ["net: computed looked up n", "desk: looked up a"]


def test_of_a_parallel_flow_all_results_come_back_and_of_a_sequence_the_last():
    both = Flow.parallel("both", look_up, compute, description="Does both.")
    last = Flow.sequence("last", look_up, compute)
    crew, model = crew_of([both, last], [to("both", task="a"), to("last", task="b")], "end", handoff_messages=False)
    assert said(crew.run("q"))[1:3] == ["both: looked up a\ncomputed a", "last: computed looked up b"]
    assert model.requests[0]["tools"][0]["function"]["description"] == "Does both."


def test_a_crew_is_run_twice_and_nothing_is_shared():
    crew = crew_named("crew", times=2)
    assert said(crew.run("q")) == said(crew.run("q"))


def test_workers_without_a_model_use_that_of_the_crew():
    model = ScriptedModel(to("asker", task="a"), "asked", "end")
    crew = Crew("crew", [chat_agent("asker")], llm=model)
    crew.run("q")
    assert len(model.requests) == 3


def test_each_worker_may_have_a_model_of_its_own():
    own = ScriptedModel("mine", name="own")
    crew, model = crew_of([chat_agent("asker", llm=own)], to("asker", task="a"), "end")
    crew.run("q")
    assert (len(own.requests), len(model.requests)) == (1, 2)


def test_a_crew_without_a_model_of_its_own_uses_that_of_the_run():
    crew = Crew("crew", [look_up])
    model = ScriptedModel("end")
    assert crew.run("q", services=[Ai(model)]).result(str) == "end"


class Database:
    """A service, which no model can write."""

    def get(self) -> str:
        return "row"


def query(task: str, database: Database) -> str:
    """Queries the database."""
    return f"{task} {database.get()}"


@pytest.mark.parametrize("of", ["the crew", "the run", "the crew above"])
def test_workers_are_given_services_and_no_model_is_asked_for_them(of):
    model = ScriptedModel(to("query", task="a"), "end")
    services = [Database()]
    crew = Crew("crew", [query], llm=model, services=services if of == "the crew" else ())
    if of == "the crew above":
        outer = Crew("outer", [crew], llm=ScriptedModel(to("crew", task="q"), "end"), services=services)
        process = begun(outer, "q")
    else:
        process = begun(crew, "q", services=services if of == "the run" else ())
    assert process.status is ProcessStatus.COMPLETED
    assert list(model.requests[0]["tools"][0]["function"]["parameters"]["properties"]) == ["task"]
    assert "a row" in str(model.requests[1])


def test_members_of_a_network_are_given_services():
    assert Network("network", [query], services=[Database()]).run("q").result(str) == "q row"


def test_a_team_is_no_team_of_itself():
    with pytest.raises(DefinitionError, match="nothing that can be run here"):
        Crew("crew", [Crew])


def test_the_last_word_of_a_crew_within_a_crew_is_told_once():
    inner = Crew("inner", [look_up], llm=ScriptedModel(to("look_up", task="b"), "inner end"))
    crew, _ = crew_of([inner], to("inner", task="a"), "end", output="full")
    assert [line for line in said(crew.run("q")) if "inner end" in line] == ["inner: inner end"]


@action
def collect(task: str) -> Topic:
    """Makes a topic."""
    return Topic(text=task)


def in_crew(member):
    model = ScriptedModel(to(member.name, task="tides"), "end")
    return Crew("a_crew", [member], llm=model, returning=Topic)


def in_host(member):
    return Host("a_host", [member], llm=ScriptedModel(call(member.name, task="tides")), returning=Topic)


def in_network(member):
    return Network("a_network", [member], returning=Topic)


TEAMS = [in_crew, in_host, in_network]


@pytest.mark.parametrize("outer", TEAMS)
@pytest.mark.parametrize("inner", TEAMS)
def test_the_object_of_an_inner_team_is_that_of_the_outer_one(inner, outer):
    member = inner(Agent("collector", [collect], goals=[Goal(Topic)]))
    assert outer(member).run("tides").result(Topic) == Topic(text="tides")


@pytest.mark.parametrize("inner", TEAMS)
def test_the_object_of_a_team_is_that_of_the_step_that_runs_it(inner):
    member = inner(Agent("collector", [collect], goals=[Goal(Topic)]))
    agent = Agent("outer", [subagent(member, context="typed", returning=Topic)], goals=[Goal(Topic)])
    assert agent.run("tides").result(Topic) == Topic(text="tides")
