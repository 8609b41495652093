"""Putting values together again, without running anybody's code: from data, which may be anything, to live objects."""

import dataclasses
import enum
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic_core import PydanticUndefined

from planboard._text import listed
from planboard.blackboard.json_text import to_text
from planboard.blackboard.layouts import Layouts, _Refused
from planboard.blackboard.scalars import BY_NAME, SCALARS
from planboard.blackboard.schema import describe
from planboard.blackboard.writer import PLAIN, SECRETS, adapter_of
from planboard.errors import EntryTypeError

_COLLECTIONS: Mapping[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "deque": deque,
}
_CLASSES: Mapping[str, type] = {scalar.name: cls for cls, scalar in SCALARS.items()}


class Reader:
    """Reads one value of registered classes.

    Args:
        layouts: How objects are put together.
        secrets: Values that were never written, by the name they are missed under.
        lenient: Take defaults for fields that data lacks, and drop those that are gone.
    """

    __slots__ = ("_layouts", "_lenient", "_secrets", "missing")

    def __init__(self, layouts: Layouts, secrets: Mapping[str, object], *, lenient: bool) -> None:
        self._layouts = layouts
        self._secrets = secrets
        self._lenient = lenient
        self.missing: dict[str, None] = {}
        """The secrets that were needed and not given."""

    def decode(self, data: Any) -> Any:
        """Return the value that data tells of, not checked against any type yet."""
        cls = type(data)
        if cls in PLAIN or cls is int or cls is float:
            return data
        if cls is list:
            return [self._item(item, f"[{place}]") for place, item in enumerate(data)]
        if cls is not dict:
            message = f"{cls.__name__} is no JSON"
            raise _Refused(message)
        if "$" in data:
            return self._registered(data)
        if "$t" in data:
            return self._standard(data)
        if "$secret" in data:
            return self._secret(data)
        return {key: self._item(item, f"[{key!r}]") for key, item in data.items()}

    def _item(self, data: Any, piece: str) -> Any:
        try:
            return self.decode(data)
        except _Refused as error:
            raise error.at(piece) from error.__cause__

    def _standard(self, data: dict[str, Any]) -> Any:
        kind, value = data["$t"], data.get("v")
        try:
            if kind == "dict":
                return {self.decode(key): self.decode(item) for key, item in map(_list, _list(value))}
            if kind in _COLLECTIONS:
                items = [self.decode(item) for item in _list(value)]
                return deque(items, data["maxlen"]) if "maxlen" in data else _COLLECTIONS[kind](items)
            if kind in BY_NAME:
                return _scalar(kind, value)
        except _Refused:
            raise
        except Exception as error:
            message = f"it is no {kind}: {type(error).__name__}"
            raise _Refused(message) from error
        message = f"{kind!r} is no standard class that is known"
        raise _Refused(message)

    def _secret(self, data: dict[str, Any]) -> Any:
        name, kind = str(data["$secret"]), data.get("kind")
        short = name.rpartition(".")[2]
        found = self._secrets.get(name, self._secrets.get(short))
        if found is None:
            self.missing[name] = None
            return None
        for cls in SECRETS:
            if kind == cls.__name__ and not isinstance(found, cls):
                return cls(found)
        return found

    def _registered(self, data: dict[str, Any]) -> Any:
        name, value = data["$"], data.get("v")
        migration = self._layouts.registry.migrations.get(name) if isinstance(name, str) else None
        try:
            cls: Any = self._layouts.registry.named(str(name)) if migration is None else migration.to
        except EntryTypeError as error:
            raise _Refused(str(error)) from None
        if issubclass(cls, enum.Enum):
            return _member(cls, value)
        if "of" in data:
            cls = self._parametrised(cls, data["of"])
        is_tuple = issubclass(cls, tuple) and hasattr(cls, "_fields")
        if not (issubclass(cls, BaseModel) or dataclasses.is_dataclass(cls) or is_tuple):
            return _from_pydantic(cls, value)
        if not isinstance(value, dict):
            message = f"the fields of {name} are {type(value).__name__}"
            raise _Refused(message)
        fields = {key: self._item(item, f".{key}") for key, item in value.items()}
        if migration is not None:
            fields = _migrated(migration.change, fields, str(name))
        fields = self._fitted(cls, fields)
        if is_tuple:
            return tuple.__new__(cls, [fields[field] for field in cls._fields])
        return self._built(cls, fields, data)

    def _parametrised(self, cls: Any, arguments: Any) -> Any:
        if not isinstance(arguments, list) or not all(isinstance(told, str) for told in arguments):
            message = f"the parameters of {cls.__qualname__} are {arguments!r}"
            raise _Refused(message)
        try:
            return cls[tuple(self._layouts.argument(told) for told in arguments)]
        except (TypeError, PydanticUserError) as error:
            raise _Refused(f"{cls.__qualname__} takes no such parameters: {error}") from None

    def _fitted(self, cls: Any, fields: dict[str, Any]) -> dict[str, Any]:
        """Return exactly the fields that a class has now."""
        layout = self._layouts.of(cls)
        if fields.keys() == layout.names:
            return fields
        lacking, gone = sorted(layout.names - fields.keys()), sorted(fields.keys() - layout.names)
        if not self._lenient:
            what = [f"lacks {name!r}" for name in lacking] + [f"has {name!r}, which is gone" for name in gone]
            message = f"a stored {layout.name} {listed(what)}; register a Migration for {layout.name}"
            raise _Refused(message)
        return {name: fields[name] if name in fields else _default(cls, name, layout.name) for name, _ in layout.fields}

    def _built(self, cls: Any, fields: dict[str, Any], data: dict[str, Any]) -> Any:
        try:
            made = cls.__new__(cls)
        except TypeError as error:
            raise _Refused(f"{cls.__qualname__} cannot be made: {error}") from None
        if not isinstance(made, BaseModel):
            for name, value in fields.items():
                object.__setattr__(made, name, value)
            return made
        chosen = data.get("set", list(fields))
        extra, private = self.decode(data.get("extra")), self.decode(data.get("private"))
        if not (_is_names(chosen) and _is_names_or_none(extra) and _is_names_or_none(private)):
            message = f"what is stored of a {cls.__qualname__} beside its fields is not in order"
            raise _Refused(message)
        allows = cls.model_config.get("extra") == "allow"
        if extra and not allows and not self._lenient:
            message = f"a {cls.__qualname__} takes no extra fields, such as {min(extra)!r}"
            raise _Refused(message)
        object.__setattr__(made, "__dict__", fields)
        object.__setattr__(made, "__pydantic_fields_set__", set(chosen) & (fields.keys() | (extra or {}).keys()))
        object.__setattr__(made, "__pydantic_extra__", (extra or {}) if allows else None)
        object.__setattr__(made, "__pydantic_private__", self._private(cls, private))
        return made

    def _private(self, cls: type[BaseModel], stored: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return the private attributes of a model; like a new one it has their defaults when none are stored."""
        known = cls.__private_attributes__
        gone = sorted((stored or {}).keys() - known.keys())
        if gone and not self._lenient:
            message = f"a {cls.__qualname__} has no private attribute {gone[0]!r}"
            raise _Refused(message)
        if stored is None:
            made = {name: attribute.get_default() for name, attribute in known.items()}
            stored = {name: value for name, value in made.items() if value is not PydanticUndefined}
        return {name: stored[name] for name in stored if name in known} if known else None


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        message = f"{type(value).__name__} is no list"
        raise TypeError(message)
    return value


def _scalar(kind: str, value: Any) -> Any:
    """Return a standard value, if it is one that would be written just like that."""
    scalar, cls = BY_NAME[kind], _CLASSES[kind]
    made = scalar.read(value)
    if type(made) is not cls or scalar.write(made) != value:
        message = f"no {kind} is written so"
        raise ValueError(message)
    return made


def _member(cls: Any, value: Any) -> Any:
    try:
        return cls(value) if issubclass(cls, enum.Flag) else cls[value]
    except (KeyError, ValueError, TypeError):
        message = f"{cls.__qualname__} has no member {value!r}"
        raise _Refused(message) from None


def _from_pydantic(cls: type, value: Any) -> Any:
    try:
        return adapter_of(cls).validate_json(to_text(value))
    except ValidationError as error:
        raise _Refused(describe(error)) from None
    except (PydanticSchemaGenerationError, PydanticUserError, ValueError, TypeError) as error:
        raise _Refused(f"a {cls.__qualname__} cannot be made of data: {type(error).__name__}") from None


def _migrated(change: Callable[[dict[str, Any]], dict[str, Any]], fields: dict[str, Any], name: str) -> dict[str, Any]:
    try:
        changed = change(dict(fields))
    except Exception as error:
        message = f"the migration of {name!r} raised {type(error).__name__}: {error}"
        raise _Refused(message) from error
    if not isinstance(changed, dict):
        message = f"the migration of {name!r} returned {type(changed).__name__} instead of a dict of fields"
        raise _Refused(message)
    return changed


def _default(cls: Any, name: str, told: str) -> Any:
    if issubclass(cls, BaseModel):
        field = cls.model_fields[name]
        if not field.is_required():
            return field.get_default(call_default_factory=True, validated_data={})
    elif dataclasses.is_dataclass(cls):
        item = next(field for field in dataclasses.fields(cls) if field.name == name)
        if item.default is not dataclasses.MISSING:
            return item.default
        if item.default_factory is not dataclasses.MISSING:
            return item.default_factory()
    message = f"a stored {told} lacks {name!r}, which has no default; register a Migration for {told}"
    raise _Refused(message)


def _is_names(value: Any) -> bool:
    return isinstance(value, list | dict) and all(isinstance(name, str) for name in value)


def _is_names_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and _is_names(value))
