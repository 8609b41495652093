"""What a person gives, made into what was asked for: an object of the type, or an error that names the field."""

from collections.abc import Mapping
from typing import Any

from pydantic import PydanticUserError, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic_core import to_jsonable_python

from planboard._text import brief, masked
from planboard.blackboard.matching import conforms
from planboard.blackboard.schema import adapter_for, describe, public_schema, structural_problem
from planboard.types import TypeForm, type_name


def fitted(form: TypeForm, given: Any) -> Any:
    """Return an object of a type: the very one that was given if it is one, else what pydantic makes of the data.

    Raises:
        ValueError: It does not fit; the message names type and field.
    """
    if given is not None and conforms(given, form) and structural_problem(form, given) is None:
        return given
    try:
        return adapter_for(form).validate_python(given, by_name=True, by_alias=True)
    except ValidationError as error:
        message = f"it does not fit {type_name(form)}: {describe(error)}"
        raise ValueError(message) from None


def schema_for(form: TypeForm) -> dict[str, Any]:
    """Return the JSON schema of a type; an empty one, which anything fits, for a type that JSON cannot describe."""
    try:
        found: dict[str, Any] = public_schema(adapter_for(form).json_schema())
    except (PydanticInvalidForJsonSchema, PydanticUserError):
        return {}
    return found


def schema_of_decision(words: tuple[str, ...], parameters: Mapping[str, TypeForm]) -> dict[str, Any]:
    """Return the JSON schema of what may be said about an action.

    Args:
        words: The decisions there are.
        parameters: The arguments that may be changed, with their types.
    """
    properties: dict[str, Any] = {"decision": {"enum": list(words)}, "reason": {"type": "string"}}
    definitions: dict[str, Any] = {}
    if "edit" in words:
        schemas = {name: schema_for(form) for name, form in parameters.items()}
        for schema in schemas.values():
            definitions.update(schema.pop("$defs", {}))
        properties["arguments"] = {"type": "object", "properties": schemas, "additionalProperties": False}
    if "finished" in words:
        properties["value"] = {}
    schema = {"type": "object", "properties": properties, "required": ["decision"], "additionalProperties": False}
    return {**schema, "$defs": definitions} if definitions else schema


def shown_to_people(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as data, without what is secret."""
    plain = {
        name: to_jsonable_python(value, fallback=brief, inf_nan_mode="strings", bytes_mode="base64")
        for name, value in sorted(arguments.items())
    }
    shown: dict[str, Any] = masked(plain)
    return shown
