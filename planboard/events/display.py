"""Events as plain data, for people to look at."""

from dataclasses import fields
from typing import Any

from planboard._text import brief, masked
from planboard.blackboard.entry import Entry
from planboard.llm.port import ToolCall


def event_to_dict(event: Any) -> dict[str, Any]:
    """Return an event as plain data for display; entries are shown by type, name, producer and value."""
    return {field.name: _plain(getattr(event, field.name)) for field in fields(event)}


def _plain(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    if isinstance(value, Entry):
        return {
            "position": value.position,
            "type": value.type_name,
            "name": value.name,
            "producer": value.producer,
            "value": masked(to_jsonable_python(value.value, fallback=brief, inf_nan_mode="strings")),
        }
    if isinstance(value, ToolCall):
        return {"id": value.id, "name": value.name, "arguments": _hidden_arguments(value.arguments)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return to_jsonable_python(value, fallback=brief)


def _hidden_arguments(text: str) -> Any:
    """Return a call's arguments as data if they can be read, so that what is secret by its name can be hidden."""
    import json

    try:
        return masked(json.loads(text))
    except (ValueError, RecursionError):
        return text
