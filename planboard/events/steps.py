"""What happens in every run: it starts, actions run, entries come and go, it ends."""

from dataclasses import dataclass
from typing import Literal

from planboard.actions.context import NOTHING, Usage
from planboard.blackboard.entry import Entry
from planboard.events.status import ProcessStatus

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
    label: str = ""
    """What a child is for among the children of its call, such as "item 3: tides"; may be empty."""
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
    tool_call: str | None = None
    """The call of a model that it answers; `None` when the planner chose it by itself."""
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
    entries: tuple[Entry, ...] = ()
    """What the planner may go on from: a `Denied`, if somebody did not agree to something that the action has run."""
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
