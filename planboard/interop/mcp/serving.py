"""An agent as an MCP server, with its goals as tools; and the two ways to serve it."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from socket import socket
from typing import Any

from mcp.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.types import ListToolsResult, Tool

from planboard.errors import DefinitionError
from planboard.interop.mcp.calls import Calls
from planboard.interop.mcp.goals import GoalTool, tools_of
from planboard.interop.mcp.guarding import Guarded
from planboard.interop.mcp.kept import KeptRuns
from planboard.planners.base import Planner
from planboard.runtime.agent import Agent, as_planner
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process

_A_DAY = 24 * 3600.0
"""How long an answer may be on its way, in seconds."""
PATH = "/mcp"
"""Where tools are served over HTTP."""


def make_server(
    agent: Agent,
    *,
    planner: Planner | str | None,
    options: ProcessOptions,
    how_to_answer: Callable[[Process], str] | None,
    clients_answer: bool,
) -> Server[Any]:
    """Return the server; see `to_mcp`."""
    if not isinstance(agent, Agent):
        message = f"to_mcp({agent!r}): it is no Agent."
        raise DefinitionError(message)
    tools = tools_of(agent)
    chosen = None if planner is None else as_planner(planner)
    kept = None
    if options.journal is not None:
        kept = KeptRuns(agent, tools, chosen, options, clients_answer=clients_answer)
    elif clients_answer:
        message = "to_mcp(clients_answer=True): without a journal no run waits for an answer. Pass options with one."
        raise DefinitionError(message)
    calls = Calls(agent, tools, chosen, options, how_to_answer, kept)
    further = [] if kept is None else kept.tools()
    listed = ListToolsResult(tools=[*(_listed(tool) for tool in tools.values()), *further])

    async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
        return listed

    server: Server[Any] = Server(
        agent.name,
        version=import_module("planboard").__version__,
        instructions=agent.description or None,
        on_list_tools=list_tools,
        on_call_tool=calls.answer,
    )
    security = RequestStateSecurity.ephemeral(ttl=_A_DAY)
    server.middleware.append(RequestStateBoundary(security, default_audience=agent.name))
    return server


def _listed(tool: GoalTool) -> Tool:
    return Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output.schema,
    )


async def serve_on_stdio(server: Server[Any], at_end: Callable[[], None] = lambda: None) -> None:
    """Serve one client over standard input and output, until it closes them.

    Standard output belongs to the protocol: what actions print goes to standard error.

    Args:
        server: What is served.
        at_end: Called when all calls have ended. If this is cancelled it cannot return before standard input ends,
            for a thread reads that.
    """
    async with stdio_server() as (incoming, outgoing):
        try:
            with redirect_stdout(sys.stderr):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            at_end()


async def serve_on_http(server: Server[Any], listening: socket, host: str, token: str | None = None) -> None:
    """Serve any number of clients over streamable HTTP, until the program is told to stop.

    Args:
        server: What is served.
        listening: The socket, bound to its address.
        host: The host it is bound to. Only for this machine's own is it checked that requests were meant for it.
        token: What clients have to send, as `Authorization: Bearer ...`; `None` to serve whoever comes.
    """
    import uvicorn

    app: Any = server.streamable_http_app(streamable_http_path=PATH, host=host)
    guarded = app if token is None else Guarded(app, token)
    config = uvicorn.Config(guarded, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=5)
    with redirect_stdout(sys.stderr):
        await uvicorn.Server(config).serve(sockets=[listening])
