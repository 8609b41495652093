"""The Model Context Protocol: an agent's goals are served as tools, and tools of servers become actions. Extra `mcp`.

Nothing of the SDK is imported before it is used, so that an agent which mentions a server can be looked at without it.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planboard.interop.mcp.extra import need_sdk
from planboard.interop.mcp.results import McpResult
from planboard.interop.mcp.server import McpServer

if TYPE_CHECKING:
    from mcp.server import Server

    from planboard.planners.base import Planner
    from planboard.runtime.agent import Agent
    from planboard.runtime.options import ProcessOptions
    from planboard.runtime.process import Process

__all__ = ["McpResult", "McpServer", "from_mcp", "to_mcp"]


def from_mcp(  # noqa: PLR0913 - what a server may be told
    server: object,
    *,
    name: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    headers: Mapping[str, str] | None = None,
    only: Iterable[str] | None = None,
    prefix: str = "",
    timeout: float | None = 60.0,
    start_timeout: float = 30.0,
) -> McpServer:
    """Return a server of the Model Context Protocol, whose tools become actions or tools of models.

    Nothing is started yet; `async with from_mcp(...) as server:` connects, and disconnects at the end.

    Args:
        server: A command as a list of texts, which is started and spoken to over its standard input and output; an
            address that begins with http:// or https://, for streamable HTTP; or a server of the SDK in this program.
        name: What it is called in results and messages; by default the command's name, or the host.
        env: Environment variables of the process. Beside them it is given only what the SDK holds to be safe.
        cwd: The folder in which the command is started.
        headers: Sent with every HTTP request.
        only: The tools that are used, by name; all by default.
        prefix: Put before the names of tools, for servers whose tools have the same names.
        timeout: The seconds that a call may take; `None` for no limit.
        start_timeout: The seconds that connecting may take.

    Raises:
        DefinitionError: An argument cannot work.
    """
    return McpServer(
        server, name=name, env=env, cwd=cwd, headers=headers, only=only, prefix=prefix, timeout=timeout,
        start_timeout=start_timeout,
    )  # fmt: skip


def to_mcp(
    agent: "Agent",
    *,
    planner: "Planner | str | None" = None,
    options: "ProcessOptions | None" = None,
    how_to_answer: "Callable[[Process], str] | None" = None,
    clients_answer: bool = False,
) -> "Server[Any]":
    """Return an agent as a server of the MCP SDK: each type that its goals are about is a tool.

    Each call of a tool is a run of its own, with the arguments on its board. With a journal there are tools for the
    runs that are kept: `list_runs`, and `resume_run`, which gives the result of one.

    Args:
        agent: What is served.
        planner: What chooses the actions, instead of the agent's own.
        options: Of each run: budget, concurrency, journal and so on.
        how_to_answer: Says, of a run that is kept and waits, how it can be answered when the client cannot ask.
        clients_answer: Whether there is a tool `answer_request` as well. Whatever uses the client answers then, be it a
            model that consents to what it wanted itself.

    Raises:
        DefinitionError: No goal is about a type, what has to be given cannot be written in JSON, or clients are to
            answer though nothing is kept.
        UnknownNameError: No planner has the name.
        ImportError: The extra is not installed.
    """
    need_sdk("to_mcp")
    from planboard.interop.mcp.serving import make_server
    from planboard.runtime.options import ProcessOptions

    return make_server(
        agent, planner=planner, options=options or ProcessOptions(), how_to_answer=how_to_answer,
        clients_answer=clients_answer,
    )  # fmt: skip
