"""What stands in the place of a part, or of an item, that has failed."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from planboard.blackboard.schema import describe_error
from planboard.errors import ProcessFailedError, ProcessNotCompletedError


class StepFailed(BaseModel):
    """A part, or an item, has failed; the others have gone on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    """The name of what has failed."""
    index: int
    """Its place among the others, counted from 0."""
    error: str
    """What went wrong, in words."""
    status: Literal["failed", "stuck", "terminated", "cancelled"] = "failed"
    """How its run ended."""


def failed(step: str, index: int, error: Exception) -> StepFailed:
    """Return what stands for a failure."""
    if not isinstance(error, ProcessNotCompletedError):
        return StepFailed(step=step, index=index, error=describe_error(error))
    cause = error.__cause__
    said = str(cause) if isinstance(error, ProcessFailedError) and cause is not None else str(error)
    status = str(error.process.status).lower()
    known = status if status in ("failed", "stuck", "terminated", "cancelled") else "failed"
    return StepFailed(step=step, index=index, error=said, status=known)
