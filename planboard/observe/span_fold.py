"""From the events of one process to its spans. Times are noted beside the events, which have none."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from planboard._text import without_secrets
from planboard.actions.context import NOTHING, Usage
from planboard.blackboard.entry import Entry
from planboard.events import (
    ActionFailed,
    ActionReadmitted,
    ActionRetried,
    ActionStarted,
    ActionSucceeded,
    ActionSuspended,
    BudgetReplaced,
    CallRefused,
    ConditionJudged,
    DecisionFailed,
    DecisionMade,
    Event,
    ExpectationFailed,
    ModelAsked,
    ModelCalled,
    PlanMade,
    ProcessCreated,
    ProcessEnded,
    ProcessResumed,
    ProcessStarted,
    ProcessWaiting,
    ReplanRequested,
    RequestAnswered,
    RequestMade,
    RequestWithdrawn,
    SleepStarted,
)
from planboard.observe.spans import Attribute, Mark, Span, SpanKind, span_id_of
from planboard.types import type_name

_GIVEN_UP = "Cancelled: "
"""How the error of a call begins that was stopped from outside; see `runtime.results`."""


@dataclass(slots=True)
class _Draft:
    """A span while it is being made."""

    kind: SpanKind
    name: str
    key: tuple[str | int, ...]
    """What it stands for within its process."""
    started: float | None = None
    ended: float | None = None
    status: str = "running"
    attributes: dict[str, Attribute] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    usage: Usage = NOTHING
    """What was spent in it, and, once it is settled, in agents that it ran."""
    uncounted: Usage = NOTHING
    """What models took for it that is part of the usage which is told next."""
    settled: bool = False
    waits: "list[_Draft]" = field(default_factory=list)
    models: "list[_Draft]" = field(default_factory=list)

    def end(self, status: str, at: float | None, **attributes: Attribute) -> None:
        self.status, self.ended = status, at
        self.attributes.update(attributes)

    def spend(self, usage: Usage) -> None:
        self.usage += usage - self.uncounted
        self.uncounted = NOTHING


class ProcessFold:
    """What the events of one process make of its span, and of those that began in it.

    Args:
        process_id: The process.
    """

    def __init__(self, process_id: str) -> None:
        self.process_id = process_id
        self.parent_id: str | None = None
        """The process that started it, as far as it is known."""
        self.seq = 0
        """The number of the last event."""
        self.missed = False
        """Whether events are missing before the last one."""
        self._span = _Draft("agent", process_id, (), status="not_started")
        self._calls: dict[int, _Draft] = {}
        self._decisions: dict[int, _Draft] = {}
        self._tool_calls: dict[str, int] = {}
        self._inside: list[_Draft] = []
        """What began in it, in order: calls, decisions, and what conditions asked of models."""

    def take(self, event: Event, at: float | None = None) -> None:
        """Take note of the next event; one that is known is passed over.

        Args:
            event: What happened.
            at: When, in seconds since 1970.
        """
        if event.seq <= self.seq:
            return
        self.missed = self.missed or event.seq != self.seq + 1
        self.seq = event.seq
        match event:
            case ActionStarted() | ActionRetried() | ActionSuspended() | RequestMade() | SleepStarted():
                self._follow_call(event, at)
            case ActionSucceeded() | ActionFailed() | ReplanRequested() | RequestAnswered() | RequestWithdrawn():
                self._settle_call(event, at)
            case ModelAsked() | DecisionMade() | DecisionFailed() | CallRefused() | ModelCalled() | ConditionJudged():
                self._follow_model(event, at)
            case _:
                self._follow_process(event, at)

    # The process

    def _follow_process(self, event: Event, at: float | None) -> None:
        span = self._span
        match event:
            case ProcessCreated():
                span.name, self.parent_id = event.agent, event.parent_id
                if event.forked_from is not None:
                    span.attributes["forked_from"] = event.forked_from
            case ProcessStarted():
                span.name, self.parent_id = event.agent, event.parent_id
                label: dict[str, Attribute] = {"label": event.label} if event.label else {}
                span.attributes.update(label, planner=event.planner, goals=event.goals)
                span.started, span.status = at, "running"
            case ProcessWaiting():
                span.status = "waiting"
            case ProcessResumed():
                if span.status != "waiting":
                    why = span.attributes.pop("error", "") or span.attributes.get("reason", "")
                    span.marks.append(Mark("stopped", span.ended, {"status": span.status, "reason": why}))
                    span.marks.append(Mark("resumed", at))
                span.attributes.pop("reason", None)
                span.attributes.pop("goal", None)
                span.status, span.ended = "running", None
            case ProcessEnded():
                told = {"reason": event.reason, "goal": event.goal, "error": event.error}
                span.end(event.status.lower(), at, **{name: value for name, value in told.items() if value is not None})
            case PlanMade():
                about: dict[str, Attribute] = {"goal": event.goal, "steps": event.steps, "cost": event.cost}
                self._mark("plan", at, **about, **({"assumptions": event.assumptions} if event.assumptions else {}))
            case ActionReadmitted():
                self._mark("readmitted", at, action=event.action)
            case ExpectationFailed():
                unmet = (*event.promises, *event.assumptions)
                self._call(event.call, event.action, at).marks.append(Mark("unmet", at, {"conditions": unmet}))
            case BudgetReplaced():
                limits = {name: value for name, value in event.budget.items() if value is not None}
                self._mark("budget", at, **limits)
            case _:
                pass  # what comes to the board from outside is no piece of work

    def _mark(self, name: str, at: float | None, **attributes: Attribute) -> None:
        self._span.marks.append(Mark(name, at, attributes))

    # Calls

    def _call(self, number: int, action: str, at: float | None) -> _Draft:
        """Return the span of a call; it begins now unless it is known."""
        call = self._calls.get(number)
        if call is None:
            call = self._calls[number] = _Draft("action", action, ("call", number), at, attributes={"call": number})
            self._inside.append(call)
        return call

    def _follow_call(
        self, event: ActionStarted | ActionRetried | ActionSuspended | RequestMade | SleepStarted, at: float | None
    ) -> None:
        call = self._call(event.call, event.action, at)
        match event:
            case ActionStarted():
                if "executed" in call.attributes:
                    call.marks.append(Mark("resumed", at))
                call.status = "running"
                call.attributes["executed"] = True
                if event.tool_call is not None:
                    self._ask_for(call, event.tool_call)
            case ActionRetried():
                told: dict[str, Attribute] = {"attempt": event.attempt, "error": event.error, "wait": event.wait}
                call.marks.append(Mark("retry", at, told))
                call.attributes["attempts"] = event.attempt + 1
            case ActionSuspended():
                call.spend(event.usage)
                call.status = "waiting"
                call.marks.append(Mark("suspended", at))
            case RequestMade():
                about: dict[str, Attribute] = {
                    "request": event.id,
                    "purpose": event.purpose,
                    "prompt": without_secrets(event.prompt),
                }
                if event.expires_at is not None:
                    about["expires_at"] = event.expires_at
                self._wait(call, _Draft("request", event.action, ("request", event.call, event.nth), at, None,
                                        "waiting", about))  # fmt: skip
                if event.tool_call is not None:
                    self._ask_for(call, event.tool_call)
            case SleepStarted():
                self._wait(call, _Draft("sleep", event.action, ("sleep", event.call), at, None, "waiting",
                                        {"until": event.until}))  # fmt: skip
                if event.tool_call is not None:
                    self._ask_for(call, event.tool_call)

    @staticmethod
    def _wait(call: _Draft, wait: _Draft) -> None:
        call.status = "waiting"
        call.waits.append(wait)

    def _ask_for(self, call: _Draft, tool_call: str) -> None:
        call.attributes["tool_call"] = tool_call

    def _settle_call(
        self,
        event: ActionSucceeded | ActionFailed | ReplanRequested | RequestAnswered | RequestWithdrawn,
        at: float | None,
    ) -> None:
        call = self._call(event.call, event.action, at)
        call.spend(event.usage)
        match event:
            case ActionSucceeded():
                self._end_wait(call, "completed", at)
                call.attributes["outputs"] = _types(event.outputs)
                call.end("completed", at)
            case ActionFailed():
                given_up = not event.excluded and event.error.startswith(_GIVEN_UP)
                call.end("cancelled" if given_up else "failed", at, error=event.error)
            case ReplanRequested():
                call.end("replanned", at, reason=event.reason)
                self._mark("replan", at, action=event.action, reason=event.reason)
            case RequestAnswered():
                self._end_wait(call, event.verdict, at, by=event.by, reason=event.reason)
                if self._span.status == "waiting":
                    self._span.status = "running"
                if event.verdict not in ("denied", "expired"):
                    call.status = "running"
                    return
                call.attributes.setdefault("executed", False)
                call.end(event.verdict, at, **({"reason": event.reason} if event.reason else {}))
            case RequestWithdrawn():
                self._end_wait(call, "withdrawn", at)
                call.attributes.setdefault("executed", False)
                call.end("withdrawn", at)
        call.settled = True

    @staticmethod
    def _end_wait(call: _Draft, status: str, at: float | None, **attributes: str) -> None:
        """End what a call waits for, if it waits; a sleep ends with its call."""
        if call.waits and call.waits[-1].status == "waiting":
            call.waits[-1].end(status, at, **{name: value for name, value in attributes.items() if value})

    # Models

    def _follow_model(
        self,
        event: ModelAsked | DecisionMade | DecisionFailed | CallRefused | ModelCalled | ConditionJudged,
        at: float | None,
    ) -> None:
        match event:
            case ModelAsked():
                asked = self._decision(event.decision, at)
                asked.name = event.model or asked.name
                asked.attributes.update(goal=event.goal, tools=event.tools, characters=event.characters)
            case DecisionMade():
                calls = tuple(call.name for call in event.calls)
                self._tool_calls.update((call.id, event.decision) for call in event.calls)
                self._decision(event.decision, at).end("completed", at, calls=calls)
            case DecisionFailed():
                given_up = event.error.startswith((_GIVEN_UP, "Interrupted: "))
                asked = self._decision(event.decision, at)
                asked.end("cancelled" if given_up else "failed", at, error=event.error)
            case CallRefused():
                number = self._tool_calls.get(event.tool_call)
                told: dict[str, Attribute] = {"tool_call": event.tool_call, "tool": event.tool, "reason": event.reason}
                span = self._span if number is None else self._decisions[number]
                span.marks.append(Mark("refused", at, told))
            case ModelCalled():
                self._pay(event, at)
            case ConditionJudged():
                self._mark("condition", at, condition=event.condition, value=event.value)

    def _decision(self, number: int, at: float | None) -> _Draft:
        found = self._decisions.get(number)
        if found is None:
            found = _Draft("model", "model", ("decision", number), at, attributes={"decision": number})
            self._decisions[number] = found
            self._inside.append(found)
        return found

    def _pay(self, event: ModelCalled, at: float | None) -> None:
        if event.decision is not None:
            asked = self._decision(event.decision, at)
            asked.name = event.model or asked.name
            asked.usage += event.usage
            _count(asked, event)
            return
        asked = _Draft("model", event.model, (), at, at, "completed")
        asked.usage = event.usage
        _count(asked, event)
        if event.call is not None:
            call = self._call(event.call, event.action or "", at)
            asked.key = ("model", event.call, len(call.models) + 1)
            call.models.append(asked)
            call.uncounted += event.usage
        else:
            earlier = sum(draft.key[0] == "condition" for draft in self._inside)
            asked.key = ("condition", earlier + 1)
            asked.attributes["condition"] = event.condition or ""
            self._inside.append(asked)

    # The outcome

    def span(self, trace_id: str, parent_id: str | None, agents: Mapping[int, "list[Span]"]) -> Span:
        """Return the span of the process, with all that is in it.

        Args:
            trace_id: The trace it is part of.
            parent_id: The span it is in.
            agents: The spans of the processes that it started, by the number of the call that did.
        """
        mine = span_id_of(self.process_id)
        inside = [
            self._finished(draft, trace_id, mine, agents.get(int(draft.key[1]), ()) if draft.kind == "action" else ())
            for draft in self._inside
        ]
        strays = [span for call, spans in sorted(agents.items()) if call not in self._calls for span in spans]
        return self._made(self._span, trace_id, parent_id, (*inside, *strays), self._span.usage)

    def _finished(self, draft: _Draft, trace_id: str, parent_id: str, agents: Iterable[Span]) -> Span:
        mine = span_id_of(self.process_id, *draft.key)
        inner = (*draft.waits, *draft.models)
        made = [self._finished(item, trace_id, mine, ()) for item in inner]
        waits, models = made[: len(draft.waits)], made[len(draft.waits) :]
        below = sum((agent.total for agent in agents), NOTHING) if draft.settled else NOTHING
        return self._made(draft, trace_id, parent_id, (*waits, *agents, *models), draft.usage - below)

    def _made(
        self, draft: _Draft, trace_id: str, parent_id: str | None, children: tuple[Span, ...], usage: Usage
    ) -> Span:
        return Span(
            id=span_id_of(self.process_id, *draft.key),
            trace_id=trace_id,
            parent_id=parent_id,
            name=draft.name,
            kind=draft.kind,
            process_id=self.process_id,
            started=draft.started,
            ended=draft.ended,
            status=draft.status,
            attributes=dict(draft.attributes),
            marks=tuple(draft.marks),
            usage=usage,
            children=children,
        )

    def span_of_call(self, call: int) -> str:
        """Return the id of the span that a process is in which a call has started."""
        return span_id_of(self.process_id, "call", call) if call in self._calls else span_id_of(self.process_id)


def _count(asked: _Draft, event: ModelCalled) -> None:
    """Add what one request to a model took."""
    for name, more in (
        ("prompt_tokens", event.prompt_tokens),
        ("completion_tokens", event.completion_tokens),
        ("requests", event.requests),
    ):
        before = asked.attributes.get(name, 0)
        asked.attributes[name] = more + (before if isinstance(before, int) else 0)


def _types(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the declared types of entries, by name."""
    return tuple(type_name(entry.type) for entry in entries if entry.type is not None)
