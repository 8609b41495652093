"""Workers: programs that carry runs on. Start as many as there is work for, on as many machines as you like."""

from collections.abc import Iterable, Mapping
from datetime import timedelta

from temporalio.client import Client
from temporalio.worker import Worker

from planboard.durable.temporal.acting import Acting
from planboard.durable.temporal.home import QUEUE, Home
from planboard.durable.temporal.workflow import AtHome, ProcessWorkflow
from planboard.runtime.agent import Agent


def worker(
    client: Client,
    agents: Iterable[Agent],
    *,
    queue: str = QUEUE,
    actions: int = 40,
    lost_after: timedelta = timedelta(seconds=30),
    grace: timedelta = timedelta(seconds=10),
    longest: int = 2000,
    secrets: Mapping[str, object] | None = None,
) -> Worker:
    """Return a worker for runs of agents; `await worker.run()`, or use it in `async with`.

    Every worker of a queue needs the same agents. One that is stopped, or killed, is replaced by any other: what is
    done is not done again, and what was running is run again if it says that this does no harm; otherwise somebody is
    asked.

    Args:
        client: The connection; see `connect`.
        agents: What it can run, with all that they run as children.
        queue: Which work it takes.
        actions: How many actions it runs at once; plain functions have a thread each.
        lost_after: An action is taken for lost when its worker has been silent for so long. An `async` action that
            blocks its event loop for longer counts as silent.
        grace: When it is stopped: how long actions may go on.
        longest: A workflow whose history has more events than this goes on in a new one.
        secrets: What is never written, for values that hold some: `{"Login.password": "..."}`.

    Raises:
        DefinitionError: Something is no agent, or two agents have one name.
    """
    home = Home.of(agents, queue=queue, actions=actions, lost_after=lost_after, longest=longest, secrets=secrets or {})
    return Worker(
        client,
        task_queue=queue,
        workflows=[ProcessWorkflow],
        activities=Acting(home).all,
        interceptors=[AtHome(home)],
        max_concurrent_activities=actions,
        max_concurrent_local_activities=actions,
        max_concurrent_workflow_tasks=max(actions, 2),  # each has its local activity at once, so it is done in time
        sticky_queue_schedule_to_start_timeout=timedelta(seconds=2),
        graceful_shutdown_timeout=grace,
    )


async def work(
    agents: Iterable[Agent], address: str = "localhost:7233", *, namespace: str = "default", queue: str = QUEUE
) -> None:
    """Connect and work until it is cancelled; what `planboard worker` does.

    Raises:
        ConnectionError: Nobody answers at the address.
        DefinitionError: Something is no agent, or two agents have one name.
    """
    from planboard.durable.temporal.client import connected

    await worker(await connected(address, namespace), agents, queue=queue).run()
