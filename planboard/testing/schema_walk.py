"""From pydantic's schema of a type to a strategy of inputs that it accepts.

The walk yields *inputs*: what a model's validators make of them is up to the model, which is built by validating.
A part for which there is no finite value (a recursive model, deep enough) is `None` and is left out by what holds it.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any, get_args

from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from pydantic_core import SchemaValidator, core_schema

from planboard.blackboard.schema import adapter_for
from planboard.errors import DefinitionError
from planboard.testing.class_strategies import CLASSES
from planboard.testing.container_strategies import CONTAINERS
from planboard.testing.known_types import KNOWN, is_known, is_registered
from planboard.testing.scalar_strategies import SCALARS
from planboard.testing.schema_parts import Part, Schema, Strategy, Way, peeled
from planboard.testing.structure_strategies import STRUCTURES
from planboard.types import TypeForm, origin_of, type_name

_WAYS: dict[str, Way] = {**STRUCTURES, **CONTAINERS, **CLASSES}
_NEVER_EQUAL = ("generator", "callable")
"""What comes back as another object, or tells nothing of what it should be."""

_CERTAIN = ("any", "bool", "bytes", "date", "int", "literal", "none", "str", "uuid")
"""Kinds of which every value is accepted, as long as the schema demands nothing."""
_NO_DEMAND = {"type", "metadata", "serialization", "ref", "expected"}


class SchemaWalk:
    """One walk over the schema of one type; a `Walk`.

    Args:
        schema: The core schema.
        name: The name of the type, for messages.
        sieve: Keeps what a function accepts, see `sieved`.
    """

    def __init__(
        self, schema: Any, name: str, sieve: Callable[[Strategy, Callable[[Any], Any], str], Strategy]
    ) -> None:
        self._root: Schema = schema
        self._name = name
        self._sieve = sieve
        self._definitions: dict[str, Schema] = {item["ref"]: item for item in _definitions(schema)}
        self._recursive = _recursive(self._definitions)
        self._referred: dict[tuple[str, int], Strategy | None] = {}

    def inputs(self, hint: TypeForm) -> Strategy:
        """Return the strategy of inputs for the whole type.

        Raises:
            DefinitionError: There is none.
        """
        found = self.of(Part(self._root, hint, self._name))
        if found is None:
            message = f"values({self._name}): every value would be infinite, for each one needs another inside it."
            raise DefinitionError(message)
        return found

    def of(self, part: Part) -> Strategy | None:
        """Return a strategy of inputs for a part; `None` if there is no finite one."""
        for form in peeled(part.hint):
            if is_registered(form):
                return self.accepted(st.from_type(form), part)
            known = KNOWN.get(form) if isinstance(form, type) else None
            if known is not None:
                return self.accepted(known, part)
        scalar = SCALARS.get(part.kind)
        if scalar is not None:
            try:
                strategy = scalar(part.schema)
                strategy.validate()  # bounds that exclude each other are found here
                return self._scalar(strategy, part)
            except (ValueError, TypeError, HypothesisException) as error:
                raise self._unknown(part, str(error)) from error
        way = _WAYS.get(part.kind)
        return self.guessed(part) if way is None else way(self, part)

    def guessed(self, part: Part) -> Strategy:
        """Return what Hypothesis makes of the annotation, as far as the schema accepts it."""
        if part.hint is not None and part.kind not in _NEVER_EQUAL and not _says_too_little(part.hint):
            try:
                guess: Strategy = st.from_type(part.hint)
                guess.validate()
            except (HypothesisException, TypeError, ValueError, NameError):
                pass  # the message below says more than theirs
            else:
                return self.accepted(guess, part)
        raise self._unknown(part, f"for pydantic it is a matter of {part.kind!r}")

    def accepted(self, strategy: Strategy, part: Part) -> Strategy:
        """Return the inputs that the schema accepts, unchanged."""
        return self._sieve(strategy, self._keep(part), part.path)

    def _scalar(self, strategy: Strategy, part: Part) -> Strategy:
        """Return what is accepted of a strategy that already respects most of the schema."""
        if part.kind in _CERTAIN and part.schema.keys() <= _NO_DEMAND:
            return strategy
        if "pattern" in part.schema:  # pydantic and Python read it differently now and then
            return self.accepted(strategy, part)
        keep = self._keep(part)

        def is_accepted(raw: Any) -> bool:
            try:
                keep(raw)
            except ValueError:
                return False
            return True

        return strategy.filter(is_accepted)

    def _keep(self, part: Part) -> Callable[[Any], Any]:
        """Return the function that returns an input as it is, or raises a `ValueError`."""
        validate = self.validate(part)

        def keep(raw: Any) -> Any:
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

        return keep

    def made(self, strategy: Strategy, make: Callable[[Any], Any], part: Part) -> Strategy:
        """Return what `make` makes of the inputs that it accepts."""
        return self._sieve(strategy, make, part.path)

    def validate(self, part: Part) -> Callable[..., Any]:
        """Return the function that validates against the schema."""
        schema: Any = part.schema
        if self._definitions and part.kind != "definitions":
            known: list[Any] = [item for ref, item in self._definitions.items() if ref != part.schema.get("ref")]
            if "ref" in part.schema:
                known.append(schema)
                schema = core_schema.definition_reference_schema(part.schema["ref"])
            schema = core_schema.definitions_schema(schema, known)
        return SchemaValidator(schema).validate_python

    def whole(self, cls: type) -> Strategy:
        """Return the objects of another class that has a schema of its own."""
        return st.deferred(lambda: SchemaWalk(adapter_for(cls).core_schema, type_name(cls), self._sieve).inputs(cls))

    def referred(self, part: Part) -> Strategy | None:
        """Return the strategy that a reference stands for; a recursive one is followed a few times only."""
        ref = part.schema["schema_ref"]
        depth = part.depth + (ref in self._recursive)
        if depth > len(self._recursive) + 2:
            return None
        if (ref, depth) not in self._referred:
            there = replace(part, schema=self._definitions[ref], depth=depth)
            self._referred[ref, depth] = self.of(there)
        return self._referred[ref, depth]

    def _unknown(self, part: Part, reason: str) -> DefinitionError:
        form = get_args(part.hint)[0] if origin_of(part.hint) is Annotated else part.hint
        name = "the type" if form is None else type_name(form)
        message = (
            f"values({self._name}): no strategy is known for {name} at {part.path}: {reason}. Register one "
            f"beforehand: hypothesis.strategies.register_type_strategy({name}, <a strategy>)."
        )
        return DefinitionError(message)


def _says_too_little(form: TypeForm) -> bool:
    """Whether a class needs arguments of unknown types, which Hypothesis would leave out."""
    if not isinstance(form, type) or is_known(form):
        return False
    try:
        parameters = inspect.signature(form).parameters.values()
    except (ValueError, TypeError):
        return False
    empty = inspect.Parameter.empty
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return any(item.kind in kinds and item.default is empty and item.annotation is empty for item in parameters)


def _definitions(schema: Any) -> Iterator[Schema]:
    """Yield what references may refer to."""
    if isinstance(schema, dict):
        if schema.get("type") == "definitions":
            yield from schema["definitions"]
        for key, item in schema.items():
            if key != "metadata":
                yield from _definitions(item)
    elif isinstance(schema, list | tuple):
        for item in schema:
            yield from _definitions(item)


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if schema.get("type") == "definition-ref":
            yield schema["schema_ref"]
        for key, item in schema.items():
            if key not in ("metadata", "serialization"):
                yield from _references(item)
    elif isinstance(schema, list | tuple):
        for item in schema:
            yield from _references(item)


def _recursive(definitions: dict[str, Schema]) -> frozenset[str]:
    """Return the references that lead back to themselves."""
    direct = {ref: set(_references(schema)) & set(definitions) for ref, schema in definitions.items()}
    found = set()
    for ref in definitions:
        seen: set[str] = set()
        pending = list(direct[ref])
        while pending:
            following = pending.pop()
            if following not in seen:
                seen.add(following)
                pending.extend(direct[following])
        if ref in seen:
            found.add(ref)
    return frozenset(found)
