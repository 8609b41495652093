"""JSON schemas for models: short, complete in themselves, and strict wherever a type allows it.

The strict subset is that of OpenAI's structured outputs: every object names all its properties as required and
allows no others, what is optional may be null, and only some keywords are used. A schema that cannot be strict is
sent as it is, for its tool alone.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, Secret, SecretBytes, SecretStr, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError

from planboard._text import is_secret, listed
from planboard.blackboard.schema import public_schema
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
_DATA = frozenset({"default", "const", "enum"})
"""Keywords that hold values, which are no schemas whatever they look like."""
_LOOKAROUND = re.compile(r"(?<!\\)(?:\\\\)*\(\?<?[=!]")
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_DEPTH = 10
_PROPERTIES = 5000
_CHOICES = 1000
_LETTERS = 120_000
"""Of all names and allowed values."""
_LONG_LIST = 250
_LETTERS_OF_A_LONG_LIST = 15_000
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
    schemas, definitions = _schemas_of({"": form})
    return {**schemas[""], "$defs": definitions} if definitions else schemas[""]


def arguments_schema(parameters: Mapping[str, Parameter]) -> tuple[Schema, bool]:
    """Return the schema of a tool's arguments, and whether it is strict.

    The same tools are offered turn after turn, so schemas are remembered: one that is returned must not be changed.
    """
    try:
        key = tuple((name, _spelling(one.form), one.required, one.description) for name, one in parameters.items())
        hash(key)
    except TypeError:  # some type is annotated with an object that has no hash
        return _arguments_schema(parameters)
    return _remembered(_Wanted(key, parameters))


@dataclass(frozen=True, slots=True)
class _Wanted:
    key: Hashable
    parameters: Mapping[str, Parameter] = field(compare=False)


@lru_cache(maxsize=1024)
def _remembered(wanted: _Wanted) -> tuple[Schema, bool]:
    return _arguments_schema(wanted.parameters)


def _spelling(form: Any) -> Hashable:
    """Return a key that is equal for types that are written alike: `A | B` equals `B | A`, but its schema does not.

    Nor are `Literal[1]` and `Literal[True]` alike, nor bounds of 1 and of 1.0: a value counts as the object it is.
    """
    origin, arguments = get_origin(form), get_args(form)
    if not arguments:
        return form  # type: ignore[no-any-return]
    if origin in (Literal, Annotated):
        return (origin, *((id(one), _spelling(one)) for one in arguments))
    return (origin, *map(_spelling, arguments))


def _arguments_schema(parameters: Mapping[str, Parameter]) -> tuple[Schema, bool]:
    if not parameters:  # as short as can be; what is given in spite of it does no harm
        return {"type": "object", "properties": {}}, False
    schemas, definitions = _schemas_of({name: parameter.form for name, parameter in parameters.items()})
    properties = {name: _described(schemas[name], parameter.description) for name, parameter in parameters.items()}
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
    return _objection(schema, "$", 0) or _size_objection(schema)


def outline(form: TypeForm) -> str:
    """Return a type on one line, as a person would tell it: `MarketData {revenues: dict[str, str], share: float}`."""
    told = [f"{name}: {type_name(kind)}" for name, kind in _fields_of(form)]
    shown = ", ".join(told[:_FIELDS]) + (", …" if len(told) > _FIELDS else "")
    return f"{type_name(form)} {{{shown}}}" if shown else type_name(form)


def _fields_of(form: TypeForm) -> list[tuple[str, Any]]:
    if isinstance(form, type) and issubclass(form, BaseModel):
        found: list[tuple[str, Any]] = [(name, info.annotation) for name, info in form.model_fields.items()]
    elif isinstance(form, type) and is_dataclass(form):
        kinds = _hints(form)
        found = [(item.name, kinds.get(item.name, item.type)) for item in fields(form)]
    else:
        return []
    return [(name, kind) for name, kind in found if not (_is_secret_type(kind) or is_secret(name))]


def _hints(form: type) -> dict[str, Any]:
    """Return the types of a class's fields where they can be told; postponed annotations are only text."""
    try:
        return get_type_hints(form)
    except (NameError, TypeError):
        return {}


def _is_secret_type(kind: Any) -> bool:
    if isinstance(kind, str):  # postponed, and what it names cannot be found
        return "Secret" in kind
    named = get_origin(kind) or kind
    if isinstance(named, type) and issubclass(named, SecretStr | SecretBytes | Secret):
        return True
    return any(_is_secret_type(part) for part in get_args(kind) if not isinstance(part, str))


# Shortening


def _schemas_of(forms: Mapping[str, TypeForm]) -> tuple[dict[str, Schema], Schema]:
    """Return the short schemas of several types, and the definitions they share.

    They are made together, for two types of one name need definitions of two names.
    """
    try:
        made, shared = TypeAdapter.json_schemas(
            [(name, "validation", TypeAdapter(form)) for name, form in forms.items()]
        )
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema, PydanticUserError) as error:
        for form in forms.values() if len(forms) > 1 else ():  # find out which it is
            schema_of(form)
        reason = str(error).partition("\n")[0]
        names = listed(type_name(form) for form in forms.values())
        message = f"A model cannot be told how to write a {names}: it has no JSON schema. {reason}"
        raise DefinitionError(message) from error
    definitions = public_schema(shared.get("$defs", {}))
    looping = _looping(definitions)
    schemas = {name: _short(public_schema(made[name, "validation"]), definitions, looping) for name in forms}
    return schemas, {name: _short(definitions[name], definitions, looping) for name in sorted(looping)}


def _described(schema: Schema, description: str) -> Schema:
    """Add a description; servers allow none beside a reference."""
    if not description:
        return schema
    return {**({"anyOf": [schema]} if "$ref" in schema else schema), "description": description}


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
            return _described({"$ref": reference}, schema.get("description", ""))
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return _short({**definitions[name], **rest}, definitions, looping)
    kept = {
        key: value
        if key in _DATA and not names
        else _short(value, definitions, looping, names=key == "properties" and not names)
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
    choices = rewritten.get("enum", [rewritten["const"]] if "const" in rewritten else ())
    if choices and "type" not in rewritten and all(type(choice) in _JSON_TYPES for choice in choices):
        kinds = list(dict.fromkeys(_JSON_TYPES[type(choice)] for choice in choices))
        rewritten["type"] = kinds[0] if len(kinds) == 1 else kinds
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
    if not isinstance(schema, Mapping) or not schema:
        return f"{path}: any value is allowed"
    if depth > _DEPTH:
        return f"{path}: it is nested too deep"
    unknown = sorted(set(schema) - _STRICT_KEYWORDS)
    if unknown:
        return f"{path}: {unknown[0]} is not supported"
    if "$ref" in schema:
        return f"{path}: a reference stands alone" if len(schema) > 1 else None
    if not {"type", "anyOf"} & set(schema):
        return f"{path}: it has no type" if {"enum", "const"} & set(schema) else f"{path}: any value is allowed"
    found = _text_objection(schema, path)
    if found is not None:
        return found
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


def _text_objection(schema: Mapping[str, Any], path: str) -> str | None:
    if _LOOKAROUND.search(schema.get("pattern", "")):
        return f"{path}: a pattern looks ahead or behind"
    if schema.get("format", "date") not in _STRICT_FORMATS:
        return f"{path}: the format {schema['format']} is not supported"
    return None


def _object_objection(schema: Mapping[str, Any], path: str) -> str | None:
    if schema.get("additionalProperties") is not False:
        return f"{path}: other properties are allowed"
    if "properties" not in schema:
        return f"{path}: an object without named properties"
    if set(schema.get("required", ())) != set(schema["properties"]):
        return f"{path}: not all properties are required"
    return None


def _size_objection(schema: Mapping[str, Any]) -> str | None:
    """Say which limit of size a schema exceeds."""
    names: list[str] = []
    choices: list[Any] = []
    for part in _parts(schema):
        names += [*part.get("properties", ()), *part.get("$defs", ())]
        own = [*part.get("enum", ()), *([part["const"]] if "const" in part else ())]
        if len(own) > _LONG_LIST and _letters(own) > _LETTERS_OF_A_LONG_LIST:
            return f"$: a list of {len(own)} allowed values is too long"
        choices += own
    if len(names) > _PROPERTIES:
        return "$: there are too many properties"
    if len(choices) > _CHOICES:
        return "$: there are too many allowed values"
    return "$: the names and allowed values are too long" if _letters([*names, *choices]) > _LETTERS else None


def _letters(values: Iterable[Any]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and all schemas in it."""
    if isinstance(schema, Mapping):
        yield schema
        inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
        for item in (*inner, schema.get("items")):
            yield from _parts(item)
