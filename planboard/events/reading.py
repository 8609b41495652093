"""Events of plain data: each field is of its type to the letter, or the data is refused with the field's path.

What pydantic would read from text is not enough: it takes no text in which half a character stands, as file names in
errors may have it, and no number without an end.
"""

import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields
from enum import Enum
from functools import lru_cache
from math import isfinite
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from planboard._text import listed, suggest
from planboard.actions.context import Usage
from planboard.blackboard.entry import Entry
from planboard.events import Event
from planboard.llm.port import ToolCall

EntryReader = Callable[[Any], Entry]
_Read = Callable[[Any, EntryReader], Any]

_FLOAT = "$float"
_ENDLESS = ("nan", "inf", "-inf")


class _Misfit(Exception):  # noqa: N818 - becomes an EntryTypeError
    """Data is not what a field takes."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.path: list[str] = []
        super().__init__(reason)

    def __str__(self) -> str:
        return f"{'.'.join(self.path)}: {self.reason}" if self.path else self.reason

    def at(self, piece: object) -> "_Misfit":
        """Add the place it is in."""
        self.path.insert(0, str(piece))
        return self


def read_event(data: dict[str, Any], entry: EntryReader) -> Event:
    """Return the event that data tells of.

    Args:
        data: The fields.
        entry: Makes an entry of data.

    Raises:
        _Misfit: It tells of none.
    """
    kinds = _kinds()
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        message = f"no event is of the kind {kind!r}. {suggest(str(kind), kinds)}"
        raise _Misfit(message).at("kind")
    event: Event = _record(kinds[kind])(data, entry)
    return event


def without_infinities(value: Any) -> Any:
    """Return plain data as JSON takes it: numbers without an end are written as objects."""
    if isinstance(value, float):
        return value if isfinite(value) else {_FLOAT: str(value)}
    if isinstance(value, list | tuple):
        return [without_infinities(item) for item in value]
    if isinstance(value, dict):
        plain = {key: without_infinities(item) for key, item in value.items()}
        return {_FLOAT: [plain[_FLOAT]]} if plain.keys() == {_FLOAT} else plain
    return value


def _with_infinities(data: Any) -> Any:
    if isinstance(data, list):
        return [_with_infinities(item) for item in data]
    if not isinstance(data, dict):
        return data
    if data.keys() != {_FLOAT}:
        return {key: _with_infinities(item) for key, item in data.items()}
    told = data[_FLOAT]
    if isinstance(told, str) and told in _ENDLESS:
        return float(told)
    if isinstance(told, list) and len(told) == 1:
        return {_FLOAT: _with_infinities(told[0])}
    message = f"what stands under {_FLOAT!r} is no number"
    raise _Misfit(message)


@lru_cache(maxsize=1)
def _kinds() -> dict[str, Any]:
    classes = get_args(get_args(Event)[0])
    return {str(next(field.default for field in fields(cls) if field.name == "kind")): cls for cls in classes}


@lru_cache(maxsize=64)
def _record(cls: Any) -> _Read:
    """Return what reads a dataclass."""
    hints = get_type_hints(cls)
    readers = {field.name: _reader(hints[field.name]) for field in fields(cls)}
    needed = [item.name for item in fields(cls) if item.default is MISSING and item.default_factory is MISSING]

    def read(data: Any, entry: EntryReader) -> Any:
        if not isinstance(data, dict):
            raise _other_than("an object", data)
        lacking, unknown = [name for name in needed if name not in data], sorted(data.keys() - readers.keys())
        if lacking or unknown:
            what = [f"{name!r} is missing" for name in lacking] + [f"{name!r} is no field of it" for name in unknown]
            raise _Misfit(listed(what))
        made = {}
        for name, told in data.items():
            try:
                made[name] = readers[name](told, entry)
            except _Misfit as error:
                raise error.at(name) from None
        return cls(**made)

    return read


def _reader(form: Any) -> _Read:
    """Return what reads a field of a type."""
    origin, args = get_origin(form), get_args(form)
    if form is Entry:
        return lambda data, entry: entry(data)
    if form is float:
        return _float
    if form in (int, str, bool, type(None)):
        return _exactly(form)
    if form is Usage:
        hints = get_type_hints(Usage)
        fixed = _fixed([_reader(hints[name]) for name in Usage._fields])
        return lambda data, entry: Usage(*fixed(data, entry))
    if form is ToolCall:
        return _record(ToolCall)
    if origin is tuple:
        return _many(_reader(args[0])) if args[1:] == (...,) else _fixed([_reader(arg) for arg in args])
    if origin in (Union, types.UnionType):
        return _either([_reader(arg) for arg in args])
    if origin is dict:
        return _plain
    return _one_of(list(args) if origin is Literal else list(typing.cast("type[Enum]", form)))


def _exactly(cls: Any) -> _Read:
    def read(data: Any, _: EntryReader) -> Any:
        if type(data) is not cls:
            raise _other_than("null" if cls is type(None) else cls.__name__, data)
        return data

    return read


def _float(data: Any, _: EntryReader) -> Any:
    if type(data) is float or (isinstance(data, str) and data in _ENDLESS):
        return float(data)
    if type(data) is not int:
        raise _other_than("float", data)
    try:
        return float(data)
    except OverflowError:
        message = "the number is too large"
        raise _Misfit(message) from None


def _plain(data: Any, _: EntryReader) -> Any:
    if not isinstance(data, dict):
        raise _other_than("an object", data)
    return _with_infinities(data)


def _many(item: _Read) -> _Read:
    def read(data: Any, entry: EntryReader) -> Any:
        return tuple(_item(item, told, place, entry) for place, told in enumerate(_list(data)))

    return read


def _fixed(items: list[_Read]) -> _Read:
    def read(data: Any, entry: EntryReader) -> Any:
        if len(_list(data)) != len(items):
            message = f"it has {len(data)} items, not {len(items)}"
            raise _Misfit(message)
        return tuple(
            _item(item, told, place, entry) for place, (item, told) in enumerate(zip(items, data, strict=True))
        )

    return read


def _either(choices: list[_Read]) -> _Read:
    def read(data: Any, entry: EntryReader) -> Any:
        for choice in choices[:-1]:
            try:
                return choice(data, entry)
            except _Misfit:
                continue
        return choices[-1](data, entry)

    return read


def _one_of(choices: list[Any]) -> _Read:
    known = {str(choice): choice for choice in choices}  # all of them are texts

    def read(data: Any, _: EntryReader) -> Any:
        if not isinstance(data, str) or data not in known:
            message = f"it is none of {listed(map(repr, known), conjunction='or')}"
            raise _Misfit(message)
        return known[data]

    return read


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise _other_than("a list", data)
    return data


def _item(read: _Read, data: Any, place: int, entry: EntryReader) -> Any:
    try:
        return read(data, entry)
    except _Misfit as error:
        raise error.at(place) from None


def _other_than(wanted: str, data: Any) -> _Misfit:
    return _Misfit(f"it is {'null' if data is None else type(data).__name__}, not {wanted}")
