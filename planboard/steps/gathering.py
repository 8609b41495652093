"""Running several things at once, and taking what comes of them in their own order.

What waits for a person does not hold up the others, and a failure does not stop those that have begun: nothing that
was done is lost.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from planboard.errors import ProcessNotCompletedError
from planboard.runtime.kinship import goes_on_later

T = TypeVar("T")


async def gather(
    jobs: Sequence[Callable[[], Awaitable[T]]], *, concurrency: int | None = None, collect: bool = False
) -> list[T | Exception]:
    """Return what comes of jobs, in their order.

    Args:
        jobs: What is to be done. Each begins no earlier than those before it.
        concurrency: How many may run at once; `None` for all. What waits for a person gives way once no other runs.
        collect: Return the errors of jobs in their places. Otherwise, after the first failure no other job begins that
            had to wait for its turn, those that run come to their end, and the first error in the order of the jobs
            is raised.

    Raises:
        ProcessWaitingError: Some have to wait; all others are at their end.
        Exception: What a job raised.
    """
    import asyncio

    outcomes: dict[int, T | Exception] = {}
    waiting: dict[int, Exception] = {}
    room = asyncio.Semaphore(concurrency or max(len(jobs), 1))
    failed = False

    async def do(position: int) -> None:
        nonlocal failed
        async with room:
            if failed and not collect and concurrency is not None and position >= concurrency:
                return  # the others have begun together
            try:
                outcomes[position] = await jobs[position]()
            except Exception as error:  # noqa: BLE001 - it is raised, or returned in its place, once all are at their end
                if isinstance(error, ProcessNotCompletedError) and goes_on_later(error.process):
                    waiting[position] = error
                else:
                    outcomes[position] = error
                    failed = True

    await asyncio.gather(*(do(position) for position in range(len(jobs))))
    if waiting:
        _raise([waiting[position] for position in sorted(waiting)])
    ordered = [outcomes[position] for position in sorted(outcomes)]
    errors = [outcome for outcome in ordered if isinstance(outcome, Exception)]
    if errors and not collect:
        raise errors[0]
    return ordered


def _raise(errors: Sequence[Exception]) -> None:
    if len(errors) == 1:
        raise errors[0]
    message = "several parts wait"
    raise ExceptionGroup(message, errors)
