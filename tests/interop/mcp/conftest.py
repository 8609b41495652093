"""Agents to serve, servers to use, and short ways to talk to both. Skips all where the SDK is not installed."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def leaves_of(error):
    """Yield what is in a group of errors: clients of the SDK put what is raised within them into one."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves_of(inner)
    else:
        yield error


@pytest.fixture
def go():
    """Return a function that runs a coroutine, and sees to it that no task is left behind."""

    def run(coroutine):
        async def watched():
            async with asyncio.timeout(30):
                found = await coroutine
            await asyncio.sleep(0)
            left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            assert left == []
            return found

        try:
            return asyncio.run(watched())
        except Exception as error:
            raise next(leaves_of(error)) from None

    return run


@pytest.fixture
def planboard(tmp_path):
    """Return a function that returns the way to `planboard mcp`, which is started in a folder of its own."""
    from mcp import StdioServerParameters, stdio_client

    def way(agent: str, *words: str, **options: object):
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "planboard", "mcp", f"{HERE / 'served_agents.py'}:{agent}", *words],
            env={"PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
            cwd=tmp_path,
        )
        return stdio_client(parameters, **options)

    return way


@pytest.fixture
def started(monkeypatch):
    """Return the processes that are started, as they come."""
    import anyio

    found = []
    opening = anyio.open_process

    async def noted(*words, **settings):
        found.append(await opening(*words, **settings))
        return found[-1]

    monkeypatch.setattr(anyio, "open_process", noted)
    return found


@pytest.fixture
def is_alive():
    def tell(process_id: int) -> bool:
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return False
        return True

    return tell
