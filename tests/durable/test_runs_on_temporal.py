"""The same agents run on Temporal, and come to the same."""

from typing import Annotated

import pytest
from pydantic import BaseModel
from scenes import Scene, on

from planboard import (
    ActionContext,
    Agent,
    All,
    Budget,
    Hybrid,
    Named,
    Process,
    ProcessFailedError,
    ProcessOptions,
    ProcessStatus,
    Replan,
    Retry,
    achieves_goal,
    action,
    condition,
)
from planboard.errors import DefinitionError, JournalError, RunExistsError, UnknownRunError


class Topic(BaseModel):
    text: str


class Findings(BaseModel):
    notes: list[str]


class Report(BaseModel):
    title: str
    body: str


class Review(BaseModel):
    good: bool


@action(cost=0.2, value=0.6)
def research(topic: Topic) -> Findings:
    return Findings(notes=[topic.text, "more"])


@achieves_goal("A finished report", value=0.9)
@action(cost=0.3)
async def write(topic: Topic, findings: Findings, context: ActionContext) -> Report:
    context.record_usage(tokens=7)
    context.bind("draft", Topic(text="draft"))
    context.hide(topic)
    return Report(title=topic.text, body=" ".join(findings.notes))


reporter = Agent("reporter", [research, write])


def kinds(process: Process) -> list[str]:
    return [event.kind for event in process.events]


def finished(address: str, agent: Agent, *inputs: object, worker: dict | None = None, **options: object) -> Process:
    async def act(scene: Scene) -> Process:
        return await scene.runs.wait(await scene.runs.submit(agent, *inputs, **options))

    return on(address, agent, **(worker or {}))(act)


def test_a_run_comes_to_the_result_that_it_has_here(address):
    there = finished(address, reporter, Topic(text="tides"))

    here = reporter.process(Topic(text="tides"))
    import asyncio

    asyncio.run(here.run())
    assert there.result(Report) == here.result(Report) == Report(title="tides", body="tides more")
    assert there.usage == here.usage
    assert [str(entry) for entry in there.board.visible] == [str(entry) for entry in here.board.visible]
    assert there.board.get("draft", Topic) == Topic(text="draft")


@pytest.mark.parametrize("planner", ["utility", Hybrid(), None])
def test_planners_with_default_settings_can_be_chosen(address, planner):
    assert finished(address, reporter, Topic(text="tides"), planner=planner).status is ProcessStatus.COMPLETED


def test_a_planner_that_cannot_be_sent_is_refused(address):
    async def act(scene: Scene) -> None:
        with pytest.raises(DefinitionError, match="Make it the planner of the agent"):
            await scene.runs.submit(reporter, Topic(text="x"), planner=Hybrid(floor=0.5))

    on(address, reporter, worker=False)(act)


def test_two_runs_cannot_have_one_id(address):
    async def act(scene: Scene) -> None:
        run_id = await scene.runs.submit(reporter, Topic(text="x"))
        with pytest.raises(RunExistsError, match=run_id):
            await scene.runs.submit(reporter, Topic(text="x"), id=run_id)

    on(address, reporter, worker=False)(act)


def test_a_run_that_is_not_there_is_not_known(address):
    async def act(scene: Scene) -> None:
        with pytest.raises(UnknownRunError, match="nobody"):
            await scene.runs.show("nobody")

    on(address, reporter, worker=False)(act)


def test_lists_of_runs_need_no_worker(address):
    async def act(scene: Scene) -> None:
        run_id = await scene.runs.submit(reporter, Topic(text="x"))

        run = await scene.runs.show(run_id)

        assert (run.id, run.agent, run.status) == (run_id, "reporter", ProcessStatus.RUNNING)

    on(address, reporter, worker=False)(act)


@achieves_goal("never")
@action
def breaks(topic: Topic) -> Report:
    raise ValueError("the press is broken")


def test_an_action_that_fails_fails_the_run_with_the_words_of_its_error(address):
    process = finished(address, Agent("broken", [breaks]), Topic(text="x"))

    assert process.status is ProcessStatus.FAILED
    with pytest.raises(ProcessFailedError, match="ValueError: the press is broken"):
        process.result(Report)


tries: list[int] = []


@achieves_goal("at last")
@action(retry=Retry(attempts=3, on=ConnectionError))
def flaky(topic: Topic, context: ActionContext) -> Report:
    tries.append(context.attempt)
    if len(tries) < 3:
        raise ConnectionError("noise")
    return Report(title=topic.text, body=context.idempotency_key)


def test_transient_errors_are_tried_again(address):
    tries.clear()

    process = finished(address, Agent("flaky", [flaky]), Topic(text="x"))

    assert process.result(Report).body == f"{process.id}:1"
    assert tries == [1, 2, 3]


looked: list[str] = []


@action(read_only=True)
def look_up(topic: Topic) -> Findings:
    looked.append(topic.text)
    return Findings(notes=["seen"])


def test_short_reading_actions_are_local_activities(address):
    looked.clear()
    agent = Agent("reader", [look_up, write])

    async def act(scene: Scene) -> list:
        run_id = await scene.runs.submit(agent, Topic(text="x"))
        assert (await scene.runs.result(run_id, Report)).body == "seen"
        return await scene.history(run_id)

    events = on(address, agent)(act)

    assert looked == ["x"]
    assert sum(event.HasField("activity_task_scheduled_event_attributes") for event in events) == 1


@achieves_goal("changed")
@action
def changes(topic: Topic) -> Report:
    topic.text = "other"
    return Report(title="", body="")


def test_an_action_that_changes_what_it_was_given_fails(address):
    process = finished(address, Agent("changing", [changes]), Topic(text="x"))

    assert process.status is ProcessStatus.FAILED
    assert "MutatedEntryError" in process.events[-1].error
    assert process.board.last(Topic) == Topic(text="x")


@achieves_goal("wrong")
@action
def wrong(topic: Topic) -> Report:
    return "no report"  # type: ignore[return-value]


def test_a_wrong_output_is_refused_as_here(address):
    process = finished(address, Agent("wrong", [wrong]), Topic(text="x"))

    assert "OutputError" in process.events[-1].error


@action(cost=0.1)
def impatient(topic: Topic) -> Findings:
    raise Replan("another way", hint=Review(good=True))


@action(cost=0.5)
def patient(topic: Topic) -> Findings:
    return Findings(notes=["slow"])


def test_an_action_may_ask_for_another_plan(address):
    agent = Agent("replanning", [impatient, patient, write], types=[Review])

    process = finished(address, agent, Topic(text="x"))

    assert process.result(Report).body == "slow"
    assert process.board.get("hint", Review) == Review(good=True)


def test_budgets_are_kept(address):
    options = ProcessOptions(budget=Budget(actions=1))

    process = finished(address, reporter, Topic(text="x"), options=options)

    assert process.status is ProcessStatus.TERMINATED
    assert "actions: 1 of 1" in process.reason


def test_independent_actions_run_at_once_and_are_committed_in_order(address):
    @action
    def left(topic: Topic) -> Findings:
        return Findings(notes=["l"])

    @action
    def right(topic: Topic) -> Review:
        return Review(good=True)

    @achieves_goal("both")
    @action
    def both(findings: Findings, review: Review) -> Report:
        return Report(title="", body="both")

    agent = Agent("wide", [left, right, both])
    process = finished(address, agent, Topic(text="x"), options=ProcessOptions(concurrency=2))

    assert kinds(process)[4:8] == ["action_started", "action_started", "action_succeeded", "action_succeeded"]


def test_parameters_that_collect_and_that_are_named_get_what_they_get_here(address):
    @achieves_goal("all")
    @action
    def gather(
        topics: Annotated[list[Topic], All], main: Annotated[Topic, Named("main")], extra: Review | None
    ) -> Report:
        return Report(title=main.text, body=" ".join(topic.text for topic in topics) + str(extra))

    agent = Agent("gathering", [gather])

    process = finished(address, agent, Topic(text="a"), main=Topic(text="b"))

    assert process.result(Report) == Report(title="b", body="a bNone")


def test_a_stuck_run_says_why(address):
    process = finished(address, reporter)

    assert process.status is ProcessStatus.STUCK
    assert "Topic" in process.reason


def test_conditions_are_asked_when_they_are_needed(address):
    asked: list[str] = []

    @condition
    def is_long(topic: Topic) -> bool:
        asked.append("short")
        return len(topic.text) > 3

    @condition
    async def is_good(topic: Topic) -> bool:
        asked.append("slow")
        return True

    @achieves_goal("judged")
    @action(pre=[is_long, is_good])
    def judge(topic: Topic) -> Review:
        return Review(good=True)

    agent = Agent("judging", [judge, is_long, is_good])

    process = finished(address, agent, Topic(text="tides"))

    assert process.result(Review) == Review(good=True)
    assert asked.count("slow") == 1


def test_a_condition_that_raises_fails_the_run(address):
    @condition
    def is_odd(topic: Topic) -> bool:
        raise KeyError("missing")

    @achieves_goal("judged")
    @action(pre=[is_odd])
    def judge(topic: Topic) -> Review:
        return Review(good=True)

    process = finished(address, Agent("odd", [judge, is_odd]), Topic(text="tides"))

    assert process.status is ProcessStatus.FAILED
    assert "is_odd" in process.reason


def test_what_is_too_large_is_refused_when_it_is_submitted(address):
    async def act(scene: Scene) -> None:
        import os

        with pytest.raises(TypeError, match="too large: 3.* MB"):
            await scene.runs.submit(reporter, Topic(text=os.urandom(2_000_000).hex()))

    on(address, reporter, worker=False)(act)


def test_an_action_that_returns_too_much_fails_with_a_reason(address):
    @achieves_goal("large")
    @action
    def large(topic: Topic) -> Report:
        return Report(title="", body="x" * 2_000_000)

    process = finished(address, Agent("large", [large]), Topic(text="x"))

    assert process.status is ProcessStatus.FAILED
    assert "2.0 MB" in process.reason


def test_a_run_that_becomes_too_large_ends_and_says_why(address):
    import os

    @action
    def half(topic: Topic) -> Findings:
        return Findings(notes=[os.urandom(700_000).hex()])

    @achieves_goal("whole")
    @action
    def whole(topic: Topic, findings: Findings) -> Report:
        return Report(title="", body=os.urandom(850_000).hex())

    with pytest.raises(JournalError, match="has become too large"):
        finished(address, Agent("growing", [half, whole]), Topic(text="x"))
