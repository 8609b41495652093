"""Having the calls of a process carried out: by activities, and children by workflows of their own."""

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ChildWorkflowError, TimeoutType, is_cancelled_exception
from temporalio.exceptions import TimeoutError as TemporalTimeoutError

from planboard.actions.context import ChildOrder
from planboard.blackboard.codec import to_text
from planboard.durable.temporal.home import Home
from planboard.durable.temporal.orders import order_for, outcome_of
from planboard.durable.temporal.payloads import MESSAGE
from planboard.durable.temporal.standing import MEMO, standing_of
from planboard.durable.temporal.stretching import OF_BUDGET, child_of, remaining
from planboard.errors import BudgetExceededError, EntryTypeError, PlanboardError, ProcessTerminatedError
from planboard.events import ProcessStatus
from planboard.events.codec import EventCodec
from planboard.runtime.executor import Executor
from planboard.runtime.outcome import ActionCall, Command, ConditionCall, Failed, ModelCall, Outcome, leaves
from planboard.runtime.process import Process

WORKFLOW = "planboard.process"
"""The type of all workflows of Planboard."""

TASK_TIMEOUT = timedelta(seconds=5)
"""A worker that is silent for so long while it decides is taken for lost."""

_LONG = timedelta(days=30)
"""How long an action without a timeout may take; that its worker lives is known from its heartbeats."""

_UNSAFE = ["TemporalTimeout:Heartbeat", "TemporalTimeout:StartToClose"]
"""What must not make Temporal try again: nobody knows how far the action has got."""


class WorkflowClock:
    """The time of a workflow, which is the same in each replay."""

    def time(self) -> float:
        """Return the seconds since 1970."""
        return workflow.time()

    async def sleep_until(self, moment: float) -> None:
        """Wait until it is that late."""
        await asyncio.sleep(max(moment - workflow.time(), 0.0))


class Calls:
    """Carries out the calls of one process.

    Args:
        process: The process.
        home: What its worker knows.
        planner: How its planner is told of.
        codec: Writes and reads its values.
    """

    def __init__(self, process: Process, home: Home, planner: str | None, codec: EventCodec) -> None:
        self._process = process
        self._home = home
        self._planner = planner
        self._codec = codec
        self.exhausted: str | None = None
        """Which limit of the process was reached in a child."""
        self._children: dict[tuple[int, int], int] = {}
        self._sent = 0
        self._at = 0

    async def elsewhere(self, call: Command) -> Outcome | None:
        """Have a call carried out; `None` if nobody knows how far it has got."""
        try:
            order = {**self._common(call), **order_for(call, self._process, self._codec)}
        except EntryTypeError as error:
            return Failed(error)
        try:
            data = await self._activity(call, order)
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            if isinstance(error.cause, TemporalTimeoutError) and error.cause.type != TimeoutType.SCHEDULE_TO_START:
                return None
            raise RuntimeError(str(error.cause)) from error
        return None if data["kind"] == "lost" else outcome_of(call, data, self._codec, self._process)

    async def _room(self, order: dict[str, Any]) -> None:
        """Wait until what others are sent has gone, if this does not fit into the same message."""
        size, now = len(to_text(order).encode()), workflow.info().get_current_history_length
        while self._at == (at := now()) and self._sent and self._sent + size > MESSAGE:
            await workflow.wait_condition(lambda: now() != at)
        self._sent = size + (self._sent if self._at == at else 0)
        self._at = at

    def _common(self, call: Command) -> dict[str, Any]:
        return {
            "agent": self._process.agent.name,
            "planner": self._planner,
            "run": self._process.id,
            "budget": remaining(self._process, call),
            "identities": dict(self._process.options.identities),
            "approvals": [policy.to_data() for policy in self._process._core.people._in_force()],  # noqa: SLF001
        }

    async def below(self, call: ActionCall) -> Outcome | None:
        """Run a step that does nothing but run a child: in the workflow, for it only waits."""
        return await _Waiting(threads=False).run(call, self._process._core.note_retry)  # noqa: SLF001

    async def _activity(self, call: Command, order: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(call, ActionCall):
            await self._room(order)
            name = "planboard.model" if isinstance(call, ModelCall) else "planboard.condition"
            return await workflow.execute_activity(  # type: ignore[no-any-return]
                name,
                order,
                start_to_close_timeout=_LONG,
                heartbeat_timeout=self._home.lost_after,
                summary=call.condition.name if isinstance(call, ConditionCall) else call.model.name,
            )
        action = call.action
        limit = _LONG if action.timeout is None else timedelta(seconds=action.timeout + 60)
        if action.read_only and not action.is_async and action.retry is None:
            return await workflow.execute_local_activity(  # type: ignore[no-any-return]
                "planboard.action", order, start_to_close_timeout=limit, summary=action.name
            )
        await self._room(order)
        again = order["again"]
        return await workflow.execute_activity(  # type: ignore[no-any-return]
            "planboard.action",
            order,
            start_to_close_timeout=limit,
            heartbeat_timeout=self._home.lost_after,
            retry_policy=RetryPolicy(non_retryable_error_types=None if again else _UNSAFE),
            summary=action.name,
        )

    async def run_child(self, order: ChildOrder) -> Any:
        """Run a child as a workflow of its own, and return its result."""
        process = self._process
        attempt = order.call, order.attempt
        number = self._children[attempt] = self._children.get(attempt, 0) + 1  # they are begun in the same order again
        child, planner, inherited = child_of(process, order, self._home, self._planner, number)
        luggage = self._home.pack(child, planner)
        await self._room(luggage)
        try:
            found = await workflow.execute_child_workflow(
                WORKFLOW,
                luggage,
                id=child.id,
                task_queue=self._home.queue,
                task_timeout=TASK_TIMEOUT,
                parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
                memo={MEMO: standing_of(child)},
            )
        except ChildWorkflowError as error:
            if is_cancelled_exception(error):
                raise
            message = f"The workflow {child.id!r} has ended from outside: {error.cause}"
            raise PlanboardError(message) from error
        ended = self._home.unpack(found, clock=WorkflowClock())
        order.effects.charged += ended.usage
        process._core.ledger.charge(ended.usage)  # noqa: SLF001 - within the package
        if ended.status is ProcessStatus.TERMINATED and ended.reason.startswith(tuple(inherited)):
            self.exhausted = f"{ended.reason.removeprefix(OF_BUDGET)} (in {child.id!r})"
            process._core.ledger.exhausted = self.exhausted  # noqa: SLF001
            ended._core.ledger.parent = process._core.ledger  # noqa: SLF001 - so that it is not taken for a failure
        ended.raise_for_status()
        return ended.result(order.returning) if order.returning is not None else ended


def is_child(call: Command) -> bool:
    """Tell whether a call does nothing but run a child."""
    return isinstance(call, ActionCall) and bool(call.action.agents)


def is_by_a_limit(outcome: Outcome) -> bool:
    """Tell whether a call failed because a budget forbade something below it."""
    limits = BudgetExceededError | ProcessTerminatedError
    return isinstance(outcome, Failed) and any(
        isinstance(leaf, limits) for leaf in leaves(outcome.error.__cause__ or outcome.error)
    )


class _Waiting(Executor):
    """Runs steps that only wait for a child. Their timeouts are not heeded, for a child may wait for a person."""

    async def _once(self, call: ActionCall) -> object:
        return await self._invoke(call)
