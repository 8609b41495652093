"""From what an action returned to what is put on the board."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from inspect import iscoroutine

from planboard._text import brief, suggest
from planboard.actions.action import Action
from planboard.actions.context import Effects
from planboard.actions.state import state_of_value
from planboard.blackboard.board import Blackboard
from planboard.blackboard.entry import Entry
from planboard.blackboard.integrity import watch
from planboard.blackboard.matching import conforms, satisfies
from planboard.blackboard.schema import structural_problem
from planboard.errors import OutputError
from planboard.types import TypeForm, type_name


def new_entries(action: Action, value: object, effects: Effects, position: int) -> tuple[Entry, ...]:
    """Return the entries that a successful call adds: its outputs, then what it added through its context.

    Raises:
        OutputError: What it returned is not what it declares; nothing reaches the board.
    """
    if value is None and not effects.additions and () in action.outputs:
        return ()
    if iscoroutine(value):
        value.close()
        message = (
            f"Action {action.name!r} is a plain function but returned a coroutine, so its work was not done. "
            f"Declare it with `async def` and await there ({action.where})."
        )
        raise OutputError(action.name, message)
    only = action.only_output
    if only is not None:
        form = _checked(action, only, value)
        entries = [Entry(position, value, form, action.binding_name(0), action.name, watch=watch(value))]
    else:
        entries = [
            Entry(position + index, item, form, action.binding_name(index), action.name, watch=watch(item))
            for index, (form, item) in enumerate(_outputs(action, value))
        ]
    outputs = len(entries)
    for added in effects.additions:
        entries.append(
            Entry(position + len(entries), added.value, added.type, added.name, action.name, watch=watch(added.value))
        )
    if any(added.after is not None for added in effects.additions):
        return _in_places(entries, outputs, effects)
    return tuple(entries)


def _in_places(entries: Sequence[Entry], outputs: int, effects: Effects) -> tuple[Entry, ...]:
    """Return entries in another order: what was added stands after as many of the outputs as it says."""
    places = [outputs if added.after is None else min(added.after, outputs) for added in effects.additions]
    ranks = [*((place, 1) for place in range(outputs)), *((place, 0) for place in places)]
    ordered = [entry for _, entry in sorted(zip(ranks, entries, strict=True), key=lambda pair: pair[0])]
    return tuple(replace(entry, position=entries[0].position + place) for place, entry in enumerate(ordered))


def _outputs(action: Action, value: object) -> Iterator[tuple[TypeForm, object]]:
    ways = action.outputs
    value = _without_absent(value) if action.has_tuple else value
    if (value is None or value == ()) and () in ways:
        return
    for way in sorted(ways, key=lambda way: _distance(way, value)):
        if _fits(way, value):
            items = value if _is_tuple_of(way, value) else (value,)
            for form, item in zip(way, items, strict=True):  # type: ignore[call-overload]
                yield _checked(action, form, item), item
            return
    raise OutputError(action.name, _message(action, value))


def _without_absent(value: object) -> object:
    """Leave out the parts of a tuple that are `None`: the alternatives of `tuple[A, B | None]` have no place for it."""
    if not isinstance(value, tuple) or all(part is not None for part in value):
        return value
    parts = tuple(part for part in value if part is not None)
    return parts[0] if len(parts) == 1 else parts


def _is_tuple_of(way: tuple[TypeForm, ...], value: object) -> bool:
    return len(way) > 1 and isinstance(value, tuple) and len(value) == len(way)


def _fits(way: tuple[TypeForm, ...], value: object) -> bool:
    if _is_tuple_of(way, value):
        return all(conforms(item, form) for form, item in zip(way, value, strict=True))  # type: ignore[call-overload]
    return len(way) == 1 and conforms(value, way[0])


def _distance(way: tuple[TypeForm, ...], value: object) -> int:
    """Rank the alternatives: the value's own class first, then the nearest base class."""
    if len(way) != 1 or not isinstance(way[0], type):
        return len(type(value).__mro__)
    mro = type(value).__mro__
    return mro.index(way[0]) if way[0] in mro else len(mro)


def _checked(action: Action, form: TypeForm, value: object) -> TypeForm:
    if value.__class__ is not form and (value is None or not conforms(value, form)):
        raise OutputError(action.name, _message(action, value))
    problem = structural_problem(form, value)
    if problem is not None:
        message = f"Action {action.name!r} returned a {type(value).__name__} that violates its own model: {problem}."
        raise OutputError(action.name, message)
    return form


def _message(action: Action, value: object) -> str:
    ways = " | ".join(
        (type_name(way[0]) if len(way) == 1 else f"tuple[{', '.join(map(type_name, way))}]") if way else "None"
        for way in action.outputs
    )
    return (
        f"Action {action.name!r} returned {brief(value)} of type {type(value).__name__}, but declares {ways} "
        f"({action.where}). The board is unchanged."
    )


def check_conditions(action: Action, effects: Effects, known: Collection[str]) -> None:
    """Check that the conditions an action set are not misspelt.

    A condition that nobody asks for may be set, since components do not know each other; one whose name is close to a
    known one is a slip.

    Raises:
        OutputError: A name looks misspelt.
    """
    for name in sorted(set(effects.conditions) - set(known)):
        hint = suggest(name, known)
        if hint.startswith("Did you mean"):
            message = f"Action {action.name!r} set the condition {name!r}, which nobody knows. {hint}"
            raise OutputError(action.name, message)


def positions_hidden(
    action: Action, given: Sequence[Entry], effects: Effects, board: Blackboard, new: tuple[Entry, ...]
) -> tuple[int, ...]:
    """Return the entries that a successful call makes invisible.

    They are those it consumed or hid itself, and all others when it clears the board or enters a state.
    """
    entered = [found for entry in new if (found := state_of_value(entry.value)) is not None]
    if not (entered or action.clear_board or action.consumes or effects.hidden):
        return ()
    hidden: set[int] = set()
    if action.clear_board or entered:
        kept = [form for found in entered for form in found.keep]
        hidden.update(
            entry.position
            for entry in board.visible
            if not entry.protected and not any(satisfies(entry.value, entry.type, form) for form in kept)
        )
    if action.consumes:
        hidden.update(entry.position for entry in given if any(query.admits(entry) for query in action.consumes))
    if effects.hidden:
        wanted = {id(item) for item in effects.hidden}
        hidden.update(entry.position for entry in board.visible if id(entry.value) in wanted)
    return tuple(sorted(hidden))
