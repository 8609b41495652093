"""Promises about what happens within spans: retries and plans are marks, and decisions of models are spans."""

from asyncio import run as wait

from traced import Fact, Report, Topic, begin, gather, named, outline

from planboard import (
    Agent,
    ProcessStatus,
    Replan,
    Retry,
    ScriptedModel,
    Supervisor,
    achieves_goal,
    action,
    call,
    trace_of,
)


def test_retries_and_new_plans_are_marks():
    tried: list[int] = []

    @action(retry=Retry(attempts=3, on=ConnectionError))
    def look_up(topic: Topic) -> Fact:
        tried.append(1)
        raise ConnectionError(f"noise {len(tried)}")

    @action(cost=0.9)
    def invent(topic: Topic) -> Fact:
        return Fact()

    @achieves_goal("reported")
    @action
    def tell(fact: Fact) -> Report:
        return Report()

    trace = trace_of(begin(Agent("it", [look_up, invent, tell]), Topic()))

    looked = named(trace, "look_up")
    assert (looked.status, looked.attributes["attempts"]) == ("failed", 3)
    assert [(mark.name, mark.attributes["error"]) for mark in looked.marks] == [
        ("retry", "ConnectionError: noise 1"),
        ("retry", "ConnectionError: noise 2"),
    ]
    plans = [mark.attributes["steps"] for mark in trace.root.marks if mark.name == "plan"]
    assert plans[:2] == [("look_up", "tell"), ("invent", "tell")]


def test_an_action_that_asks_for_another_plan_has_not_failed():
    @achieves_goal("done")
    @action
    def hesitate(topic: Topic) -> Report:
        raise Replan("not yet")

    @achieves_goal("done otherwise")
    @action(cost=0.5)
    def go_ahead(topic: Topic) -> Report:
        return Report()

    trace = trace_of(begin(Agent("it", [hesitate, go_ahead]), Topic()))

    assert (named(trace, "hesitate").status, named(trace, "hesitate").is_error) == ("replanned", False)
    assert [mark.attributes["reason"] for mark in trace.root.marks if mark.name == "replan"] == ["not yet"]


def test_decisions_of_a_model_are_spans_and_its_calls_say_which_decision_they_come_from():
    @action
    def guess(topic: Topic) -> Fact:
        return Fact()

    @achieves_goal("reported")
    @action
    def tell(fact: Fact) -> Report:
        return Report()

    agent = Agent("it", [gather, guess, tell])
    model = ScriptedModel(call("guess"))
    process = agent.process(Topic(), planner=Supervisor(llm=model))
    assert wait(process.run()) is ProcessStatus.COMPLETED, process.reason

    trace = trace_of(process)

    assert outline(trace) == [
        "it agent completed",
        "  scripted model completed",
        "  guess action completed",
        "  tell action completed",
    ]
    assert trace.root.children[0].attributes["calls"] == ("guess",)
    assert named(trace, "guess").attributes["tool_call"] == "call_1_1"
    assert trace.root.total == process.usage
