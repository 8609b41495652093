"""A low-level problem as JSON: facts, operators, goals and numbers; what functions say is written down."""

from typing import Any

from planboard.planners.operator import NIRVANA, Operator, PlanGoal
from planboard.planners.problem import Problem
from planboard.testing.written import price


def to_data(problem: Problem) -> dict[str, Any]:
    """Return a problem as data for JSON.

    Costs and values that are functions are asked once, as in a planning call; so are all unknown facts that can be
    evaluated.
    """
    unknown = problem.state.unknown_names
    answers = None if problem.resolve is None else {name: problem.resolve(name) for name in unknown}
    return {
        "state": dict(problem.state),
        "operators": [
            {
                "name": operator.name,
                "pre": dict(operator.pre),
                "effects": dict(operator.effects),
                "cost": price(operator.cost, problem),
                "value": price(operator.value, problem),
                "outcome": operator.outcome,
            }
            for operator in problem.operators
        ],
        "goals": [
            None if goal is NIRVANA else {"name": goal.name, "pre": dict(goal.pre), "value": goal.value}
            for goal in problem.goals
        ],
        "answers": answers,
    }


def from_data(data: dict[str, Any]) -> Problem:
    """Return the problem that `to_data` wrote down."""
    answers = data["answers"]
    return Problem(
        data["state"],
        [Operator(**item) for item in data["operators"]],
        [NIRVANA if item is None else PlanGoal(**item) for item in data["goals"]],
        None if answers is None else answers.get,
    )
