"""Steps: actions that are not functions. They ask a person, wait for a moment, or run another agent."""

from planboard.steps.declare import StepAction
from planboard.steps.human import human
from planboard.steps.sleep import sleep
from planboard.steps.subagent import subagent

__all__ = ["StepAction", "human", "sleep", "subagent"]
