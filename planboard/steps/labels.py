"""What the children of a step are called in traces: which item, part or round each of them is for.

A label says the place, and of an item a few words by which a person knows it: a text, a number, or the field of an
object that names it. Nothing else of an item is looked at, and nothing that is secret by its type or name.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from uuid import UUID

from pydantic import BaseModel

from planboard.actions.action import root_name

_ID = "id"
_NAMES = ("slug", "name", "title")
"""Fields that name an object, after those that are its id."""
_LARGE = 10**20
"""Numbers as large as this name nothing, and some of them cannot be written."""


def item_label(place: int, item: object, *, secret: bool = False) -> str:
    """Return the label of an item: "item 3: tides", or "item 3" if nothing names it.

    Args:
        place: Its place among the items, counted from 0 as in messages.
        item: The item.
        secret: Whether nothing of it may be shown.
    """
    return named_label(f"item {place}", "" if secret else _name_in(item))


def named_label(place: str, name: str) -> str:
    """Return a label that says a place, and a name if there is one."""
    return f"{place}: {name}" if name.strip() else place


def _name_in(item: object) -> str:
    if _is_word(item):
        return _word(item)
    own = f"{root_name(type(item))}_id"
    there = _shown_fields(item)
    return next((_word(there[name]) for name in (_ID, own, *_NAMES) if name in there and _is_word(there[name])), "")


def _shown_fields(item: object) -> Mapping[str, object]:
    """Return the fields of an object, without those that are not to be seen in its text."""
    if isinstance(item, dict):
        return item
    if isinstance(item, BaseModel):
        shown = [name for name, about in type(item).model_fields.items() if about.repr and not about.exclude]
        return {name: item.__dict__[name] for name in shown if name in item.__dict__}
    if is_dataclass(item):
        return {one.name: getattr(item, one.name, None) for one in fields(item) if one.repr}
    return {}


def _is_word(value: object) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < _LARGE
    return isinstance(value, str | UUID | Enum)


def _word(value: object) -> str:
    return value.name if isinstance(value, Enum) else str(value)
