"""Utility and Hybrid: the one action that is worth most now, chosen afresh every time."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from planboard.planners.base import Planner, best_of
from planboard.planners.glance import Glance, _QuestionRaised
from planboard.planners.operator import NIRVANA, Number, PlanGoal, checked_number
from planboard.planners.plan import NoPlan, Plan, PlanResult
from planboard.planners.problem import Inquiry, Problem, World

_TURNS = 48
"""How many turns of events are thought through to tell that an unknown fact makes no difference."""


@dataclass(frozen=True, slots=True)
class OneStep(Planner):
    """What Utility and Hybrid share: everything but what they do with a satisfied goal."""

    nirvana: bool = True
    """Whether a process adds `NIRVANA` beside its goals, so that work goes on until a goal is one step away."""
    floor: Number | None = None
    """Actions of lower net value are never chosen; `None` for no floor."""

    def __post_init__(self) -> None:
        if self.floor is not None:
            checked_number(type(self).__name__, "floor", self.floor)

    def plan_to(self, problem: Problem, goal: PlanGoal) -> PlanResult:
        """Return a plan of at most one action towards one goal, or why there is none."""
        inquiry = Inquiry(problem.towards(goal))
        return self._settled(inquiry, lambda glance: self._towards(glance, goal))

    def plans(self, problem: Problem) -> tuple[PlanResult, ...]:
        """Return one answer per goal, in the order of the goals; no fact is evaluated twice."""
        inquiry = Inquiry(problem)
        return tuple(
            self._settled(inquiry, lambda glance, goal=goal: self._towards(glance, goal))  # type: ignore[misc]
            for goal in problem.goals
        )

    def plan(self, problem: Problem) -> PlanResult:
        """Return the plan of greatest net value over all goals, or why there is none."""
        return self._settled(Inquiry(problem), self._best)

    def _best(self, glance: Glance) -> PlanResult:
        return self._greatest(glance)

    def _greatest(self, glance: Glance) -> PlanResult:
        results = [self._towards(glance, goal) for goal in glance.problem.goals]
        return best_of(results, otherwise="nothing_achievable")

    def _towards(self, glance: Glance, goal: PlanGoal) -> PlanResult:
        if goal is NIRVANA:
            return glance.best() or glance.nothing(goal)
        if glance.satisfied(goal):
            return self._satisfied(glance, goal)
        return glance.finisher(goal) or glance.nothing(goal)

    @abstractmethod
    def _satisfied(self, glance: Glance, goal: PlanGoal) -> Plan:
        """Return what to do when a goal holds."""

    def _settled(self, inquiry: Inquiry, choose: Callable[[Glance], PlanResult]) -> PlanResult:
        """Choose, evaluating an unknown fact only if the choice depends on it."""
        while True:
            try:
                return choose(Glance(inquiry, inquiry.world, self.floor))
            except _QuestionRaised as question:
                foreseen = self._foreseen(inquiry, inquiry.world, choose, [_TURNS])
                if foreseen is not None:
                    return Glance(inquiry, inquiry.world, self.floor).restated(foreseen)
                inquiry.ask(question.name)

    def _foreseen(
        self, inquiry: Inquiry, world: World, choose: Callable[[Glance], PlanResult], turns: list[int]
    ) -> PlanResult | None:
        """Return the choice if it is the same whatever the unknown facts are; `None` if it differs, or may."""
        try:
            return choose(Glance(inquiry, world, self.floor))
        except _QuestionRaised as question:
            bit = inquiry.domain.bit(question.name)
        found: PlanResult | None = None
        for answer in (True, False, None):
            turns[0] -= 1
            result = self._foreseen(inquiry, world.knowing(bit, answer), choose, turns) if turns[0] >= 0 else None
            if result is None or (found is not None and not _same(found, result)):
                return None
            found = result
        return found


@dataclass(frozen=True, slots=True)
class Utility(OneStep):
    """Does what is worth most now, and goes on while there is anything to do.

    When to choose this: open-ended work where no goal describes the end, such as games, monitoring and
    exploration. To stop at the first goal that is satisfied choose `Hybrid`; to plan ahead choose `Goap`.
    """

    @property
    def name(self) -> str:
        """What it is called: "utility"."""
        return "utility"

    def _satisfied(self, glance: Glance, goal: PlanGoal) -> Plan:
        return glance.best(goal) or glance.idle(goal)


@dataclass(frozen=True, slots=True)
class Once(Utility):
    """`Utility` for an agent of a single action. Agents that this one runs are planned as if it were not there."""

    handed_down: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Hybrid(OneStep):
    """Does what is worth most now until a goal is satisfied, then stops.

    When to choose this: gather, improve or explore by value, but be done as soon as a goal holds.
    """

    @property
    def name(self) -> str:
        """What it is called: "hybrid"."""
        return "hybrid"

    def _best(self, glance: Glance) -> PlanResult:
        """Return the empty plan of a satisfied goal if there is one, whatever else would be worth."""
        real = [goal for goal in glance.problem.goals if goal is not NIRVANA]
        for goal in sorted(real, key=lambda goal: (-goal.value, goal.name)):
            if glance.satisfied(goal):
                return glance.idle(goal)
        return self._greatest(glance)

    def _satisfied(self, glance: Glance, goal: PlanGoal) -> Plan:
        return glance.idle(goal)


def _same(one: PlanResult, other: PlanResult) -> bool:
    if isinstance(one, NoPlan) and isinstance(other, NoPlan):
        return one.goal == other.goal and one.reason == other.reason
    return one == other
