"""What an answer may look like, from its JSON schema: something to copy and change."""

import json
from collections.abc import Mapping
from typing import Any

_PLAIN: Mapping[str, Any] = {"string": "…", "integer": 0, "number": 0, "boolean": True, "null": None, "array": []}
_DEEPEST = 4
"""Below this, objects are left empty: a schema may refer to itself."""


def sample(schema: Mapping[str, Any]) -> Any:
    """Return data that has the form of a schema, with the fields that are required."""
    return _sample(schema, schema.get("$defs", {}), 0)


def sample_text(schema: Mapping[str, Any]) -> str:
    """Return such data as it is typed: a text as it is, everything else as JSON."""
    data = sample(schema)
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def wants_text(schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema is that of a text."""
    return schema.get("type") == "string"


def _sample(schema: Any, known: Mapping[str, Any], depth: int) -> Any:
    if not isinstance(schema, Mapping):
        return "…"
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _sample(known.get(name), known, depth + 1) if depth < _DEEPEST else {}
    for several in ("anyOf", "oneOf", "allOf"):
        if schema.get(several):
            return _sample(schema[several][0], known, depth)
    if "const" in schema or schema.get("enum"):
        return schema.get("const", (schema.get("enum") or [None])[0])
    if schema.get("type") == "object":
        fields = schema.get("properties", {}) if depth < _DEEPEST else {}
        required = schema.get("required", ())
        return {name: _sample(field, known, depth + 1) for name, field in fields.items() if name in required}
    return _PLAIN.get(str(schema.get("type")), "…")
