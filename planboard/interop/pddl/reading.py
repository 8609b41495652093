"""Reads a unified-planning problem into a `Task`, or says what in it cannot be read, where, and what to do.

unified-planning declares no types, so its objects are `Any` here and go no further than this file.
"""

from fractions import Fraction
from itertools import product
from typing import Any

from unified_planning import model

from planboard.errors import TranslationError
from planboard.interop.pddl.expressions import Expressions, Scope, unsupported
from planboard.interop.pddl.formula import TRUE, Atom, Junction
from planboard.interop.pddl.lifted import Cost, Domains, Effect, Schema, Task
from planboard.interop.pddl.names import spelled


def read_task(problem: Any) -> Task:
    """Return a unified-planning problem in terms of our own.

    Raises:
        TranslationError: For what a classical problem with action costs cannot say.
    """
    _check_class(problem)
    reader = _Reader(problem)
    schemas = tuple(reader.schema(action) for action in problem.actions)
    scope = Scope(reader.objects)
    goal = Junction(tuple(reader.expressions.formula(goal, scope, "the goal") for goal in problem.goals))
    return Task(reader.init(), reader.fluents, schemas, goal, len(scope.domains))


def _check_class(problem: Any) -> None:
    if not isinstance(problem, model.Problem) or isinstance(problem, model.htn.HierarchicalProblem):
        raise TranslationError(f"A {type(problem).__name__} is not a classical planning problem; pass a plain Problem.")
    refused = {
        "sensing (a contingent problem)": isinstance(problem, model.ContingentProblem),
        "timed goals": problem.timed_goals,
        "timed effects": problem.timed_effects,
        "trajectory constraints": problem.trajectory_constraints,
        "processes": list(problem.processes),
        "events": list(problem.events),
    }
    for feature, present in refused.items():
        if present:
            raise unsupported(feature, f"problem {problem.name!r}", "Planboard plans classical problems")


class _Reader:
    """Reads the parts of one problem."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.objects = _Objects(problem)
        self.fluents: dict[str, Domains] = {
            fluent.name: tuple(self.objects.of(part.type, f"fluent {fluent.name!r}") for part in fluent.signature)
            for fluent in problem.fluents
        }
        self.expressions = Expressions(self.numbers(), self._changing())
        self._metric = self._read_metric()

    def schema(self, action: Any) -> Schema:
        """Read one action."""
        where = f"action {action.name!r}"
        if not isinstance(action, model.InstantaneousAction) or isinstance(action, model.SensingAction):
            raise unsupported(type(action).__name__, where, "only instantaneous actions are classical")
        if action.simulated_effect is not None:
            raise unsupported("a simulated effect", where, "state the effect with fluents")
        scope = Scope(self.objects)
        for parameter in action.parameters:
            scope.add(parameter.name, parameter.type, where)
        pre = tuple(
            self.expressions.formula(condition, scope, f"{where}, precondition") for condition in action.preconditions
        )
        effects = tuple(read for effect in action.effects for read in self._effect(effect, scope, where))
        cost = self._cost(action, scope, where)
        return Schema(action.name, len(action.parameters), tuple(scope.domains), Junction(pre), effects, cost)

    def init(self) -> frozenset[Atom]:
        """Return what is true at the start."""
        values = self._explicit(numeric=False)
        true = {atom for atom, value in values.items() if value}
        for fluent in self.problem.fluents:
            if not fluent.type.is_bool_type():
                continue
            default = self.problem.fluents_defaults.get(fluent)
            if default is not None and default.is_false():
                continue
            for objects in product(*self.fluents[fluent.name]):
                atom = (fluent.name, *objects)
                if atom not in values and default is None:
                    raise TranslationError(
                        f"Fluent {fluent.name!r}: {spelled(*atom)} has no initial value. Set it, or give the fluent a "
                        "default: what is not known at the start cannot be planned with."
                    )
                if atom not in values:
                    true.add(atom)
        return frozenset(true)

    def numbers(self) -> dict[Atom, Fraction]:
        """Return the numbers at the start, those by default under the name of the fluent alone."""
        numbers: dict[Atom, Fraction] = {
            ("", fluent.name): Fraction(default.constant_value())
            for fluent, default in self.problem.fluents_defaults.items()
            if _is_numeric(fluent.type)
        }
        return numbers | {atom: Fraction(value) for atom, value in self._explicit(numeric=True).items()}

    def _explicit(self, *, numeric: bool) -> dict[Atom, Any]:
        return {
            (fact.fluent().name, *(argument.object().name for argument in fact.args)): value.constant_value()
            for fact, value in self.problem.explicit_initial_values.items()
            if _is_numeric(fact.fluent().type) is numeric and not fact.fluent().type.is_user_type()
        }

    def _changing(self) -> frozenset[str]:
        return frozenset(
            effect.fluent.fluent().name
            for action in self.problem.actions
            if isinstance(action, model.InstantaneousAction)
            for effect in action.effects
        )

    def _effect(self, effect: Any, scope: Scope, where: str) -> list[Effect]:
        fluent = effect.fluent.fluent()
        where = f"{where}, effect on {fluent.name!r}"
        if _is_numeric(fluent.type):
            if fluent.type.lower_bound is not None or fluent.type.upper_bound is not None:
                raise unsupported("an effect on a bounded number", where, "the bounds would be a precondition")
            return []  # whoever reads the number is refused; unread, it changes nothing
        if fluent.type.is_user_type():
            raise unsupported("an effect on a fluent whose value is an object", where)
        inner = scope.copy()
        slots = tuple(inner.add(variable.name, variable.type, where) for variable in effect.forall)
        terms = tuple(self.expressions.term(argument, inner, where) for argument in effect.fluent.args)
        both = [self.expressions.formula(effect.condition, inner, where, truth=truth) for truth in (True, False)]
        if effect.value.is_bool_constant():
            when, unless = (TRUE, Junction((), every=False)) if effect.condition.is_true() else both
            return [Effect(fluent.name, terms, effect.value.bool_constant_value(), when, unless, slots)]
        found: list[Effect] = []
        for truth in (True, False):
            chosen, other = (
                self.expressions.formula(effect.value, inner, where, truth=wanted) for wanted in (truth, not truth)
            )
            when, unless = Junction((both[0], chosen)), Junction((both[1], other), every=False)
            found.append(Effect(fluent.name, terms, truth, when, unless, slots))
        return found

    def _read_metric(self) -> Any:
        metrics = self.problem.quality_metrics
        if len(metrics) > 1:
            raise unsupported("several quality metrics", f"problem {self.problem.name!r}", "keep one")
        metric = metrics[0] if metrics else None
        if metric is None or metric.is_minimize_sequential_plan_length():
            return None
        if not metric.is_minimize_action_costs():
            advice = "use MinimizeActionCosts or MinimizeSequentialPlanLength"
            raise unsupported(f"the metric {type(metric).__name__}", f"problem {self.problem.name!r}", advice)
        return metric

    def _cost(self, action: Any, scope: Scope, where: str) -> Cost:
        if self._metric is None:
            return _one
        cost = self._metric.get_action_cost(action)
        if cost is None:
            raise TranslationError(f"Action {action.name!r}: MinimizeActionCosts gives it no cost and has no default.")
        return self.expressions.number(cost, scope, f"{where}, cost")


class _Objects:
    """The objects of each type, subtypes included, by name."""

    def __init__(self, problem: Any) -> None:
        self._problem = problem
        self._known: dict[Any, tuple[str, ...]] = {}

    def of(self, kind: Any, where: str) -> tuple[str, ...]:
        """Return the objects of a type."""
        if not kind.is_user_type():
            raise unsupported(f"a parameter of type {kind}", where, "parameters are objects of user types")
        if kind not in self._known:
            self._known[kind] = tuple(sorted(thing.name for thing in self._problem.objects(kind)))
        return self._known[kind]


def _one(_: Any) -> Fraction:
    return Fraction(1)


def _is_numeric(kind: Any) -> bool:
    return bool(kind.is_int_type() or kind.is_real_type())
