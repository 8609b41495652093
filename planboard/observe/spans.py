"""A run as a tree of spans: data that can be looked at, compared, printed, and sent to whatever shows traces.

Ids have the sizes of the W3C trace context and follow from the id of the outermost run and from what a span stands
for. So a run that is taken up in another program goes on in the same trace, under the same parents.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from planboard.actions.context import NOTHING, Usage
from planboard.observe.progress import amount, one_line

SpanKind: TypeAlias = Literal["agent", "action", "model", "request", "sleep"]
"""What a span stands for: the run of an agent; a call of an action; a question to a model; a question to a person; a
sleep. The last two are what a call waits for."""

Attribute: TypeAlias = str | int | float | bool | tuple[str, ...]
"""What is said of a span; no values from the board, but for the few words of a label."""

_OPEN = ("not_started", "running", "waiting")
_ERRORS = ("failed", "stuck", "terminated")


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened in a span at one moment: a retry, a plan, a pause."""

    name: str
    """`plan`, `retry`, `replan`, `readmitted`, `unmet`, `refused`, `condition`, `suspended`, `stopped`, `resumed` or
    `budget`."""
    at: float | None
    """In seconds since 1970; `None` if nobody noted the time."""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a run, from its beginning to its end, with the pieces in it."""

    id: str
    """16 hexadecimal digits; the same however and wherever the span is made."""
    trace_id: str
    """32 hexadecimal digits, the same for all spans of the outermost run."""
    parent_id: str | None
    """The id of the span that this one is in; `None` for the outermost."""
    name: str
    """The name of the agent, the action or the model."""
    kind: SpanKind
    process_id: str
    """The process it happened in."""
    started: float | None
    """In seconds since 1970; `None` if it has not started, or if nobody noted the time."""
    ended: float | None
    """In seconds since 1970; `None` while it is open, or if nobody noted the time."""
    status: str
    """How it stands or ended, in lower case; see `docs/how-to/trace-a-run.md`."""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    """What happened in it, in order."""
    usage: Usage = NOTHING
    """What was spent in it, without what was spent in its children. A call counts once it has ended."""
    children: "tuple[Span, ...]" = ()
    """The spans in it: in the order in which they began, and of one call its requests and sleeps, then its agents in
    the order of their ids, then its models."""

    @property
    def label(self) -> str:
        """What it is for among others of its name, such as "item 3: tides"; empty if nothing says so."""
        return str(self.attributes.get("label", ""))

    @property
    def seconds(self) -> float | None:
        """How long it took, pauses included; `None` while it is open, or if nobody noted the times."""
        return None if self.started is None or self.ended is None else max(self.ended - self.started, 0.0)

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.status in _OPEN

    @property
    def is_error(self) -> bool:
        """Whether it ended badly. To wait, to be denied, to expire and to be cancelled are no errors."""
        return self.status in _ERRORS

    @property
    def total(self) -> Usage:
        """What was spent in it and its children."""
        return sum((span.usage for span in self.spans()), NOTHING)

    def spans(self) -> "Iterator[Span]":
        """Yield this span and all in it, each before what is in it."""
        yield self
        for child in self.children:
            yield from child.spans()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data that JSON takes, with all that is in it."""
        return {
            "id": self.id,
            "trace_id": self.trace_id,
            "parent_id": self.parent_id,
            "name": self.name,
            "kind": self.kind,
            "process_id": self.process_id,
            "started": self.started,
            "ended": self.ended,
            "status": self.status,
            "attributes": _plain(self.attributes),
            "marks": [{"name": mark.name, "at": mark.at, "attributes": _plain(mark.attributes)} for mark in self.marks],
            "usage": self.usage._asdict(),
            "children": [child.to_dict() for child in self.children],
        }


@dataclass(frozen=True, slots=True)
class Trace:
    """One outermost run as a tree of spans."""

    root: Span
    """The outermost run. A team looks like one agent here: with one start and one end."""

    @property
    def id(self) -> str:
        """The id of the trace, 32 hexadecimal digits; it follows from the id of the outermost run."""
        return self.root.trace_id

    def spans(self) -> Iterator[Span]:
        """Yield all spans, each before what is in it; of one call its children in the order in which it began them."""
        return self.root.spans()

    def span(self, span_id: str) -> Span:
        """Return a span by its id.

        Raises:
            KeyError: There is none.
        """
        for span in self.spans():
            if span.id == span_id:
                return span
        raise KeyError(span_id)

    def text(self, *, marks: bool = False) -> str:
        """Return the trace as an outline: a line for each span, what is in it below it.

        Args:
            marks: Show what happened in the spans, too: plans, retries, pauses.
        """
        return "".join(f"{line}\n" for line in _lines(self.root, 0, marks=marks))

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as plain data that JSON takes."""
        return {"id": self.id, "root": self.root.to_dict()}


def trace_id_of(run_id: str) -> str:
    """Return the id of the trace of an outermost run."""
    return sha256(f"planboard trace\0{run_id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def span_id_of(process_id: str, *key: str | int) -> str:
    """Return the id of a span: of the process itself, or of what the key stands for within it."""
    text = "\0".join(("planboard span", process_id, *map(str, key)))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _lines(span: Span, depth: int, *, marks: bool) -> Iterator[str]:
    indent = "  " * depth
    seconds = "" if span.seconds is None else f" {span.seconds:.1f}s"
    yield f"{indent}[{one_line(_title(span))}] {span.kind}{seconds} {span.status}{_more(span)}"
    if marks:
        for mark in span.marks:
            told = ", ".join(f"{name}={_shown(value)}" for name, value in mark.attributes.items())
            yield one_line(f"· {mark.name}{f': {told}' if told else ''}").join((f"{indent}  ", ""))
    for child in span.children:
        yield from _lines(child, depth + 1, marks=marks)


def _title(span: Span) -> str:
    """Return what is said of a span before its kind: its name, and its label if it has one."""
    return f"{span.name} · {span.label}" if span.label else span.name


def _more(span: Span) -> str:
    """Return what a line says beside the status: why it failed, how often it was tried, what it took."""
    more = []
    attempts = span.attributes.get("attempts", 1)
    if attempts != 1:
        more.append(f"{attempts} attempts")
    if span.kind == "model" and span.usage.tokens:
        more.append(f"{span.usage.tokens} tokens")
    if span.usage.cost:
        more.append(f"cost {amount(span.usage.cost)}")
    words = f" ({', '.join(more)})" if more else ""
    why = span.attributes.get("error") or span.attributes.get("reason") if span.status != "completed" else ""
    return f"{words}: {one_line(str(why))}" if why else words


def _shown(value: Attribute) -> str:
    return " → ".join(value) if isinstance(value, tuple) else str(value)


def _plain(attributes: Mapping[str, Attribute]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in attributes.items()}
