"""Promises about objects in crews: they flow between workers, and what another worker makes is never made up."""

import json
from typing import Annotated, Any

import pytest
from pydantic import BaseModel
from teamwork import (
    Findings,
    Report,
    Topic,
    begun,
    compute,
    crew_of,
    effects,
    look_up,
    offered,
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
    All,
    Crew,
    DefinitionError,
    Goal,
    HandOff,
    Message,
    ProcessStatus,
    WorkDone,
    call,
    run,
)


class Odd(BaseModel):
    inner: Topic
    extra: dict[str, Any] = {}
    either: list[Topic | Findings] = []


def test_objects_flow_from_worker_to_worker():
    crew, _ = crew_of(
        [research, write], to("research", topic={"text": "tides"}), to("write"), "end", output="typed", returning=Report
    )
    assert run(crew, "A report on tides", returning=Report) == Report(title="tides", body="tides")


def test_with_typed_output_nothing_is_said():
    crew, _ = crew_of([research, write], to("research", topic={"text": "tides"}), to("write"), "end", output="typed")
    assert said(crew.run("q")) == []


def test_the_supervisor_is_shown_the_objects_that_were_made():
    crew, model = crew_of([research, write], to("research", topic={"text": "tides"}), "end", output="typed")
    crew.run("A report on tides")
    assert told(model)[1:] == [
        "user: A report on tides",
        """user: So far:
- Topic: {"text":"tides"}
- Findings: {"notes":["tides"]}
- research ({"topic":{"text":"tides"}}) done, made Findings""",
    ]


def test_a_worker_is_not_offered_before_what_another_one_makes_is_there():
    crew, model = crew_of([research, write], to("research", topic={"text": "tides"}), "end")
    crew.run("q")
    assert [offered(model, 0), offered(model, 1)] == [
        ["transfer_to_research"],
        ["transfer_to_research", "transfer_to_write"],
    ]


def test_what_another_worker_makes_cannot_be_made_up():
    made_up = to("write", topic={"text": "a"}, findings={"notes": ["b"]})
    crew, model = crew_of([research, write], made_up, "end")
    assert trace(crew.run("q")) == ["supervisor"]
    assert "it cannot begin yet, for it takes" in told(model)[-1]


def test_what_nobody_makes_is_built_by_the_model_and_put_on_the_board():
    crew, model = crew_of([research], to("research", topic={"text": "tides"}), "end")
    process = crew.run("q")
    schema = model.requests[0]["tools"][0]["function"]["parameters"]
    assert list(schema["properties"]) == ["topic"]
    assert process.board.all(Topic) == [Topic(text="tides")]


def test_what_was_built_once_may_be_left_out_or_built_anew():
    topics = [{"text": "tides"}, None, {"text": "moons"}]
    crew, _ = crew_of([research], *(to("research", **({"topic": one} if one else {})) for one in topics), "end")
    assert crew.run("q").board.all(Findings) == [Findings(notes=[one]) for one in ("tides", "tides", "moons")]


def test_what_a_run_is_given_is_not_asked_for():
    crew, model = crew_of([research], to("research"), "end")
    process = crew.run(Topic(text="moons"))
    assert process.board.last(Findings) == Findings(notes=["moons"])
    assert model.requests[0]["tools"][0]["function"]["parameters"]["properties"] == {}


def test_what_was_built_wrong_is_told_with_the_field():
    """Case 134."""
    crew, model = crew_of([research], to("research", topic={"words": "tides"}), "end")
    crew.run("q")
    assert "transfer_to_research: topic.text: Field required" in told(model)[-1]
    assert not effects


def test_an_argument_that_there_is_not_is_refused():
    crew, model = crew_of([research], to("research", topic={"text": "a"}, depth=3), "end")
    crew.run("q")
    assert told(model)[-1] == "tool: transfer_to_research: depth: there is no such argument"


def test_what_a_function_builds_wrong_is_a_failure_that_it_is_told():
    def decide(_, done):
        return "end" if done else HandOff(to="research", arguments={"topic": {"words": 1}})

    done = Crew("crew", [research], supervisor=decide).run("q").board.last(WorkDone)
    assert (done.ok, done.text) == (False, "topic.text: Field required")


def test_a_schema_that_cannot_be_strict_is_sent_as_such_and_the_others_stay():
    """Case 131."""

    def use(odd: Odd) -> str:
        return odd.inner.text

    crew, model = crew_of([use, research], to("use", odd={"inner": {"text": "a"}}), "end", handoff_messages=False)
    assert said(crew.run("q"))[1] == "use: a"
    assert [tool["function"].get("strict", False) for tool in model.requests[0]["tools"]] == [False, True]


@pytest.mark.parametrize("limit", [{}, {"limit": None}], ids=["left out", "null"])
def test_a_default_holds_where_the_model_gives_nothing(limit):
    """Case 133."""

    def count(topic: Topic, limit: int = 10) -> str:
        return f"{topic.text} {limit}"

    crew, _ = crew_of([count], to("count", topic={"text": "a"}, **limit), "end", handoff_messages=False)
    assert said(crew.run("q"))[1] == "count: a 10"


def test_a_list_of_all_is_built_as_a_list():
    def join(topics: Annotated[list[Topic], All]) -> str:
        return "+".join(topic.text for topic in topics)

    crew, _ = crew_of([join], to("join", topic=[{"text": "a"}, {"text": "b"}]), "end", handoff_messages=False)
    assert said(crew.run("q"))[1] == "join: a+b"


def test_the_model_makes_the_result_where_no_worker_has():
    crew, model = crew_of(
        [look_up], to("look_up", task="a"), "It is so.", Report(title="t", body="b"), returning=Report
    )
    assert run(crew, "q", returning=Report) == Report(title="t", body="b")
    assert "look_up: looked up a" in model.requests[-1]["messages"][-1]["content"]


def test_a_function_may_answer_with_the_object():
    crew = Crew("crew", [look_up], supervisor=lambda _: Report(title="t", body="b"), returning=Report)
    assert run(crew, "q", returning=Report) == Report(title="t", body="b")


def test_a_worker_may_take_its_task_and_an_object_called_task():
    class Task(BaseModel):
        number: int

    def do(words: str, task: Task) -> str:
        return f"{words} {task.number}"

    crew, _ = crew_of([do], to("do", task="a", task_={"number": 3}), "end", handoff_messages=False)
    assert said(crew.run("q"))[1] == "do: a 3"


def test_a_single_tool_is_refused_for_objects_that_the_model_would_have_to_build():
    with pytest.raises(DefinitionError, match="no worker makes Topic, and a single tool for all has no place"):
        Crew("crew", [research, write], tools="task")


def test_a_single_tool_gives_work_to_workers_over_objects_that_others_make():
    def find(task: str) -> Findings:
        return Findings(notes=[task])

    def count(findings: Findings) -> str:
        return str(len(findings.notes))

    crew, _ = crew_of(
        [find, count], call("task", agent="find", description="a"), call("task", agent="count", description=""), "end",
        tools="task", handoff_messages=False,
    )  # fmt: skip
    assert said(crew.run("q"))[2] == "count: 1"


def works(value: object, form: Any):
    def worker(task: str):
        return value

    worker.__annotations__ |= {"return": form}
    return worker


@pytest.mark.parametrize(
    ("form", "value", "message", "made"),
    [
        (str, "hi", "hi", ()),
        (Message, Message(author="x", content="hi"), "hi", ()),
        (list[Message], [Message(author="user", content="q"), Message(author="x", content="hi")], "hi", ()),
        (Topic, Topic(text="a"), '{"text":"a"}', ("Topic",)),
        (tuple[Topic, Findings], (Topic(text="a"), Findings(notes=[])), '{"text":"a"}\n{"notes":[]}', ("Topic", "Findings")),
        (Topic | Findings, Findings(notes=[]), '{"notes":[]}', ("Findings",)),
        (list[Topic], [Topic(text="a")], '[{"text":"a"}]', ("list[Topic]",)),
        (int, 3, "3", ("int",)),
        (HandOff, HandOff(to="look_up", task="go"), "go", ()),
    ],
    ids=["str", "Message", "messages", "model", "tuple", "union", "list", "int", "HandOff"],
)  # fmt: skip
def test_a_worker_may_return_anything(form, value, message, made):
    crew, _ = crew_of({"w": works(value, form)}, to("w", task="t"), "end", handoff_messages=False)
    process = crew.run("q")
    assert said(process)[1] == f"w: {message}"
    assert process.board.last(WorkDone).artefacts == made


@pytest.mark.parametrize(
    ("form", "value"), [(None, None), (Topic | None, None), (str, "")], ids=["None", "perhaps", '""']
)
def test_a_worker_that_returns_nothing_has_said_nothing(form, value):
    crew, model = crew_of({"w": works(value, form)}, to("w", task="t"), "end", handoff_messages=False)
    assert said(crew.run("q")) == ["user: q", "supervisor: end"]
    assert "- w (t) done" in told(model)[-1]


def test_what_a_worker_adds_beside_what_it_declares_is_not_lost():
    """Case 160."""

    def worker(task: str, context: ActionContext) -> str:
        context.add(Topic(text="more"))
        return "done"

    crew, _ = crew_of([worker], to("worker", task="t"), "end")
    assert crew.run("q").board.all(Topic) == [Topic(text="more")]


def test_in_a_run_that_is_kept_an_undeclared_type_is_refused_by_its_name(kept):
    """Case 160."""

    def worker(task: str, context: ActionContext) -> str:
        context.add(Topic(text="more"))
        return "done"

    crew, _ = crew_of([worker], to("worker", task="t"), "end")
    done = begun(crew, "q", options=kept()).board.last(WorkDone)
    assert (done.ok, "Topic" in done.text) == (False, True)


def test_a_function_over_the_history_sees_what_was_said_and_its_task():
    def reads(history: list[Message]) -> str:
        return " / ".join(map(str, history))

    crew, _ = crew_of(
        [look_up, reads], to("look_up", task="a"), to("reads", task="sum up"), "end", handoff_messages=False
    )
    assert said(crew.run("q"))[2] == "reads: user: q / look_up: looked up a / supervisor -> reads: sum up"


def test_an_agent_with_a_planner_of_its_own_is_a_worker():
    agent = Agent("reporter", [research, write], goals=[Goal(Report)], description="Reports.")
    crew, _ = crew_of([agent], to("reporter", topic={"text": "tides"}), "end", output="typed")
    process = begun(crew, "q")
    assert process.status is ProcessStatus.COMPLETED
    assert json.loads(process.board.last(WorkDone).text) == {"title": "tides", "body": "tides"}


def test_objects_of_two_workers_of_one_turn_are_both_on_the_board():
    """Case 110."""

    def one(task: str) -> Topic:
        return Topic(text=f"one {task}")

    def two(task: str) -> Topic:
        return Topic(text=f"two {task}")

    crew, _ = crew_of([one, two, compute], [to("two", task="a"), to("one", task="b")], "end")
    assert crew.run("q").board.all(Topic) == [Topic(text="two a"), Topic(text="one b")]


def test_what_a_model_has_built_for_a_worker_is_no_result():
    def judge(findings: Findings) -> str:
        """Judges findings."""
        return "They are good."

    built = to("judge", findings={"notes": ["built"]})
    crew, model = crew_of([judge], built, "end", Findings(notes=["by model"]), returning=Findings)

    assert crew.run("q").result(Findings) == Findings(notes=["by model"])
    assert "They are good." in told(model)[-1]


def test_what_a_worker_makes_of_what_was_built_for_it_is_the_result():
    def extend(findings: Findings) -> Findings:
        """Adds a note."""
        return Findings(notes=[*findings.notes, "made"])

    crew, _ = crew_of([extend], to("extend", findings={"notes": ["built"]}), "end", returning=Findings)

    assert crew.run("q").result(Findings) == Findings(notes=["built", "made"])
