"""A connection to an MCP server, kept in a task of its own.

The SDK works with task groups, which must be left by the task that has entered them; but whoever opens a connection
may be another than who closes it. So one task enters, waits until it is told to close, and leaves. Calls are made
from any task of the same event loop.
"""

import logging
from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from planboard._text import suggest
from planboard.blackboard.schema import describe_error
from planboard.errors import McpError, McpToolError, McpUnavailableError
from planboard.interop.mcp.places import LastWords, Place
from planboard.interop.mcp.results import Outcome

if TYPE_CHECKING:
    import asyncio

_log = logging.getLogger("planboard.interop.mcp")

_PAGES = 1000
"""After so many pages of tools nobody believes that the list will end."""
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_FOR_NOW = frozenset({429, 502, 503, 504})
"""Refusals by HTTP that another try may not meet."""
_FAULT = 500
"""Characters of a fault that are told."""


class Connection:
    """One connection, and the tools that the server had when it was opened."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._last_words = LastWords()
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._scope: Any = None
        self._enough: asyncio.Event | None = None
        self.tools: dict[str, Any] = {}
        """The tools as the SDK has them, by name, in the order of the server."""

    @property
    def is_here(self) -> bool:
        """Whether it is open, and calls can be made from the event loop that runs now."""
        import asyncio

        return self._client is not None and self._loop is asyncio.get_running_loop()

    async def open(self, limit: float) -> None:
        """Connect, and ask for the tools.

        Args:
            limit: How long that may take, in seconds.

        Raises:
            McpUnavailableError: The server does not start, ends, or does not answer in time.
            McpError: It answers something that cannot be used.
        """
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._enough = asyncio.Event()
        opened: asyncio.Future[None] = self._loop.create_future()
        self._task = self._loop.create_task(self._hold(opened), name=f"MCP server {self._place.name}")
        try:
            done, _ = await asyncio.wait({opened}, timeout=limit)
        except BaseException:
            await self._give_up()
            raise
        if not done:
            await self._give_up()
            raise self._unavailable(f"did not answer within {limit:g} s")
        error = opened.exception()
        if error is not None:
            await self._give_up()
            raise self._in_words(error, "cannot be used") from error

    async def close(self) -> None:
        """Disconnect; a process that was started ends. What goes wrong then is only logged."""
        self._client = None
        if self._enough is not None:
            self._enough.set()
        await self._ended()

    async def call(self, tool: str, arguments: dict[str, Any], limit: float | None) -> Outcome:
        """Call a tool.

        Args:
            tool: What the server calls it.
            arguments: As JSON data.
            limit: How long that may take, in seconds; `None` for no limit.

        Raises:
            McpUnavailableError: The server has ended, or does not answer in time.
            McpToolError: The tool reports an error.
            McpError: There is no such tool, or what it gave does not fit.
        """
        import anyio

        name = self._place.name
        if tool not in self.tools:
            await self._look_again(limit)
        if tool not in self.tools:
            message = f"MCP server {name!r} has no tool {tool!r}. {suggest(tool, self.tools)}"
            raise McpError(name, message)
        try:
            with anyio.fail_after(limit):
                result = await self._client.call_tool(tool, arguments)
        except TimeoutError as error:
            message = f"MCP server {name!r} ({self._place.words}): tool {tool!r} did not answer within {limit:g} s."
            raise McpUnavailableError(name, message) from error
        except Exception as error:
            raise self._in_words(error, f"failed at tool {tool!r}") from error
        outcome = Outcome.of(result)
        if outcome.is_error:
            message = outcome.text or "the tool reports an error, and says nothing"
            raise McpToolError(name, tool, message)
        return outcome

    async def _hold(self, opened: "asyncio.Future[None]") -> None:
        import anyio

        assert self._enough is not None  # noqa: S101 - set before the task begins
        try:
            with anyio.CancelScope() as self._scope:
                async with self._place.reached(self._last_words) as client:
                    self.tools = await self._listed(client)
                    self._client = client
                    if not opened.done():
                        opened.set_result(None)
                    await self._enough.wait()
        except Exception as error:  # noqa: BLE001 - handed to whoever opens it; afterwards, calls find out
            if opened.done():
                _log.debug("MCP server %s: %s", self._place.name, describe_error(error))
            else:
                opened.set_exception(error)
        finally:
            self._client = None
            if not opened.done():
                opened.cancel()

    async def _look_again(self, limit: float | None) -> None:
        """Ask for the tools once more: the server may have got some since."""
        import anyio

        try:
            with anyio.fail_after(limit):
                self.tools = await self._listed(self._client)
        except TimeoutError as error:
            raise self._unavailable(f"did not list its tools within {limit:g} s") from error
        except Exception as error:
            raise self._in_words(error, "cannot be used") from error

    async def _listed(self, client: Any) -> dict[str, Any]:
        """Return all tools, however many pages they take; a server that begins anew is not followed."""
        found: dict[str, Any] = {}
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(_PAGES):
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                if found.setdefault(tool.name, tool) != tool:
                    message = f"MCP server {self._place.name!r} lists two different tools named {tool.name!r}."
                    raise McpError(self._place.name, message)
            cursor = page.next_cursor
            if cursor is None or cursor in seen:
                break
            seen.add(cursor)
        return found

    async def _give_up(self) -> None:
        if self._scope is not None:
            self._scope.cancel()
        elif self._task is not None:
            self._task.cancel()
        await self._ended()

    async def _ended(self) -> None:
        """Wait until the task has ended, also if whoever waits is cancelled: no process is left behind."""
        import asyncio

        import anyio

        if self._task is not None:
            with anyio.CancelScope(shield=True):
                await asyncio.wait({self._task})
            self._task = None

    def _in_words(self, error: BaseException, what: str) -> McpError:
        """Return the error to raise for what went wrong in the SDK."""
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, REQUEST_TIMEOUT

        leaves = list(_leaves(error))
        own = next((leaf for leaf in leaves if isinstance(leaf, McpError)), None)
        if own is not None:
            return own
        said = next((leaf for leaf in leaves if isinstance(leaf, MCPError)), None)
        refusal = self._last_words.refusal
        if said is not None and said.code == INTERNAL_ERROR and refusal:
            status = f"HTTP {refusal} {_PHRASES.get(refusal, '')}".rstrip()
            if refusal in _FOR_NOW:
                return self._unavailable(f"cannot be reached: {status}")
            return McpError(self._place.name, f"{self._prefix} {what}: {status}: {said.message[:_FAULT]}")
        if said is not None and said.code not in (CONNECTION_CLOSED, REQUEST_TIMEOUT):
            return McpError(self._place.name, f"{self._prefix} {what}: {said.message[:_FAULT]}")
        if said is not None and said.code == CONNECTION_CLOSED:
            return self._unavailable("has ended" if self.tools else "ended before it was ready")
        broken = next((leaf for leaf in leaves if _is_of_transport(leaf)), None)
        if broken is not None or said is not None:
            return self._unavailable(f"cannot be reached: {str(broken or said)[:_FAULT]}")
        return McpError(self._place.name, f"{self._prefix} {what}: {describe_error(leaves[0])[:_FAULT]}")

    def _unavailable(self, what: str) -> McpUnavailableError:
        last = str(self._last_words)
        tail = f" Its last words: {last}" if last else ""
        return McpUnavailableError(self._place.name, f"{self._prefix} {what}.{tail}")

    @property
    def _prefix(self) -> str:
        return f"MCP server {self._place.name!r} ({self._place.words})"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _is_of_transport(error: BaseException) -> bool:
    import anyio
    import httpx2

    kinds = (OSError, httpx2.HTTPError, anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
    return isinstance(error, kinds)
