"""Whether a child is the one that an action asks for when it is run again."""

from itertools import takewhile
from typing import TYPE_CHECKING

from planboard.actions.context import ChildOrder
from planboard.events import EntryAdded
from planboard.llm.showing import as_data

if TYPE_CHECKING:
    from planboard.runtime.process import Process


def is_for(child: "Process", order: ChildOrder) -> bool:
    """Tell whether a child was started with the same inputs."""
    begun = takewhile(lambda event: event.kind != "process_started", child.events)
    entries = [event.entry for event in begun if isinstance(event, EntryAdded)]
    given = [(None, value) for value in order.inputs] + list(order.bindings.items())
    return len(entries) == len(given) and all(
        entry.name == name and _is_same(entry.value, value) for entry, (name, value) in zip(entries, given, strict=True)
    )


def _is_same(one: object, other: object) -> bool:
    """Tell whether two values are the same, as far as they let themselves be compared."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one).__eq__ is object.__eq__:
        return True  # nobody can tell, and the place in the order speaks for it
    try:
        return bool(one == other) or as_data(one) == as_data(other)  # some numbers do not equal themselves
    except Exception:  # noqa: BLE001 - it is the user's code that compares
        return True
