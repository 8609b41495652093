"""Promises about conditions, assumptions and promises in a run.

- A condition is TRUE or FALSE once its inputs are there; an error is its error, never false.
- What may come true is assumed, observed, and never tried again blindly.
- A promise that is not kept is named; a stuck process says what is missing and who could bring it.
"""

from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    ConditionError,
    CostError,
    Goal,
    Not,
    ProcessFailedError,
    ProcessOptions,
    ProcessStatus,
    ProcessStuckError,
    action,
    condition,
    run,
)  # fmt: skip


class Topic(BaseModel):
    text: str = "tides"
    urgency: float = 0.0


class Draft(BaseModel):
    text: str = ""


class Report(BaseModel):
    text: str = ""


def ended(parts, *inputs, returning=Report, **how):
    process = Agent("it", parts).process(*inputs, returning=returning, **how)
    wait(process.run())
    return process


def steps(process):
    return [step.action for step in process.history]


@action
def draft(topic: Topic) -> Draft:
    return Draft(text=topic.text)


@condition
def is_good(draft: Draft) -> bool:
    return "good" in draft.text


@action(pre=[is_good])
def publish(draft: Draft) -> Report:
    return Report(text="published")


@action(cost=0.9)
def give_up(topic: Topic) -> Report:
    return Report(text="given up")


def test_what_an_action_may_bring_about_is_assumed_and_observed():
    process = ended([draft, is_good, publish], Topic(text="good"))

    assert steps(process) == ["draft", "publish"]
    assert next(e for e in process.events if e.kind == "plan_made").assumptions == ("is_good",)


def test_an_assumption_that_proves_wrong_is_not_tried_again_blindly():
    process = ended([draft, is_good, publish, give_up], Topic(text="bad"))

    assert steps(process) == ["draft", "give_up"]
    failed = next(event for event in process.events if event.kind == "expectation_failed")
    assert (failed.action, failed.assumptions) == ("draft", ("is_good",))


def test_with_no_other_way_a_wrong_assumption_leaves_the_process_stuck_and_told():
    process = ended([draft, is_good, publish], Topic(text="bad"))

    assert process.status is ProcessStatus.STUCK
    assert steps(process) == ["draft"]
    assert "After 'draft' it proved wrong that 'is_good', as was assumed." in process.reason
    assert "it is false: draft=Draft(text='bad')" in process.reason


def test_an_action_that_may_run_always_does_not_run_blindly():
    calls = []

    @action(rerun="always")
    def redraft(topic: Topic) -> Draft:
        calls.append(1)
        return Draft(text="bad")

    process = ended([redraft, is_good, publish], Topic())

    assert process.status is ProcessStatus.STUCK
    assert len(calls) == 1


def test_what_makes_a_condition_false_can_be_replaced():
    process = ended([draft, is_good, publish], Topic(text="bad"))
    process.board.add(Draft(text="a good one"))

    assert wait(process.run()) is ProcessStatus.COMPLETED


@pytest.mark.parametrize(("urgency", "expected"), [(0.9, "now"), (0.1, "later")])
def test_a_text_condition_and_its_negation_choose(urgency, expected):
    @action(pre=["topic.urgency > 0.5"])
    def now(topic: Topic) -> Report:
        return Report(text="now")

    @action(pre=[Not("topic.urgency > 0.5")])
    def later(topic: Topic) -> Report:
        return Report(text="later")

    assert run(Agent("it", [now, later]), Topic(urgency=urgency), returning=Report) == Report(text=expected)


def test_a_predicate_of_an_action_must_hold():
    @action
    def now(topic: Topic) -> Report:
        return Report(text="now")

    @now.when
    def urgent(topic: Topic) -> bool:
        return topic.urgency > 0.5

    assert steps(ended([now, give_up], Topic(urgency=0.9))) == ["now"]
    assert steps(ended([now, give_up], Topic(urgency=0.1))) == ["give_up"]


@pytest.mark.parametrize("answer", [None, 1, "yes"])
def test_a_condition_that_does_not_answer_is_an_error(answer):
    @condition
    def odd(topic: Topic) -> bool:
        return answer

    @action(pre=[Not(odd)])
    def make(topic: Topic) -> Report: ...

    with pytest.raises(ProcessFailedError, match="Condition 'odd' answered"):
        run(Agent("it", [odd, make]), Topic(), returning=Report)


@pytest.mark.parametrize("wanted", [True, False])
def test_a_condition_that_raises_is_never_false(wanted):
    """Case 162."""

    @condition
    def broken(topic: Topic) -> bool:
        raise ZeroDivisionError("by zero")

    @action(pre=[broken if wanted else Not(broken)])
    def make(topic: Topic) -> Report: ...

    process = ended([broken, make], Topic())

    assert (process.status, process.history) == (ProcessStatus.FAILED, ())
    assert isinstance(process.failure, ConditionError)
    assert process.failure.condition == "broken"
    assert "ZeroDivisionError: by zero" in process.reason


def test_a_promise_about_a_condition_that_raises_fails_the_process():
    @condition
    def broken(report: Report) -> bool:
        raise ZeroDivisionError

    @action(post=[broken])
    def make(topic: Topic) -> Report:
        return Report()

    process = ended([broken, make], Topic())

    assert process.status is ProcessStatus.FAILED
    assert isinstance(process.failure, ConditionError)


def test_conditions_that_cannot_change_the_plan_are_not_asked():
    asked = []

    @condition
    def idle_question(topic: Topic) -> bool:
        asked.append(1)
        return True

    @action(cost=0.9, pre=[idle_question])
    def dear(topic: Topic) -> Report: ...

    @action(cost=0.1)
    def cheap(topic: Topic) -> Report:
        return Report()

    ended([idle_question, dear, cheap], Topic())

    assert asked == []


def test_a_promise_that_is_kept_lets_the_plan_go_on():
    """Peer case process/reachable-with-post."""

    @action(post=["approved"])
    def approve(topic: Topic, context: ActionContext) -> Draft:
        context.set_condition("approved", True)
        return Draft()

    @action(pre=["approved"])
    def finish(draft: Draft) -> Report:
        return Report()

    assert steps(ended([approve, finish], Topic())) == ["approve", "finish"]


def test_a_promise_that_is_not_kept_is_named():
    """Case 023."""

    @action(post=["approved", Not("stale")])
    def approve(topic: Topic) -> Draft:
        return Draft()

    @action(pre=["approved"])
    def finish(draft: Draft) -> Report: ...

    process = ended([approve, finish], Topic())

    assert process.status is ProcessStatus.STUCK
    assert steps(process) == ["approve"]
    assert "Action 'approve' promised 'approved', which did not come true." in process.reason


def test_a_goal_that_nothing_can_reach_says_so_and_nothing_runs():
    """Case 022."""

    @action(post=["aproved"])
    def nearly(topic: Topic, context: ActionContext) -> Draft: ...

    agent = Agent("it", [nearly], goals=[Goal(pre=["approved"], name="signed off")])

    with pytest.raises(ProcessStuckError) as caught:
        run(agent, Topic())

    for words in ("'signed off'", "'approved'", "'aproved'"):
        assert words in str(caught.value)
    assert caught.value.process.history == ()


def test_the_explanation_of_a_stuck_process_is_the_same_each_time():
    texts = {ended([draft, is_good, publish], Topic(text="bad")).reason for _ in range(3)}

    assert len(texts) == 1


def test_a_free_condition_set_from_outside_wakes_a_stuck_process():
    """Case 018."""

    @action(pre=["go"])
    def make(topic: Topic) -> Report:
        return Report()

    process = ended([make], Topic())
    assert process.status is ProcessStatus.STUCK

    process.board.set_condition("go", True)

    assert wait(process.run()) is ProcessStatus.COMPLETED


@pytest.mark.parametrize(
    ("body", "words"), [(lambda: 1 / 0, "ZeroDivisionError"), (lambda: float("nan"), "nan"), (lambda: -1, "-1")]
)
def test_a_cost_function_that_raises_or_answers_nonsense_fails_the_process(body, words):
    @action
    def make(topic: Topic) -> Report: ...

    @make.cost
    def price(topic: Topic) -> float:
        return body()

    process = ended([make], Topic())

    assert process.status is ProcessStatus.FAILED
    assert isinstance(process.failure, CostError)
    assert words in process.reason


def test_dynamic_costs_see_optional_entries():
    """Peer cases cost/null-when-absent, cost/object-when-present, cost/prefers-cheaper."""
    seen = []

    @action
    def one(topic: Topic) -> Report:
        return Report(text="one")

    @one.cost
    def price(draft: Draft | None) -> float:
        seen.append(draft)
        return 0.1 if draft is None else 0.8

    @action(cost=0.5)
    def two(topic: Topic) -> Report:
        return Report(text="two")

    agent = Agent("it", [one, two])

    assert run(agent, Topic(), returning=Report) == Report(text="one")
    assert run(agent, Topic(), Draft(), returning=Report) == Report(text="two")
    assert seen[0] is None
    assert seen[-1] == Draft()


def test_terminate_when_stuck_makes_stuck_terminated():
    process = ended([draft, is_good, publish], options=ProcessOptions(terminate_when_stuck=True))

    assert process.status is ProcessStatus.TERMINATED
    assert "'Topic'" in process.reason
