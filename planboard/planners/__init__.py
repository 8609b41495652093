"""Planners choose what comes next: `Goap` plans ahead, `Utility` and `Hybrid` go by value, `Supervisor` asks a model.

Importing this package loads no search library: simpleai is imported by the first search that needs it.
"""

from planboard.planners.ask import Ask, AskingPlanner, Chosen, Exposed, Offer, PlannerAnswer, Refused
from planboard.planners.base import Planner
from planboard.planners.conversation import Conversation, Exchange, Turn
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
from planboard.planners.supervisor.planner import Supervisor

__all__ = [
    "NIRVANA",
    "Ask",
    "AskingPlanner",
    "Chosen",
    "Conversation",
    "Disproof",
    "Domain",
    "Engine",
    "Estimate",
    "Exchange",
    "Exposed",
    "FactKind",
    "Goap",
    "Heuristic",
    "Hybrid",
    "IncrementalEstimate",
    "Limit",
    "Literals",
    "NoPlan",
    "Obstacle",
    "Offer",
    "Operator",
    "Plan",
    "PlanGoal",
    "PlanResult",
    "Planner",
    "PlannerAnswer",
    "Price",
    "Problem",
    "Producer",
    "Proof",
    "Refused",
    "Resolve",
    "Solution",
    "State",
    "Supervisor",
    "Task",
    "Truth",
    "Turn",
    "Utility",
    "planner_named",
]
