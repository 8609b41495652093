"""Random boards for an agent: values of the types that it reads, some, several or none of each."""

from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from planboard._text import suggest
from planboard.blackboard.board import Blackboard
from planboard.blackboard.index import Query
from planboard.blackboard.matching import is_ordinary_class, members
from planboard.errors import DefinitionError
from planboard.runtime.agent import Agent
from planboard.testing.value_strategies import values
from planboard.testing.written import written_board
from planboard.types import TypeForm, type_name


class ShownBoard(Blackboard):
    """A board that is shown with all it holds."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Blackboard: {written_board(self)}>"


def boards(
    agent: Agent,
    *,
    types: Iterable[TypeForm] | None = None,
    strategies: Mapping[Any, st.SearchStrategy[Any]] | None = None,
    most: int = 6,
    conditions: bool = True,
) -> st.SearchStrategy[Blackboard]:
    """Return a strategy of boards that an agent may find itself on.

    They hold values of the types that its actions and conditions read, also of those that its actions produce, named
    where a name is asked for. Free conditions are set or not. Start a process with `process_on(agent, board)`; the
    checks take boards as they are.

    Args:
        agent: Whose inputs.
        types: Only these types, instead of all that are read.
        strategies: How to draw values of some types, instead of by `values`.
        most: The most entries on a board.
        conditions: Whether free conditions are set.

    Raises:
        DefinitionError: There is no strategy for a type; pass one in `strategies`.
    """
    given = dict(strategies or {})
    asked = _asked(agent, None if types is None else tuple(types))
    entries = [_entries(agent, query, form, given) for query, form in asked]
    free = sorted(name for name, condition in agent.conditions.items() if condition.is_free) if conditions else []
    drawn = st.lists(st.one_of(entries), max_size=most) if entries else st.just([])
    settings = st.dictionaries(st.sampled_from(free), st.booleans()) if free else st.just({})

    @st.composite
    def shown(draw: st.DrawFn) -> Blackboard:  # what `map` makes is shown as the call of the function
        return _board(agent, draw(drawn), draw(settings))

    return shown()


def _asked(agent: Agent, types: tuple[TypeForm, ...] | None) -> list[tuple[Query, TypeForm]]:
    """Return the questions that the agent's actions and conditions ask of the board, with a type that answers each."""
    queries = [item.query for action in agent.actions.values() for item in action.body.inputs]
    queries += [query for action in agent.actions.values() for query in action.consumes]
    queries += [query for condition in agent.conditions.values() for query in condition.queries]
    found: dict[tuple[str | None, Any], Query] = {}
    for query in queries:
        for form in members(query.form) if query.form is not None else ():
            found.setdefault((query.name, form), query)
    read = {type_name(form): form for _, form in found}
    for form in types or ():
        if form not in read.values():
            name = type_name(form)
            message = f"boards({agent.name!r}, types=...): the agent reads no {name}. {suggest(name, read)}"
            raise DefinitionError(message)
    return [(query, form) for (_, form), query in found.items() if types is None or form in types]


_Drawn = tuple[str | None, TypeForm, Any]


def _entries(agent: Agent, query: Query, form: TypeForm, given: dict[Any, Any]) -> st.SearchStrategy[_Drawn]:
    try:
        strategy = given[form] if form in given else values(form)
    except DefinitionError as error:
        message = f"boards({agent.name!r}): {error} Or pass `strategies={{{type_name(form)}: ...}}`."
        raise DefinitionError(message) from error
    declared = None if is_ordinary_class(form) else form
    return strategy.map(lambda value: (query.name, declared, value))


def _board(agent: Agent, entries: list[_Drawn], settings: dict[str, bool]) -> Blackboard:
    board = ShownBoard(matcher=agent.matcher)
    for name, declared, value in entries:
        if name is None:
            board.add(value, type=declared)
        else:
            board.bind(name, value, type=declared)
    for name, truth in settings.items():
        board.set_condition(name, truth)
    return board
