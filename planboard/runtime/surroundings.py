"""What a core is told, and tells, beyond events: by whoever holds it, who has children, a journal and a clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planboard.actions.context import NOTHING, Usage, no_children
from planboard.runtime.open_calls import OpenCall
from planboard.runtime.outcome import ActionCall, Outcome


def _yes(_: object) -> bool:
    return True


def _nothing(*_: object) -> None:
    return None


def _no_usage(_: int) -> Usage:
    return NOTHING


@dataclass(slots=True)
class Surroundings:
    """What a core is told, most of it as functions that it calls. A core by itself knows no children and no journal."""

    has_news: Callable[[int], bool] = _yes
    """Tells whether a child of a suspended call can go on."""
    let_go: Callable[[int], object] = _nothing
    """Forgets the children of a call that has ended."""
    spent_below: Callable[[int], Usage] = _no_usage
    """Tells what the children of a call have spent."""
    arrived: Callable[[OpenCall], tuple[ActionCall, Outcome] | None] = _nothing
    """Returns what an action returned before an earlier program ended, if it is kept."""
    may_expire: Callable[[str], bool] = _yes
    """Tells whether a request may expire, or has been answered by somebody in time."""
    begun: Callable[[int], Sequence[tuple[object, ...]]] = no_children
    """Tells what each child of a call was given."""
    keep: Callable[[], object] = _nothing
    """Writes down what has happened, if the process is kept."""
    label: str = ""
    """What the process is for among the children of its call."""
