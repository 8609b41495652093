"""Promises about cancelling.

- Nothing more starts after it, what is running is cancelled, and no task is left behind.
- It reaches the children, wherever it comes from, and is never swallowed by a step that is just ending.
"""

import asyncio
from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import ActionContext, Agent, ProcessCancelledError, ProcessOptions, ProcessStatus, action
from planboard.runtime.audience import Audience


class Topic(BaseModel):
    pass


class Draft(BaseModel):
    pass


class Report(BaseModel):
    pass


@action
def draft(topic: Topic) -> Draft:
    return Draft()


@action
async def hang(draft: Draft) -> Report:
    await asyncio.Event().wait()
    raise AssertionError


slow = Agent("slow", [draft, hang])


async def left_behind():
    return asyncio.all_tasks() - {asyncio.current_task()}


def cancelled_while_running(process, cancel):
    """Run a process in a task, cancel it once `hang` has begun, and return what the task came to."""

    async def both():
        task = asyncio.create_task(process.run())
        while not any(getattr(event, "action", "") == "hang" for event in process.events):
            await asyncio.sleep(0)
        cancel(process, task)
        [outcome] = await asyncio.gather(task, return_exceptions=True)
        assert await left_behind() == set()
        return outcome

    return wait(both())


def test_what_is_running_is_cancelled_and_nothing_more_starts():
    """Case 113."""
    process = slow.process(Topic(), returning=Report)

    outcome = cancelled_while_running(process, lambda process, task: process.cancel("enough"))

    assert outcome is ProcessStatus.CANCELLED
    assert process.reason == "enough"
    assert process.board.last(Draft) == Draft()
    assert process.events[-1].kind == "process_ended"
    assert wait(process.run()) is ProcessStatus.CANCELLED


def test_cancelling_the_task_cancels_the_process_and_is_passed_on():
    process = slow.process(Topic(), returning=Report)

    outcome = cancelled_while_running(process, lambda process, task: task.cancel())

    assert isinstance(outcome, asyncio.CancelledError)
    assert process.status is ProcessStatus.CANCELLED


@pytest.mark.parametrize("way", ["tick", "stream"])
def test_a_tick_and_a_stream_are_cancelled_like_a_run(way):
    process = slow.process(Topic(), returning=Report)

    async def drive():
        if way == "tick":
            while process.status in (ProcessStatus.NOT_STARTED, ProcessStatus.RUNNING):
                await process.tick()
        else:
            async for _ in process.stream():
                pass

    async def both():
        task = asyncio.create_task(drive())
        while not any(getattr(event, "action", "") == "hang" for event in process.events):
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        process.cancel()
        await task

    wait(both())

    assert process.status is ProcessStatus.CANCELLED


def test_a_process_that_is_not_being_run_is_cancelled_at_once():
    process = slow.process(Topic(), returning=Report)

    process.cancel()

    assert process.status is ProcessStatus.CANCELLED
    assert wait(process.run()) is ProcessStatus.CANCELLED
    assert process.history == ()
    with pytest.raises(ProcessCancelledError):
        process.raise_for_status()


def test_a_stuck_process_is_cancelled_and_stays_so():
    """Case 015."""
    process = slow.process(returning=Report)
    wait(process.run())

    process.cancel()
    process.board.add(Topic())

    assert wait(process.run()) is ProcessStatus.CANCELLED
    assert wait(process.tick()) is ProcessStatus.CANCELLED
    assert process.history == ()


def test_what_has_ended_is_not_cancelled():
    process = Agent("quick", [draft]).process(Topic(), returning=Draft)
    wait(process.run())

    process.cancel()

    assert process.status is ProcessStatus.COMPLETED


def test_cancelled_just_before_a_batch_nothing_of_it_runs():
    """Case 118."""
    ran = []

    @action
    async def one(draft: Draft) -> Topic:
        ran.append("one")
        return Topic()

    @action
    async def two(draft: Draft) -> Report:
        ran.append("two")
        return Report()

    def stop(event):
        if event.kind == "action_succeeded" and event.action == "draft":
            process.cancel()

    options = ProcessOptions(concurrency=2, listeners=(stop,))
    process = Agent("it", [draft, one, two]).process(Topic(), returning=Report, options=options)

    assert wait(process.run()) is ProcessStatus.CANCELLED
    assert ran == []


def test_cancelled_by_its_own_action_as_it_finishes_no_later_step_runs():
    """Case 172."""
    later = []

    @action
    def last_thing(topic: Topic) -> Draft:
        process.cancel("I quit")
        return Draft()

    @action
    def report(draft: Draft) -> Report:
        later.append(1)
        return Report()

    process = Agent("it", [last_thing, report]).process(Topic(), returning=Report)

    assert wait(process.run()) is ProcessStatus.CANCELLED
    assert later == []


def test_a_plain_run_is_cancelled_at_the_next_step():
    @action
    def last_thing(topic: Topic) -> Draft:
        processes[0].cancel()
        return Draft()

    @action
    def report(draft: Draft) -> Report: ...

    processes = []
    agent = Agent("it", [last_thing, report])
    prepare = agent.process
    agent.process = lambda *inputs, **how: processes.append(prepare(*inputs, **how)) or processes[0]

    with pytest.raises(ProcessCancelledError):
        agent.run(Topic(), returning=Report)


@pytest.mark.parametrize("when", ["while it starts", "while it runs"])
def test_a_child_is_cancelled_with_its_parent(when):
    """Case 172."""
    seen = []

    @action
    async def delegate(topic: Topic, context: ActionContext) -> Report:
        return await context.run(slow, Topic(), returning=Report)

    def listen(event):
        if event.process_id != "top":
            seen.append(event)
            starting = event.kind == ("process_started" if when == "while it starts" else "action_started")
            if starting and (when == "while it starts" or event.action == "hang"):
                process.cancel()

    options = ProcessOptions(listeners=(listen,))
    process = Agent("top", [delegate]).process(Topic(), returning=Report, options=options, id="top")

    async def main():
        await process.run()
        return await left_behind()

    assert wait(main()) == set()
    assert process.status is ProcessStatus.CANCELLED
    assert seen[-1].kind == "process_ended"
    assert seen[-1].status is ProcessStatus.CANCELLED


def test_a_process_is_cancelled_from_another_thread():
    import threading

    process = slow.process(Topic(), returning=Report)

    def listen(event):
        if getattr(event, "action", "") == "hang":
            threading.Thread(target=process.cancel).start()

    process._audience = Audience(process.id, (listen,))

    assert wait(process.run()) is ProcessStatus.CANCELLED
