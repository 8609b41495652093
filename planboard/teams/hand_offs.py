"""Who has the turn in a team: hand-offs, and what came of them, as typed entries on the board."""

import logging
from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from planboard._text import brief
from planboard.errors import DefinitionError
from planboard.events import ActionSucceeded, Event

_log = logging.getLogger("planboard")


class HandOff(BaseModel):
    """Work that is given to a member of a team. A member returns one to ask that another goes on.

    Whether it does depends on the team: a worker of a `Crew` always hands back to its supervisor, in a `Network` the
    topology decides, and a `Flow` takes note of it only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    to: str
    """The name of the member that is to go on."""
    task: str = ""
    """What it is to do, in words."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Inputs that the model has built for it, as JSON, by parameter."""
    by: str = ""
    """Who hands over."""
    wanted: str | None = None
    """The member that was asked for, where the topology did not allow that and `to` is another one."""

    @property
    def argument(self) -> str:
        """What is handed over, as one text: the task, or the inputs if there are only these."""
        from planboard.llm.showing import as_data

        return self.task or (as_data(self.arguments) if self.arguments else "")


class Peers(BaseModel):
    """Those that a member may hand over to itself: what a `chat_agent` makes its hand-off tools of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    names: tuple[str, ...]


class Turn(BaseModel):
    """Whose turn it is: those that work now, and who goes on once all of them are done."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    """Counted from 1 within the run."""
    by: str
    """Who has decided it."""
    hand_offs: tuple[HandOff, ...]
    """The work of this turn, in the order in which it was handed out."""
    then: str | None = None
    """The member that goes on when all of it is done."""
    refused: tuple[str, ...] = ()
    """What was asked for and cannot be done, and why."""

    def for_member(self, name: str) -> tuple[HandOff, ...]:
        """Return what a member has to do, in order."""
        return tuple(hand_off for hand_off in self.hand_offs if hand_off.to == name)


class WorkDone(BaseModel):
    """What came of a piece of work: there is one for each hand-off of a turn that was carried out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn: int
    """The number of the turn."""
    member: str
    """Who has done it."""
    task: str = ""
    """What was to be done."""
    ok: bool = True
    """Whether it went well."""
    text: str = ""
    """The result, or what went wrong, in words."""
    denied: tuple[str, ...] = ()
    """The task, if a person did not agree to it."""
    artefacts: tuple[str, ...] = ()
    """The types of the objects that it has put on the board."""


HandOffListener = Callable[[str, str], object]
"""Is told to whom work is handed, and what that is to do."""


def check_listener(tell: object, where: str) -> None:
    """Refuse what cannot be told of a hand-off; an `async` function would be called and never awaited.

    Raises:
        DefinitionError: It is such a thing.
    """
    if not callable(tell) or iscoroutinefunction(tell):
        message = f"{where}: it is a function of (to, argument), not an async one: it is called, and not awaited."
        raise DefinitionError(message)


def tell_of(hand_off: HandOff, listener: HandOffListener | None) -> None:
    """Tell a listener of a hand-off. What it raises is logged and harms nobody, as with every listener."""
    if listener is None:
        return
    try:
        listener(hand_off.to, hand_off.argument)
    except Exception:  # noqa: BLE001 - see above
        _log.exception("on_handoff raised for a hand-off to %s; the run goes on", hand_off.to)


def on_handoff(tell: HandOffListener) -> Callable[[Event], None]:
    """Return a listener for `ProcessOptions(listeners=[...])` that is told of every hand-off, in children too.

    Args:
        tell: Called with the name of the member and with the argument, in the order of the hand-offs.

    Raises:
        DefinitionError: It is no function that can be called and is done when it returns.
    """
    check_listener(tell, f"on_handoff({brief(tell)})")

    def listen(event: Event) -> None:
        if isinstance(event, ActionSucceeded):
            for entry in event.outputs:
                if isinstance(entry.value, Turn):
                    for hand_off in entry.value.hand_offs:
                        tell(hand_off.to, hand_off.argument)

    return listen
