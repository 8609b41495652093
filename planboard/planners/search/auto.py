"""The default engine: sets of actions first; A* for what they leave open.

A* with LM-cut comes first, since most searches end after few nodes. One that does not may be over a small number of
states, each dear to estimate and cheap to visit, so then as many are visited blindly as cost little; only after
that does the search by estimates go on.
"""

from dataclasses import dataclass, replace

from planboard.planners.search.engine import Allowance, Heuristic, Limit, Solution
from planboard.planners.search.relaxed import Relaxed
from planboard.planners.search.task import Task

_INFORMED = 320
"""Nodes for the first attempt of A*."""
_STATES = 3_000
"""States that the blind one may reach."""


@dataclass(frozen=True, slots=True)
class Auto:
    """`Relaxed`, then `AStar`."""

    heuristic: Heuristic | None = None
    """For A*; `None` for LM-cut, with an interlude without any."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return "auto"

    def solve(self, task: Task, limit: Limit) -> Solution:
        """Return a plan of least weight, or that there is none, or that the limit came first."""
        allowance = Allowance(limit)
        first = Relaxed().solve_within(task, allowance)
        if first.status != "limit" or (allowance.used_up and first.steps is not None):
            return first
        from planboard.planners.search.astar import AStar, any_plan
        from planboard.planners.search.heuristics import Blind

        informed = AStar(self.heuristic).begin(task)
        if self.heuristic is None:
            found = informed.go_on(allowance.part(_INFORMED))
            if found.status == "limit":
                found = AStar(Blind()).begin(task, states=_STATES).go_on(allowance)
            if found.status != "limit":
                return found
        found = informed.go_on(allowance)
        met = [steps for steps in (first.steps, found.steps) if steps is not None]
        steps = min(met, key=task.weight_of, default=None)
        if steps is None and found.status == "limit":
            steps = any_plan(task, limit, allowance)
        if found.optimal or found.status == "unsolvable":
            return found
        return replace(found, steps=steps, bound=max(first.bound, found.bound), nodes=allowance.nodes)
