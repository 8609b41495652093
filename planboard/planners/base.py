"""What every planner is, and how the best of several goals is chosen: in one place for all of them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

from planboard.planners.ask import Ask, PlannerAnswer
from planboard.planners.operator import NIRVANA, PlanGoal
from planboard.planners.plan import NoPlan, Plan, PlanResult, Reason
from planboard.planners.problem import Problem


class Planner(ABC):
    """Chooses what to do next. Pure and without state: the same problem has the same answer, always.

    To write your own, give it a `name` and a `plan_to`.
    """

    plans_ahead: ClassVar[bool] = False
    """Whether it plans several steps; one that does not takes whatever can be done now.

    For such a planner a process holds an action with `rerun="always"` back until something it reads has changed.
    """
    asks: ClassVar[bool] = False
    """Whether it may answer with an `Ask`; then it is an `AskingPlanner`."""
    nirvana: bool = False
    """Whether a process adds `NIRVANA` beside its goals for this planner. Planning itself never adds it."""

    handed_down: ClassVar[bool] = True
    """Whether agents that are run as children, and have no planner of their own, are planned by it too."""
    at_once: int = 1
    """How many steps of its plans may run at once, whatever the options of the process allow beyond that."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called: "goap"."""

    @abstractmethod
    def plan_to(self, problem: Problem, goal: PlanGoal) -> PlannerAnswer:
        """Return the plan to one goal, or why there is none; or whom to ask."""

    def plans(self, problem: Problem) -> tuple[PlannerAnswer, ...]:
        """Return one answer per goal, in the order of the goals."""
        return tuple(self.plan_to(problem, goal) for goal in problem.goals)

    def plan(self, problem: Problem) -> PlannerAnswer:
        """Return the plan of greatest net value over all goals, or why there is none; or whom to ask."""
        results = self.plans(problem)
        question = next((result for result in results if isinstance(result, Ask)), None)
        return question or best_of(result for result in results if not isinstance(result, Ask))


Standing = tuple[Fraction, bool, Fraction, int, str]


def standing(plan: Plan) -> Standing:
    """Return what plans to different goals are compared by; the least is the best.

    Greater net value, then a real goal before `NIRVANA`, then lower cost, fewer actions, the goal's name.
    """
    return -plan.exact_net_value, plan.goal is NIRVANA, plan.exact_cost, len(plan), plan.goal.name


def best_of(results: Iterable[PlanResult], *, otherwise: Reason = "unreachable") -> PlanResult:
    """Return the best plan; if there is none, the failure that says most.

    That is one that hit a limit, for it leaves hope, then that of the real goal of the greatest value, then by name.

    Args:
        results: One answer per goal.
        otherwise: The reason when there are no goals at all.
    """
    plans: list[Plan] = []
    failures: list[NoPlan] = []
    for result in results:
        if isinstance(result, Plan):
            plans.append(result)
        else:
            failures.append(result)
    if plans:
        return min(plans, key=standing)
    return min(failures, key=_hopelessness, default=NoPlan(NIRVANA, otherwise))


def _hopelessness(failure: NoPlan) -> tuple[bool, bool, float, str]:
    goal = failure.goal
    return failure.reason != "limit", goal is NIRVANA, -goal.value, goal.name
