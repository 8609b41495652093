"""Promises about actions that fail, ask for another plan, or return what they must not.

- A failed action is left out and the plan made anew; with no way left the process is FAILED with the root cause.
- Only declared transient errors are tried again. A timeout ends an action, asynchronous or not.
- `Replan` puts what it carries on the board and leaves the action out while there is another way.
- What an action must not return or change does not reach the board.
"""

import threading
from asyncio import run as wait

import anyio
import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    ActionError,
    ActionTimeoutError,
    Agent,
    MutatedEntryError,
    OutputError,
    ProcessFailedError,
    ProcessStatus,
    ProcessTerminatedError,
    Replan,
    Retry,
    action,
    run,
)  # fmt: skip


class Topic(BaseModel):
    text: str = "tides"
    tags: list[str] = []


class Draft(BaseModel):
    text: str = ""


class Report(BaseModel):
    text: str = ""


@action(cost=0.9)
def dear(topic: Topic) -> Report:
    return Report(text="dear")


@action
def broken(topic: Topic) -> Report:
    raise ValueError("no paper")


def kinds(process):
    return [event.kind for event in process.events]


def ended(process):
    wait(process.run())
    return process


def test_a_failed_action_is_gone_round():
    """Case 020."""
    process = ended(Agent("it", [broken, dear]).process(Topic(), returning=Report))

    assert process.result(Report) == Report(text="dear")
    assert [str(step) for step in process.history] == ["dear"]
    assert kinds(process).count("action_failed") == 1


def test_with_no_way_round_the_process_fails_with_the_root_cause():
    """Case 020."""
    with pytest.raises(ProcessFailedError, match=r"'broken'.*ValueError: no paper") as caught:
        run(Agent("it", [broken]), Topic(), returning=Report)

    process = caught.value.process
    assert isinstance(process.failure, ActionError)
    assert isinstance(process.failure.__cause__, ValueError)
    assert caught.value.__cause__ is process.failure
    assert process.events[-1].error.startswith("ActionError: ")
    assert wait(process.run()) is ProcessStatus.FAILED


class Flaky(Exception):
    pass


class Fatal(Flaky):
    pass


@pytest.mark.parametrize(
    ("error", "attempts"), [(ValueError, 1), (Flaky, 3), (Fatal, 1)], ids=["programming", "transient", "marked"]
)
def test_only_declared_transient_errors_are_tried_again(error, attempts):
    """Case 171."""
    tried = []

    @action(retry=Retry(3, on=Flaky, but_not=Fatal))
    def make(topic: Topic, context: ActionContext) -> Report:
        tried.append(context.attempt)
        raise error("x")

    process = ended(Agent("it", [make]).process(Topic(), returning=Report))

    assert tried == list(range(1, attempts + 1))
    assert kinds(process).count("action_retried") == attempts - 1
    assert process.status is ProcessStatus.FAILED


def test_what_a_failed_attempt_added_is_dropped_and_what_it_spent_is_kept():
    @action(retry=Retry(2, on=Flaky))
    async def make(topic: Topic, context: ActionContext) -> Report:
        context.add(Draft(text=str(context.attempt)))
        context.record_usage(tokens=10)
        if context.attempt == 1:
            raise Flaky
        return Report()

    process = run(Agent("it", [make]), Topic(), returning=None, planner="utility")

    assert process.board.all(Draft) == [Draft(text="2")]
    assert (process.usage.tokens, process.usage.actions) == (20, 1)


async def never(topic: Topic) -> Report:
    await anyio.Event().wait()
    raise AssertionError


def test_an_asynchronous_action_is_stopped_at_its_timeout():
    process = ended(Agent("it", [action(timeout=0.01)(never), dear]).process(Topic(), returning=Report))

    assert process.result(Report) == Report(text="dear")
    assert "longer than its timeout of 0.01 s" in next(e.error for e in process.events if e.kind == "action_failed")


def test_a_plain_action_is_left_behind_at_its_timeout():
    release = threading.Event()

    @action(timeout=0.01)
    def slow(topic: Topic) -> Report:
        release.wait(10)
        return Report(text="too late")

    process = Agent("it", [slow]).process(Topic(), returning=Report)
    try:
        ended(process)
    finally:
        release.set()

    assert process.status is ProcessStatus.FAILED
    assert isinstance(process.failure, ActionTimeoutError)
    assert process.board.last(Report) is None


def test_a_timeout_can_be_declared_transient():
    tried = []

    @action(timeout=0.01, retry=Retry(2, on=TimeoutError))
    async def make(topic: Topic) -> Report:
        tried.append(1)
        if len(tried) == 1:
            await anyio.Event().wait()
        return Report(text="second")

    assert run(Agent("it", [make]), Topic(), returning=Report) == Report(text="second")


def test_an_attempt_that_was_left_behind_adds_nothing_to_the_next():
    tried, first_is_done, second_has_begun = [], threading.Event(), threading.Event()

    @action(timeout=0.01, retry=Retry(2, on=TimeoutError))
    def make(topic: Topic, context: ActionContext) -> Report:
        tried.append(context.attempt)
        if context.attempt == 1:
            second_has_begun.wait(10)
            context.add(Draft(text="too late"))
            first_is_done.set()
        else:
            second_has_begun.set()
        return Report()

    process = ended(Agent("it", [make]).process(Topic(), returning=Report))
    second_has_begun.set()
    assert first_is_done.wait(10)

    assert tried == [1, 2]
    assert process.board.last(Draft) is None


def test_a_plan_asked_for_anew_sees_what_was_learned_and_goes_another_way():
    """Case 021."""

    @action
    def route(topic: Topic) -> Report:
        raise Replan("not me", routed_to="dear")

    process = ended(Agent("it", [route, dear]).process(Topic(), returning=Report))

    assert process.result(Report) == Report(text="dear")
    assert process.board["routed_to"] == "dear"
    assert [str(step) for step in process.history] == ["dear"]


def test_with_no_other_way_the_action_that_asked_runs_again():
    calls = []

    @action
    def route(topic: Topic) -> Report:
        calls.append(1)
        if len(calls) == 1:
            raise Replan
        return Report()

    assert run(Agent("it", [route]), Topic(), returning=Report) == Report()
    assert len(calls) == 2


def test_asking_for_ever_is_a_failure():
    @action
    def stubborn(topic: Topic) -> Report:
        raise Replan("again")

    with pytest.raises(ProcessFailedError, match="11 times in a row"):
        run(Agent("it", [stubborn]), Topic(), returning=Report)


@pytest.mark.parametrize("value", [None, Draft.model_construct(text=5)])
def test_a_replan_cannot_put_on_the_board_what_nobody_can(value):
    @action
    def route(topic: Topic) -> Report:
        raise Replan("x", found=value)

    process = ended(Agent("it", [route, dear]).process(Topic(), returning=Report))

    assert process.status is ProcessStatus.COMPLETED
    assert "found" not in process.board
    assert kinds(process).count("action_failed") == 1


def returns(value, form):
    def make(topic: Topic):
        return value

    make.__annotations__["return"] = form
    return Agent("it", [action(make)])


@pytest.mark.parametrize(
    ("value", "form", "words"),
    [
        (Report.model_construct(text=1), Report, "text: Input should be a valid string"),
        (Draft(), Report, "declares Report"),
        (None, Report, "declares Report"),
        ([Draft()], list[Report], r"declares list\[Report\]"),
        ((Report(),), tuple[Report, Draft], r"declares tuple\[Report, Draft\]"),
        (3, Report | Draft, r"declares Report \| Draft"),
        (Report(), None, "declares None"),
    ],
)
def test_a_wrong_output_is_rejected_at_that_action_and_the_board_is_unchanged(value, form, words):
    """Case 042."""
    process = returns(value, form).process(Topic(), planner="utility")
    wait(process.run())

    failed = next(event for event in process.events if event.kind == "action_failed")
    with pytest.raises(OutputError, match=words):
        raise process._core.errors["make"]
    assert "make" in failed.error
    assert [entry.value for entry in process.board.visible] == [Topic()]


def test_a_list_is_told_apart_by_what_it_is_declared_as_also_when_empty():
    process = run(returns([], list[Report]), Topic(), planner="utility")

    assert process.board.last(list[Report]) == []
    assert process.board.last(list[Draft]) is None


@pytest.mark.parametrize("then", ["succeeds", "fails", "asks for a replan"])
def test_an_action_that_changes_its_input_in_place_is_named(then):
    @action
    def edit(topic: Topic) -> Report:
        topic.tags.append("mine")
        if then == "fails":
            raise ValueError("also broken")
        if then == "asks for a replan":
            raise Replan
        return Report(text="edited")

    process = ended(Agent("it", [edit, dear]).process(Topic(), returning=Report))

    assert process.result(Report) == Report(text="dear")
    assert process.board.last(Topic) == Topic()
    error = process._core.errors["edit"]
    assert isinstance(error, ActionError if then == "fails" else MutatedEntryError)
    assert "'edit'" in str(error)


def test_what_an_action_reads_through_its_context_is_guarded_too():
    @action
    def edit(draft: Draft, context: ActionContext) -> Report:
        context.last(Topic).tags.append("mine")
        return Report()

    process = Agent("it", [edit]).process(Topic(), Draft(), returning=Report)
    wait(process.run())

    assert process.status is ProcessStatus.FAILED
    assert isinstance(process.failure, MutatedEntryError)
    assert process.board.last(Topic) == Topic()


def test_a_change_from_outside_is_not_blamed_on_an_action():
    topic = Topic()
    process = Agent("it", [dear]).process(topic, returning=Report)
    topic.text = "changed"

    wait(process.run())

    assert process.status is ProcessStatus.FAILED
    assert "outside any action" in process.reason


def test_nothing_that_a_failed_action_added_reaches_the_board():
    @action
    def half(topic: Topic, context: ActionContext) -> Report:
        context.add(Draft())
        context.set_condition("half", True)
        context.hide(topic)
        raise ValueError

    process = ended(Agent("it", [half, dear]).process(Topic(), returning=Report))

    assert process.board.last(Draft) is None
    assert process.board.last(Topic) == Topic()
    assert dict(process.board.conditions) == {}


def test_an_exit_of_the_interpreter_passes_through():
    @action
    def leave(topic: Topic) -> Report:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Agent("it", [leave]), Topic(), returning=Report)


def test_a_base_budget_error_is_not_a_failure():
    from planboard import Budget, ProcessOptions

    with pytest.raises(ProcessTerminatedError, match="budget: actions: 0 of 0"):
        run(Agent("it", [dear]), Topic(), returning=Report, options=ProcessOptions(budget=Budget(actions=0)))
