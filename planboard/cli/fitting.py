"""Whether data fits a type: pydantic's validation, strict about unknown fields, with errors in words.

Text from the command line may stand for itself or for JSON. It is taken as it is where that fits the field, else as
JSON: `text=42` is "42" for a `str` and 42 for an `int`, and `tags=["a"]` is a list for a `list[str]`.
"""

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from planboard._text import suggest
from planboard.blackboard.schema import adapter_for
from planboard.cli.vocabulary import fields_of
from planboard.types import TypeForm, type_name


class Raw(str):
    """Text as it was typed, which may stand for JSON."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Fit:
    """The data fits, and this is the value."""

    value: object


@dataclass(frozen=True, slots=True)
class Misfit:
    """The data does not fit, and why: one text for each finding, beginning with the field's path."""

    problems: tuple[str, ...]


def fit(form: TypeForm, data: object) -> Fit | Misfit:
    """Make a value of a type from data; texts of type `Raw` may be read as JSON."""
    if inspect.isabstract(form):
        return Misfit((f"{type_name(form)} is abstract; name a subclass",))
    try:
        adapter = adapter_for(form)
    except Exception as error:  # noqa: BLE001 - whatever pydantic says about the user's type is the answer
        return Misfit((f"{type_name(form)} cannot be read from JSON: {error}",))
    errors: list[ErrorDetails] = []
    for attempt in _readings(data):
        found = _validated(adapter, attempt)
        if isinstance(found, ValidationError):
            read = _read_where_wrong(attempt, found)
            found = found if read is attempt else _validated(adapter, read)
        if isinstance(found, Fit):
            return found
        errors = found.errors(include_url=False, include_context=False)
    return Misfit(tuple(_in_words(error, form, data) for error in errors))


def read_json(text: str) -> object:
    """Return what a text says as JSON, or the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _readings(data: object) -> list[Any]:
    """Return the ways to read data, the likelier first; what is wrong with the last is told."""
    if not isinstance(data, Raw):
        return [data]
    read = read_json(data)
    if read == data and isinstance(read, str):
        return [str(data)]
    return [read, str(data)][:: 1 if data.lstrip().startswith(("{", "[", '"')) else -1]


def _validated(adapter: TypeAdapter[Any], data: object) -> Fit | ValidationError:
    try:
        text = json.dumps(data)
        extra: Any = None if _allows_extra(adapter.core_schema) else "forbid"
        value = adapter.validate_json(text, extra=extra, by_alias=True, by_name=True)
    except ValidationError as error:
        return error
    return Fit(value)


def _read_where_wrong(data: Any, error: ValidationError) -> Any:
    """Return the data with the texts that do not fit read as JSON; the data itself if there is none."""
    changed = data
    for found in error.errors(include_url=False, include_context=False, include_input=False):
        changed = _read_at(changed, found["loc"])
    return changed


def _read_at(data: Any, path: tuple[int | str, ...]) -> Any:
    if isinstance(data, Raw):
        read = read_json(data)
        return data if isinstance(read, str) else read
    if not path or not isinstance(data, Mapping) or path[0] not in data:
        return data
    inner = data[path[0]]
    read = _read_at(inner, path[1:])
    return data if read is inner else {**data, path[0]: read}


def _allows_extra(schema: Any) -> bool:
    if isinstance(schema, list | tuple):
        return any(_allows_extra(item) for item in schema)
    if not isinstance(schema, dict):
        return False
    if "allow" in (schema.get("extra_behavior"), schema.get("extra_fields_behavior")):
        return True
    return any(_allows_extra(item) for key, item in schema.items() if key != "metadata")


def _in_words(error: ErrorDetails, form: TypeForm, data: object) -> str:
    path = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        known = fields_of(form) if len(error["loc"]) == 1 else ()
        return f"{path}: there is no such field. {suggest(path, known) if known else ''}".rstrip()
    if error["type"] == "missing":
        return f"{path}: this field is required"
    where = path or type_name(form)
    return f"{where}: {error['msg']}{'' if data in ({}, '') else _shown(error['input'])}"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return f", not {text if len(text) <= 60 else text[:59] + '…'}"  # noqa: PLR2004 - a line's worth
