"""The state of a process: the fold over its events, and nothing else."""

from collections.abc import Iterable
from typing import Any

from planboard.actions.context import NOTHING, Usage
from planboard.blackboard.board import Blackboard
from planboard.blackboard.changes import ConditionSet, Hidden
from planboard.blackboard.entry import Entry
from planboard.events import (
    ActionFailed,
    ActionReadmitted,
    ActionRetried,
    ActionStarted,
    ActionSucceeded,
    ActionSuspended,
    ArgumentsBuilt,
    BudgetReplaced,
    CallRefused,
    ConditionChanged,
    ConditionJudged,
    DecisionFailed,
    DecisionMade,
    EntriesHidden,
    EntryAdded,
    Event,
    ExpectationFailed,
    ModelAsked,
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
from planboard.llm.showing import as_data
from planboard.planners.compile import Compilation
from planboard.planners.conversation import Conversation, Fate
from planboard.planners.world import Bits, World
from planboard.runtime.open_calls import OpenCall

_TOLD = 800
"""How many characters a model is told of what came of a call."""


class ProcessState:
    """What the events so far make of an empty process."""

    __slots__ = (
        "answered",
        "asked_replan",
        "board",
        "calls",
        "excluded",
        "expectations",
        "goal",
        "history",
        "open",
        "reason",
        "status",
        "stubborn", "touched",
        "usage",
        "wakes_at",
        "world",
    )  # fmt: skip

    def __init__(
        self,
        compilation: Compilation,
        bits: Bits,
        *,
        greedy: bool,
        services: tuple[object, ...] = (),
        recorder: Any = None,
    ) -> None:
        self.board = Blackboard(matcher=compilation.catalogue.matcher, recorder=recorder)
        self.world = World(compilation, bits, self.board, greedy=greedy, services=services)
        self.status = ProcessStatus.NOT_STARTED
        self.history: list[ActionSucceeded] = []
        """The actions that succeeded, in order."""
        self.usage: Usage = NOTHING
        self.calls = 0
        self.excluded: dict[str, str] = {}
        """The actions that failed, with the error."""
        self.asked_replan: dict[str, None] = {}
        """The actions that are left out because they asked for another plan."""
        self.stubborn = 0
        """How often in a row another plan was asked for without an action succeeding."""
        self.expectations: list[ExpectationFailed] = []
        self.touched = False
        """Whether something came from outside since the process last ended."""
        self.reason = ""
        self.goal: str | None = None
        self.open: dict[int, OpenCall] = {}
        """The calls that have no result yet, by number."""
        self.answered: dict[str, str] = {}
        """What was decided about each request, by id."""
        self.wakes_at: float | None = None
        """While it waits: when the next timer is due."""

    def apply(self, event: Event) -> None:  # noqa: C901, PLR0912, PLR0915 - one branch for each kind of event
        """Make of the state what the event says. The event is a fact; nothing is decided here."""
        match event:
            case ActionStarted():
                if event.call > self.calls:
                    self.calls = event.call
                    self.open[event.call] = OpenCall(event.call, event.action, event.inputs, event.tool_call)
                else:  # it was asked about, was suspended, or is run again
                    self.open[event.call].phase = "running"
                    self.open[event.call].given = event.inputs
                self.open[event.call].started = True
                if event.tool_call is not None:
                    self.conversation.started(event.tool_call, event.action, event.inputs)
            case ActionSucceeded():
                self._succeeded(event)
            case PlanMade() | ProcessCreated() | BudgetReplaced():
                pass  # facts for the record, with no effect of their own
            case ActionRetried():
                self.open[event.call].attempt = event.attempt + 1
            case RequestMade() | RequestAnswered() | RequestWithdrawn() | SleepStarted() | ActionSuspended():
                self._wait_or_go_on(event)
            case ModelAsked() | DecisionMade() | DecisionFailed() | CallRefused() | ArgumentsBuilt() | ModelCalled():
                self._follow_model(event)
            case ConditionJudged():
                self.world.judged(event.condition, event.inputs, event.value)
            case EntryAdded():
                self._add((event.entry,))
                self.touched = True
            case EntriesHidden():
                self._hide(event.positions)
                self.touched = True
            case ConditionChanged():
                self._set(((event.name, event.value),))
                self.touched = True
            case ActionFailed():
                self._failed(event)
            case ReplanRequested():
                self._asked_for_another_plan(event)
            case ActionReadmitted():
                self.asked_replan.pop(event.action, None)
                self.world.readmit(event.action)
            case ExpectationFailed():
                self.expectations.append(event)
                self._disappointed(event)
            case ProcessStarted() | ProcessResumed():
                self.status = ProcessStatus.RUNNING
                self.reason = ""
                if self.world.conversation is not None:
                    self.world.conversation.resumed()
            case ProcessWaiting():
                self.status, self.reason, self.wakes_at = ProcessStatus.WAITING, event.reason, event.wakes_at
                self.touched = False
            case ProcessEnded():
                self.status, self.reason, self.goal = event.status, event.reason, event.goal
                self.touched = False

    def replay(self, events: Iterable[Event]) -> "ProcessState":
        """Apply events in order and return the state itself."""
        for event in events:
            self.apply(event)
        return self

    @property
    def conversation(self) -> Conversation:
        """What a model was asked and answered."""
        if self.world.conversation is None:
            self.world.conversation = Conversation()
        return self.world.conversation

    def _follow_model(
        self, event: ModelAsked | DecisionMade | DecisionFailed | CallRefused | ArgumentsBuilt | ModelCalled
    ) -> None:
        match event:
            case ModelAsked():
                self.conversation.asked(event.decision, event.prompt, event.seen)
            case DecisionMade():
                self.conversation.decided(event.text, event.calls)
            case DecisionFailed():
                self.conversation.failed()
            case CallRefused():
                if event.hidden:
                    self._hide(event.hidden)
                self.conversation.ended(event.tool_call, "refused", event.reason)
            case ArgumentsBuilt():
                self._add(event.entries)
                self.conversation.built(event.tool_call, tuple(entry.position for entry in event.entries))
            case ModelCalled():
                if event.action is None:  # what an action's models took is part of what the action took
                    self.usage += event.usage

    def _wait_or_go_on(
        self, event: RequestMade | RequestAnswered | RequestWithdrawn | SleepStarted | ActionSuspended
    ) -> None:
        match event:
            case RequestMade() | SleepStarted():
                self._begin_to_wait(event)
            case RequestAnswered():
                self._decided(event)
            case RequestWithdrawn():
                self._settle(event.call, "refused", "not run, for the run has ended")
                self.usage += event.usage
            case ActionSuspended():
                self.open[event.call].phase = "suspended"
                self.usage += event.usage

    def _begin_to_wait(self, event: RequestMade | SleepStarted) -> None:
        call = self.open.get(event.call)
        if call is None:
            self.calls = max(self.calls, event.call)
            call = self.open[event.call] = OpenCall(event.call, event.action, event.inputs, event.tool_call)
            if event.tool_call is not None:
                self.conversation.waits(event.tool_call, event.action, event.inputs)
        if isinstance(event, SleepStarted):
            call.phase, call.until = "asleep", event.until
        else:
            call.phase, call.request, call.until = "asked", event, event.expires_at

    def _decided(self, event: RequestAnswered) -> None:
        call = self.open[event.call]
        if call.request is not None:
            self.answered[call.request.id] = event.verdict
        call.until = None
        self.usage += event.usage
        if self.status is ProcessStatus.WAITING:
            self.status, self.reason = ProcessStatus.RUNNING, ""
        if event.hidden:
            self._hide(event.hidden)
        if event.verdict in ("approved", "edited"):
            call.phase, call.consented = "released", True
            call.changed = {**call.changed, **dict(event.arguments)}
        elif event.verdict in ("denied", "expired"):
            why = f": {as_data(event.reason, _TOLD)}" if event.reason else ""
            self._settle(event.call, "denied", f"not run, it was {event.verdict}{why}")
            for inputs in {call.inputs, call.given or call.inputs}:
                self.world.deny(event.action, inputs)
        self._add(event.entries)

    def _settle(self, call: int, fate: Fate, result: str, entries: tuple[Entry, ...] = ()) -> None:
        """Take an action off the pending ones, and tell the model that called it, if one did, what came of it."""
        started = self.open.pop(call, None)
        if started is not None and started.tool_call is not None:
            positions = tuple(entry.position for entry in entries)
            self.conversation.ended(started.tool_call, fate, result, positions)

    def _succeeded(self, event: ActionSucceeded) -> None:
        first = self.open[event.call].inputs
        if self.world.conversation is None:
            del self.open[event.call]
        else:
            self._settle(event.call, "done", _told(event.outputs), event.outputs)
            self.world.conversation.ran(event.action, event.inputs)
        action = self.world.compilation.catalogue.actions.get(event.action)
        if action is not None:  # it is gone when a run is taken up with a changed agent, if that is allowed
            if first != event.inputs:  # a person has changed them: what it was asked about is done too
                self.world.ran(action, first)
            self.world.ran(action, event.inputs)
            if action.clear_board:
                self.world.forgot()
        if event.hidden:
            self._hide(event.hidden)
        self._add(event.outputs)
        if event.conditions:
            self._set(event.conditions)
        self.usage += event.usage
        self.history.append(event)
        self.stubborn = 0

    def _failed(self, event: ActionFailed) -> None:
        self._settle(event.call, "failed", f"failed: {as_data(event.error, _TOLD)}")
        self.usage += event.usage
        if event.excluded:
            self.excluded[event.action] = event.error
            self.world.exclude(event.action)
        self._add(event.entries)

    def _asked_for_another_plan(self, event: ReplanRequested) -> None:
        self._settle(event.call, "failed", f"asked for another plan: {as_data(event.reason, _TOLD)}", event.bindings)
        self.usage += event.usage
        self._add(event.bindings)
        self.stubborn += 1
        self.asked_replan[event.action] = None
        self.world.exclude(event.action)

    def _disappointed(self, event: ExpectationFailed) -> None:
        if event.assumptions:
            run = next(run for run in reversed(self.history) if run.call == event.call)
            self.world.disappointed(self.world.compilation.catalogue.actions[event.action], run.inputs)

    def _add(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.board.append(entry)
            self.world.added(entry)

    def _hide(self, positions: tuple[int, ...]) -> None:
        change = Hidden(positions)
        self.board.apply(change)
        self.world.follow(change)

    def _set(self, conditions: Iterable[tuple[str, bool]]) -> None:
        for name, value in conditions:
            change = ConditionSet(name, value)
            self.board.apply(change)
            self.world.follow(change)


def _told(outputs: tuple[Entry, ...]) -> str:
    """Say what came of a call, for the model that called: the outputs, as data."""
    if not outputs:
        return "done"
    return "\n".join(f"{entry}: {as_data(entry.value, _TOLD // len(outputs))}" for entry in outputs)


def fold(compilation: Compilation, bits: Bits, events: Iterable[Event], *, greedy: bool) -> ProcessState:
    """Return the state that a process with these events is in."""
    return ProcessState(compilation, bits, greedy=greedy).replay(events)
