"""Promises about kept runs of several programs at once, some of which are killed."""

import json
import signal
import sys
from pathlib import Path

import pytest
from kept_runs import document, effects

NOT_ON_WINDOWS = pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")


def until(process, words):
    """Read what a command tells until it says some words."""
    while words not in (line := process.stderr.readline()):
        assert line, "it has ended"


def begun(process, folder):
    """Wait until the action that hangs has begun."""
    file = folder / "effects.txt"
    while not (file.exists() and file.read_text(encoding="utf-8")):
        assert process.poll() is None, "it has ended"


@NOT_ON_WINDOWS
def test_a_run_that_was_killed_is_in_doubt_and_may_be_run_again(kept, cli, shell):
    process = shell("run", "kept.py:hanging", "-i", "amount=7", "--id", "x")
    begun(process, kept)
    process.kill()
    process.communicate()
    (kept / "gate").touch()

    asked = cli("resume", "x")

    assert asked.exit_code == 6
    assert "hang is in doubt" in asked.stderr
    assert document(cli("approve", "x:1", "--resume")) == {"text": "went on with 7"}
    assert effects(kept) == ["hang", "hang"]


@NOT_ON_WINDOWS
def test_what_a_killed_action_has_returned_may_be_told(kept, cli, shell):
    process = shell("run", "kept.py:hanging", "-i", "amount=7", "--id", "x")
    begun(process, kept)
    process.kill()
    process.communicate()
    cli("resume", "--all")

    assert document(cli("answer", "x:1", '{"amount": 3}', "--resume")) == {"text": "went on with 3"}
    assert effects(kept) == ["hang"]


@NOT_ON_WINDOWS
def test_a_run_that_another_program_runs_is_left_to_it(kept, cli, shell):
    process = shell("run", "kept.py:hanging", "-i", "amount=7", "--id", "x", "--quiet")
    begun(process, kept)

    refused, passed = cli("resume", "x"), cli("resume", "--all")

    (kept / "gate").touch()
    out, _ = process.communicate(timeout=60)
    assert refused.exit_code == 1
    assert "is being run by process" in refused.stderr
    assert (passed.exit_code, passed.stdout) == (0, "")
    assert json.loads(out) == {"text": "went on with 7"}


@NOT_ON_WINDOWS
def test_a_run_that_another_program_runs_can_be_cancelled(kept, cli, shell):
    process = shell("run", "kept.py:hanging", "-i", "amount=7", "--id", "x")
    begun(process, kept)

    done = cli("cancel", "x", "--reason", "enough")

    (kept / "gate").touch()
    _, told = process.communicate(timeout=60)
    assert done.exit_code == 0
    assert "is being run by another program" in done.stderr
    assert process.returncode == 130
    assert "enough" in told


@NOT_ON_WINDOWS
@pytest.mark.parametrize(
    "agent",
    [
        "asking_and_hanging",
        "both",
        "deep",
    ],
)
def test_a_request_can_be_answered_while_another_program_runs_the_agent(kept, cli, shell, agent):
    process = shell("run", f"kept.py:{agent}", "-i", "amount=7", "--id", "x", "--concurrency", "2")
    until(process, "? ask_decision")
    begun(process, kept)
    while not (pending := document(cli("pending", "--json"))):
        assert process.poll() is None

    done = cli("answer", pending[0]["id"], '{"approved": true}')

    (kept / "gate").touch()
    out, told = process.communicate(timeout=60)
    assert done.exit_code == 0, done.stderr
    assert process.returncode == 0, told
    assert json.loads(out) == {"text": "7 True"}


@NOT_ON_WINDOWS
def test_ctrl_c_stops_a_run_that_sleeps(kept, shell):
    process = shell("run", "kept.py:resting", "--id", "r")
    until(process, "waiting (")

    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert process.returncode == 130


@NOT_ON_WINDOWS
def test_all_does_not_wait_for_a_run_that_sleeps(kept, cli, shell):
    process = shell("run", "kept.py:resting", "--id", "r")
    until(process, "waiting (")
    while document(cli("runs", "--json"))[0]["status"] != "WAITING":
        assert process.poll() is None, "it has ended"
    process.send_signal(signal.SIGKILL)
    process.communicate()

    assert cli("resume", "--all").stderr == "No run can go on now.\n"
    assert "sleeps until" in cli("events", "r").stdout
    assert ", until " in cli("runs").stdout


def test_the_journal_on_the_command_line_goes_before_the_environment(kept, cli):
    cli("run", "kept.py:paying", "-i", "amount=7", "--journal", "other.db", "--id", "p")

    assert not Path("runs.db").exists()
    assert [run["id"] for run in document(cli("runs", "--journal", "other.db", "--json"))] == ["p"]
