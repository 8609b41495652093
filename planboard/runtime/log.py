"""Recording what happens: an event is numbered, kept, applied to the state, and told to whoever listens."""

from collections.abc import Callable
from typing import Any

from planboard.blackboard.changes import Added, Change, ConditionSet, Hidden
from planboard.events import ConditionChanged, EntriesHidden, EntryAdded, Event, Journal
from planboard.runtime.state import ProcessState


class EventLog:
    """The only way by which the state of a process changes."""

    __slots__ = ("_journal", "_publish", "_publishing", "_seq", "_unpublished", "process_id", "state")

    def __init__(
        self, process_id: str, state: ProcessState, journal: Journal | None, publish: Callable[[Event], None]
    ) -> None:
        self.process_id = process_id
        self.state = state
        """What the events so far make of the process."""
        self._journal = journal
        self._publish = publish
        self._seq = 0
        self._publishing = False
        self._unpublished: list[Event] = []

    def record(self, kind: Callable[..., Any], **content: Any) -> None:
        """Make an event of what happened, keep it, apply it, and tell whoever listens."""
        self._seq += 1
        event: Event = kind(seq=self._seq, process_id=self.process_id, **content)
        if self._journal is not None:
            self._journal.append(event)
        self.state.apply(event)
        if self._publishing:  # a listener did something; all are told of it after what they are being told now
            self._unpublished.append(event)
            return
        self._publishing = True
        try:
            self._publish(event)
            while self._unpublished:
                self._publish(self._unpublished.pop(0))
        finally:
            self._publishing = False

    def record_change(self, change: Change) -> None:
        """Record a change that was made to the board from outside."""
        match change:
            case Added(entry):
                self.record(EntryAdded, entry=entry)
            case Hidden(positions):
                self.record(EntriesHidden, positions=positions)
            case ConditionSet(name, value):
                self.record(ConditionChanged, name=name, value=value)
