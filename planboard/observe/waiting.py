"""Waiting in words: what is asked and decided, what sleeps, and what keeps a run."""

from datetime import UTC, datetime

from planboard.events import (
    ActionSuspended,
    ProcessCreated,
    RequestAnswered,
    RequestMade,
    RequestWithdrawn,
    SleepStarted,
)


def waiting_words(
    event: ProcessCreated | RequestMade | RequestAnswered | RequestWithdrawn | SleepStarted | ActionSuspended,
) -> str:
    """Tell an event of a run that waits, or is kept."""
    match event:
        case ProcessCreated():
            origin = f", a fork of {event.forked_from}" if event.forked_from else ""
            return f"kept as {event.process_id}{origin}"
        case RequestMade():
            return _question(event)
        case RequestAnswered():
            return _verdict(event)
        case RequestWithdrawn():
            return f"- {event.action} is not waited for any more"
        case SleepStarted():
            return f"… {event.action} sleeps until {moment(event.until)}"
        case ActionSuspended():
            return f"… {event.action} waits for a child"


def _question(event: RequestMade) -> str:
    until = "" if event.expires_at is None else f" (until {moment(event.expires_at)})"
    what = {"answer": "asks", "approval": "needs consent", "in_doubt": "is in doubt"}[event.purpose]
    return f"? {event.action} {what}: {event.prompt}{until}"


def _verdict(event: RequestAnswered) -> str:
    because = f": {event.reason}" if event.reason else ""
    match event.verdict:
        case "answered":
            return f"✓ {event.action} is answered"
        case "approved":
            return f"✓ {event.action} is approved"
        case "edited":
            return f"✓ {event.action} is approved with other arguments"
        case "finished":
            return f"✓ {event.action} has finished, as somebody says"
        case "denied":
            return f"✗ {event.action} is denied{because}"
        case "expired":
            return f"✗ {event.action} has expired{because}"


def moment(seconds: float) -> str:
    """Return a moment, given in seconds since 1970, as a person reads it: "2025-01-31 12:00:00 UTC"."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
