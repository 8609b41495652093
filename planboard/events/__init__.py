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
from planboard.events.waits import (
    ActionSuspended,
    BudgetReplaced,
    ProcessCreated,
    ProcessWaiting,
    RequestAnswered,
    RequestMade,
    RequestWithdrawn,
    SleepStarted,
)

__all__ = [
    "ActionFailed",
    "ActionReadmitted",
    "ActionRetried",
    "ActionStarted",
    "ActionSucceeded",
    "ActionSuspended",
    "ArgumentsBuilt",
    "BudgetReplaced",
    "CallRefused",
    "ConditionChanged",
    "ConditionJudged",
    "DecisionFailed",
    "DecisionMade",
    "EntriesHidden",
    "EntryAdded",
    "Event",
    "ExpectationFailed",
    "Listener",
    "ModelAsked",
    "ModelCalled",
    "PlanMade",
    "ProcessCreated",
    "ProcessEnded",
    "ProcessResumed",
    "ProcessStarted",
    "ProcessStatus",
    "ProcessWaiting",
    "ReplanRequested",
    "RequestAnswered",
    "RequestMade",
    "RequestWithdrawn",
    "SleepStarted",
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
    | ProcessCreated
    | BudgetReplaced
    | RequestMade
    | RequestAnswered
    | RequestWithdrawn
    | SleepStarted
    | ActionSuspended
    | ProcessWaiting
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
