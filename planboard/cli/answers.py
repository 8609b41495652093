"""What a planner answers for each goal, as a lock file holds it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from planboard.cli.lockfile import Locked, LockedNoPlan, LockedPlan, LockedStep
from planboard.planners.ask import settled
from planboard.planners.domain import Domain
from planboard.planners.explain import supports_of
from planboard.planners.operator import NIRVANA, PlanGoal, Truth
from planboard.planners.plan import NoPlan, Plan, PlanResult, exact_value_of, spelled
from planboard.planners.problem import rounded
from planboard.planners.why_not import unblocking
from planboard.runtime.process import Process


@dataclass(frozen=True, slots=True)
class Answers:
    """What a planner answered."""

    goals: dict[str, Locked]
    """For each goal, by name."""
    chosen: str | None
    """The goal that is pursued."""
    why: dict[str, str]
    """Why there is no plan, for goals that have none."""


def answers_of(process: Process) -> Answers:
    """Ask the planner of a process about all goals at once and about each, without running anything."""
    best = settled(process.next_plan())
    results = [best if result.goal == best.goal else result for result in map(settled, process.next_plans())] or [best]
    names = _names([result.goal for result in results])
    return Answers(
        goals={names[result.goal]: _locked(result) for result in results},
        chosen=names[best.goal] if isinstance(best, Plan) else None,
        why={names[result.goal]: str(result) for result in results if isinstance(result, NoPlan)},
    )


def _names(goals: Sequence[PlanGoal]) -> dict[PlanGoal, str]:
    names = {goal: goal.name for goal in goals if goal is not NIRVANA}
    if NIRVANA in goals:
        taken = NIRVANA.name in names.values()
        names[NIRVANA] = f"{NIRVANA.name} (built in)" if taken else NIRVANA.name
    return names


def _locked(result: PlanResult) -> Locked:
    if isinstance(result, NoPlan):
        least = unblocking(result) if result.reason == "unreachable" and result.problem is not None else None
        would_take = () if least is None else tuple(sorted(spelled(*fact) for fact in least.facts))
        return LockedNoPlan(reason=result.reason, missing=result.missing, would_take=would_take)
    return LockedPlan(
        steps=_steps(result),
        assumptions=result.assumptions,
        cost=result.cost,
        value=result.value,
        net_value=result.net_value,
        worth=rounded(exact_value_of(result.goal)),
        needs=() if result.goal is NIRVANA else _spelled(result.domain, result.goal.pre.items()),
        fingerprint=result.fingerprint,
    )


def _steps(plan: Plan) -> tuple[LockedStep, ...]:
    given: dict[int, set[tuple[str, Truth]]] = {}
    for supports in supports_of(plan):
        for support in supports:
            if support.step is not None:
                given.setdefault(support.step, set()).add((support.name, support.truth))
    priced: zip[tuple[Fraction, Fraction]] = zip(plan.step_costs, plan.step_values, strict=True)
    return tuple(
        LockedStep(
            action=operator.name,
            outcome=operator.outcome,
            cost=rounded(cost),
            value=rounded(value),
            needs=_spelled(plan.domain, operator.pre.items()),
            gives=_spelled(plan.domain, given.get(position, ())),
        )
        for position, (operator, (cost, value)) in enumerate(zip(plan.operators, priced, strict=True))
    )


def _spelled(domain: Domain, facts: Iterable[tuple[str, Truth]]) -> tuple[str, ...]:
    """Return facts in words and in order, without those that only keep book.

    Which actions yield a type so that it counts for a goal is left out: one more of them is no change of this plan.
    """
    found = set()
    for name, truth in facts:
        kind = domain.kinds.get(name)
        if kind != "bookkeeping":
            found.add(spelled(name.partition(" from ")[0] if kind == "type" else name, truth))
    return tuple(sorted(found))
