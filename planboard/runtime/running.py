"""Running a process on an event loop: it may be cancelled, from within and from without, and leaves nothing behind."""

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from planboard.runtime.driver import carry_out, drive
from planboard.runtime.executor import Executor
from planboard.runtime.outcome import Command

if TYPE_CHECKING:
    from planboard.runtime.process import Process


async def drive_heeding_cancellation(process: "Process", executor: Executor) -> None:
    """Drive a process; it is cancelled when the task is, even if an action swallows the error."""
    import asyncio

    task = asyncio.current_task()
    asked_before = task.cancelling() if task is not None else 0

    def heed_cancellation() -> None:
        if task is not None and task.cancelling() > asked_before:
            process._core.cancel("the task that ran it was cancelled")  # noqa: SLF001

    driving = process._driving(heed_cancellation)  # noqa: SLF001
    await drive(process._core, executor, process.options.clock, driving)  # noqa: SLF001


async def carry_out_and_deliver(process: "Process", executor: Executor, calls: Sequence[Command]) -> None:
    """Carry out some calls; that they were begun is written down first."""
    core = process._core  # noqa: SLF001
    process._flush()  # noqa: SLF001
    core.deliver(calls, await carry_out(core, executor, calls))


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
