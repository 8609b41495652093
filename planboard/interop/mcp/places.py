"""Where an MCP server is: a command that is started, an address, or an object of the SDK; and how it is reached."""

import logging
import os
import re
import shlex
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from planboard._text import without_secrets
from planboard.errors import DefinitionError

_log = logging.getLogger("planboard.interop.mcp")

_WORDS = 2000
"""Characters of what a server said last on standard error that are kept."""
_LINES = 3
"""Lines of it that are shown."""
_DRAIN = 0.5
"""For how many seconds it is waited for the rest of it when the process has ended."""
_SHOWN = 200
"""Characters of a command that are shown."""


class LastWords:
    """The end of what the process of a server has written to standard error."""

    def __init__(self) -> None:
        self._text = ""
        self.refusal = 0
        """The status of the last HTTP response if that was a refusal, such as 401; else 0."""

    def take(self, piece: bytes) -> None:
        """Take note of something; it also goes to the log, at level INFO."""
        said = piece.decode("utf-8", "replace")
        _log.info("%s", said.rstrip())
        self._text = (self._text + said)[-_WORDS:]

    def __str__(self) -> str:
        return without_secrets("\n".join(self._text.strip().splitlines()[-_LINES:]))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server is."""

    name: str
    words: str
    """How it is shown in messages, without secrets."""
    server: Any
    """The command as a tuple of words, the address as a text, or the object."""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @asynccontextmanager
    async def reached(self, last_words: LastWords) -> AsyncIterator[Any]:
        """Yield a connected client of the SDK."""
        from mcp import Client

        if isinstance(self.server, tuple):
            from mcp import StdioServerParameters, stdio_client

            command, *args = self.server
            asked = StdioServerParameters(command=command, args=args, env=dict(self.env), cwd=self.cwd)
            async with (
                _heard(last_words) as outlet,
                Client(stdio_client(asked, errlog=outlet), client_info=_ourselves()) as client,
            ):
                yield client
        elif isinstance(self.server, str):
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            times = httpx2.Timeout(30, read=None)  # how long a call may take is said elsewhere

            async def note(response: httpx2.Response) -> None:
                last_words.refusal = response.status_code if response.is_error else 0

            hooks = {"response": [note]}  # the SDK does not tell the status
            async with (
                httpx2.AsyncClient(headers=dict(self.headers), timeout=times, event_hooks=hooks) as http,
                Client(streamable_http_client(self.server, http_client=http), client_info=_ourselves()) as client,
            ):
                yield client
        else:
            async with Client(self.server, client_info=_ourselves()) as client:
                yield client


def place_of(
    server: object,
    *,
    name: str | None,
    env: Mapping[str, str] | None,
    cwd: str | Path | None,
    headers: Mapping[str, str] | None,
) -> Place:
    """Return where a server is.

    Raises:
        DefinitionError: It is nothing that can be reached, or an option is for another kind of server.
    """
    is_address = isinstance(server, str) and urlsplit(server).scheme in ("http", "https")
    is_command = isinstance(server, Sequence) and not isinstance(server, str | bytes)
    if not is_command and (env is not None or cwd is not None):
        message = "from_mcp(env=..., cwd=...) are for a server that is started by a command."
        raise DefinitionError(message)
    if not is_address and headers is not None:
        message = "from_mcp(headers=...) are for a server at an address, http:// or https://."
        raise DefinitionError(message)
    if is_address and isinstance(server, str):
        parts = urlsplit(server)
        host = parts.hostname or ""
        shown = f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"
        return Place(name or host, shown, server, headers=headers or {})
    if is_command and isinstance(server, Sequence):
        given = tuple(server)
        words = tuple(os.fspath(word) for word in given if isinstance(word, str | os.PathLike))
        if not words or len(words) < len(given) or not all(isinstance(word, str) for word in words):
            message = f"from_mcp({server!r}): a command is a list of texts, as in ['uvx', 'mcp-server-git']."
            raise DefinitionError(message)
        shown = without_secrets(" ".join(_without_values_of_secrets(words)))
        shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
        return Place(name or Path(words[0]).name, f"`{shown}`", words, env=env or {}, cwd=cwd)
    if isinstance(server, str | bytes) or not (hasattr(server, "run") or hasattr(server, "__aenter__")):
        message = (
            f"from_mcp({server!r}): give an address that begins with http:// or https://, or a command as a list of "
            "texts, as in ['uvx', 'mcp-server-git']."
        )
        raise DefinitionError(message)
    known = getattr(server, "name", None)
    found = name or (known if isinstance(known, str) else "") or type(server).__name__
    return Place(found, "in this program", server)


def _without_values_of_secrets(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command, but not what follows an option such as `--api-key`, or stands in it."""
    hidden = False
    for word in words:
        option, equals, _ = word.partition("=")
        secret = option.startswith("-") and _SECRET_OPTION.search(option.replace("-", "_")) is not None
        yield "***" if hidden else f"{option}=***" if secret and equals else shlex.quote(word)
        hidden = secret and not equals


_SECRET_OPTION = re.compile(r"(?:token|secret|password|passwd|credential|api_?key)s?$", re.IGNORECASE)


def _ourselves() -> Any:
    from importlib import import_module

    from mcp.types import Implementation

    return Implementation(name="planboard", version=import_module("planboard").__version__)


@asynccontextmanager
async def _heard(last_words: LastWords) -> AsyncIterator[Any]:
    """Yield a file for the standard error of a process; what is written to it is taken note of.

    It is a pipe, for standard error of this program may be no real file, as in notebooks.
    """
    if os.name == "nt":  # the event loop of Windows cannot read such a pipe
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:  # noqa: ASYNC230 - it is never waited for
            yield nowhere
        return
    import asyncio

    import anyio

    ended = asyncio.Event()

    class Listening(asyncio.Protocol):
        def data_received(self, data: bytes) -> None:
            last_words.take(data)

        def connection_lost(self, _error: Exception | None) -> None:
            ended.set()

    reading, writing = os.pipe()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(Listening, os.fdopen(reading, "rb", buffering=0))
    try:
        with os.fdopen(writing, "w", encoding="utf-8") as outlet:
            yield outlet
    finally:
        with anyio.move_on_after(_DRAIN, shield=True):
            await ended.wait()
        transport.close()
