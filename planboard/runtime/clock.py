"""Where a run gets the time from. Deadlines are moments, not lengths, so they hold across programs."""

import time
from typing import Protocol

_LONGEST_NAP = 3600.0
"""Clocks are set and machines sleep, so nobody waits longer than this without looking at the clock again."""


class Clock(Protocol):
    """Tells the time, and waits. `planboard.testing.FakeClock` is one that tests drive."""

    def time(self) -> float:
        """Return the seconds since 1970."""
        ...

    async def sleep_until(self, moment: float) -> None:
        """Wait until it is that late."""
        ...


class SystemClock:
    """The clock of the machine."""

    __slots__ = ()

    def time(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    async def sleep_until(self, moment: float) -> None:
        """Wait until it is that late."""
        import anyio

        while (left := moment - time.time()) > 0:  # noqa: ASYNC110 - there is no event but the time
            await anyio.sleep(min(left, _LONGEST_NAP))

    def __repr__(self) -> str:
        return "SystemClock()"


SYSTEM_CLOCK = SystemClock()
