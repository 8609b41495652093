"""What happens where a run waits: for people, for time, for a child; and what keeps it across programs."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from planboard.actions.context import NOTHING, Usage
from planboard.blackboard.entry import Entry

Purpose: TypeAlias = Literal["answer", "approval", "in_doubt"]
"""What a request is for: a person's answer; their consent to an action; whether an action that was running when the
program ended shall run again."""

Verdict: TypeAlias = Literal["answered", "approved", "edited", "finished", "denied", "expired"]
"""What was decided about a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCreated:
    """A run that is kept in a journal begins to exist; all that is needed to take it up again."""

    seq: int
    process_id: str
    agent: str
    planner: str
    """The planner with its settings, as text."""
    returning: str | None = None
    """The type wanted."""
    options: dict[str, Any] = field(default_factory=dict)
    """Budget, concurrency and so on, as data."""
    parent_id: str | None = None
    forked_from: str | None = None
    """The run it is a fork of, and the last event they share: `id@seq`."""
    kind: Literal["process_created"] = "process_created"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReplaced:
    """The run may spend something else from now on; what was spent before counts."""

    seq: int
    process_id: str
    budget: dict[str, Any]
    """The limits by name; `None` for no limit."""
    kind: Literal["budget_replaced"] = "budget_replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestMade:
    """Somebody is asked; the call waits for what they say."""

    seq: int
    process_id: str
    call: int
    action: str
    inputs: tuple[int, ...]
    """The positions of the entries that the action is given."""
    purpose: Purpose
    prompt: str
    schema: dict[str, Any]
    """The JSON schema of the answer."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """What the action would be given, by parameter, for people to look at; what is secret is hidden."""
    expires_at: float | None = None
    """Until when it can be answered, in seconds since 1970."""
    tool_call: str | None = None
    """The call of a model that it is about."""
    nth: int = 1
    """Which request about this call it is, counted from 1: what was agreed to may be in doubt later."""
    kind: Literal["request_made"] = "request_made"

    @property
    def id(self) -> str:
        """What the request is answered by."""
        return request_id(self.process_id, self.call, self.nth)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAnswered:
    """It was decided about a request, by a person, a policy, or the clock."""

    seq: int
    process_id: str
    call: int
    action: str
    verdict: Verdict
    entries: tuple[Entry, ...] = ()
    """What it puts on the board: changed arguments, or a `Denied`."""
    arguments: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """For changed arguments: the positions of the entries, by parameter."""
    hidden: tuple[int, ...] = ()
    """Positions of what is of no use any more."""
    reason: str = ""
    usage: Usage = NOTHING
    """What the call has spent, if it was begun and comes to nothing now."""
    by: str = ""
    """Who decided, as they were named; empty if nobody was."""
    kind: Literal["request_answered"] = "request_answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestWithdrawn:
    """A request needs no answer any more, for the run has ended."""

    seq: int
    process_id: str
    call: int
    action: str
    usage: Usage = NOTHING
    """What the call has spent, its children included."""
    kind: Literal["request_withdrawn"] = "request_withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepStarted:
    """The run sleeps in this call."""

    seq: int
    process_id: str
    call: int
    action: str
    inputs: tuple[int, ...]
    until: float
    """In seconds since 1970."""
    tool_call: str | None = None
    kind: Literal["sleep_started"] = "sleep_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionSuspended:
    """An action was stopped because a child that it has started waits; it is run again once the child can go on."""

    seq: int
    process_id: str
    call: int
    action: str
    usage: Usage = NOTHING
    """What it has spent itself so far."""
    kind: Literal["action_suspended"] = "action_suspended"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessWaiting:
    """Nothing can be done until somebody answers, or until it is time."""

    seq: int
    process_id: str
    reason: str
    wakes_at: float | None = None
    """When the next timer is due, in seconds since 1970."""
    kind: Literal["process_waiting"] = "process_waiting"


def request_id(process_id: str, call: int, nth: int = 1) -> str:
    """Return the id of a request about a call; each request has one of its own, so each takes an answer."""
    return f"{process_id}:{call}" if nth == 1 else f"{process_id}:{call}r{nth}"
