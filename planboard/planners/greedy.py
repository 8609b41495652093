"""Utility and Hybrid: the one action that is worth most now, chosen afresh every time."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from planboard.planners.base import Planner, best_of
from planboard.planners.domain import Masks, State
from planboard.planners.operator import NIRVANA, Number, PlanGoal, checked_number
from planboard.planners.plan import Assumption, Course, NoPlan, Plan, PlanResult, spelled
from planboard.planners.problem import Inquiry, Problem, exact


@dataclass(frozen=True, slots=True)
class _OneStep(Planner):
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
        return self._towards(_Glance(problem.towards(goal), self.floor), goal)

    def plans(self, problem: Problem) -> tuple[PlanResult, ...]:
        """Return one answer per goal, in the order of the goals; no fact is evaluated twice."""
        glance = _Glance(problem, self.floor)
        return tuple(self._towards(glance, goal) for goal in problem.goals)

    def plan(self, problem: Problem) -> PlanResult:
        """Return the plan of greatest net value over all goals, or why there is none."""
        return best_of(self.plans(problem), otherwise="nothing_achievable")

    def _towards(self, glance: "_Glance", goal: PlanGoal) -> PlanResult:
        if goal is NIRVANA:
            return glance.best() or glance.nothing(goal)
        if glance.satisfied(goal):
            return self._satisfied(glance, goal)
        return glance.finisher(goal) or glance.nothing(goal)

    def _satisfied(self, glance: "_Glance", goal: PlanGoal) -> Plan:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Utility(_OneStep):
    """Does what is worth most now, and goes on while there is anything to do.

    When to choose this: open-ended work where no goal describes the end, such as games, monitoring and
    exploration. To stop at the first goal that is satisfied choose `Hybrid`; to plan ahead choose `Goap`.
    """

    @property
    def name(self) -> str:
        """What it is called: "utility"."""
        return "utility"

    def _satisfied(self, glance: "_Glance", goal: PlanGoal) -> Plan:
        return glance.best(goal) or glance.idle(goal)


@dataclass(frozen=True, slots=True)
class Hybrid(_OneStep):
    """Does what is worth most now until a goal is satisfied, then stops.

    When to choose this: gather, improve or explore by value, but be done as soon as a goal holds.
    """

    @property
    def name(self) -> str:
        """What it is called: "hybrid"."""
        return "hybrid"

    def plan(self, problem: Problem) -> PlanResult:
        """Return the empty plan of a satisfied goal if there is one, else the plan of greatest net value."""
        glance = _Glance(problem, self.floor)
        results = [self._towards(glance, goal) for goal in problem.goals]
        satisfied = [result for result in results if isinstance(result, Plan) and result.complete]
        return best_of(satisfied or results, otherwise="nothing_achievable")

    def _satisfied(self, glance: "_Glance", goal: PlanGoal) -> Plan:
        return glance.idle(goal)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An operator that may be achievable, and what it is worth."""

    index: int
    cost: Fraction
    value: Fraction


class _Glance:
    """One planning call: the candidates in rank order, each looked into no further than the choice needs."""

    def __init__(self, problem: Problem, floor: Number | None) -> None:
        self._problem = problem
        self._domain = problem.domain
        self._inquiry = Inquiry(problem)
        self._floor = None if floor is None else exact(floor)

    @cached_property
    def _candidates(self) -> tuple[_Candidate, ...]:
        """By net value, then lower cost, then more preconditions, then name and outcome."""
        possible = [
            _Candidate(index, self._inquiry.cost(index), self._inquiry.value(index))
            for index, masks in enumerate(self._domain.masks)
            if self._is_possible(masks)
        ]
        operators, floor = self._domain.operators, self._floor
        return tuple(
            sorted(
                (known for known in possible if floor is None or known.value - known.cost >= floor),
                key=lambda known: (
                    known.cost - known.value,
                    known.cost,
                    -len(operators[known.index].pre),
                    operators[known.index].key,
                ),
            )
        )

    def satisfied(self, goal: PlanGoal) -> bool:
        """Whether the goal holds now, evaluating what it must."""
        masks = self._demands(goal)
        return self._holds(masks.pre_true, masks.pre_false)

    def best(self, goal: PlanGoal = NIRVANA) -> Plan | None:
        """Return the achievable action of the highest net value."""
        for candidate in self._achievable():
            return self._plan(goal, candidate, counted_on=False)
        return None

    def finisher(self, goal: PlanGoal) -> Plan | None:
        """Return the achievable action of the highest net value after which the goal holds, or may be assumed to."""
        for candidate in self._achievable(goal):
            return self._plan(goal, candidate, counted_on=True)
        return None

    def idle(self, goal: PlanGoal) -> Plan:
        """Return the empty plan."""
        return self._plan(goal, None, counted_on=False)

    def nothing(self, goal: PlanGoal) -> NoPlan:
        """Return that no action can be run or, with a goal, that none of them satisfies it."""
        state = State(self._domain, self._inquiry.true, self._inquiry.unknown)
        wanted = () if goal is NIRVANA else goal.pre.items()
        missing = tuple(spelled(name, truth) for name, truth in wanted if state[name] is not truth)
        return NoPlan(goal, "nothing_achievable", missing, problem=self._problem, known=state)

    def _achievable(self, goal: PlanGoal | None = None) -> Iterator[_Candidate]:
        for candidate in self._candidates:
            masks = self._domain.masks[candidate.index]
            if goal is not None and not self._may_satisfy(masks, goal):
                continue
            if self._holds(masks.pre_true, masks.pre_false) and (goal is None or self._satisfies(masks, goal)):
                yield candidate

    def _may_satisfy(self, masks: Masks, goal: PlanGoal) -> bool:
        left = self._left_by(masks, goal)
        return left is not None and self._may_hold(*left)

    def _satisfies(self, masks: Masks, goal: PlanGoal) -> bool:
        left = self._left_by(masks, goal)
        return left is not None and self._holds(*left)

    def _left_by(self, masks: Masks, goal: PlanGoal) -> tuple[int, int] | None:
        """Return what must hold already, as (true, false), for the goal to hold after an action; `None`: it cannot."""
        wanted = self._demands(goal)
        if wanted.pre_true & masks.false or wanted.pre_false & masks.true:
            return None
        untouched = ~(masks.true | masks.false | masks.unknown)
        return wanted.pre_true & untouched, wanted.pre_false & untouched

    def _demands(self, goal: PlanGoal) -> Masks:
        return self._domain.demands(goal)

    def _is_possible(self, masks: Masks) -> bool:
        return self._may_hold(masks.pre_true, masks.pre_false)

    def _may_hold(self, true: int, false: int) -> bool:
        """Whether facts can be so, given what is known and what could be evaluated."""
        inquiry = self._inquiry
        stuck = inquiry.unknown & ~inquiry.askable
        return not (true & ~(inquiry.true | inquiry.askable) or false & (inquiry.true | stuck))

    def _holds(self, true: int, false: int) -> bool:
        """Whether facts are so; unknown ones are evaluated one by one while the answer is open."""
        while self._may_hold(true, false):
            unknown = (true | false) & self._inquiry.askable
            if not unknown:
                return True
            self._inquiry.ask(self._domain.names(unknown)[0])
        return False

    def _plan(self, goal: PlanGoal, candidate: _Candidate | None, *, counted_on: bool) -> Plan:
        chosen = () if candidate is None else (candidate,)
        course = Course(
            domain=self._domain,
            goal=goal,
            operators=tuple(self._domain.operators[one.index] for one in chosen),
            masks=tuple(self._domain.masks[one.index] for one in chosen),
            costs=tuple(one.cost for one in chosen),
            values=tuple(one.value for one in chosen),
            assumptions=self._assumptions(goal, candidate) if candidate and counted_on else (),
            proof="the best single action now" if chosen else "the goal holds",
            relevant=0,
            lasting=False,
        )
        return Plan(course, self._inquiry.true, self._inquiry.unknown)

    def _assumptions(self, goal: PlanGoal, candidate: _Candidate) -> tuple[Assumption, ...]:
        operator, masks = self._domain.operators[candidate.index], self._domain.masks[candidate.index]
        outcomes = [Assumption(0, operator.label)] if operator.name in self._domain.alternatives else []
        facts = [
            Assumption(1, spelled(name, truth), self._domain.bit(name))
            for name, truth in goal.pre.items()
            if masks.unknown & self._domain.bit(name)
        ]
        return (*outcomes, *facts)
