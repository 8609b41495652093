"""Telling a client how a run comes along: a listener that puts events into a line each, and a pump that sends them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from planboard.events import (
    ActionFailed,
    ActionRetried,
    ActionStarted,
    ActionSucceeded,
    Event,
    ReplanRequested,
    RequestMade,
    SleepStarted,
)

Send = Callable[[float, str], Awaitable[None]]
"""Sends one message, with a number that only grows."""


class Teller:
    """Listens to one run, and tells what it does while somebody wants to know."""

    def __init__(self) -> None:
        self._stream: Any = None
        self._told = 0
        self._actions = 0

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        words = self._words(event)
        if words is not None and self._stream is not None:
            self._told += 1
            self._stream.send_nowait((float(self._told), words))

    @asynccontextmanager
    async def telling(self, send: Send) -> AsyncIterator[None]:
        """Send what happens meanwhile; all of it is sent when this ends, unless nobody takes it any more."""
        import anyio

        outlet, inlet = anyio.create_memory_object_stream[tuple[float, str]](float("inf"))

        async def pump() -> None:
            gone = False
            async with inlet:
                async for number, words in inlet:
                    if gone:
                        continue
                    try:
                        await send(number, words)
                    except Exception:  # noqa: BLE001 - nobody listens any more; that is no reason to stop the run
                        gone = True

        raised: Exception | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(pump)
            self._stream = outlet
            try:
                yield
            except Exception as error:  # noqa: BLE001 - raised again below: the group would put it into one of errors
                raised = error
            finally:
                self._stream = None
                outlet.close()
        if raised is not None:
            raise raised

    def _words(self, event: Event) -> str | None:
        match event:
            case ActionStarted():
                return f"{event.action} has started"
            case ActionSucceeded():
                self._actions += 1
                return f"{event.action} is done ({self._actions} action{'' if self._actions == 1 else 's'} so far)"
            case ActionFailed():
                return f"{event.action} failed"
            case ActionRetried():
                return f"{event.action} is tried again in {event.wait:.6g} s"
            case ReplanRequested():
                return f"{event.action} asks for another plan"
            case RequestMade():
                return f"{event.action} waits for a person"
            case SleepStarted():
                return f"{event.action} sleeps"
            case _:
                return None
