"""What only a process of its own can show: signals, pipes, terminals."""

import json
import os
import signal
import sys

import pytest


def test_python_dash_m_is_the_command(shell):
    process = shell("run", "agents.py", "--input", "topic.text=Ebbe → Flut")

    out, progress = process.communicate(timeout=20)

    assert process.returncode == 0
    assert json.loads(out)["title"] == "Ebbe → Flut"
    assert "completed (2 actions, cost 0.5)" in progress


def test_an_encoding_without_the_characters_is_no_obstacle(shell):
    process = shell("run", "agents.py", "-i", "topic.text=→ ☃", PYTHONIOENCODING="latin-1")

    out, _ = process.communicate(timeout=20)

    assert process.returncode == 0
    assert r"\u2192" in out


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_ctrl_c_cancels_and_still_reports(shell):
    process = shell("run", "agents.py:sleeper", "--json")
    while "> sleep" not in process.stderr.readline():
        pass

    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)

    assert process.returncode == 130
    assert json.loads(out)["status"] == "CANCELLED"


def test_a_reader_that_leaves_is_no_error(shell):
    process = shell("actions", "agents.py")
    process.stdout.close()

    errors = process.stderr.read()
    process.stderr.close()

    assert process.wait(timeout=20) == 141
    assert errors == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty there")
def test_a_terminal_gets_a_live_view_and_rendered_markdown(folder, monkeypatch):
    import pty
    from pathlib import Path

    import planboard

    monkeypatch.setenv("PYTHONPATH", str(Path(planboard.__file__).parents[1]))
    monkeypatch.setenv("TERM", "xterm")
    shown = bytearray()

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 4096)
        shown.extend(data)
        return data

    monkeypatch.setattr(pty, "STDOUT_FILENO", os.open(os.devnull, os.O_WRONLY))
    code = pty.spawn([sys.executable, "-m", "planboard", "run", "agents.py:briefer", "-i", "path=src"], read)

    text = shown.decode()
    assert os.waitstatus_to_exitcode(code) == 0
    assert "briefer · goap · tick 1" in text
    assert "Brief of src" in text
    assert "# Brief" not in text
