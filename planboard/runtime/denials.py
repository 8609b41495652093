"""What a person did not agree to further down: whoever started it is told so, as if it had been asked itself."""

from typing import TYPE_CHECKING

from planboard.actions.waiting import Denied
from planboard.blackboard.entry import INPUT, Entry
from planboard.errors import NotAgreedError, ProcessNotCompletedError
from planboard.events import ActionFailed, ProcessStatus
from planboard.runtime.outcome import leaves

if TYPE_CHECKING:
    from planboard.runtime.process import Process


def denial_of(process: "Process") -> Denied | None:
    """Return why a child could not go on, if that is because somebody did not agree, to it or to something in it."""
    stuck = process.status is ProcessStatus.STUCK
    if stuck or (process.status is ProcessStatus.FAILED and any(_was_not_agreed(event) for event in process.events)):
        return next(filter(None, map(_decided_here, reversed(process.board.visible))), None)
    return None


def denial_in(error: BaseException | None) -> Denied | None:
    """Return why an action failed, if that is because somebody did not agree to something that it has run."""
    return _denial_in(error, set())


def _denial_in(error: BaseException | None, seen: set[int]) -> Denied | None:
    for leaf in leaves(error):
        if id(leaf) in seen:  # an error may be its own cause: `raise error from error`
            continue
        seen.add(id(leaf))
        if isinstance(leaf, NotAgreedError):
            return leaf.denied
        below = leaf.process if isinstance(leaf, ProcessNotCompletedError) else None
        found = _denial_in(leaf.__cause__, seen) if below is None else denial_of(below)
        if found is not None:
            return found
    return None


def _decided_here(entry: Entry) -> Denied | None:
    """Return a refusal, unless it was given to the process, which goes on from it."""
    return entry.value if isinstance(entry.value, Denied) and entry.producer != INPUT else None


def _was_not_agreed(event: object) -> bool:
    return isinstance(event, ActionFailed) and bool(event.entries)
