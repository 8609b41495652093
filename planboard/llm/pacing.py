"""Keeping to a provider's rate limit: requests go out one after another, no faster than allowed."""

import time
from collections.abc import Awaitable, Callable

Sleep = Callable[[float], Awaitable[None]]
"""Waits a number of seconds."""


async def sleep(seconds: float) -> None:
    """Wait, without holding up anything else."""
    import anyio

    await anyio.sleep(seconds)


class Pace:
    """Spreads requests evenly over the minute.

    Args:
        per_minute: How many requests may go out in a minute; `None` for any number.
        clock: Tells the time in seconds, from any beginning.
        sleep: Waits.
    """

    def __init__(
        self, per_minute: float | None, *, clock: Callable[[], float] = time.monotonic, sleep: Sleep = sleep
    ) -> None:
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock
        self._sleep = sleep
        self._next = float("-inf")

    async def turn(self) -> None:
        """Wait until one more request may go out. Those that wait at once get their turns one after another."""
        if not self._gap:
            return
        now = self._clock()
        at = max(now, self._next)
        self._next = at + self._gap
        if at > now:
            await self._sleep(at - now)
