"""The two answers of a planner: a `Plan`, or a `NoPlan` that says why there is none.

A plan knows what each of its steps is predicted to do. When an observation agrees with the prediction, what
remains of an optimal plan is an optimal plan, so `rest` hands it out in constant time instead of searching again.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from planboard.planners.domain import Domain, Masks, State
from planboard.planners.operator import Operator, PlanGoal, Truth
from planboard.planners.problem import Problem, exact, rounded, total
from planboard.planners.proof import Disproof, Proof

Reason: TypeAlias = Literal["unreachable", "limit", "nothing_achievable"]
"""Why there is no plan."""

Describe: TypeAlias = Callable[[str], str | None]
"""Gives extra words for a fact, for example why a condition is false now."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something unknown that a plan takes for granted, and where it first relies on it."""

    step: int
    """The position of the step that relies on it; the number of steps, if it is the goal."""
    text: str
    """As listed: "approved", "not draft", "triage → Bug"."""
    bit: int = 0
    """The fact; 0 for the outcome of an action."""


@dataclass(frozen=True, slots=True)
class Course:
    """A whole plan as it was made; the plans that remain of it share it."""

    domain: Domain
    goal: PlanGoal
    operators: tuple[Operator, ...]
    masks: tuple[Masks, ...]
    costs: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    assumptions: tuple[Assumption, ...]
    proof: Proof
    """Of the whole plan."""
    relevant: int
    """Facts that bear on the plan; if they are as predicted the rest of the plan stands."""
    lasting: bool
    """Whether the rest of the plan is what planning afresh would give, as long as no cost or value changes."""


class Plan:
    """The steps to a goal, in order. Planners make plans; you read them.

    Plans are equal when goal, steps, cost, value and assumptions are, wherever they came from.
    """

    __slots__ = ("_course", "_done", "_true", "_unknown")

    def __init__(self, course: Course, true: int, unknown: int, done: int = 0) -> None:
        self._course = course
        self._done = done
        self._true = true
        self._unknown = unknown

    @property
    def course(self) -> Course:
        """The whole plan that this is, or is the rest of."""
        return self._course

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the operators to run, in order."""
        return tuple(operator.name for operator in self.operators)

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operators themselves, with the outcomes that are counted on."""
        return self._course.operators[self._done :]

    @property
    def first(self) -> Operator | None:
        """The operator to run now; `None` when the plan is complete. Constant time, unlike `operators[0]`."""
        course = self._course
        return course.operators[self._done] if self._done < len(course.operators) else None

    @property
    def goal(self) -> PlanGoal:
        """What the plan is for."""
        return self._course.goal

    @property
    def cost(self) -> float:
        """The sum of the steps' costs, added exactly."""
        return rounded(self.exact_cost)

    @property
    def value(self) -> float:
        """The sum of the steps' values, added exactly."""
        return rounded(self.exact_value)

    @property
    def net_value(self) -> float:
        """The goal's value and the steps' values, less the steps' costs."""
        return rounded(self.exact_net_value)

    @property
    def exact_cost(self) -> Fraction:
        """`cost` before rounding."""
        return total(self._course.costs[self._done :])

    @property
    def exact_value(self) -> Fraction:
        """`value` before rounding."""
        return total(self._course.values[self._done :])

    @property
    def exact_net_value(self) -> Fraction:
        """`net_value` before rounding; what plans are compared by."""
        return exact_value_of(self.goal) + self.exact_value - self.exact_cost

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the plan takes for granted, in plan order: "approved", "not draft", "triage → Bug"."""
        return tuple(assumption.text for assumption in self.assumed)

    @property
    def assumed(self) -> tuple[Assumption, ...]:
        """`assumptions`, each with the step that relies on it, counted from the first step of this plan."""
        done = self._done
        return tuple(
            Assumption(assumption.step - done, assumption.text, assumption.bit)
            for assumption in self._course.assumptions
            if assumption.step >= done
        )

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to do."""
        return self._done == len(self._course.operators)

    @property
    def proof(self) -> Proof:
        """How good the plan is shown to be, and by what; reads as text."""
        course, done = self._course, self._done
        return course.proof.after(total(course.costs[:done])) if done else course.proof

    @property
    def start(self) -> State:
        """The state the plan starts from, with the unknown facts that were resolved on the way to it."""
        return State(self._course.domain, self._true, self._unknown)

    @property
    def predicted(self) -> State:
        """The state after the first step, as planned; `start` if the plan is complete."""
        if self.complete:
            return self.start
        return State(self._course.domain, *self._course.masks[self._done].after(self._true, self._unknown))

    def rest(self, observed: State) -> "Plan | None":
        """Return the remaining plan if the first step did what was predicted, else `None`: plan again.

        Compared are the facts that bear on the goals. The answer is `None` as well where the rest need not be what
        planning afresh would give: with dynamic costs, after a step that leaves a relevant fact unknown, and for
        planners that choose one action at a time. Constant time, however long the plan.
        """
        course, done = self._course, self._done
        if not course.lasting or course.domain.dynamic or done == len(course.operators):
            return None
        if not course.domain.accepts(observed):
            observed = course.domain.state(observed)
        masks, relevant = course.masks[done], course.relevant
        if masks.unknown & relevant:
            return None
        true, unknown = masks.after(self._true, self._unknown)
        if ((observed.true ^ true) | (observed.unknown ^ unknown)) & relevant:
            return None
        return Plan(course, observed.true, observed.unknown, done + 1)

    def starting_from(self, true: int, unknown: int) -> "Plan":
        """Return this plan as made in a world that differs only in what does not bear on it."""
        return Plan(self._course, true, unknown, self._done)

    def among(self, relevant: int, *, lasting: bool) -> "Plan":
        """Return this plan as the best of several goals: what bears on any of them ends it, if it lasts at all."""
        course = replace(self._course, relevant=relevant, lasting=self._course.lasting and lasting)
        return Plan(course, self._true, self._unknown, self._done)

    @property
    def fingerprint(self) -> str:
        """A digest of all the plan stands on: the goal, the steps with what they need, give and cost, assumptions.

        The same in every process and for every order of registration. What does not bear on the plan does not enter,
        such as operators that are not used, and effects that neither a later step nor the goal needs.
        """
        told = {
            "goal": [self.goal.name, dict(self.goal.pre), str(exact_value_of(self.goal))],
            "steps": [
                [operator.name, operator.outcome, dict(operator.pre), gives, str(cost), str(value)]
                for operator, gives, cost, value in zip(
                    self.operators, self._relied_on(), self.step_costs, self.step_values, strict=True
                )
            ],
            "assumptions": self.assumptions,
        }
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def _relied_on(self) -> list[dict[str, Truth]]:
        """Return of each step the effects on facts that a later step or the goal needs."""
        needed = set(self.goal.pre)
        relied_on: list[dict[str, Truth]] = []
        for operator in reversed(self.operators):
            relied_on.append({name: truth for name, truth in operator.effects.items() if name in needed})
            needed.update(operator.pre)
        return relied_on[::-1]

    def explain(self, *, alternatives: bool = False) -> str:
        """Say what each step needs, where that comes from, what it gives and costs; the same text every time.

        Args:
            alternatives: Also say of the operators that were not chosen why, in brief.
        """
        from planboard.planners.explain import explain_plan

        return explain_plan(self, alternatives=alternatives)

    def mermaid(self) -> str:
        """Draw the plan as a Mermaid flowchart: steps, the facts that link them, and the goal."""
        from planboard.planners.explain import draw_plan

        return draw_plan(self)

    @property
    def domain(self) -> Domain:
        """The operators the plan was chosen from."""
        return self._course.domain

    @property
    def step_costs(self) -> tuple[Fraction, ...]:
        """The exact cost of each step."""
        return self._course.costs[self._done :]

    @property
    def step_values(self) -> tuple[Fraction, ...]:
        """The exact value of each step."""
        return self._course.values[self._done :]

    def __len__(self) -> int:
        return len(self._course.operators) - self._done

    def __bool__(self) -> bool:
        return True  # a complete plan is a plan: tell it by `complete`, not by truth

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash((self.goal.name, self.steps))

    def __str__(self) -> str:
        steps = " → ".join(self.steps) or "nothing to do"
        return f"{steps} (cost {shown(self.exact_cost)})"

    def __repr__(self) -> str:
        return f"<Plan for {self.goal.name!r}: {self}>"

    def _told(self) -> tuple[object, ...]:
        return self.goal, self.operators, self.step_costs, self.step_values, self.assumptions


@dataclass(frozen=True, slots=True)
class NoPlan:
    """There is no plan, and why. Tell it from a `Plan` with `isinstance` or `match`; both are truthy."""

    goal: PlanGoal
    """What no plan was found for."""
    reason: Reason
    """`"unreachable"`, `"limit"` (the search stopped early, there may be a plan) or `"nothing_achievable"`."""
    missing: tuple[str, ...] = ()
    """The goal's facts that cannot be brought about; "not x" for one that would have to be false."""
    best: Plan | None = None
    """After a limit: the best plan met so far, not proven to be the best there is."""
    bound: float | None = None
    """After a limit: no plan costs less than this."""
    problem: Problem | None = field(default=None, repr=False, compare=False)
    """What was asked, for the explanation."""
    known: State | None = field(default=None, repr=False, compare=False)
    """The start state, with the unknown facts that were resolved."""

    halt: str | None = None
    """Why the run shall end here although something could be done: a limit of the planner. It ends TERMINATED."""

    nodes: int = field(default=0, compare=False)
    """Search nodes it took."""

    found_out: dict[str, Truth] = field(default_factory=dict, repr=False, compare=False)
    """Facts that planning could leave unknown and an explanation has asked for, each once."""

    @property
    def gap(self) -> float | None:
        """After a limit: how much dearer than `bound` the best plan is; `None` without a plan."""
        return None if self.best is None or self.bound is None else max(0.0, self.best.cost - self.bound)

    @property
    def proof(self) -> Disproof:
        """What shows that the goal cannot be reached, as data: `explain` says the same in words."""
        from planboard.planners.why_not import disproof

        return disproof(self)

    def explain(self, describe: Describe | None = None) -> str:
        """Say what is missing, who could provide it and what each of those lacks, and the least that would do.

        Args:
            describe: Gives extra words for a fact, for example why a condition is false now.
        """
        from planboard.planners.why_not import explain_no_plan

        return explain_no_plan(self, describe)

    def __str__(self) -> str:
        from planboard.planners.why_not import headline

        return headline(self)


PlanResult: TypeAlias = Plan | NoPlan
"""What a planner answers."""


def exact_value_of(goal: PlanGoal) -> Fraction:
    """Return the goal's value, exactly."""
    return exact(goal.value)


def shown(number: Fraction) -> str:
    """Return a number as a person writes it: "0.5", "3"."""
    return f"{rounded(number):.12g}"


def spelled(name: str, truth: Truth) -> str:
    """Return a fact with its value in words: "approved", "not draft"."""
    return name if truth else f"not {name}"


def spelled_all(literals: Mapping[str, bool]) -> tuple[str, ...]:
    """Spell several facts."""
    return tuple(spelled(name, truth) for name, truth in literals.items())
