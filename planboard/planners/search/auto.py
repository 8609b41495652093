"""The default engine: what is forced needs no search; the rest goes to A*.

A literal that must be brought about and that a single operator adds forces that operator, and with it what the
operator needs (unit propagation). If the forced operators reach the goal by themselves they are the optimum: every
plan contains each of them. A chain of a thousand steps is therefore planned in linear time.
`test_plans_cost_the_least` compares this with brute force.
"""

from dataclasses import dataclass

from planboard.planners.domain import bits_of
from planboard.planners.search.engine import Heuristic, Limit, Solution
from planboard.planners.search.order import canonical
from planboard.planners.search.task import Task

_ATTEMPTS = 2_000
"""Positions tried in looking for an order of the forced operators, before search is the better way."""


@dataclass(frozen=True, slots=True)
class Auto:
    """Unit propagation, then A*."""

    heuristic: Heuristic | None = None
    """For A*; `None` for its default."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return "auto"

    def solve(self, task: Task, limit: Limit) -> Solution:
        """Return a plan of least weight, or that there is none, or that the limit came first."""
        steps = canonical(task, forced(task), attempts=_ATTEMPTS)
        if steps is not None:
            return Solution("solved", steps, optimal=True, ordered=True, proof="optimal: every step is forced")
        from planboard.planners.search.astar import AStar

        return AStar(self.heuristic).solve(task, limit)


def forced(task: Task) -> tuple[int, ...]:
    """Return the operators that every plan contains, as far as unit propagation tells, sorted."""
    seen = task.goal & ~task.start
    open_literals = bits_of(seen)
    found: set[int] = set()
    while open_literals:
        achievers = task.adders.get(open_literals.pop(), ())
        if len(achievers) == 1 and achievers[0] not in found:
            found.add(achievers[0])
            fresh = task.pre[achievers[0]] & ~task.start & ~seen
            seen |= fresh
            open_literals.extend(bits_of(fresh))
    return tuple(sorted(found))
