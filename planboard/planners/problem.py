"""A planning problem, and what one planning call knows about it.

A `Problem` is immutable and cheap: at every tick a new one is made from the domain and the state of the world.
An `Inquiry` lives for one planning call. It remembers each answer and each price, so that a condition is
evaluated at most once and costs stay what they were while the search runs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Literal, NamedTuple, TypeAlias

from planboard.errors import CostError, DefinitionError, PlanningError
from planboard.planners.domain import Domain, State
from planboard.planners.operator import Number, Operator, PlanGoal, Price, Truth, checked_number

Resolve: TypeAlias = Callable[[str], Truth]
"""Evaluates an unknown fact; `None` leaves it unknown."""


Prices: TypeAlias = dict[tuple[Literal["cost", "value"], int], Fraction]
"""Costs and values of operators, by their position in the domain."""


class Problem:
    """Where we are, what can be done, and what is wanted.

    Args:
        state: Values of facts. A missing name is false, `None` is unknown. A `State` of the domain is used as it is.
        operators: A `Domain`, reused as it is, or operators to compile into one.
        goals: Their names must be unique.
        resolve: Evaluates an unknown fact when, and only when, the answer could change the chosen plan. What
            stays unknown satisfies neither True nor False.

    Raises:
        DefinitionError: If names clash.
    """

    __slots__ = ("domain", "goals", "resolve", "state", "true", "unknown")

    def __init__(
        self,
        state: Mapping[str, Truth],
        operators: Domain | Iterable[Operator],
        goals: Iterable[PlanGoal],
        resolve: Resolve | None = None,
    ) -> None:
        self.goals: tuple[PlanGoal, ...] = goals if isinstance(goals, tuple) else tuple(goals)
        """What is wanted, in the order given."""
        names = state if isinstance(state, Mapping) else ()
        domain = operators if isinstance(operators, Domain) else Domain(operators, facts=map(str, names))
        self.domain: Domain = domain.for_goals(self.goals)
        """The compiled operators and facts."""
        if not (isinstance(state, State) and self.domain.accepts(state)):
            if domain.dynamic:  # its functions may ask for any name of the state
                self.domain = self.domain.covering(state)
            state = self.domain.state(state)
        self.state: State = state
        """The start state, as cost and value functions see it."""
        self.true: int = state.true
        """The mask of the facts that are true."""
        self.unknown: int = state.unknown
        """The mask of the facts that are unknown."""
        self.resolve = resolve
        """Evaluates an unknown fact; `None` leaves all of them unknown."""

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operators, by name and outcome."""
        return self.domain.operators

    def towards(self, goal: PlanGoal) -> "Problem":
        """Return the problem of reaching one goal, which need not be among `goals`."""
        if any(goal is known or goal == known for known in self.goals):
            return self
        return Problem(self.state, self.domain, (goal,), self.resolve)

    def __repr__(self) -> str:
        goals = ", ".join(goal.name for goal in self.goals)
        return f"<Problem of {len(self.operators)} operators, goals: {goals}>"


class World(NamedTuple):
    """What is known, or supposed, at one moment of a planning call: masks of the domain."""

    true: int
    """Known to be true."""
    unknown: int
    """Unknown, including what could still be evaluated."""
    askable: int
    """What could still be evaluated; taken for true and for false."""
    supposed: int = 0
    """What is only supposed to have the value it has here."""

    def knowing(self, bit: int, truth: Truth) -> "World":
        """Return the world in which one fact has been evaluated."""
        return self._replace(
            true=self.true | bit if truth else self.true & ~bit,
            unknown=self.unknown | bit if truth is None else self.unknown & ~bit,
            askable=self.askable & ~bit,
        )

    def supposing(self, bit: int, truth: Truth) -> "World":
        """Return the world in which one fact is hoped to have a value; to rely on it is still to lean on it."""
        return self.knowing(bit, truth)._replace(supposed=self.supposed | bit)


class Inquiry:
    """What one planning call has found out: answers to unknown facts, and prices."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.domain = problem.domain
        self.world = World(problem.true, problem.unknown, problem.unknown if problem.resolve else 0)
        """What is known by now."""
        self._prices: Prices = {}

    def ask(self, name: str) -> None:
        """Evaluate one unknown fact and remember the answer.

        Raises:
            PlanningError: If the answer is not True, False or None.
        """
        if self.problem.resolve is None:
            return
        answer = self.problem.resolve(name)
        if not (answer is None or isinstance(answer, bool)):
            raise PlanningError(f"resolve({name!r}) must return True, False or None, not {answer!r}.")
        self.world = self.world.knowing(self.domain.bit(name), answer)

    def cost(self, index: int) -> Fraction:
        """Return the exact cost of an operator, by its position in the domain."""
        return self._priced(("cost", index), self.domain.operators[index].cost)

    def value(self, index: int) -> Fraction:
        """Return the exact value of an operator, by its position in the domain."""
        return self._priced(("value", index), self.domain.operators[index].value)

    def net_cost(self, index: int) -> Fraction:
        """Return the exact cost less the value of an operator, by its position in the domain.

        Raises:
            PlanningError: If the value exceeds the cost, for then no plan is the cheapest.
        """
        net = self.cost(index) - self.value(index)
        if net < 0:
            raise PlanningError(
                f"Operator {self.domain.operators[index].label!r}: its value exceeds its cost by {rounded(-net):g}. "
                'With objective="net" that is endless profit; plan with objective="cost", or lower the value.'
            )
        return net

    def charged(self) -> Prices:
        """Return what was asked so far of prices that depend on the state."""
        if not self.domain.dynamic:
            return {}
        operators = self.domain.operators
        return {key: price for key, price in self._prices.items() if callable(getattr(operators[key[1]], key[0]))}

    def _priced(self, key: tuple[Literal["cost", "value"], int], price: Price) -> Fraction:
        found = self._prices.get(key)
        if found is None:
            what, index = key
            number = self._evaluated(self.domain.operators[index], what, price) if callable(price) else price
            found = self._prices[key] = exact(number)
        return found

    def _evaluated(self, operator: Operator, what: str, function: Callable[[Mapping[str, Truth]], Number]) -> Number:
        where = f"Operator {operator.name!r}"
        try:
            number = function(self.problem.state)
        except Exception as error:
            raise CostError(f"{where}: its {what} function raised {type(error).__name__}: {error}") from error
        try:
            return checked_number(where, f"the {what} it computes", number, floor=0 if what == "cost" else None)
        except DefinitionError as error:
            raise CostError(str(error)) from None


@lru_cache(maxsize=4096)
def exact(number: Number) -> Fraction:
    """Return the decimal number as it is written: 0.1 is a tenth, so 0.1 + 0.2 is 0.3 and ties are ties."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(float(number)))


def total(numbers: Sequence[Fraction]) -> Fraction:
    """Return the exact sum; many times faster than adding one fraction after the other."""
    unit = lcm(*(number.denominator for number in numbers))
    return Fraction(sum(number.numerator * (unit // number.denominator) for number in numbers), unit)


def rounded(number: Fraction) -> float:
    """Return the nearest float; beyond its range, infinity."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
