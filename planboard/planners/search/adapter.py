"""Any algorithm of `simpleai.search`, unchanged, over the same problem our A* solves.

For teaching, comparing and testing: `astar` and `uniform_cost` are the independent oracle of our property tests.
They scan their open list for every node they generate, so they are for small problems.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import simpleai.search

from planboard.planners.search.engine import ALGORITHMS, Allowance, Heuristic, Limit, Solution
from planboard.planners.search.heuristics import Blind, HMax
from planboard.planners.search.space import PlanProblem, _LimitReached
from planboard.planners.search.task import Task

_DEPTH = 1_000
"""How deep `limited_depth_first` looks."""


@dataclass(frozen=True, slots=True)
class SimpleAI:
    """One of simpleai's algorithms as an engine."""

    algorithm: str
    """A key of `ALGORITHMS`."""
    heuristic: Heuristic | None = None
    """For those that use one; `None` for hmax.

    As simpleai's `astar` never reopens a state, only hmax and blind, which are consistent, make its plans optimal.
    """

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"simpleai:{self.algorithm}"

    def solve(self, task: Task, limit: Limit) -> Solution:
        """Return the plan that the algorithm finds, or that there is none, or that the limit came first."""
        heuristic = self.heuristic or HMax()
        allowance = Allowance(limit)
        problem = PlanProblem(task, heuristic)
        problem.allowance = allowance
        search: Any = getattr(simpleai.search, self.algorithm)
        if self.algorithm == "limited_depth_first":
            search = partial(search, depth_limit=_DEPTH)
        try:
            found = search(problem, graph_search=True)
        except _LimitReached:
            return Solution("limit", nodes=allowance.nodes)
        if found is None:
            complete = self.algorithm != "limited_depth_first"
            return Solution("unsolvable" if complete else "limit", nodes=allowance.nodes)
        steps = tuple(index for move, _ in found.path() if move for index in move)
        optimal = ALGORITHMS[self.algorithm] and (self.algorithm != "astar" or isinstance(heuristic, Blind | HMax))
        verdict = "optimal" if optimal else "not proven optimal"
        return Solution(
            "solved",
            steps,
            optimal=optimal,
            bound=task.weight_of(steps) if optimal else 0,
            proof=f"{verdict}: simpleai's {self.algorithm}",
            nodes=allowance.nodes,
        )
