"""The graph of a state machine, read from what its actions take and return.

A class with subclasses in the machine stands for them: to return it is to return one of them, and what it can do all
of them can. So the graph is between the innermost classes only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planboard._text import brief, listed, suggest
from planboard.actions.action import Action
from planboard.actions.state import state_of, substates
from planboard.blackboard.matching import members
from planboard.errors import DefinitionError
from planboard.types import Location, TypeForm, origin_of, type_name

StateName: TypeAlias = type | str
"""A `@state` class, or its name."""


@dataclass(frozen=True, slots=True)
class Transition:
    """One arrow of the graph."""

    source: type | None
    """The state that is left; `None` for the beginning of the run."""
    action: str | None
    """The action that does it; `None` where the run is given the state, or ends in it."""
    target: TypeForm
    """The state that is entered, or the type of the result that ends the run; `None` for the end in the source."""
    where: Location | None = field(default=None, compare=False)
    """Where the action is defined."""

    def __str__(self) -> str:
        source = "start" if self.source is None else self.source.__name__
        target = "end" if self.target is None else type_name(self.target)
        return f"{source} → {target}{f' by {self.action}' if self.action else ''}"


class States:
    """The states of a machine, by class and by name.

    Args:
        machine: The name of the machine, for messages.
        given: `@state` classes. The subclasses in the module of a class come with it, unless some are given too.

    Raises:
        DefinitionError: Something given is no state, or two of them have one name.
    """

    def __init__(self, machine: str, given: Any) -> None:
        self.machine = machine
        self.given = tuple(dict.fromkeys(self._checked(item) for item in _as_items(given)))
        """What was given, each once."""
        if not self.given:
            raise DefinitionError(f"State machine {machine!r} has no states. Name its @state classes in states=[...].")
        beside = [cls for cls in self.given if any(_is_kind(other, cls) for other in self.given)]
        found = dict.fromkeys(one for cls in self.given for one in ([cls] if cls in beside else substates(cls)))
        self.leaves: tuple[type, ...] = tuple(
            cls for cls in found if cls in beside or not any(_is_kind(other, cls) for other in found)
        )
        """The states that a run can be in, in the order in which they were given."""
        self._refuse_twins()

    def _checked(self, item: Any) -> type:
        if not isinstance(item, type) or state_of(item) is None:
            what = item.__name__ if isinstance(item, type) else repr(item)
            message = f"State machine {self.machine!r}: {what} is no @state class. Decorate it with @state."
            raise DefinitionError(message)
        return item

    def _refuse_twins(self) -> None:
        seen: dict[str, type] = {}
        for cls in self.leaves:
            other = seen.setdefault(cls.__name__, cls)
            if other is not cls:
                places = listed([f"{one.__module__}.{one.__qualname__}" for one in (other, cls)])
                message = f"Two states of machine {self.machine!r} are named {cls.__name__!r}: {places}. Rename one."
                raise DefinitionError(message)

    def named(self, given: StateName, where: str) -> tuple[type, ...]:
        """Return the states that a class or a name stands for.

        Args:
            given: The class, or its name.
            where: In which argument, for messages.

        Raises:
            DefinitionError: It is none of them.
        """
        cls: Any = given
        if isinstance(given, str):
            cls = next((one for one in (*self.leaves, *self.given) if one.__name__ == given), None)
        found = self.under(cls)
        if not found:
            name = given if isinstance(given, str) else type_name(given)
            hint = suggest(name, [one.__name__ for one in self.leaves])
            raise DefinitionError(
                f"State machine {self.machine!r}: {name!r} in {where} is not among its states. {hint}"
            )
        return found

    def under(self, form: TypeForm) -> tuple[type, ...]:
        """Return the states that an object declared as a type may be; none if the type is no state of the machine."""
        return tuple(dict.fromkeys(leaf for member in members(form) for leaf in self._under(member)))

    def _under(self, form: TypeForm) -> tuple[type, ...]:
        metadata = getattr(form, "__pydantic_generic_metadata__", None) or {}
        cls = metadata.get("origin") or origin_of(form) or form  # `Holding[int]` is the state Holding
        if not isinstance(cls, type) or state_of(cls) is None:
            return ()
        return tuple(leaf for leaf in self.leaves if issubclass(leaf, cls))


@dataclass(frozen=True, slots=True)
class Graph:
    """The states of a machine and the arrows between them."""

    states: States
    transitions: tuple[Transition, ...]
    """In the order of the states they leave, then of those they enter, as a run comes to them; then of the actions."""
    initial: tuple[type, ...]
    """The states in which a run may begin."""
    final: tuple[TypeForm, ...]
    """The states, and the types of results, that end a run."""

    def after(self, state: type) -> tuple[Transition, ...]:
        """Return the arrows by which actions leave a state."""
        return tuple(arrow for arrow in self.transitions if arrow.source is state and arrow.action is not None)


def is_in_a_state(action: Action) -> bool:
    """Tell whether an action can only run in a state: it is a method of one, or takes one."""
    return any(_is_state(item.query.form) for item in action.body.required)


def sources_of(action: Action, states: States) -> tuple[type, ...]:
    """Return the states that an action can run in."""
    taken = [states.under(item.query.form) for item in action.body.required if _is_state(item.query.form)]
    return tuple(leaf for leaf in states.leaves if taken and all(leaf in some for some in taken))


def read_graph(states: States, actions: Iterable[Action], initial: Sequence[type], final: Sequence[TypeForm]) -> Graph:
    """Return the graph that actions make.

    Args:
        states: The states.
        actions: The actions of the machine.
        initial: The states that a run may be given.
        final: The states, and the types of results, that end a run.
    """
    arrows = [Transition(None, None, state) for state in initial]
    for action in actions:
        sources: tuple[type | None, ...] = sources_of(action, states) if is_in_a_state(action) else (None,)
        for form in action.output_types:
            ends = sources != (None,) and form in final
            for target in states.under(form) or ((form,) if ends else ()):
                arrows += [Transition(source, action.name, target, action.where) for source in sources]
    arrows += [Transition(state, None, None) for state in states.leaves if state in final]
    place = {form: number for number, form in enumerate((None, *_outwards(states, arrows)))}

    def rank(arrow: Transition) -> tuple[Any, ...]:
        is_state = arrow.target in states.leaves
        return place[arrow.source], place[arrow.target] if is_state else len(place), str(arrow)

    begun = [arrow.target for arrow in arrows if arrow.source is None]
    first = tuple(state for state in states.leaves if state in begun)
    return Graph(states, tuple(sorted(dict.fromkeys(arrows), key=rank)), first, tuple(final))


def _outwards(states: States, arrows: Sequence[Transition]) -> tuple[type, ...]:
    """Return the states in the order in which a run can come to them first; of equals, as they were given."""
    found: dict[type | None, None] = {None: None}
    ring: list[type | None] = [None]
    while ring:
        entered = {arrow.target for arrow in arrows if arrow.source in ring}
        ring = [leaf for leaf in states.leaves if leaf in entered and leaf not in found]
        found.update(dict.fromkeys(ring))
    return tuple(dict.fromkeys((*(state for state in found if state is not None), *states.leaves)))


def entries_outside(actions: Iterable[Action], initial: Sequence[type], states: States) -> list[str]:
    """Say which actions could enter a state out of any other, since they take none; none if all begin the run."""
    found = []
    for action in actions:
        targets = [] if is_in_a_state(action) else [leaf for form in action.output_types for leaf in states.under(form)]
        beside = [leaf.__name__ for leaf in targets if leaf not in initial]
        if beside and initial:
            found.append(
                f"{action.name} ({action.where}) returns {listed(beside)} and takes no state, so it could happen in "
                "any. Make it a method of a state, let it take one, or leave out initial=: then it begins the run."
            )
    return found


def strangers(actions: Iterable[Action], states: States) -> list[str]:
    """Say which actions take or return states that are none of the machine's, or enter two at once."""
    known = [leaf.__name__ for leaf in states.leaves]
    found = []
    for action in actions:
        taken = [item.query.form for item in action.body.inputs]
        for verb, forms in (("returns", action.output_types), ("takes", taken)):
            for member in dict.fromkeys(member for form in forms for member in members(form)):
                if _is_state(member) and not states.under(member):
                    what = f"{type_name(member)}, which is not among the states"
                    found.append(f"{action.name} ({action.where}) {verb} {what}. {suggest(type_name(member), known)}")
        for way in action.outputs:
            entered = [type_name(form) for form in way if _is_state(form)]
            if len(entered) > 1:
                found.append(f"{action.name} ({action.where}) enters {listed(entered)} at once; a run is in one state.")
    return found


def declared_graph(states: States, declared: Mapping[StateName, Any]) -> dict[type, tuple[TypeForm, ...]]:
    """Return by state what `transitions=` says may follow: states, and types of results.

    Raises:
        DefinitionError: It names a state that is none of the machine's.
    """
    if not isinstance(declared, Mapping):
        message = (
            f"State machine {states.machine!r}: transitions={brief(declared)} is no mapping. Write it by state, as in "
            "transitions={Draft: [Review]}."
        )
        raise DefinitionError(message)
    found: dict[type, dict[TypeForm, None]] = {}
    for source, targets in declared.items():
        followers: dict[TypeForm, None] = {}
        for target in _as_items(targets):
            named = isinstance(target, str) or _is_state(target)
            followers.update(dict.fromkeys(states.named(target, "transitions=") if named else (target,)))
        for state in states.named(source, "transitions="):
            found.setdefault(state, {}).update(followers)
    return {state: tuple(followers) for state, followers in found.items()}


def _is_state(form: TypeForm) -> bool:
    return any(state_of(member) is not None for member in members(form))


def _is_kind(one: type, other: type) -> bool:
    return one is not other and issubclass(one, other)


def _as_items(given: Any) -> tuple[Any, ...]:
    alone = given is None or isinstance(given, type | str) or not isinstance(given, Iterable)
    return (() if given is None else (given,)) if alone else tuple(given)
