"""States: classes whose presence on the board decides which actions are candidates.

An action that puts an object of a `@state` class on the board enters the state, which hides every other visible
entry. The methods of the class that are actions then apply to it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, overload

from planboard.errors import DefinitionError
from planboard.types import TypeForm, origin_of

C = TypeVar("C", bound=type)
_MARK = "__planboard_state__"


@dataclass(frozen=True, slots=True)
class State:
    """What `@state` says of a class."""

    keep: tuple[TypeForm, ...] = ()
    """The types whose entries stay visible when this state is entered."""


@overload
def state(cls: C, /) -> C: ...
@overload
def state(*, keep: Iterable[TypeForm] = ()) -> Callable[[C], C]: ...
def state(cls: Any = None, /, *, keep: Iterable[TypeForm] = ()) -> Any:
    """Declare a class to be a state. Its subclasses are states too, and keep the same types.

    Args:
        cls: The class, when used without parentheses.
        keep: Types whose entries stay visible when the state is entered. History keeps all entries anyway.

    Raises:
        DefinitionError: It is not applied to a class.
    """

    def mark(cls: C) -> C:
        if not isinstance(cls, type):
            message = f"@state is for classes; {cls!r} is none."
            raise DefinitionError(message)
        setattr(cls, _MARK, State(tuple(keep)))
        _state_of_class.cache_clear()
        return cls

    return mark if cls is None else mark(cls)


def state_of(form: TypeForm) -> State | None:
    """Return what `@state` says of a type, or `None` for types that are no states."""
    cls: Any = origin_of(form) or form
    return _state_of_class(cls) if isinstance(cls, type) else None


@lru_cache(maxsize=4096)
def _state_of_class(cls: Any) -> State | None:
    return next((vars(base)[_MARK] for base in cls.__mro__ if _MARK in vars(base)), None)


def state_of_value(value: object) -> State | None:
    """Return what `@state` says of a value's class, or `None`."""
    cls: Any = value.__class__
    return _state_of_class(cls)


def substates(cls: type) -> list[type]:
    """Return a state class and those subclasses that stand in the same module, in order of their names.

    The subclasses of a base class in its own module are its alternatives, as of a sealed class. Those from elsewhere
    are only part of an agent that names them. Of several of one name the last counts: it was defined again, as in a
    notebook, or made anew by a decorator, such as `@dataclass(slots=True)`.
    """
    found = [cls]
    subclasses: list[type] = cls.__subclasses__()  # in the order in which they were defined
    own = {
        sub.__qualname__: sub for sub in subclasses if sub.__module__ == cls.__module__ and not _is_parametrised(sub)
    }
    for _, sub in sorted(own.items()):
        found.extend(substates(sub))
    return list(dict.fromkeys(found))


def _is_parametrised(cls: type) -> bool:
    return bool((getattr(cls, "__pydantic_generic_metadata__", None) or {}).get("origin"))
