"""Carries out what a process core decides, until nothing can be done any more, or for now."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planboard.events import ProcessStatus
from planboard.runtime.clock import Clock
from planboard.runtime.core import ProcessCore
from planboard.runtime.executor import Executor
from planboard.runtime.outcome import Command, Outcome

_TURNS = 32
"""After so many decisions without waiting, others on the event loop get a turn."""


@dataclass(frozen=True, slots=True)
class Driving:
    """What is done around the decisions of a core."""

    sleeps_until: Callable[[], float | None]
    """Tells until when to wait, if time is all that the process waits for."""
    keep: Callable[[], None] | None = None
    """Writes down what has happened."""
    listen: Callable[[], None] | None = None
    """Takes in what was said from outside."""
    arrived: Callable[[Command, Outcome], None] | None = None
    """Told of an outcome that is in while others of its batch are not."""
    before_each: Callable[[], None] | None = None
    """Called before each decision, when the process is one of many on an event loop; the others get a turn now and
    then. Without it nothing is waited for but the actions."""


async def drive(core: ProcessCore, executor: Executor, clock: Clock, driving: Driving) -> None:
    """Run a process until it has come to an end, or waits for people.

    What has happened is written down before an action is started, and again as soon as it has ended: so a program
    that ends between the two knows that the action was begun, and one that ends after it knows that it is done. Where
    the plan goes on as predicted, the end of one action and the start of the next one are written together.

    Args:
        core: The process.
        executor: Runs its actions.
        clock: Tells the time, and waits.
        driving: What else is done.
    """
    turns = 0
    keep, listen, before_each = driving.keep, driving.listen, driving.before_each
    while True:
        if before_each is not None:
            before_each()
        if listen is not None:
            listen()
        calls = core.decide(clock.time())
        if keep is not None:
            keep()
        if not calls:
            if core.state.status is ProcessStatus.RUNNING:
                continue  # somebody has answered as soon as they heard of the question
            until = driving.sleeps_until()
            if until is None:
                return
            await clock.sleep_until(until)
            core.resume()
            continue
        if len(calls) == 1:
            core.deliver(calls, (await executor.run(calls[0], core.note_retry),))
        else:
            core.deliver(calls, await carry_out(core, executor, calls, driving.arrived))
        if keep is not None and not core.goes_as_planned:
            keep()
        turns += 1
        if turns % _TURNS == 0 and before_each is not None:
            import anyio.lowlevel

            if keep is not None:
                keep()  # others may take long
            await anyio.lowlevel.checkpoint()


async def carry_out(
    core: ProcessCore,
    executor: Executor,
    calls: Sequence[Command],
    arrived: Callable[[Command, Outcome], None] | None = None,
) -> list[Outcome]:
    """Run calls, at once if there are several, and return the outcomes in the order of the calls."""
    if len(calls) == 1:
        return [await executor.run(calls[0], core.note_retry)]
    import anyio

    outcomes: dict[int, Outcome] = {}

    async def run(call: Command) -> None:
        outcome = outcomes[call.number] = await executor.run(call, core.note_retry)
        if arrived is not None and len(outcomes) < len(calls):
            arrived(call, outcome)

    async with anyio.create_task_group() as group:
        for call in calls:
            group.start_soon(run, call)
    if len(outcomes) < len(calls):  # an action raised the error that means cancellation, and its group swallowed it
        raise anyio.get_cancelled_exc_class()
    return [outcomes[call.number] for call in calls]
