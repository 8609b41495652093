"""Problems, boards and plans in words, for messages: what is shown can be pasted into a test."""

from collections.abc import Mapping

from planboard._text import brief
from planboard.blackboard.board import Blackboard
from planboard.llm.port import compact_json
from planboard.planners.ask import Ask, PlannerAnswer
from planboard.planners.base import Planner
from planboard.planners.operator import NIRVANA, Operator, PlanGoal, Price, Truth
from planboard.planners.plan import Plan, PlanResult, shown
from planboard.planners.problem import Problem


def written(problem: Problem) -> str:
    """Return a problem as the Python expression that makes it; functions are shown as what they say now."""
    state = {name: truth for name, truth in problem.state.items() if truth is not False}
    operators = [f"        {_operator(operator, problem)}," for operator in problem.operators]
    goals = ", ".join(map(_goal, problem.goals))
    lines = ["Problem(", f"    {state!r},", "    [", *operators, "    ],", f"    [{goals}],"]
    if problem.resolve is not None:
        owner = getattr(problem.resolve, "__self__", None)
        resolve = f"{owner!r}.get" if isinstance(owner, dict) else brief(problem.resolve)
        lines.append(f"    resolve={resolve},")
    return "\n".join([*lines, ")"])


def written_board(board: Blackboard) -> str:
    """Return what is visible on a board: `Topic(text='tides'), gh_issue=Issue(number=1)`."""
    entries = [f"{entry.name}={brief(entry.value)}" if entry.name else brief(entry.value) for entry in board.visible]
    conditions = [f"{name} is {value}" for name, value in sorted(board.conditions.items())]
    return ", ".join([*entries, *conditions]) or "nothing"


def written_result(result: PlanResult) -> str:
    """Return a plan with its outcomes and assumptions, or why there is none."""
    if not isinstance(result, Plan):
        missing = f", missing {', '.join(result.missing)}" if result.missing else ""
        return f"no plan ({result.reason}{missing})"
    assumed = f", assuming {', '.join(result.assumptions)}" if result.assumptions else ""
    return f"{written_steps(result.operators)} (cost {shown(result.exact_cost)}{assumed})"


def written_answers(planner: Planner, problem: Problem) -> dict[str, str]:
    """Return all that a planner answers, in words that are equal only for equal answers, fingerprints included."""
    several = {f"plan to {result.goal.name!r}": _with_fingerprint(result, problem) for result in planner.plans(problem)}
    return {"plan": _with_fingerprint(planner.plan(problem), problem), **dict(sorted(several.items()))}


def _with_fingerprint(result: PlannerAnswer, problem: Problem) -> str:
    goal = f"to {result.goal.name!r}"
    if isinstance(result, Ask):
        return f"asks {goal}: {compact_json(result.request.to_wire())}"
    if isinstance(result, Plan):
        value = shown(result.exact_value)
        return f"{written_result(result)} {goal}, value {value}, fingerprint {result.fingerprint[:16]}"
    if problem.resolve is not None:  # what is missing is told as far as it was evaluated, and that is up to the planner
        return f"no plan ({result.reason}) {goal}"
    return f"{written_result(result)} {goal}"


def written_steps(operators: tuple[Operator, ...]) -> str:
    """Return the labels of operators in order."""
    return " → ".join(operator.label for operator in operators) or "nothing to do"


def indented(text: str) -> str:
    """Return lines as they stand below the first line of a message."""
    return "\n".join(f"  {line}" for line in text.splitlines())


def price(given: Price, problem: Problem) -> int | float:
    """Return a cost or value as it is at the start of a problem."""
    return given(problem.state) if callable(given) else given


def _operator(operator: Operator, problem: Problem) -> str:
    parts = [repr(operator.name), _literals(operator.pre), _literals(operator.effects)]
    cost, value = price(operator.cost, problem), price(operator.value, problem)
    parts += [f"cost={cost!r}"] if cost else []
    parts += [f"value={value!r}"] if value else []
    parts += [f"outcome={operator.outcome!r}"] if operator.outcome else []
    return f"Operator({', '.join(parts)})"


def _goal(goal: PlanGoal) -> str:
    if goal is NIRVANA:
        return "NIRVANA"
    value = f", {goal.value!r}" if goal.value else ""
    return f"PlanGoal({goal.name!r}, {_literals(goal.pre)}{value})"


def _literals(literals: Mapping[str, Truth]) -> str:
    return repr(dict(literals))
