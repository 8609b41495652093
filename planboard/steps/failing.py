"""What stands in the place of a part, or of an item, that has failed."""

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from planboard.blackboard.schema import describe_error
from planboard.errors import ExecutionError, ProcessNotCompletedError

HowItEnded = Literal["failed", "stuck", "terminated", "cancelled"]
_STATUSES: tuple[HowItEnded, ...] = get_args(HowItEnded)


class StepFailed(BaseModel):
    """A part, or an item, has failed; the others have gone on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    """The name of what has failed."""
    index: int
    """Its place among the others, counted from 0."""
    error: str
    """What went wrong, in words."""
    status: HowItEnded = "failed"
    """How its run ended."""


def failed(step: str, index: int, error: Exception) -> StepFailed:
    """Return what stands for a failure."""
    if not isinstance(error, ProcessNotCompletedError):
        said = str(error) if isinstance(error, ExecutionError) else describe_error(error)
        ended = (status for status in _STATUSES if f": Process{status.capitalize()}Error: " in said)  # a child's child
        return StepFailed(step=step, index=index, error=said, status=next(ended, "failed"))
    said = error.process.reason or str(error)  # the same in another program, unlike the cause
    known = next((status for status in _STATUSES if error.process.status == status.upper()), "failed")
    return StepFailed(step=step, index=index, error=said, status=known)
