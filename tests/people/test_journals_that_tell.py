"""Promises about what journals hold and what becomes of it: no secrets, refused when damaged, seen and forked at any moment."""

import asyncio
import json

import pytest
from dying import B, C
from expenses import PAYING, Checked, Expense, Letter, go
from pydantic import BaseModel, SecretStr

from planboard import (
    Agent,
    CorruptJournalError,
    Deny,
    MemoryJournal,
    Process,
    ProcessOptions,
    ProcessStatus,
    SecretNotKeptError,
    achieves_goal,
    action,
    human,
)
from planboard.testing import FakeClock

# Secrets


class Login(BaseModel):
    user: str
    password: SecretStr


def _login_agent() -> Agent:
    @achieves_goal("there is a C")
    @action
    def log_in(login: Login, b: B) -> C:
        """Log in."""
        return C(n=len(login.password.get_secret_value()))

    return Agent("login", [human(B, prompt="?"), log_in])


def test_secrets_are_not_written_and_have_to_be_given_again(kept, elsewhere, tmp_path):
    """Case 165."""
    agent = _login_agent()
    process = agent.process(Login(user="ada", password=SecretStr("hunter2")), options=kept())
    go(process)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"hunter2" not in stored
    with pytest.raises(SecretNotKeptError, match=r"Login\.password"):
        elsewhere(agent, process)
    other = elsewhere(agent, process, secrets={"Login.password": SecretStr("hunter3")})
    other.respond(other.pending[0].id, {"n": 1})
    assert go(other) is ProcessStatus.COMPLETED
    assert other.result(C) == C(n=7)


def test_what_is_shown_to_people_hides_secrets():
    @achieves_goal("there is a C")
    @action(approval=True)
    def log_in(login: Login, api_key: str) -> C:
        """Log in."""
        return C(n=1)

    process = Agent("login", [log_in]).process(Login(user="ada", password=SecretStr("hunter2")), api_key="sesame")
    go(process)
    shown = json.dumps(dict(process.pending[0].arguments))
    assert "ada" in shown
    assert "hunter2" not in shown
    assert "sesame" not in shown


# Damage


def _change(tmp_path, old: str, new: str) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "runs.db") as database:
        (table,) = [
            name
            for (name,) in database.execute("select name from sqlite_master where type = 'table'")
            if "body" in [row[1] for row in database.execute(f"pragma table_info({name})")] and "event" in name
        ]
        changed = database.execute(
            f"update {table} set body = replace(body, ?, ?) where instr(body, ?)",
            (old, new, old),
        )
        assert changed.rowcount
    database.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"amount":900', '"amount":"much"'),
        ('"verdict":"approved"', '"verdict":null'),
        ('"verdict":"approved"', '"verdict":["approved"]'),
        ('"outputs":[', '"outputs":"x","was":['),
        ('"kind":"action_started"', '"kind":"action_startled"'),
        ('"seq":4', '"seq":5'),
        ('"v":1', '"v":99'),
        ('"type":"Checked"', '"type":"os.system"'),
    ],
)
def test_a_changed_journal_is_refused_by_what_is_wrong(kept, elsewhere, tmp_path, old, new):
    """Case 166."""
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    go(process)
    _change(tmp_path, old, new)
    with pytest.raises(CorruptJournalError, match=r"Event \d+"):
        elsewhere(PAYING, process)


# Time travel


def test_the_board_can_be_seen_as_it_was(kept):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    go(process)
    place = next(event.seq for event in process.events if event.kind == "action_succeeded")
    assert process.board_at(place - 1).last(Checked) is None
    assert process.board_at(place).last(Checked) == Checked(amount=900)
    assert process.board_at(place).last(Letter) is None


@pytest.mark.parametrize("event", [-1, 1000])
def test_what_never_was_cannot_be_seen(event):
    process = PAYING.process(Expense())
    with pytest.raises(ValueError, match="no event"):
        process.board_at(event)


def test_a_fork_goes_its_own_way_from_an_earlier_moment(kept, elsewhere):
    """Case 043: what is forked has its types."""
    process = PAYING.process(Expense(), options=kept())
    go(process)
    place = len(process.events)
    process.respond(process.pending[0].id, Deny("no"))
    go(process)
    twin = process.fork(at=place, id="twin")
    assert isinstance(twin.board.last(Checked), Checked)
    twin.respond("twin:2", True)
    assert go(twin) is ProcessStatus.COMPLETED
    assert elsewhere(PAYING, "twin").result(Letter).text == "paid 900 to Ada"
    assert process.result(Letter).text == "pay not done: no"


def test_a_step_that_times_out_does_not_bring_back_the_question(kept, elsewhere):
    """Case 098."""

    @achieves_goal("there is a letter")
    @action(timeout=0.01)
    async def late(b: B) -> Letter:
        await asyncio.Event().wait()
        return Letter(text="")

    agent = Agent("late", [human(B, prompt="?"), late])
    process = agent.process(options=kept())
    go(process)
    process.respond(process.pending[0].id, {"n": 1})
    assert go(process) is ProcessStatus.FAILED
    other = elsewhere(agent, process)
    assert other.pending == ()
    assert [event.kind for event in other.events].count("request_made") == 1


def test_every_prefix_of_a_run_can_be_forked_and_goes_on(kept):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    go(process)
    for place in range(2, len(process.events) + 1):
        twin = process.fork(at=place)
        go(twin)
        while twin.pending:
            twin.respond(twin.pending[0].id, True)
            go(twin)
        assert twin.status is ProcessStatus.COMPLETED, place


def test_a_journal_in_memory_hands_out_no_live_objects():
    """Case 055."""
    journal = MemoryJournal()
    process = PAYING.process(Expense(), options=ProcessOptions(journal=journal))
    go(process)
    one, two = (Process.restore(PAYING, journal, process.id) for _ in range(2))
    assert one.board.last(Expense) is not two.board.last(Expense)
    assert one.board.last(Expense) is not process.board.last(Expense)


def test_the_clock_is_that_of_the_options():
    clock = FakeClock(50.0)
    journal = MemoryJournal()
    PAYING.process(Expense(), options=ProcessOptions(journal=journal, clock=clock), id="x")
    assert journal.info("x").created_at == 50.0
