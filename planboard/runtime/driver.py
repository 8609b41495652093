"""Carries out what a process core decides, until it has come to an end."""

from collections.abc import Callable, Sequence

from planboard.runtime.core import ProcessCore
from planboard.runtime.executor import Executor
from planboard.runtime.outcome import Command, Outcome

Clock = Callable[[], float]
"""Tells the time in seconds, from any beginning."""

_TURNS = 32
"""After so many decisions without waiting, others on the event loop get a turn."""


async def drive(
    core: ProcessCore, executor: Executor, clock: Clock, *, before_each: Callable[[], None] | None = None
) -> None:
    """Run a process until it has come to an end.

    Args:
        core: The process.
        executor: Runs its actions.
        clock: Tells the time.
        before_each: Called before each decision, when the process is one of many on an event loop; the others get a
            turn now and then. Without it nothing is waited for but the actions.
    """
    turns = 0
    while True:
        if before_each is not None:
            before_each()
        calls = core.decide(clock())
        if not calls:
            return
        if len(calls) == 1:
            core.deliver(calls, (await executor.run(calls[0], core.note_retry),))
        else:
            core.deliver(calls, await carry_out(core, executor, calls))
        turns += 1
        if turns % _TURNS == 0 and before_each is not None:
            import anyio.lowlevel

            await anyio.lowlevel.checkpoint()


async def carry_out(core: ProcessCore, executor: Executor, calls: Sequence[Command]) -> list[Outcome]:
    """Run calls, at once if there are several, and return the outcomes in the order of the calls."""
    if len(calls) == 1:
        return [await executor.run(calls[0], core.note_retry)]
    import anyio

    outcomes: dict[int, Outcome] = {}

    async def run(call: Command) -> None:
        outcomes[call.number] = await executor.run(call, core.note_retry)

    async with anyio.create_task_group() as group:
        for call in calls:
            group.start_soon(run, call)
    if len(outcomes) < len(calls):  # an action raised the error that means cancellation, and its group swallowed it
        raise anyio.get_cancelled_exc_class()
    return [outcomes[call.number] for call in calls]
