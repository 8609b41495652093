"""Grounds a classical problem of unified-planning, and takes the plan back to it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

from unified_planning.engines import CompilationKind
from unified_planning.engines.compilers.usertype_fluents_remover import UsertypeFluentsRemover
from unified_planning.exceptions import UPException
from unified_planning.model import Problem as UnifiedProblem
from unified_planning.plans import ActionInstance, SequentialPlan

from planboard.errors import TranslationError, UnknownNameError
from planboard.interop.pddl.formula import Facts, Literal, alternatives, conjuncts
from planboard.interop.pddl.lifted import Task
from planboard.interop.pddl.names import Spelling, numbered, spelled
from planboard.interop.pddl.operators import Grounder
from planboard.interop.pddl.reachability import reach
from planboard.interop.pddl.reading import read_task
from planboard.planners.operator import Number, Operator, PlanGoal
from planboard.planners.plan import Plan
from planboard.planners.problem import Problem, exact

Origin: TypeAlias = tuple[str, tuple[str, ...]]
"""An action and its objects, by name."""

GOAL = "goal"
"""The name of the one goal."""

_REACHED = "the goal is reached"
"""The fact that stands for a goal with alternatives; no fluent is spelled with bare spaces."""


@dataclass(frozen=True, slots=True)
class Grounding:
    """A problem for our planners, and the way from its plans back to unified-planning."""

    problem: Problem
    """One goal, named "goal"; facts and operators are named like `at(truck, depot)`."""
    source: Any = field(repr=False)
    """The unified-planning problem."""
    origins: Mapping[str, Origin | None] = field(repr=False)
    """By operator, the action and its objects; `None` for one that only notes that the goal is reached."""
    instance: Callable[[Origin], Any] = field(repr=False, compare=False)
    """Makes an action with its objects an `ActionInstance` of `source`."""
    scale: int = 1
    """What costs are multiplied by; above 1 only where a cost, such as a third, is no decimal number."""

    @property
    def goal(self) -> PlanGoal:
        """The goal."""
        return self.problem.goals[0]

    def plan_of(self, plan: Plan) -> SequentialPlan:
        """Return a plan as unified-planning has it, for `source` and in its environment.

        Raises:
            UnknownNameError: If it is a plan for another problem.
        """
        unknown = next((name for name in plan.steps if name not in self.origins), None)
        if unknown is not None:
            raise UnknownNameError("operator", unknown, self.origins)
        origins = [self.origins[name] for name in plan.steps]
        instances = [self.instance(origin) for origin in origins if origin is not None]
        return SequentialPlan(instances, self.source.environment)

    def cost_of(self, plan: Plan) -> Fraction:
        """Return what the plan costs in `source`, exactly; without a metric, how many actions it has."""
        return plan.exact_cost / self.scale


def from_unified_planning(problem: Any) -> Grounding:
    """Ground a classical problem, with action costs or without.

    With `MinimizeActionCosts` operators cost what the metric says. With `MinimizeSequentialPlanLength`, and without
    a metric, each costs 1, so the cheapest plan is a shortest one.

    Raises:
        TranslationError: For what cannot be planned with; it names the construct and where it is.
    """
    return ground(problem, lambda: None)


def ground(problem: Any, stop: Callable[[], None]) -> Grounding:
    """Do what `from_unified_planning` does; `stop` is called now and then, and may raise."""
    classical, instance = _classical(problem)
    task = read_task(classical)
    reachable = reach(task, stop)
    grounder = Grounder(task, reachable)
    grounds = list(grounder.operators(stop))
    scale, price = _pricing({one.cost for one in grounds})
    spell = Spelling()
    operators: list[Operator] = []
    origins: dict[str, Origin | None] = {}
    for one in grounds:
        name = numbered(spelled(one.action, *one.objects), one.number)
        operators.append(Operator(name, spell.facts(one.pre), spell.facts(one.effects), price[one.cost]))
        origins[name] = one.action, one.objects
    wanted = _goal_facts(task, grounder)
    if len(wanted) == 1:
        goal = spell.facts(wanted[0])
    else:
        goal = {_REACHED: True}
        for number, facts in enumerate(wanted, 1):
            operators.append(Operator(f"{_REACHED} [{number}]", spell.facts(facts), goal))
            origins[operators[-1].name] = None
    mentioned = {fact for operator in operators for fact in (*operator.pre, *operator.effects)}.union(goal)
    state = {name: True for atom in sorted(task.init) if (name := spell.fact(atom)) in mentioned}
    return Grounding(Problem(state, operators, [PlanGoal(GOAL, goal)]), problem, origins, instance, scale)


def _classical(problem: Any) -> tuple[Any, Callable[[Origin], Any]]:
    """Return a problem without fluents whose values are objects, and how to make its actions those of `problem`."""
    classical, back = problem, None
    if isinstance(problem, UnifiedProblem) and any(fluent.type.is_user_type() for fluent in problem.fluents):
        try:
            compiled = UsertypeFluentsRemover().compile(problem, CompilationKind.USERTYPE_FLUENTS_REMOVING)
        except UPException as error:
            raise TranslationError(
                f"Fluents whose values are objects cannot be compiled away: {error}", feature="object fluents"
            ) from error
        classical, back = compiled.problem, compiled.map_back_action_instance

    def instance(origin: Origin) -> Any:
        action, objects = origin
        expression = classical.environment.expression_manager.ObjectExp
        parameters = tuple(expression(classical.object(thing)) for thing in objects)
        made = ActionInstance(classical.action(action), parameters)
        return back(made) if back else made

    return classical, instance


def _goal_facts(task: Task, grounder: Grounder) -> list[Facts]:
    """Return the ways to satisfy the goal; one way names also what cannot be reached, to say so."""
    parts = conjuncts(task.goal)
    facts = {part.atom(()): part.truth for part in parts if isinstance(part, Literal)}
    if len(facts) == len(parts):
        return [facts]
    return alternatives(task.goal, [""] * task.goal_slots, grounder.known, "The goal")


def _pricing(costs: Iterable[Fraction]) -> tuple[int, dict[Fraction, Number]]:
    """Return costs as numbers that mean just that, and what they had to be multiplied by for it."""
    price = {cost: _number(cost) for cost in costs}
    if all(exact(number) == cost for cost, number in price.items()):
        return 1, price
    scale = lcm(*(cost.denominator for cost in price))
    return scale, {cost: int(cost * scale) for cost in price}


def _number(cost: Fraction) -> Number:
    return cost.numerator if cost.denominator == 1 else float(cost)
