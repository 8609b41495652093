"""Outcomes that are in while other actions of their batch still run.

They are committed in the order of the plan, so they wait for each other. A program that is killed meanwhile must not
forget what is done: until then they are kept beside the events, whose order must not depend on who was quicker.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from planboard.actions.context import NO_EFFECTS, Effects, Usage
from planboard.errors import CorruptJournalError, EntryTypeError
from planboard.planners.world import binding_of
from planboard.runtime.effects_data import effects_data, effects_into
from planboard.runtime.keeping import OUTCOME
from planboard.runtime.open_calls import OpenCall
from planboard.runtime.outcome import ActionCall, Command, Outcome, Succeeded

if TYPE_CHECKING:
    from planboard.runtime.process import Process


class Arrivals:
    """The outcomes of one process that are in and not committed."""

    __slots__ = ("_process",)

    def __init__(self, process: "Process") -> None:
        self._process = process

    def note(self, call: Command, outcome: Outcome) -> None:
        """Keep what an action returned, if the process is kept; what cannot be kept fails when it is committed."""
        keeper = self._process._keeper  # noqa: SLF001
        if keeper is None or not isinstance(call, ActionCall) or not isinstance(outcome, Succeeded):
            return
        codec = keeper.codec.values
        positions = {id(entry.value): entry.position for entry in self._process.board.entries}
        with suppress(EntryTypeError):
            body = {"value": codec.encode(outcome.value), "effects": effects_data(call.effects, codec, positions)}
            keeper.post(f"{OUTCOME}{call.number}", body)

    def of(self, call: OpenCall) -> tuple[ActionCall, Outcome] | None:
        """Return a call with what it returned, if that is kept.

        Raises:
            CorruptJournalError: What is kept cannot be read.
        """
        keeper, core = self._process._keeper, self._process._core  # noqa: SLF001
        found: Any = None if keeper is None or not keeper.kept else keeper.mail().get(f"{OUTCOME}{call.number}")
        if found is None or keeper is None:
            return None
        action = core.state.world.compilation.catalogue.actions[call.action]
        bound = core.held.bound(call, action)
        cost, value = core.start.price(core.start.operator_of(call.action))
        effects = NO_EFFECTS if action.body.context is None and action.body.ai is None else Effects()
        codec = keeper.codec.values
        try:
            if effects is not NO_EFFECTS:
                effects_into(effects, found["effects"], codec, core.state.board.entries)
            returned = codec.decode(found["value"])
        except (EntryTypeError, KeyError, TypeError, ValueError, IndexError) as error:
            message = f"What {call.action!r} returned in run {self._process.id!r} is kept and cannot be read: {error}"
            raise CorruptJournalError(self._process.id, message) from error
        made = ActionCall(call.number, action, bound, cost, value, Usage(1, cost), effects, binding_of(bound))
        return made, Succeeded(returned)
