"""The facts and operators of an agent, compiled once and reused at every tick.

A state is two integers, one bit per fact: what is true and what is unknown; the rest is false. So a state is
made, compared and stored in nanoseconds, and equal worlds are equal numbers in every process.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from planboard._text import brief
from planboard.errors import DefinitionError, UnknownNameError
from planboard.planners.operator import NIRVANA, Operator, PlanGoal, Truth

if TYPE_CHECKING:
    from planboard.planners.search.view import View

FactKind: TypeAlias = Literal["type", "condition", "bookkeeping"]
"""What a fact stands for; used in explanations only."""

_CACHED = 64
"""Goal sets (and views of goals) kept per domain; an agent has a handful."""

Key = TypeVar("Key")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Masks:
    """An operator as integers over the bits of a domain."""

    pre_true: int
    pre_false: int
    true: int
    """Facts it makes true."""
    false: int
    """Facts it makes false."""
    unknown: int
    """Facts it makes unknown."""

    @classmethod
    def of(cls, operator: Operator, bit: Mapping[str, int]) -> "Masks":
        """Compile an operator over the bits of its facts."""
        true = false = unknown = pre_true = pre_false = 0
        for name, truth in operator.pre.items():
            if truth:
                pre_true |= bit[name]
            else:
                pre_false |= bit[name]
        for name, becomes in operator.effects.items():
            if becomes is None:
                unknown |= bit[name]
            elif becomes:
                true |= bit[name]
            else:
                false |= bit[name]
        return cls(pre_true, pre_false, true, false, unknown)

    def after(self, true: int, unknown: int) -> tuple[int, int]:
        """Return the true and the unknown facts once the operator has run."""
        kept = ~(self.true | self.false | self.unknown)
        return true & kept | self.true, unknown & kept | self.unknown


class Domain:
    """Operators and facts, sorted and numbered; immutable, and shared by any number of problems.

    What planning derives from it, such as which operators matter to a goal, is kept here (bounded), so a tick
    pays for its state only.

    Args:
        operators: In any order; `(name, outcome)` must be unique.
        facts: Names beside those that operators mention.
        kinds: What facts stand for, for explanations. Bookkeeping facts are not shown as inputs.
    """

    def __init__(
        self,
        operators: Iterable[Operator],
        *,
        facts: Iterable[str] = (),
        kinds: Mapping[str, FactKind] | None = None,
    ) -> None:
        self.operators: tuple[Operator, ...] = tuple(sorted(operators, key=lambda operator: operator.key))
        """All operators, by name and outcome."""
        _refuse_twins(self.operators)
        self._origin: object = self.operators
        mentioned = set(facts)
        for operator in self.operators:
            mentioned.update(operator.pre.keys(), operator.effects.keys())
        self._compile(tuple(sorted(mentioned)), dict(kinds or {}))

    def _compile(self, bit_order: tuple[str, ...], kinds: dict[str, FactKind]) -> None:
        self._bit_order = bit_order
        self._bits = {name: 1 << index for index, name in enumerate(bit_order)}
        self.views: dict[tuple[PlanGoal, ...], View] = {}
        """What bears on each goal, made when it is first planned for; see `view_of`."""
        self.answers: dict[Any, Any] = {}
        """Plans by planner, goals and state, for planners that remember them."""
        self.rankings: dict[str, tuple[Any, ...]] = {}
        """The operators by worth, for planners that rank them; kept here because it outlives a planning call."""
        self._masks: dict[int, Masks] = {}
        self._accepted: Domain | None = None
        self._goal_sets: dict[tuple[PlanGoal, ...], Domain] = {}
        self.facts: tuple[str, ...] = tuple(sorted(bit_order))
        """All facts, sorted."""
        self.kinds: Mapping[str, FactKind] = kinds
        """What facts stand for; one that is not listed is a plain fact."""
        self.every: int = (1 << len(bit_order)) - 1
        """The mask of all facts."""
        self.dynamic: bool = any(operator.dynamic for operator in self.operators)
        """Whether some cost or value depends on the state, so that no plan outlives its first step unchecked."""

    @cached_property
    def masks(self) -> tuple[Masks, ...]:
        """The operators as integers, in the order of `operators`."""
        return tuple(map(self.masks_of, range(len(self.operators))))

    def masks_of(self, index: int) -> Masks:
        """Return one operator as integers, by its position in `operators`; made the first time it is asked for."""
        made = self._masks.get(index)
        if made is None:
            made = self._masks[index] = Masks.of(self.operators[index], self._bits)
        return made

    @cached_property
    def achievers(self) -> Mapping[tuple[str, Truth], list[int]]:
        """For each fact and value, the operators with that effect, by their position in `operators`."""
        index: dict[tuple[str, Truth], list[int]] = {}
        for position, operator in enumerate(self.operators):
            for effect in operator.effects.items():
                index.setdefault(effect, []).append(position)
        return index

    @cached_property
    def alternatives(self) -> Mapping[str, int]:
        """How many outcomes each action has; only those with more than one."""
        counts: dict[str, int] = {}
        for operator in self.operators:
            counts[operator.name] = counts.get(operator.name, 0) + 1
        return {name: count for name, count in counts.items() if count > 1}

    def bit(self, name: str) -> int:
        """Return the mask of one fact.

        Raises:
            UnknownNameError: With the closest name, when there is no such fact.
        """
        try:
            return self._bits[name]
        except KeyError:
            raise UnknownNameError("fact", name, self.facts) from None

    def knows(self, name: str) -> bool:
        """Whether there is a fact of that name."""
        return name in self._bits

    def demands(self, goal: PlanGoal) -> Masks:
        """Return a goal as the preconditions of an operator without effects."""
        return Masks(mask_of(self._bits, goal.pre, True), mask_of(self._bits, goal.pre, False), 0, 0, 0)

    def names(self, mask: int) -> tuple[str, ...]:
        """Return the names of the facts in a mask, sorted."""
        return tuple(sorted(self._bit_order[index] for index in bits_of(mask)))

    def state(self, values: Mapping[str, Truth]) -> "State":
        """Return a state of this domain: missing names are false, names it does not know are left out.

        Raises:
            DefinitionError: It is no mapping of names to True, False or None.
        """
        _check_truths(values)
        true = unknown = 0
        for name, bit in self._bits.items():
            truth = values.get(name, False)
            if truth is None:
                unknown |= bit
            elif truth:
                true |= bit
        return State(self, true, unknown)

    def accepts(self, state: "State") -> bool:
        """Whether a state's masks mean here what they mean in its own domain."""
        theirs = state.domain
        if theirs is self or theirs is self._accepted:
            return True
        alike = theirs._origin is self._origin and self._bit_order[: len(theirs._bit_order)] == theirs._bit_order  # noqa: SLF001
        if alike:
            self._accepted = theirs  # a process asks at every tick
        return alike

    def covering(self, names: Iterable[str]) -> "Domain":
        """Return this domain, or one that knows these names too and keeps every bit where it is.

        States of this domain are therefore states of the wider one, in which the new facts are false.
        """
        extra = tuple(sorted(set(names).difference(self._bits)))
        if not extra:
            return self
        wider = Domain.__new__(Domain)
        wider.operators = self.operators
        wider._origin = self._origin  # noqa: SLF001 - its own class
        wider._compile(self._bit_order + extra, dict(self.kinds))  # noqa: SLF001 - its own class
        return wider

    def for_goals(self, goals: tuple[PlanGoal, ...]) -> "Domain":
        """Return the domain that knows the goals' facts, checked and remembered.

        Raises:
            DefinitionError: If two goals have one name.
        """
        return remember(self._goal_sets, goals, self._checked_for_goals)

    def _checked_for_goals(self, goals: tuple[PlanGoal, ...]) -> "Domain":
        real = [goal for goal in goals if goal is not NIRVANA]
        names = sorted(goal.name for goal in real)
        for name, following in pairwise(names):
            if name == following:
                raise DefinitionError(f"Two goals are named {name!r}; a goal is chosen and reported by its name.")
        return self.covering(name for goal in real for name in goal.pre)

    def __repr__(self) -> str:
        return f"<Domain of {len(self.operators)} operators over {len(self.facts)} facts>"


class State(Mapping[str, Truth]):
    """What holds now: a mapping of every fact of a domain to True, False or None, kept as two integers."""

    def __init__(self, domain: Domain, true: int, unknown: int) -> None:
        self.domain = domain
        """Names the facts."""
        self.true = true
        """The mask of the facts that are true."""
        self.unknown = unknown
        """The mask of the facts that are unknown; never overlaps `true`."""

    def __getitem__(self, name: str) -> Truth:
        bit = self.domain._bits[name]  # noqa: SLF001 - one module; a mapping answers with KeyError
        return None if self.unknown & bit else bool(self.true & bit)

    def __iter__(self) -> Iterator[str]:
        return iter(self.domain.facts)

    def __len__(self) -> int:
        return len(self.domain.facts)

    def updated(self, values: Mapping[str, Truth]) -> "State":
        """Return the state with some facts changed.

        Raises:
            UnknownNameError: For a name that is no fact of the domain.
        """
        true, unknown = self.true, self.unknown
        for name, truth in values.items():
            bit = self.domain.bit(name)
            true = true | bit if truth else true & ~bit
            unknown = unknown | bit if truth is None else unknown & ~bit
        return State(self.domain, true, unknown)

    def describe(self, name: str) -> str | None:  # noqa: ARG002 - for subclasses that know more
        """Say more about a fact, for explanations: why it is as it is; `None` if there is no more to say."""
        return None

    @property
    def unknown_names(self) -> tuple[str, ...]:
        """The facts that are unknown, sorted."""
        return self.domain.names(self.unknown)

    def __repr__(self) -> str:
        return f"State({dict(self)!r})"


def _check_truths(values: object) -> None:
    if not isinstance(values, Mapping):
        raise DefinitionError(f"A state is a mapping of names to True, False or None, not {brief(values)}.")
    for name, truth in values.items():
        if not isinstance(name, str) or not (truth is None or isinstance(truth, bool)):
            raise DefinitionError(f"A state maps names to True, False or None, not {name!r} to {brief(truth)}.")


def remember(cache: dict[Key, Made], key: Key, make: Callable[[Key], Made]) -> Made:
    """Return what was made for `key`, making it the first time; the oldest goes when there are too many."""
    made = cache.get(key)
    if made is None:
        made = make(key)
        if len(cache) >= _CACHED:
            cache.pop(next(iter(cache)), None)
        cache[key] = made
    return made


def mask_of(bit: Mapping[str, int], literals: Mapping[str, Truth], wanted: Truth) -> int:
    """Return the mask of the facts that `literals` gives the value `wanted`."""
    mask = 0
    for name, truth in literals.items():
        if truth is wanted:
            mask |= bit[name]
    return mask


def bits_of(mask: int) -> list[int]:
    """Return the positions of the bits that are set, ascending."""
    if not mask & (mask - 1):  # one bit or none, which is most of the calls
        return [mask.bit_length() - 1] if mask else []
    positions = []
    while mask:
        low = mask & -mask
        positions.append(low.bit_length() - 1)
        mask ^= low
    return positions


def _refuse_twins(operators: tuple[Operator, ...]) -> None:
    for one, other in pairwise(operators):
        if one.key == other.key:
            outcome = f" with the outcome {one.outcome!r}" if one.outcome else ""
            raise DefinitionError(
                f"Two operators are named {one.name!r}{outcome} (outcomes {one.outcome!r} and {other.outcome!r}). "
                "Rename one, or tell the outcomes of one action apart with `outcome=`."
            )
