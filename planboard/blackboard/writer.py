"""Taking values apart, by their classes: from live objects to data for JSON, without loss."""

import dataclasses
import enum
from collections import deque
from collections.abc import Mapping
from math import isfinite
from typing import Any

from pydantic import BaseModel, SecretBytes, SecretStr, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from planboard.blackboard.integrity import same
from planboard.blackboard.json_text import hides, is_hidden, to_text
from planboard.blackboard.layouts import Layout, Layouts, _Refused
from planboard.blackboard.scalars import SCALARS, SMALL
from planboard.blackboard.schema import describe

PLAIN = frozenset({str, bool, type(None)})
"""Classes whose values JSON has a form for."""
SECRETS: tuple[type, ...] = (SecretStr, SecretBytes)
"""Classes whose values are never written."""


class Writer:
    """Writes values of registered classes."""

    __slots__ = ("_layouts",)

    def __init__(self, layouts: Layouts) -> None:
        self._layouts = layouts

    def encode(self, value: Any) -> Any:
        """Return a value as data for JSON."""
        cls = type(value)
        if cls in PLAIN:
            return value
        if cls is int:
            return value if value.bit_length() < SMALL else {"$t": "int", "v": hex(value)}
        if cls is float:
            return value if isfinite(value) else {"$t": "float", "v": str(value)}
        if cls is list:
            return self._items(value)
        if cls is dict:
            return self._mapping(value)
        if cls in (tuple, deque):
            kind: dict[str, Any] = {"$t": cls.__name__, "v": self._items(value)}
            return kind if cls is tuple or value.maxlen is None else {**kind, "maxlen": value.maxlen}
        if cls in (set, frozenset):
            return {"$t": cls.__name__, "v": sorted(self._items(value), key=to_text)}
        scalar = SCALARS.get(cls)
        if scalar is not None:
            try:
                return {"$t": scalar.name, "v": scalar.write(value)}
            except ValueError as error:
                raise _Refused(str(error)) from None
        return self._object(value, cls)

    def _items(self, values: Any) -> list[Any]:
        encoded: list[Any] = []
        for item in values:
            try:
                encoded.append(self.encode(item))
            except _Refused as error:
                raise error.at(f"[{len(encoded)}]") from error.__cause__
        return encoded

    def _mapping(self, value: dict[Any, Any]) -> Any:
        pairs = []
        for key, item in value.items():
            try:
                hidden = isinstance(key, str) and hides(key, item)
                pairs.append((key, {"$secret": key} if hidden else self.encode(item)))
            except _Refused as error:
                raise error.at(f"[{key!r}]") from error.__cause__
        if all(type(key) is str and not key.startswith("$") for key in value):
            return dict(pairs)
        return {"$t": "dict", "v": [[self.encode(key), item] for key, item in pairs]}

    def _object(self, value: Any, cls: type) -> Any:
        if isinstance(value, enum.Enum):
            member = value.value if isinstance(value, enum.Flag) else value.name
            return {"$": self._layouts.name(cls), "v": member}
        if isinstance(value, SECRETS):
            return {"$secret": cls.__name__, "kind": cls.__name__}
        if isinstance(value, BaseModel):
            return self._model(value, cls)
        if dataclasses.is_dataclass(value):
            layout = self._layouts.of(cls)
            missing = [name for name, _ in layout.fields if not hasattr(value, name)]
            if missing:
                message = f"it has no {missing[0]!r}"
                raise _Refused(message)
            return {"$": layout.name, "v": self._fields(layout, {name: getattr(value, name) for name in layout.names})}
        if isinstance(value, tuple) and hasattr(cls, "_fields"):
            layout = self._layouts.of(cls)
            return {"$": layout.name, "v": self._fields(layout, dict(zip(cls._fields, value, strict=True)))}
        return self._by_pydantic(value, cls)

    def _model(self, value: BaseModel, cls: type[BaseModel]) -> Any:
        layout = self._layouts.of(cls)
        written: dict[str, Any] = {"$": layout.name, "v": self._fields(layout, vars(value))}
        if layout.arguments:
            written["of"] = list(layout.arguments)
        if value.__pydantic_fields_set__ != layout.names:
            written["set"] = sorted(value.__pydantic_fields_set__)
        if value.__pydantic_extra__:
            written["extra"] = self._mapping(value.__pydantic_extra__)
        if value.__pydantic_private__ is not None:
            written["private"] = self._mapping(value.__pydantic_private__)
        return written

    def _fields(self, layout: Layout, values: Mapping[str, Any]) -> dict[str, Any]:
        encoded: dict[str, Any] = {}
        for name, secret in layout.fields:
            try:
                value = values[name]
                cls = type(value)
                if secret and is_hidden(value):
                    encoded[name] = {"$secret": f"{layout.name}.{name}"}
                elif cls in PLAIN:
                    encoded[name] = value
                elif isinstance(value, SECRETS):
                    encoded[name] = {"$secret": f"{layout.name}.{name}", "kind": cls.__name__}
                else:
                    encoded[name] = self.encode(value)
            except KeyError:
                message = f"it has no {name!r}"
                raise _Refused(message) from None
            except _Refused as error:
                raise error.at(f".{name}") from error.__cause__
        return encoded

    def _by_pydantic(self, value: Any, cls: type) -> Any:
        name = self._layouts.name(cls)
        try:
            dumped = adapter_of(cls).dump_python(value, mode="json")
            restored = adapter_of(cls).validate_json(to_text(dumped))
        except (PydanticSchemaGenerationError, PydanticUserError):
            message = f"a {cls.__qualname__} is no model, dataclass, enumeration or standard value"
            raise _Refused(message) from None
        except (ValueError, TypeError) as error:
            raise _Refused(describe(error) if isinstance(error, ValidationError) else str(error)) from None
        if type(restored) is not cls or not (same(restored, value) or restored == value):
            message = f"a {cls.__qualname__} would not come back equal"
            raise _Refused(message)
        return {"$": name, "v": dumped}


_adapters: dict[type, TypeAdapter[Any]] = {}


def adapter_of(cls: type) -> TypeAdapter[Any]:
    """Return pydantic's adapter for a class that it knows."""
    if cls not in _adapters:
        _adapters[cls] = TypeAdapter(cls)
    return _adapters[cls]
