"""Calls that were held up: taken up after the end of a program, released by people, or stopped while children wait."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from planboard._text import listed
from planboard.actions.action import Action, Call
from planboard.actions.context import Usage
from planboard.blackboard.entry import Entry
from planboard.errors import ActionError, PlanboardError, PlanningError
from planboard.events import ProcessStatus, ProcessWaiting
from planboard.runtime.open_calls import OpenCall
from planboard.runtime.outcome import ActionCall, Command

if TYPE_CHECKING:
    from planboard.runtime.core import ProcessCore

_WAITS = {
    "asked": "for somebody to answer about",
    "asleep": "for the end of",
    "suspended": "for a child of",
    "released": "to run",
    "running": "for",
}


class Held:
    """The held-up calls of one process."""

    __slots__ = ("_core", "_unsure")

    def __init__(self, core: "ProcessCore") -> None:
        self._core = core
        self._unsure = False

    def look_back(self) -> None:
        """Take note that events were applied which happened elsewhere."""
        self._core.plan = None
        self._core.running.clear()  # whoever has gone on with the run has seen to them
        self._unsure = True
        state = self._core.state
        self._core.charged = {call.number for call in state.open.values() if call.started}
        for action, error in state.excluded.items():
            if action not in self._core.errors:
                self._core.errors[action] = ActionError(action, f"Action {action!r} failed: {error}")
        if state.status is ProcessStatus.FAILED and self._core.failure is None:
            culprit = next((name for name in state.excluded if repr(name) in state.reason), None)
            self._core.failure = PlanboardError(state.reason) if culprit is None else self._core.errors[culprit]

    def spent(self) -> Usage:
        """Return what the process itself has spent according to its events, with the calls that are under way."""
        spent = self._core.state.usage
        for number in sorted(self._core.charged):
            spent += self._usage_of(self._core.state.open[number].action)
        return spent

    def spent_on(self, call: OpenCall) -> Usage:
        """Return what a call has spent that will not be run again, with its children; it is told by an event."""
        below = self._core.around.spent_below(call.number)
        if call.number not in self._core.charged:
            return below
        self._core.charged.discard(call.number)
        return self._usage_of(call.action) + below

    def _usage_of(self, action: str) -> Usage:
        cost = 0.0
        if action in self._core.state.world.compilation.catalogue.actions:
            with suppress(PlanningError):  # a cost that cannot be told now stops the run when it is needed
                cost, _ = self._core.start.price(self._core.start.operator_of(action))
        return Usage(1, cost)

    def take_up(self) -> None:
        """Settle what was under way when an earlier program ended.

        What is done is done. An action that was running is run again if it says that this does no harm; otherwise
        somebody has to say what became of it. A model that was asked is asked again.
        """
        if not self._unsure:
            return
        self._unsure = False
        if self._core.state.status.is_final:
            return
        if self._core.turns is not None:
            self._core.turns.take_up()
        actions = self._core.state.world.compilation.catalogue.actions
        for call in sorted(self._core.state.open.values(), key=lambda call: call.number):
            action = actions.get(call.action)
            if action is None:  # the agent was changed, and that was allowed
                self._core.people.take_back(call)
            elif call.phase != "running" or call.number not in self._core.state.open:
                continue
            elif (arrived := self._core.around.arrived(call)) is not None:
                self._core.deliver((arrived[0],), (arrived[1],))
                self._core.charged.discard(call.number)
            elif action.idempotent or action.read_only:
                call.phase = "released"
            else:
                self._core.people.doubt(call, action)

    def has_come(self) -> bool:
        """Tell whether something has come from outside, or from a child, since the process began to wait."""
        return self._core.state.touched or self._any_news()

    def released(self, now: float) -> Sequence[Command]:
        """Start the calls that somebody has agreed to, and those whose children can go on."""
        calls: list[ActionCall] = []
        for call in sorted(self._core.state.open.values(), key=lambda call: call.number):
            if call.phase == "released" or (call.phase == "suspended" and self._core.around.has_news(call.number)):
                action = self._core.state.world.compilation.catalogue.actions[call.action]
                cost, value = self._core.start.price(self._core.start.operator_of(call.action))
                charged = call.number in self._core.charged
                objection = None if charged else self._core.ledger.objection(cost, now, may_ask=action.body.may_ask)
                if objection is not None:
                    return calls or self._core.end(ProcessStatus.TERMINATED, f"budget: {objection}")
                bound = self.bound(call, action)
                self._core.state.board.verify(bound.entries)
                calls.append(self._core.start.call(call.number, action, bound, cost, value, call.tool_call))
        return calls

    def bound(self, call: OpenCall, action: Action) -> Call:
        """Return exactly the arguments that a call was begun with, but for those that a person has changed.

        Raises:
            PlanningError: One of them is missing, for the agent has changed.
        """
        entries = self._core.state.board.entries
        given = action.body.given_by([entries[place] for place in call.inputs])
        collects = {item.parameter for item in action.body.inputs if item.collects}
        for parameter, places in call.changed.items():
            chosen = tuple(entries[place] for place in places)
            given[parameter] = chosen if parameter in collects else chosen[0] if chosen else None
        bound = action.body.bind(self._core.state.board, given)
        if bound is None:
            message = f"Action {action.name!r} cannot be started: an input that it was agreed with is missing."
            raise PlanningError(message)
        return bound

    def entries_of(self, call: OpenCall) -> tuple[Entry, ...]:
        """Return all entries that a call was ever given; what it consumes is not left over from before a change."""
        places = dict.fromkeys((*call.inputs, *(call.given or ())))
        return tuple(self._core.state.board.entries[place] for place in places)

    def wait(self) -> Sequence[Command]:
        """Record that nothing can be done for now."""
        waiting = sorted(self._core.state.open.values(), key=lambda call: call.number)
        due = [call.until for call in waiting if call.until is not None]
        what = [f"{_WAITS[call.phase]} {call.action!r}" for call in waiting]
        self._core.record(ProcessWaiting, reason=f"it waits {listed(what)}", wakes_at=min(due, default=None))
        return ()

    def _any_news(self) -> bool:
        return any(
            call.phase == "released" or (call.phase == "suspended" and self._core.around.has_news(call.number))
            for call in self._core.state.open.values()
        )
