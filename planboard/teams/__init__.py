"""Teams: agents that are made of other agents, and what their members tell each other."""

from planboard.teams.chat import chat_agent
from planboard.teams.crew import Crew
from planboard.teams.flow import Flow
from planboard.teams.hand_offs import HandOff, Turn, WorkDone, on_handoff
from planboard.teams.host import Host, Specialist
from planboard.teams.machines.state_machine import StateMachine, current_state
from planboard.teams.messages import Message
from planboard.teams.network import Network
from planboard.teams.plans.plan_tree import PlanTree
from planboard.teams.plans.step_results import Assignment, PlanOutcome, PlanSetback, StepResult, Verdict
from planboard.teams.plans.task_plan import TaskPlan, TaskStep
from planboard.teams.topology import Topology, line, mesh, star

__all__ = [
    "Assignment",
    "Crew",
    "Flow",
    "HandOff",
    "Host",
    "Message",
    "Network",
    "PlanOutcome",
    "PlanSetback",
    "PlanTree",
    "Specialist",
    "StateMachine",
    "StepResult",
    "TaskPlan",
    "TaskStep",
    "Topology",
    "Turn",
    "Verdict",
    "WorkDone",
    "chat_agent",
    "current_state",
    "line",
    "mesh",
    "on_handoff",
    "star",
]
