"""Promises about budgets.

- A limit is looked at before each start, over the whole tree of processes; reached, the run is TERMINATED with the reason.
- Nothing is lost: with a larger budget the process goes on where it was.
"""

from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Budget,
    DefinitionError,
    ProcessNotCompletedError,
    ProcessOptions,
    ProcessStatus,
    ProcessTerminatedError,
    Retry,
    action,
)  # fmt: skip


class Topic(BaseModel):
    pass


class Draft(BaseModel):
    pass


class Final(BaseModel):
    pass


class Report(BaseModel):
    pass


ran = []


@pytest.fixture(autouse=True)
def nothing_ran():
    ran.clear()


@action(cost=0.1)
def draft(topic: Topic, context: ActionContext) -> Draft:
    ran.append("draft")
    context.record_usage(tokens=100, llm_calls=1)
    return Draft()


@action(cost=0.1)
def polish(draft: Draft) -> Final:
    ran.append("polish")
    return Final()


@action(cost=0.1)
def publish(final: Final) -> Report:
    ran.append("publish")
    return Report()


agent = Agent("it", [draft, polish, publish])


def ended(of=agent, **limits):
    process = of.process(Topic(), returning=Report, options=ProcessOptions(budget=Budget(**limits)))
    wait(process.run())
    return process


@pytest.mark.parametrize(
    ("limits", "steps", "reason"),
    [
        ({"actions": 0}, [], "actions: 0 of 0 were started"),
        ({"actions": 2}, ["draft", "polish"], "actions: 2 of 2 were started"),
        ({"cost": 0.2}, ["draft", "polish"], "cost: 0.2 of 0.2 is spent, and the next action costs 0.1"),
        ({"cost": 0.05}, [], "cost: 0 of 0.05 is spent"),
        ({"tokens": 100}, ["draft"], "tokens: 100 of 100 are spent"),
        ({"llm_calls": 1}, ["draft"], "llm_calls: 1 of 1 were made"),
        ({"seconds": 0}, [], "seconds: "),
    ],
)
def test_a_limit_stops_the_run_before_the_next_action(limits, steps, reason):
    """Case 156."""
    process = ended(**limits)

    assert process.status is ProcessStatus.TERMINATED
    assert ran == [step.action for step in process.history] == steps
    assert process.reason.startswith(f"budget: {reason}")


@pytest.mark.parametrize("limits", [{}, {"actions": 3}, {"cost": 0.3}, {"tokens": 101, "seconds": 1e9}])
def test_what_fits_is_not_stopped(limits):
    """Case 156; three times 0.1 fits into 0.3."""
    assert ended(**limits).status is ProcessStatus.COMPLETED


def test_with_a_larger_budget_it_goes_on_without_repeating():
    """Case 158."""
    process = ended(actions=2)

    assert wait(process.run(budget=Budget(actions=3))) is ProcessStatus.COMPLETED
    assert ran == ["draft", "polish", "publish"]
    assert process.usage.actions == 3


def test_with_the_same_budget_it_stays_terminated():
    process = ended(actions=2)

    assert wait(process.run()) is ProcessStatus.TERMINATED
    assert ran == ["draft", "polish"]


def test_the_error_hands_over_what_was_done():
    with pytest.raises(ProcessTerminatedError, match="actions: 1 of 1") as caught:
        agent.run(Topic(), returning=Report, options=ProcessOptions(budget=Budget(actions=1)))

    assert caught.value.process.board.last(Draft) == Draft()


@action
async def delegate(topic: Topic, context: ActionContext) -> Report:
    return await context.run(agent, topic, returning=Report)


boss = Agent("boss", [delegate])


def test_what_a_child_spends_counts_for_its_parent():
    """Case 155."""
    process = ended(boss)

    assert process.status is ProcessStatus.COMPLETED
    assert (process.usage.actions, process.usage.tokens) == (4, 100)
    assert process.usage.cost == pytest.approx(0.3)
    assert process.usage == process._core.state.usage


def test_the_limit_of_the_parent_stops_its_child():
    """Cases 155 and 157."""
    process = ended(boss, actions=2)

    assert ran == ["draft"]
    assert process.status is ProcessStatus.TERMINATED
    assert "actions: 2 of 2 were started" in process.reason


def test_a_child_that_is_stopped_tells_its_parent_with_a_typed_error():
    """Case 157."""
    caught = []

    @action
    async def careful(topic: Topic, context: ActionContext) -> Report:
        try:
            return await context.run(agent, topic, returning=Report)
        except ProcessNotCompletedError as error:
            caught.append(error)
            return Report()

    process = ended(Agent("boss", [careful]), actions=2)

    assert process.status is ProcessStatus.COMPLETED
    assert isinstance(caught[0], ProcessTerminatedError)
    assert caught[0].process.board.last(Draft) == Draft()


def test_what_failed_and_retried_actions_spend_counts_once():
    """Case 154."""

    class Flaky(Exception):
        pass

    @action(cost=0.5, retry=Retry(3, on=Flaky))
    async def make(topic: Topic, context: ActionContext) -> Report:
        context.record_usage(tokens=1)
        raise Flaky

    process = ended(Agent("it", [make]))

    assert (process.usage.actions, process.usage.tokens, process.usage.cost) == (1, 3, 0.5)
    assert process.usage == process._core.state.usage


def test_a_budget_stops_in_the_middle_of_a_batch():
    @action
    async def one(topic: Topic) -> Draft:
        return Draft()

    @action
    async def two(topic: Topic) -> Final:
        return Final()

    @action
    def report(draft: Draft, final: Final) -> Report: ...

    options = ProcessOptions(budget=Budget(actions=1), concurrency=4)
    process = Agent("it", [one, two, report]).process(Topic(), returning=Report, options=options)
    wait(process.run())

    assert process.status is ProcessStatus.TERMINATED
    assert [step.action for step in process.history] == ["one"]


@pytest.mark.parametrize("limits", [{"actions": -1}, {"cost": "1"}, {"seconds": float("nan")}])
def test_a_budget_that_cannot_be_is_refused(limits):
    with pytest.raises(DefinitionError, match="Budget"):
        Budget(**limits)


@pytest.mark.parametrize("given", [{"concurrency": 0}, {"concurrency": "2"}, {"max_ticks": 0}, {"max_ticks": None}])
def test_options_that_cannot_be_are_refused(given):
    with pytest.raises(DefinitionError, match="ProcessOptions"):
        ProcessOptions(**given)
