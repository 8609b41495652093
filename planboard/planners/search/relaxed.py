"""Search over sets of actions: the cheapest set that ignores deletes, then an order for it that does not.

No plan costs less than that set, so if the order exists it is an optimal plan. Where undoing matters there may be
none; then the set is only a bound, and A* has to decide.
"""

from dataclasses import dataclass

from planboard.planners.domain import bits_of
from planboard.planners.search.cheapest_plan import CheapestPlan, runs_once
from planboard.planners.search.cheapest_set import CheapestSet, Node
from planboard.planners.search.engine import Allowance, Limit, Solution
from planboard.planners.search.order import canonical
from planboard.planners.search.relaxation import mask_of_operators
from planboard.planners.search.sequencing import orderable
from planboard.planners.search.task import Task

_ATTEMPTS = 2_000
"""Positions tried in looking for an order, before search through states is the better way."""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """Forced actions, branch and bound over sets, and ordering; no search through states."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return "relaxed"

    def solve(self, task: Task, limit: Limit) -> Solution:
        """Return a plan of least weight, or that there is none, or, where sets do not settle it, a bound."""
        return self.solve_within(task, Allowance(limit))

    def solve_within(self, task: Task, allowance: Allowance) -> Solution:
        """Return the same, with what is left of a limit."""
        start = forced(task)
        steps = canonical(task, start, attempts=_ATTEMPTS)
        if steps is not None:
            return self._solved(task, steps, "optimal: every step is forced", 0)
        search = CheapestSet(task, task.start, Node(mask_of_operators(start), 0), allowance)
        search.run()
        if not search.proven or search.best is None or orderable(task, bits_of(search.best)):
            return self._answer(task, search, allowance, "optimal: the cheapest set of actions, in an order that works")
        if not runs_once(task):
            return self._bounded(task, search, allowance)
        plans = CheapestPlan(task, task.start, Node(mask_of_operators(start), 0), allowance)
        plans.run()
        if plans.abandoned:
            return self._bounded(task, search, allowance)
        return self._answer(task, plans, allowance, "optimal: the cheapest set of actions that has an order")

    def _answer(self, task: Task, search: CheapestSet, allowance: Allowance, proof: str) -> Solution:
        if not search.proven:
            return self._bounded(task, search, allowance)
        if search.best is None:
            return Solution("unsolvable", nodes=allowance.nodes, engine=self.name)
        steps = canonical(task, bits_of(search.best))
        return (
            self._bounded(task, search, allowance)
            if steps is None
            else self._solved(task, steps, proof, allowance.nodes)
        )

    def _bounded(self, task: Task, search: CheapestSet, allowance: Allowance) -> Solution:
        steps = canonical(task, bits_of(search.best), attempts=_ATTEMPTS) if search.best is not None else None
        bound = search.bound >> task.shift(1) << task.shift()
        return Solution("limit", steps, bound=bound, nodes=allowance.nodes, ordered=True, engine=self.name)

    def _solved(self, task: Task, steps: tuple[int, ...], proof: str, nodes: int) -> Solution:
        weight = task.weight_of(steps)
        return Solution(
            "solved", steps, optimal=True, bound=weight, proof=proof, nodes=nodes, ordered=True, engine=self.name
        )


def forced(task: Task) -> tuple[int, ...]:
    """Return the operators that every plan contains, as far as working back from the goal tells, sorted."""
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
