"""The default engine: what can be settled by sets of actions is; the rest goes to A*."""

from dataclasses import dataclass, replace

from planboard.planners.search.engine import Allowance, Heuristic, Limit, Solution
from planboard.planners.search.relaxed import Relaxed
from planboard.planners.search.task import Task


@dataclass(frozen=True, slots=True)
class Auto:
    """`Relaxed`, then `AStar`."""

    heuristic: Heuristic | None = None
    """For A*; `None` for its default."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return "auto"

    def solve(self, task: Task, limit: Limit) -> Solution:
        """Return a plan of least weight, or that there is none, or that the limit came first."""
        allowance = Allowance(limit)
        found = Relaxed().solve_within(task, allowance)
        if found.status != "limit":
            return found
        from planboard.planners.search.astar import AStar, any_plan

        first = found
        found = AStar(self.heuristic).solve_within(task, allowance)
        if found.status != "limit":
            return found
        steps = found.steps or first.steps or any_plan(task, limit)
        return replace(found, steps=steps, bound=max(first.bound, found.bound))
