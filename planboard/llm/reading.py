"""Reading what models write: arguments of calls, JSON in the middle of prose, values of a type.

Whatever a model writes, the result is a value or a `ValueError` that tells the model what to do.
"""

import json
import re
from typing import Any

from pydantic import TypeAdapter, ValidationError

from planboard.blackboard.schema import adapter_for
from planboard.types import TypeForm

_FAULTS = 8
_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n?")
_OPENING = re.compile(r"[{\[]")
_TRIES = 200
"""After so many braces that open no JSON a text is taken to have none."""


def read_arguments(text: str | None) -> dict[str, Any]:
    """Return the arguments of a call as models write them; nothing, `null` and `{}` are no arguments.

    Raises:
        ValueError: They are no JSON object.
    """
    value = _loaded_or_found(text)
    if isinstance(value, str):  # some models encode the object once more
        value = _loaded_or_found(value)
    if value is None:
        return {}
    if not isinstance(value, dict):
        message = f'the arguments must be one JSON object, as {{"name": value}}; they are {_kind(value)}'
        raise ValueError(message)  # noqa: TRY004 - what a model writes is a value to us, right or wrong
    return value


def json_in(text: str) -> Any:
    """Return the JSON object or array in a text: alone, fenced, or with prose around it.

    Raises:
        ValueError: There is none.
    """
    whole = _loaded(text.strip())
    if isinstance(whole, dict | list):
        return whole
    decoder = json.JSONDecoder()
    starts = [match.end() for match in _FENCE.finditer(text)]
    starts += [match.start() for match in _OPENING.finditer(text)][:_TRIES]
    for start in starts:
        rest = text[start:].lstrip()
        if rest[:1] not in ("{", "["):
            continue
        try:
            value, _ = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            return value
    message = "there is no JSON in the answer; give one JSON object and nothing else"
    raise ValueError(message)


def read_value(form: TypeForm, value: Any, *, path: str = "") -> Any:
    """Return a JSON value as an object of a type, as pydantic reads it from JSON, by field name or alias.

    Raises:
        ValueError: It does not fit; the text lists each fault with its path, and never what was given.
    """
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"{path or 'value'}: this is no JSON value"
        raise ValueError(message) from error
    try:
        return _adapter(form).validate_json(text, by_alias=True, by_name=True)
    except ValidationError as error:
        lighter = _without_nulls(value, error)
        if lighter is not value:
            return read_value(form, lighter, path=path)
        raise ValueError(_faults(error, path)) from error
    except RecursionError as error:
        message = f"{path or 'value'}: it is nested too deep"
        raise ValueError(message) from error


def _without_nulls(value: Any, error: ValidationError) -> Any:
    """Return the value without the nulls that do not fit: a strict schema makes models write what they leave out."""
    nulls = [item["loc"] for item in error.errors(include_url=False, include_context=False) if item["input"] is None]
    lighter = value
    for place in nulls:
        lighter = _without(lighter, place)
    return lighter


def _without(value: Any, place: tuple[int | str, ...]) -> Any:
    """Return a value without the field at a place; the same value if there is no such null field."""
    if not place:
        return value
    key, rest = place[0], place[1:]
    if isinstance(value, dict) and key in value:
        if not rest or value[key] is None:
            return {name: item for name, item in value.items() if name != key} if value[key] is None else value
        inner = _without(value[key], rest)
        return value if inner is value[key] else {**value, key: inner}
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        inner = _without(value[key], rest)
        return value if inner is value[key] else [*value[:key], inner, *value[key + 1 :]]
    return _without(value, rest)  # a step through a union or a tag, which the data does not show


def _loaded_or_found(text: str | None) -> Any:
    if text is None or not text.strip():
        return None
    try:
        return json.loads(text)
    except RecursionError:
        message = "the arguments are nested too deep"
        raise ValueError(message) from None
    except ValueError as error:
        try:
            return json_in(text)
        except ValueError:
            message = f"the arguments are no valid JSON: {_where(error)}"
            raise ValueError(message) from None


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _where(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    return "a number is too large"


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", bool: "true or false"}.get(type(value), "a number")


def _faults(error: ValidationError, path: str) -> str:
    """List what is wrong, one fault for each place; the branches of a union that do not fit count as one."""
    found: dict[str, list[str]] = {}
    for item in error.errors(include_url=False, include_input=False):
        place = ".".join(filter(None, (path, *(str(part) for part in item["loc"]))))
        found.setdefault(place or "value", []).append(_message(item))
    lines = [f"{place}: {'; or '.join(dict.fromkeys(messages))}" for place, messages in found.items()]
    more = f"; and {len(lines) - _FAULTS} more" if len(lines) > _FAULTS else ""
    return "; ".join(lines[:_FAULTS]) + more


def _message(item: Any) -> str:
    """Return pydantic's message without the value that a few kinds of fault quote."""
    context = item.get("ctx") or {}
    if item["type"] == "union_tag_invalid":
        return f"{context['discriminator']} must be one of {context['expected_tags']}"
    message: str = item["msg"]
    return message.removeprefix("Value error, ").removeprefix("Assertion failed, ")


def _adapter(form: TypeForm) -> TypeAdapter[Any]:
    try:
        return _ADAPTERS[form]
    except KeyError:
        found = _ADAPTERS[form] = adapter_for(form)
        return found
    except TypeError:  # an Annotated type with unhashable metadata
        return adapter_for(form)


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
