"""Writes a problem of ours as grounded PDDL: one predicate per fact, one action without parameters per operator."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Final

from planboard.errors import TranslationError
from planboard.planners.operator import NIRVANA, Literals, Operator, PlanGoal
from planboard.planners.problem import Inquiry, Problem

_RESERVED: Final = frozenset((
    "action", "always", "and", "assign", "at-end", "at-most-once", "at-start", "constants", "decrease", "define",
    "domain", "either", "exists", "forall", "goal", "imply", "increase", "init", "maximize", "minimize", "not",
    "number", "object", "objects", "or", "over-all", "parameters", "predicates", "preference", "problem",
    "scale-down", "scale-up", "sometime", "total-cost", "total-time", "types", "when",
))  # fmt: skip
"""Words that PDDL or its readers use."""


@dataclass(frozen=True, slots=True)
class Pddl:
    """A problem in PDDL; unpacks into the two texts."""

    domain: str
    problem: str
    facts: Mapping[str, str]
    """By fact, its predicate."""
    actions: Mapping[str, str]
    """By PDDL action, the operator."""
    unit: Fraction
    """What a total cost of 1 is in the costs of the problem."""

    def __iter__(self) -> Iterator[str]:
        return iter((self.domain, self.problem))


def to_pddl(problem: Problem, goal: PlanGoal | None = None, *, name: str = "planboard") -> Pddl:
    """Return a problem as PDDL with negative preconditions and action costs.

    The optimum is the same, in units of `unit`. Functions of the state are asked once about the start state, as in
    a planning call. A fact that is unknown at the start becomes two predicates, for it is neither true nor false.

    Args:
        problem: Without `resolve` if it has unknown facts: PDDL cannot ask.
        goal: Which one, if the problem has several.
        name: Of the domain.

    Raises:
        TranslationError: For assumptions: an effect of `None`, several outcomes of one action.
    """
    chosen = _only_goal(problem) if goal is None else goal
    if chosen is NIRVANA:
        raise TranslationError("NIRVANA is never reached, so it is no goal of a PDDL problem.", feature="NIRVANA")
    problem = problem.towards(chosen)
    if problem.resolve is not None and problem.unknown:
        raise TranslationError(
            f"{problem.domain.names(problem.unknown)} are unknown and the problem has `resolve`, but PDDL cannot ask. "
            "Ask first, or leave out `resolve`.",
            feature="unknown facts",
        )
    for operator in problem.operators:
        _check(operator)
    return _Export(problem, chosen, name).texts()


def _only_goal(problem: Problem) -> PlanGoal:
    if len(problem.goals) != 1:
        names = ", ".join(repr(goal.name) for goal in problem.goals)
        raise TranslationError(
            f"A PDDL problem has one goal; choose one with `goal=`: {names}.", feature="several goals"
        )
    return problem.goals[0]


def _check(operator: Operator) -> None:
    open_facts = [name for name, value in operator.effects.items() if value is None]
    if open_facts:
        raise TranslationError(
            f"Operator {operator.label!r} leaves {open_facts[0]!r} unknown, and in PDDL nothing is. Give it a value, "
            "or split the operator into one for each value.",
            feature="an unknown effect",
        )
    if operator.outcome:
        raise TranslationError(
            f"Operator {operator.label!r} is one outcome of an action. To choose one is an assumption, which PDDL "
            "cannot tell; give each outcome a name of its own.",
            feature="outcomes",
        )


class _Export:
    def __init__(self, problem: Problem, goal: PlanGoal, name: str) -> None:
        self._problem = problem
        self._goal = goal
        domain = problem.domain
        taken: set[str] = set(_RESERVED)
        self._name = identifier(name, taken)
        self._facts = {fact: identifier(fact, taken) for fact in domain.facts}
        unknown = domain.names(problem.unknown)
        self._opposites = {fact: identifier(f"not-{self._facts[fact]}", taken) for fact in unknown}
        self._actions = {operator.name: identifier(operator.name, taken) for operator in domain.operators}
        inquiry = Inquiry(problem)
        costs = [inquiry.cost(index) for index in range(len(domain.operators))]
        scale = lcm(*(cost.denominator for cost in costs))
        self._unit = Fraction(1, scale)
        self._costs = [int(cost * scale) for cost in costs]

    def texts(self) -> Pddl:
        domain, problem = "\n".join(self._domain()) + "\n", "\n".join(self._task()) + "\n"
        actions = {mangled: name for name, mangled in self._actions.items()}
        return Pddl(domain, problem, self._facts, actions, self._unit)

    def _domain(self) -> Iterator[str]:
        yield f"; A total cost of 1 stands for a cost of {self._unit}."
        yield f"(define (domain {self._name})"
        yield "  (:requirements :strips :negative-preconditions :action-costs)"
        if self._facts:  # an empty section is no PDDL
            yield "  (:predicates"
            for fact, predicate in self._facts.items():
                yield f"    ({predicate}){_comment(fact, predicate)}"
            for fact, predicate in self._opposites.items():
                yield f"    ({predicate}) ; known to be false: {_printable(fact)}"
            yield "  )"
        if self._costs:
            yield "  (:functions (total-cost) - number)"
        for operator, cost in zip(self._problem.operators, self._costs, strict=True):
            action = self._actions[operator.name]
            yield f"  (:action {action}{_comment(operator.name, action)}"
            yield "    :parameters ()"
            yield f"    :precondition {_and(self._conditions(operator.pre))}"
            yield f"    :effect {_and([*self._effects(operator.effects), f'(increase (total-cost) {cost})'])})"
        yield ")"

    def _task(self) -> Iterator[str]:
        yield f"(define (problem {self._name}-problem)"
        yield f"  (:domain {self._name})"
        yield "  (:init"
        if self._costs:
            yield "    (= (total-cost) 0)"
        for fact in self._problem.domain.names(self._problem.true):
            yield f"    ({self._facts[fact]})"
        yield "  )"
        yield f"  (:goal {_and(self._conditions(self._goal.pre))}){_comment(self._goal.name, '')}"
        if self._costs:
            yield "  (:metric minimize (total-cost))"
        yield ")"

    def _conditions(self, literals: Literals[bool]) -> Iterator[str]:
        for fact, value in literals.items():
            if value:
                yield f"({self._facts[fact]})"
            elif fact in self._opposites:
                yield f"({self._opposites[fact]})"
            else:
                yield f"(not ({self._facts[fact]}))"

    def _effects(self, literals: Literals[Any]) -> Iterator[str]:
        for fact, value in literals.items():
            predicate = f"({self._facts[fact]})"
            yield predicate if value else f"(not {predicate})"
            if fact in self._opposites:
                opposite = f"({self._opposites[fact]})"
                yield f"(not {opposite})" if value else opposite


def identifier(name: str, taken: set[str]) -> str:
    """Return a PDDL identifier for a name, and take it; PDDL knows letters of one case, digits and hyphens."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not plain[:1].isalpha():
        plain = f"x-{plain}".rstrip("-")
    number = 1
    while (found := plain if number == 1 else f"{plain}-{number}") in taken:
        number += 1
    taken.add(found)
    return found


def _and(parts: Iterable[str]) -> str:
    return f"(and {' '.join(parts)})" if (parts := list(parts)) else "(and)"


def _comment(name: str, identifier_of_it: str) -> str:
    return "" if name == identifier_of_it else f" ; {_printable(name)}"


def _printable(name: str) -> str:
    """Return a name as it is if a line of text can hold it, else escaped."""
    return name if name.isprintable() else repr(name)
