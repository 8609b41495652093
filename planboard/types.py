"""How types are written in signatures, and how they read in messages.

`Named` and `All` are markers for `typing.Annotated`; everything else here turns a type into words.
"""

import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from inspect import unwrap
from typing import Annotated, Any, Literal, NewType, TypeAlias, Union, get_args, get_origin

from typing_extensions import TypeAliasType

WRITTEN_AT = "__planboard_written_at__"
"""The attribute by which a function that Planboard made says where a user asked for it."""

TypeForm: TypeAlias = Any
"""A class, a parametrised type, a union or an `Annotated` type: what a signature may hold."""


@dataclass(frozen=True, slots=True)
class Named:
    """Demand an entry that is bound to a name: `Annotated[Issue, Named("gh_issue")]`."""

    name: str
    """The binding, as given by `output=`, by `board.bind` or by a keyword input."""

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            msg = f"Named({self.name!r}): a binding name must be a Python identifier, as 'gh_issue' is."
            raise ValueError(msg)


class All:
    """Collect every visible match, oldest first: `Annotated[list[Person], All]`. At least one is needed."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where something was written, for messages."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def location_of(target: Callable[..., Any] | type) -> Location | None:
    """Return where a function or class is defined, or `None` for one that has no source, such as a builtin."""
    said: Location | None = getattr(target, WRITTEN_AT, None)
    if said is not None:
        return said
    code = getattr(unwrap(target), "__code__", None) if not isinstance(target, type) else None
    if code is not None:
        return Location(code.co_filename, code.co_firstlineno)
    return None


def origin_of(form: TypeForm) -> Any:
    """Return `typing.get_origin(form)`, typed as what it is: any type form, or `None`."""
    return get_origin(form)


def is_type(form: object) -> bool:
    """Tell whether something can be asked of the board: a class, a parametrised type, a union, a `NewType`."""
    return isinstance(form, type | NewType | TypeAliasType) or get_origin(form) is not None


def type_name(form: TypeForm) -> str:
    """Return a type as a person writes it: `Report`, `list[Item]`, `Report | None`."""
    if form is type(None) or form is None:
        return "None"
    if form is Any:
        return "Any"
    if isinstance(form, str):
        return form
    origin = origin_of(form)
    if origin is Annotated:
        base, *metadata = get_args(form)
        shown = ", ".join("All" if mark is All or isinstance(mark, All) else repr(mark) for mark in metadata)
        return f"Annotated[{type_name(base)}, {shown}]"
    if origin in (Union, types.UnionType):
        return " | ".join(type_name(arg) for arg in get_args(form))
    if origin is Literal:
        return f"Literal[{', '.join(repr(arg) for arg in get_args(form))}]"
    if origin is not None:
        args = ", ".join("..." if arg is ... else type_name(arg) for arg in get_args(form))
        return f"{type_name(origin)}[{args}]" if args else type_name(origin)
    return getattr(form, "__name__", None) or repr(form)


def snake_case(name: str) -> str:
    """Return the name by which text conditions know a type: `IssueAssessment` is `issue_assessment`."""
    words = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words)
    return re.sub(r"\W+", "_", words).strip("_").lower()
