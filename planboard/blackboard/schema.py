"""What a value must look like: structural checks of live objects, and the codec between entries and JSON.

A check looks at the object as it is. It never coerces, never copies and never runs a user's validator a second
time, since validators need not accept their own results.
"""

import dataclasses
from collections.abc import Iterable
from math import isfinite, isnan
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation, PydanticUserError
from pydantic_core import SchemaError, SchemaValidator, core_schema

from planboard._text import without_secrets
from planboard.errors import EntryTypeError
from planboard.types import TypeForm, type_name

_FUNCTION_SCHEMAS = {"function-before", "function-after", "function-wrap", "function-plain"}
_BYTES = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
_CLASS_SCHEMAS = {"model", "dataclass", "model-fields", "dataclass-args"}
_validators: dict[Any, SchemaValidator | None] = {}


def adapter_for(form: TypeForm) -> TypeAdapter[Any]:
    """Return pydantic's adapter for a type; a class that pydantic does not know is checked by instance."""
    try:
        return TypeAdapter(form)
    except PydanticSchemaGenerationError:
        return TypeAdapter(form, config=ConfigDict(arbitrary_types_allowed=True))


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

    type: str
    value: Any
    declared: bool
    name: str | None
    producer: str
    protected: bool
    visible: bool


class StoredBoard(BaseModel):
    """A board as it stands in JSON."""

    model_config = ConfigDict(strict=True, extra="forbid")

    entries: list[StoredEntry]
    conditions: dict[str, bool]


class Codec:
    """Turn values of registered types into JSON and back, exactly or not at all.

    Types are known by name. A name in the data that is not registered is refused, so data can never choose what is
    imported or built.
    """

    def __init__(self, forms: Iterable[TypeForm] = ()) -> None:
        self._forms: dict[str, TypeForm] = {}
        self._adapters: dict[str, TypeAdapter[Any]] = {}
        for form in (str, int, float, bool, bytes, *forms):
            self.register(form)

    def register(self, form: TypeForm) -> str:
        """Make a type known and return the name it goes by."""
        name = self.name_of(form)
        if self._forms.setdefault(name, form) != form:
            message = f"Two different types go by the name {name!r}; rename one of them."
            raise EntryTypeError(message)
        return name

    @staticmethod
    def name_of(form: TypeForm) -> str:
        """Return the name of a type in stored data: its module and qualified name, or its text form."""
        if isinstance(form, type) and not getattr(form, "__args__", None):
            return form.__qualname__ if form.__module__ == "builtins" else f"{form.__module__}.{form.__qualname__}"
        return type_name(form)

    def encode(self, form: TypeForm, value: object) -> dict[str, Any]:
        """Return `{"type": ..., "value": ...}`; refuse what would not come back equal.

        Raises:
            EntryTypeError: The value cannot be stored without loss.
        """
        name = self.register(form)
        adapter = self._adapter(name)
        try:
            dumped = _finite(adapter.dump_python(value, mode="json", by_alias=False, exclude_computed_fields=True))
            restored = self._restore(adapter, dumped)
        except Exception as error:
            message = f"A {name} cannot be stored: {_reason(error)}"
            raise EntryTypeError(message) from error
        if not _equal(restored, value):
            message = f"A {name} would not come back equal from JSON, so it is not stored."
            raise EntryTypeError(message)
        return {"type": name, "value": dumped}

    def decode(self, name: str, dumped: Any) -> tuple[TypeForm, Any]:
        """Return the type and the value of what `encode` made.

        Raises:
            EntryTypeError: The type is not registered, or the data does not fit it.
        """
        if name not in self._forms:
            message = f"The stored type {name!r} is not registered. Pass it in `types=`."
            raise EntryTypeError(message)
        try:
            return self._forms[name], self._restore(self._adapter(name), dumped)
        except ValidationError as error:
            message = f"Stored data does not fit {name}: {describe(error)}"
            raise EntryTypeError(message) from error

    def _adapter(self, name: str) -> TypeAdapter[Any]:
        if name not in self._adapters:
            form = self._forms[name]
            try:
                self._adapters[name] = TypeAdapter(form, config=_BYTES)
            except (PydanticSchemaGenerationError, PydanticUserError):  # a class brings its own configuration
                self._adapters[name] = adapter_for(form)
        return self._adapters[name]

    @staticmethod
    def _restore(adapter: TypeAdapter[Any], dumped: Any) -> Any:
        import json

        return adapter.validate_json(json.dumps(dumped), by_name=True, by_alias=False)


def _finite(dumped: Any) -> Any:
    """Write NaN and the infinities, for which JSON has no numbers, as the texts that a float is read from."""
    if isinstance(dumped, float) and not isfinite(dumped):
        return "NaN" if isnan(dumped) else "Infinity" if dumped > 0 else "-Infinity"
    if isinstance(dumped, list):
        return [_finite(item) for item in dumped]
    return {key: _finite(item) for key, item in dumped.items()} if isinstance(dumped, dict) else dumped


def _reason(error: Exception) -> str:
    return describe(error) if isinstance(error, ValidationError) else str(error)


def _equal(left: Any, right: Any) -> bool:
    from planboard.blackboard.integrity import same

    return same(left, right) or (type(left) is type(right) and bool(left == right))
