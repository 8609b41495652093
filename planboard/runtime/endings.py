"""What a run has come to: its result, or the error that fits the way it ended."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from planboard._text import suggest
from planboard.errors import (
    EntryNotFoundError,
    ProcessCancelledError,
    ProcessFailedError,
    ProcessNotCompletedError,
    ProcessStuckError,
    ProcessTerminatedError,
    ProcessWaitingError,
)
from planboard.events import ProcessStatus
from planboard.types import TypeForm, type_name

if TYPE_CHECKING:
    from planboard.runtime.process import Process

_ERRORS: Mapping[ProcessStatus, type[ProcessNotCompletedError]] = {
    ProcessStatus.STUCK: ProcessStuckError,
    ProcessStatus.FAILED: ProcessFailedError,
    ProcessStatus.TERMINATED: ProcessTerminatedError,
    ProcessStatus.CANCELLED: ProcessCancelledError,
    ProcessStatus.WAITING: ProcessWaitingError,
}


def result_of(process: "Process", form: TypeForm) -> Any:
    """Return the newest entry of a type that met a goal, else the newest of the type.

    Raises:
        ProcessNotCompletedError: The run did not complete.
        EntryNotFoundError: It did, but there is nothing of that type.
    """
    raise_unless_completed(process)
    board = process.board
    wanted = board.matcher.query(form)
    met = process._core.state.world.compilation.goal_queries.get(process.goal or "")  # noqa: SLF001
    meeting = () if met is None else reversed(board.matches(met))
    found = next((entry for entry in meeting if wanted.admits(entry)), None) or board.newest(wanted)
    if found is None:
        known = {entry.type_name for entry in board.visible}
        message = f"The run left no {type_name(form)}. {suggest(type_name(form), known)}"
        raise EntryNotFoundError(message)
    return found.value


def raise_unless_completed(process: "Process") -> None:
    """Raise the error that fits the status, unless the process is COMPLETED.

    Raises:
        ProcessNotCompletedError: Of the kind that fits; its cause is the root cause.
    """
    status = process.status
    if status is ProcessStatus.COMPLETED:
        return
    reason = process.reason or "it has not run to its end"
    kind = _ERRORS.get(status, ProcessNotCompletedError)
    raise kind(process, f"Process {process.agent.name!r} is {status}: {reason}") from process.failure
