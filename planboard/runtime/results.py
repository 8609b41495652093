"""From what came of an action to the events that say so."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from planboard.actions.context import NO_EFFECTS, NOTHING, Usage
from planboard.actions.waiting import Denied
from planboard.blackboard.board import check_value
from planboard.blackboard.entry import PERSON, Entry
from planboard.blackboard.integrity import watch
from planboard.blackboard.schema import describe_error
from planboard.errors import (
    BlackboardError,
    BudgetExceededError,
    ExecutionError,
    MutatedEntryError,
    OutputError,
    ProcessTerminatedError,
    ProcessWaitingError,
)
from planboard.events import ActionFailed, ActionSucceeded, ActionSuspended, ModelCalled, ReplanRequested
from planboard.runtime.commit import check_conditions, new_entries, positions_hidden
from planboard.runtime.denials import denial_in
from planboard.runtime.hushing import hushed
from planboard.runtime.outcome import ActionCall, AskedReplan, leaves, spent

if TYPE_CHECKING:
    from planboard.runtime.core import ProcessCore

_STUBBORN = 10
"""How often in a row a new plan may be asked for before that counts as a failure."""


class Results:
    """Takes what came of actions, for one process."""

    __slots__ = ("_core", "check_entry")

    def __init__(self, core: "ProcessCore") -> None:
        self._core = core
        self.check_entry: Callable[[Entry], None] | None = None
        """Raises for an entry that cannot be kept, when the process is."""

    def _verify(self, call: ActionCall) -> None:
        board = self._core.state.board
        read = call.context.entries_read if call.context is not None else ()
        board.verify((*call.bound.entries, *read), action=call.action.name)

    def succeeded(self, call: ActionCall, value: object) -> bool:
        """Commit what an action brought about; tell whether it was in order."""
        action, board, effects = call.action, self._core.state.board, call.effects
        try:
            self._verify(call)
            outputs = new_entries(action, value, effects, board.next_position)
            if effects.conditions:
                check_conditions(action, effects, self._core.state.world.compilation.catalogue.conditions)
            if self.check_entry is not None:
                for entry in outputs:
                    self.check_entry(entry)
        except (BlackboardError, ExecutionError) as error:
            self.failed(call, error)
            return False
        except Exception as error:  # noqa: BLE001 - the value's own code raised while it was looked at
            message = f"What action {action.name!r} returned cannot be looked at: {describe_error(error)}."
            self.failed(call, OutputError(action.name, message))
            return False
        if self._core.state.asked_replan:
            self._core.readmit()
        given = self._core.held.entries_of(self._core.state.open[call.number]) if action.consumes else ()
        hidden = positions_hidden(action, given, effects, board, outputs)
        self._charge(call)
        self._core.record(
            ActionSucceeded,
            call=call.number,
            action=action.name,
            inputs=call.inputs,
            outputs=outputs,
            hidden=hidden,
            conditions=tuple(sorted(effects.conditions.items())),
            cost=call.cost,
            value=call.value,
            usage=self._spent(call),
        )
        return True

    def raised(self, call: ActionCall, error: Exception) -> None:
        """Record that an action raised; what it changed in place before that is put right."""
        with suppress(MutatedEntryError):  # the board holds what was stored; the failure is the cause
            self._verify(call)
        self.failed(call, error)

    def failed(self, call: ActionCall, error: Exception) -> None:
        """Record that an action has failed; unless a budget stopped it, it is left out from now on."""
        self._charge(call)
        cause = error.__cause__ if isinstance(error, ExecutionError) and error.__cause__ is not None else error
        self._core.errors[call.action.name] = error
        excluded = not self.stopped_below(error)
        denied = denial_in(error) if excluded else None
        told = _told(denied, call) if denied is not None else None
        self._core.record(
            ActionFailed,
            call=call.number,
            action=call.action.name,
            error=hushed(describe_error(cause), call.bound.entries),
            excluded=excluded,
            entries=() if told is None else (Entry(self._core.state.board.next_position, told, producer=PERSON),),
            usage=self._spent(call),
        )

    def stopped_below(self, error: Exception) -> bool:
        """Tell whether an action failed because a child or a model hit a limit that is this process's too."""
        by_limit = (
            isinstance(leaf, ProcessTerminatedError | BudgetExceededError) for leaf in leaves(error.__cause__ or error)
        )
        return any(by_limit) and self._core.ledger.exhaustion() is not None

    def goes_on_with_a_child(self, error: Exception) -> bool:
        """Tell whether an action stopped because a child waits, or was stopped by a limit of the whole tree."""
        causes = leaves(error.__cause__)
        for cause in causes:
            if not isinstance(cause, ProcessWaitingError | ProcessTerminatedError) or cause.process.parent is None:
                return False
            if cause.process.parent.id != self._core.process_id:
                return False
            if isinstance(cause, ProcessTerminatedError) and not self.stopped_below(error):
                return False
        return bool(causes)

    def asked_replan(self, call: ActionCall, outcome: AskedReplan) -> None:
        """Record that an action asked for another plan, and what it put on the board for that."""
        signal = outcome.signal
        try:
            self._verify(call)
            for value in signal.bindings.values():
                check_value(value, None)
        except BlackboardError as error:
            self.failed(call, error)
            return
        if self._core.state.stubborn >= _STUBBORN:
            message = f"Action {call.action.name!r} asked for another plan {_STUBBORN + 1} times in a row."
            self.failed(call, ExecutionError(call.action.name, message))
            return
        position = self._core.state.board.next_position
        bindings = tuple(
            Entry(position + index, value, None, name, call.action.name, watch=watch(value))
            for index, (name, value) in enumerate(sorted(signal.bindings.items()))
        )
        self._charge(call)
        self._core.record(
            ReplanRequested,
            call=call.number,
            action=call.action.name,
            reason=signal.reason,
            bindings=bindings,
            usage=self._spent(call),
        )

    def suspended(self, call: ActionCall) -> None:
        """Record that an action was stopped because a child of it waits; it will be run again."""
        self._charge(call)
        spent_itself = call.effects.usage
        for usage in call.effects.model_calls:
            spent_itself += usage.as_usage()
        self._core.record(ActionSuspended, call=call.number, action=call.action.name, usage=spent_itself)

    def stopped(self, call: ActionCall) -> None:
        """Record that an action was stopped and brings no outcome: nothing of it reaches the board."""
        self._charge(call)
        self._core.record(
            ActionFailed,
            call=call.number,
            action=call.action.name,
            error="Cancelled: it was stopped before it had finished",
            excluded=False,
            usage=self._spent(call),
        )

    def _spent(self, call: ActionCall) -> Usage:
        below = self._core.around.spent_below(call.number)
        return spent(call) if below is NOTHING else spent(call) + below

    def _charge(self, call: ActionCall) -> None:
        """Charge what an action recorded, and record what models took for it, in an order that time has no part in."""
        effects = call.effects
        if effects is NO_EFFECTS:
            return
        if effects.usage is not NOTHING:
            self._core.ledger.charge(effects.usage)
        for usage in sorted(effects.model_calls):
            self._core.record(ModelCalled, **usage._asdict(), action=call.action.name, call=call.number)


def _told(denied: Denied, call: ActionCall) -> Denied:
    """Return a refusal further down as one of the action that ran what was refused."""
    reason = hushed(denied.reason, call.bound.entries)
    return denied.model_copy(update={"action": call.action.name, "reason": reason})
