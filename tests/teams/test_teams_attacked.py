"""Attacks on teams: secrets, changed journals, hash seeds, many at once, listeners that raise, the command line."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import anyio
import pytest
from pydantic import BaseModel, SecretStr
from teamwork import Topic, begun, compute, crew_of, effects, go, look_up, pay, said, to, told, trace

from planboard import (
    ActionContext,
    Approve,
    CorruptJournalError,
    Crew,
    DefinitionError,
    HandOff,
    Host,
    Message,
    Network,
    ProcessStatus,
    Retry,
    ScriptedModel,
    Turn,
    WorkDone,
    action,
    call,
)


class Login(BaseModel):
    user: str
    password: SecretStr


class Transient(Exception):
    """Goes away by itself."""


# Many at once


def test_ten_workers_of_one_turn_are_at_work_at_the_same_time():
    """The bar is ten workers of 0.2 s within 0.4 s: none of these would end if not all of them had begun."""
    begun_to_work: list[str] = []
    all_there = anyio.Event

    def meeting(name: str, event: list):
        async def worker(task: str) -> str:
            if not event:
                event.append(all_there())
            begun_to_work.append(name)
            if len(begun_to_work) == 10:
                event[0].set()
            with anyio.fail_after(10):
                await event[0].wait()
            return name

        return worker

    event: list = []
    names = [f"worker_{place}" for place in range(10)]
    workers = {name: meeting(name, event) for name in names}
    crew, _ = crew_of(workers, [to(name, task="t") for name in reversed(names)], "end", handoff_messages=False)
    assert said(crew.run("q"))[1:-1] == [f"{name}: {name}" for name in reversed(names)]


def test_usage_that_sixteen_workers_record_at_once_is_exact():
    """Cases 114, 154."""

    async def spend(task: str, context: ActionContext) -> str:
        for _ in range(200):
            context.record_usage(tokens=1)
            await anyio.lowlevel.checkpoint()
        return task

    names = [f"worker_{place}" for place in range(16)]

    def decide(_, done):
        return "end" if done else [HandOff(to=name, task=name) for name in names]

    process = Crew("crew", dict.fromkeys(names, spend), supervisor=decide).run("q")
    assert process.usage.tokens == 16 * 200


def test_a_hundred_runs_of_one_crew_share_nothing():
    """Case 110."""
    crew = Crew(
        "crew", [look_up], supervisor=lambda history: history[0].content if len(history) > 1 else _first(history)
    )

    async def all_of_them():
        processes = [crew.process(str(number)) for number in range(100)]
        async with anyio.create_task_group() as group:
            for process in processes:
                group.start_soon(process.run)
        return [process.result(str) for process in processes]

    assert asyncio.run(all_of_them()) == [str(number) for number in range(100)]


def _first(history):
    return HandOff(to="look_up", task=history[0].content)


def test_of_two_that_go_on_with_one_run_only_one_does_the_work():
    """Case 116."""
    crew, _ = crew_of([pay], to("pay", task="Ada"), "end")
    process = begun(crew, "q")
    process.respond(process.pending[0].id, Approve())

    async def both():
        return await asyncio.gather(process.run(), process.run(), return_exceptions=True)

    asyncio.run(both())
    assert (process.status, effects["pay"]) == (ProcessStatus.COMPLETED, 1)


def test_after_a_cancel_no_worker_of_the_turn_begins():
    """Case 118."""
    crew, _ = crew_of([look_up, compute], [to("look_up", task="a"), to("compute", task="b")], "end")
    process = crew.process("q")

    def stop(request):
        process.cancel("enough")
        return [to("look_up", task="a"), to("compute", task="b")]

    process.agent.services[0].model._replies[0] = stop
    assert go(process) is ProcessStatus.CANCELLED
    assert not effects


# Retries and listeners


@pytest.mark.parametrize(("error", "attempts"), [(ValueError, 1), (Transient, 3)], ids=["a bug", "transient"])
def test_only_what_was_declared_transient_is_tried_again(error, attempts):
    """Case 171."""

    @action(retry=Retry(attempts=3, on=(Transient,), wait=0))
    def flaky(task: str) -> str:
        """Fails."""
        effects["flaky"] += 1
        raise error("no")

    crew, _ = crew_of([flaky], to("flaky", task="a"), "end")
    crew.run("q")
    assert effects["flaky"] == attempts


def test_a_listener_of_hand_offs_that_raises_harms_nobody(caplog):
    def raises(to: str, argument: str) -> None:
        message = "not now"
        raise RuntimeError(message)

    crew, _ = crew_of([look_up], to("look_up", task="a"), "end", on_handoff=raises)
    assert crew.run("q").result(str) == "end"
    assert "on_handoff raised for a hand-off to look_up" in caplog.text


# What is written down


def test_secrets_in_arguments_and_objects_are_nowhere_to_be_read(kept, tmp_path):
    """Case 165."""

    def sign_in(login: Login) -> str:
        """Signs in."""
        assert login.password.get_secret_value() == "hunter2"
        return f"welcome {login.user}"

    crew, model = crew_of([sign_in], to("sign_in"), "end", output="full")
    process = begun(crew, Login(user="ada", password=SecretStr("hunter2")), options=kept())
    assert "welcome ada" in " ".join(said(process))
    assert "hunter2" not in str(model.requests) + str(list(process.events)) + " ".join(said(process))
    assert b"hunter2" not in (tmp_path / "runs.db").read_bytes()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"hand_offs":{"$t"', '"hand_offs":"x","was":{"$t"'),
        ('"hand_offs":{"$t"', '"hand_offs":null,"was":{"$t"'),
        ('"number":1', '"number":"first"'),
        ('"kind":"hand_off"', '"kind":"order"'),
    ],
    ids=["text", "null", "number", "kind"],
)
def test_a_turn_that_was_changed_in_the_journal_is_refused(kept, elsewhere, tmp_path, old, new):
    """Case 166."""
    crew, _ = crew_of([pay], to("pay", task="Ada"), "end", output="last")
    if "kind" in old:
        crew, _ = crew_of([look_up], to("look_up", task="a"), "end")
    process = begun(crew, "q", options=kept())
    with sqlite3.connect(tmp_path / "runs.db") as opened:
        tables = [name for (name,) in opened.execute("select name from sqlite_master where type = 'table'")]
        changed = 0
        for table in tables:
            for _, column, *_ in opened.execute(f"pragma table_info({table})").fetchall():
                query = f"update {table} set {column} = replace({column}, ?, ?) where instr({column}, ?) > 0"
                changed += opened.execute(query, (old, new, old)).rowcount
    assert changed
    with pytest.raises(CorruptJournalError, match=r"Event \d+"):
        elsewhere(crew, process)


PROGRAM = """
    import sys
    sys.path.insert(0, {folder!r})
    from teamwork import *
    from planboard import *
    from planboard.steps import *

    class Other(BaseModel):
        text: str

    def other(topic: Topic, findings: Findings) -> Other:
        return Other(text="o")

    crew, model = crew_of(
        [research, write, other, look_up],
        [to("research", topic={{"text": "a"}}), to("look_up", task="b")],
        [to("other"), to("write"), to("nobody")],
        "end",
        output="full",
    )
    process = crew.run("q")
    print(model.requests, said(process), [repr(entry.value) for entry in process.board.entries])
    print(crew.mermaid(), Network("net", [look_up, compute]).mermaid())
"""


def test_nothing_depends_on_the_hash_seed():
    program = textwrap.dedent(PROGRAM).format(folder=str(Path(__file__).parent))

    def printed(seed: int) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
        )
        return done.stdout

    assert len({printed(seed) for seed in range(4)}) == 1


# Odd inputs


def test_a_crew_that_is_given_an_object_is_told_it_with_its_type():
    class Wish(BaseModel):
        text: str

    crew, model = crew_of([look_up], "end")
    crew.run(Wish(text="tides"))
    assert told(model)[1] == 'user: Wish: {"text":"tides"}'


def test_a_crew_goes_on_from_messages_that_it_is_given():
    from planboard import Message

    crew, model = crew_of([look_up], "end")
    crew.run(
        Message(author="user", content="Hi"),
        Message(author="supervisor", content="Hello"),
        Message(author="user", content="q"),
    )
    assert told(model)[1:] == ["user: Hi", "assistant: Hello", "user: q"]


def test_a_huge_result_is_passed_on_whole_and_told_short_in_what_was_done():
    def huge(task: str) -> str:
        return "x" * 100_000

    crew, model = crew_of([huge], to("huge", task="t" * 5000), "end", output="typed")
    crew.run("q")
    assert len(told(model)[-1]) < 1000


def test_two_entries_with_one_text_are_two_tasks():
    crew, _ = crew_of([look_up], to("look_up", task="a"), to("look_up", task="a"), "end")
    assert len(crew.run("q").board.all(WorkDone)) == 2


# The command line


TEAMS = """
    from planboard import Crew, Flow, HandOff, Host, Network

    def echo(task: str) -> str:
        \"\"\"Says it again.\"\"\"
        return f"echo {task}"

    crew = Crew("crew", [echo], supervisor=lambda m, done: done[-1].text if done else HandOff(to="echo", task=m[0].content))
    network = Network("network", [echo])
    flow = Flow.sequence("flow", echo)
"""


@pytest.mark.parametrize("name", ["crew", "network", "flow"])
@pytest.mark.parametrize("command", ["run", "check", "graph"])
def test_a_team_in_a_file_is_run_checked_and_drawn(name, command, tmp_path):
    (tmp_path / "teams.py").write_text(textwrap.dedent(TEAMS), encoding="utf-8")
    given = [f"teams.py:{name}", *(["--input", "hello"] if command == "run" else [])]
    program = [sys.executable, "-m", "planboard", command, *given]
    done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = {"run": "echo hello", "check": "", "graph": "flowchart"}[command]
    assert expected in done.stdout


def test_a_network_is_one_agent_among_others_for_a_model():
    network = Network("network", [look_up])
    crew = Crew("crew", [network], llm=ScriptedModel(call("transfer_to_network", task="a"), "end"))
    assert trace(crew.run("q")) == ["supervisor", "network", "supervisor"]


@pytest.mark.parametrize("team", [Crew, Host, Network])
@pytest.mark.parametrize("form", [Turn, WorkDone, HandOff, Message, Topic | Turn, None, "Topic"], ids=str)
def test_no_team_is_for_what_it_keeps_track_of_its_work_with(team, form):
    with pytest.raises(DefinitionError, match="returning=.*it is a type, and none by which a team keeps track"):
        team("team", [look_up], returning=form)
