"""What the tests on Temporal share: a queue of their own, workers, and waiting until something holds."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

from temporalio.worker import Worker

from planboard import Agent
from planboard.durable.temporal import TemporalRuns, worker
from planboard.runtime.requests import Request

T = TypeVar("T")


class Scene:
    """A queue on a server, with agents of its own."""

    def __init__(self, runs: TemporalRuns, queue: str, agents: tuple[Agent, ...]) -> None:
        self.runs = runs
        self.queue = queue
        self.agents = agents

    def worker(self, *agents: Agent, **options: Any) -> Worker:
        """Return a worker of the queue; with other agents if some are given."""
        options.setdefault("lost_after", timedelta(seconds=1))
        options.setdefault("grace", timedelta(0))
        return worker(self.runs.client, agents or self.agents, queue=self.queue, **options)

    async def asked(self, run_id: str, purpose: str | None = None) -> Request:
        """Wait until a run, or a child of it, asks something."""

        async def look() -> Request | None:
            found = [request for request in await self.runs.pending(run_id) if purpose in (None, request.purpose)]
            return found[0] if found else None

        return await until(look)

    async def history(self, run_id: str) -> list[Any]:
        """Return the events that Temporal has of a run."""
        found = await self.runs.client.get_workflow_handle(run_id).fetch_history()
        return list(found.events)


async def until(look: Callable[[], Awaitable[T | None]]) -> T:
    """Wait until something is found."""
    async with asyncio.timeout(30):
        while not (found := await look()):
            await asyncio.sleep(0.02)
    return found


def on(address: str, *agents: Agent, worker: bool = True, **options: Any) -> Callable[..., Any]:
    """Run an async function with a scene, and with a worker unless told otherwise; return what it returns."""

    def play(act: Callable[[Scene], Awaitable[T]]) -> T:
        async def with_scene() -> T:
            async with scene(address, *agents) as made:
                if not worker:
                    return await act(made)
                async with made.worker(**options):
                    return await act(made)

        return asyncio.run(with_scene())

    return play


@asynccontextmanager
async def scene(address: str, *agents: Agent) -> AsyncIterator[Scene]:
    """Make a scene."""
    queue = f"queue-{uuid4()}"
    yield Scene(await TemporalRuns.connect(address, agents, queue=queue), queue, agents)
