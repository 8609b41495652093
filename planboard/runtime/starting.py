"""Starting actions: bound to their entries, agreed to if need be, given what is injected, charged and recorded."""

from functools import lru_cache
from typing import TYPE_CHECKING

from planboard.actions.action import _NONE_GIVEN, Action, Call, Given
from planboard.actions.context import NO_EFFECTS, ActionContext, Effects, Usage
from planboard.errors import PlanningError
from planboard.events import ActionStarted
from planboard.planners.operator import Operator
from planboard.planners.world import binding_of
from planboard.runtime.outcome import ActionCall

if TYPE_CHECKING:
    from planboard.runtime.core import ProcessCore


@lru_cache(maxsize=1024)
def _one_action(cost: float) -> Usage:
    """Return what starting an action spends, one object for all calls of that cost."""
    return Usage(1, cost)


class Starter:
    """Starts the actions of one process."""

    __slots__ = ("_core",)

    def __init__(self, core: "ProcessCore") -> None:
        self._core = core

    def operator_of(self, action: str) -> Operator:
        """Return the first of the ways in which an action may turn out."""
        operators = self._core.state.world.domain.operators
        return next(operator for operator in operators if operator.name == action)

    def price(self, operator: Operator) -> tuple[float, float]:
        """Return what an operator costs and is worth, as of now."""
        cost, value = operator.cost, operator.value
        world = self._core.state.world
        return float(cost(world) if callable(cost) else cost), float(value(world) if callable(value) else value)

    def action(
        self, action: Action, cost: float, value: float, *, given: Given = _NONE_GIVEN, tool_call: str | None = None
    ) -> ActionCall | None:
        """Record that an action is started, and return the command to run it; `None` if it has to wait for that.

        Args:
            action: What is run.
            cost: What it costs, as of now.
            value: What it is worth.
            given: Entries that are used instead of the newest ones, by parameter.
            tool_call: The call of a model that it answers.
        """
        board = self._core.state.board
        body = action.body
        bound = body.bind(board, given)
        if bound is None:
            message = f"Action {action.name!r} was planned, but one of its inputs is not on the board."
            raise PlanningError(message)
        board.verify(bound.entries)
        number = self._core.state.calls + 1
        if (self._core.people.has_policies or action.approval or action.wait is not None) and self._core.people.waits(
            number, action, bound, tool_call
        ):
            return None
        return self.call(number, action, bound, cost, value, tool_call)

    def call(
        self, number: int, action: Action, bound: Call, cost: float, value: float, tool_call: str | None
    ) -> ActionCall:
        """Record that an action is started, and return the command to run it; everything has been agreed to."""
        body, board = action.body, self._core.state.board
        effects = NO_EFFECTS if body.context is None and body.ai is None else Effects()
        call = ActionCall(number, action, bound, cost, value, _one_action(cost), effects, binding_of(bound))
        earlier = self._core.state.open.get(number)
        if earlier is not None:
            call.attempt = earlier.attempt
        if body.services:
            body.inject(bound, self._core.state.world.services)
        if body.context is not None:
            call.context = ActionContext(
                action.name, self._core.process_id, board, call.effects, run_child=self._core.run_child,
                begun=self._core.around.begun,
                identities=self._core.options.identities, call=number, attempt=call.attempt,
            )  # fmt: skip
            bound.kwargs[body.context] = call.context
        if body.ai is not None:
            bound.kwargs[body.ai] = self._core.models.for_action(call)
        if number in self._core.charged:
            self._core.charged.discard(number)
        else:
            self._core.ledger.charge(call.usage)
        self._core.running[call.number] = call
        self._core.record(ActionStarted, call=call.number, action=action.name, inputs=call.inputs, tool_call=tool_call)
        return call
