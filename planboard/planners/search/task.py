"""A planning task as flat integers: the seam between the planner and its search engines.

A fact becomes up to three *literals*, one bit each: it is true, it is false, it is open to assumption. An unknown
fact has none of them, so it satisfies nothing. With a literal for "false", every precondition is positive, which
is the classic way to compile negative preconditions away (Gazen & Knoblock 1997): relaxations that ignore deletes
stay admissible. To *assume* is a pseudo-operator that turns "open to assumption" into true or false.
"""

from collections.abc import Iterable
from functools import cached_property

from planboard.planners.domain import bits_of

_FIELD = 24
"""Bits for each of the counts in a weight: 16 million assumptions, actions or preconditions in one plan."""
_REPEATS = 6
"""Bits per action in the name rule: exact while no action is repeated more than 63 times in a plan."""


class Task:
    """Reach `goal` from `start` with the least total weight.

    Operators are numbers, sorted by action name; those from `actions` on are assumptions. An operator `i` is
    applicable in a state `s` if `pre[i] & ~s == 0` and leads to `s & ~dele[i] | add[i]`.
    """

    def __init__(
        self,
        operators: Iterable[tuple[int, int, int]],
        *,
        actions: int,
        start: int,
        goal: int,
        costs: tuple[int, ...],
        risks: tuple[int, ...],
        demands: tuple[int, ...],
    ) -> None:
        triples = tuple(operators)
        self.pre: tuple[int, ...] = tuple(triple[0] for triple in triples)
        """Literals that must hold before each operator."""
        self.add: tuple[int, ...] = tuple(triple[1] for triple in triples)
        """Literals that hold after it."""
        self.dele: tuple[int, ...] = tuple(triple[2] for triple in triples)
        """Literals that no longer hold after it, unless added."""
        self.actions: int = actions
        """How many operators are actions; the rest are assumptions."""
        self.start: int = start
        """The literals that hold at first."""
        self.goal: int = goal
        """The literals that must hold in the end."""
        self.costs: tuple[int, ...] = costs
        """The exact cost of each operator, in a common unit."""
        self.risks: tuple[int, ...] = risks
        """1 for an assumption, and for an action that assumes its own outcome."""
        self.demands: tuple[int, ...] = demands
        """How many preconditions each operator declares; greater is more specific."""

    def __len__(self) -> int:
        return len(self.pre)

    @cached_property
    def name_bits(self) -> int:
        """The width of the name rule."""
        return _REPEATS * (self.actions + 1)

    @cached_property
    def cost_shift(self) -> int:
        """A weight shifted right by this many bits is its cost."""
        return 3 * _FIELD + self.name_bits

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Each operator's part in the objective, one positive integer.

        Sums of weights compare as (cost, assumptions, actions, -preconditions, names) does, in this order. With
        everything before equal, the plan whose sorted names come first has the least sum, so the optimum is
        unique up to the order of its steps; `test_the_optimum_is_the_smallest_by_the_tie_rules` guards this.
        """
        weights = []
        for index, cost in enumerate(self.costs):
            is_action = index < self.actions
            weight = (cost << _FIELD | self.risks[index]) << _FIELD
            weight = (weight + is_action) << _FIELD
            weight = (weight - self.demands[index]) << self.name_bits
            if is_action:
                weight -= 1 << _REPEATS * (self.actions - 1 - index)
            weights.append(weight)
        return tuple(weights)

    @cached_property
    def infinity(self) -> int:
        """More than any sum of weights met in a search; a heuristic returns it for a dead end."""
        return 1 << (max(self.weights, default=0).bit_length() + 2 * _FIELD)

    @cached_property
    def pre_ids(self) -> tuple[tuple[int, ...], ...]:
        """`pre` as positions of bits."""
        return tuple(tuple(bits_of(mask)) for mask in self.pre)

    @cached_property
    def needers(self) -> dict[int, list[int]]:
        """For each literal, by position, the operators that need it."""
        return index_of(self.pre_ids)

    @cached_property
    def adders(self) -> dict[int, list[int]]:
        """For each literal, by position, the operators that add it."""
        return index_of(bits_of(mask) for mask in self.add)

    @cached_property
    def assumption_of(self) -> dict[int, int]:
        """For each literal that can be assumed, by mask, the operator that assumes it."""
        return {self.add[index]: index for index in range(self.actions, len(self.pre))}

    @cached_property
    def assumable(self) -> int:
        """The literals that some operator assumes."""
        mask = 0
        for literal in self.assumption_of:
            mask |= literal
        return mask

    def assumptions_for(self, missing: int, state: int) -> tuple[int, ...] | None:
        """Return the assumptions that provide the missing literals, or `None` if they cannot all be assumed."""
        if missing & ~self.assumable:
            return None
        chosen = []
        for position in bits_of(missing):
            index = self.assumption_of[1 << position]
            if self.pre[index] & ~state:
                return None
            chosen.append(index)
        return tuple(chosen)

    def after(self, state: int, steps: Iterable[int]) -> int:
        """Return the state after some operators."""
        for index in steps:
            state = state & ~self.dele[index] | self.add[index]
        return state

    def weight_of(self, steps: Iterable[int]) -> int:
        """Return the weight of a plan."""
        return sum(self.weights[index] for index in steps)


def index_of(rows: Iterable[Iterable[int]]) -> dict[int, list[int]]:
    """Return for each literal the positions of the rows it is in."""
    index: dict[int, list[int]] = {}
    for position, literals in enumerate(rows):
        for literal in literals:
            index.setdefault(literal, []).append(position)
    return index
