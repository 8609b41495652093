"""A domain seen from its goals: only what can bear on reaching them, as literals.

Made once per goal and kept on the domain. `reduce` then cuts it down to what matters from one start state:
forward reachability first, backward relevance after it (the order in which Helmert 2006 does it).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

from planboard.planners.domain import Domain, bits_of, remember
from planboard.planners.operator import Operator, PlanGoal, Truth
from planboard.planners.problem import exact
from planboard.planners.search.task import Task, index_of

Literal = tuple[str, Truth]


@dataclass(frozen=True, slots=True)
class Reduced:
    """A task, and what its numbers stand for."""

    task: Task
    operators: tuple[int, ...]
    """For each operator of the task, its position in the view."""
    unit: int
    """Costs of the task are in units of one `unit`-th."""

    def cost_of(self, weight: int) -> Fraction:
        """Return the least cost that a weight stands for."""
        return Fraction(max(0, weight >> self.task.shift()), self.unit)


class View:
    """What bears on a goal, or on any of several.

    Each literal that something relevant needs has a bit: a fact that is true, a fact that is false, a fact that is
    open to assumption. The rest have none, so states that differ in them only are one state.

    With several goals, reaching one of them is an operator of its own (an *ending*), worth the less the more its
    goal is worth; so one search finds the best of them.
    """

    def __init__(self, domain: Domain, goals: tuple[PlanGoal, ...]) -> None:
        chosen, wanted = _relevant(domain, goals)
        self.domain = domain
        self.goals = goals
        """What is wanted; one is enough."""
        self.facts: tuple[str, ...] = tuple(sorted({name for name, _ in wanted}))
        """The facts that bear on the goals."""
        self.relevant: int = sum(domain.bit(name) for name in self.facts)
        """The same as a mask of the domain."""
        self.chosen: tuple[int, ...] = tuple(sorted(chosen))
        """The operators that bear on the goals, by their position in the domain."""
        operators = [domain.operators[index] for index in self.chosen]
        left_open = {name for operator in operators for name, truth in operator.effects.items() if truth is None}
        left_open.intersection_update(self.facts)
        self.assumed: tuple[tuple[str, bool], ...] = tuple(
            (name, truth) for name, truth in sorted(wanted) if name in left_open
        )
        """What can be assumed; these operators come last."""
        literals: list[Literal] = [*sorted(wanted), *((name, None) for name in sorted(left_open))]
        self._literals = literals
        self._bit = {literal: 1 << position for position, literal in enumerate(literals)}
        self._sources = tuple(
            (domain.bit(name), *(self._bit.get((name, truth), 0) for truth in (True, False))) for name in self.facts
        )
        rows = [self._row(operator) for operator in operators]
        ends = [self._bits(goal.pre.items()) for goal in goals]
        several = len(goals) > 1
        self.goal: int = 1 << len(literals) if several else ends[0]
        """The literals to reach: those of the goal, or that one of the goals has been reached."""
        self.endings: int = len(goals) if several else 0
        """How many endings there are, after the chosen operators."""
        rows += [(end, self.goal, 0) for end in ends[: self.endings]]
        rows += [self._assuming(name, truth) for name, truth in self.assumed]
        self.pre: tuple[int, ...] = tuple(row[0] for row in rows)
        self.add: tuple[int, ...] = tuple(row[1] for row in rows)
        self.dele: tuple[int, ...] = tuple(row[2] for row in rows)
        self.adders = index_of(bits_of(mask) for mask in self.add)
        self.needers = index_of(bits_of(mask) for mask in self.pre)
        self.valued: bool = any(_has_value(operator) for operator in operators)
        """Whether some relevant action has a value, so that a dearer plan may be worth more."""
        self.reductions: dict[Any, Reduced] = {}
        """What `reduce` made, by what it depends on, so that what one search learns serves the next."""

    def _bits(self, literals: Iterable[Literal]) -> int:
        bits = 0
        for literal in literals:
            bits |= self._bit[literal]
        return bits

    def literal(self, name: str, truth: Truth) -> int:
        """Return the bit of a literal, 0 if nothing needs it; `None` stands for "open to assumption"."""
        return self._bit.get((name, truth), 0)

    def literals_of(self, true: int, unknown: int, askable: int = 0) -> int:
        """Return the literals that hold in a state; what is `askable` is taken for true and for false."""
        bits = 0
        for source, true_bit, false_bit in self._sources:
            if askable & source:
                bits |= true_bit | false_bit
            elif true & source:
                bits |= true_bit
            elif not unknown & source:
                bits |= false_bit
        return bits

    def named(self, literals: int) -> list[tuple[str, bool]]:
        """Return facts and values for literals; those open to assumption are left out."""
        known = (self._literals[position] for position in bits_of(literals) if position < len(self._literals))
        return [(name, truth) for name, truth in known if truth is not None]

    def _row(self, operator: Operator) -> tuple[int, int, int]:
        add = dele = 0
        for name, truth in operator.effects.items():
            add |= self.literal(name, truth)
            dele |= self._all_of(name)
        return self._bits(operator.pre.items()), add, dele & ~add

    def _assuming(self, name: str, truth: bool) -> tuple[int, int, int]:  # noqa: FBT001 - it is the datum
        given = self.literal(name, None)
        return given, self.literal(name, truth), given

    def _all_of(self, name: str) -> int:
        return self.literal(name, True) | self.literal(name, False) | self.literal(name, None)


def view_of(domain: Domain, *goals: PlanGoal) -> View:
    """Return the view of a goal, or of several, made the first time it is asked for and kept on the domain."""
    return remember(domain.views, goals, lambda wanted: View(domain, wanted))


def reached_from(view: View, start: int) -> tuple[int, set[int]]:
    """Return all literals that can ever hold, and the operators that can ever run, if nothing were deleted."""
    reached = start
    unmet = [(pre & ~start).bit_count() for pre in view.pre]
    ready = [index for index, count in enumerate(unmet) if count == 0]
    running = set(ready)
    needers = view.needers
    while ready:
        fresh = view.add[ready.pop()] & ~reached
        reached |= fresh
        for literal in bits_of(fresh):
            for index in needers.get(literal, ()):
                unmet[index] -= 1
                if unmet[index] == 0:
                    running.add(index)
                    ready.append(index)
    return reached, running


def reduce(view: View, start: int, running: set[int], cost: Callable[[int], Fraction], *, fixed: bool) -> Reduced:
    """Return the task of reaching the goal from `start` with what can run and bears on it.

    Args:
        view: The domain seen from the goal.
        start: The literals that hold.
        running: The operators that can ever run.
        cost: The exact cost of an operator, by its position in the domain.
        fixed: Whether costs are the declared ones, the same in every planning call.
    """
    deleted = 0
    for index in running:
        deleted |= view.dele[index]
    chosen, needed = _needed(view, start & ~deleted, running)
    actions = [index for index in chosen if index < len(view.chosen)]
    costs = () if fixed else tuple(cost(view.chosen[index]) for index in actions)
    key = tuple(chosen), needed, costs
    made = remember(
        view.reductions, key, lambda _: _reduced(view, chosen, needed, [*map(cost, actions_of(view, actions))])
    )
    return replace(made, task=made.task.starting_at(start & needed))


def actions_of(view: View, indices: Iterable[int]) -> list[int]:
    """Return operators of a view by their position in the domain."""
    return [view.chosen[index] for index in indices]


def _reduced(view: View, chosen: list[int], needed: int, costs: list[Fraction]) -> Reduced:
    ends = [index - len(view.chosen) for index in chosen if 0 <= index - len(view.chosen) < view.endings]
    worths = [exact(view.goals[end].value) for end in ends]
    costs = costs + [max(worths) - worth for worth in worths]
    unit = lcm(*(weight.denominator for weight in costs))
    declared = [view.domain.operators[index] for index in actions_of(view, chosen[: len(costs) - len(ends)])]
    task = Task(
        [(view.pre[i] & needed, view.add[i] & needed, view.dele[i] & needed) for i in chosen],
        goal=view.goal & needed,
        costs=[weight.numerator * (unit // weight.denominator) for weight in costs],
        risks=[int(operator.name in view.domain.alternatives) for operator in declared],
        demands=[len(operator.pre) for operator in declared],
        endings=[view.goals[end].name for end in ends],
    )
    return Reduced(task, tuple(chosen), unit)


def _needed(view: View, lasting: int, running: set[int]) -> tuple[list[int], int]:
    """Return the operators that can bear on the goal, and the literals that are worth tracking."""
    needed = view.goal & ~lasting
    open_literals = bits_of(needed)
    chosen: set[int] = set()
    while open_literals:
        for index in view.adders.get(open_literals.pop(), ()):
            if index in running and index not in chosen:
                chosen.add(index)
                fresh = view.pre[index] & ~lasting & ~needed
                needed |= fresh
                open_literals.extend(bits_of(fresh))
    return sorted(chosen), needed


def _relevant(domain: Domain, goals: tuple[PlanGoal, ...]) -> tuple[set[int], set[tuple[str, bool]]]:
    achievers = domain.achievers
    wanted: set[tuple[str, bool]] = {literal for goal in goals for literal in goal.pre.items()}
    pending = list(wanted)
    chosen: set[int] = set()
    while pending:
        name, truth = pending.pop()
        for index in (*achievers.get((name, truth), ()), *achievers.get((name, None), ())):
            if index not in chosen:
                chosen.add(index)
                fresh = set(domain.operators[index].pre.items()) - wanted
                wanted |= fresh
                pending.extend(fresh)
    return chosen, wanted


def _has_value(operator: Operator) -> bool:
    return callable(operator.value) or operator.value != 0
