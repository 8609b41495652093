"""A domain seen from one goal: only what can bear on reaching it, as literals.

Made once per goal and kept on the domain. `reduce` then cuts it down to what matters from one start state:
forward reachability first, backward relevance after it (the order in which Helmert 2006 does it).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from planboard.planners.domain import Domain, bits_of, remember
from planboard.planners.operator import Operator, PlanGoal, Truth
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


class View:
    """What bears on one goal.

    Fact number `j` of `m` has the literal bits `j` (true), `m + j` (false) and `2m + j` (open to assumption). A
    literal that nothing relevant needs has no bit set anywhere, so states that differ in it are one state.
    """

    def __init__(self, domain: Domain, goal: PlanGoal) -> None:
        chosen, wanted = _relevant(domain, goal)
        self.domain = domain
        self.facts: tuple[str, ...] = tuple(sorted({name for name, _ in wanted}))
        """The facts that bear on the goal."""
        self.relevant: int = sum(domain.bit(name) for name in self.facts)
        """The same as a mask of the domain."""
        self.chosen: tuple[int, ...] = tuple(sorted(chosen))
        """The operators that bear on the goal, by their position in the domain."""
        self._position = {name: index for index, name in enumerate(self.facts)}
        self._sources = tuple(domain.bit(name) for name in self.facts)
        operators = [domain.operators[index] for index in self.chosen]
        left_open = {name for operator in operators for name, truth in operator.effects.items() if truth is None}
        left_open &= self._position.keys()
        self.assumed: tuple[tuple[str, bool], ...] = tuple(
            (name, truth) for name, truth in sorted(wanted) if name in left_open
        )
        """What can be assumed; these operators come after the chosen ones."""
        self.goal: int = self._bits(goal.pre.items())
        """The goal's literals."""
        self._wanted = self._bits(wanted) | self._bits((name, None) for name in left_open)
        rows = [self._row(operator) for operator in operators]
        rows += [self._assuming(name, truth) for name, truth in self.assumed]
        self.pre: tuple[int, ...] = tuple(row[0] for row in rows)
        self.add: tuple[int, ...] = tuple(row[1] for row in rows)
        self.dele: tuple[int, ...] = tuple(row[2] for row in rows)
        self.adders = index_of(bits_of(mask) for mask in self.add)
        self.needers = index_of(bits_of(mask) for mask in self.pre)
        self.valued: bool = any(_has_value(operator) for operator in operators)
        """Whether some relevant action has a value, so that a dearer plan may be worth more."""

    def _bits(self, literals: Iterable[Literal]) -> int:
        bits = 0
        for literal in literals:
            bits |= self.literal(*literal)
        return bits

    def literal(self, name: str, truth: Truth) -> int:
        """Return the bit of a literal; `None` stands for "open to assumption"."""
        count = len(self.facts)
        return 1 << self._position[name] + (2 * count if truth is None else 0 if truth else count)

    def literals_of(self, true: int, unknown: int, askable: int = 0) -> int:
        """Return the literals that hold in a state; what is `askable` is taken for true and for false."""
        bits = 0
        true_bit, false_bit = 1, 1 << len(self.facts)
        for source in self._sources:
            if askable & source:
                bits |= true_bit | false_bit
            elif true & source:
                bits |= true_bit
            elif not unknown & source:
                bits |= false_bit
            true_bit <<= 1
            false_bit <<= 1
        return bits & self._wanted

    def named(self, literals: int) -> list[tuple[str, bool]]:
        """Return facts and values for literals; those open to assumption are left out."""
        count = len(self.facts)
        return [
            (self.facts[position % count], position < count) for position in bits_of(literals) if position < 2 * count
        ]

    def _row(self, operator: Operator) -> tuple[int, int, int]:
        add = dele = 0
        for name, truth in operator.effects.items():
            if name in self._position:
                add |= self.literal(name, truth)
                dele |= self._all_of(name)
        return self._bits(operator.pre.items()), add & self._wanted, dele & ~add & self._wanted

    def _assuming(self, name: str, truth: bool) -> tuple[int, int, int]:  # noqa: FBT001 - it is the datum
        given = self.literal(name, None)
        return given, self.literal(name, truth), given

    def _all_of(self, name: str) -> int:
        return self.literal(name, True) | self.literal(name, False) | self.literal(name, None)


def view_of(domain: Domain, goal: PlanGoal) -> View:
    """Return the view of a goal, made the first time it is asked for and kept on the domain."""
    return remember(domain.views, goal, lambda wanted: View(domain, wanted))


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


def reduce(view: View, start: int, running: set[int], cost: Callable[[int], Fraction]) -> Reduced:
    """Return the task of reaching the goal from `start` with what can run and bears on it.

    Args:
        view: The domain seen from the goal.
        start: The literals that hold.
        running: The operators that can ever run.
        cost: The exact cost of an operator, by its position in the domain.
    """
    deleted = 0
    for index in running:
        deleted |= view.dele[index]
    lasting = start & ~deleted
    chosen, needed = _needed(view, lasting, running)
    actions = [index for index in chosen if index < len(view.chosen)]
    weights = [cost(view.chosen[i]) for i in actions]
    unit = lcm(*(weight.denominator for weight in weights))
    padding = (0,) * (len(chosen) - len(actions))
    operators = view.domain.operators
    alternatives = view.domain.alternatives
    declared = [operators[view.chosen[index]] for index in actions]
    task = Task(
        [(view.pre[i] & needed, view.add[i] & needed, view.dele[i] & needed) for i in chosen],
        actions=len(actions),
        start=start & needed,
        goal=view.goal & needed,
        costs=(*(weight.numerator * (unit // weight.denominator) for weight in weights), *padding),
        risks=(*(int(operator.name in alternatives) for operator in declared), *(1 for _ in padding)),
        demands=(*(len(operator.pre) for operator in declared), *padding),
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


def _relevant(domain: Domain, goal: PlanGoal) -> tuple[set[int], set[tuple[str, bool]]]:
    achievers = domain.achievers
    wanted: set[tuple[str, bool]] = set(goal.pre.items())
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
