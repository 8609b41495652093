"""The commands for many machines: `worker` carries runs on, `submit` begins one."""

import asyncio
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from types import FrameType
from typing import Annotated, Any

import typer

from planboard._text import listed
from planboard.cli import words
from planboard.cli.ending import print_result, tell_why
from planboard.cli.preparing import prepared
from planboard.cli.reporting import INTERRUPTED, reporting, say, stdout_reserved, usage_errors, write_json
from planboard.cli.running import model_named
from planboard.cli.runs import run_words, server_words
from planboard.cli.runs.looking import Debug, Namespace
from planboard.cli.runs.places import TEMPORAL, secrets_given
from planboard.cli.runs.server import USUAL, Server, serving
from planboard.cli.target import loaded
from planboard.journal.memory import MemoryJournal
from planboard.runtime.agent import Agent
from planboard.runtime.options import Budget, ProcessOptions
from planboard.runtime.policies import as_policies

app = typer.Typer()

_Temporal = Annotated[str, typer.Option("--temporal", metavar="ADDRESS", envvar=TEMPORAL, help=server_words.TEMPORAL)]


@app.command(help=server_words.WORKER, rich_help_panel=server_words.PANEL)
@reporting
def worker(  # noqa: PLR0913, PLR0917 - one for each option
    targets: Annotated[list[str], typer.Argument(metavar="TARGET...", help=server_words.TARGETS, show_default=False)],
    temporal: _Temporal = USUAL,
    namespace: Namespace = None,
    queue: Annotated[str, typer.Option("--queue", metavar="NAME", help=server_words.QUEUE)] = "planboard",
    actions: Annotated[int, typer.Option("--actions", min=1, help=server_words.ACTIONS)] = 40,
    lost_after: Annotated[
        float, typer.Option("--lost-after", metavar="SECONDS", min=0.1, help=server_words.LOST_AFTER)
    ] = 30.0,
    grace: Annotated[float, typer.Option("--grace", metavar="SECONDS", min=0.0, help=server_words.GRACE)] = 10.0,
    secrets: Annotated[
        list[str] | None, typer.Option("--secret", metavar="NAME=VARIABLE", help=server_words.SECRET)
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help=words.MODEL)] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help=words.BASE_URL)] = None,
    *,
    debug: Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """Carry runs on."""
    options = {
        "queue": queue,
        "actions": actions,
        "lost_after": timedelta(seconds=lost_after),
        "grace": timedelta(seconds=grace),
        "secrets": secrets_given(secrets or ()),
    }
    with ExitStack() as stack:
        server = stack.enter_context(serving(temporal, namespace))
        stack.enter_context(stdout_reserved())
        stack.enter_context(model_named(model, base_url))
        agents = [stack.enter_context(loaded(target)).agent for target in targets]
        server.call(_work(server, agents, options))
    say("The worker has stopped.")
    return 0


async def _work(server: Server, agents: Sequence[Agent], options: Mapping[str, Any]) -> None:
    """Work until somebody wants it to stop."""
    from planboard.durable.temporal.worker import worker as made_for

    with usage_errors():
        made = made_for(server.client, agents, **options)
    stopped = asyncio.Event()
    with _stopping(stopped):
        working = asyncio.create_task(made.run())
        wanted = asyncio.create_task(stopped.wait())
        names = listed(list(dict.fromkeys(agent.name for agent in agents)))
        say(f"Working for {names} at {server.address}, queue {options['queue']!r}. Press Ctrl-C to stop.")
        await asyncio.wait({working, wanted}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            say("Stopping as soon as the current actions allow; press Ctrl-C again to stop at once.")
            await made.shutdown()
        wanted.cancel()
        await working


@contextmanager
def _stopping(stopped: asyncio.Event) -> Iterator[None]:
    """Take the first Ctrl-C or SIGTERM for a request to stop, and the second as an order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopped.is_set():
            os._exit(INTERRUPTED)  # a plain function in a thread can be left behind in no other way
        loop.call_soon_threadsafe(stopped.set)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@app.command(help=server_words.SUBMIT, rich_help_panel=server_words.PANEL)
@reporting
def submit(  # noqa: PLR0913, PLR0917 - one for each option
    target: Annotated[str, typer.Argument(metavar="TARGET", help=words.TARGET, show_default=False)],
    inputs: Annotated[list[str] | None, typer.Option("--input", "-i", metavar="INPUT", help=words.INPUT)] = None,
    planner: Annotated[str | None, typer.Option("--planner", "-p", metavar="NAME", help=words.PLANNER)] = None,
    returning: Annotated[str | None, typer.Option("--returning", "-r", metavar="TYPE", help=words.RETURNING)] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1, help=words.CONCURRENCY)] = 1,
    max_actions: Annotated[int | None, typer.Option("--max-actions", min=0, help=words.MAX_ACTIONS)] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0.0, help=words.MAX_COST)] = None,
    max_calls: Annotated[int | None, typer.Option("--max-llm-calls", min=0, help=words.MAX_CALLS)] = None,
    run_id: Annotated[str | None, typer.Option("--id", metavar="ID", help=server_words.RUN_ID)] = None,
    approve: Annotated[
        list[str] | None, typer.Option("--approve", metavar="PATTERN", help=run_words.RUN_APPROVE)
    ] = None,
    temporal: _Temporal = USUAL,
    namespace: Namespace = None,
    queue: Annotated[str, typer.Option("--queue", metavar="NAME", help=server_words.SUBMIT_QUEUE)] = "planboard",
    secrets: Annotated[
        list[str] | None, typer.Option("--secret", metavar="NAME=VARIABLE", help=server_words.SECRET)
    ] = None,
    *,
    wait: Annotated[bool, typer.Option("--wait", help=server_words.WAIT)] = False,
    as_json: Annotated[bool, typer.Option("--json", help=server_words.JSON)] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help=words.QUIET)] = False,
    debug: Debug = False,
) -> int:
    """Begin a run."""
    known = secrets_given(secrets or ())
    with usage_errors():
        budget = Budget(actions=max_actions, cost=max_cost, llm_calls=max_calls)
    options = ProcessOptions(
        budget=budget, concurrency=concurrency, approvals=as_policies(approve or ()), journal=MemoryJournal(),
        target=target,
    )  # fmt: skip
    with serving(temporal, namespace) as server:
        from planboard.cli.runs.submitting import Submission

        with prepared(target, inputs, planner, returning, options, run_id=run_id) as ready:
            submission = Submission(server, ready, queue, known)
            submission.begin()
            if not quiet:
                submission.tell(wait=wait)
            ending = submission.wait() if wait else None
    if not wait:
        if as_json:
            write_json({"id": ready.process.id, "agent": ready.process.agent.name, "target": target, "queue": queue})
        else:
            typer.echo(ready.process.id)
        return 0
    if ending is None:
        return INTERRUPTED
    tell_why(ending, hint=ready.hint, quiet=True, debug=debug)
    return print_result(ending, as_json=as_json)
