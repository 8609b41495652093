"""Beginning a run on a Temporal server from a command, and waiting for its end."""

import asyncio
from collections.abc import Mapping
from typing import Any

from temporalio.client import WorkflowFailureError
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError

from planboard.cli.asking import command, request_lines
from planboard.cli.complaints import complaints
from planboard.cli.ending import Ending, ending_of
from planboard.cli.preparing import Prepared
from planboard.cli.reporting import say, usage_errors
from planboard.cli.runs.server import Server, is_worked_on
from planboard.cli.runs.standing import run_document
from planboard.cli.runs.temporal import TemporalPlace
from planboard.durable.temporal.calling import TASK_TIMEOUT, WORKFLOW
from planboard.durable.temporal.home import Home
from planboard.durable.temporal.standing import MEMO, standing_of
from planboard.errors import RunExistsError
from planboard.events import ProcessStatus

_OFTEN, _SELDOM = 0.25, 5.0
"""How often a run that is waited for is asked whether it asks something, in seconds: ever less often."""


class Submission:
    """A run that a command begins.

    Args:
        server: Where.
        ready: The process with its inputs, kept in a journal in memory.
        queue: Whose workers do it.
        secrets: What is never written, by name.

    Raises:
        typer.BadParameter: Its planner or a policy cannot be sent, or agents have one name.
    """

    def __init__(self, server: Server, ready: Prepared, queue: str, secrets: Mapping[str, object]) -> None:
        self._server = server
        self._ready = ready
        self._place = TemporalPlace(server)
        self._id = ready.process.id
        with usage_errors():
            self._home = Home.of([ready.process.agent], queue=queue, secrets=secrets)
            self._planner = self._home.name_of(ready.process.planner, ready.process.agent)

    def begin(self) -> None:
        """Send the run to the server.

        Raises:
            RunExistsError: There is a run of that id.
            typer.BadParameter: What it begins with is too large.
        """
        process = self._ready.process
        process._flush()  # noqa: SLF001 - its inputs are on the board, and shall be among its events
        with usage_errors():
            luggage = self._home.pack(process, self._planner)
        self._server.call(self._begin(luggage))

    async def _begin(self, luggage: dict[str, Any]) -> None:
        try:
            await self._server.client.start_workflow(
                WORKFLOW,
                luggage,
                id=self._id,
                task_queue=self._home.queue,
                task_timeout=TASK_TIMEOUT,
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                memo={MEMO: standing_of(self._ready.process)},
            )
        except WorkflowAlreadyStartedError:
            message = f"There is a run {self._id!r} already. Give another --id."
            raise RunExistsError(self._id, message) from None

    def tell(self, *, wait: bool) -> None:
        """Tell what was begun, and whether a worker is there.

        Args:
            wait: Whether its end is waited for.
        """
        if self._ready.hint:
            say(self._ready.hint)
        if wait:
            say(f"Run {self._id} is begun.")
        else:
            say(f"To see where it stands:\n  $ {command('show', self._id, words=self._place.words)}")
        if not self._server.call(is_worked_on(self._server.client, self._home.queue)):
            words = (*self._place.words, *(() if self._home.queue == "planboard" else ("--queue", self._home.queue)))
            target = self._ready.process.options.target or "TARGET"
            say(f"No worker of its queue is there; it waits for one:\n  $ {command('worker', target, words=words)}")

    def wait(self) -> Ending | None:
        """Wait until the run has ended, and tell meanwhile what it asks; `None` when Ctrl-C was pressed."""
        try:
            luggage = self._server.call(self._ended())
        except KeyboardInterrupt:
            shown, cancelled = (command(word, self._id, words=self._place.words) for word in ("show", "cancel"))
            say(f"Run {self._id} goes on. To see where it stands, or to stop it:\n  $ {shown}\n  $ {cancelled}")
            return None
        except WorkflowFailureError as error:
            run = self._place.find(self._id)
            reason = f"it was ended from outside: {error.cause}"
            return Ending(self._id, ProcessStatus(run.standing.status), reason, run_document(run))
        with complaints():
            return ending_of(self._home.unpack(luggage), self._ready.returning, kept=True)

    async def _ended(self) -> Any:
        ended = asyncio.ensure_future(self._server.client.get_workflow_handle(self._id).result())
        told: set[str] = set()
        pause = _OFTEN
        try:
            while True:
                done, _ = await asyncio.wait({ended}, timeout=pause)
                if done:
                    return ended.result()
                for request in await self._place.asked_by(self._id):
                    if request.id not in told:
                        told.add(request.id)
                        say("\n".join(request_lines(request, self._place.words)))
                pause = min(pause * 2, _SELDOM)
        finally:
            ended.cancel()
