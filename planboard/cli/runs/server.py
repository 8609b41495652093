"""A connection to a Temporal server, for commands: what goes wrong with it is told in one line."""

import asyncio
import os
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from planboard.cli.runs.places import NAMESPACE

if TYPE_CHECKING:
    from temporalio.client import Client

T = TypeVar("T")

USUAL = "localhost:7233"
"""Where a server for development answers."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server, and what runs the coroutines that speak with it."""

    address: str
    namespace: str
    client: "Client"
    runner: asyncio.Runner

    def call(self, speaking: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, and return what it returns.

        Raises:
            typer.BadParameter: The server does not answer as it should.
        """
        from temporalio.service import RPCError

        try:
            return self.runner.run(speaking)
        except RPCError as error:
            message = f"The Temporal server at {self.address} answers: {error}"
            raise typer.BadParameter(message) from error


@contextmanager
def serving(address: str, namespace: str | None = None) -> Iterator[Server]:
    """Connect to a server for as long as a command runs.

    Args:
        address: Of the server, `host:port`.
        namespace: Where on the server; by default what the environment says, else the usual one.

    Raises:
        typer.BadParameter: Nobody answers there, there is no such namespace, or the extra is not installed.
    """
    chosen = namespace or os.environ.get(NAMESPACE) or "default"
    with asyncio.Runner() as runner:
        yield Server(address, chosen, runner.run(_connected(address, chosen)), runner)


async def _connected(address: str, namespace: str) -> "Client":
    try:
        from planboard.durable.temporal.client import connected
    except ImportError as error:
        if error.name != "temporalio":
            raise
        message = "For runs on Temporal the extra is needed: pip install 'planboard[temporal]'"
        raise typer.BadParameter(message) from error
    from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
    from temporalio.service import RPCError, RPCStatusCode

    if ":" not in address or "//" in address:
        message = f"--temporal {address!r}: write host:port, such as {USUAL}."
        raise typer.BadParameter(message)
    try:
        client = await connected(address, namespace)
        await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=namespace))
    except ConnectionError as error:
        message = str(error).partition(" (")[0]  # what follows is the library's own words, which are long
        raise typer.BadParameter(message) from error
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            message = (
                f"The Temporal server at {address} has no namespace {namespace!r}. "
                f"To make it: temporal operator namespace create --namespace {namespace} --address {address}"
            )
        else:
            message = f"The Temporal server at {address} answers: {error}"
        raise typer.BadParameter(message) from error
    return client


async def is_worked_on(client: "Client", queue: str) -> bool:
    """Tell whether a worker has asked for work in a queue lately."""
    from temporalio.api.enums.v1 import TaskQueueType
    from temporalio.api.taskqueue.v1 import TaskQueue
    from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest

    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    return bool((await client.workflow_service.describe_task_queue(request)).pollers)
