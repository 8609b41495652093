"""A Temporal server as a place where runs are kept; there they go on by themselves, wherever a worker is."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

import typer
from temporalio.client import WorkflowExecution, WorkflowExecutionStatus, WorkflowFailureError, WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from planboard._text import suggest
from planboard.blackboard.codec import from_text
from planboard.cli.ending import Ending
from planboard.cli.reporting import say
from planboard.cli.runs import run_words
from planboard.cli.runs.outline import Outline
from planboard.cli.runs.places import Means, Watching, only_one, words_for_server
from planboard.cli.runs.server import Server, is_worked_on
from planboard.cli.runs.unread import Happened, happened
from planboard.durable.temporal.calling import WORKFLOW
from planboard.durable.temporal.client import TemporalRuns, _run
from planboard.durable.temporal.payloads import expanded
from planboard.errors import InvalidAnswerError, UnknownRunError
from planboard.events import ProcessStatus
from planboard.journal.port import Record, RunInfo, Standing
from planboard.observe.spans import Trace
from planboard.runtime.requests import Request

PATIENCE = timedelta(seconds=5)
"""How long a worker may take to tell of a run."""
_SUGGESTED = 1000
"""So many of the newest runs are looked at for an id like the one that was typed."""


class TemporalPlace:
    """Runs on a Temporal server.

    Args:
        server: The connection.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._runs = TemporalRuns(server.client)
        self.words = words_for_server(server.address, server.namespace)
        """The options that name this place, for commands that are shown."""

    # Looking

    def runs(self, *, beginning: str = "") -> list[RunInfo]:
        """Return runs; see `Place.runs`. The list may lag behind by a moment."""
        found = self._server.call(self._listed(_query(beginning)))
        if beginning and all(run.id != beginning for run in found):
            exact = self._server.call(self._info(beginning))
            found += [] if exact is None else [exact]
        return sorted(found, key=lambda run: (run.created_at, run.id))

    def find(self, run_id: str) -> RunInfo:
        """Return a run; see `Place.find`."""
        exact = self._server.call(self._info(run_id)) if run_id else None
        if exact is not None:
            return exact
        runs = {run.id: run for run in self.runs(beginning=run_id)} if run_id else {}
        found = only_one(run_id, runs, "run")
        if found is None:
            known = [run.id for run in self._server.call(self._listed(_query(""), limit=_SUGGESTED))]
            message = f"No run {run_id!r} is kept at {self._server.address}. {suggest(run_id, known)}"
            raise typer.BadParameter(message)
        return runs[found]

    def pending(self, run: RunInfo | None = None, *, beginning: str = "") -> list[Request]:
        """Return what can be answered now; see `Place.pending`."""
        found = self._server.call(self._pending(run, beginning))
        now = datetime.now(UTC)
        return [request for request in found if request.expires_at is None or request.expires_at > now]

    def outline(self, run: RunInfo) -> Outline:
        """Return what a run has come to; see `Place.outline`."""
        outline = self._outline(run)
        outline.pending = tuple(self.pending(run))
        return outline

    def happened(self, run: RunInfo, *, after: int = 0) -> Iterable[Happened]:
        """Return the events of a run; see `Place.happened`. When each happened is not known."""
        luggage, note = self._server.call(self.luggage(run.id))
        if note:
            say(note)
        return [item for item in _events(run.id, luggage) if item.event.seq > after]

    def trace(self, run: RunInfo) -> Trace:
        """Refuse to trace a run: Temporal has a history of its own.

        Raises:
            typer.BadParameter: Always.
        """
        message = (
            f"Run {run.id!r} is on Temporal, whose own interface shows its history. Traces are of runs in a journal."
        )
        raise typer.BadParameter(message)

    def can_go_on(self, run: RunInfo) -> bool:  # noqa: ARG002 - as in `Place`
        """Tell that nothing has to be done for a run from here."""
        return False

    def how_to_go_on(self, run_id: str) -> None:
        """Return that no command is needed; see `Place.how_to_go_on`."""

    async def luggage(self, run_id: str) -> tuple[dict[str, Any], str]:
        """Return a run as it stands as data, and in words why it is only what it began with, if so.

        Of a run that has not ended a worker has to tell.
        """
        handle = self._runs.client.get_workflow_handle(run_id)
        described = await handle.describe()
        note = (
            f"No worker tells of run {run_id}, so only what it began with is shown of its history. "
            "To start one: planboard worker TARGET"
        )
        try:
            if described.status not in (None, WorkflowExecutionStatus.RUNNING):
                return await handle.result(), ""
            if await is_worked_on(self._runs.client, described.task_queue):
                return await handle.query("planboard.process", rpc_timeout=PATIENCE), ""
        except WorkflowFailureError as error:
            note = f"Run {run_id} was ended from outside ({error.cause}), so only what it began with is known."
        except WorkflowQueryFailedError as error:
            note = f"No worker can tell more of run {run_id} than what it began with: {error}"
        except RPCError:
            pass  # it was there until a while ago
        return await self._first(run_id), note

    async def _first(self, run_id: str) -> Any:
        """Return what a workflow was begun with."""
        client = self._runs.client
        async for event in client.get_workflow_handle(run_id).fetch_history_events(page_size=1):
            given = event.workflow_execution_started_event_attributes.input
            return (await client.data_converter.decode(given.payloads))[0]
        message = f"The server has no history of run {run_id!r}."
        raise UnknownRunError(run_id, message)

    def _outline(self, run: RunInfo) -> Outline:
        luggage, note = self._server.call(self.luggage(run.id))
        begun = luggage["run"]
        info = replace(run, created_at=begun["created_at"], target=begun["target"], fingerprint=begun["fingerprint"])
        outline = Outline(info).follow(_events(run.id, luggage))
        if note:
            say(note)
            standing = run.standing
            outline.status, outline.reason = ProcessStatus(standing.status), standing.reason
            outline.wakes_at = standing.wakes_at
        children = [child for child in self.runs(beginning=f"{run.id}.") if child.parent_id == run.id]
        under_way = tuple(f"{run.id}.{call}" for call in outline.under_way)
        outline.children = [
            self._outline(child) if child.id.startswith(under_way) else Outline(child) for child in children
        ]
        return outline

    async def asked_by(self, run_id: str) -> list[Request]:
        """Return what a run and its children wait for."""
        return list(await self._runs.pending(run_id))

    async def _listed(self, query: str, *, limit: int | None = None) -> list[RunInfo]:
        found = self._runs.client.list_workflows(query, limit=limit)
        return [await _info_of(execution) async for execution in found]

    async def _info(self, run_id: str) -> RunInfo | None:
        try:
            described = await self._runs.client.get_workflow_handle(run_id).describe()
        except RPCError as error:
            if error.status in (RPCStatusCode.NOT_FOUND, RPCStatusCode.INVALID_ARGUMENT):
                return None
            raise
        return await _info_of(described) if described.workflow_type == WORKFLOW else None

    async def _pending(self, run: RunInfo | None, beginning: str) -> list[Request]:
        if run is not None:
            return await self.asked_by(run.id)
        found: dict[str, Request] = {}
        query = f"{_query(beginning)} AND ExecutionStatus = 'Running'"
        async for execution in self._runs.client.list_workflows(query):
            found |= {request.id: request for request in (await _run(execution)).pending}
        if beginning and await self._info(beginning) is not None:
            found |= {request.id: request for request in await self.asked_by(beginning)}
        return list(found.values())

    # Changing

    def respond(self, request_id: str, readings: Sequence[object], means: Means) -> str:
        """Answer a request; see `Place.respond`. The agent is not needed."""
        _refuse(means)
        refused: InvalidAnswerError | None = None
        for reading in readings:
            try:
                taken = self._server.call(self._runs.respond(request_id, reading, patience=PATIENCE))
            except InvalidAnswerError as error:
                refused = refused or error
                continue
            if not taken:
                say("No worker is there now; the answer is left for the next one, which drops it if it does not fit.")
            return self._root(self.find(request_id.rpartition(":")[0])).id
        assert refused is not None  # noqa: S101 - there is at least one reading
        raise refused

    def cancel(self, run: RunInfo, reason: str, means: Means) -> str:  # noqa: ARG002 - Temporal's own has none
        """Cancel a run; see `Place.cancel`."""
        _refuse(means)
        root = self._root(run)
        if root.id != run.id:
            message = f"Run {run.id!r} is a part of {root.id!r}. To cancel that: planboard cancel {root.id}"
            raise typer.BadParameter(message)
        self._server.call(self._runs.cancel(run.id))
        return f"Run {run.id} stops as soon as a worker is there and its current action allows."

    def resume(self, run: RunInfo, means: Means, watching: Watching) -> Ending:  # noqa: ARG002 - as in `Place`
        """Refuse: workers go on with runs."""
        _refuse_because(run_words.NO_RESUME)

    def fork(self, run: RunInfo, at: int | None, new_id: str | None, means: Means) -> str:  # noqa: ARG002
        """Refuse: the past of a run belongs to the server."""
        _refuse_because(run_words.NO_FORK)

    def _root(self, run: RunInfo) -> RunInfo:
        """Return the run that was begun from outside."""
        while run.parent_id is not None:
            run = self.find(run.parent_id)
        return run


def _query(beginning: str) -> str:
    """Return what finds the runs whose id begins so."""
    query = f"WorkflowType = '{WORKFLOW}'"
    if not beginning:
        return query
    escaped = beginning.replace("\\", "\\\\").replace("'", "\\'")
    return f"{query} AND WorkflowId STARTS_WITH '{escaped}'"


async def _info_of(execution: WorkflowExecution) -> RunInfo:
    run = await _run(execution)
    standing = Standing(
        run.status.value,
        run.reason,
        None if run.wakes_at is None else run.wakes_at.timestamp(),
        tuple(request.id for request in run.pending),
    )
    begun = 0.0 if run.started_at is None else run.started_at.timestamp()
    ended = 0.0 if run.ended_at is None else run.ended_at.timestamp()
    return RunInfo(run.id, run.agent, "", begun, run.parent_id, None, standing, updated_at=ended)


def _events(run_id: str, luggage: dict[str, Any]) -> Iterable[Happened]:
    bodies = expanded(luggage["events"])
    records = [Record(seq, str(from_text(body)["kind"]), 0.0, body) for seq, body in enumerate(bodies, 1)]
    return happened(run_id, records)


def _refuse(means: Means) -> None:
    """Refuse options that mean nothing here: who answers on Temporal needs no agent."""
    given = {
        "--target": means.target,
        "--planner": means.planner,
        "--secret": means.secrets,
        "--allow-changes": means.allow_changes,
    }
    if means.by:
        _refuse_because("--by is for runs in a file: who answers is not kept on Temporal. Leave it out.")
    option = next((name for name, value in given.items() if value), None)
    if option is not None:
        _refuse_because(f"{option} says how an agent is loaded; on Temporal the workers have done that. Leave it out.")


def _refuse_because(message: str) -> NoReturn:
    raise typer.BadParameter(message)
