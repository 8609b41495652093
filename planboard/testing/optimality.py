"""Are plans the best there are? Each is compared with what the slow obvious planner finds."""

from fractions import Fraction
from typing import NoReturn

from planboard.planners.base import Planner, best_of
from planboard.planners.goap import Goap
from planboard.planners.operator import NIRVANA, PlanGoal
from planboard.planners.plan import Plan, PlanResult, shown
from planboard.testing.asking import Question, Target, questions
from planboard.testing.reference import RULES, Best, best_plan, key_of, smallest_order
from planboard.testing.validity import valid_answers
from planboard.testing.written import written_result, written_steps
from planboard.types import TypeForm

_ORDERED = 9
"""Actions in a plan up to which every order is tried."""


def check_optimality(
    target: Target,
    *given: object,
    planner: Planner | str | None = None,
    returning: TypeForm = None,
    ties: bool | None = None,
    states: int = 50_000,
    **bindings: object,
) -> None:
    """Check that the plan to each goal is of least cost, and that there is none only where there is none.

    The reference is Dijkstra's algorithm over dictionaries and shares no code with the engines. With `ties` the plan
    must be the very one that the tie rule demands: fewer assumptions, fewer actions, more preconditions, names.
    `plan` must choose the plan of greatest net value among those to the goals. A search that stopped at a limit is
    not held to have found the best, but its bound must be right.

    Args:
        target: A planner, or an agent (also as "module:name" or "file.py:name").
        given: For a planner: problems. For an agent: a `Blackboard`, or inputs.
        planner: For an agent: which planner chooses.
        returning: For an agent: the type wanted.
        ties: Whether ties are checked too; by default for `Goap`, which promises the rule.
        states: The most states that the reference looks at.
        bindings: For an agent: named inputs.

    Raises:
        AssertionError: There is a better plan; the message shows it.
        PlanningError: The problem is too large for the reference.
    """
    for question in questions(target, given, bindings, planner, returning):
        _check(question, isinstance(question.planner, Goap) if ties is None else ties, states)


def _check(question: Question, ties: bool, states: int) -> None:  # noqa: FBT001
    net = getattr(question.planner, "objective", "cost") == "net"
    chosen, several = valid_answers(question)
    for result in several:
        if result.goal is NIRVANA:
            continue
        best = best_plan(question.problem, result.goal, net=net, states=states)
        _compare(question, result, best, net=net, ties=ties)
    expected = best_of(several)
    if _rank(chosen) != _rank(expected):
        claim = "Not optimal: `plan` does not choose the plan of greatest net value"
        _fail(claim, question, f"chosen: {_valued(chosen)}", f"better: {_valued(expected)}")


def _compare(question: Question, result: PlanResult, best: Best | None, *, net: bool, ties: bool) -> None:
    goal = result.goal
    if not isinstance(result, Plan):
        if best is not None and result.reason != "limit":
            claim = f"Not optimal: no plan to {goal.name!r} is found ({result.reason}), but there is one"
            _fail(claim, question, f"a plan: {_told(best)}")
        if best is not None and result.bound is not None and result.bound > float(best.key[0]) + 1e-9:
            claim = f"Not a bound: no plan to {goal.name!r} is said to cost less than {result.bound:g}"
            _fail(claim, question, f"a plan: {_told(best)}")
        return
    if best is None:
        claim = f"Not optimal: the reference finds no plan to {goal.name!r}"
        _fail(claim, question, f"planned: {written_result(result)}")
    key = key_of(result.operators, len(result.assumptions), question.problem, net=net)
    if key[0] > best.key[0]:
        claim = f"Not optimal: the plan to {goal.name!r} costs {shown(key[0])}, but {shown(best.key[0])} is enough"
        _fail(claim, question, f"planned: {written_result(result)}", f"cheaper: {_told(best)}")
    if ties and key != best.key:
        rule = next(rule for rule, ours, theirs in zip(RULES, key, best.key, strict=True) if ours != theirs)
        claim = f"Not the plan of the tie rule: of equal plans to {goal.name!r} another one is better by {rule}"
        _fail(claim, question, f"planned: {written_result(result)}", f"better:  {_told(best)}")
    if ties:
        _check_order(question, goal, result)


def _check_order(question: Question, goal: PlanGoal, plan: Plan) -> None:
    if len(plan) > _ORDERED:
        return
    several = question.problem.domain.alternatives
    about_facts = len(plan.assumptions) - sum(operator.name in several for operator in plan.operators)
    ordered = smallest_order(question.problem, goal, plan.operators, about_facts)
    if ordered != plan.operators:
        claim = f"Not the plan of the tie rule: the actions of the plan to {goal.name!r} have an order that comes first"
        _fail(claim, question, f"planned: {written_result(plan)}", f"first:   {written_steps(ordered)}")


def _rank(result: PlanResult) -> tuple[bool, Fraction, Fraction, str]:
    if isinstance(result, Plan):
        return True, result.exact_net_value, result.exact_cost, result.goal.name
    return False, Fraction(0), Fraction(0), ""


def _valued(result: PlanResult) -> str:
    value = f", net value {shown(result.exact_net_value)}" if isinstance(result, Plan) else ""
    return f"to {result.goal.name!r}: {written_result(result)}{value}"


def _told(best: Best) -> str:
    return f"{written_steps(best.operators)} (cost {shown(best.key[0])}, {best.key[1]} assumed)"


def _fail(claim: str, question: Question, *facts: str) -> NoReturn:
    lines = [f"{claim}.", f"  planner: {question.planner!r}", *(f"  {fact}" for fact in facts), question.shown]
    raise AssertionError("\n".join(lines))
