"""GOAP: the plan of least cost to a goal, found by search and proven."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from planboard.errors import DefinitionError, UnknownNameError
from planboard.planners.base import Planner
from planboard.planners.domain import remember
from planboard.planners.operator import PlanGoal
from planboard.planners.optimism import OptimisticSearch
from planboard.planners.plan import Plan, PlanResult
from planboard.planners.problem import Problem
from planboard.planners.search.engine import Engine, Heuristic, Limit, check_engine_name, engine_named
from planboard.planners.search.heuristics import BUILT_IN


@dataclass(frozen=True, slots=True)
class Goap(Planner):
    """Plans all the way to the goal at the least cost.

    When to choose this: you can say what you want as facts, actions have costs that matter, and you want the same,
    best and explainable plan every time. For open-ended work see `Utility` and `Hybrid`.

    Raises:
        UnknownNameError: For an engine or heuristic that does not exist.
    """

    plans_ahead: ClassVar[bool] = True
    engine: str | Engine = "auto"
    """`"auto"`, `"astar"`, `"simpleai:<algorithm>"`, or an object of the `Engine` protocol."""
    heuristic: str | Heuristic | None = None
    """`"blind"`, `"hmax"`, `"landmarks"`, or an object of the `Heuristic` protocol; `None` leaves it to the engine."""
    limit: Limit = field(default_factory=Limit)
    """When to stop searching for one goal."""
    objective: Literal["cost", "net"] = "cost"
    """`"net"` searches for the greatest net value: values are taken off the costs, which they must not exceed."""

    def __post_init__(self) -> None:
        if isinstance(self.engine, str):
            check_engine_name(self.engine)
        elif not isinstance(self.engine, Engine):
            raise DefinitionError(f"Goap: {self.engine!r} is no engine: it needs a `name` and `solve(task, limit)`.")
        if isinstance(self.heuristic, str) and self.heuristic not in BUILT_IN:
            raise UnknownNameError("heuristic", self.heuristic, BUILT_IN)
        if not isinstance(self.limit, Limit):
            raise DefinitionError(f"Goap(limit={self.limit!r}): write Limit(nodes=..., seconds=...).")
        if self.objective not in ("cost", "net"):
            raise UnknownNameError("objective", self.objective, ("cost", "net"))

    @property
    def name(self) -> str:
        """What it is called: "goap"."""
        return "goap"

    def plan_to(self, problem: Problem, goal: PlanGoal) -> PlanResult:
        """Return the plan of least cost to one goal, or why there is none."""
        return self._search(problem.towards(goal)).settled(goal)

    def plans(self, problem: Problem) -> tuple[PlanResult, ...]:
        """Return one answer per goal, in the order of the goals; no fact is evaluated twice."""
        search = self._search(problem)
        return tuple(search.settled(goal) for goal in problem.goals)

    def plan(self, problem: Problem) -> PlanResult:
        """Return the plan of greatest net value among the cheapest plans to each goal, or why there is none.

        Planning is pure, so an answer is remembered by the domain: a thousand runs that begin alike plan once. What
        depends on more than the facts is not: unknown facts to be evaluated, dynamic costs, a limit in seconds, an
        engine of one's own.
        """
        domain = problem.domain
        asks = problem.resolve is not None and problem.unknown
        if asks or domain.dynamic or self.limit.seconds is not None or not isinstance(self.engine, str):
            return self._search(problem).best()
        known = (self, problem.goals, problem.true, problem.unknown)
        found = domain.answers.get(known)
        if found is None:
            found = self._search(problem).best()
            if isinstance(found, Plan):  # why there is none refers to the problem, which must not be kept alive
                remember(domain.answers, known, lambda _: found)
        return found

    def _search(self, problem: Problem) -> OptimisticSearch:
        heuristic = BUILT_IN[self.heuristic] if isinstance(self.heuristic, str) else self.heuristic
        engine = engine_named(self.engine, heuristic) if isinstance(self.engine, str) else self.engine
        return OptimisticSearch(problem, engine, self.limit, net=self.objective == "net")
