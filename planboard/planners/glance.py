"""What can be done right now, best first: the look at the world that Utility and Hybrid choose by.

A glance knows one world and does not evaluate anything. Where its answer depends on an unknown fact that could be
evaluated it raises the question, so the planner can first think through whether the answer would matter.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from planboard.planners.domain import Domain, Masks, State, remember
from planboard.planners.operator import NIRVANA, Number, Operator, PlanGoal
from planboard.planners.plan import Assumption, Course, NoPlan, Plan, PlanResult, spelled
from planboard.planners.problem import Inquiry, World, exact
from planboard.planners.proof import Proof


class _QuestionRaised(Exception):  # noqa: N818 - a signal to the planner, never seen by users
    """What is asked for depends on this fact."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


_CHOSEN = Proof("greedy", optimal=False, reason="the best single action now")
_FORCED = Proof("forced", optimal=False, reason="the only thing that can be done and can help")
_HOLDS = Proof("greedy", optimal=True, reason="the goal holds")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An operator that may be achievable, and what it is worth."""

    index: int
    """Its position in the domain."""
    cost: Fraction
    value: Fraction


def _ranked(domain: Domain, inquiry: Inquiry, indices: Iterable[int]) -> tuple[Candidate, ...]:
    def place(candidate: Candidate) -> tuple[Fraction, Fraction, int, tuple[str, str]]:
        operator = domain.operators[candidate.index]
        return candidate.cost - candidate.value, candidate.cost, -len(operator.pre), operator.key

    candidates = (Candidate(index, inquiry.cost(index), inquiry.value(index)) for index in indices)
    return tuple(sorted(candidates, key=place))


class Glance:
    """The candidates in rank order, each looked into no further than the choice needs."""

    def __init__(self, inquiry: Inquiry, world: World, floor: Number | None) -> None:
        self.problem = inquiry.problem
        """What is looked at."""
        self._inquiry = inquiry
        self._domain = inquiry.domain
        self._world = world
        self._floor = None if floor is None else exact(floor)

    @cached_property
    def _candidates(self) -> tuple[Candidate, ...]:
        """By net value, then lower cost, then more preconditions, then name and outcome."""
        domain, inquiry = self._domain, self._inquiry
        if not domain.dynamic:  # the ranking is the same in every world, so it is made once
            return remember(domain.rankings, "static", lambda _: _ranked(domain, inquiry, range(len(domain.operators))))
        possible = [
            index for index, masks in enumerate(domain.masks) if self._may_hold(masks.pre_true, masks.pre_false)
        ]
        return _ranked(domain, inquiry, possible)

    def satisfied(self, goal: PlanGoal) -> bool:
        """Whether the goal holds now.

        Raises:
            _QuestionRaised: If that depends on a fact that could be evaluated. So do the other methods.
        """
        wanted = self._domain.demands(goal)
        return self._holds(wanted.pre_true, wanted.pre_false)

    def best(self, goal: PlanGoal = NIRVANA) -> Plan | None:
        """Return the achievable action of the highest net value."""
        for candidate in self._achievable():
            return self._plan(goal, candidate, ())
        return None

    def finisher(self, goal: PlanGoal) -> Plan | None:
        """Return the achievable action of the highest net value after which the goal holds, or may be assumed to."""
        for candidate in self._achievable(goal):
            return self._plan(goal, candidate, self._assumptions(goal, candidate))
        return None

    def idle(self, goal: PlanGoal) -> Plan:
        """Return the empty plan."""
        return self._plan(goal, None, ())

    def forced(self, goal: PlanGoal, operator: Operator) -> Plan:
        """Return the plan of the one operator that there is."""
        index = self._domain.operators.index(operator)
        return self._plan(goal, Candidate(index, self._inquiry.cost(index), self._inquiry.value(index)), (), _FORCED)

    def nothing(self, goal: PlanGoal) -> NoPlan:
        """Return that no action can be run or, with a goal, that none of them satisfies it."""
        state = State(self._domain, self._world.true, self._world.unknown)
        wanted = () if goal is NIRVANA else goal.pre.items()
        missing = tuple(spelled(name, truth) for name, truth in wanted if state[name] is not truth)
        return NoPlan(goal, "nothing_achievable", missing, problem=self.problem, known=state)

    def restated(self, foreseen: PlanResult) -> PlanResult:
        """Return a result that was foreseen in supposed worlds, as of this one."""
        if isinstance(foreseen, NoPlan):
            return self.nothing(foreseen.goal)
        return foreseen.starting_from(self._world.true, self._world.unknown)

    def _achievable(self, goal: PlanGoal | None = None) -> Iterator[Candidate]:
        """Yield what can be run, best first; with a goal, only what satisfies it."""
        for candidate in self._candidates:
            if self._floor is not None and candidate.value - candidate.cost < self._floor:
                return  # they are ranked by net value
            masks = self._domain.masks[candidate.index]
            left = (0, 0) if goal is None else self._left_by(masks, goal)
            if left is not None and self._holds(masks.pre_true | left[0], masks.pre_false | left[1]):
                yield candidate

    def _left_by(self, masks: Masks, goal: PlanGoal) -> tuple[int, int] | None:
        """Return what must hold already, as (true, false), for the goal to hold after an action; `None`: it cannot."""
        wanted = self._domain.demands(goal)
        if wanted.pre_true & masks.false or wanted.pre_false & masks.true:
            return None
        untouched = ~(masks.true | masks.false | masks.unknown)
        return wanted.pre_true & untouched, wanted.pre_false & untouched

    def _may_hold(self, true: int, false: int) -> bool:
        """Whether facts can be so, given what is known and what could be evaluated."""
        world = self._world
        stuck = world.unknown & ~world.askable
        return not (true & ~(world.true | world.askable) or false & (world.true | stuck))

    def _holds(self, true: int, false: int) -> bool:
        """Whether facts are so."""
        if true & false or not self._may_hold(true, false):
            return False
        unknown = (true | false) & self._world.askable
        if unknown:
            raise _QuestionRaised(self._domain.names(unknown)[0])
        return True

    def _plan(
        self,
        goal: PlanGoal,
        candidate: Candidate | None,
        assumptions: tuple[Assumption, ...],
        why: Proof = _CHOSEN,
    ) -> Plan:
        chosen = () if candidate is None else (candidate,)
        course = Course(
            domain=self._domain,
            goal=goal,
            operators=tuple(self._domain.operators[one.index] for one in chosen),
            masks=tuple(self._domain.masks[one.index] for one in chosen),
            costs=tuple(one.cost for one in chosen),
            values=tuple(one.value for one in chosen),
            assumptions=assumptions,
            proof=why if chosen else _HOLDS,
            relevant=0,
            lasting=False,
        )
        return Plan(course, self._world.true, self._world.unknown)

    def _assumptions(self, goal: PlanGoal, candidate: Candidate) -> tuple[Assumption, ...]:
        operator, masks = self._domain.operators[candidate.index], self._domain.masks[candidate.index]
        outcomes = [Assumption(0, operator.label)] if operator.name in self._domain.alternatives else []
        facts = [
            Assumption(1, spelled(name, truth), self._domain.bit(name))
            for name, truth in goal.pre.items()
            if masks.unknown & self._domain.bit(name)
        ]
        return (*outcomes, *facts)
