"""What happens in a run, as data: the typed events that a process is the fold of.

Every event has a sequence number, counted from 1 within its process. The state of a process is what its events make
of an empty one, nothing else; listeners, journals and `Process.stream` all see these same objects.
"""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated, Any, Literal, Protocol, TypeAlias

from pydantic import Field

from planboard._text import brief, is_secret
from planboard.actions.context import NOTHING, Usage
from planboard.blackboard.entry import Entry


class ProcessStatus(StrEnum):
    """Where a process stands."""

    NOT_STARTED = "NOT_STARTED"
    RUNNING = "RUNNING"
    WAITING = "WAITING"
    """For an answer from outside."""
    COMPLETED = "COMPLETED"
    """A goal is met."""
    STUCK = "STUCK"
    """Nothing can be done, and a goal is not met. Put what is missing on the board and run it again."""
    FAILED = "FAILED"
    """An action or condition failed, and there is no way around it."""
    TERMINATED = "TERMINATED"
    """A budget or a policy ended it. Run it again with a larger budget to go on."""
    CANCELLED = "CANCELLED"

    @property
    def is_final(self) -> bool:
        """Whether the process has come to its own end, and can no longer be cancelled."""
        return self in (ProcessStatus.COMPLETED, ProcessStatus.FAILED, ProcessStatus.CANCELLED)


# Plain slotted dataclasses, not validated: a run makes two of these a step, from values that are known to be right.
# They are told apart by `kind`. The entries in them hold live objects, so what leaves the process needs a `Codec`.


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessStarted:
    """The process is run for the first time; its inputs are on the board already."""

    seq: int
    process_id: str
    agent: str
    planner: str
    goals: tuple[str, ...]
    parent_id: str | None = None
    kind: Literal["process_started"] = "process_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryAdded:
    """An entry came from outside: an input, or something put on the board between runs."""

    seq: int
    process_id: str
    entry: Entry
    kind: Literal["entry_added"] = "entry_added"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesHidden:
    """Entries were hidden from outside."""

    seq: int
    process_id: str
    positions: tuple[int, ...]
    kind: Literal["entries_hidden"] = "entries_hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionChanged:
    """A free condition was set from outside."""

    seq: int
    process_id: str
    name: str
    value: bool
    kind: Literal["condition_changed"] = "condition_changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanMade:
    """The planner chose a plan. While a plan goes as predicted no new one is made."""

    seq: int
    process_id: str
    goal: str
    steps: tuple[str, ...]
    cost: float
    net_value: float
    assumptions: tuple[str, ...] = ()
    kind: Literal["plan_made"] = "plan_made"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionStarted:
    """An action was handed to the executor."""

    seq: int
    process_id: str
    call: int
    """The number of the call, counted from 1 within the process."""
    action: str
    inputs: tuple[int, ...]
    """The positions of the entries it was given."""
    kind: Literal["action_started"] = "action_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRetried:
    """A transient error; the action is tried again."""

    seq: int
    process_id: str
    call: int
    action: str
    attempt: int
    """The attempt that failed, counted from 1."""
    error: str
    wait: float
    """Seconds until the next attempt."""
    kind: Literal["action_retried"] = "action_retried"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionSucceeded:
    """An action finished and its outputs are on the board. Its text is the action's name."""

    seq: int
    process_id: str
    call: int
    action: str
    inputs: tuple[int, ...] = ()
    """The positions of the entries it was given."""
    outputs: tuple[Entry, ...] = ()
    hidden: tuple[int, ...] = ()
    """Positions of the entries that became invisible: consumed, cleared, or left behind by a state."""
    conditions: tuple[tuple[str, bool], ...] = ()
    """Free conditions it set."""
    cost: float = 0.0
    value: float = 0.0
    usage: Usage = NOTHING
    """All that was spent, its children included."""
    kind: Literal["action_succeeded"] = "action_succeeded"

    def __str__(self) -> str:
        return self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationFailed:
    """An action succeeded but did not bring about what was counted on."""

    seq: int
    process_id: str
    call: int
    action: str
    promises: tuple[str, ...] = ()
    """Conditions of its `post=` that do not hold."""
    assumptions: tuple[str, ...] = ()
    """Assumptions of the plan about it that proved wrong; it is not planned again while nothing else changes."""
    kind: Literal["expectation_failed"] = "expectation_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionFailed:
    """An action failed for good; the plan is made anew without it."""

    seq: int
    process_id: str
    call: int
    action: str
    error: str
    """The error's type and message."""
    excluded: bool = True
    usage: Usage = NOTHING
    kind: Literal["action_failed"] = "action_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplanRequested:
    """An action asked for another plan."""

    seq: int
    process_id: str
    call: int
    action: str
    reason: str
    bindings: tuple[Entry, ...] = ()
    usage: Usage = NOTHING
    kind: Literal["replan_requested"] = "replan_requested"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionReadmitted:
    """An action that was left out may be planned again."""

    seq: int
    process_id: str
    action: str
    kind: Literal["action_readmitted"] = "action_readmitted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessResumed:
    """A process that was stuck or terminated is run again."""

    seq: int
    process_id: str
    kind: Literal["process_resumed"] = "process_resumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnded:
    """The run came to an end, for now or for good."""

    seq: int
    process_id: str
    status: ProcessStatus
    reason: str
    """Why, in words."""
    goal: str | None = None
    """The goal that is met, when it completed."""
    error: str | None = None
    """The root cause, when it failed."""
    kind: Literal["process_ended"] = "process_ended"


Event: TypeAlias = Annotated[
    ProcessStarted
    | EntryAdded
    | EntriesHidden
    | ConditionChanged
    | PlanMade
    | ActionStarted
    | ActionRetried
    | ActionSucceeded
    | ExpectationFailed
    | ActionFailed
    | ReplanRequested
    | ActionReadmitted
    | ProcessResumed
    | ProcessEnded,
    Field(discriminator="kind"),
]
"""Everything that can happen in a run."""


class Listener(Protocol):
    """Anything that can be called with an event."""

    def __call__(self, event: Event, /) -> object:
        """Take note of an event. What it raises is logged and harms nobody."""
        ...


class Journal(Protocol):
    """Where the events of processes are kept, beside the memory of the process itself."""

    def append(self, event: Event, /) -> None:
        """Keep an event. It is called before the event takes effect."""
        ...


def event_to_dict(event: Any) -> dict[str, Any]:
    """Return an event as plain data for display; entries are shown by type, name, producer and value."""
    return {field.name: _plain(getattr(event, field.name)) for field in fields(event)}


def _plain(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    if isinstance(value, Entry):
        return {
            "position": value.position,
            "type": value.type_name,
            "name": value.name,
            "producer": value.producer,
            "value": _masked(to_jsonable_python(value.value, fallback=brief, inf_nan_mode="strings")),
        }
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return to_jsonable_python(value, fallback=brief)


def _masked(plain: Any) -> Any:
    """Hide what is secret by its name; what is secret by its type is hidden already."""
    if isinstance(plain, list):
        return [_masked(item) for item in plain]
    if isinstance(plain, dict):
        return {key: "***" if is_secret(str(key)) else _masked(item) for key, item in plain.items()}
    return plain
