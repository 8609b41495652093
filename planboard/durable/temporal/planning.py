"""Planning on Temporal: what the planner has answered is recorded, and never asked for again.

A workflow is replayed from its history whenever it changes machines, so nothing in it may depend on the planner as it
is today: what was decided stands, and the planner of today decides what comes next. So a workflow is given the
recorded answers; where there is none yet it stops, has the planner asked in a local activity, and goes on with what
that answers. This also keeps searches that take long out of the workflow, which must not think for more than two
seconds.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from types import FunctionType
from typing import Any
from weakref import WeakValueDictionary

import planboard.errors
from planboard.durable.temporal.payloads import error_data, error_from
from planboard.errors import BlackboardError, DefinitionError, PlanningError
from planboard.llm.port import ModelRequest
from planboard.planners.ask import Ask, PlannerAnswer
from planboard.planners.base import Planner
from planboard.planners.operator import PlanGoal, Truth
from planboard.planners.plan import Assumption, Course, Describe, NoPlan, Plan
from planboard.planners.problem import Problem
from planboard.planners.proof import Proof
from planboard.planners.world import World, _Unsettled


class Question:
    """A question to a planner that has not been answered yet."""

    __slots__ = ("__weakref__", "number", "planner", "problem")

    def __init__(self, planner: Planner, problem: Problem) -> None:
        self.planner = planner
        self.problem = problem
        self.number = next(_NUMBERS)
        """What the local activity finds it by, in the same program."""
        _ASKED[self.number] = self


_NUMBERS = count(1)
_ASKED: WeakValueDictionary[int, Question] = WeakValueDictionary()
"""A local activity runs in the program of its workflow, so what it is asked need not be written down."""


class _Unplanned(Exception):  # noqa: N818 - a signal to the workflow, never seen by users
    """The planner has to be asked before the process can go on."""

    def __init__(self, key: "Key", question: Question) -> None:
        self.key = key
        self.question = question
        super().__init__("the planner has to be asked")


Key = tuple[int, int, bool]
"""What is true, what is unknown, whether steps are taken as done: what tells the questions of one decision apart."""


class RecordedPlanner(Planner):
    """Answers what was answered before, and otherwise stops the process with `_Unplanned`.

    Args:
        real: The planner as it is today.
    """

    world: World
    """The world of the process, which learns what is found out, also by looking ahead."""

    def __init__(self, real: Planner) -> None:
        self.real = real
        vars(self).update(nirvana=real.nirvana, plans_ahead=real.plans_ahead, asks=real.asks, at_once=real.at_once,
                          handed_down=real.handed_down)  # fmt: skip
        self.answers: dict[Key, Mapping[str, Any]] = {}
        """What was answered during the decision that is being made."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)  # what only an asking planner has

    @property
    def name(self) -> str:
        """What it is called."""
        return self.real.name

    def plan_to(self, problem: Problem, goal: PlanGoal) -> PlannerAnswer:
        """Return what was answered for one goal."""
        return self.plan(Problem(problem.state, problem.domain, (goal,), problem.resolve))

    def plan(self, problem: Problem) -> PlannerAnswer:
        """Return what was answered.

        Raises:
            _Unplanned: Nothing yet.
        """
        key = (problem.true, problem.unknown, isinstance(problem.resolve, FunctionType))
        told = self.answers.get(key)
        if told is None:
            raise _Unplanned(key, Question(self.real, problem))
        if told["kind"] == "ask":
            return self._question(problem)
        _take_over(told["resolved"], self.world)
        return rebuilt(told, problem)

    def _question(self, problem: Problem) -> Ask:
        """Return what is asked of the model; only its words may differ from those that were sent."""
        found = self.real.plan(problem)
        if isinstance(found, Ask):
            return found
        talk = problem.state.conversation if isinstance(problem.state, World) else None
        return Ask(found.goal, ModelRequest(()), {}, "", 1 if talk is None else talk.asked_so_far + 1)

    def __repr__(self) -> str:
        return repr(self.real)


def answer(number: int) -> dict[str, Any]:
    """Ask a planner, and return its answer as data.

    Args:
        number: Of the question.

    Raises:
        LookupError: Nobody waits for the answer any more.
    """
    question = _ASKED[number]
    asked, resolved = question.problem, dict[str, bool]()
    state, resolve = asked.state, asked.resolve
    if isinstance(state, World) and not isinstance(resolve, FunctionType):
        state = state.at(asked.true, asked.unknown)  # what is found out is told to the workflow, not done to its world
        resolve = None if resolve is None else state.resolve

    def noted(name: str) -> Truth:
        assert resolve is not None  # noqa: S101 - only called if so
        found = resolve(name)
        if found is not None:
            resolved[name] = found
        return found

    problem = Problem(state, asked.domain, asked.goals, None if resolve is None else noted)
    try:
        data = described(question.planner.plan(problem), problem)
    except _Unsettled as unsettled:
        data = {"kind": "unsettled", "condition": unsettled.condition}
    except (PlanningError, BlackboardError) as error:
        data = {"kind": "raised", "error": error_data(error)}
        if isinstance(error, planboard.errors.ConditionError):
            data["condition"] = error.condition
    return {**data, "resolved": resolved}


def described(found: PlannerAnswer, problem: Problem) -> dict[str, Any]:
    """Return a planner's answer as data: operators and goals by name."""
    if isinstance(found, Ask):
        return {"kind": "ask"}
    if isinstance(found, NoPlan):
        best = None if found.best is None else described(found.best, problem)
        data = {"kind": "none", "goal": found.goal.name, "reason": found.reason, "missing": found.missing, "best": best,
                "bound": found.bound, "halt": found.halt}  # fmt: skip
        try:
            return {**data, "text": found.explain(problem.state.describe)}
        except _Unsettled as unsettled:  # nobody may want to know
            return {**data, "text": "", "unsettled": unsettled.condition}
    names = found.domain.names
    return {
        "kind": "plan",
        "goal": found.goal.name,
        "steps": [list(operator.key) for operator in found.operators],
        "costs": [str(cost) for cost in found.step_costs],
        "values": [str(value) for value in found.step_values],
        "assumed": [[one.step, one.text, *names(one.bit)] for one in found.assumed],
        "proof": found.proof.reason,
    }


@dataclass(frozen=True, slots=True)
class _Told(NoPlan):
    """There was no plan, and why, in the words of then."""

    text: str = ""
    unsettled: str | None = None
    """The condition that has to be waited for before it can be said."""

    def explain(self, describe: Describe | None = None) -> str:  # noqa: ARG002 - it was described then
        """Say why."""
        if self.unsettled is not None:
            raise _Unsettled(self.unsettled)
        return self.text

    def __str__(self) -> str:
        return self.text.partition("\n")[0]


def rebuilt(told: Mapping[str, Any], problem: Problem) -> Plan | NoPlan:
    """Return the answer that data tells of. It is good for one decision only: the next one is recorded too.

    Raises:
        DefinitionError: It is about a goal or an action that the agent does not have any more.
        PlanningError: It was an error. So does `BlackboardError`.
        _Unsettled: A condition has to be waited for.
    """
    if told["kind"] == "unsettled":
        raise _Unsettled(told["condition"])
    if told["kind"] == "raised":
        error = error_from(told["error"])
        vars(error).update(condition=told.get("condition", ""))
        raise error
    try:
        goal = next(goal for goal in problem.goals if goal.name == told["goal"])
    except StopIteration:
        message = f"This run was planned for the goal {told['goal']!r}, which its agent does not have any more."
        raise DefinitionError(message) from None
    if told["kind"] == "none":
        best = None if told["best"] is None else rebuilt(told["best"], problem)
        assert not isinstance(best, NoPlan)  # noqa: S101 - a plan was described
        return _Told(
            goal, told["reason"], tuple(told["missing"]), best, told["bound"], halt=told.get("halt"),
            text=told["text"], unsettled=told.get("unsettled"),
        )  # fmt: skip
    places = {operator.key: place for place, operator in enumerate(problem.domain.operators)}
    try:
        steps = [places[name, outcome] for name, outcome in told["steps"]]
    except KeyError as unknown:
        message = f"This run has decided on {unknown.args[0][0]!r}, which its agent cannot do any more."
        raise DefinitionError(message) from None
    course = Course(
        domain=problem.domain,
        goal=goal,
        operators=tuple(problem.domain.operators[place] for place in steps),
        masks=tuple(problem.domain.masks[place] for place in steps),
        costs=tuple(map(Fraction, told["costs"])),
        values=tuple(map(Fraction, told["values"])),
        assumptions=tuple(
            Assumption(step, text, problem.domain.bit(fact[0]) if fact else 0) for step, text, *fact in told["assumed"]
        ),
        proof=Proof("recorded", optimal=False, reason=told["proof"]),
        relevant=0,
        lasting=False,
    )
    world = problem.state
    return Plan(course, world.true, world.unknown)


def _take_over(resolved: Mapping[str, bool], world: World) -> None:
    """Let the world know what was found out when the planner was asked."""
    for name, truth in resolved.items():
        with suppress(DefinitionError):  # a condition that is gone
            bit = world.domain.bit(name)
            world.unknown &= ~bit
            world.true = world.true | bit if truth else world.true & ~bit
