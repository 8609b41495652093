"""Schemas that only arrange others: references, validators, defaults, unions, JSON in a string."""

from dataclasses import is_dataclass
from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_core import to_json

from planboard.testing.known_types import KNOWN, is_registered
from planboard.testing.schema_parts import FUNCTIONS, Part, Schema, Strategy, Walk, Way, alternatives, any_of

_NO_JSON_SCHEMA = ("null", "true", "0", '""', "[]", "{}")


def _wrapped(key: str) -> Way:
    def inside(walk: Walk, part: Part) -> Strategy | None:
        return walk.of(part.inner(part.schema[key], part.hint))

    return inside


def _lax_or_strict(walk: Walk, part: Part) -> Strategy | None:
    strict: Schema = part.schema["strict_schema"]
    takes_instances_only = strict["type"] == "chain"  # a `defaultdict`; the lax way makes one of a mapping
    return walk.of(part.inner(part.schema["lax_schema"] if takes_instances_only else strict, part.hint))


def _validated(walk: Walk, part: Part) -> Strategy | None:
    inner = walk.of(part.inner(part.schema["schema"], part.hint))
    if inner is None or _belongs_to_its_class(part.schema):
        return inner  # the class runs it when it is built
    return walk.accepted(inner, part)


def _nullable(walk: Walk, part: Part) -> Strategy:
    forms = alternatives(part.hint)
    inner = walk.of(part.inner(part.schema["schema"], forms[0] if len(forms) == 1 else None))
    return st.none() if inner is None else st.none() | inner


def _union(walk: Walk, part: Part) -> Strategy | None:
    choices = [choice[0] if isinstance(choice, tuple) else choice for choice in part.schema["choices"]]
    forms: tuple[Any, ...] = alternatives(part.hint)
    if len(forms) != len(choices):
        forms = (None,) * len(choices)
    return any_of(walk.of(part.inner(choice, form)) for choice, form in zip(choices, forms, strict=True))


def _tagged_union(walk: Walk, part: Part) -> Strategy | None:
    choices = [choice for choice in part.schema["choices"].values() if isinstance(choice, dict)]
    return any_of(walk.of(part.inner(choice)) for choice in choices)


def _chain(walk: Walk, part: Part) -> Strategy | None:
    inner = walk.of(part.inner(part.schema["steps"][-1], part.hint))
    return None if inner is None else walk.accepted(inner, part)


def _json(walk: Walk, part: Part) -> Strategy | None:
    if "schema" not in part.schema:
        return st.sampled_from(_NO_JSON_SCHEMA)
    inner = walk.of(part.inner(part.schema["schema"]))
    return None if inner is None else inner.map(lambda value: to_json(value).decode())


def _instance(walk: Walk, part: Part) -> Strategy:
    cls = part.schema["cls"]
    if cls in KNOWN:
        return KNOWN[cls]
    if isinstance(cls, type) and not is_registered(cls) and (issubclass(cls, BaseModel) or is_dataclass(cls)):
        return walk.whole(cls)
    return walk.guessed(part if part.hint is not None else part.inner(part.schema, cls))


def _belongs_to_its_class(schema: Schema) -> bool:
    """Whether a validator is a class's own, not that of a field which holds the class."""
    depth, inner = _validators_around(schema)
    own = getattr(inner.get("cls"), "__pydantic_core_schema__", None)
    if inner["type"] not in ("model", "dataclass") or not isinstance(own, dict):
        return False
    if own["type"] == "definitions":
        ref = inner.get("ref")
        own = next((item for item in own["definitions"] if _validators_around(item)[1].get("ref") == ref), own)
    return depth <= _validators_around(own)[0]


def _validators_around(schema: Schema) -> tuple[int, Schema]:
    depth = 0
    while schema["type"] in FUNCTIONS:
        depth += 1
        schema = schema["schema"]
    return depth, schema


STRUCTURES: dict[str, Way] = {
    **dict.fromkeys(FUNCTIONS, _validated),
    "chain": _chain,
    "custom-error": _wrapped("schema"),
    "default": _wrapped("schema"),
    "definition-ref": lambda walk, part: walk.referred(part),
    "definitions": _wrapped("schema"),
    "is-instance": _instance,
    "json": _json,
    "json-or-python": _wrapped("python_schema"),
    "lax-or-strict": _lax_or_strict,
    "nullable": _nullable,
    "tagged-union": _tagged_union,
    "union": _union,
}
"""How each of these kinds is drawn."""
