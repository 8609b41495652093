"""The default engine: what can be settled by sets of actions is; the rest goes to A*."""

from dataclasses import dataclass, replace

from planboard.planners.search.engine import Heuristic, Limit, Solution
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
        first = Relaxed().solve(task, limit)
        if first.status != "limit" or first.nodes >= limit.nodes:
            return first
        from planboard.planners.search.astar import AStar

        found = AStar(self.heuristic).solve(task, replace(limit, nodes=limit.nodes - first.nodes))
        return replace(found, nodes=first.nodes + found.nodes, bound=max(first.bound, found.bound))
