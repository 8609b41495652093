"""What a planner is told about actions and goals: names, facts and numbers, nothing else.

An `Operator` is one way an action may turn out; a `PlanGoal` is a wish. Both are immutable values that compare
by what they declare, so a rebuilt agent plans, caches and fingerprints exactly as the first one did.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final, TypeAlias, TypeVar

from planboard.errors import DefinitionError

Truth: TypeAlias = bool | None
"""TRUE, FALSE or, as `None`, UNKNOWN."""

Number: TypeAlias = int | float
Price: TypeAlias = Number | Callable[[Mapping[str, Truth]], Number]
"""A number, or a function of the start state that is asked once in a planning call."""

Conditions: TypeAlias = Mapping[str, Truth] | Iterable[str]
"""Facts with their values; bare names mean True."""

TruthT_co = TypeVar("TruthT_co", bound=Truth, covariant=True)


class Literals(Mapping[str, TruthT_co]):
    """Facts and their values: an immutable, hashable mapping, sorted by name."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, TruthT_co]) -> None:
        self._values: dict[str, TruthT_co] = {name: values[name] for name in sorted(values)}

    def __getitem__(self, name: str) -> TruthT_co:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def items(self) -> ItemsView[str, TruthT_co]:
        """Return the facts with their values; the dictionary's own view, which is many times faster."""
        return self._values.items()

    def keys(self) -> KeysView[str]:
        """Return the facts."""
        return self._values.keys()

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Operator:
    """One action, or one outcome of it, as planning sees it.

    Operators are equal when they declare the same. Functions are not compared, only that there is one: two
    lambdas written alike are different objects, and a rebuilt agent must still be the same agent.
    """

    name: str
    """The action's name, listed in `Plan.steps`."""
    pre: Literals[bool]
    """What must hold before it, each True or False."""
    effects: Literals[Truth]
    """What holds after it; `None` means UNKNOWN, and later steps may assume either value."""
    cost: Price
    """A finite number of at least 0, or a function of the start state that returns one."""
    value: Price
    """A finite number of either sign, or a function of the start state that returns one."""
    outcome: str
    """Which of several outcomes of the action this is; empty when there is one. Choosing one is an assumption."""

    def __init__(
        self,
        name: str,
        pre: Conditions = (),
        effects: Conditions = (),
        cost: Price = 0.0,
        value: Price = 0.0,
        *,
        outcome: str = "",
    ) -> None:
        where = f"Operator {name!r}"
        put = object.__setattr__
        put(self, "name", name)
        put(self, "pre", _demands(where, pre))
        put(self, "effects", Literals(_literals(where, effects)))
        put(self, "cost", _price(where, "cost", cost, floor=0))
        put(self, "value", _price(where, "value", value))
        put(self, "outcome", outcome)

    @property
    def key(self) -> tuple[str, str]:
        """Name and outcome: what operators are told apart and sorted by."""
        return self.name, self.outcome

    @property
    def label(self) -> str:
        """The name, with the outcome if there are several: "triage → Bug"."""
        return f"{self.name} → {self.outcome}" if self.outcome else self.name

    @property
    def dynamic(self) -> bool:
        """Whether the cost or the value depends on the state."""
        return callable(self.cost) or callable(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operator) and self._declared() == other._declared()

    def __hash__(self) -> int:
        return hash((self.name, self.outcome, self.pre))

    def _declared(self) -> tuple[object, ...]:
        cost = "dynamic" if callable(self.cost) else self.cost
        value = "dynamic" if callable(self.value) else self.value
        return self.name, self.outcome, self.pre, self.effects, cost, value


@dataclass(frozen=True, slots=True, init=False)
class PlanGoal:
    """What should hold in the end, and what that is worth."""

    name: str
    """Unique within a problem; `str(goal)` is the name."""
    pre: Literals[bool]
    """The facts that make the goal satisfied; none at all is satisfied everywhere."""
    value: Number
    """A finite number, counted in the net value of a plan to this goal."""

    def __init__(self, name: str, pre: Conditions, value: Number = 0.0) -> None:
        where = f"Goal {name!r}"
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "pre", _demands(where, pre))
        object.__setattr__(self, "value", checked_number(where, "value", value))

    def __str__(self) -> str:
        return self.name


class _Nirvana(PlanGoal):
    """Known by identity: equal to itself only, and still itself after copying or pickling."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash("NIRVANA")

    def __reduce__(self) -> str:
        return "NIRVANA"


def checked_number(where: str, what: str, number: object, *, floor: int | None = None) -> Number:
    """Return `number` if it is a finite number and, with a `floor`, not below it.

    Raises:
        DefinitionError: Naming `where`, for anything else; `True` is not a number here.
    """
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise DefinitionError(f"{where}: {what} must be a number, not {number!r}.")
    if not _is_finite(number):
        raise DefinitionError(f"{where}: {what} must be finite, not {number!r}.")
    if floor is not None and number < floor:
        raise DefinitionError(f"{where}: {what} must not be below {floor}, but is {number!r}.")
    return number


def _is_finite(number: Number) -> bool:
    try:
        return isfinite(number)
    except OverflowError:  # an int beyond the range of float
        return False


def _price(where: str, what: str, price: Price, *, floor: int | None = None) -> Price:
    return price if callable(price) else checked_number(where, what, price, floor=floor)


def _demands(where: str, conditions: Conditions) -> Literals[bool]:
    known: dict[str, bool] = {}
    for name, truth in _literals(where, conditions).items():
        if truth is None:
            raise DefinitionError(
                f'{where}: {name!r} is demanded to be UNKNOWN (None), but "not yet known" cannot be demanded. '
                "Demand True or False, or leave it out."
            )
        known[name] = truth
    return Literals(known)


def _literals(where: str, conditions: Conditions) -> dict[str, Truth]:
    if isinstance(conditions, str):
        raise DefinitionError(f"{where}: write ({conditions!r},) for one fact; a bare string is a row of letters.")
    values: dict[str, Truth] = {}
    values.update(conditions if isinstance(conditions, Mapping) else dict.fromkeys(conditions, True))
    for name, truth in values.items():
        if not isinstance(name, str):
            raise DefinitionError(f"{where}: the name of a fact must be a string, not {name!r}.")
        if not (truth is None or isinstance(truth, bool)):
            raise DefinitionError(f"{where}: {name!r} must be True, False or None, not {truth!r}.")
    return values


NIRVANA: Final[PlanGoal] = _Nirvana("Nirvana", {"nirvana": True})
"""The goal that is never satisfied. Planners know it by identity: a goal of yours may have the same name."""
