"""What a child is to the call that started it: the one it asks for when it is made again, and whether it will be."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias

from planboard.actions.context import Addition, ChildOrder
from planboard.blackboard.entry import Entry
from planboard.events import EntryAdded, ProcessStatus
from planboard.llm.showing import as_data

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent
    from planboard.runtime.process import Process

Services: TypeAlias = tuple[object, ...]


def id_of_child(parent_id: str, call: int, attempt: int, number: int) -> str:
    """Return the id of a child.

    Args:
        parent_id: The id of the process that starts it.
        call: The number of the call within that which starts it.
        attempt: Which attempt at the call.
        number: Which child of that attempt it is, counted from 1.
    """
    again = "" if attempt == 1 else f"r{attempt}"
    return f"{parent_id}.{call}{again}" + ("" if number == 1 else f"-{number}")


def is_for(child: "Process", order: ChildOrder) -> bool:
    """Tell whether a child was started with the same inputs."""
    entries = given_to(child)
    unnamed = (item if isinstance(item, Addition) else Addition(item) for item in order.inputs)
    given = [(item.name, item.value) for item in unnamed] + list(order.bindings.items())
    return len(entries) == len(given) and all(
        entry.name == name and _is_same(entry.value, value) for entry, (name, value) in zip(entries, given, strict=True)
    )


def given_to(child: "Process") -> list[Entry]:
    """Return the entries that a child was started with."""
    begun = takewhile(lambda event: event.kind != "process_started", child.events)
    return [event.entry for event in begun if isinstance(event, EntryAdded)]


def with_services(
    agent: "Agent", order: ChildOrder, services: Iterable[object]
) -> "tuple[Agent, Services, ChildOrder]":
    """Return the agent that is run, the services of its parent that it is given, and what is left to put on its board.

    A service is not put on a board. What else is given of the type of a service counts more than the service.
    """
    handed = agent._lacking(services)  # noqa: SLF001 - within the package
    if not handed:
        return agent, (), order
    places = {id(service) for service in handed}
    inputs = tuple(item for item in order.inputs if id(_value_of(item)) not in places)
    bindings = {name: value for name, value in order.bindings.items() if id(value) not in places}
    if any(isinstance(_value_of(item), type(service)) for item in inputs for service in handed):
        return agent, (), order
    return agent._serving(handed), handed, replace(order, inputs=inputs, bindings=bindings)  # noqa: SLF001


def goes_on_later(child: "Process") -> bool:
    """Tell whether a child waits, or was stopped by a limit of the whole tree, so that its call is made again."""
    above = child._core.ledger.parent  # noqa: SLF001 - within the package
    if child.status is ProcessStatus.TERMINATED:
        return above is not None and above.exhaustion() is not None
    return child.status is ProcessStatus.WAITING


def _value_of(item: object) -> object:
    return item.value if isinstance(item, Addition) else item


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
