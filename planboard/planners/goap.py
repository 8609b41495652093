"""GOAP: the plan of least cost to a goal, found by search and proven."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from planboard.errors import DefinitionError, UnknownNameError
from planboard.planners.base import Planner
from planboard.planners.memory import memory_of
from planboard.planners.operator import PlanGoal
from planboard.planners.optimism import OptimisticSearch
from planboard.planners.plan import Plan, PlanResult
from planboard.planners.problem import Inquiry, Problem
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
    """`"auto"`, `"relaxed"`, `"astar"`, `"simpleai:<algorithm>"`, or an object of the `Engine` protocol."""
    heuristic: str | Heuristic | None = None
    """`"blind"`, `"goalcount"`, `"hmax"`, `"hadd"`, `"lmcut"`, or an object of the `Heuristic` protocol.

    `None` leaves it to the engine. Plans found with one that may overestimate are not proven optimal.
    """
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
        if not (self.heuristic is None or isinstance(self.heuristic, str | Heuristic)):
            raise DefinitionError(
                f"Goap: {self.heuristic!r} is no heuristic: it needs `name`, `admissible` and `bind(task)`."
            )
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
        return self._recalled(problem.towards(goal), (goal,), lambda search: search.settled(goal))

    def plans(self, problem: Problem) -> tuple[PlanResult, ...]:
        """Return one answer per goal, in the order of the goals; no fact is evaluated twice."""
        search = self._search(Inquiry(problem))
        return tuple(search.settled(goal) for goal in problem.goals)

    def plan(self, problem: Problem) -> PlanResult:
        """Return the plan of greatest net value among the cheapest plans to each goal, or why there is none."""
        return self._recalled(problem, problem.goals, OptimisticSearch.best)

    def _recalled(
        self, problem: Problem, goals: tuple[PlanGoal, ...], search: Callable[[OptimisticSearch], PlanResult]
    ) -> PlanResult:
        """Return what the search finds, or what it found before.

        Planning is pure, so a plan is remembered: a thousand runs that begin alike plan once. What depends on more
        than facts and prices is not: unknown facts to be evaluated, a limit in seconds, parts of one's own.
        """
        inquiry = Inquiry(problem)
        custom = not isinstance(self.engine, str) or not (self.heuristic is None or isinstance(self.heuristic, str))
        if custom or self.limit.seconds is not None:
            return search(self._search(inquiry))
        memory = memory_of(problem.domain, self, goals)
        if problem.resolve is not None and problem.unknown & memory.relevant:
            return search(self._search(inquiry))
        found: PlanResult | None = memory.recall(inquiry)
        if found is None:
            found = search(self._search(inquiry))
            if isinstance(found, Plan):  # why there is none refers to the problem, which must not be kept alive
                memory.keep(found, inquiry)
        return found

    def _search(self, inquiry: Inquiry) -> OptimisticSearch:
        heuristic = BUILT_IN[self.heuristic] if isinstance(self.heuristic, str) else self.heuristic
        engine = engine_named(self.engine, heuristic) if isinstance(self.engine, str) else self.engine
        return OptimisticSearch(inquiry, engine, self.limit, net=self.objective == "net")
