"""A part of pydantic's schema of a type, and what a walk over such parts offers to those who know one kind of part."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from types import UnionType
from typing import Annotated, Any, NewType, Protocol, TypeAlias, Union, get_args

from hypothesis import strategies as st
from typing_extensions import TypeAliasType

from planboard.types import TypeForm, origin_of

Strategy: TypeAlias = st.SearchStrategy[Any]
Schema: TypeAlias = dict[str, Any]
FUNCTIONS = ("function-before", "function-after", "function-wrap")
"""The kinds of schema that are a user's validator around another schema."""


@dataclass(frozen=True, slots=True)
class Part:
    """A schema, and where it stands."""

    schema: Schema
    """The core schema."""
    hint: TypeForm
    """The annotation that it was made from; `None` when that is not known."""
    path: str
    """Where it stands: "Order.items[].sku"."""
    depth: int = 0
    """How many recursive types are open around it."""

    @property
    def kind(self) -> str:
        """What pydantic calls this kind of schema."""
        kind: str = self.schema["type"]
        return kind

    @property
    def hints(self) -> tuple[TypeForm, ...]:
        """The arguments of the annotation: `(str, int)` for `dict[str, int]`."""
        return get_args(peeled(self.hint)[-1])

    def hint_at(self, position: int) -> TypeForm:
        """Return one argument of the annotation; `None` if there is none."""
        hints = self.hints
        return hints[position] if position < len(hints) else None

    def inner(self, schema: Schema, hint: TypeForm = None, step: str = "") -> "Part":
        """Return a part of this part."""
        return replace(self, schema=schema, hint=hint, path=self.path + step)


class Walk(Protocol):
    """What a part can ask for."""

    def of(self, part: Part) -> Strategy | None:
        """Return a strategy of inputs for a part; `None` if there is no finite one.

        Raises:
            DefinitionError: No strategy is known.
        """
        ...

    def guessed(self, part: Part) -> Strategy:
        """Return what Hypothesis makes of the annotation, as far as the schema accepts it."""
        ...

    def accepted(self, strategy: Strategy, part: Part) -> Strategy:
        """Return the inputs that the schema accepts, unchanged."""
        ...

    def made(self, strategy: Strategy, make: Callable[[Any], Any], part: Part) -> Strategy:
        """Return what `make` makes of the inputs that it accepts."""
        ...

    def validate(self, part: Part) -> Callable[..., Any]:
        """Return the function that validates against the schema."""
        ...

    def whole(self, cls: type) -> Strategy:
        """Return the objects of another class that has a schema of its own."""
        ...

    def referred(self, part: Part) -> Strategy | None:
        """Return the strategy that a reference stands for."""
        ...


Way: TypeAlias = Callable[[Walk, Part], Strategy | None]
"""How parts of one kind are drawn."""


def peeled(hint: TypeForm) -> list[TypeForm]:
    """Return an annotation with its wrappers taken off one by one: aliases, `NewType`, `Annotated`."""
    forms = [hint]
    while True:
        last = forms[-1]
        if isinstance(last, TypeAliasType):
            forms.append(last.__value__)
        elif isinstance(last, NewType):
            forms.append(last.__supertype__)
        elif origin_of(last) is Annotated:
            forms.append(get_args(last)[0])
        else:
            return forms


def alternatives(hint: TypeForm) -> tuple[TypeForm, ...]:
    """Return the members of a union but `None`; the annotation itself if it is none."""
    last = peeled(hint)[-1]
    if origin_of(last) in (Union, UnionType):
        return tuple(form for form in get_args(last) if form is not type(None))
    return (last,)


def any_of(strategies: Iterable[Strategy | None]) -> Strategy | None:
    """Return the strategies that are possible as one; `None` if none is."""
    possible = [strategy for strategy in strategies if strategy is not None]
    return st.one_of(possible) if possible else None
