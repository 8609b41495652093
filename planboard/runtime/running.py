"""Running a process on an event loop: it may be cancelled, from within and from without, and leaves nothing behind."""

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from planboard.errors import JournalError, RunClaimedError
from planboard.events import Event, ProcessStatus
from planboard.runtime.driver import carry_out, drive
from planboard.runtime.exclusive import Exclusively, at_hand, is_run_elsewhere, root_of
from planboard.runtime.executor import Executor
from planboard.runtime.outcome import Command

if TYPE_CHECKING:
    from planboard.runtime.process import Process


_LISTENS_EVERY = 1.0
"""Seconds between two looks at what other programs have left in the journal."""


async def drive_heeding_cancellation(process: "Process", executor: Executor) -> None:
    """Drive a process; it is cancelled when the task is, even if an action swallows the error."""
    import asyncio

    task = asyncio.current_task()
    asked_before = task.cancelling() if task is not None else 0

    def heed_cancellation() -> None:
        if task is not None and task.cancelling() > asked_before:
            process._core.cancel("the task that ran it was cancelled")  # noqa: SLF001

    driving = process._driving(heed_cancellation)  # noqa: SLF001
    watching = asyncio.create_task(_heed_word_of_others(process)) if driving.listen is not None else None
    try:
        await drive(process._core, executor, process.options.clock, driving)  # noqa: SLF001
    finally:
        if watching is not None:
            watching.cancel()


async def _heed_word_of_others(process: "Process") -> None:
    """Cancel a process when another program has left word that it shall be, also while an action runs or it sleeps."""
    import asyncio

    while not process.status.is_final:
        await asyncio.sleep(_LISTENS_EVERY)
        try:
            reason = process._ear.told_to_stop()  # noqa: SLF001
        except JournalError:
            return  # the run finds the same at its next decision, and raises it
        if reason is not None:
            cancel(process, reason)
            return


async def tick(process: "Process") -> None:
    """Make one decision and carry it out; see `Process.tick`."""
    with Exclusively(process, Executor(threads=True)):
        executor = process._begin()  # noqa: SLF001
        calls = process._core.decide(process.options.clock.time())  # noqa: SLF001
        if calls:
            await cancellably(process, carry_out_and_deliver(process, executor, calls))


async def stream(process: "Process") -> AsyncIterator[Event]:
    """Run a process and yield its events; see `Process.stream`."""
    seen = 0
    executor, clock, core = Executor(threads=True), process.options.clock, process._core  # noqa: SLF001
    while True:
        with Exclusively(process, executor):  # not while an event is looked at, for the caller may leave there
            process._begin()  # noqa: SLF001
            calls = core.decide(clock.time())
        while seen < len(process.events):
            yield process.events[seen]
            seen += 1
        if not calls and process.status is ProcessStatus.RUNNING:
            continue  # whoever looked at the events has answered
        until = None if calls else process._sleeps_until()  # noqa: SLF001
        if not calls and until is None:
            return
        with Exclusively(process, executor):
            if until is not None:
                await cancellably(process, clock.sleep_until(until))
            elif all(core.awaits(call) for call in calls):
                await cancellably(process, carry_out_and_deliver(process, executor, calls))


def cancel(process: "Process", reason: str) -> None:
    """Stop a process; see `Process.cancel`."""
    with root_of(process)._ear.lock:  # noqa: SLF001
        _cancel(process, reason)


def _cancel(process: "Process", reason: str) -> None:
    core = process._core  # noqa: SLF001
    if process._executor is None:  # noqa: SLF001
        try:
            with at_hand(process):
                core.cancel(reason)
                core.end_cancelled()
                process._children.cancel(reason)  # noqa: SLF001
        except RunClaimedError:
            process._ear.leave_word(reason)  # noqa: SLF001
        return
    if not is_run_elsewhere(process):
        core.cancel(reason)
    elif not process.status.is_final:
        core.cancelled = core.cancelled or reason  # whoever runs it ends it
    scope = process._scope  # noqa: SLF001
    if scope is not None:
        loop, cancel_scope = scope
        with suppress(RuntimeError):  # the loop has ended, and the run with it
            loop.call_soon_threadsafe(cancel_scope.cancel)


async def carry_out_and_deliver(process: "Process", executor: Executor, calls: Sequence[Command]) -> None:
    """Carry out some calls; that they were begun is written down first."""
    core = process._core  # noqa: SLF001
    process._flush()  # noqa: SLF001
    core.deliver(calls, await carry_out(core, executor, calls, process._arrivals.note))  # noqa: SLF001


async def cancellably(process: "Process", work: Awaitable[None]) -> None:
    """Do work that `Process.cancel` can stop."""
    import asyncio

    import anyio

    try:
        with anyio.CancelScope() as scope:
            process._scope = (asyncio.get_running_loop(), scope)  # noqa: SLF001
            await work
        if scope.cancelled_caught:
            process._core.end_cancelled()  # noqa: SLF001
    except asyncio.CancelledError:
        process._core.end_cancelled()  # noqa: SLF001
        raise
    finally:
        process._scope = None  # noqa: SLF001
