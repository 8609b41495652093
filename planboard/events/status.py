"""Where a process stands."""

from enum import StrEnum


class ProcessStatus(StrEnum):
    """Where a process stands."""

    NOT_STARTED = "NOT_STARTED"
    RUNNING = "RUNNING"
    WAITING = "WAITING"
    """For an answer from outside."""
    COMPLETED = "COMPLETED"
    """A goal is met."""
    STUCK = "STUCK"
    """Nothing can be done, and a goal is not met. Put what is missing on the board and run it again."""
    FAILED = "FAILED"
    """An action or condition failed, and there is no way around it."""
    TERMINATED = "TERMINATED"
    """A budget or a policy ended it. Run it again with a larger budget to go on."""
    CANCELLED = "CANCELLED"

    @property
    def is_final(self) -> bool:
        """Whether the process has come to its own end, and can no longer be cancelled."""
        return self in (ProcessStatus.COMPLETED, ProcessStatus.FAILED, ProcessStatus.CANCELLED)
