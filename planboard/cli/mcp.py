"""The command `mcp`: serves the goals of an agent as tools to programs that speak the Model Context Protocol."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

from planboard.cli import words
from planboard.cli.asking import how_to_go_on, request_lines
from planboard.cli.complaints import complaints
from planboard.cli.reporting import INTERRUPTED, reporting, say, stdout_reserved, usage_errors
from planboard.cli.running import model_named
from planboard.cli.runs import run_words
from planboard.cli.runs.places import JOURNAL, journal_to_keep
from planboard.cli.target import loaded
from planboard.llm.openai_llm import close_models
from planboard.runtime.options import Budget, ProcessOptions
from planboard.runtime.policies import as_policies
from planboard.runtime.process import Process

app = typer.Typer()

_HELP = """Serve an agent's goals as tools over the Model Context Protocol.

Each call of a tool is a run. Arguments are what the agent starts from, and the result is what it is run for. When the \
run needs a person, the client asks its user; with --journal FILE the run is kept if it cannot, and there are tools \
for the runs that are kept.

Standard input and output belong to the client that started the command; with --http it serves many. \
Needs the extra: pip install 'planboard\\[mcp]'.

\b
Examples:
  planboard mcp agents.py
  planboard mcp agents.py:reporter --planner utility --journal runs.db
  planboard mcp agents.py --http 127.0.0.1:8765
"""
_HTTP = (
    "Serve over streamable HTTP at this address instead, under /mcp; port 0 takes a free one. Clients must send the "
    "token that the environment variable PLANBOARD_MCP_TOKEN holds; it may be missing only for this machine's own."
)
_OPEN = "Serve at an address that others reach without a token: whoever reaches it can run the agent."
_ANSWER = (
    "With a journal: let clients answer what kept runs ask, with the tool answer_request. Whatever uses the client "
    "answers then, be it a model that consents to what it wanted itself."
)
_LOCAL = "127.0.0.1"
_TOKEN = "PLANBOARD_MCP_TOKEN"  # noqa: S105 - the name of a variable
_SHORTEST = 16
"""Characters that a token must have at least: what is shorter can be guessed."""


@app.command(help=_HELP)
@reporting
def mcp(  # noqa: PLR0913, PLR0917 - one for each option
    target: Annotated[str, typer.Argument(metavar="TARGET", help=words.TARGET, show_default=False)],
    planner: Annotated[str | None, typer.Option("--planner", "-p", metavar="NAME", help=words.PLANNER)] = None,
    http: Annotated[str | None, typer.Option("--http", metavar="HOST:PORT", help=_HTTP)] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1, help=words.CONCURRENCY)] = 1,
    max_actions: Annotated[int | None, typer.Option("--max-actions", min=0, help=words.MAX_ACTIONS)] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0.0, help=words.MAX_COST)] = None,
    max_calls: Annotated[int | None, typer.Option("--max-llm-calls", min=0, help=words.MAX_CALLS)] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help=words.MODEL)] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help=words.BASE_URL)] = None,
    journal: Annotated[
        Path | None, typer.Option("--journal", metavar="FILE", envvar=JOURNAL, help=run_words.RUN_JOURNAL)
    ] = None,
    approve: Annotated[
        list[str] | None, typer.Option("--approve", metavar="PATTERN", help=run_words.RUN_APPROVE)
    ] = None,
    *,
    without_token: Annotated[bool, typer.Option("--without-token", help=_OPEN)] = False,
    clients_answer: Annotated[bool, typer.Option("--clients-answer", help=_ANSWER)] = False,
    debug: Annotated[bool, typer.Option("--debug", help=words.DEBUG)] = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """Serve an agent."""
    from planboard.interop.mcp import to_mcp
    from planboard.interop.mcp.extra import need_sdk

    try:
        need_sdk("planboard mcp")
    except ImportError as error:
        raise typer.BadParameter(str(error)) from error
    with usage_errors():
        budget = Budget(actions=max_actions, cost=max_cost, llm_calls=max_calls)
    address = None if http is None else _address(http)
    token = None if address is None else _token(address[0], without=without_token)
    if clients_answer and journal is None:
        message = "--clients-answer: without a journal no run waits for an answer. Add --journal FILE."
        raise typer.BadParameter(message)
    with ExitStack() as stack:
        keeping = stack.enter_context(journal_to_keep(journal))
        options = ProcessOptions(
            budget=budget, concurrency=concurrency, approvals=as_policies(approve or ()),
            journal=keeping.journal, target=keeping.target_of(target),
        )  # fmt: skip
        stack.enter_context(complaints())
        stack.enter_context(model_named(model, base_url))
        with stdout_reserved():
            agent = stack.enter_context(loaded(target)).agent
            with usage_errors():
                server = to_mcp(
                    agent, planner=planner, options=options, how_to_answer=_commands(keeping.words),
                    clients_answer=clients_answer,
                )  # fmt: skip
        if address is None:
            _serve_on_stdio(server)
        else:
            _serve_on_http(server, address, agent.name, token)
    return 0


def _commands(options: tuple[str, ...] | None) -> Callable[[Process], str]:
    def told(process: Process) -> str:
        lines = [line for request in process.pending for line in request_lines(request, options or ())]
        return "\n".join([*lines, "Then, to go on:", f"  $ {how_to_go_on(process.id, options or ())}"])

    return told


def _serve_on_stdio(server: Any) -> None:
    """Serve until the client is gone, or Ctrl-C or SIGTERM; then the runs are cancelled first."""
    from planboard.interop.mcp.serving import serve_on_stdio

    stopped = False

    def at_end() -> None:
        if stopped:
            os._exit(INTERRUPTED)  # the thread that reads standard input can be left behind in no other way

    async def serve() -> None:
        loop, serving = asyncio.get_running_loop(), asyncio.current_task()
        assert serving is not None  # noqa: S101 - this is one

        def stop(_number: int, _frame: FrameType | None) -> None:
            nonlocal stopped
            if stopped:
                os._exit(INTERRUPTED)
            stopped = True
            loop.call_soon_threadsafe(serving.cancel)

        is_main = threading.current_thread() is threading.main_thread()
        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM) if is_main}
        try:
            await serve_on_stdio(server, at_end)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            await close_models()

    asyncio.run(serve())


def _serve_on_http(server: Any, address: tuple[str, int], name: str, token: str | None) -> None:
    from planboard.interop.mcp.serving import PATH, serve_on_http

    host, port = address
    with closing(_listening(host, port)) as listening:
        shown = f"[{host}]" if ":" in host else host
        say(f"Serving {name} at http://{shown}:{listening.getsockname()[1]}{PATH}. Press Ctrl-C to stop.")
        if token is not None:
            say(f"Clients must send the token of {_TOKEN}.")
        elif not _is_own(host):
            say("There is no token: whoever reaches this address can run the agent.")

        async def serve() -> None:
            try:
                await serve_on_http(server, listening, host, token)
            finally:
                await close_models()

        asyncio.run(serve())


def _address(text: str) -> tuple[str, int]:
    """Return host and port: `HOST:PORT`, `[IPV6]:PORT`, or the port alone for this machine only.

    Raises:
        typer.BadParameter: It is no address.
    """
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 2**16):
        message = f"--http {text!r} is no address. Write HOST:PORT, such as {_LOCAL}:8765."
        raise typer.BadParameter(message)
    return host.strip("[]") or _LOCAL, int(port)


def _is_own(host: str) -> bool:
    """Tell whether only this machine reaches a host."""
    return host in (_LOCAL, "localhost", "::1")


def _token(host: str, *, without: bool) -> str | None:
    """Return what clients have to send, from the environment; `None` if nothing.

    Raises:
        typer.BadParameter: It is needed and missing, or is none.
    """
    token = os.environ.get(_TOKEN)
    if token is not None and without:
        message = f"--without-token: {_TOKEN} is set. Unset it, or leave the option out."
        raise typer.BadParameter(message)
    if token is None:
        if without or _is_own(host):
            return None
        message = (
            f"--http {host}: others reach this address, and whoever reaches it can run the agent. Set {_TOKEN} to a "
            "token that clients must send, or add --without-token if something else protects it."
        )
        raise typer.BadParameter(message)
    if len(token) < _SHORTEST or not (token.isascii() and token.isprintable()) or " " in token:
        message = f"{_TOKEN}: a token has {_SHORTEST} characters or more, of ASCII and without spaces."
        raise typer.BadParameter(message)
    return token


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address.

    Raises:
        typer.BadParameter: It cannot be bound to it.
    """
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(place[:2], family=family)
    except OSError as error:
        message = f"--http {host}:{port}: {error.strerror or error}."
        raise typer.BadParameter(message) from error
