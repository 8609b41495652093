"""Promises about calls that bring no outcome, and about what children may spend of their own.

- A call that was started ends in the log, also when it was cancelled, so that folding gives what was spent.
- A child may have a budget of its own beside the tree's.
"""

import asyncio
from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Budget,
    DefinitionError,
    ProcessOptions,
    ProcessStatus,
    ProcessTerminatedError,
    achieves_goal,
    action,
)
from planboard.runtime.state import ProcessState


class Topic(BaseModel):
    pass


class Draft(BaseModel):
    pass


class Report(BaseModel):
    pass


@action(cost=0.3)
async def hang(topic: Topic) -> Draft:
    await asyncio.Event().wait()
    raise AssertionError


@achieves_goal("reported")
@action(cost=0.2)
def report(draft: Draft) -> Report:
    return Report()


slow = Agent("slow", [hang, report])


def fold(process) -> ProcessState:
    compilation, bits = process.agent._compiled(process.agent.goals)
    return ProcessState(compilation, bits, greedy=False).replay(process.events)


def test_a_cancelled_call_ends_in_the_log_and_what_it_spent_is_kept():
    process = slow.process(Topic())

    async def cancel_it():
        running = asyncio.create_task(process.run())
        while process.events[-1].kind != "action_started":
            await asyncio.sleep(0)
        process.cancel()
        await running

    wait(cancel_it())

    assert [event.kind for event in process.events][-2:] == ["action_failed", "process_ended"]
    assert process.status is ProcessStatus.CANCELLED
    assert fold(process).usage == process.usage
    assert process.usage.cost == 0.3


def test_a_stream_that_is_left_midway_can_be_run_to_its_end():
    calls = []

    @achieves_goal("drafted")
    @action
    def draft(topic: Topic) -> Draft:
        calls.append(1)
        return Draft()

    process = Agent("it", [draft]).process(Topic())

    async def leave_and_come_back():
        stream = process.stream()
        async for event in stream:
            if event.kind == "action_started":
                break
        await stream.aclose()
        return await process.run()

    assert wait(leave_and_come_back()) is ProcessStatus.COMPLETED
    assert calls == [1]
    assert fold(process).usage == process.usage


def test_a_child_may_have_a_budget_of_its_own():
    """Case 157."""
    seen = []

    @achieves_goal("drafted")
    @action(cost=0.5)
    def dear(topic: Topic) -> Draft:
        return Draft()

    child = Agent("child", [dear])

    @achieves_goal("reported")
    @action
    async def delegate(topic: Topic, context: ActionContext) -> Report:
        try:
            await context.run(child, topic, returning=Draft, options=ProcessOptions(budget=Budget(cost=0.4)))
        except ProcessTerminatedError as error:
            seen.append(error.process.status)
        return Report()

    process = Agent("parent", [delegate]).process(Topic())

    assert wait(process.run()) is ProcessStatus.COMPLETED
    assert seen == [ProcessStatus.TERMINATED]


def test_positional_only_inputs_are_refused():
    with pytest.raises(DefinitionError, match="positional only"):

        @action
        def draft(topic: Topic, /) -> Draft:
            return Draft()


def test_a_timed_plain_action_may_raise_what_a_future_refuses():
    @achieves_goal("drafted")
    @action(timeout=5)
    def draft(topic: Topic) -> Draft:
        raise StopIteration

    process = Agent("it", [draft]).process(Topic())

    assert wait(process.run()) is ProcessStatus.FAILED
    assert "StopIteration" in process.reason


def test_the_beginning_is_recorded_once_however_often_it_is_run():
    process = slow.process()

    wait(process.run())
    wait(process.run())

    assert [event.kind for event in process.events].count("process_started") == 1
    assert process.status is ProcessStatus.STUCK


def test_an_option_of_the_process_is_not_taken_for_an_input():
    with pytest.raises(DefinitionError, match=r"options=ProcessOptions\(budget="):
        slow.process(Topic(), budget=Budget(actions=0))
