"""Notice when an object on the board was changed in place, and bring back what was stored.

Objects that cannot change are not watched. Of the others a private copy is kept, taken when they were put on the
board; comparing with it later is the check, and giving it out again is the repair.
"""

import copy
import datetime as dt
import decimal
import enum
import fractions
import math
import pathlib
import types
import typing
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, get_args

from pydantic import BaseModel

from planboard.types import origin_of

_ATOMS = (
    str, bytes, int, float, complex, bool, type(None), enum.Enum, dt.date, dt.time, dt.timedelta,
    dt.tzinfo, decimal.Decimal, fractions.Fraction, uuid.UUID, pathlib.PurePath, range, type, types.FunctionType,
)  # fmt: skip
_FROZEN_CONTAINERS = (tuple, frozenset)
_BUILT_IN = frozenset({list, dict, set, tuple})


class Watch:
    """A private copy of an object, to compare it with and to restore it from."""

    __slots__ = ("_changeable", "_copy", "_shallow", "_value")

    def __init__(self, value: object, *, shallow: bool) -> None:
        self._shallow = shallow
        self._value = value
        self._copy: Any = tuple(vars(value).items()) if shallow else duplicate(value)
        self._changeable = () if shallow else tuple(_changeable_parts(value, self._copy))

    def is_intact(self, value: object) -> bool:
        """Tell whether `value` still is as it was when the watch began."""
        if self._shallow:
            now = vars(value)
            return tuple(now.items()) == self._copy or _same_items(now, dict(self._copy), set())
        if value is self._value:
            return all(same(part, stored) for part, stored in self._changeable)
        return same(value, self._copy)  # it was restored since, and its parts are others

    def restored(self, value: object) -> Any:
        """Return the object as it was when the watch began."""
        if not self._shallow:
            return duplicate(self._copy)
        restored = copy.copy(value)
        vars(restored).clear()
        vars(restored).update(self._copy)
        return restored


def _changeable_parts(value: Any, stored: Any) -> Iterator[tuple[Any, Any]]:
    """Return the parts of an object that can change, outermost first, each beside its copy.

    What is frozen keeps the parts that it has, so they alone are looked at: of a large frozen model with one list in
    it, the list.
    """
    if value is stored:
        return
    cls: Any = type(value)
    if cls is tuple:
        for part, its_copy in zip(value, stored, strict=True):
            yield from _changeable_parts(part, its_copy)
    elif issubclass(cls, BaseModel) and _own_kind(cls) == "frozen":
        for name, part in vars(value).items():
            yield from _changeable_parts(part, vars(stored)[name])
    else:
        yield value, stored


def watch(value: object) -> Watch | None:
    """Start watching a value; `None` when nothing can change it."""
    cls: Any = type(value)
    kind = _kind_of_class(cls)
    if kind == "container":
        atoms = all(isinstance(item, _ATOMS) for item in typing.cast("tuple[Any, ...]", value))
        return None if atoms else Watch(value, shallow=False)
    return None if kind == "frozen" else Watch(value, shallow=kind == "shallow")


@lru_cache(maxsize=4096)
def _kind_of_class(cls: Any) -> typing.Literal["frozen", "shallow", "container", "deep"]:
    if issubclass(cls, _ATOMS):
        return "frozen"
    if issubclass(cls, _FROZEN_CONTAINERS):
        return "container"
    kind = _own_kind(cls)
    seen = {cls} if kind == "frozen" else set()
    fixed = kind != "deep" and all(_is_frozen_form(form, seen) for form in _field_types(cls))
    return kind if fixed else "deep"


@lru_cache(maxsize=4096)
def _own_kind(cls: Any) -> typing.Literal["frozen", "shallow", "deep"]:
    """Return what a class is by itself, whatever its fields may hold."""
    if issubclass(cls, BaseModel):
        allows_extra = cls.model_config.get("extra") == "allow" or cls.__pydantic_root_model__
        if allows_extra or cls.__private_attributes__:  # which can be set in what is frozen too
            return "deep"
        return "frozen" if cls.model_config.get("frozen") else "shallow"
    if not is_dataclass(cls):
        return "deep"
    if getattr(cls, "__dataclass_params__").frozen:  # noqa: B009 - not known to the type checker
        return "frozen"
    return "shallow" if "__slots__" not in vars(cls) else "deep"


def _field_types(cls: Any) -> list[Any]:
    if issubclass(cls, BaseModel):
        return [field.annotation for field in cls.model_fields.values()]
    try:
        hints = typing.get_type_hints(cls)
    except Exception:  # noqa: BLE001 - a hint that cannot be resolved only means: watch the object thoroughly
        return [Any]
    return [hints.get(field.name, Any) for field in fields(cls)]


def _is_frozen_form(form: Any, seen: set[type]) -> bool:
    """Tell whether no value of a type can be changed.

    Args:
        form: The type.
        seen: Classes that are looked at already: one that refers to itself is frozen if all else about it is.
    """
    if form is None or form is type(None):
        return True
    origin = origin_of(form)
    if origin is typing.Annotated:
        return _is_frozen_form(get_args(form)[0], seen)
    if origin is typing.Literal:
        return True
    if origin in (typing.Union, types.UnionType, tuple, frozenset):
        return all(arg is ... or _is_frozen_form(arg, seen) for arg in get_args(form))
    return _is_frozen_class(form, seen) if origin is None else False


def _is_frozen_class(form: Any, seen: set[type]) -> bool:
    if not isinstance(form, type):
        return False
    if form in seen or issubclass(form, _ATOMS):
        return True
    cls: Any = form
    if issubclass(cls, _FROZEN_CONTAINERS) or _own_kind(cls) != "frozen":
        return False
    seen.add(form)
    return all(_is_frozen_form(inner, seen) for inner in _field_types(form))


def duplicate(value: Any) -> Any:
    """Return a copy that shares only what cannot change. Objects that refuse to be copied are shared."""
    return _duplicate(value, {})


def _duplicate(value: Any, seen: dict[int, Any]) -> Any:
    if isinstance(value, _ATOMS):
        return value
    if id(value) in seen:
        return seen[id(value)]
    cls: Any = type(value)
    if cls not in _BUILT_IN and _kind_of_class(cls) == "frozen":
        return value
    if cls is list:
        copied: Any = []
        seen[id(value)] = copied
        copied.extend(_duplicate(item, seen) for item in value)
        return copied
    if cls is dict:
        copied = {}
        seen[id(value)] = copied
        copied.update((key, _duplicate(item, seen)) for key, item in value.items())
        return copied
    if cls is set:
        return set(value)
    if cls is tuple:
        return tuple(_duplicate(item, seen) for item in value)
    if isinstance(value, BaseModel):
        copied = cls.__new__(cls)
        seen[id(value)] = copied
        own: tuple[str, ...] = ("__pydantic_extra__", "__pydantic_private__")
        if cls.__pydantic_root_model__:  # it has no slots for these
            own = ()
        for slot in ("__dict__", *own):
            object.__setattr__(copied, slot, _duplicate(getattr(value, slot), seen))
        object.__setattr__(copied, "__pydantic_fields_set__", set(value.__pydantic_fields_set__))
        return copied
    try:
        return copy.deepcopy(value, seen)
    except Exception:  # noqa: BLE001 - a lock or a socket inside; such an object can only be shared
        seen[id(value)] = value
        return value


def same(left: Any, right: Any) -> bool:
    """Tell whether two values have the same content, also where `==` would lie, as for NaN or arrays."""
    return _same(left, right, set())


def _attributes(value: object) -> dict[str, Any]:
    slots = [name for base in type(value).__mro__ for name in _slot_names(base) if hasattr(value, name)]
    return {**getattr(value, "__dict__", {}), **{name: getattr(value, name) for name in slots}}


def _slot_names(cls: type) -> list[str]:
    slots = vars(cls).get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _same_items(now: Mapping[str, Any], before: Mapping[str, Any], seen: set[tuple[int, int]]) -> bool:
    """Compare attributes; one that was added since is a cached property, not a change."""
    return all(name in now and _same(now[name], value, seen) for name, value in before.items())


def _same_atoms(left: Any, right: Any) -> bool:
    """Compare two values of one class; what is not a number is the same as itself."""
    if isinstance(left, float):
        return bool(left == right) or (math.isnan(left) and math.isnan(right))
    if isinstance(left, complex):
        return _same_atoms(left.real, right.real) and _same_atoms(left.imag, right.imag)
    if isinstance(left, decimal.Decimal) and (left.is_nan() or right.is_nan()):
        return str(left) == str(right)  # a signalling one raises when it is compared
    return bool(left == right)


def _same(left: Any, right: Any, seen: set[tuple[int, int]]) -> bool:
    if left is right:
        return True
    cls: Any = type(left)
    if cls is not type(right):
        return False
    if cls not in _BUILT_IN and isinstance(left, _ATOMS):
        return _same_atoms(left, right)
    if (id(left), id(right)) in seen:
        return True
    seen.add((id(left), id(right)))
    if cls not in _BUILT_IN and isinstance(left, BaseModel):
        return (
            _same_items(vars(left), vars(right), seen)
            and _same(left.__pydantic_extra__, right.__pydantic_extra__, seen)
            and _same(left.__pydantic_private__, right.__pydantic_private__, seen)
        )
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(_same(a, b, seen) for a, b in zip(left, right, strict=True))
    if cls is dict or isinstance(left, Mapping):
        return left.keys() == right.keys() and all(_same(left[key], right[key], seen) for key in left)
    if is_dataclass(left):
        return all(_same(getattr(left, f.name, None), getattr(right, f.name, None), seen) for f in fields(left))
    if getattr(type(left), "__eq__", None) is object.__eq__:
        return _same(_attributes(left), _attributes(right), seen)
    equal = left == right
    return equal if isinstance(equal, bool) else bool(getattr(equal, "all", lambda: equal)())
