"""Recording what happens: an event is numbered, kept, applied to the state, and told to whoever listens."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from planboard.blackboard.changes import Added, Change, ConditionSet, Hidden
from planboard.events import ConditionChanged, EntriesHidden, EntryAdded, Event
from planboard.runtime.state import ProcessState


class EventLog:
    """The only way by which the state of a process changes."""

    __slots__ = ("_publish", "_publishing", "_unpublished", "events", "keep", "process_id", "state")

    def __init__(self, process_id: str, state: ProcessState, publish: Callable[[Event], None]) -> None:
        self.process_id = process_id
        self.state = state
        """What the events so far make of the process."""
        self.events: list[Event] = []
        """All events so far, in order."""
        self.keep: Callable[[Event], None] | None = None
        """Takes each event before it has any effect, and raises for what it cannot keep: then it did not happen."""
        self._publish = publish
        self._publishing = False
        self._unpublished: list[Event] = []

    def record(self, kind: Callable[..., Any], **content: Any) -> None:
        """Make an event of what happened, keep it, apply it, and tell whoever listens."""
        event: Event = kind(seq=len(self.events) + 1, process_id=self.process_id, **content)
        if self.keep is not None:
            self.keep(event)
        self.state.apply(event)
        self.events.append(event)
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

    def replay(self, events: Iterable[Event]) -> None:
        """Apply what has happened before, elsewhere. It is kept already, and nobody is told of it again."""
        for event in events:
            mine = event if event.process_id == self.process_id else replace(event, process_id=self.process_id)
            self.state.apply(mine)
            self.events.append(mine)

    def record_change(self, change: Change) -> None:
        """Record a change that was made to the board from outside."""
        match change:
            case Added(entry):
                self.record(EntryAdded, entry=entry)
            case Hidden(positions):
                self.record(EntriesHidden, positions=positions)
            case ConditionSet(name, value):
                self.record(ConditionChanged, name=name, value=value)
