"""Traces of runs: of one that is at hand, of one that is kept in a journal, or heard as it goes.

All three are the same fold over the same events, so they come to the same spans with the same ids.
"""

from collections.abc import Iterable
from threading import RLock
from typing import Any, overload

from planboard._text import suggest
from planboard.blackboard.codec import Codec
from planboard.blackboard.entry import Entry
from planboard.blackboard.registry import TypeRegistry
from planboard.errors import CorruptJournalError, DefinitionError, EntryTypeError, UnknownRunError
from planboard.events import Event
from planboard.events.codec import EventCodec
from planboard.journal.port import Journal, Record
from planboard.observe.span_tree import Folds
from planboard.observe.spans import Trace
from planboard.runtime.children import Ended
from planboard.runtime.clock import SYSTEM_CLOCK, Clock
from planboard.runtime.exclusive import root_of
from planboard.runtime.process import Process


class Tracer:
    """A listener that traces runs as they go: `ProcessOptions(listeners=[Tracer()])`.

    It hears the whole tree of processes, and notes the time of each event. It may listen to any number of runs.

    Args:
        clock: Tells the time; the system's by default.
        journal: Where runs are kept that are traced. What happened to them elsewhere, before they were taken up here,
            is read from it.
    """

    def __init__(self, *, clock: Clock = SYSTEM_CLOCK, journal: Journal | None = None) -> None:
        self._clock = clock
        self._journal = journal
        self._folds = Folds()
        self._lock = RLock()

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        with self._lock:
            fold = self._folds.of(event.process_id)
            if event.seq > fold.seq + 1 and self._journal is not None:
                _read_tree(self._journal, event.process_id, self._folds, upto=event.seq - 1)
            fold.take(event, self._clock.time())

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The ids of the outermost runs, in the order in which they were heard of."""
        with self._lock:
            return self._folds.roots()

    def trace(self, run_id: str | None = None) -> Trace:
        """Return the trace of a run as it is now.

        Args:
            run_id: Which run, or a child of it; the last one that was heard of by default.

        Raises:
            UnknownRunError: Nothing was heard of it.
        """
        with self._lock:
            if run_id is None and self.run_ids:
                run_id = self.run_ids[-1]
            if run_id is None or run_id not in self._folds:
                hint = "Nothing was heard of any run." if run_id is None else suggest(run_id, self.run_ids)
                message = f"There is no trace{f' of run {run_id!r}' if run_id is not None else ''}. {hint}"
                raise UnknownRunError(run_id or "", message)
            return self._folds.trace(run_id)

    def forget(self, run_id: str) -> None:
        """Forget a run, once its trace was handed on: a tracer keeps all that it has heard of. Others stay."""
        with self._lock:
            self._folds.drop(run_id)

    def __repr__(self) -> str:
        return f"<Tracer of {len(self.run_ids)} runs>"


@overload
def trace_of(source: Process, /) -> Trace: ...
@overload
def trace_of(source: Journal, run_id: str, /) -> Trace: ...
def trace_of(source: Any, run_id: str | None = None, /) -> Trace:
    """Return the trace of a run: one root span, and all that happened in it below, at any depth.

    Of a child it is the trace of the outermost run. A process that is kept in a journal is traced from there, with
    the times; one that a `Tracer` listens to is traced as that has heard it. Else spans have no times, and of children
    that have ended the first 10,000 events are known.

    Args:
        source: A process, or the journal that a run is kept in; no agent is needed for that.
        run_id: With a journal: which run.

    Raises:
        UnknownRunError: The journal has no such run.
        CorruptJournalError: What is kept cannot be read.
        DefinitionError: The source is neither a process nor a journal.
    """
    if isinstance(source, Process) and run_id is None:
        return _of_process(root_of(source))
    if run_id is None or isinstance(source, Process) or not hasattr(source, "read"):
        message = f"trace_of({source!r}, {run_id!r}): give it a Process, or a journal and the id of a run."
        raise DefinitionError(message)
    return _of_kept(source, run_id)


def _of_process(root: Process) -> Trace:
    folds = Folds()
    journal = root.options.journal
    if journal is not None:
        _read_tree(journal, root.id, folds)
    else:
        for listener in root.options.listeners:
            if isinstance(listener, Tracer) and root.id in listener.run_ids:
                heard = listener.trace(root.id)
                if heard.root.started is not None or not root.events:
                    return heard
    _take_live(root, folds)
    return folds.trace(root.id)


def _take_live(process: Process, folds: Folds) -> None:
    """Take what is in memory of a process and its children, as far as it is not known from elsewhere."""
    fold = folds.of(process.id)
    for event in tuple(process.events)[fold.seq :]:
        fold.take(event)
    if process.parent is not None:
        fold.parent_id = process.parent.id
    children = process._children  # noqa: SLF001 - children are nobody else's business
    for ended in children.ended:
        _take_ended(ended, folds)
    for child in children._in_order():  # noqa: SLF001
        _take_live(child, folds)


def _take_ended(ended: Ended, folds: Folds) -> None:
    fold = folds.of(ended.id)
    for event in ended.events[fold.seq :]:
        fold.take(event)
    for child in ended.children:
        _take_ended(child, folds)


def _of_kept(journal: Journal, run_id: str) -> Trace:
    outermost, parent = run_id, journal.info(run_id).parent_id
    while parent is not None:
        outermost, parent = parent, journal.info(parent).parent_id
    folds = Folds()
    _read_tree(journal, outermost, folds)
    return folds.trace(outermost)


def _read_tree(journal: Journal, run_id: str, folds: Folds, *, upto: int | None = None) -> None:
    """Take what a journal has of a run and of the runs below it, as far as it is not known.

    Args:
        journal: Where they are kept.
        run_id: The run.
        folds: What takes it.
        upto: The last event of the run itself that is taken; all by default.
    """
    fold = folds.of(run_id)
    try:
        records = journal.read(run_id, after=fold.seq)
    except UnknownRunError:
        if upto is None:
            raise
        return  # it is not kept there, or not yet
    for event, at in _events(run_id, records):
        if upto is None or event.seq <= upto:
            fold.take(event, at)
    for child in journal.runs(parent_id=run_id):
        _read_tree(journal, child.id, folds)


def _events(run_id: str, records: Iterable[Record]) -> Iterable[tuple[Event, float]]:
    codec = _Blind()
    for record in records:
        try:
            yield codec.decode(record.body), record.at
        except EntryTypeError as error:
            message = f"Event {record.seq} ({record.kind}) of run {run_id!r} cannot be read: {error}"
            raise CorruptJournalError(run_id, message) from error


class _Blind(EventCodec):
    """Reads events without looking at the values in them: for that no agent is needed, and no secret."""

    def __init__(self) -> None:
        super().__init__(Codec(TypeRegistry(())))

    def _entry(self, stored: Any) -> Entry:
        try:
            return Entry(stored["position"], None, stored["type"], stored["name"], stored["producer"])
        except (KeyError, TypeError) as error:
            message = "an entry has position, value, type, name, producer and protected"
            raise EntryTypeError(message) from error
