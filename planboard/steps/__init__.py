"""Steps: actions that are no functions. They ask a person, wait, run agents, or are made of other steps."""

from planboard.actions.making import StepAction
from planboard.runtime.brief import Brief
from planboard.steps.approval import Approved, approval
from planboard.steps.composing import Done
from planboard.steps.failing import StepFailed
from planboard.steps.human import human
from planboard.steps.mapping import for_each, map_each
from planboard.steps.sequence import branch, loop, parallel, sequence
from planboard.steps.sleep import sleep
from planboard.steps.subagent import subagent
from planboard.steps.task import task

__all__ = [
    "Approved",
    "Brief",
    "Done",
    "StepAction",
    "StepFailed",
    "approval",
    "branch",
    "for_each",
    "human",
    "loop",
    "map_each",
    "parallel",
    "sequence",
    "sleep",
    "subagent",
    "task",
]
