"""How objects of registered classes are taken apart and what they are called, and the refusal of what cannot be."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from planboard._text import is_secret
from planboard.blackboard.registry import TypeRegistry
from planboard.blackboard.scalars import SCALARS
from planboard.errors import EntryTypeError
from planboard.types import TypeForm, type_name

_BASIC: Mapping[str, type] = {cls.__name__: cls for cls in (str, int, float, bool, bytes, complex, *SCALARS)}


class _Refused(Exception):  # noqa: N818 - becomes an EntryTypeError once the path is known
    """Something cannot be written or read."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.path: list[str] = []
        super().__init__(reason)

    def at(self, piece: str) -> "_Refused":
        """Add the place it is in."""
        self.path.insert(0, piece)
        return self


@dataclass(frozen=True, slots=True)
class Layout:
    """How objects of one class are taken apart."""

    name: str
    arguments: tuple[str, ...]
    """For a parametrised model that only its origin is registered of: the types it is parametrised with."""
    fields: tuple[tuple[str, bool], ...]
    """Each field, and whether it is secret by its name."""
    names: frozenset[str]


class Layouts:
    """The layouts of the classes of a registry, each found once."""

    __slots__ = ("_known", "registry")

    def __init__(self, registry: TypeRegistry) -> None:
        self.registry = registry
        self._known: dict[type, Layout] = {}

    def of(self, cls: Any) -> Layout:
        """Return the layout of a model, dataclass or named tuple."""
        layout = self._known.get(cls)
        if layout is None:
            if issubclass(cls, BaseModel):
                names = tuple(cls.model_fields)
            else:
                names = tuple(cls._fields if issubclass(cls, tuple) else [f.name for f in dataclasses.fields(cls)])
            name, arguments = self._name_and_arguments(cls)
            fields = tuple((field, is_secret(field)) for field in names)
            layout = self._known[cls] = Layout(name, arguments, fields, frozenset(names))
        return layout

    def name(self, cls: type) -> str:
        """Return the name of a registered class."""
        try:
            return self.registry.name_of(cls)
        except EntryTypeError as error:
            raise _Refused(str(error)) from None

    def _name_and_arguments(self, cls: type) -> tuple[str, tuple[str, ...]]:
        """Return the name of a class; for a model that was parametrised on the way, that of its origin."""
        metadata: Any = getattr(cls, "__pydantic_generic_metadata__", None) or {}
        origin = metadata.get("origin")
        if origin is None or self.registry.is_registered(cls):
            return self.name(cls), ()
        arguments = tuple(type_name(argument) for argument in metadata["args"])
        for argument, told in zip(metadata["args"], arguments, strict=True):
            if self.argument(told) != argument:
                message = f"{cls.__qualname__} is parametrised with {told}, which is not registered"
                raise _Refused(message)
        return self.name(origin), arguments

    def argument(self, told: str) -> TypeForm:
        """Return a type that a model is parametrised with, by its name."""
        if told in _BASIC:
            return _BASIC[told]
        try:
            return self.registry.form_named(told)
        except EntryTypeError as error:
            raise _Refused(str(error)) from None
