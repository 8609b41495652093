"""What a process does itself because it means waiting: asking a person, sleeping; and what then stands on the board."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

from planboard.types import TypeForm


@dataclass(frozen=True, slots=True)
class AskPerson:
    """The action is a question to a person; its function returns the words of it."""

    form: TypeForm
    """What the person gives."""
    expires: timedelta | None = None
    """How long the question stands; `None` for ever."""


@dataclass(frozen=True, slots=True)
class Consent:
    """A person must agree before the action runs."""

    question: str
    """What the person is asked. Parameters of the action may stand in it: `{expense.amount}`."""
    expires: timedelta | None = None
    """How long the question stands; `None` for ever."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """The action is to wait; its function returns how long, or until when."""


Wait: TypeAlias = AskPerson | Sleep
"""What an action is that the process does itself."""

Duration: TypeAlias = float | timedelta | datetime
"""Seconds, a length of time, or a moment with a time zone."""


class Denied(BaseModel):
    """A person, or a policy, did not agree to an action: it has not run. Take it as an input to go another way."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: str
    """The action that was asked about."""
    reason: str = ""
    """Why, in the words of whoever decided."""
    request_id: str = ""
    """The request that was answered."""


class Expired(Denied):
    """Nobody has answered in time, which counts as not agreeing."""


class Slept(BaseModel):
    """A `sleep` is over."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    """The name of the action."""
    until: datetime
    """When it was due."""


COMES_OF_WAITING: tuple[type, ...] = (Denied, Expired, Slept)
"""What is put on the board by a process itself."""


def moment_of(duration: Any, now: float) -> float:
    """Return until when to wait, in seconds since 1970.

    Args:
        duration: What the function of a sleep returned.
        now: The time.

    Raises:
        ValueError: It is neither a number of seconds, nor a length of time, nor a moment with a time zone.
    """
    if isinstance(duration, datetime):
        if duration.tzinfo is None:
            message = f"{duration!r} has no time zone, so it is no moment. Use datetime.now(UTC), for example."
            raise ValueError(message)
        return duration.timestamp()
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else duration
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < float("inf"):
        message = f"{duration!r} is no length of time: give seconds, a timedelta or a datetime with a time zone."
        raise ValueError(message)
    return now + seconds


Words: TypeAlias = str | Callable[..., str]
"""A prompt, or a typed function over the board that returns one."""
