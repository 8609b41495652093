"""What a value must look like: structural checks of live objects.

A check looks at the object as it is. It never coerces, never copies and never runs a user's validator a second
time, since validators need not accept their own results.
"""

import dataclasses
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError
from pydantic_core import SchemaError, SchemaValidator, core_schema

from planboard._text import is_secret, masked, without_secrets
from planboard.types import TypeForm

_FUNCTION_SCHEMAS = {"function-before", "function-after", "function-wrap", "function-plain"}
_BYTES = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
_VALUES = ("default", "examples")
"""What a JSON schema says of values, beside what it allows."""
_NAMED = ("$defs", "patternProperties", "dependentSchemas")
"""Where a JSON schema has schemas under names that are none of its own words."""
_CLASS_SCHEMAS = {"model", "dataclass", "model-fields", "dataclass-args"}
_validators: dict[Any, SchemaValidator | None] = {}


def adapter_for(form: TypeForm) -> TypeAdapter[Any]:
    """Return pydantic's adapter for a type; a class that pydantic does not know is checked by instance."""
    try:
        return TypeAdapter(form)
    except PydanticSchemaGenerationError:
        return TypeAdapter(form, config=ConfigDict(arbitrary_types_allowed=True))


def public_schema(schema: Any) -> Any:
    """Return a JSON schema without the values that it gives for secrets: defaults and examples of such names."""
    if isinstance(schema, list):
        return [public_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _VALUES:
            if masked(value) == value:
                found[key] = value
        elif key == "properties" and isinstance(value, dict):
            found[key] = {name: _property(name, body) for name, body in value.items()}
        elif key in _NAMED and isinstance(value, dict):
            found[key] = {name: public_schema(body) for name, body in value.items()}
        else:
            found[key] = value if key in ("enum", "const") else public_schema(value)
    return found


def _property(name: str, schema: Any) -> Any:
    if is_secret(name) and isinstance(schema, dict):
        schema = {key: value for key, value in schema.items() if key not in _VALUES}
    return public_schema(schema)


def structural_problem(form: TypeForm, value: object) -> str | None:
    """Say what is wrong with a live object of type `form`: the field's path and why; `None` when nothing is.

    Objects made without validation, by `model_construct` for instance, are found out here.
    """
    cls = value.__class__
    key = cls if issubclass(cls, BaseModel) or dataclasses.is_dataclass(cls) else form
    try:
        validator = _validators[key]
    except KeyError:
        validator = _validators[key] = _structural_validator(key)
    except TypeError:  # an Annotated type with unhashable metadata
        validator = _structural_validator(key)
    if validator is None:
        return None
    try:
        validator.validate_python(value, strict=True, by_name=True, by_alias=False)
    except ValidationError as error:
        return describe(error)
    return None


def describe(error: ValidationError) -> str:
    """Return pydantic's findings on one line, without the values: they may be secret or large."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [f"{'.'.join(str(part) for part in item['loc']) or 'value'}: {item['msg']}" for item in found[:5]]
    more = f" (and {len(found) - 5} more)" if len(found) > 5 else ""  # noqa: PLR2004
    return "; ".join(lines) + more


def describe_error(error: BaseException) -> str:
    """Return an error's type and message, without the values that pydantic would show of what did not fit."""
    try:
        message = describe(error) if isinstance(error, ValidationError) else without_secrets(str(error))
    except Exception as other:  # noqa: BLE001 - an error that cannot be shown must not hide behind another
        message = f"it cannot be shown, for its text raises {type(other).__name__}"
    return f"{type(error).__name__}: {message}"


def _structural_validator(form: TypeForm) -> SchemaValidator | None:
    try:
        schema = _structure(adapter_for(form).core_schema)
        return SchemaValidator(schema, _use_prebuilt=False)  # the prebuilt ones would trust instances
    except (SchemaError, PydanticUserError, PydanticUndefinedAnnotation, TypeError):
        return None  # no schema can be made of it: the check by instance, made elsewhere, is all there is


def _structure(schema: Any) -> Any:
    """Rewrite a core schema so that it checks instances thoroughly and calls nothing of the user's."""
    if isinstance(schema, list | tuple):
        return type(schema)(_structure(item) for item in schema)
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    if kind in _FUNCTION_SCHEMAS:
        inner = schema.get("schema")
        if kind == "function-before" or _is_about_a_class(inner):
            return _structure(inner)
        return core_schema.any_schema()  # what the function makes of it cannot be known
    if kind == "default":
        return _structure(schema["schema"])
    rewritten = {key: value if key == "metadata" else _structure(value) for key, value in schema.items()}
    if kind in ("model", "dataclass"):
        rewritten["revalidate_instances"] = "always"
        rewritten.pop("post_init", None)
        rewritten.pop("custom_init", None)
        rewritten["config"] = {**rewritten.get("config", {}), "extra_fields_behavior": "ignore"}
        reference = rewritten.pop("ref", None)  # the data that would make an instance is none
        return core_schema.chain_schema([core_schema.is_instance_schema(schema["cls"]), rewritten], ref=reference)
    if kind in ("model-fields", "dataclass-args"):
        rewritten["extra_behavior"] = "ignore"
        rewritten.pop("extras_schema", None)
    if kind in ("model-field", "dataclass-field"):
        rewritten.pop("validation_alias", None)
    return rewritten


def _is_about_a_class(schema: Any) -> bool:
    while isinstance(schema, dict) and schema.get("type") in _FUNCTION_SCHEMAS:
        schema = schema.get("schema")
    return isinstance(schema, dict) and schema.get("type") in _CLASS_SCHEMAS


class StoredEntry(BaseModel):
    """One entry as it stands in JSON; the data is taken as it is or refused, never coerced."""

    model_config = ConfigDict(strict=True, extra="forbid")

    type: str | None
    value: Any
    name: str | None
    producer: str
    protected: bool
    visible: bool


class StoredBoard(BaseModel):
    """A board as it stands in JSON."""

    model_config = ConfigDict(strict=True, extra="forbid")

    entries: list[StoredEntry]
    conditions: dict[str, bool]
