"""A planning task in integers: the seam between facts and search.

A *literal* is one bit: a fact that is true, a fact that is false, or a fact that is open to assumption. Because
"false" is a literal of its own, every precondition is positive, and ignoring deletes never overestimates a cost.
To *assume* is a pseudo-operator that turns "open to assumption" into true or false. To *end* at one of several goals
is a pseudo-operator too.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import Any

from planboard.planners.domain import bits_of

_FIELD = 24
"""Bits for each of the counts in a weight: 16 million assumptions, actions or preconditions in one plan."""
_REPEATS = 6
"""Bits per action in the name rule: exact while no action is repeated more than 63 times in a plan."""


class Task:
    """Reach `goal` from `start` with the least total weight.

    Operators are numbers: actions sorted by name, then endings, then assumptions. An operator `i` is applicable in a
    state `s` if `pre[i] & ~s == 0` and leads to `s & ~dele[i] | add[i]`.

    Args:
        operators: For each operator its literals needed, added and deleted.
        goal: The literals to reach.
        costs: Whole numbers, for the actions and the endings; assumptions cost nothing.
        risks: 1 for an action that assumes its own outcome, else 0; for the actions.
        demands: How many preconditions each action declares.
        endings: Names of the goals that the endings stand for.
        start: The literals that hold.
    """

    def __init__(
        self,
        operators: Iterable[tuple[int, int, int]],
        *,
        goal: int,
        costs: Sequence[int],
        risks: Sequence[int],
        demands: Sequence[int],
        endings: Sequence[str] = (),
        start: int = 0,
    ) -> None:
        triples = tuple(operators)
        self.pre: tuple[int, ...] = tuple(triple[0] for triple in triples)
        """Literals that must hold before each operator."""
        self.add: tuple[int, ...] = tuple(triple[1] for triple in triples)
        """Literals that hold after it."""
        self.dele: tuple[int, ...] = tuple(triple[2] for triple in triples)
        """Literals that no longer hold after it, unless added."""
        self.actions: int = len(costs)
        """How many operators are actions or endings; the rest are assumptions."""
        self.start: int = start
        """The literals that hold at first."""
        self.goal: int = goal
        """The literals that must hold in the end."""
        assumptions = len(triples) - len(costs)
        self.costs: tuple[int, ...] = (*costs, *(0,) * assumptions)
        """The exact cost of each operator, in a common unit."""
        self.risks: tuple[int, ...] = (*risks, *(0,) * len(endings), *(1,) * assumptions)
        """1 for an assumption, and for an action that assumes its own outcome."""
        self.demands: tuple[int, ...] = (*demands, *(0,) * (len(endings) + assumptions))
        """How many preconditions each operator declares; greater is more specific."""
        self.endings: tuple[str, ...] = tuple(endings)
        """The goals to end at, when there are several."""
        self.learned: dict[str, Any] = {}
        """What engines and heuristics found out that holds from every start; shared by tasks that differ in it only."""

    def __len__(self) -> int:
        return len(self.pre)

    def starting_at(self, start: int) -> "Task":
        """Return the task from another start. What has been learned stays known."""
        for shared in ("weights", "pre_ids", "needers", "adders"):
            getattr(self, shared)  # computed once, here, for all that share them
        other = copy(self)
        other.start = start
        return other

    @cached_property
    def columns(self) -> tuple[Sequence[int], ...]:
        """What is minimised after the cost, by falling importance, as one number per operator.

        Assumptions, actions, preconditions (more are better); between goals of one net value also the lower cost
        of the plan first and the goal's name after the number of actions.
        """
        count = len(self)
        steps = self.actions - len(self.endings)
        lengths = [int(index < steps) for index in range(count)]
        specificity = [-demand for demand in self.demands]
        if not self.endings:
            return self.risks, lengths, specificity
        worth = self.costs[steps : self.actions]
        dearest_first, by_name = sorted(set(worth), reverse=True), sorted(self.endings)
        spent, names = [0] * count, [0] * count
        for position, name in enumerate(self.endings):
            spent[steps + position] = dearest_first.index(worth[position])
            names[steps + position] = 1 + by_name.index(name)
        return spent, self.risks, lengths, names, specificity

    @property
    def cost_shift(self) -> int:
        """A weight shifted right by this many bits is its cost; a cost shifted left, the least weight it can have."""
        return self.shift()

    def shift(self, repeats: int = _REPEATS) -> int:
        """Return by how many bits costs are shifted in weights that allow for so many repeats."""
        return len(self.columns) * _FIELD + repeats * (self.actions + 1)

    def _weighed(self, repeats: int) -> tuple[int, ...]:
        weights = []
        for index, cost in enumerate(self.costs):
            weight = cost
            for column in self.columns:
                weight = (weight << _FIELD) + column[index]
            weight <<= repeats * (self.actions + 1)
            if index < self.actions - len(self.endings):
                weight -= 1 << repeats * (self.actions - 1 - index)
            weights.append(weight)
        return tuple(weights)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Each operator's part in the objective, one positive integer.

        Sums of weights compare as (cost, assumptions, actions, -preconditions, names) does, in this order. With
        everything before equal, the plan whose sorted names come first has the least sum, so the optimum is
        unique up to the order of its steps; `test_the_optimum_is_the_smallest_by_the_tie_rules` guards this.
        """
        return self._weighed(_REPEATS)

    @property
    def set_weights(self) -> tuple[int, ...]:
        """The same for sets of operators, in which nothing is repeated: shorter numbers, added faster."""
        made: tuple[int, ...] | None = self.learned.get("set weights")
        if made is None:
            made = self.learned["set weights"] = self._weighed(1)
        return made

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
        weights = self.weights
        return sum([weights[index] for index in steps])


def index_of(rows: Iterable[Iterable[int]]) -> dict[int, list[int]]:
    """Return for each literal the positions of the rows it is in."""
    index: dict[int, list[int]] = {}
    for position, literals in enumerate(rows):
        for literal in literals:
            index.setdefault(literal, []).append(position)
    return index
