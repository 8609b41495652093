"""Serving over HTTP: who is let in."""

import asyncio
import sys
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp_places import HERE, ROOT
from typer.testing import CliRunner

from planboard import McpError, McpUnavailableError, from_mcp
from planboard.cli.app import app
from planboard.interop.mcp.guarding import Guarded

AGENTS = str(HERE / "served_agents.py")
TOKEN = "0123456789abcdef-token"
TIDES = {"topic": {"text": "tides"}}


@asynccontextmanager
async def serving(tmp_path, **env):
    """Serve in a process of its own, and yield the address."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "planboard", "mcp", f"{AGENTS}:reporter", "--http", "127.0.0.1:0",
        stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), **env},
    )  # fmt: skip
    try:
        said = (await server.stderr.readline()).decode()
        yield said.split(" at ")[1].split(". ")[0]
    finally:
        server.terminate()
        await server.communicate()


def test_a_client_with_the_token_is_served_and_others_are_refused(go, tmp_path):
    async def call():
        async with serving(tmp_path, PLANBOARD_MCP_TOKEN=TOKEN) as address:
            right = from_mcp(address, headers={"Authorization": f"Bearer {TOKEN}"})
            wrong = from_mcp(address, headers={"Authorization": "Bearer 0123456789abcdef-other"})
            errors = []
            for server in (wrong, from_mcp(address)):
                with pytest.raises(McpError) as raised:
                    await server.call("write", TIDES)
                errors.append(str(raised.value))
            return await right.call("write", TIDES), errors

    result, errors = go(call())

    assert result.data == {"title": "tides", "body": "tides"}
    assert all("401" in error and "0123456789abcdef" not in error for error in errors), errors


def test_a_request_that_was_meant_for_another_host_is_refused(go, tmp_path):
    async def call():
        async with serving(tmp_path) as address, httpx2.AsyncClient() as client:
            sent = [{"Host": "evil.example"}, {"Origin": "http://evil.example"}]
            posts = [client.post(address, json={}, headers=headers) for headers in sent]
            return [response.status_code for response in await asyncio.gather(*posts)]

    assert go(call()) == [421, 403]


@pytest.mark.parametrize(
    "sent",
    [
        [],
        [b"Bearer"],
        [b"Bearer "],
        [b"Basic " + TOKEN.encode()],
        [TOKEN.encode()],
        [b"Bearer " + TOKEN.encode()[:-1]],
        [b"Bearer " + TOKEN.encode(), b"Bearer other"],
        [b"Bearer \xff\xfe"],
    ],
    ids=["nothing", "no token", "empty", "other kind", "no kind", "shorter", "two", "no text"],
)
@pytest.mark.parametrize(
    ("kind", "first"),
    [("http", ("http.response.start", 401)), ("websocket", ("websocket.close", None))],
    ids=["http", "websocket"],
)
def test_what_is_not_the_token_is_refused_before_the_application(go, sent, kind, first):
    told = []

    async def never(scope, receive, send):
        raise AssertionError

    async def note(message):
        told.append((message["type"], message.get("status")))

    go(Guarded(never, TOKEN)({"type": kind, "headers": [(b"authorization", value) for value in sent]}, None, note))

    assert told[0] == first


@pytest.mark.parametrize(
    ("words", "env", "message"),
    [
        (["--http", "0.0.0.0:0"], {}, "Set PLANBOARD_MCP_TOKEN"),
        (["--http", "127.0.0.1:0"], {"PLANBOARD_MCP_TOKEN": ""}, "16 characters or more"),
        (["--http", "127.0.0.1:0"], {"PLANBOARD_MCP_TOKEN": "short"}, "16 characters or more"),
        (["--http", "127.0.0.1:0"], {"PLANBOARD_MCP_TOKEN": "has spaces in it, many"}, "without spaces"),
        (["--http", "0.0.0.0:0", "--without-token"], {"PLANBOARD_MCP_TOKEN": TOKEN}, "PLANBOARD_MCP_TOKEN is set"),
        (["--clients-answer"], {}, "Add --journal FILE"),
    ],
    ids=["missing", "empty", "short", "spaces", "both", "no journal"],
)
def test_what_would_leave_the_agent_open_is_refused(words, env, message):
    done = CliRunner().invoke(app, ["mcp", f"{AGENTS}:reporter", *words], env={"COLUMNS": "300", **env})

    assert done.exit_code == 2
    assert message in done.output
    assert TOKEN not in done.output


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (403, McpError, "HTTP 403 Forbidden"),
        (503, McpUnavailableError, "cannot be reached: HTTP 503 Service Unavailable"),
        (599, McpError, "HTTP 599"),
    ],
)
def test_a_refusal_by_http_is_told_with_its_status(go, status, kind, said):
    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async def call():
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
            address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/mcp"
            with pytest.raises(McpError) as raised:
                await from_mcp(address).call("write")
            return raised.value

    error = go(call())

    assert type(error) is kind
    assert said in str(error)
