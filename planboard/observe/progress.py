"""What a run is doing, in words: events become lines of text, and a summary of where the run stands.

Nothing here knows a terminal, so every word can be tested as text. `Progress` is told each event once, in order; what
it hands out as a `Standing` never changes afterwards, so another thread may draw it.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from planboard.blackboard.entry import Entry
from planboard.events import (
    ActionFailed,
    ActionReadmitted,
    ActionRetried,
    ActionStarted,
    ActionSucceeded,
    ActionSuspended,
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
from planboard.observe.waiting import waiting_words
from planboard.planners.operator import NIRVANA

_LINE = 200
"""Characters of a text from outside that are shown on a line."""
_NAMES = 6
"""Entries, or steps of a plan, that are shown by name."""
_BEFORE_THE_BEGINNING = (ProcessCreated, EntryAdded, EntriesHidden, ConditionChanged)
"""What happens to a process before it is run."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands, at one moment."""

    agent: str = ""
    planner: str = ""
    tick: int = 0
    """How many times actions were started."""
    running: tuple[str, ...] = ()
    """The actions that run now, those of children included."""
    remaining: tuple[str, ...] = ()
    """The steps of the plan that are not done, without those that run."""
    actions: int = 0
    """How many actions have succeeded."""
    cost: float = 0.0
    """What was spent, children included."""
    status: ProcessStatus = ProcessStatus.NOT_STARTED

    def lines(self) -> list[str]:
        """Return the summary, one to three lines of it."""
        lines = [f"{self.agent} · {self.planner} · tick {self.tick} · cost {amount(self.cost)}"]
        if self.running:
            lines.append(f"  now:  {', '.join(self.running)}")
        if self.remaining:
            lines.append(f"  then: {sequence(self.remaining)}")
        return lines


@dataclass(slots=True)
class _Run:
    """What must be remembered of one process to tell the next event."""

    depth: int = 0
    label: str = ""
    """What it is for among the children of its call."""
    started: bool = False
    waiting: list[str] = field(default_factory=list)
    """What was put on the board before it started, in words."""
    labels: list[str] = field(default_factory=list)
    """The entries so far, by position."""
    actions: int = 0
    cost: float = 0.0


class Progress:
    """Follows a run and its children, and puts each event into words."""

    def __init__(self) -> None:
        self.standing = Standing()
        """Where the outermost process stands now."""
        self._root = ""
        self._runs: dict[str, _Run] = {}
        self._running: dict[tuple[str, int], str] = {}
        self._starting = False

    def tell(self, event: Event) -> list[str]:
        """Take note of an event and return the lines that tell it.

        Inputs are on the board before the run begins; they are told after its beginning.
        """
        run = self._runs.setdefault(event.process_id, _Run())
        words = self._take(event, run)
        if not run.started and isinstance(event, _BEFORE_THE_BEGINNING):
            run.waiting.append(words)
            return []
        run.started = True
        told, run.waiting = [words, *run.waiting], []
        return ["  " * run.depth + line for line in told]

    def line(self, event: Event) -> str:
        """Take note of an event and return the one line that tells it, in the place where it happened."""
        run = self._runs.setdefault(event.process_id, _Run())
        run.started = True
        return self._take(event, run)

    def _take(self, event: Event, run: _Run) -> str:
        if isinstance(event, ProcessStarted):
            self._begin(event, run)
        words = one_line(self._words(event, run), None if isinstance(event, ProcessEnded) else _LINE)
        self._follow(event, run)
        return words

    def _begin(self, event: ProcessStarted, run: _Run) -> None:
        parent = self._runs.get(event.parent_id or "")
        run.depth = parent.depth + 1 if parent else 0
        run.label = event.label
        if parent is None:
            self._root = event.process_id
            self._running.clear()
            self.standing = Standing(event.agent, event.planner)

    def _words(self, event: Event, run: _Run) -> str:
        match event:
            case ActionSucceeded():
                run.labels.extend(str(entry) for entry in event.outputs)
                return f"✓ {event.action}{_listed_after(': ', self._changes(event, run))} (cost {amount(event.cost)})"
            case EntryAdded():
                run.labels.append(str(event.entry))
                return f"+ {event.entry} (input)"
            case EntriesHidden():
                return f"- {_names(self._labels(event.positions, run))}"
            case ArgumentsBuilt():
                run.labels.extend(str(entry) for entry in event.entries)
                return f"+ {_names([str(entry) for entry in event.entries])} (built by the model for {event.action})"
            case ReplanRequested():
                run.labels.extend(str(entry) for entry in event.bindings)
                added = _listed_after("; ", _added(event.bindings))
                return f"↻ {event.action} asks for another plan{_listed_after(': ', [event.reason])}{added}"
            case RequestAnswered():
                run.labels.extend(str(entry) for entry in event.entries)
                return waiting_words(event) + _listed_after(": ", _added(event.entries))
            case ProcessEnded():
                return _ending(event.status, event.reason, run)
            case ProcessWaiting():
                return _ending(ProcessStatus.WAITING, event.reason, run)
            case _:
                return _plain_words(event)

    def _changes(self, event: ActionSucceeded, run: _Run) -> list[str]:
        changes = _added(event.outputs)
        if event.hidden:
            changes.append(f"- {_names(self._labels(event.hidden, run))}")
        changes += [f"{name} is {value}" for name, value in event.conditions]
        return changes

    @staticmethod
    def _labels(positions: tuple[int, ...], run: _Run) -> list[str]:
        return [run.labels[at] if at < len(run.labels) else f"entry {at}" for at in positions]

    def _follow(self, event: Event, run: _Run) -> None:
        """Bring the standing up to date."""
        is_root = event.process_id == self._root
        standing = self.standing
        if is_root and isinstance(event, ActionStarted) and not self._starting:
            standing = replace(standing, tick=standing.tick + 1)
        if is_root:
            self._starting = isinstance(event, ActionStarted)
        match event:
            case ActionStarted():
                self._running[event.process_id, event.call] = event.action
                if is_root:
                    standing = replace(standing, remaining=_without(standing.remaining, event.action))
            case ModelAsked() if is_root:
                standing = replace(standing, remaining=())
            case ActionSucceeded() | ActionFailed() | ReplanRequested() | ActionSuspended():
                self._running.pop((event.process_id, event.call), None)
                run.actions += isinstance(event, ActionSucceeded)
                run.cost += event.usage.cost
                if is_root:
                    standing = replace(standing, actions=run.actions, cost=run.cost)
            case PlanMade() if is_root:
                standing = replace(standing, remaining=event.steps)
            case ProcessEnded():
                self._running = {key: name for key, name in self._running.items() if key[0] != event.process_id}
            case _:
                pass
        if is_root:
            standing = _with_status(standing, event)
        self.standing = replace(standing, running=tuple(self._running.values()))

    @property
    def ended(self) -> bool:
        """Whether the outermost process has come to an end, for now or for good."""
        return self.standing.status not in (ProcessStatus.NOT_STARTED, ProcessStatus.RUNNING)


def _with_status(standing: Standing, event: Event) -> Standing:
    match event:
        case ProcessStarted() | ProcessResumed() | RequestAnswered():
            return replace(standing, status=ProcessStatus.RUNNING)
        case ProcessWaiting():
            return replace(standing, status=ProcessStatus.WAITING, remaining=())
        case ProcessEnded():
            return replace(standing, status=event.status, remaining=())
        case _:
            return standing


def _plain_words(event: Any) -> str:  # noqa: PLR0911 - one for each kind
    """Tell an event that needs no knowledge of those before it."""
    match event:
        case ProcessStarted():
            goals = f", for {_names(list(event.goals))}" if event.goals else ""
            label = f" ({event.label})" if event.label else ""
            return f"{event.agent}{label} starts with {event.planner}{goals}"
        case PlanMade():
            assuming = f", assuming {', '.join(event.assumptions)}" if event.assumptions else ""
            aim = "best now" if event.goal == NIRVANA.name else f"plan for {event.goal}"
            return f"{aim}: {sequence(event.steps)} (cost {amount(event.cost)}){assuming}"
        case ActionStarted():
            return f"> {event.action}"
        case ActionRetried():
            return f"↻ {event.action}: attempt {event.attempt} failed, again in {amount(event.wait)} s: {event.error}"
        case ActionFailed():
            return f"✗ {event.action} failed: {event.error}"
        case ActionReadmitted():
            return f"{event.action} may be planned again"
        case ExpectationFailed():
            missed = ", ".join((*event.promises, *event.assumptions))
            return f"! {event.action} did not bring about {missed}"
        case ConditionChanged():
            return f"{event.name} is {event.value}"
        case ProcessResumed():
            return "resumed"
        case ProcessCreated() | RequestMade() | RequestWithdrawn() | SleepStarted() | ActionSuspended():
            return waiting_words(event)
        case ModelAsked() | DecisionMade() | DecisionFailed() | CallRefused() | ModelCalled() | ConditionJudged():
            return _words_of_model(event)
        case _:
            return str(getattr(event, "kind", type(event).__name__)).replace("_", " ")


def _ending(status: ProcessStatus, reason: str, run: _Run) -> str:
    label = f"{run.label}, " if run.label else ""
    done = f"{label}{run.actions} action{'' if run.actions == 1 else 's'}, cost {amount(run.cost)}"
    headline = reason.partition("\n")[0]
    return f"{status.lower()} ({done}): {headline}"


def _words_of_model(
    event: ModelAsked | DecisionMade | DecisionFailed | CallRefused | ModelCalled | ConditionJudged,
) -> str:
    match event:
        case ModelAsked():
            return f"? {event.model} chooses among {_names(list(event.tools))} ({event.characters} characters)"
        case DecisionMade():
            calls = _names([call.name for call in event.calls])
            return f"! it calls {calls}" if calls else f"! it calls nothing and says: {event.text}"
        case DecisionFailed():
            return f"✗ the model did not answer: {event.error}"
        case CallRefused():
            return f"✗ call of {event.tool} refused: {event.reason}"
        case ModelCalled():
            what = event.action or event.condition or f"decision {event.decision}"
            return f"· {event.model} for {what}: {event.prompt_tokens} + {event.completion_tokens} tokens"
        case ConditionJudged():
            return f"{event.condition} is {event.value}"


def _added(entries: tuple[Entry, ...]) -> list[str]:
    return [f"+ {_names([str(entry) for entry in entries])}"] if entries else []


def _without(steps: tuple[str, ...], step: str) -> tuple[str, ...]:
    if step not in steps:
        return steps
    position = steps.index(step)
    return steps[:position] + steps[position + 1 :]


def _listed_after(separator: str, items: list[str]) -> str:
    shown = ", ".join(item for item in items if item)
    return f"{separator}{shown}" if shown else ""


def _names(names: list[str]) -> str:
    more = len(names) - _NAMES
    return ", ".join(names[:_NAMES]) + (f" and {more} more" if more > 0 else "")


def sequence(steps: tuple[str, ...]) -> str:
    """Return steps in a row: "research → write"; a long plan is cut."""
    more = len(steps) - _NAMES
    return " → ".join(steps[:_NAMES]) + (f" → … {more} more" if more > 0 else "") or "nothing to do"


def amount(number: float) -> str:
    """Return a number as a person writes it: "0.5", "3"."""
    return f"{number:.6g}"


def one_line(text: str, limit: int | None = _LINE) -> str:
    """Return a text on one line, without control characters, cut to a readable length or to none."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if limit is None or len(line) <= limit else f"{line[: limit - 1]}…"
