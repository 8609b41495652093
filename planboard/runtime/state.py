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
    ArgumentsBuilt,
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
    ProcessEnded,
    ProcessResumed,
    ProcessStarted,
    ProcessStatus,
    ReplanRequested,
)
from planboard.llm.showing import as_data
from planboard.planners.compile import Compilation
from planboard.planners.conversation import Conversation, Fate
from planboard.planners.world import Bits, World

_TOLD = 800
"""How many characters a model is told of what came of a call."""


class ProcessState:
    """What the events so far make of an empty process."""

    __slots__ = (
        "_pending",
        "asked_replan",
        "board",
        "calls",
        "excluded",
        "expectations",
        "goal",
        "history",
        "reason",
        "status",
        "stubborn", "touched",
        "usage",
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
        self._pending: dict[int, ActionStarted] = {}

    def apply(self, event: Event) -> None:  # noqa: C901, PLR0912, PLR0915 - one branch for each kind of event
        """Make of the state what the event says. The event is a fact; nothing is decided here."""
        match event:
            case ActionStarted():
                self.calls = event.call
                self._pending[event.call] = event
                if event.tool_call is not None:
                    self.conversation.started(event.tool_call, event.action, event.inputs)
            case ActionSucceeded():
                self._succeeded(event)
            case PlanMade() | ActionRetried():
                pass  # facts for the record, with no effect of their own
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

    def _settle(self, call: int, fate: Fate, result: str, entries: tuple[Entry, ...] = ()) -> None:
        """Take an action off the pending ones, and tell the model that called it, if one did, what came of it."""
        started = self._pending.pop(call)
        if started.tool_call is not None:
            positions = tuple(entry.position for entry in entries)
            self.conversation.ended(started.tool_call, fate, result, positions)

    def _succeeded(self, event: ActionSucceeded) -> None:
        if self.world.conversation is None:
            del self._pending[event.call]
        else:
            self._settle(event.call, "done", _told(event.outputs), event.outputs)
            self.world.conversation.ran(event.action, event.inputs)
        action = self.world.compilation.catalogue.actions[event.action]
        world = self.world
        world.ran(action, event.inputs)
        if action.clear_board:
            world.forgot()
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
