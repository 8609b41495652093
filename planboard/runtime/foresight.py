"""Looking ahead: what a planner would do, without doing it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from planboard.errors import PlanningError
from planboard.planners.problem import Problem
from planboard.planners.world import _Unsettled

if TYPE_CHECKING:
    from planboard.runtime.process import Process

T = TypeVar("T")


def foreseen(process: "Process", plan: Callable[[Problem], T]) -> T:
    """Return what a planner answers to the problem that a process is at.

    Raises:
        PlanningError: It depends on a condition that has to be waited for.
    """
    core = process._core  # noqa: SLF001 - within the package
    try:
        return plan(core.state.world.problem(core.goals))
    except _Unsettled as question:
        message = (
            f"The plan depends on the condition {question.condition!r}, whose answer has to be waited for. "
            "Run the process instead of looking ahead."
        )
        raise PlanningError(message) from None
