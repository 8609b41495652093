"""The expense example, as its text says: begun, killed, approved and taken up by programs of their own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import planboard

ROOT = Path(__file__).parents[2]
EXAMPLE = str(ROOT / "examples" / "expense_approval.py")


@pytest.fixture
def command(tmp_path):
    """Start a command in a folder of its own."""
    home = str(Path(planboard.__file__).parents[1])
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, bank_seconds: int = 0) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "planboard", *words],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": home, "BANK_SECONDS": str(bank_seconds), "PLANBOARD_JOURNAL": "runs.db"},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def done(command):
    """Run a command to its end; return its exit code and what it printed."""

    def done(*words: str) -> tuple[int, str]:
        process = command(*words)
        out, _ = process.communicate(timeout=60)
        return process.returncode, out

    return done


def run(amount: int) -> list[str]:
    return ["run", EXAMPLE, "--id", "trip", "-i", f"amount={amount}", "-i", "payee=Ada"]


def killed_at_the_bank(process: subprocess.Popen[str], folder: Path) -> None:
    """Kill a program once the bank has paid and before it has answered."""
    bank = folder / "bank.txt"
    while not (bank.exists() and bank.read_text(encoding="utf-8")):
        assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGKILL)
    process.wait()


def paid(folder: Path) -> list[str]:
    return (folder / "bank.txt").read_text(encoding="utf-8").splitlines()


def test_what_is_within_the_limit_is_paid_at_once(done, tmp_path):
    code, out = done(*run(80))
    assert (code, json.loads(out)["text"]) == (0, "Ada got 80, reference trip:2")
    assert paid(tmp_path) == ["trip:2 80 to Ada"]


def test_what_is_above_the_limit_waits_for_another_terminal(done, tmp_path):
    assert done(*run(1200))[0] == 6
    assert not (tmp_path / "bank.txt").exists()
    (pending,) = json.loads(done("pending", "--json")[1])
    assert pending["id"] == "trip:2"
    code, out = done("approve", "trip:2", "--resume")
    assert (code, json.loads(out)["text"]) == (0, "Ada got 1200, reference trip:2")


def test_a_payment_whose_program_was_killed_is_made_once(command, done, tmp_path):
    assert done(*run(1200))[0] == 6
    assert done("approve", "trip:2")[0] == 0
    killed_at_the_bank(command("resume", "trip", bank_seconds=60), tmp_path)
    code, out = done("resume", "trip")
    assert (code, json.loads(out)["text"]) == (0, "Ada got 1200, reference trip:2")
    assert paid(tmp_path) == ["trip:2 1200 to Ada"]


def test_what_was_killed_before_consent_still_waits_for_it(command, done, tmp_path):
    process = command(*run(1200))
    process.wait(timeout=60)
    assert process.returncode == 6
    code, out = done("deny", "trip:2", "--reason", "no receipt", "--resume")
    assert (code, json.loads(out)["text"]) == (0, "Ada got nothing: no receipt")
    assert not (tmp_path / "bank.txt").exists()


def test_a_small_payment_that_was_killed_needs_nobody(command, done, tmp_path):
    killed_at_the_bank(command(*run(80), bank_seconds=60), tmp_path)
    code, out = done("resume", "trip")
    assert (code, json.loads(out)["text"]) == (0, "Ada got 80, reference trip:2")
    assert paid(tmp_path) == ["trip:2 80 to Ada"]
