"""What a model's call means: an action with arguments that fit, or a refusal that tells the model what to do."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from planboard._text import listed
from planboard.llm.names import find_tool
from planboard.llm.port import ToolCall
from planboard.llm.reading import read_arguments, read_value
from planboard.planners.ask import Chosen, Exposed, Offer, Refused
from planboard.planners.compile import has_run, is_excluded
from planboard.planners.supervisor.outlook import Outlook
from planboard.types import type_name

_SHOWN = 8


def read_call(call: ToolCall, offers: Mapping[str, Offer], outlook: Outlook) -> Chosen | Refused:
    """Return what a call means now. Nothing of a call that is refused is kept."""
    name = find_tool(call.name, offers)
    if name is None:
        return _not_offered(call.name, offers, outlook)
    offer = offers[name]
    try:
        arguments = read_arguments(call.arguments)
        return Chosen(offer.operator, _built(offer, arguments))
    except ValueError as error:
        return Refused(str(error))


def same_call(call: ToolCall) -> str:
    """Return a text that is equal for calls that are equal in effect."""
    try:
        arguments = json.dumps(read_arguments(call.arguments), sort_keys=True)
    except ValueError:
        arguments = call.arguments
    return f"{call.name.strip().lower()}({arguments})"


def _built(offer: Offer, arguments: Mapping[str, Any]) -> tuple[tuple[Exposed, Any], ...]:
    given = _unfolded(offer, arguments)
    faults = [f"{name}: there is no such argument" for name in sorted(set(given) - _names(offer.exposed))]
    built: list[tuple[Exposed, Any]] = []
    for item in offer.exposed:
        raw = given.get(item.parameter)
        if raw is None:
            if item.optional:
                built.append((item, None))
            else:
                faults.append(f"{item.parameter}: it is needed, a {type_name(item.form)}")
            continue
        try:
            built.append((item, _read(item, raw)))
        except ValueError as error:
            faults.append(str(error))
    if faults:
        raise ValueError("; ".join(faults))
    return tuple(built)


def _read(item: Exposed, raw: Any) -> Any:
    if not item.collects:
        return read_value(item.form, raw, path=item.parameter)
    values: list[Any] = read_value(list[item.form], raw, path=item.parameter)  # type: ignore[name-defined]
    if not values:
        message = f"{item.parameter}: at least one {type_name(item.form)} is needed"
        raise ValueError(message)
    return values


def _unfolded(offer: Offer, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments by parameter. With a single one, small models often give its fields alone."""
    if not offer.exposed:
        return {}  # what is curried away needs no argument, and one that is given anyway does no harm
    if len(offer.exposed) == 1 and arguments and not _names(offer.exposed) & set(arguments):
        return {offer.exposed[0].parameter: dict(arguments)}
    return arguments


def _names(exposed: Iterable[Exposed]) -> set[str]:
    return {item.parameter for item in exposed}


def _not_offered(name: str, offers: Mapping[str, Offer], outlook: Outlook) -> Refused:
    known = outlook.actions_by_tool()
    found = find_tool(name, known)
    why = f"There is no tool {name[:64]!r}." if found is None else _why_not(known[found], name, outlook)
    names = list(offers)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return Refused(f"{why} Tools now: {', '.join(names[:_SHOWN])}{more}.", may_change=found is not None)


def _why_not(action: str, name: str, outlook: Outlook) -> str:
    state = outlook.state
    if state.get(is_excluded(action)):
        return f"{name} failed or was denied, and is not available any more."
    if state.get(has_run(action)):
        return f"{name} has been done already; its result is on the board."
    missing = outlook.missing(action)
    if missing:
        return f"{name} is not available yet: it needs {listed(missing)} first."
    return f"{name} is not available now."
