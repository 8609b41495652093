"""Planboard: say what can be done and what is wanted; a planner finds the order and says why.

Decorated actions with typed inputs and outputs share a blackboard, and an interchangeable planner chooses which of
them runs next. Everything public is here; names are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planboard.actions.context import ActionContext, Usage
    from planboard.actions.declarations import Retry
    from planboard.actions.decorators import achieves_goal, action, condition
    from planboard.actions.goal import Goal
    from planboard.actions.state import state
    from planboard.blackboard.board import Blackboard
    from planboard.blackboard.conditions import Not
    from planboard.blackboard.entry import Entry
    from planboard.errors import (
        ActionError,
        ActionTimeoutError,
        BlackboardError,
        ConcurrentRunError,
        ConditionError,
        CostError,
        DefinitionError,
        EntryNotFoundError,
        EntryTypeError,
        ExecutionError,
        ExpressionError,
        MutatedEntryError,
        OutputError,
        PlanboardError,
        PlanningError,
        ProcessCancelledError,
        ProcessFailedError,
        ProcessNotCompletedError,
        ProcessStuckError,
        ProcessTerminatedError,
        ProcessWaitingError,
        Replan,
        RunningLoopError,
        TranslationError,
        UnknownNameError,
    )
    from planboard.events import Event, ProcessStatus
    from planboard.planners import (
        NIRVANA,
        Goap,
        Hybrid,
        Limit,
        NoPlan,
        Operator,
        Plan,
        PlanGoal,
        Planner,
        Problem,
        Utility,
    )
    from planboard.runtime.agent import Agent
    from planboard.runtime.check import Finding
    from planboard.runtime.options import Budget, ProcessOptions
    from planboard.runtime.process import Process
    from planboard.runtime.runner import arun, run
    from planboard.types import All, Named

_HOMES = {
    "planboard.actions.context": ("ActionContext", "Usage"),
    "planboard.actions.declarations": ("Retry",),
    "planboard.actions.decorators": ("achieves_goal", "action", "condition"),
    "planboard.actions.goal": ("Goal",),
    "planboard.actions.state": ("state",),
    "planboard.blackboard.board": ("Blackboard",),
    "planboard.blackboard.conditions": ("Not",),
    "planboard.blackboard.entry": ("Entry",),
    "planboard.errors": (
        "ActionError", "ActionTimeoutError", "BlackboardError", "ConcurrentRunError", "ConditionError", "CostError",
        "DefinitionError", "EntryNotFoundError", "EntryTypeError", "ExecutionError", "ExpressionError",
        "MutatedEntryError", "OutputError", "PlanboardError", "PlanningError", "ProcessCancelledError",
        "ProcessFailedError", "ProcessNotCompletedError", "ProcessStuckError", "ProcessTerminatedError",
        "ProcessWaitingError", "Replan", "RunningLoopError", "TranslationError", "UnknownNameError",
    ),
    "planboard.events": ("Event", "ProcessStatus"),
    "planboard.planners": (
        "NIRVANA", "Goap", "Hybrid", "Limit", "NoPlan", "Operator", "Plan", "PlanGoal", "Planner", "Problem", "Utility",
    ),
    "planboard.runtime.agent": ("Agent",),
    "planboard.runtime.check": ("Finding",),
    "planboard.runtime.options": ("Budget", "ProcessOptions"),
    "planboard.runtime.process": ("Process",),
    "planboard.runtime.runner": ("arun", "run"),
    "planboard.types": ("All", "Named"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__version__ = "0.1.0"

__all__ = [
    "NIRVANA",
    "ActionContext",
    "ActionError",
    "ActionTimeoutError",
    "Agent",
    "All",
    "Blackboard",
    "BlackboardError",
    "Budget",
    "ConcurrentRunError",
    "ConditionError",
    "CostError",
    "DefinitionError",
    "Entry",
    "EntryNotFoundError",
    "EntryTypeError",
    "Event",
    "ExecutionError",
    "ExpressionError",
    "Finding",
    "Goal",
    "Goap",
    "Hybrid",
    "Limit",
    "MutatedEntryError",
    "Named",
    "NoPlan",
    "Not",
    "Operator",
    "OutputError",
    "Plan",
    "PlanGoal",
    "PlanboardError",
    "Planner",
    "PlanningError",
    "Problem",
    "Process",
    "ProcessCancelledError",
    "ProcessFailedError",
    "ProcessNotCompletedError",
    "ProcessOptions",
    "ProcessStatus",
    "ProcessStuckError",
    "ProcessTerminatedError",
    "ProcessWaitingError",
    "Replan",
    "Retry",
    "RunningLoopError",
    "TranslationError",
    "UnknownNameError",
    "Usage",
    "Utility",
    "__version__",
    "achieves_goal",
    "action",
    "arun",
    "condition",
    "run",
    "state",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    found = getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
