"""Promises of `run`, `arun`, `Process.run`, `tick` and `stream`.

- Each gives the same result; only the way to wait differs.
- A process never raises for the way it ends; `run` and `arun` do, with an error of the kind that fits.
- Two runs of one agent share nothing.
"""

from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import (
    Agent,
    ConcurrentRunError,
    DefinitionError,
    EntryNotFoundError,
    EntryTypeError,
    Goap,
    Process,
    ProcessNotCompletedError,
    ProcessOptions,
    ProcessStatus,
    ProcessStuckError,
    ProcessTerminatedError,
    UnknownNameError,
    Utility,
    achieves_goal,
    action,
    arun,
    run,
)  # fmt: skip


class Topic(BaseModel):
    text: str = "tides"


class Findings(BaseModel):
    notes: list[str] = []


class Report(BaseModel):
    title: str = ""


class Mail(BaseModel):
    title: str = ""


@action(cost=0.2, value=0.6)
def research(topic: Topic) -> Findings:
    return Findings(notes=[topic.text])


@achieves_goal("A finished report", value=0.9)
@action(cost=0.3)
async def write(topic: Topic, findings: Findings) -> Report:
    return Report(title=f"{topic.text} {findings.notes}")


@action
def send(report: Report) -> Mail:
    return Mail(title=report.title)


reporter = Agent("reporter", [research, write, send])


def by_stream(process):
    async def consume():
        return [event async for event in process.stream()]

    return wait(consume())


def by_ticks(process):
    async def consume():
        while not (await process.tick()).is_final:
            pass

    wait(consume())


def test_the_result_has_the_type_that_was_asked_for():
    assert run(reporter, Topic(text="x"), returning=Report) == Report(title="x ['x']")
    assert wait(arun(reporter, Topic(text="x"), returning=Report)) == Report(title="x ['x']")
    assert reporter.run(Topic(text="x"), returning=Report) == Report(title="x ['x']")
    assert wait(reporter.arun(Topic(text="x"), returning=Report)) == Report(title="x ['x']")


def test_without_a_type_the_finished_process_is_returned():
    process = run(reporter, Topic())

    assert isinstance(process, Process)
    assert process.status is ProcessStatus.COMPLETED
    assert [str(step) for step in process.history] == ["research", "write"]
    assert process.goal == "write"
    assert "'write' is met" in process.reason


@pytest.mark.parametrize("drive", [lambda p: wait(p.run()), by_ticks, by_stream])
def test_every_way_to_drive_a_process_makes_the_same_events(drive):
    process = reporter.process(Topic())
    drive(process)

    assert process.status is ProcessStatus.COMPLETED
    assert [event.kind for event in process.events if event.kind not in ("process_started", "entry_added")] == [
        "plan_made", "action_started", "action_succeeded", "action_started", "action_succeeded", "process_ended",
    ]  # fmt: skip
    assert [event.seq for event in process.events] == list(range(1, len(process.events) + 1))


def test_a_process_has_not_started_until_it_is_run():
    process = reporter.process(Topic())
    assert process.status is ProcessStatus.NOT_STARTED

    wait(process.tick())

    assert process.status is ProcessStatus.RUNNING
    assert [str(step) for step in process.history] == ["research"]


def test_a_stream_yields_every_event_once():
    process = reporter.process(Topic())

    assert by_stream(process) == process.events


def test_a_process_that_has_ended_is_not_run_again():
    """Case 066."""
    process = run(reporter, Topic())
    events = list(process.events)

    assert wait(process.run()) is ProcessStatus.COMPLETED
    assert wait(process.tick()) is ProcessStatus.COMPLETED
    assert process.events == events


def test_named_inputs_land_under_their_name():
    process = run(reporter, subject=Topic(text="x"))

    assert process.board["subject"] == Topic(text="x")


def test_a_result_that_nothing_achieves_is_planned_for_by_type():
    assert run(reporter, Topic(), returning=Mail).title == "tides ['tides']"
    assert run(reporter, Topic(), returning=Findings) == Findings(notes=["tides"])


def test_what_no_action_yields_is_refused_before_anything_runs():
    with pytest.raises(DefinitionError, match="No action of agent 'reporter' yields int"):
        run(reporter, Topic(), returning=int)
    with pytest.raises(DefinitionError, match="is no type"):
        run(reporter, Topic(), returning="Report")


def test_an_agent_without_goals_needs_to_be_told_what_for():
    with pytest.raises(DefinitionError, match="has no goal for goap"):
        run(Agent("aimless", [research]), Topic())


@pytest.mark.parametrize("value", [None, Topic.model_construct(text=5)])
def test_an_input_that_cannot_be_is_refused_before_anything_runs(value):
    with pytest.raises(EntryTypeError):
        run(reporter, value)


def test_a_run_that_does_not_complete_raises_and_hands_over_the_process():
    with pytest.raises(ProcessStuckError, match="'Topic'") as caught:
        run(reporter, returning=Report)

    assert caught.value.process.status is ProcessStatus.STUCK
    assert caught.value.reason in str(caught.value)
    assert isinstance(caught.value, ProcessNotCompletedError)


def test_a_process_does_not_raise_for_how_it_ends():
    process = reporter.process()

    assert wait(process.run()) is ProcessStatus.STUCK
    assert by_stream(reporter.process())[-1].status is ProcessStatus.STUCK
    with pytest.raises(ProcessStuckError):
        process.result(Report)


def test_the_result_of_a_process_that_has_not_run_says_so():
    with pytest.raises(ProcessNotCompletedError, match="has not run to its end"):
        reporter.process(Topic()).result(Report)


def test_a_missing_result_is_answered_with_what_there_is():
    with pytest.raises(EntryNotFoundError, match="left no Mail"):
        run(reporter, Topic()).result(Mail)


def test_a_stuck_process_goes_on_when_what_was_missing_is_there():
    """Case 018."""
    process = reporter.process()
    wait(process.run())
    ran_before = process.history
    wait(process.run())
    assert (ran_before, process.history) == ((), ())

    process.board.add(Topic())

    assert wait(process.run()) is ProcessStatus.COMPLETED
    assert [event.kind for event in process.events].count("process_resumed") == 2


def test_an_endless_loop_is_ended_by_the_last_resort():
    """Case 017."""

    @action(rerun="always")
    def spin(topic: Topic) -> Topic:
        return topic

    with pytest.raises(ProcessTerminatedError, match="max_ticks"):
        run(Agent("spinner", [spin]), Topic(), planner="utility", options=ProcessOptions(max_ticks=5))


def test_planners_are_given_as_objects_or_names_and_the_nearest_wins():
    agent = Agent("reporter", [research, write], planner="utility")

    assert agent.process(Topic()).planner == Utility()
    assert agent.process(Topic(), options=ProcessOptions(planner="hybrid")).planner.name == "hybrid"
    assert agent.process(Topic(), options=ProcessOptions(planner="hybrid"), planner=Goap()).planner == Goap()
    with pytest.raises(UnknownNameError, match="Did you mean 'goap'"):
        agent.process(Topic(), planner="gaop")
    with pytest.raises(DefinitionError, match="with parentheses"):
        agent.process(Topic(), planner=Utility)


def test_swapping_the_planner_of_one_process_touches_no_other():
    one = reporter.process(Topic())
    reporter.process(Topic(), planner="utility")

    assert one.planner == Goap()
    assert reporter.planner is None


def test_two_runs_of_one_agent_share_nothing():
    """Case 073."""
    first, second = reporter.process(Topic(text="one")), reporter.process(Topic(text="two"))
    first.board.set_condition("flag", True)

    wait(first.run())

    assert second.board.last(Report) is None
    assert second.history == ()
    assert dict(second.board.conditions) == {}
    assert wait(second.run()) is ProcessStatus.COMPLETED
    assert second.usage == first.usage
    assert second.result(Report) == Report(title="two ['two']")


def test_one_process_is_run_by_one_caller_at_a_time():
    """Case 116."""
    import anyio

    agent = Agent("reporter", [research, write])
    caught = []

    async def both():
        process = agent.process(Topic())

        async def attempt():
            try:
                await process.run()
            except ConcurrentRunError as error:
                caught.append(error)

        async with anyio.create_task_group() as group:
            group.start_soon(attempt)
            group.start_soon(attempt)
        return process

    process = wait(both())

    assert len(caught) == 1
    assert process.board == run(agent, Topic()).board


def test_planning_without_running_changes_nothing():
    plan = reporter.plan(Topic())

    assert plan.steps == ("research", "write")
    assert reporter.plan(Topic()).fingerprint == plan.fingerprint
