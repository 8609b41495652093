"""A clock that tests drive: nobody waits, and days pass in no time."""

from datetime import datetime, timedelta

from planboard.errors import DefinitionError

_TURNS = 16
"""How often others on the event loop get a turn before time moves: they may want to sleep less long."""


class FakeClock:
    """A clock for `ProcessOptions(clock=...)` that stands still until it is told to go on.

    A process that does nothing but sleep moves it to where the sleep ends, unless `auto` is false: then it waits until
    somebody advances the clock.

    Args:
        start: What it says at first: a moment with a time zone, or seconds since 1970.
        auto: Whether sleeping moves it.

    Example:
        >>> clock = FakeClock()
        >>> clock.advance(timedelta(days=2))
        >>> clock.time()
        172800.0
    """

    def __init__(self, start: datetime | float = 0.0, *, auto: bool = True) -> None:
        self._now = _seconds(start)
        self._auto = auto
        self._sleepers: list[float] = []
        self.slept_until: list[float] = []
        """The moments that were slept until, in order."""

    def time(self) -> float:
        """Return the seconds since 1970."""
        return self._now

    def advance(self, by: timedelta | float) -> None:
        """Let time pass.

        Raises:
            ValueError: It would run backwards.
        """
        seconds = by.total_seconds() if isinstance(by, timedelta) else by
        if seconds < 0:
            message = f"A clock does not run backwards, so it cannot be advanced by {by!r}."
            raise ValueError(message)
        self._now += seconds

    async def sleep_until(self, moment: float) -> None:
        """Wait until it is that late."""
        import anyio.lowlevel

        self.slept_until.append(moment)
        self._sleepers.append(moment)
        try:
            while self._now < moment:
                for _ in range(_TURNS):
                    await anyio.lowlevel.checkpoint()
                if self._auto and moment == min(self._sleepers):
                    self._now = max(self._now, moment)
        finally:
            self._sleepers.remove(moment)

    def __repr__(self) -> str:
        return f"FakeClock({self._now:g})"


def _seconds(start: datetime | float) -> float:
    if isinstance(start, datetime):
        if start.tzinfo is None:
            message = f"FakeClock({start!r}): the moment has no time zone. Use datetime(..., tzinfo=UTC)."
            raise DefinitionError(message)
        return start.timestamp()
    return float(start)
