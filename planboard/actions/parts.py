"""Finding what an agent is made of: functions, components, states, modules, and other agents' parts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from inspect import getattr_static
from types import ModuleType
from typing import Any, Generic, TypeVar

from planboard.actions.declarations import ActionDeclaration, ConditionDeclaration, declaration_of
from planboard.actions.state import state_of, substates
from planboard.blackboard.matching import members
from planboard.errors import DefinitionError
from planboard.types import Location

D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Found(Generic[D]):
    """A declaration, with the object or state class it belongs to."""

    name: str
    declaration: D
    owner: object = None
    """The component instance, or the state class, whose method it is."""
    state: type | None = None
    """The state class, when it is a state's method."""

    @property
    def where(self) -> Location | None:
        """Where it is declared."""
        declaration: Any = self.declaration
        found: Location | None = declaration.reader.where
        return found


@dataclass(slots=True)
class Parts:
    """What was found, in order of names."""

    actions: list[Found[ActionDeclaration]] = field(default_factory=list)
    conditions: list[Found[ConditionDeclaration]] = field(default_factory=list)
    states: list[type] = field(default_factory=list)


def find_parts(given: Iterable[Any]) -> Parts:
    """Collect the actions, conditions and states of an agent's parts.

    State classes that an action returns are part of the agent without being named, and so are the subclasses of such
    a class that stand in the same module.

    Raises:
        DefinitionError: A part is nothing that an agent can be made of.
    """
    found: dict[tuple[int, int], Found[Any]] = {}
    states: dict[type, None] = {}
    pending = [item for part in given for item in _look_into(part)]
    while pending:
        item = pending.pop(0)
        if isinstance(item, type):
            if item not in states:
                states[item] = None
                pending.extend(_methods(item, item))
                pending.extend(base for base in item.__mro__[1:] if state_of(base) is not None)
            continue
        key = (id(item.declaration), id(item.owner))
        if key in found:
            continue
        found[key] = item
        if isinstance(item.declaration, ActionDeclaration):
            pending.extend(_states_returned(item.declaration))
    ordered = sorted(found.values(), key=lambda item: (item.name, str(item.where)))
    return Parts(
        [item for item in ordered if isinstance(item.declaration, ActionDeclaration)],
        [item for item in ordered if isinstance(item.declaration, ConditionDeclaration)],
        sorted(states, key=lambda cls: (cls.__qualname__, cls.__module__)),
    )


def _look_into(part: Any) -> Iterator[Any]:
    declaration = declaration_of(part)
    owner = getattr(part, "__self__", None)
    if declaration is not None:
        if declaration.method and owner is None:
            message = (
                f"{declaration.name!r} is a method, so an agent needs the object it belongs to. "
                f"Pass an instance of its class instead."
            )
            raise DefinitionError(message, where=declaration.reader.where)
        yield Found(declaration.name, declaration, owner)
    elif isinstance(part, ModuleType):
        yield from _in_module(part)
    elif isinstance(part, type):
        if state_of(part) is None:
            message = f"{part.__name__} is a class. Pass an instance of it, or decorate it with @state if it is one."
            raise DefinitionError(message)
        yield from substates(part)
    elif isinstance(getattr(part, "parts", None), tuple):
        for inner in part.parts:
            yield from _look_into(inner)
    elif isinstance(part, list | tuple):
        for inner in part:
            yield from _look_into(inner)
    else:
        methods = [] if callable(part) else list(_methods(type(part), part))
        if not methods:
            what = getattr(part, "__name__", None) or repr(part)
            message = (
                f"{what} is nothing an agent can be made of. Decorate it with @action or @condition, or pass an "
                "object whose methods are decorated, a @state class, a module or another agent."
            )
            raise DefinitionError(message)
        yield from methods


def _in_module(module: ModuleType) -> Iterator[Any]:
    for name in sorted(vars(module)):
        member = vars(module)[name]
        if getattr(member, "__module__", None) != module.__name__:
            continue  # imported there, so it is another module's part
        if isinstance(member, type):
            if state_of(member) is not None:
                yield member
        elif declaration_of(member) is not None:
            yield from _look_into(member)


def _methods(cls: type, owner: object) -> Iterator[Found[Any]]:
    state = cls if owner is cls else None
    for name in dir(cls):
        declaration = declaration_of(getattr(cls, name, None)) if not name.startswith("__") else None
        if declaration is None:
            continue
        if isinstance(getattr_static(cls, name), staticmethod | classmethod):
            message = f"{cls.__name__}.{name} is a static or class method; declare it as a function or a plain method."
            raise DefinitionError(message, where=declaration.reader.where)
        if state is not None and not _defined_by(state, name):
            continue  # a state's inherited action belongs to the state class that defines it
        yield Found(declaration.name, declaration, owner, state)


def _defined_by(state: type, name: str) -> bool:
    """Tell whether a state class is the topmost state that has an action, so that it is found once only."""
    return name in vars(state) or not any(name in vars(base) and state_of(base) for base in state.__mro__[1:])


def _states_returned(declaration: ActionDeclaration) -> Iterator[type]:
    for alternative in declaration.reader.read().outputs:
        for form in alternative:
            for member in members(form):
                if isinstance(member, type) and state_of(member) is not None:
                    metadata = getattr(member, "__pydantic_generic_metadata__", None) or {}
                    yield from substates(metadata.get("origin") or member)  # `Holding[int]` has Holding's actions
