"""What a tool gives: the schema of a result, and a result as JSON that fits it and as a text that reads well."""

import json
import math
from dataclasses import dataclass
from typing import Any

from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic_core import PydanticSerializationError, to_jsonable_python

from planboard._text import brief, is_secret
from planboard.blackboard.schema import adapter_for, public_schema
from planboard.llm.schemas import Schema
from planboard.types import TypeForm

WRAPPED = "result"
"""The key under which a result stands that is no object: structured content must be one."""
_HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class Output:
    """The results of one type."""

    schema: Schema | None
    """The JSON schema of the structured content; `None` for a type that JSON cannot describe."""
    is_wrapped: bool
    adapter: TypeAdapter[Any] | None

    @classmethod
    def of(cls, form: TypeForm) -> "Output":
        """Return what results of a type look like."""
        try:
            adapter = adapter_for(form)
            schema = public_schema(adapter.json_schema(mode="serialization"))
        except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema, PydanticUserError):
            return cls(None, is_wrapped=True, adapter=None)
        if schema.get("type") == "object" and "$ref" not in schema:
            return cls(schema, is_wrapped=False, adapter=adapter)
        definitions = schema.pop("$defs", None)
        whole = {"type": "object", "properties": {WRAPPED: schema}, "required": [WRAPPED]}
        return cls({**whole, "$defs": definitions} if definitions else whole, is_wrapped=True, adapter=adapter)

    def structured(self, value: object) -> dict[str, Any]:
        """Return a result as structured content, without what is secret by its type or by its name.

        Raises:
            ValueError: It has no JSON form.
        """
        try:
            if self.adapter is None:
                plain = to_jsonable_python(value, fallback=brief, bytes_mode="base64")
            else:
                plain = self.adapter.dump_python(value, mode="json", by_alias=True, warnings=False)
        except (PydanticSerializationError, ValueError, TypeError) as error:
            message = f"the result has no JSON form: {error}"
            raise ValueError(message) from error
        place = _not_finite(plain, WRAPPED)
        if place is not None:
            message = f"the result has no JSON form: {place} is a number that JSON lacks"
            raise ValueError(message)
        clean = _without_secrets(plain, hidden=False)
        return {WRAPPED: clean} if self.is_wrapped or not isinstance(clean, dict) else clean


def readable(value: object, structured: dict[str, Any] | None) -> str:
    """Return a result as a text: the text that it is, or carries as its `markdown`, else its JSON."""
    if isinstance(value, str) and type(value).__str__ is str.__str__:
        return value
    try:
        markdown = getattr(value, "markdown", None)
    except Exception:  # noqa: BLE001 - a property of the user's; without it the value is data
        markdown = None
    if isinstance(markdown, str):
        return markdown
    if structured is None:
        return brief(value, 10_000)
    return json.dumps(structured, indent=2, ensure_ascii=False)


def _not_finite(data: Any, place: str) -> str | None:
    """Return where a number is that JSON lacks; `None` if there is none."""
    if isinstance(data, float):
        return None if math.isfinite(data) else place
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return next((found for key, item in inner if (found := _not_finite(item, f"{place}.{key}")) is not None), None)


def _without_secrets(data: Any, *, hidden: bool) -> Any:
    """Hide texts that stand below a secret name; only texts, so that the rest still fits its schema."""
    if isinstance(data, dict):
        return {key: _without_secrets(item, hidden=hidden or is_secret(str(key))) for key, item in data.items()}
    if isinstance(data, list):
        return [_without_secrets(item, hidden=hidden) for item in data]
    return _HIDDEN if hidden and isinstance(data, str) else data
