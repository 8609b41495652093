"""What somebody tries who knows other frameworks and has read the guides only."""

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from planboard import (
    Agent,
    Ai,
    Crew,
    DefinitionError,
    Denied,
    Deny,
    Flow,
    Host,
    MemoryJournal,
    Network,
    PlanOutcome,
    PlanTree,
    Process,
    ProcessOptions,
    ProcessStuckError,
    ScriptedModel,
    Specialist,
    StateMachine,
    TaskPlan,
    TaskStep,
    achieves_goal,
    action,
    approval,
    call,
    chat_agent,
    condition,
    for_each,
    map_each,
    run,
    sequence,
    state,
    subagent,
)


class Order(BaseModel):
    id: int


class Price(BaseModel):
    euros: int


class Topic(BaseModel):
    text: str


class Summary(BaseModel):
    on: str


class Sent(BaseModel):
    to: str


class Kept(BaseModel):
    why: str


class Report(BaseModel):
    text: str


def price(order: Order) -> Price:
    return Price(euros=order.id)


def shout(task: str) -> str:
    """Shouts."""
    return task.upper()


# Nothing to do


@pytest.mark.parametrize("each", [map_each, for_each])
def test_no_items_given_to_a_run_are_mapped_to_no_results(each: Any) -> None:
    shop = Agent("shop", [each(list[Order], price)])

    assert run(shop, [], returning=list[Price]) == []


def test_no_items_given_by_name_are_a_list_too() -> None:
    @achieves_goal("They are counted")
    @action
    def count(orders: list[Order]) -> Report:
        return Report(text=str(len(orders)))

    assert run(Agent("counter", [count]), orders=[], returning=Report).text == "0"


def test_what_follows_a_map_of_no_items_is_run() -> None:
    def add_up(prices: list[Price]) -> Report:
        return Report(text=str(sum(price.euros for price in prices)))

    till = Flow.sequence("till", map_each(list[Order], price), add_up)

    assert run(till, [], returning=Report).text == "0"


def test_no_items_are_no_items_in_another_program() -> None:
    journal, shop = MemoryJournal(), Flow("shop", sequence(map_each(list[Order], price), approval("Is it so?")))
    process = shop.process([], returning=list[Price], options=ProcessOptions(journal=journal))
    asyncio.run(process.run())

    again = Process.restore(shop, journal, process.id)
    again.respond(again.pending[0].id, True)
    asyncio.run(again.run())

    assert again.result(list[Price]) == []


def test_an_empty_list_is_not_taken_for_one_of_two_types() -> None:
    @achieves_goal("There is a report")
    @action
    def compare(orders: list[Order], prices: list[Price]) -> Report:
        return Report(text="")

    with pytest.raises(ProcessStuckError, match="lacks"):
        run(Agent("comparing", [compare]), [], returning=Report)


def test_an_empty_list_is_declared_as_what_a_condition_looks_at() -> None:
    @condition
    def is_empty(orders: list[Order]) -> bool:
        return not orders

    @achieves_goal("There is a report")
    @action(pre=[is_empty])
    def rest() -> Report:
        return Report(text="a day off")

    assert run(Agent("resting", [rest]), [], returning=Report).text == "a day off"


def test_whoever_takes_a_plain_list_of_what_is_made_one_by_one_is_told_how_to_collect_it() -> None:
    @action
    def summarise(topic: Topic) -> Summary:
        return Summary(on=topic.text)

    @achieves_goal("They are merged")
    @action
    def merge(summaries: list[Summary]) -> Report:
        return Report(text="")

    with pytest.raises(ProcessStuckError, match=r"'summarise' makes Summary.*Annotated\[list\[Summary\], All\]"):
        run(Agent("merging", [summarise, merge]), Topic(text="tides"), returning=Report)


# Teams where other things are expected


@achieves_goal("There is a report")
@action
def sign(text: str) -> Report:
    return Report(text=f"{text}, signed")


def crew() -> Crew:
    return Crew("crew", [shout], llm=ScriptedModel(call("transfer_to_shout", task="hi"), "Hi!"))


@pytest.mark.parametrize(
    "team",
    [
        pytest.param(crew, id="crew"),
        pytest.param(lambda: Host("host", [Specialist("shout", "Shouts.", shout)], llm=ScriptedModel()), id="host"),
        pytest.param(lambda: Network("network", [shout]), id="network"),
    ],
)
def test_a_team_among_the_parts_of_an_agent_is_refused_rather_than_taken_apart(team: Any) -> None:
    with pytest.raises(DefinitionError, match=r"To run it as one action, write subagent\(\.\.\.\)"):
        Agent("desk", [team(), sign])


def test_a_team_that_an_agent_runs_has_its_own_model() -> None:
    desk = Agent("desk", [subagent(crew(), "Greet.", returning=str), sign])

    assert run(desk, returning=Report).text == "Hi!, signed"


def test_an_agent_as_an_action_takes_its_instruction_first_as_a_subagent_does() -> None:
    desk = Agent("desk", [crew().as_action("Greet.", returning=str), sign])

    assert run(desk, returning=Report).text == "Hi!, signed"


def test_an_agent_as_a_tool_takes_its_name_first() -> None:
    helper = chat_agent("helper", llm=ScriptedModel("It is high."))
    model = ScriptedModel(call("ask_helper", text="How is the tide?"), "High.")
    coordinator = chat_agent("coordinator", tools=[helper.as_tool("ask_helper")], llm=model)

    assert run(coordinator, "How is the tide?", returning=str) == "High."


def test_a_coordinator_with_agents_as_tools_sees_six_messages_of_two_of_them() -> None:
    researcher = chat_agent("researcher", llm=ScriptedModel("Supervisors route."))
    coder = chat_agent("coder", llm=ScriptedModel("def solve(): ..."))
    model = ScriptedModel(call("researcher", text="What?"), call("coder", text="Show one."), "Done.")
    run(chat_agent("coordinator", tools=[researcher, coder], llm=model), "Explain.", returning=str)

    told = [message for message in model.requests[-1]["messages"] if message["role"] != "system"]

    assert len(told) + len(["its last words"]) == 6


# A refusal, deep below


@achieves_goal("It is sent")
@action(approval="Send it?")
def send(topic: Topic) -> Sent:
    return Sent(to="everybody")


@achieves_goal("It is kept")
@action
def keep(denied: Denied) -> Kept:
    return Kept(why=denied.reason)


def tell(outcome: Sent | Kept) -> Report:
    return Report(text=repr(outcome))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        pytest.param(True, "Sent(to='everybody')", id="agreed"),
        pytest.param(Deny("too early"), "Kept(why='too early')", id="denied"),
    ],
)
def test_a_flow_goes_on_from_what_a_person_said_within_an_agent(answer: object, told: str) -> None:
    flow = Flow.sequence("flow", Agent("sender", [send, keep]), tell)
    process = flow.process(Topic(text="tides"), returning=Report)
    asyncio.run(process.run())

    process.respond(process.pending[0].id, answer)
    asyncio.run(process.run())

    assert process.result(Report).text == told


# Programs that are no files


def test_functions_of_no_module_are_members_of_teams() -> None:
    space: dict[str, Any] = {}
    exec("def shout(task: str) -> str:\n    return task.upper()", space)

    assert run(Flow.sequence("flow", space["shout"]), "hi", returning=str) == "HI"


# Services and models of what an agent is made of


class Shelf:
    """Where notes are kept."""

    def __init__(self, name: str = "shelf") -> None:
        self.name = name


def shelving(name: str, *services: object) -> Agent:
    @achieves_goal("put away")
    @action(name=name)
    def put_away(topic: Topic, shelf: Shelf) -> str:
        return f"{topic.text} on {shelf.name}"

    return Agent(f"{name} agent", [put_away], services=services)


def test_an_agent_among_parts_brings_its_services():
    agent = Agent("outer", [shelving("one", Shelf())])
    assert agent.run(Topic(text="tides"), returning=str) == "tides on shelf"


def test_services_of_the_outer_agent_go_before_those_of_its_parts():
    agent = Agent("outer", [shelving("one", Shelf()), shelving("two", Shelf())], services=[Shelf("mine")])
    assert agent.run(Topic(text="tides"), returning=str) == "tides on mine"


def test_two_services_of_one_type_are_refused_unless_they_are_one():
    shelf = Shelf()
    assert Agent("outer", [shelving("one", shelf), shelving("two", shelf)]).services == (shelf,)
    with pytest.raises(DefinitionError, match="'one agent' and 'two agent' are parts of 'outer' and have a Shelf each"):
        Agent("outer", [shelving("one", Shelf()), shelving("two", Shelf())])


class OakShelf(Shelf):
    pass


def test_a_service_of_a_part_is_not_taken_for_that_of_another_part_which_is_of_a_base_class():
    with pytest.raises(DefinitionError, match="'one agent' and 'two agent' are parts of 'outer' and have a Shelf each"):
        Agent("outer", [shelving("one", Shelf()), shelving("two", OakShelf())])


def test_a_service_of_the_outer_agent_settles_it_if_it_is_of_a_subclass():
    agent = Agent("outer", [shelving("one", Shelf()), shelving("two", Shelf())], services=[OakShelf("oak")])
    assert agent.run(Topic(text="tides"), returning=str) == "tides on oak"


def test_an_agent_with_two_services_of_one_kind_may_be_among_parts():
    services = Shelf("plain"), OakShelf("oak")
    agent = Agent("outer", [shelving("one", *services), shelving("two", *services)])
    assert agent.services == services


def test_a_plan_tree_may_be_given_its_model_like_other_teams():
    plan = TaskPlan(goal="Know it", steps=[TaskStep(id="tides", task="the tides")])
    tree = PlanTree("tree", {"look": find_out}, llm=ScriptedModel(plan))
    assert tree.run("Find out", returning=PlanOutcome).value("tides") == "found the tides"


def find_out(task: str) -> str:
    return f"found {task}"


def test_a_state_machine_may_be_given_its_model_like_other_teams():
    @state
    class Open(BaseModel):
        text: str

        @action
        async def close(self, ai: Ai) -> "Closed":
            return Closed(text=await ai.text(self.text))

    @state
    class Closed(BaseModel):
        text: str

    machine = StateMachine("door", [Open, Closed], initial=Open, final=Closed, llm=ScriptedModel("shut"))
    assert machine.run(Open(text="?"), returning=Closed).text == "shut"
