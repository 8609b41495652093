"""Plans that need not be made twice: every state that a plan leads through knows what remains of it.

The rest of an optimal plan is the optimal plan from there, and there is only one (see `search.task.Task.weights`). So
an answer is remembered for each state on its way, with the facts that do not bear on the goals left out: another run
that begins alike, an action that failed and changed nothing, a run that is resumed, all find their plan by one
look-up. `test_a_remembered_plan_is_the_plan_made_afresh` guards this.
"""

from typing import NamedTuple

from planboard.planners.domain import Domain, remember
from planboard.planners.operator import NIRVANA, PlanGoal
from planboard.planners.plan import Course, Plan
from planboard.planners.problem import Inquiry, Prices
from planboard.planners.search.view import view_of

_STATES = 20_000
"""States remembered per planner and goals; the oldest are forgotten first."""


class _Known(NamedTuple):
    course: Course
    done: int
    prices: Prices
    """What was charged when the plan was made, where that depends on the state."""


class PlanMemory:
    """The plans of one planner to one set of goals in one domain.

    With costs that depend on the state, the rest of a plan is taken only if its own costs are what they were and none
    has fallen elsewhere: then nothing can have come to be better. Values must be what they were. Between several goals
    actions with values make that too little, for the plan to another goal may be worth more when it gets dearer and
    so another one; then all prices must be what they were.
    """

    def __init__(self, domain: Domain, goals: tuple[PlanGoal, ...]) -> None:
        self.relevant: int = 0
        """The facts that bear on the goals, as a mask of the domain."""
        views = [view_of(domain, goal) for goal in goals if goal is not NIRVANA]
        for view in views:
            self.relevant |= view.relevant
        self._exactly = len(views) > 1 and any(view.valued for view in views)
        self._known: dict[tuple[int, int], _Known] = {}

    def recall(self, inquiry: Inquiry) -> Plan | None:
        """Return the plan for the state of a problem, if it is known and still the best."""
        problem = inquiry.problem
        known = self._known.get((problem.true & self.relevant, problem.unknown & self.relevant))
        if known is None or (known.prices and not _still_best(known, inquiry, exactly=self._exactly)):
            return None
        return Plan(known.course, problem.true, problem.unknown, known.done)

    def keep(self, plan: Plan, inquiry: Inquiry) -> None:
        """Remember a plan that was just made, for all states it leads through as far as they can be foreseen."""
        course, prices = plan.course, inquiry.charged()
        true, unknown = inquiry.problem.true, inquiry.problem.unknown
        for done in range(len(course.operators) + 1):
            key = true & self.relevant, unknown & self.relevant
            self._known.pop(key, None)
            self._known[key] = _Known(course, done, prices)
            if not course.lasting or done == len(course.operators) or course.masks[done].unknown & self.relevant:
                break
            true, unknown = course.masks[done].after(true, unknown)
        while len(self._known) > _STATES:
            self._known.pop(next(iter(self._known)), None)


def _still_best(known: _Known, inquiry: Inquiry, *, exactly: bool) -> bool:
    operators = inquiry.domain.operators
    to_come = {operator.key for operator in known.course.operators[known.done :]}
    for (what, index), then in known.prices.items():
        if what == "value":
            if inquiry.value(index) != then:
                return False
        else:
            now = inquiry.cost(index)
            if now < then or (now > then and (exactly or operators[index].key in to_come)):
                return False
    return True


def memory_of(domain: Domain, planner: object, goals: tuple[PlanGoal, ...]) -> PlanMemory:
    """Return the memory of a planner for some goals, kept on the domain."""
    made: PlanMemory = remember(domain.answers, (planner, goals), lambda _: PlanMemory(domain, goals))
    return made
