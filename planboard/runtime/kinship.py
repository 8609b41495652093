"""What a child is to the call that started it: the one it asks for when it is made again, and whether it will be."""

from itertools import takewhile
from typing import TYPE_CHECKING

from planboard.actions.context import Addition, ChildOrder
from planboard.events import EntryAdded, ProcessStatus
from planboard.llm.showing import as_data

if TYPE_CHECKING:
    from planboard.runtime.process import Process


def is_for(child: "Process", order: ChildOrder) -> bool:
    """Tell whether a child was started with the same inputs."""
    begun = takewhile(lambda event: event.kind != "process_started", child.events)
    entries = [event.entry for event in begun if isinstance(event, EntryAdded)]
    unnamed = (item if isinstance(item, Addition) else Addition(item) for item in order.inputs)
    given = [(item.name, item.value) for item in unnamed] + list(order.bindings.items())
    return len(entries) == len(given) and all(
        entry.name == name and _is_same(entry.value, value) for entry, (name, value) in zip(entries, given, strict=True)
    )


def goes_on_later(child: "Process") -> bool:
    """Tell whether a child waits, or was stopped by a limit of the whole tree, so that its call is made again."""
    above = child.parent if child.status is ProcessStatus.TERMINATED else None
    by_all = above is not None and above._core.ledger.exhaustion() is not None  # noqa: SLF001 - within the package
    return child.status is ProcessStatus.WAITING or by_all


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
