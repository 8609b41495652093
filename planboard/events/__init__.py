"""What happens in a run, as data: the typed events that a process is the fold of.

Every event has a sequence number, counted from 1 within its process. The state of a process is what its events make
of an empty one, nothing else; listeners, journals and `Process.stream` all see these same objects.
"""

from typing import Annotated, Protocol, TypeAlias

from pydantic import Field

from planboard.events.decisions import (
    ArgumentsBuilt,
    CallRefused,
    ConditionJudged,
    DecisionFailed,
    DecisionMade,
    ModelAsked,
    ModelCalled,
)
from planboard.events.display import event_to_dict
from planboard.events.status import ProcessStatus
from planboard.events.steps import (
    ActionFailed,
    ActionReadmitted,
    ActionRetried,
    ActionStarted,
    ActionSucceeded,
    ConditionChanged,
    EntriesHidden,
    EntryAdded,
    ExpectationFailed,
    PlanMade,
    ProcessEnded,
    ProcessResumed,
    ProcessStarted,
    ReplanRequested,
)

__all__ = [
    "ActionFailed",
    "ActionReadmitted",
    "ActionRetried",
    "ActionStarted",
    "ActionSucceeded",
    "ArgumentsBuilt",
    "CallRefused",
    "ConditionChanged",
    "ConditionJudged",
    "DecisionFailed",
    "DecisionMade",
    "EntriesHidden",
    "EntryAdded",
    "Event",
    "ExpectationFailed",
    "Journal",
    "Listener",
    "ModelAsked",
    "ModelCalled",
    "PlanMade",
    "ProcessEnded",
    "ProcessResumed",
    "ProcessStarted",
    "ProcessStatus",
    "ReplanRequested",
    "event_to_dict",
]

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
    | ModelAsked
    | DecisionMade
    | DecisionFailed
    | CallRefused
    | ArgumentsBuilt
    | ModelCalled
    | ConditionJudged
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
