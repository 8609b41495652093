"""A server whose tools are used: as actions of agents, and as tools of models in actions."""

import sys
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from planboard._text import suggest
from planboard.actions.making import StepAction
from planboard.errors import DefinitionError, McpError
from planboard.interop.mcp.acting import action_of
from planboard.interop.mcp.agentic import McpTool, tool_of
from planboard.interop.mcp.connecting import Connection
from planboard.interop.mcp.extra import need_sdk
from planboard.interop.mcp.places import place_of
from planboard.interop.mcp.results import McpResult, Outcome
from planboard.types import Location, TypeForm

_START, _CALL = 30.0, 60.0


class McpServer:
    """An MCP server whose tools are used; `from_mcp` makes one.

    `async with` keeps one connection open, which all actions share that run on the same event loop. Without it, each
    call connects for itself.
    """

    def __init__(  # noqa: PLR0913 - the options of `from_mcp`
        self,
        server: object,
        *,
        name: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        headers: Mapping[str, str] | None = None,
        only: Iterable[str] | None = None,
        prefix: str = "",
        timeout: float | None = _CALL,
        start_timeout: float = _START,
    ) -> None:
        self._place = place_of(server, name=name, env=env, cwd=cwd, headers=headers)
        if not isinstance(prefix, str):
            message = f"from_mcp(prefix={prefix!r}): it is a text, which is put before the names of tools."
            raise DefinitionError(message)
        self._only = None if only is None else _names(only)
        self._prefix = prefix
        self._timeout = _checked("timeout", timeout) if timeout is not None else None
        self._start_timeout = _checked("start_timeout", start_timeout)
        self._connection: Connection | None = None

    @property
    def name(self) -> str:
        """What the server is called in results and messages."""
        return self._place.name

    async def __aenter__(self) -> Self:
        need_sdk("from_mcp")
        if self._connection is not None:
            message = f"MCP server {self.name!r} is open already. Make another one with from_mcp(...)."
            raise McpError(self.name, message)
        connection = self._connection = Connection(self._place)
        try:
            await connection.open(self._start_timeout)
            self._refuse_unknown(connection)
        except BaseException:
            self._connection = None
            await connection.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    @property
    def tools(self) -> tuple[McpTool, ...]:
        """The tools, for `ai.agentic(tools=[*server.tools])`: with the names, words and schemas of the server.

        Raises:
            McpError: The server is not open, so nobody knows its tools.
        """
        if self._connection is None:
            message = f"MCP server {self.name!r} is not open, so its tools are not known. Use `async with server:`."
            raise McpError(self.name, message)
        listed = self._connection.tools
        chosen = listed if self._only is None else self._only
        return tuple(
            tool_of(listed[tool], server=self.name, prefix=self._prefix, call=self._call_plain) for tool in chosen
        )

    def action(
        self,
        tool: str,
        *,
        takes: TypeForm | Mapping[str, TypeForm] = None,
        returns: TypeForm = McpResult,
        given: Mapping[str, Any] | None = None,
        name: str | None = None,
        **options: Any,
    ) -> StepAction:
        """Return an action that calls a tool. It needs no connection yet.

        What the server says of the tool, and of its effects, is not taken over: say yourself what it does, costs and
        whether it is `read_only`.

        Args:
            tool: The tool, as the server calls it.
            takes: A type whose objects are the arguments, or the types of single arguments by name; nothing by
                default. An argument that is `None` is left out. A secret is sent as it is.
            returns: What it puts on the board: made from the structured content or, without any, from the text. By
                default an `McpResult`, bound to the action's name.
            given: Arguments that are always the same.
            name: The action's name; by default the tool's, after the prefix.
            **options: What `@action` takes: `description`, `cost`, `retry`, `timeout`, `approval` and so on.

        Raises:
            DefinitionError: Something about it cannot work.
        """
        if self._only is not None and tool not in self._only:
            message = f"Tool {tool!r} of MCP server {self.name!r} is not among only=... {suggest(tool, self._only)}"
            raise DefinitionError(message)
        frame = _caller()
        return action_of(
            tool,
            server=self.name,
            takes=takes,
            returns=returns,
            given=given or {},
            name=name or f"{self._prefix}{tool}",
            where=Location(frame.f_code.co_filename, frame.f_lineno),
            module=frame.f_globals.get("__name__", ""),
            call=self._call,
            options=options,
        )

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> McpResult:
        """Call a tool and return what it gave.

        Raises:
            McpUnavailableError: The server does not start, has ended, or does not answer in time.
            McpToolError: The tool reports an error.
            McpError: There is no such tool, or what it gave does not fit its own schema.
        """
        outcome = await self._call(tool, dict(arguments or {}))
        return McpResult(server=self.name, tool=tool, text=outcome.text, data=outcome.data)

    async def _call(self, tool: str, arguments: dict[str, Any]) -> Outcome:
        async with self._connected() as connection:
            return await connection.call(tool, arguments, self._timeout)

    async def _call_plain(self, tool: str, arguments: dict[str, Any]) -> Any:
        return (await self._call(tool, arguments)).plain

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Connection]:
        """Yield the connection that is open here, else one that is closed again."""
        if self._connection is not None and self._connection.is_here:
            yield self._connection
            return
        need_sdk("from_mcp")
        own = Connection(self._place)
        try:
            await own.open(self._start_timeout)
            yield own
        finally:
            await own.close()

    def _refuse_unknown(self, connection: Connection) -> None:
        for tool in self._only or ():
            if tool not in connection.tools:
                message = f"MCP server {self.name!r} has no tool {tool!r}. {suggest(tool, connection.tools)}"
                raise DefinitionError(message)

    def __repr__(self) -> str:
        return f"<McpServer {self.name!r}: {self._place.words}>"


def _names(only: Iterable[str]) -> tuple[str, ...]:
    if isinstance(only, str):
        message = f"from_mcp(only={only!r}): give several names, as in only=[{only!r}]."
        raise DefinitionError(message)
    return tuple(dict.fromkeys(only))


def _checked(what: str, seconds: Any) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        message = f"from_mcp({what}={seconds!r}): it must be a number of seconds above 0."
        raise DefinitionError(message)
    return float(seconds)


def _caller() -> Any:
    frame: Any = sys._getframe()  # noqa: SLF001 - an action belongs to where it was asked for
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("planboard.interop.mcp"):
        frame = frame.f_back
    return frame
