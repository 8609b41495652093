"""The command `planboard mcp`: how it ends, and what it refuses."""

import asyncio
import signal
import sys

import pytest
from mcp import Client
from mcp_places import HERE
from typer.testing import CliRunner

from planboard import SqliteJournal, from_mcp, to_mcp
from planboard.cli.app import app

AGENTS = str(HERE / "served_agents.py")


def test_ctrl_c_ends_the_command_and_cancels_its_runs(go, planboard, started, tmp_path):
    async def call():
        async with Client(planboard("lingering", "--journal", "runs.db")) as client:
            running = asyncio.create_task(client.call_tool("linger", {"topic": {"text": "x"}}))
            while not (tmp_path / "lingers").exists():
                await asyncio.sleep(0.01)
            started[0].send_signal(signal.SIGINT)
            await asyncio.wait({running})
            return running.exception()

    error = go(call())
    journal = SqliteJournal(tmp_path / "runs.db")
    statuses = [run.standing.status for run in journal.runs()]
    journal.close()

    assert "closed" in str(error)
    assert started[0].returncode == 130
    assert statuses == ["CANCELLED"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["reporters"], "Did you mean 'reporter'?"),
        (["reporter", "--planner", "gaop"], "Did you mean 'goap'?"),
        (["reporter", "--http", "here"], "Write HOST:PORT"),
        (["reporter", "--http", "127.0.0.1:99999"], "Write HOST:PORT"),
        (["stuck", "--max-cost", "-1"], "max-cost"),
    ],
)
def test_wrong_use_is_told(words, message):
    agent, *options = words

    done = CliRunner().invoke(app, ["mcp", f"{AGENTS}:{agent}", *options])

    assert done.exit_code == 2
    assert message in done.output


def test_an_address_that_is_taken_is_told():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = CliRunner().invoke(app, ["mcp", f"{AGENTS}:reporter", "--http", address])

    assert done.exit_code == 2
    assert f"--http {address}: Address already in use" in done.output


def test_without_the_sdk_everything_says_what_to_install(go, monkeypatch):
    import served_agents as served

    monkeypatch.setitem(sys.modules, "mcp", None)
    message = r"needs the MCP SDK, version 2 or later, which is not installed: pip install 'planboard\[mcp\]'"

    with pytest.raises(ImportError, match=f"to_mcp {message}"):
        to_mcp(served.reporter)
    with pytest.raises(ImportError, match=f"from_mcp {message}"):
        go(from_mcp(["serve"]).__aenter__())
    with pytest.raises(ImportError, match=f"from_mcp {message}"):
        go(from_mcp(["serve"]).call("tool"))
    done = CliRunner().invoke(app, ["mcp", f"{AGENTS}:reporter"])
    assert done.exit_code == 2
    assert "planboard mcp needs the MCP SDK" in done.output
