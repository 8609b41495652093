"""From pydantic's schema of a type to a strategy of inputs that it accepts.

The walk yields *inputs*: what a model's validators make of them is up to the model, which is built by validating.
A part for which there is no finite value (a recursive model, deep enough) is `None` and is left out by what holds it.
"""

from collections.abc import Callable, Iterator, Mapping
from inspect import isabstract
from typing import Annotated, Any, NewType, TypeAlias, get_args, get_type_hints

from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from pydantic import BaseModel
from pydantic_core import ArgsKwargs, SchemaValidator, core_schema, to_json
from typing_extensions import TypeAliasType

from planboard.errors import DefinitionError
from planboard.testing.known_types import KNOWN, is_registered
from planboard.testing.scalar_strategies import SCALARS
from planboard.types import TypeForm, origin_of, type_name

Strategy: TypeAlias = st.SearchStrategy[Any]
Sieve: TypeAlias = Callable[[Strategy, Callable[[Any], Any], str], Strategy]
Schema: TypeAlias = dict[str, Any]

_FEW = 2
"""The most items a container draws inside a recursive type, so that trees stay small."""
_INNER = {"json-or-python": "python_schema", "lax-or-strict": "strict_schema", "custom-error": "schema"}
_FUNCTIONS = ("function-before", "function-after", "function-wrap")


class SchemaWalk:
    """One walk over the schema of one type.

    Args:
        schema: The core schema.
        path: Where we are, for messages: the name of the type.
        sieve: Keeps what a function accepts, see `sieved`.
    """

    def __init__(self, schema: Any, path: str, sieve: Sieve) -> None:
        self._root: Schema = schema
        self._name = path
        self._sieve = sieve
        self._definitions = {item["ref"]: item for item in _definitions(schema)}
        self._recursive = _recursive(self._definitions)
        self._deepest = len(self._recursive) + 2
        self._made: dict[tuple[str, int], Strategy | None] = {}

    def strategy(self, hint: TypeForm) -> Strategy:
        """Return the strategy of inputs.

        Raises:
            DefinitionError: There is none.
        """
        found = self._of(self._root, hint, self._name, 0)
        if found is None:
            message = f"values({self._name}): every value would be infinite, for each one needs another inside it."
            raise DefinitionError(message)
        return found

    def _of(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        for form in _peeled(hint):
            if is_registered(form):
                return st.from_type(form)
            if form in KNOWN:
                return self._accepted(KNOWN[form](), schema, path)
        kind = schema["type"]
        if kind in _INNER:
            return self._of(schema[_INNER[kind]], hint, path, depth)
        if kind in SCALARS:
            try:
                scalar = SCALARS[kind](schema)
            except (ValueError, TypeError, HypothesisException) as error:
                raise self._impossible(hint, path, str(error)) from error
            return self._accepted(scalar, schema, path)
        method: Callable[..., Strategy | None] | None = getattr(self, f"_{kind.replace('-', '_')}", None)
        return self._guessed(schema, hint, path) if method is None else method(schema, hint, path, depth)

    def _guessed(self, schema: Schema, hint: TypeForm, path: str) -> Strategy:
        """Return what Hypothesis makes of the annotation, as far as the schema accepts it."""
        if hint is not None and schema["type"] not in ("generator", "callable"):
            try:
                guess: Strategy = st.from_type(hint)
                guess.validate()
            except (HypothesisException, TypeError, ValueError, NameError):
                pass
            else:
                return self._accepted(guess, schema, path)
        raise self._impossible(hint, path, f"pydantic's schema says only {schema['type']!r}")

    def _impossible(self, hint: TypeForm, path: str, reason: str) -> DefinitionError:
        name = "the type" if hint is None else type_name(hint)
        return DefinitionError(
            f"values({self._name}): there is no strategy for {name} at {path} ({reason}). Register one before: "
            f"hypothesis.strategies.register_type_strategy({name}, <a strategy>)."
        )

    def _validator(self, schema: Schema) -> SchemaValidator:
        definitions = list(self._definitions.values())
        return SchemaValidator(core_schema.definitions_schema(schema, definitions) if definitions else schema)  # type: ignore[arg-type]

    def _accepted(self, strategy: Strategy, schema: Schema, path: str) -> Strategy:
        """Keep the inputs that a part of the schema accepts."""
        validate = self._validator(schema).validate_python

        def keep(raw: object) -> object:
            try:
                value = validate(raw)
            except ValueError:
                raise
            except Exception:  # noqa: BLE001 - it needs its model around it, which will say
                return raw
            if value != value:  # noqa: PLR0124 - NaN equals nothing, so it cannot come back equal
                message = f"{value!r} is not equal to itself"
                raise ValueError(message)
            return raw

        return self._sieve(strategy, keep, path)

    # Structure

    def _definitions_(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        return self._of(schema["schema"], hint, path, depth)

    def _definition_ref(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        ref = schema["schema_ref"]
        if ref in self._recursive:
            depth += 1
        if depth > self._deepest:
            return None
        key = (ref, depth)
        if key not in self._made:
            self._made[key] = self._of(self._definitions[ref], hint, path, depth)
        return self._made[key]

    def _function(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        inner = self._of(schema["schema"], hint, path, depth)
        if inner is None or _belongs_to_class(schema):
            return inner
        return self._accepted(inner, schema, path)

    def _default(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        return self._of(schema["schema"], hint, path, depth)

    def _nullable(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy:
        forms = [form for form in _args(hint) if form is not type(None)]
        inner = self._of(schema["schema"], forms[0] if len(forms) == 1 else None, path, depth)
        return st.none() if inner is None else st.none() | inner

    def _union(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        choices = [choice[0] if isinstance(choice, tuple) else choice for choice in schema["choices"]]
        forms = [form for form in _args(hint) if form is not type(None) or len(_args(hint)) == len(choices)]
        hints = forms if len(forms) == len(choices) else [None] * len(choices)
        return _any_of(self._of(choice, form, path, depth) for choice, form in zip(choices, hints, strict=True))

    def _tagged_union(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:  # noqa: ARG002
        choices = [choice for choice in schema["choices"].values() if isinstance(choice, dict)]
        return _any_of(self._of(choice, None, path, depth) for choice in choices)

    def _chain(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        inner = self._of(schema["steps"][-1], hint, path, depth)
        return inner if inner is None else self._accepted(inner, schema, path)

    def _json(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        if "schema" not in schema:
            return st.sampled_from(["null", "true", "0", '""', "[]", "{}"])
        inner = self._of(schema["schema"], hint, path, depth)
        return inner if inner is None else inner.map(lambda value: to_json(value).decode())

    def _is_instance(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy:  # noqa: ARG002
        cls = schema["cls"]
        if cls in KNOWN:
            return KNOWN[cls]()
        return self._guessed(schema, cls if hint is None else hint, path)

    # Containers

    def _list(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        items = schema.get("items_schema", {"type": "any"})
        inner = self._of(items, _at(hint, 0), f"{path}[]", depth)
        return self._several(schema, st.lists, (inner,), depth)

    def _set(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        items = schema.get("items_schema", {"type": "int"})
        inner = self._of(items, _at(hint, 0), f"{path}[]", depth)
        return self._several(schema, st.sets, (inner,), depth)

    def _frozenset(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        found = self._set(schema, hint, path, depth)
        return found if found is None else found.map(frozenset)

    def _deque(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        found = self._list(schema, hint, path, depth)
        return found if found is None else self._accepted(found, schema, path)

    def _dict(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        keys = self._of(schema.get("keys_schema", {"type": "str"}), _at(hint, 0), f"{path} (key)", depth)
        items = self._of(schema.get("values_schema", {"type": "any"}), _at(hint, 1), f"{path}[]", depth)
        return self._several(schema, st.dictionaries, (keys, items), depth)

    _ordered_dict = _counter = _dict

    def _tuple(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        items, variadic = schema["items_schema"], schema.get("variadic_item_index")
        hints = [form for form in _args(hint) if form is not ...]
        if len(hints) != len(items):
            hints = [None] * len(items)
        parts: list[Strategy | None] = []
        for position, (item, form) in enumerate(zip(items, hints, strict=True)):
            inner = self._of(item, form, f"{path}[{position}]", depth)
            if position == variadic:
                parts.append(self._several(schema, st.lists, (inner,), depth, less=len(items) - 1))
            else:
                parts.append(None if inner is None else inner.map(lambda value: [value]))
        return _tuple_of(parts)

    def _several(
        self, schema: Schema, make: Callable[..., Strategy], parts: tuple[Strategy | None, ...], depth: int, less: int = 0
    ) -> Strategy | None:
        least = max(0, schema.get("min_length", 0) - less)
        most = schema.get("max_length")
        if any(part is None for part in parts):
            return make(*(st.nothing() for _ in parts), max_size=0) if least == 0 else None
        most = most if most is None else max(0, most - less)
        if depth > 0:
            most = max(least, _FEW) if most is None else min(most, max(least, _FEW))
        return make(*parts, min_size=least, max_size=most)

    # Classes

    def _model(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        cls: type[BaseModel] = schema["cls"]
        if is_registered(cls):
            return st.from_type(cls)
        if isabstract(cls):
            return self._guessed(schema, hint or cls, path)
        inner: Schema = schema["schema"]
        while inner["type"] in _FUNCTIONS:
            inner = inner["schema"]
        annotations = {name: field.annotation for name, field in cls.model_fields.items()}
        if inner["type"] != "model-fields":
            root = self._of(inner, annotations.get("root"), f"{path}.root", depth)
            return None if root is None else self._sieve(root, lambda value: cls.model_validate(value), path)
        data = self._data(inner["fields"], annotations, path, depth)
        if data is None:
            return None
        if schema.get("config", {}).get("extra_fields_behavior", inner.get("extra_behavior")) == "allow":
            data = self._with_extras(data, cls, inner, path, depth)
        return self._sieve(data, lambda given: cls.model_validate(given, by_name=True, by_alias=False), path)

    def _with_extras(self, data: Strategy, cls: type, inner: Schema, path: str, depth: int) -> Strategy:
        extras = self._of(inner.get("extras_schema", {"type": "int"}), None, f"{path} (extra)", depth)
        if extras is None:
            return data
        names = st.text("xyz", min_size=1, max_size=3).map(lambda name: f"{name}_extra")
        names = names.filter(lambda name: not hasattr(cls, name))
        return st.tuples(st.dictionaries(names, extras, max_size=2), data).map(lambda pair: {**pair[0], **pair[1]})

    def _dataclass(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:  # noqa: ARG002
        cls = schema["cls"]
        if is_registered(cls):
            return st.from_type(cls)
        inner: Schema = schema["schema"]
        while inner["type"] in _FUNCTIONS:
            inner = inner["schema"]
        fields = {field["name"]: field for field in inner["fields"] if field.get("init", True)}
        data = self._data(fields, _hints(cls), path, depth)
        if data is None:
            return None
        validate = self._validator(schema).validate_python
        return self._sieve(data, lambda given: validate(ArgsKwargs((), given), by_name=True, by_alias=False), path)

    def _typed_dict(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        total = schema.get("total", True)
        hints = _hints(schema.get("cls") or hint)
        optional = {name for name, field in schema["fields"].items() if not field.get("required", total)}
        return self._data(schema["fields"], hints, path, depth, optional)

    def _named_tuple(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        cls: Any = schema["cls"]
        data = self._data({field["name"]: field for field in schema["fields"]}, _hints(cls), path, depth)
        return data if data is None else data.map(lambda given: cls(**given))

    def _call(self, schema: Schema, hint: TypeForm, path: str, depth: int) -> Strategy | None:
        arguments = {item["name"]: item for item in schema["arguments_schema"]["arguments_schema"]}
        data = self._data(arguments, _hints(hint), path, depth)
        return data if data is None else data.map(lambda given: schema["function"](**given))

    def _data(
        self, fields: Mapping[str, Schema], hints: Mapping[str, Any], path: str, depth: int, may_miss: set[str] | None = None
    ) -> Strategy | None:
        """Return a strategy of the fields by name; those that have a default may be left to it."""
        required: dict[str, Strategy] = {}
        optional: dict[str, Strategy] = {}
        for name, field in fields.items():
            schema = field["schema"]
            dispensable = _has_default(schema) or name in (may_miss or ())
            try:
                found = self._of(schema, hints.get(name), f"{path}.{name}", depth)
            except DefinitionError:
                if not dispensable:
                    raise
                found = None
            if found is None and not dispensable:
                return None
            if found is not None:
                (optional if dispensable else required)[name] = found
        return st.fixed_dictionaries(required, optional=optional)


for _kind in _FUNCTIONS:
    setattr(SchemaWalk, f"_{_kind.replace('-', '_')}", SchemaWalk._function)  # noqa: SLF001 - three kinds, one way
SchemaWalk._definitions = None  # type: ignore[assignment]
