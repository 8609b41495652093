"""The slow obvious planner: dictionaries, every state, one order for everything. What a fast one must agree with.

A fact is True, False, None (unknown from the start: it satisfies nothing) or `OPEN` (made unknown by a step: what
follows may assume either value). Nothing here knows of engines, masks or heuristics.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from typing import Final, TypeAlias

from planboard.errors import PlanningError
from planboard.planners.operator import Operator, PlanGoal, Truth
from planboard.planners.problem import Problem, exact
from planboard.testing.written import price

OPEN: Final = "open"
Facts: TypeAlias = dict[str, Truth | str]
Key: TypeAlias = tuple[Fraction, int, int, int, tuple[tuple[str, str], ...]]
"""Cost, assumptions, actions, preconditions (negative: more are better), sorted names. The least is the best."""

RULES = ("cost", "assumptions", "actions", "preconditions", "names")
"""What the parts of a key are called."""


@dataclass(frozen=True, slots=True)
class Best:
    """The plan that is the best by every rule."""

    key: Key
    operators: tuple[Operator, ...]


def start_facts(problem: Problem) -> Facts:
    """Return every fact at the start, with the unknown ones evaluated as far as they can be."""
    facts: Facts = dict(problem.state)
    if problem.resolve is not None:
        facts.update({name: problem.resolve(name) for name, truth in facts.items() if truth is None})
    return facts


def assumed_for(facts: Mapping[str, Truth | str], wanted: Mapping[str, bool]) -> dict[str, bool] | None:
    """Return what to assume so that `wanted` holds; `None` if it cannot."""
    if unmet(facts, wanted):
        return None
    return {name: truth for name, truth in wanted.items() if facts.get(name, False) == OPEN}


def unmet(facts: Mapping[str, Truth | str], wanted: Mapping[str, bool]) -> dict[str, bool]:
    """Return what does not hold and cannot be assumed."""
    return {
        name: truth
        for name, truth in wanted.items()
        if facts.get(name, False) != OPEN and facts.get(name, False) is not truth
    }


def after(facts: Facts, operator: Operator, assumed: Mapping[str, bool]) -> Facts:
    """Return the facts once an operator has run."""
    effects = {name: OPEN if truth is None else truth for name, truth in operator.effects.items()}
    return {**facts, **assumed, **effects}


def risk_of(facts: Facts, operators: Iterable[Operator], goal: PlanGoal, several: Mapping[str, int]) -> int | None:
    """Return how many assumptions it takes to reach the goal with these operators in this order; `None`: never."""
    risk = 0
    for operator in operators:
        assumed = assumed_for(facts, operator.pre)
        if assumed is None:
            return None
        facts = after(facts, operator, assumed)
        risk += len(assumed) + (operator.name in several)
    ending = assumed_for(facts, goal.pre)
    return None if ending is None else risk + len(ending)


def cost_of(operator: Operator, problem: Problem, *, net: bool = False) -> Fraction:
    """Return the exact cost of an operator, less its value for the net objective."""
    cost = exact(price(operator.cost, problem))
    return cost - exact(price(operator.value, problem)) if net else cost


def key_of(operators: tuple[Operator, ...], assumptions: int, problem: Problem, *, net: bool = False) -> Key:
    """Return the place of a plan in the order of plans."""
    return (
        sum((cost_of(operator, problem, net=net) for operator in operators), Fraction(0)),
        assumptions,
        len(operators),
        -sum(len(operator.pre) for operator in operators),
        tuple(sorted(operator.key for operator in operators)),
    )


def best_plan(problem: Problem, goal: PlanGoal, *, net: bool = False, states: int = 50_000) -> Best | None:
    """Return the best plan to a goal, by Dijkstra's algorithm over all states; `None` if there is none.

    Args:
        problem: Unknown facts are evaluated beforehand, all of them.
        goal: What to reach.
        net: Count costs less values.
        states: The most states to look at.

    Raises:
        PlanningError: There are more states than that.
    """
    operators = _relevant(problem.operators, goal)
    several = problem.domain.alternatives
    needed = set(goal.pre).union(*(operator.pre for operator in operators))
    start = {name: truth for name, truth in start_facts(problem).items() if name in needed}
    tickets = count()
    nothing: Key = (Fraction(0), 0, 0, 0, ())
    queue: list[tuple[Key, int, bool, Facts, tuple[Operator, ...]]] = [(nothing, next(tickets), False, start, ())]
    closed: set[frozenset[tuple[str, Truth | str]]] = set()
    while queue:
        key, _, ended, facts, steps = heappop(queue)
        if ended:
            return Best(key, steps)
        frozen = frozenset(facts.items())
        if frozen in closed:
            continue
        closed.add(frozen)
        if len(closed) > states:
            message = f"The reference planner gave up on {goal.name!r} after {states} states: check smaller problems."
            raise PlanningError(message)
        cost, risk, _, demands, names = key
        ending = assumed_for(facts, goal.pre)
        if ending is not None:
            reached: Key = (cost, risk + len(ending), len(steps), demands, names)
            heappush(queue, (reached, next(tickets), True, facts, steps))
        for operator in operators:
            assumed = assumed_for(facts, operator.pre)
            if assumed is None:
                continue
            following: Key = (
                cost + cost_of(operator, problem, net=net),
                risk + len(assumed) + (operator.name in several),
                len(steps) + 1,
                demands - len(operator.pre),
                tuple(sorted((*names, operator.key))),
            )
            reach = {name: truth for name, truth in after(facts, operator, assumed).items() if name in needed}
            heappush(queue, (following, next(tickets), False, reach, (*steps, operator)))
    return None


def smallest_order(
    problem: Problem, goal: PlanGoal, chosen: tuple[Operator, ...], assumptions: int
) -> tuple[Operator, ...]:
    """Return the first order by name in which these operators reach the goal with no more assumptions.

    `assumptions` counts those about facts only. Every order is tried if need be.
    """

    def extend(facts: Facts, left: tuple[Operator, ...], budget: int) -> tuple[Operator, ...] | None:
        if not left:
            ending = assumed_for(facts, goal.pre)
            return () if ending is not None and len(ending) <= budget else None
        for position, operator in enumerate(left):
            assumed = assumed_for(facts, operator.pre)
            if assumed is None or len(assumed) > budget:
                continue
            others = left[:position] + left[position + 1 :]
            rest = extend(after(facts, operator, assumed), others, budget - len(assumed))
            if rest is not None:
                return (operator, *rest)
        return None

    ordered = tuple(sorted(chosen, key=lambda operator: operator.key))
    return extend(start_facts(problem), ordered, assumptions) or ()


def _relevant(operators: tuple[Operator, ...], goal: PlanGoal) -> list[Operator]:
    """Return the operators that can bear on a goal: no best plan has another."""
    wanted = set(goal.pre.items())
    chosen: list[Operator] = []
    left = list(operators)
    while True:
        helpful = [operator for operator in left if _helps(operator, wanted)]
        if not helpful:
            return sorted(chosen, key=lambda operator: operator.key)
        chosen += helpful
        left = [operator for operator in left if operator not in helpful]
        wanted.update(item for operator in helpful for item in operator.pre.items())


def _helps(operator: Operator, wanted: set[tuple[str, bool]]) -> bool:
    about = {name for name, _ in wanted}
    return any((name, truth) in wanted or (truth is None and name in about) for name, truth in operator.effects.items())
