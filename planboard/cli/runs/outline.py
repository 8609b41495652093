"""What a kept run has come to, in outline: all that can be told of it without its agent."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from planboard.actions.context import NOTHING, Usage
from planboard.blackboard.entry import Entry
from planboard.cli.runs.unread import Happened
from planboard.events import (
    ActionFailed,
    ActionStarted,
    ActionSucceeded,
    ActionSuspended,
    ArgumentsBuilt,
    CallRefused,
    EntriesHidden,
    EntryAdded,
    Event,
    ModelCalled,
    PlanMade,
    ProcessCreated,
    ProcessEnded,
    ProcessResumed,
    ProcessStarted,
    ProcessStatus,
    ProcessWaiting,
    ReplanRequested,
    RequestAnswered,
    RequestMade,
    RequestWithdrawn,
    SleepStarted,
)
from planboard.journal.port import RunInfo
from planboard.runtime.requests import Request


@dataclass(slots=True)
class Outline:
    """What the events of one run come to. The values of its entries are data, not objects."""

    run: RunInfo
    planner: str = ""
    """Its name; with its settings before the run has started."""
    status: ProcessStatus = ProcessStatus.NOT_STARTED
    reason: str = ""
    goal: str | None = None
    """The goal that is met, once it is."""
    error: str | None = None
    """The root cause, when it failed."""
    forked_from: str | None = None
    """The run it is a fork of, and the last event they share: `id@seq`."""
    returning: str | None = None
    """The type wanted, by name."""
    wakes_at: float | None = None
    """While it waits: when the next timer is due, in seconds since 1970."""
    plan: tuple[str, ...] = ()
    """The steps of the last plan that are not done."""
    history: list[ActionSucceeded] = field(default_factory=list)
    usage: Usage = NOTHING
    """What it has spent itself, and what children have that have ended; `with_children` adds the others."""
    requests: dict[int, Request] = field(default_factory=dict)
    """What is open, by the number of the call; `pending` has those that can still be answered."""
    under_way: set[int] = field(default_factory=set)
    """The numbers of the calls that have no result yet."""
    pending: tuple[Request, ...] = ()
    """What waits for an answer, here and in children."""
    children: "list[Outline]" = field(default_factory=list)
    """The runs that it has started, in order."""
    events: int = 0
    _entries: list[Entry] = field(default_factory=list)
    _hidden: set[int] = field(default_factory=set)

    @property
    def board(self) -> list[Entry]:
        """The visible entries."""
        return [entry for entry in self._entries if entry.position not in self._hidden]

    @property
    def spent(self) -> Usage:
        """What it and its children have spent so far."""
        total = self.usage
        for child in self.children:
            if any(child.run.id.startswith(f"{self.run.id}.{call}") for call in self.under_way):
                total += child.spent
        return total

    def follow(self, happened: Iterable[Happened]) -> "Outline":
        """Take note of events, in order, and return the outline itself."""
        for item in happened:
            self._take(item.event)
            self.events = item.event.seq
        return self

    def _take(self, event: Event) -> None:
        match event:
            case ProcessCreated():
                self.planner, self.forked_from, self.returning = event.planner, event.forked_from, event.returning
            case ProcessStarted():
                self.planner, self.status = event.planner, ProcessStatus.RUNNING
            case ProcessResumed():
                self.status, self.reason, self.goal, self.error = ProcessStatus.RUNNING, "", None, None
            case ProcessWaiting():
                self.status, self.reason, self.wakes_at = ProcessStatus.WAITING, event.reason, event.wakes_at
            case ProcessEnded():
                self.status, self.reason = event.status, event.reason
                self.goal, self.error, self.plan = event.goal, event.error, ()
            case PlanMade():
                self.plan = event.steps
            case EntryAdded():
                self._entries.append(event.entry)
            case ArgumentsBuilt():
                self._entries += event.entries
            case EntriesHidden():
                self._hidden.update(event.positions)
            case CallRefused():
                self._hidden.update(event.hidden)
            case ModelCalled():
                self.usage += event.usage if event.action is None else NOTHING
            case _:
                self._take_call(event)

    def _take_call(self, event: Event) -> None:
        match event:
            case ActionStarted():
                self.under_way.add(event.call)
            case ActionSucceeded():
                self._settle(event.call, event.usage)
                self.history.append(event)
                self._entries += event.outputs
                self._hidden.update(event.hidden)
                done = self.plan.index(event.action) if event.action in self.plan else None
                self.plan = self.plan if done is None else self.plan[:done] + self.plan[done + 1 :]
            case ActionFailed():
                self._settle(event.call, event.usage)
            case ReplanRequested():
                self._settle(event.call, event.usage)
                self._entries += event.bindings
            case ActionSuspended():
                self.usage += event.usage
            case RequestMade():
                self.requests[event.call] = Request.of(event)
                self.under_way.add(event.call)
            case SleepStarted():
                self.under_way.add(event.call)
            case RequestAnswered():
                self._answered(event)
            case RequestWithdrawn():
                self._settle(event.call, NOTHING)
            case _:
                pass

    def _answered(self, event: RequestAnswered) -> None:
        self.requests.pop(event.call, None)
        if self.status is ProcessStatus.WAITING:
            self.status, self.reason = ProcessStatus.RUNNING, ""
        if event.verdict in ("denied", "expired"):
            self.under_way.discard(event.call)
        self._entries += event.entries
        self._hidden.update(event.hidden)

    def _settle(self, call: int, usage: Usage) -> None:
        self.requests.pop(call, None)
        self.under_way.discard(call)
        self.usage += usage
