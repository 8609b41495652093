"""Are plans carried out as they say? Each is simulated from the start, step by step, on plain dictionaries."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import chain

from planboard.planners.ask import settled
from planboard.planners.base import Planner
from planboard.planners.operator import NIRVANA, Operator
from planboard.planners.plan import Plan, PlanResult, shown, spelled
from planboard.testing.asking import Question, Target, questions
from planboard.testing.reference import Facts, after, assumed_for, cost_of, risk_of, start_facts, unmet
from planboard.testing.written import written_result
from planboard.types import TypeForm


def check_plans_valid(
    target: Target,
    *given: object,
    planner: Planner | str | None = None,
    returning: TypeForm = None,
    **bindings: object,
) -> None:
    """Check every plan that a planner makes of problems, or for an agent.

    Each step's preconditions hold where it stands, the goal holds at the end, what is not known for sure is listed in
    `assumptions`, no step can be left out, the cost is that of the steps. A planner that does not plan ahead may act
    on after its goal is satisfied, and need not reach `NIRVANA`.

    Args:
        target: A planner, or an agent (also as "module:name" or "file.py:name").
        given: For a planner: problems. For an agent: a `Blackboard`, or inputs.
        planner: For an agent: which planner chooses.
        returning: For an agent: the type wanted.
        bindings: For an agent: named inputs.

    Raises:
        AssertionError: A plan is not valid; the message says which, at which step and why.
    """
    for question in questions(target, given, bindings, planner, returning):
        valid_answers(question)


def valid_answers(question: Question) -> tuple[PlanResult, tuple[PlanResult, ...]]:
    """Return what a planner answers to a question, checked: the best plan, and one answer for each goal.

    Raises:
        AssertionError: A plan is not valid, or for another goal than the one asked for.
    """
    planner, problem = question.planner, question.problem
    several = tuple(map(settled, planner.plans(problem)))
    if [result.goal.name for result in several] != [goal.name for goal in problem.goals]:
        _fail("Not a valid answer: `plans` does not answer one goal after the other", question, *several)
    single = [settled(planner.plan_to(problem, goal)) for goal in problem.goals]
    for goal, result in zip(problem.goals, single, strict=True):
        if result.goal != goal:
            other = repr(result.goal.name) if result.goal.name != goal.name else "one of the same name with other facts"
            _fail(f"Not a valid answer: asked for the goal {goal.name!r}, it is for {other}", question, result)
    chosen = settled(planner.plan(problem))
    for result in (chosen, *several, *single):
        check_valid(question, result)
    return chosen, several


def check_valid(question: Question, result: PlanResult) -> None:
    """Check one answer; see `check_plans_valid`."""
    if not isinstance(result, Plan):
        return
    problem, goal = question.problem, result.goal
    wanted = next((own for own in problem.goals if own.name == goal.name), None)
    if wanted is None or wanted != goal:
        _fail(f"Not a valid plan: the problem has no goal {goal.name!r} like this one", question, result)
    strangers = [operator.label for operator in result.operators if operator not in problem.operators]
    if strangers:
        _fail(f"Not a valid plan: the problem has no operator {strangers[0]!r} like this one", question, result)
    start = start_facts(problem)
    facts, needed = _simulated(question, result, start)
    reached = goal is NIRVANA or assumed_for(start, goal.pre) is not None
    if question.planner.plans_ahead or not reached:
        several = problem.domain.alternatives  # their outcomes matter only to one who counts on the end
        needed += [operator.label for operator in result.operators if operator.name in several]
        needed += _reached(question, result, facts)
        _check_no_step_is_spare(question, result, start)
    missing = [text for text in needed if text not in result.assumptions]
    if missing:
        _fail(f"Not a valid plan: it relies on {missing[0]!r} without listing it as an assumption", question, result)
    cost = sum((cost_of(operator, problem) for operator in result.operators), Fraction(0))
    if cost != result.exact_cost:
        found = shown(result.exact_cost)
        _fail(f"Not a valid plan: it says it costs {found}, but its steps cost {shown(cost)}", question, result)


def _simulated(question: Question, plan: Plan, facts: Facts) -> tuple[Facts, list[str]]:
    """Return the facts at the end, and what had to be assumed on the way."""
    needed: list[str] = []
    for position, operator in enumerate(plan.operators, 1):
        lacking = unmet(facts, operator.pre)
        if lacking:
            what = _lack(facts, lacking)
            _fail(f"Not a valid plan: step {position}, {operator.label!r}, needs {what}", question, plan)
        assumed = assumed_for(facts, operator.pre) or {}
        needed += [spelled(name, truth) for name, truth in assumed.items()]
        facts = after(facts, operator, assumed)
    return facts, needed


def _reached(question: Question, plan: Plan, facts: Facts) -> list[str]:
    """Return what has to be assumed so that the goal holds at the end."""
    lacking = unmet(facts, plan.goal.pre)
    if lacking:
        what = _lack(facts, lacking)
        _fail(f"Not a valid plan: at its end the goal {plan.goal.name!r} needs {what}", question, plan)
    return [spelled(name, truth) for name, truth in (assumed_for(facts, plan.goal.pre) or {}).items()]


def _check_no_step_is_spare(question: Question, plan: Plan, start: Facts) -> None:
    several: Mapping[str, int] = question.problem.domain.alternatives
    steps, goal = plan.operators, plan.goal
    risk = risk_of(start, steps, goal, several)
    for position, operator in enumerate(steps):
        shorter = _without(steps, position)
        less = risk_of(start, shorter, goal, several)
        if less is not None and risk is not None and less <= risk:
            message = f"Not a valid plan: step {position + 1}, {operator.label!r}, can be left out"
            _fail(message, question, plan)


def _without(steps: tuple[Operator, ...], position: int) -> tuple[Operator, ...]:
    return tuple(chain(steps[:position], steps[position + 1 :]))


def _lack(facts: Facts, lacking: Mapping[str, bool]) -> str:
    name, truth = next(iter(lacking.items()))
    now = facts.get(name, False)
    return f"{spelled(name, truth)!r}, which is {'unknown' if now is None else str(now).lower()} there"


def _fail(claim: str, question: Question, *results: PlanResult) -> None:
    plans = [f"  plan to {result.goal.name!r}: {written_result(result)}" for result in results]
    lines = [f"{claim}.", f"  planner: {question.planner!r}", *plans, question.shown]
    raise AssertionError("\n".join(lines))
