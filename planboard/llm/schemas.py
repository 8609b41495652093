"""JSON schemas for models: short, complete in themselves, and strict wherever a type allows it.

The strict subset is that of OpenAI's structured outputs: every object names all its properties as required and
allows no others, what is optional may be null, and only some keywords are used. A schema that cannot be strict is
sent as it is, for its tool alone.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args

from pydantic import BaseModel, SecretBytes, SecretStr, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError

from planboard._text import is_secret
from planboard.errors import DefinitionError
from planboard.types import TypeForm, type_name

Schema = dict[str, Any]

_STRICT_KEYWORDS = frozenset(
    {
        "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "description",
        "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems",
        "maxItems", "$ref", "$defs",
    }
)  # fmt: skip
_STRICT_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_NOT_FOR_MODELS = ("title", "discriminator", "examples", "deprecated", "readOnly", "writeOnly")
_DEPTH = 10
_PROPERTIES = 5000
_FIELDS = 12


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool."""

    form: TypeForm
    required: bool = True
    description: str = ""


def schema_of(form: TypeForm) -> Schema:
    """Return the JSON schema of what a model must write for a type: references written out, no titles.

    Raises:
        DefinitionError: There is no way to write a value of the type in JSON.
    """
    try:
        made = TypeAdapter(form).json_schema(mode="validation")
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema, PydanticUserError) as error:
        reason = str(error).partition("\n")[0]
        message = f"A model cannot be told how to write a {type_name(form)}: it has no JSON schema. {reason}"
        raise DefinitionError(message) from error
    definitions = made.pop("$defs", {})
    looping = _looping(definitions)
    schema: Schema = _short(made, definitions, looping)
    kept = {name: _short(definitions[name], definitions, looping) for name in sorted(looping)}
    return {**schema, "$defs": kept} if kept and "#/$defs/" in json.dumps([schema, kept]) else schema


def arguments_schema(parameters: Mapping[str, Parameter]) -> tuple[Schema, bool]:
    """Return the schema of a tool's arguments, and whether it is strict."""
    if not parameters:  # as short as can be; what is given in spite of it does no harm
        return {"type": "object", "properties": {}}, False
    definitions: Schema = {}
    properties: Schema = {}
    for name, parameter in parameters.items():
        schema = schema_of(parameter.form)
        definitions.update(schema.pop("$defs", {}))
        if parameter.description:
            schema["description"] = parameter.description
        properties[name] = schema
    required = [name for name, parameter in parameters.items() if parameter.required]
    plain: Schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    if definitions:
        plain["$defs"] = definitions
    strict = _as_strict(plain)
    return (strict, True) if strict_objection(strict) is None else (plain, False)


def strict_schema(schema: Schema) -> tuple[Schema, bool]:
    """Return the strict form of an object's schema if there is one, else the schema itself; and which it is."""
    strict = _as_strict(schema)
    return (strict, True) if strict_objection(strict) is None else (schema, False)


def strict_objection(schema: Mapping[str, Any]) -> str | None:
    """Say where and why a schema is not strict; `None` if it is."""
    if schema.get("type") != "object" or "anyOf" in schema:
        return "the whole must be an object"
    found = _objection(schema, "$", 0)
    if found is None and json.dumps(schema).count('"properties"') > _PROPERTIES:
        return "$: there are too many properties"
    return found


def outline(form: TypeForm) -> str:
    """Return a type on one line, as a person would tell it: `MarketData {revenues: dict[str, str], share: float}`."""
    told = [f"{name}: {type_name(kind)}" for name, kind in _fields_of(form)]
    shown = ", ".join(told[:_FIELDS]) + (", …" if len(told) > _FIELDS else "")
    return f"{type_name(form)} {{{shown}}}" if shown else type_name(form)


def _fields_of(form: TypeForm) -> list[tuple[str, Any]]:
    if isinstance(form, type) and issubclass(form, BaseModel):
        found: list[tuple[str, Any]] = [(name, info.annotation) for name, info in form.model_fields.items()]
    elif isinstance(form, type) and is_dataclass(form):
        found = [(item.name, item.type) for item in fields(form)]
    else:
        return []
    return [(name, kind) for name, kind in found if not (_is_secret_type(kind) or is_secret(name))]


def _is_secret_type(kind: Any) -> bool:
    return any(part in (SecretStr, SecretBytes) for part in (kind, *get_args(kind)))


# Shortening


def _looping(definitions: Mapping[str, Any]) -> set[str]:
    """Return the definitions that refer to themselves, at once or through others."""
    refers = {name: _references(body) & set(definitions) for name, body in definitions.items()}
    reached = {name: set(others) for name, others in refers.items()}
    for _ in definitions:
        reached = {name: others.union(*(reached[other] for other in others)) for name, others in reached.items()}
    return {name for name, others in reached.items() if name in others}


def _references(schema: Any) -> set[str]:
    if isinstance(schema, Mapping):
        own = {str(schema["$ref"]).removeprefix("#/$defs/")} if isinstance(schema.get("$ref"), str) else set()
        return own.union(*(_references(item) for item in schema.values()))
    if isinstance(schema, list):
        return set().union(*(_references(item) for item in schema))
    return set()


def _short(schema: Any, definitions: Mapping[str, Any], looping: Iterable[str], *, names: bool = False) -> Any:
    """Write out references and leave out what no model needs.

    Args:
        schema: What is shortened.
        definitions: What references stand for.
        looping: Those that have to stay.
        names: Whether the keys are names of properties, which may be "title" too.
    """
    if isinstance(schema, list):
        return [_short(item, definitions, looping) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    reference = None if names else schema.get("$ref")
    if isinstance(reference, str):
        name = reference.removeprefix("#/$defs/")
        if name in looping or name not in definitions:
            return {"$ref": reference}
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return _short({**definitions[name], **rest}, definitions, looping)
    kept = {
        key: _short(value, definitions, looping, names=key == "properties" and not names)
        for key, value in schema.items()
        if names or not (key in _NOT_FOR_MODELS or (key == "default" and value is None))
    }
    if "oneOf" in kept and not names:
        kept["anyOf"] = kept.pop("oneOf")
    return kept


# Strictness


def _as_strict(schema: Any, *, names: bool = False) -> Any:
    """Rewrite a schema so that it is strict where it can be: all required, what was optional nullable."""
    if isinstance(schema, list):
        return [_as_strict(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    if names:
        return {key: _as_strict(value) for key, value in schema.items()}
    rewritten = {
        key: value if key in ("enum", "const", "required") else _as_strict(value, names=key in ("properties", "$defs"))
        for key, value in schema.items()
        if key != "default"
    }
    if rewritten.get("type") == "object" and "properties" in rewritten:
        required = set(schema.get("required", ()))
        rewritten["properties"] = {
            name: body if name in required else _nullable(body) for name, body in rewritten["properties"].items()
        }
        rewritten["required"] = list(rewritten["properties"])
        rewritten.setdefault("additionalProperties", False)
    return rewritten


def _nullable(schema: Schema) -> Schema:
    kind = schema.get("type")
    if isinstance(kind, str) and "enum" not in schema and "const" not in schema:
        return schema if kind == "null" else {**schema, "type": [kind, "null"]}
    if "anyOf" in schema:
        options = schema["anyOf"]
        return schema if {"type": "null"} in options else {**schema, "anyOf": [*options, {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]}


def _objection(schema: Any, path: str, depth: int) -> str | None:
    if not isinstance(schema, Mapping):
        return f"{path}: any value is allowed"
    if depth > _DEPTH:
        return f"{path}: it is nested too deep"
    if not schema:
        return f"{path}: any value is allowed"
    unknown = sorted(set(schema) - _STRICT_KEYWORDS)
    if unknown:
        return f"{path}: {unknown[0]} is not supported"
    if "$ref" not in schema and not {"type", "anyOf", "enum", "const"} & set(schema):
        return f"{path}: any value is allowed"
    if schema.get("format", "date") not in _STRICT_FORMATS:
        return f"{path}: the format {schema['format']} is not supported"
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "object" in kinds:
        found = _object_objection(schema, path)
        if found is not None:
            return found
    if "array" in kinds and "items" not in schema:
        return f"{path}: a list of anything is allowed"
    inner = [(f"{path}.{key}", schema["properties"][key]) for key in schema.get("properties", {})]
    inner += [(f"{path}[]", schema["items"])] if "items" in schema else []
    inner += [(f"{path}|{index}", item) for index, item in enumerate(schema.get("anyOf", ()))]
    inner += [(f"{path}.$defs.{name}", body) for name, body in schema.get("$defs", {}).items()]
    return next((found for at, item in inner if (found := _objection(item, at, depth + 1)) is not None), None)


def _object_objection(schema: Mapping[str, Any], path: str) -> str | None:
    if schema.get("additionalProperties") is not False:
        return f"{path}: other properties are allowed"
    if "properties" not in schema:
        return f"{path}: an object without named properties"
    if set(schema.get("required", ())) != set(schema["properties"]):
        return f"{path}: not all properties are required"
    return None
