"""Whether a chain of attributes exists on a type, told from models, dataclasses and annotations alone.

The promise: a field is refused only when no member of the type has it. Whatever is open (`Any`, a plain mapping, a
class of which nothing is known) ends the walk, and nothing behind it is refused.
"""

import dataclasses
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NewType,
    NotRequired,
    Required,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)
from uuid import UUID

from pydantic import BaseModel, RootModel

from planboard._text import suggest
from planboard.blackboard.expression_paths import ELEMENT, Part
from planboard.types import TypeForm, type_name

_SCALARS: Final = (int, float, complex, str, bytes, date, time, timedelta, Decimal, UUID, PurePath, Enum)
_WRAPPERS: Final = (Annotated, Final, ClassVar, Required, NotRequired)

Fields: TypeAlias = Mapping[str, TypeForm]


def find_fault(form: TypeForm, parts: Sequence[Part]) -> str | None:
    """Return why a chain cannot exist on a type, as "Issue has no field 'x'" and a hint apart, or `None`.

    The result is the sentence and, after a newline, what to do instead.
    """
    current = _members(form)
    for part in parts:
        if not current:
            return None
        following: list[TypeForm] = []
        lacking: list[TypeForm] = []
        for member in current:
            found = _step(member, part)
            (lacking if found is None else following).extend([member] if found is None else found)
        if len(lacking) == len(current):
            return _fault(lacking, part)
        current = _dedup(inner for outer in following for inner in _members(outer))
        if any(member is Any for member in current):
            return None
    return None


def _dedup(forms: Iterable[TypeForm]) -> list[TypeForm]:
    kept: list[TypeForm] = []
    for form in forms:
        if form not in kept:
            kept.append(form)
    return kept


def _fault(members: list[TypeForm], part: Part) -> str:
    owner = " | ".join(type_name(member) for member in members)
    if not isinstance(part, str):
        return f"{owner} has no elements\nOnly lists and mappings are indexed or walked over."
    known = sorted({name for member in members for name in fields_of(member) or ()})
    if known:
        return f"{owner} has no field {part!r}\n{suggest(part, known)}"
    if any(_is_scalar(member, Enum) for member in members):
        return f"{owner} has no field {part!r}\nAn enum is read as its value; compare it directly."
    if any(get_origin(member) or member in (list, tuple, set, frozenset) for member in members):
        return f"{owner} has no field {part!r}\nPick an element by [0], or walk over them by .exists(one, ...)."
    return f"{owner} has no field {part!r}\nIt is a single value."


def _members(form: TypeForm) -> list[TypeForm]:
    """Return the types a value may have, without wrappers and without `None`; `[Any]` when that is open."""
    origin: Any = get_origin(form)  # a special form too, which its stub does not say
    if origin in _WRAPPERS:
        return _members(get_args(form)[0])
    if origin in (Union, types.UnionType):
        return _dedup(inner for arg in get_args(form) for inner in _members(arg))
    if origin is Literal:
        return _dedup(inner for arg in get_args(form) for inner in _members(type(arg)))
    if form is None or form is type(None):
        return []
    if isinstance(form, NewType):
        return _members(form.__supertype__)
    if hasattr(form, "__value__"):  # `type X = ...`, of which 3.11 knows only the backport
        return _members(form.__value__)
    if isinstance(form, type) and issubclass(form, RootModel):
        return _members(form.model_fields["root"].annotation)
    return [form if isinstance(form, type) or origin is not None else Any]


def _step(member: TypeForm, part: Part) -> list[TypeForm] | None:
    """Return the types one step further, `[Any]` when open, or `None` when there is no such step."""
    if member is Any:
        return [Any]
    origin, args = get_origin(member) or member, get_args(member)
    if _is_scalar(origin, *_SCALARS):
        return None if isinstance(part, str) else [Any]
    fields = fields_of(member)
    if fields is not None:
        return [Any] if not isinstance(part, str) else [fields[part]] if part in fields else None
    if isinstance(origin, type) and issubclass(origin, Mapping):
        # A macro walks over the keys of a mapping, a computed index picks a value: the text does not say which.
        return [args[1]] if len(args) == 2 and part is not ELEMENT else [Any]  # noqa: PLR2004 - key and value
    if isinstance(origin, type) and issubclass(origin, Collection):
        return None if isinstance(part, str) and _is_builtin(origin) else _elements(origin, args, part)
    return [Any]


def _elements(origin: type, args: tuple[TypeForm, ...], part: Part) -> list[TypeForm]:
    if isinstance(part, str) or not args:
        return [Any]
    if issubclass(origin, tuple) and Ellipsis not in args:
        if isinstance(part, int):
            return [args[part]] if part < len(args) else [Any]
        return list(args)
    return [args[0]]


def _is_builtin(origin: type) -> bool:
    return origin.__module__ in {"builtins", "collections", "collections.abc", "typing"}


def _is_scalar(form: TypeForm, *classes: type) -> bool:
    return isinstance(form, type) and issubclass(form, classes)


def fields_of(form: TypeForm) -> Fields | None:
    """Return the fields of a type and their types, or `None` when it has no closed set of fields."""
    cls = get_origin(form) or form
    if not isinstance(cls, type):
        return None
    if issubclass(cls, BaseModel):
        return None if cls.model_config.get("extra") == "allow" else _model_fields(cls)
    if dataclasses.is_dataclass(cls):
        return _annotated(cls, tuple(known.name for known in dataclasses.fields(cls)))
    if is_typeddict(cls):
        return _annotated(cls, (*cls.__required_keys__, *cls.__optional_keys__))
    names = getattr(cls, "_fields", None)
    return _annotated(cls, names) if issubclass(cls, tuple) and names else None


def _model_fields(cls: type[BaseModel]) -> Fields:
    stored = {name: known.annotation for name, known in cls.model_fields.items()}
    return stored | {name: known.return_type for name, known in cls.model_computed_fields.items()}


@cache
def _annotated(cls: type, names: tuple[str, ...]) -> Fields:
    """Return the annotations of a class; those that do not resolve are open."""
    try:
        hints = get_type_hints(cls, include_extras=True)
    except Exception:  # noqa: BLE001 - an annotation is any expression of the user; its names are known all the same
        hints = {}
    return {name: hints.get(name, Any) for name in names}
