"""What a person did not agree to further down: whoever started it is told so, as if it had been asked itself."""

from typing import TYPE_CHECKING

from planboard.actions.waiting import Denied
from planboard.errors import NotAgreedError, ProcessNotCompletedError
from planboard.events import ActionFailed, ProcessStatus
from planboard.runtime.outcome import leaves

if TYPE_CHECKING:
    from planboard.runtime.process import Process


def denial_of(process: "Process") -> Denied | None:
    """Return why a child could not go on, if that is because somebody did not agree, to it or to something in it."""
    stuck = process.status is ProcessStatus.STUCK
    if stuck or (process.status is ProcessStatus.FAILED and any(_was_not_agreed(event) for event in process.events)):
        return process.board.last(Denied)
    return None


def denial_in(error: BaseException | None) -> Denied | None:
    """Return why an action failed, if that is because somebody did not agree to something that it has run."""
    for leaf in leaves(error):
        if isinstance(leaf, NotAgreedError):
            return leaf.denied
        below = leaf.process if isinstance(leaf, ProcessNotCompletedError) else None
        found = denial_in(leaf.__cause__) if below is None else denial_of(below)
        if found is not None:
            return found
    return None


def _was_not_agreed(event: object) -> bool:
    return isinstance(event, ActionFailed) and bool(event.entries)
