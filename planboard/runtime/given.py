"""What people give to an action: results, and other arguments; looked at as if the action or the planner gave them."""

from collections.abc import Mapping
from typing import Any

from planboard._text import suggest
from planboard.actions.action import Action, BoundInput
from planboard.actions.context import NO_EFFECTS
from planboard.blackboard.entry import Entry
from planboard.blackboard.integrity import watch
from planboard.planners.world import Binding
from planboard.runtime.commit import new_entries
from planboard.runtime.fitting import fitted
from planboard.types import TypeForm


def for_outputs(action: Action, given: Any, form: TypeForm) -> Any:
    """Return an object that the action may return; it is looked at as if it had.

    Raises:
        ValueError: It is not of the type.
        ExecutionError: It is not what the action declares.
    """
    value = given
    if given is not None or () not in action.outputs:
        value = given if form is None else fitted(form, given)
    new_entries(action, value, NO_EFFECTS, 0)
    return value


def changed(action: Action, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return changed arguments as objects of the types that the action takes.

    Raises:
        ValueError: One does not fit, or is none of the action's; the message names it.
    """
    by_name = {item.parameter: item for item in action.body.inputs}
    found: dict[str, Any] = {}
    for name, given in arguments.items():
        if name not in by_name:
            message = f"action {action.name!r} takes no {name!r}. {suggest(name, by_name)}"
            raise ValueError(message)
        item = by_name[name]
        if given is None and not item.optional:
            message = f"argument {name!r} cannot be left out"
            raise ValueError(message)
        try:
            found[name] = None if given is None else fitted(_form(item), given)
            if item.collects and not item.optional and not found[name]:
                message = "at least one is needed"
                raise ValueError(message)
        except ValueError as error:
            message = f"argument {name!r}: {error}"
            raise ValueError(message) from error
    return found


def as_entries(
    action: Action, arguments: Mapping[str, Any], producer: str, position: int
) -> tuple[tuple[Entry, ...], tuple[tuple[str, Binding], ...]]:
    """Return changed arguments as entries, and where they will stand, by parameter.

    Args:
        action: What they are given to.
        arguments: The arguments.
        producer: Who has changed them.
        position: Where the first entry will stand.
    """
    entries: list[Entry] = []
    places: list[tuple[str, Binding]] = []
    for item in action.body.inputs:
        if item.parameter not in arguments:
            continue
        value = arguments[item.parameter]
        values = [] if value is None else list(value) if item.collects else [value]
        start = position + len(entries)
        entries += [
            Entry(start + index, one, _declared(item, one), item.query.name, producer, watch=watch(one))
            for index, one in enumerate(values)
        ]
        places.append((item.parameter, tuple(range(start, start + len(values)))))
    return tuple(entries), tuple(places)


def forms_of(action: Action) -> dict[str, TypeForm]:
    """Return the types of an action's inputs, by parameter."""
    return {item.parameter: _form(item) for item in action.body.inputs if not item.positional_only}


def _form(item: BoundInput) -> TypeForm:
    return list[item.query.form] if item.collects else item.query.form  # type: ignore[name-defined]


def _declared(item: BoundInput, value: object) -> TypeForm:
    return None if type(value) is item.query.form else item.query.form
