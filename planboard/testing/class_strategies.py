"""Objects with fields: models, dataclasses, named tuples, typed dictionaries; built by their own validation."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from inspect import isabstract
from typing import Any, get_type_hints

from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_core import ArgsKwargs

from planboard.errors import DefinitionError
from planboard.testing.known_types import is_registered
from planboard.testing.schema_parts import FUNCTIONS, Part, Schema, Strategy, Walk, Way, any_of


def _model(walk: Walk, part: Part) -> Strategy | None:
    cls: type[BaseModel] = part.schema["cls"]
    if is_registered(cls):
        return st.from_type(cls)
    if isabstract(cls):
        found = any_of(walk.whole(other) for other in _concrete(cls))
        return walk.guessed(part.inner(part.schema, cls)) if found is None else found
    hints = {name: field.annotation for name, field in cls.model_fields.items()}
    content = _without_validators(part.schema["schema"])
    if content["type"] != "model-fields":
        root = walk.of(part.inner(content, hints.get("root"), ".root"))
        return None if root is None else walk.made(root, cls.model_validate, part)
    data = _fields(walk, part, content["fields"], hints)
    if data is None:
        return None
    if part.schema.get("config", {}).get("extra_fields_behavior", content.get("extra_behavior")) == "allow":
        data = _with_extras(walk, part, data, content.get("extras_schema", {"type": "int"}))
    return walk.made(data, lambda given: cls.model_validate(given, by_name=True, by_alias=False), part)


def _concrete(cls: type) -> Iterator[type]:
    subclasses: list[type] = cls.__subclasses__()
    for other in subclasses:
        if not isabstract(other):
            yield other
        yield from _concrete(other)


def _with_extras(walk: Walk, part: Part, data: Strategy, schema: Schema) -> Strategy:
    extra = walk.of(part.inner(schema, None, ".<extra>"))
    if extra is None:
        return data
    taken = part.schema["cls"]
    names = st.sampled_from([name for name in ("extra_a", "extra_b", "extra_c") if not hasattr(taken, name)])
    return st.tuples(data, st.dictionaries(names, extra, max_size=2)).map(lambda both: {**both[1], **both[0]})


def _dataclass(walk: Walk, part: Part) -> Strategy | None:
    cls: type = part.schema["cls"]
    if is_registered(cls):
        return st.from_type(cls)
    content = _without_validators(part.schema["schema"])
    fields = _by_name(field for field in content["fields"] if field.get("init", True))
    data = _fields(walk, part, fields, _hints(cls))
    if data is None:
        return None
    validate = walk.validate(part)

    def build(given: dict[str, Any]) -> Any:
        return validate(ArgsKwargs((), given), strict=False, by_name=True, by_alias=False)

    return walk.made(data, build, part)


def _typed_dict(walk: Walk, part: Part) -> Strategy | None:
    fields: Mapping[str, Schema] = part.schema["fields"]
    total = part.schema.get("total", True)
    optional = [name for name, field in fields.items() if not field.get("required", total)]
    return _fields(walk, part, fields, _hints(part.schema.get("cls")), optional)


def _named_tuple(walk: Walk, part: Part) -> Strategy | None:
    cls: Any = part.schema["cls"]
    data = _fields(walk, part, _by_name(part.schema["fields"]), _hints(cls))
    return None if data is None else data.map(lambda given: cls(**given))


def _call(walk: Walk, part: Part) -> Strategy | None:
    """What pydantic made of a named tuple before it had a kind of its own."""
    function = part.schema["function"]
    fields = _by_name(part.schema["arguments_schema"]["arguments_schema"])
    data = _fields(walk, part, fields, _hints(function))
    return None if data is None else data.map(lambda given: function(**given))


def _fields(
    walk: Walk, part: Part, fields: Mapping[str, Schema], hints: Mapping[str, Any], optional: Collection[str] = ()
) -> Strategy | None:
    """Return mappings of names to inputs. Fields with a default may be left to it."""
    needed: dict[str, Strategy] = {}
    dispensable: dict[str, Strategy] = {}
    for name, field in fields.items():
        schema = field["schema"]
        can_miss = name in optional or _without_validators(schema)["type"] == "default"
        try:
            found = walk.of(part.inner(schema, hints.get(name), f".{name}"))
        except DefinitionError:
            if not can_miss:
                raise
            continue
        if found is not None:
            (dispensable if can_miss else needed)[name] = found
        elif not can_miss:
            return None
    return st.fixed_dictionaries(needed, optional=dispensable)


def _without_validators(schema: Schema) -> Schema:
    while schema["type"] in FUNCTIONS:
        schema = schema["schema"]
    return schema


def _by_name(fields: Iterable[Schema]) -> dict[str, Schema]:
    return {field["name"]: field for field in fields}


def _hints(cls: Any) -> dict[str, Any]:
    try:
        return get_type_hints(cls, include_extras=True)
    except (NameError, TypeError):  # they only help to find what is registered; the schema says what is valid
        return {}


CLASSES: dict[str, Way] = {
    "call": _call,
    "dataclass": _dataclass,
    "model": _model,
    "named-tuple": _named_tuple,
    "typed-dict": _typed_dict,
}
"""How each of these kinds is drawn."""
