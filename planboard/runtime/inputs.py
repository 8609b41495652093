"""What a run is given: objects with the types that they are declared to be."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from planboard.actions.context import Addition
from planboard.blackboard.matching import conforms, members
from planboard.types import TypeForm, origin_of

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent

_COLLECTIONS = (list, tuple, set, frozenset, dict)


def inputs_of_run(agent: "Agent", inputs: Iterable[object], bindings: Mapping[str, object]) -> list[Addition]:
    """Return what a run of an agent is given, first what has no name; steps hand inputs on with their types.

    An empty collection says nothing about what it is a collection of. So it is declared as what the agent takes of
    its kind, if that is one type only: a program that works for many orders works for none. So is a collection whose
    type the agent does not know, which no journal could keep: a list of orders or failures that holds orders.
    """
    unnamed = (item if isinstance(item, Addition) else Addition(item) for item in inputs)
    given = [*unnamed, *(Addition(value, name=name) for name, value in bindings.items())]
    return [_declared(agent, item) if _says_nothing(item) or _is_unknown(agent, item) else item for item in given]


def _says_nothing(item: Addition) -> bool:
    return item.type is None and type(item.value) in _COLLECTIONS and not item.value


def _is_unknown(agent: "Agent", item: Addition) -> bool:
    return origin_of(item.type) is not None and not agent.types.is_known(item.type)


def _declared(agent: "Agent", item: Addition) -> Addition:
    fitting: list[TypeForm] = []  # no set: what is annotated need not be hashable
    for form in _taken(agent, item.name):
        if form not in fitting and origin_of(form) is not None and conforms(item.value, form):
            fitting.append(form)
    return replace(item, type=fitting[0]) if len(fitting) == 1 else item


def _taken(agent: "Agent", name: str | None) -> Iterator[TypeForm]:
    """Yield the types of all that the agent looks at and that something of a name, or without one, may be."""
    queries = [taken.query for action in agent.actions.values() for taken in action.body.inputs]
    queries += [query for condition in agent.conditions.values() for query in condition.queries]
    for query in queries:
        if query.form is not None and query.name in (None, name):
            yield from members(query.form)
