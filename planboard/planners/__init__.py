"""Planners choose what to do next: `Goap` finds the cheapest plan, `Utility` and `Hybrid` go step by step.

Importing this package loads no search library: simpleai is imported by the first search that needs it.
"""

from planboard.planners.base import Planner
from planboard.planners.domain import Domain, FactKind, State
from planboard.planners.goap import Goap
from planboard.planners.greedy import Hybrid, Utility
from planboard.planners.named import planner_named
from planboard.planners.operator import NIRVANA, Literals, Operator, PlanGoal, Price, Truth
from planboard.planners.plan import NoPlan, Plan, PlanResult
from planboard.planners.problem import Problem, Resolve
from planboard.planners.proof import Disproof, Obstacle, Producer, Proof
from planboard.planners.search.engine import Engine, Estimate, Heuristic, IncrementalEstimate, Limit, Solution
from planboard.planners.search.task import Task

__all__ = [
    "NIRVANA",
    "Disproof",
    "Domain",
    "Engine",
    "Estimate",
    "FactKind",
    "Goap",
    "Heuristic",
    "Hybrid",
    "IncrementalEstimate",
    "Limit",
    "Literals",
    "NoPlan",
    "Obstacle",
    "Operator",
    "Plan",
    "PlanGoal",
    "PlanResult",
    "Planner",
    "Price",
    "Problem",
    "Producer",
    "Proof",
    "Resolve",
    "Solution",
    "State",
    "Task",
    "Truth",
    "Utility",
    "planner_named",
]
