"""Lists, sets, mappings and tuples, within their lengths."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from planboard.testing.schema_parts import Part, Strategy, Walk, Way

_FEW = 2
"""The most items that a container draws inside a recursive type beyond those it must have, so trees stay small."""
_ANY = {"type": "any"}
_HASHABLE = {"type": "int"}


def _one_kind(make: Callable[..., Strategy], of_any: dict[str, Any]) -> Way:
    def several(walk: Walk, part: Part) -> Strategy | None:
        item = walk.of(part.inner(part.schema.get("items_schema", of_any), part.hint_at(0), "[]"))
        return _within(part, make, item)

    return several


def _mapping(walk: Walk, part: Part) -> Strategy | None:
    key = walk.of(part.inner(part.schema.get("keys_schema", {"type": "str"}), part.hint_at(0), "{}"))
    item = walk.of(part.inner(part.schema.get("values_schema", _ANY), part.hint_at(1), "[]"))
    return _within(part, st.dictionaries, key, item)


def _validated(way: Way) -> Way:
    """Draw something simpler, which pydantic turns into what is wanted: a list for a deque."""

    def checked(walk: Walk, part: Part) -> Strategy | None:
        found = way(walk, part)
        return None if found is None else walk.made(found, walk.validate(part), part)

    return checked


def _tuple(walk: Walk, part: Part) -> Strategy | None:
    items, variadic = part.schema["items_schema"], part.schema.get("variadic_item_index")
    hints: list[Any] = [hint for hint in part.hints if hint is not ...]
    if len(hints) != len(items):
        hints = [None] * len(items)
    pieces: list[Strategy] = []
    for position, (item, hint) in enumerate(zip(items, hints, strict=True)):
        found = walk.of(part.inner(item, hint, f"[{position}]"))
        if position == variadic:
            found = _within(part, st.lists, found, besides=len(items) - 1)
        elif found is not None:
            found = found.map(lambda value: [value])
        if found is None:
            return None
        pieces.append(found)
    return st.tuples(*pieces).map(lambda lists: tuple(value for values in lists for value in values))


def _within(part: Part, make: Callable[..., Strategy], *items: Strategy | None, besides: int = 0) -> Strategy | None:
    """Return the containers of an allowed length; `besides` items are drawn elsewhere."""
    least = max(0, part.schema.get("min_length", 0) - besides)
    most: int | None = part.schema.get("max_length")
    most = None if most is None else max(0, most - besides)
    if None in items:
        return make(*(st.nothing() for _ in items), max_size=0) if least == 0 else None
    if part.depth > 0:
        few = max(least, _FEW)
        most = few if most is None else min(most, few)
    return make(*items, min_size=least, max_size=most)


_sets = _one_kind(st.sets, _HASHABLE)
CONTAINERS: dict[str, Way] = {
    "counter": _validated(_mapping),
    "deque": _validated(_one_kind(st.lists, _ANY)),
    "dict": _mapping,
    "frozenset": _validated(_sets),
    "list": _one_kind(st.lists, _ANY),
    "ordered-dict": _validated(_mapping),
    "set": _sets,
    "tuple": _tuple,
}
"""How each of these kinds is drawn."""
