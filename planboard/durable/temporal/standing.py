"""Where a run stands, as data that can be read when no worker is there: Temporal's memo of the workflow."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from planboard.blackboard.codec import to_text
from planboard.events import ProcessStatus
from planboard.runtime.process import Process
from planboard.runtime.requests import Request

MEMO = "planboard"
"""The name of the memo."""

_REASON = 500
_LIMIT = 200_000
"""How many bytes it may have, or else requests are told of without their arguments."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run on Temporal, as lists of runs tell of it."""

    id: str
    agent: str
    """The name of its agent."""
    status: ProcessStatus
    reason: str = ""
    """Why it waits or has ended, in words."""
    pending: tuple[Request, ...] = ()
    """What waits for an answer in this run; children are runs of their own."""
    wakes_at: datetime | None = None
    """When its next timer is due."""
    parent_id: str | None = None
    """The run that started it."""
    started_at: datetime | None = None
    ended_at: datetime | None = None


def standing_of(process: Process) -> dict[str, Any]:
    """Return where a process stands as data."""
    status = ProcessStatus.RUNNING if process.status is ProcessStatus.NOT_STARTED else process.status
    pending = process._core.people.pending()  # noqa: SLF001 - within the package; its own, not those of children
    asked = [
        {**asdict(request), "expires_at": None if request.expires_at is None else request.expires_at.timestamp()}
        for request in pending
    ]
    if len(to_text(asked).encode()) > _LIMIT:
        asked = [{**one, "prompt": one["prompt"][:_REASON], "arguments": {}, "schema": {}} for one in asked]
    return {
        "agent": process.agent.name,
        "status": str(status),
        "reason": process.reason[:_REASON],
        "wakes_at": process.wakes_at,
        "pending": asked,
    }


def run_from(run_id: str, memo: Mapping[str, Any], **more: Any) -> Run:
    """Return the run that a memo tells of."""
    pending = [
        Request(**{**request, "expires_at": _moment(request["expires_at"])}) for request in memo.get("pending", ())
    ]
    status = ProcessStatus(memo.get("status", "RUNNING"))
    wakes_at = _moment(memo.get("wakes_at"))
    return Run(run_id, memo.get("agent", ""), status, memo.get("reason", ""), tuple(pending), wakes_at, **more)


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
