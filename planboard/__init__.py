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
    from planboard.actions.waiting import Consent, Denied, Expired, Slept
    from planboard.blackboard.board import Blackboard
    from planboard.blackboard.conditions import Not
    from planboard.blackboard.entry import Entry
    from planboard.blackboard.registry import Migration
    from planboard.errors import (
        ActionError,
        ActionTimeoutError,
        AgentChangedError,
        AlreadyAnsweredError,
        BlackboardError,
        BudgetExceededError,
        ConcurrentRunError,
        ConditionError,
        CorruptJournalError,
        CostError,
        DefinitionError,
        EntryNotFoundError,
        EntryTypeError,
        ExecutionError,
        ExpressionError,
        InvalidAnswerError,
        JournalError,
        McpError,
        McpToolError,
        McpUnavailableError,
        ModelError,
        ModelOutputError,
        ModelRefusedError,
        ModelUnavailableError,
        MutatedEntryError,
        NotAgreedError,
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
        RequestError,
        RunClaimedError,
        RunExistsError,
        RunningLoopError,
        SecretMissingError,
        SecretNotKeptError,
        StaleRunError,
        TranslationError,
        UnknownNameError,
        UnknownRequestError,
        UnknownRunError,
    )
    from planboard.events import Event, ProcessStatus
    from planboard.interop.mcp import McpResult, McpServer, from_mcp, to_mcp
    from planboard.journal import Journal, MemoryJournal, SqliteJournal
    from planboard.llm.ai import Ai, Judgement
    from planboard.llm.chat import Prices
    from planboard.llm.choosing import AgentChoice, GoalChoice, NoneFits, choose_agent, choose_goal
    from planboard.llm.fallback import FallbackModel
    from planboard.llm.openai_llm import OpenAIModel
    from planboard.llm.port import LanguageModel, ModelReply, ModelRequest, ModelUsage
    from planboard.llm.scripted import ScriptedModel, ScriptedRequest, call, raw_call
    from planboard.observe.tracing import Tracer, trace_of
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
        Supervisor,
        Utility,
    )
    from planboard.runtime.agent import Agent
    from planboard.runtime.brief import Brief
    from planboard.runtime.check import Finding
    from planboard.runtime.clock import Clock
    from planboard.runtime.light import aact, act, asupervise, supervise
    from planboard.runtime.options import Budget, ProcessOptions
    from planboard.runtime.policies import Approval
    from planboard.runtime.process import Process
    from planboard.runtime.requests import Approve, Deny, Edit, Finished, Request
    from planboard.runtime.runner import arun, run
    from planboard.steps import (
        Approved,
        Done,
        StepAction,
        StepFailed,
        approval,
        branch,
        for_each,
        human,
        loop,
        map_each,
        parallel,
        sequence,
        sleep,
        subagent,
        task,
    )
    from planboard.teams import (
        Assignment,
        Crew,
        Flow,
        HandOff,
        Host,
        Message,
        Network,
        PlanOutcome,
        PlanSetback,
        PlanTree,
        Specialist,
        StateMachine,
        StepResult,
        TaskPlan,
        TaskStep,
        Topology,
        Turn,
        Verdict,
        WorkDone,
        chat_agent,
        current_state,
        line,
        mesh,
        on_handoff,
        star,
    )
    from planboard.types import All, Named

_HOMES = {
    "planboard.actions.context": ("ActionContext", "Usage"),
    "planboard.actions.declarations": ("Retry",),
    "planboard.actions.decorators": ("achieves_goal", "action", "condition"),
    "planboard.actions.goal": ("Goal",),
    "planboard.actions.state": ("state",),
    "planboard.actions.waiting": ("Consent", "Denied", "Expired", "Slept"),
    "planboard.blackboard.board": ("Blackboard",),
    "planboard.blackboard.conditions": ("Not",),
    "planboard.blackboard.entry": ("Entry",),
    "planboard.blackboard.registry": ("Migration",),
    "planboard.errors": (
        "ActionError", "ActionTimeoutError", "AgentChangedError", "AlreadyAnsweredError", "BlackboardError",
        "BudgetExceededError", "ConcurrentRunError", "ConditionError", "CorruptJournalError", "CostError",
        "DefinitionError", "EntryNotFoundError", "EntryTypeError", "ExecutionError", "ExpressionError",
        "InvalidAnswerError", "JournalError", "McpError", "McpToolError", "McpUnavailableError", "ModelError",
        "ModelOutputError", "ModelRefusedError", "ModelUnavailableError", "MutatedEntryError", "NotAgreedError",
        "OutputError", "PlanboardError", "PlanningError",
        "ProcessCancelledError", "ProcessFailedError", "ProcessNotCompletedError", "ProcessStuckError",
        "ProcessTerminatedError", "ProcessWaitingError", "Replan", "RequestError", "RunClaimedError",
        "RunExistsError", "RunningLoopError", "SecretMissingError", "SecretNotKeptError", "StaleRunError",
        "TranslationError", "UnknownNameError", "UnknownRequestError", "UnknownRunError",
    ),
    "planboard.events": ("Event", "ProcessStatus"),
    "planboard.interop.mcp": ("McpResult", "McpServer", "from_mcp", "to_mcp"),
    "planboard.journal": ("Journal", "MemoryJournal", "SqliteJournal"),
    "planboard.llm.ai": ("Ai", "Judgement"),
    "planboard.llm.chat": ("Prices",),
    "planboard.llm.choosing": ("AgentChoice", "GoalChoice", "NoneFits", "choose_agent", "choose_goal"),
    "planboard.llm.fallback": ("FallbackModel",),
    "planboard.llm.openai_llm": ("OpenAIModel",),
    "planboard.llm.port": ("LanguageModel", "ModelReply", "ModelRequest", "ModelUsage"),
    "planboard.llm.scripted": ("ScriptedModel", "ScriptedRequest", "call", "raw_call"),
    "planboard.observe.tracing": ("Tracer", "trace_of"),
    "planboard.planners": (
        "NIRVANA", "Goap", "Hybrid", "Limit", "NoPlan", "Operator", "Plan", "PlanGoal", "Planner", "Problem",
        "Supervisor", "Utility",
    ),
    "planboard.runtime.agent": ("Agent",),
    "planboard.runtime.brief": ("Brief",),
    "planboard.runtime.check": ("Finding",),
    "planboard.runtime.clock": ("Clock",),
    "planboard.runtime.light": ("aact", "act", "asupervise", "supervise"),
    "planboard.runtime.options": ("Budget", "ProcessOptions"),
    "planboard.runtime.policies": ("Approval",),
    "planboard.runtime.process": ("Process",),
    "planboard.runtime.requests": ("Approve", "Deny", "Edit", "Finished", "Request"),
    "planboard.runtime.runner": ("arun", "run"),
    "planboard.steps": (
        "Approved", "Done", "StepAction", "StepFailed", "approval", "branch", "for_each", "human", "loop", "map_each",
        "parallel", "sequence", "sleep", "subagent", "task",
    ),
    "planboard.teams": (
        "Assignment", "Crew", "Flow", "HandOff", "Host", "Message", "Network", "PlanOutcome", "PlanSetback",
        "PlanTree", "Specialist", "StateMachine", "StepResult", "TaskPlan", "TaskStep", "Topology", "Turn",
        "Verdict", "WorkDone", "chat_agent", "current_state", "line", "mesh", "on_handoff", "star",
    ),
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
    "AgentChangedError",
    "AgentChoice",
    "Ai",
    "All",
    "AlreadyAnsweredError",
    "Approval",
    "Approve",
    "Approved",
    "Assignment",
    "Blackboard",
    "BlackboardError",
    "Brief",
    "Budget",
    "BudgetExceededError",
    "Clock",
    "ConcurrentRunError",
    "ConditionError",
    "Consent",
    "CorruptJournalError",
    "CostError",
    "Crew",
    "DefinitionError",
    "Denied",
    "Deny",
    "Done",
    "Edit",
    "Entry",
    "EntryNotFoundError",
    "EntryTypeError",
    "Event",
    "ExecutionError",
    "Expired",
    "ExpressionError",
    "FallbackModel",
    "Finding",
    "Finished",
    "Flow",
    "Goal",
    "GoalChoice",
    "Goap",
    "HandOff",
    "Host",
    "Hybrid",
    "InvalidAnswerError",
    "Journal",
    "JournalError",
    "Judgement",
    "LanguageModel",
    "Limit",
    "McpError",
    "McpResult",
    "McpServer",
    "McpToolError",
    "McpUnavailableError",
    "MemoryJournal",
    "Message",
    "Migration",
    "ModelError",
    "ModelOutputError",
    "ModelRefusedError",
    "ModelReply",
    "ModelRequest",
    "ModelUnavailableError",
    "ModelUsage",
    "MutatedEntryError",
    "Named",
    "Network",
    "NoPlan",
    "NoneFits",
    "Not",
    "NotAgreedError",
    "OpenAIModel",
    "Operator",
    "OutputError",
    "Plan",
    "PlanGoal",
    "PlanOutcome",
    "PlanSetback",
    "PlanTree",
    "PlanboardError",
    "Planner",
    "PlanningError",
    "Prices",
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
    "Request",
    "RequestError",
    "Retry",
    "RunClaimedError",
    "RunExistsError",
    "RunningLoopError",
    "ScriptedModel",
    "ScriptedRequest",
    "SecretMissingError",
    "SecretNotKeptError",
    "Slept",
    "Specialist",
    "SqliteJournal",
    "StaleRunError",
    "StateMachine",
    "StepAction",
    "StepFailed",
    "StepResult",
    "Supervisor",
    "TaskPlan",
    "TaskStep",
    "Topology",
    "Tracer",
    "TranslationError",
    "Turn",
    "UnknownNameError",
    "UnknownRequestError",
    "UnknownRunError",
    "Usage",
    "Utility",
    "Verdict",
    "WorkDone",
    "__version__",
    "aact",
    "achieves_goal",
    "act",
    "action",
    "approval",
    "arun",
    "asupervise",
    "branch",
    "call",
    "chat_agent",
    "choose_agent",
    "choose_goal",
    "condition",
    "current_state",
    "for_each",
    "from_mcp",
    "human",
    "line",
    "loop",
    "map_each",
    "mesh",
    "on_handoff",
    "parallel",
    "raw_call",
    "run",
    "sequence",
    "sleep",
    "star",
    "state",
    "subagent",
    "supervise",
    "task",
    "to_mcp",
    "trace_of",
]


if not TYPE_CHECKING:  # else no type checker would notice a name that does not exist

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
