"""What CEL sees of the objects on the board: plain values, and of them only what the text reads.

Converting just the chains of a text bounds the cost on big objects, and keeps a computed field that nobody asked
for from running. The promise: a value that cannot be shown truly (an integer beyond 64 bits, an object that is no
data) is an error, never something similar; a secret is never shown.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, RootModel, Secret, SecretBytes, SecretStr
from pydantic_core import PydanticSerializationError, to_jsonable_python

from planboard._text import brief
from planboard.blackboard.expression_paths import Part, Refuse, Role, Use

MAX_VALUES: Final = 200_000
MAX_DEPTH: Final = 24
MASK: Final = "**********"

_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1
_AS_TEXT: Final = (UUID, PurePath)
_NATIVE: Final = frozenset({type(None), bool, float, str, bytes, datetime, timedelta})


class Need:
    """Which parts of a value a text reads, as a tree."""

    __slots__ = ("fields", "items", "sized", "whole")

    def __init__(self, *, whole: bool = False) -> None:
        self.whole = whole
        self.sized = False
        """Its elements are counted or walked over, so all have to be there."""
        self.fields: dict[str, Need] = {}
        self.items: Need | None = None
        """What is read of each element."""

    def add(self, parts: Sequence[Part], role: Role) -> None:
        """Note that a chain is read."""
        node = self
        for part in parts:
            if isinstance(part, str):
                node = node.fields.setdefault(part, Need())
            else:
                node.items = node.items or Need()
                node = node.items
        node.whole |= role in {Role.VALUE, Role.EQUALITY}
        node.sized |= role is Role.SIZE


WHOLE: Final = Need(whole=True)
NOTHING: Final = Need()


def needs_of(uses: Iterable[Use]) -> dict[str, Need]:
    """Return what is read of each root."""
    needs: dict[str, Need] = {}
    for use in uses:
        needs.setdefault(use.chain.root, Need()).add(use.chain.parts, use.role)
    return needs


class Converter:
    """Turns live objects into values for CEL, for one evaluation."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self._count = 0

    def convert(self, value: Any, need: Need, path: str, depth: int = 0) -> Any:
        """Return what CEL sees of a value; `path` says in messages where it is."""
        self._count += 1
        if self._count > MAX_VALUES:
            self._refuse(f"it reads more than {MAX_VALUES:,} values; use a @condition function for so many")
        if depth > MAX_DEPTH:
            self._refuse(f"{path} is nested deeper than {MAX_DEPTH} levels")
        if type(value) in _NATIVE:
            return value
        if isinstance(value, Enum):
            return self._enum(value, path)
        if isinstance(value, int):
            return self._integer(int(value), path) if need.whole else 0
        cls: Any = type(value)
        record = _record_of(cls)
        if record is not None:
            return self._object(value, record, need, path, depth)
        if isinstance(value, RootModel):
            return self.convert(value.root, need, path, depth)
        if isinstance(value, Mapping):
            return self._mapping(value, need, path, depth)
        if isinstance(value, Sequence | AbstractSet) and not isinstance(value, str | bytes | bytearray):
            return self._list(value, need, path, depth)
        return self._scalar(value, path) if need.whole else ""  # only its presence is asked for

    def _integer(self, value: int, path: str) -> int:
        if not _INT_MIN <= value <= _INT_MAX:
            self._refuse(f"{path} is {brief(value, 40)}, an integer beyond 64 bits")
        return value

    def _enum(self, value: Enum, path: str) -> Any:
        """Return the value of an enum member; its name when the value is neither text nor number."""
        plain = value.value
        if isinstance(plain, int) and not isinstance(plain, bool):
            return self._integer(int(plain), path)
        return plain if isinstance(plain, str | float | bool) else value.name

    def _scalar(self, value: object, path: str) -> Any:
        if isinstance(value, Secret | SecretStr | SecretBytes):
            return MASK
        if isinstance(value, _AS_TEXT):
            return str(value)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, Decimal | float):
            return float(value)
        if isinstance(value, datetime | timedelta):
            return value
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        if isinstance(value, bytearray | memoryview):
            return bytes(value)
        try:
            plain = to_jsonable_python(value)
        except (PydanticSerializationError, ValueError, TypeError):
            plain = None
        if not isinstance(plain, str | int | float):
            kind = type(value).__name__
            self._refuse(f"{path} is of type {kind}, which text conditions cannot read; use a @condition function")
        return self.convert(plain, WHOLE, path)

    def _object(self, value: Any, record: "_Record", need: Need, path: str, depth: int) -> dict[str, Any]:
        everything = need.whole or need.items is not None or need.sized
        names = (*record.names, *(getattr(value, "model_extra", None) or ())) if record.is_open else record.names
        shown = {}
        for name in names if everything else need.fields:
            if not everything and name not in names:
                continue
            part = WHOLE if everything else need.fields[name]
            # A computed field that fails has to say so; a stored one may be missing after `model_construct`.
            if name in record.computed or hasattr(value, name):
                shown[name] = self.convert(getattr(value, name), part, f"{path}.{name}", depth + 1)
        return shown

    def _mapping(self, value: Mapping[Any, Any], need: Need, path: str, depth: int) -> dict[Any, Any]:
        everything = need.whole or need.items is not None or need.sized
        shown = {}
        for key, content in value.items():
            plain: Any = self._key(key, path) if everything else _name_of(key)
            if everything:
                part = WHOLE if need.whole else need.fields.get(plain) or need.items or NOTHING
            elif isinstance(plain, str) and plain in need.fields:
                part = need.fields[plain]
            else:
                continue
            shown[plain] = self.convert(content, part, f"{path}[{plain!r}]", depth + 1)
        return shown

    def _key(self, key: object, path: str) -> Any:
        plain = _name_of(key)
        if not isinstance(plain, str | int):
            self._refuse(f"{path} has the key {brief(key, 40)}; only texts, integers and booleans are keys in CEL")
        return plain if isinstance(plain, str | bool) else self._integer(plain, path)

    def _list(self, value: Iterable[Any], need: Need, path: str, depth: int) -> list[Any]:
        elements = _ordered(value) if isinstance(value, AbstractSet) else value
        part = WHOLE if need.whole else need.items
        if part is None:
            return [None for _ in elements]  # only their number is read
        return [self.convert(element, part, f"{path}[{at}]", depth + 1) for at, element in enumerate(elements)]


def _name_of(key: object) -> object:
    plain = key.value if isinstance(key, Enum) else key
    return str(plain) if isinstance(plain, _AS_TEXT) else plain


@dataclasses.dataclass(frozen=True, slots=True)
class _Record:
    """A class whose objects have named fields."""

    names: tuple[str, ...]
    computed: frozenset[str] = frozenset()
    is_open: bool = False
    """Its objects may have fields that the class does not declare."""


@lru_cache(maxsize=1024)
def _record_of(cls: type) -> _Record | None:
    if issubclass(cls, BaseModel) and not issubclass(cls, RootModel):
        computed = frozenset(cls.model_computed_fields)
        return _Record(
            (*cls.model_fields, *cls.model_computed_fields), computed, cls.model_config.get("extra") == "allow"
        )
    if dataclasses.is_dataclass(cls):
        return _Record(tuple(known.name for known in dataclasses.fields(cls)))
    names = getattr(cls, "_fields", None)
    return _Record(names) if issubclass(cls, tuple) and isinstance(names, tuple) else None


def _ordered(values: Iterable[Any]) -> list[Any]:
    """Return the elements of a set in an order that does not depend on the hash seed."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda one: (type(one).__name__, str(one)))
