"""What a run asks of people, as forms of MCP clients: flat, of simple fields; and what is filled in, as an answer.

A form has at least one field, for there are clients that cannot send an empty one. What no flat form can hold is
asked for as JSON in one field.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from planboard._text import is_secret
from planboard.llm.port import compact_json
from planboard.runtime.requests import Approve, Deny, Request

_TEXT_KEYS = ("title", "description", "minLength", "maxLength")
_NUMBER_KEYS = ("title", "description", "minimum", "maximum")
_FORMATS = frozenset({"email", "uri", "date", "date-time"})
_PLAIN: Mapping[str, tuple[str, ...]] = {
    "string": _TEXT_KEYS,
    "integer": _NUMBER_KEYS,
    "number": _NUMBER_KEYS,
    "boolean": ("title", "description"),
}
_OF_TYPE: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
_ARGUMENT = 400
"""Characters of an argument that are shown."""
_SCHEMA = 2000
"""Characters of a schema that are shown."""
_VALUE, _JSON, _CONFIRMED = "value", "json", "confirmed"


@dataclass(frozen=True, slots=True)
class Form:
    """A form that a person fills in."""

    message: str
    schema: dict[str, Any]
    kind: Literal["consent", "object", "value", "json", "nothing"]
    nullable: tuple[str, ...] = ()
    """Fields that must be there, but may be null: left empty in the form, they are."""

    def read(self, content: Mapping[str, Any] | None) -> object:
        """Return the answer that was filled in.

        Raises:
            ValueError: It is none; the text says why.
        """
        filled = {key: value for key, value in (content or {}).items() if value is not None}
        if self.kind == "consent":
            agreed = filled.get("approve")
            if not isinstance(agreed, bool):
                message = "approve: say whether it may be done, true or false"
                raise ValueError(message)
            return Approve() if agreed else Deny(str(filled.get("reason", "")))
        if self.kind == "nothing":
            return {} if filled.get(_CONFIRMED) is True else Deny("not confirmed")
        if self.kind == "object":
            known = {key: value for key, value in filled.items() if key in self.schema["properties"]}
            return {**dict.fromkeys(self.nullable), **known}
        if self.kind == "value":
            return filled.get(_VALUE)
        try:
            return json.loads(str(filled.get(_JSON, "")))
        except (ValueError, RecursionError) as error:
            message = f"json: this is no JSON: {error}"
            raise ValueError(message) from error


def form_of(request: Request, fault: str = "") -> Form | None:
    """Return the form for a request; `None` if it asks for a secret, which has no place in one.

    Args:
        request: What is asked.
        fault: What was wrong with what was filled in before.
    """
    lines = [f"That does not answer it: {fault}"] if fault else []
    lines += [request.prompt, *(f"{name}: {_shown(value)}" for name, value in request.arguments.items())]
    message = "\n".join(lines)
    if request.purpose != "answer":
        properties: dict[str, Any] = {
            "approve": {"type": "boolean", "title": "Approve", "description": f"Whether {request.action} may run"},
            "reason": {"type": "string", "title": "Reason", "description": "Why not, if not"},
        }
        return Form(message, _form_schema(properties, ["approve"]), "consent")
    schema = request.schema
    if _asks_for_secret(schema):
        return None
    return _form_of_answer(message, schema)


def _form_of_answer(message: str, schema: Mapping[str, Any]) -> Form:
    definitions = schema.get("$defs", {})
    whole = _resolved(schema, definitions)
    if whole.get("type") == "object" and "properties" in whole and not whole["properties"]:
        field = {"type": "boolean", "title": "Confirm", "description": str(whole.get("description", "Confirm this"))}
        return Form(message, _form_schema({_CONFIRMED: field}, [_CONFIRMED]), "nothing")
    if whole.get("type") == "object" and whole.get("properties"):
        fields = {name: _field(field, definitions) for name, field in whole["properties"].items()}
        required = whole.get("required", ())
        flat = {name: field for name, (field, _) in fields.items() if field is not None}
        if len(flat) == len(fields):
            nullable = tuple(name for name in required if fields[name][1])
            needed = [name for name in fields if name in required and name not in nullable]
            return Form(message, _form_schema(flat, needed), "object", nullable)
    alone, may_be_null = _field(schema, definitions)
    if alone is not None:
        return Form(message, _form_schema({_VALUE: alone}, [] if may_be_null else [_VALUE]), "value")
    asked = {
        "type": "string",
        "title": "JSON",
        "description": f"JSON that fits this schema: {compact_json(schema)[:_SCHEMA]}",
    }
    return Form(message, _form_schema({_JSON: asked}, [_JSON]), "json")


def _form_schema(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": required}


def _field(schema: Any, definitions: Mapping[str, Any]) -> tuple[dict[str, Any] | None, bool]:
    """Return a simple field for a schema, or `None`; and whether it may be left empty for null."""
    found = _resolved(schema, definitions)
    choices = found.get("anyOf", found.get("oneOf"))
    if isinstance(choices, list):
        others = [choice for choice in choices if choice != {"type": "null"}]
        if len(others) != 1 or len(others) == len(choices):
            return None, False
        inner, _ = _field({**others[0], **{key: found[key] for key in ("title", "description") if key in found}},
                          definitions)  # fmt: skip
        return inner, True
    values = found.get("enum", [found["const"]] if "const" in found else None)
    if values is not None:
        if not all(isinstance(value, str) for value in values):
            return None, False
        return _with_default({"type": "string", **_kept(found, ("title", "description")), "enum": values}, found), False
    kind = str(found.get("type"))
    if kind not in _PLAIN:
        return None, False
    field = {"type": kind, **_kept(found, _PLAIN[kind])}
    if kind == "string" and found.get("format") in _FORMATS:
        field["format"] = found["format"]
    return _with_default(field, found), False


def _kept(schema: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: schema[key] for key in keys if key in schema}


def _with_default(field: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    default = schema.get("default")
    fits = isinstance(default, _OF_TYPE[field["type"]]) and (field["type"] == "boolean") == isinstance(default, bool)
    return {**field, "default": default} if fits else field


def _resolved(schema: Any, definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema without the reference, or the single `allOf`, that it may be."""
    found: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    for _ in range(len(definitions) + 1):
        inner = found.get("allOf")
        if "$ref" in found:
            target = definitions.get(str(found["$ref"]).rpartition("/")[2], {})
        elif isinstance(inner, list) and len(inner) == 1:
            target = inner[0]
        else:
            break
        found = {**target, **{key: value for key, value in found.items() if key not in ("$ref", "allOf", "$defs")}}
    return found


def _asks_for_secret(schema: Any) -> bool:
    if isinstance(schema, list):
        return any(map(_asks_for_secret, schema))
    if not isinstance(schema, Mapping):
        return False
    if schema.get("writeOnly") is True or schema.get("format") == "password":
        return True
    properties = schema.get("properties")
    named = properties if isinstance(properties, Mapping) else {}
    return any(map(is_secret, named)) or any(map(_asks_for_secret, schema.values()))


def _shown(value: Any) -> str:
    text = compact_json(value) if not isinstance(value, str) else value
    return text if len(text) <= _ARGUMENT else f"{text[: _ARGUMENT - 1]}…"
