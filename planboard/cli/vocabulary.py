"""The types and bindings of an agent by name, and what its runs start from."""

import dataclasses
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import typer
from pydantic import BaseModel
from typing_extensions import is_typeddict

from planboard._text import suggest
from planboard.actions.action import Action, TypedFunction
from planboard.actions.catalogue import Catalogue
from planboard.actions.waiting import Denied, Expired, Slept
from planboard.blackboard.index import Query
from planboard.blackboard.matching import members, prospect
from planboard.types import TypeForm, snake_case, type_name

_MADE_BY_RUNS: frozenset[TypeForm] = frozenset({Denied, Expired, Slept})
"""What a run puts on the board itself, so that nobody is asked for it."""


@dataclass(frozen=True, slots=True)
class Need:
    """Something a run can be given: a type, and the binding if one is demanded."""

    form: TypeForm
    name: str | None = None

    def __str__(self) -> str:
        return f"{self.name}: {type_name(self.form)}" if self.name else type_name(self.form)

    @property
    def key(self) -> str:
        """The word for `--input` that says this and nothing else is meant."""
        return self.name or type_name(self.form)


class Vocabulary:
    """What words on the command line may stand for.

    Args:
        agent: Whose types and bindings.
        namespace: More types, by name; those of the agent come first.
    """

    def __init__(self, agent: Catalogue, namespace: Mapping[str, Any] | None = None) -> None:
        self._agent = agent
        self._namespace = namespace or {}

    @cached_property
    def start(self) -> tuple[Need, ...]:
        """The start types: what actions or conditions take and no action produces, nor the run itself.

        An action that needs a type itself does not count as its producer. If everything is produced, all inputs are
        start types.
        """
        inputs = [need for need in dict.fromkeys(_inputs(self._agent)) if need.form not in _MADE_BY_RUNS]
        found = [need for need in inputs if not self._is_produced(need)] or inputs
        bound = {need.form for need in found if need.name}
        return tuple(need for need in found if need.name or need.form not in bound)

    @cached_property
    def types(self) -> Mapping[str, tuple[TypeForm, ...]]:
        """The types that can be named; several where different types share a name."""
        found: dict[str, dict[TypeForm, None]] = {}
        for form in self._known_types():
            found.setdefault(type_name(form), {})[form] = None
        for form in self._namespace.values():
            if _is_data_type(form):
                found.setdefault(form.__name__, {form: None})
        return {name: tuple(forms) for name, forms in found.items()}

    @cached_property
    def bindings(self) -> Mapping[str, tuple[TypeForm, ...]]:
        """The binding names that actions ask for or give, with their types."""
        found: dict[str, dict[TypeForm, None]] = {}
        for need in _inputs(self._agent):
            if need.name:
                found.setdefault(need.name, {})[need.form] = None
        for action in self._agent.actions.values():
            for name, form in _named_outputs(action):
                found.setdefault(name, {})[form] = None
        return {name: tuple(forms) for name, forms in found.items()}

    def type_named(self, name: str) -> TypeForm:
        """Return a type by its name, or by its name in snake case.

        Raises:
            typer.BadParameter: There is none, or several.
        """
        forms = self.types.get(name) or tuple(self.snake_cased(name))
        if not forms:
            message = f"The agent knows no type {name!r}. {suggest(name, self.types)}"
            raise typer.BadParameter(message)
        form, *others = forms
        if others:
            places = " and ".join(sorted(f"{form.__module__}.{form.__qualname__}" for form in forms))
            message = f"Several types are named {name!r}: {places}. Rename one of them."
            raise typer.BadParameter(message)
        return form

    def snake_cased(self, name: str) -> Iterator[TypeForm]:
        """Yield the types whose name in snake case this is."""
        return (form for shown, forms in self.types.items() if snake_case(shown) == name for form in forms)

    def _known_types(self) -> Iterator[TypeForm]:
        for need in _inputs(self._agent):
            yield from _family(need.form)
        for action in self._agent.actions.values():
            for form in action.output_types:
                yield from _family(form)
        for goal in self._agent.goals:
            if goal.form is not None:
                yield from (form for member in members(goal.form) for form in _family(member))

    def _is_produced(self, need: Need) -> bool:
        return any(_produces(action, need) for action in self._agent.actions.values())


def fields_of(form: TypeForm) -> tuple[str, ...]:
    """Return the names by which the fields of a type can be given; none if it has no fields."""
    if isinstance(form, type) and issubclass(form, BaseModel):
        aliases = [field.validation_alias or field.alias for field in form.model_fields.values()]
        return (*form.model_fields, *(alias for alias in aliases if isinstance(alias, str)))
    if isinstance(form, type) and dataclasses.is_dataclass(form):
        return tuple(item.name for item in dataclasses.fields(form) if item.init)
    return tuple(form.__annotations__) if is_typeddict(form) else ()


def signature_of(form: TypeForm) -> str:
    """Return a type with its fields: `Topic(text: str, depth: int = …)`."""
    name = type_name(form)
    if isinstance(form, type) and issubclass(form, BaseModel):
        shown = [
            f"{key}: {type_name(field.annotation)}{'' if field.is_required() else ' = …'}"
            for key, field in form.model_fields.items()
        ]
    elif isinstance(form, type) and dataclasses.is_dataclass(form):
        missing = dataclasses.MISSING
        shown = [
            f"{item.name}: {type_name(item.type)}"
            f"{'' if item.default is missing and item.default_factory is missing else ' = …'}"
            for item in dataclasses.fields(form)
            if item.init
        ]
    elif isinstance(form, type) and issubclass(form, Enum):
        return f"{name} (one of {', '.join(str(member.value) for member in form)})"
    else:
        return name
    return f"{name}({', '.join(shown)})"


def _inputs(agent: Catalogue) -> Iterator[Need]:
    """Yield everything that is read from the board, one alternative of a union at a time."""
    queries: list[Query] = []
    for action in agent.actions.values():
        queries += _queries(action.body)
        queries += [query for price in (action.cost, action.value) for query in _queries(price)]
    for condition in agent.conditions.values():
        queries += condition.queries
    for query in queries:
        for form in members(query.form):
            if form not in (None, type(None), Any, object):
                yield Need(form, query.name)


def _queries(function: TypedFunction | float) -> list[Query]:
    return [item.query for item in function.inputs] if isinstance(function, TypedFunction) else []


def _named_outputs(action: Action) -> Iterator[tuple[str, TypeForm]]:
    for way in action.outputs:
        for position, form in enumerate(way):
            name = action.binding_name(position)
            if name is not None:
                yield name, form


def _produces(action: Action, need: Need) -> bool:
    forms: Iterable[TypeForm] = action.output_types
    if need.name is not None:
        forms = [form for name, form in _named_outputs(action) if name == need.name]
    if not any(prospect(form, need.form) == "always" for form in forms):
        return False
    own = [item.query.form for item in action.body.required if item.query.name == need.name]
    return not any(prospect(need.form, form) == "always" for form in own)


def _family(form: TypeForm) -> Iterator[TypeForm]:
    """Yield a type and, for a class of the user's, its subclasses."""
    yield form
    if _is_data_type(form):
        for child in form.__subclasses__():
            yield from _family(child)


def _is_data_type(form: object) -> bool:
    if not inspect.isclass(form) or form is BaseModel or form is Enum:
        return False
    return issubclass(form, BaseModel | Enum) or dataclasses.is_dataclass(form) or is_typeddict(form)
