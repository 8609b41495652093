"""Promises about kept runs that are looked at: listed, shown, and told event by event, without their agents."""

import pytest
from kept_runs import document

from planboard import Process, SqliteJournal
from planboard.cli.target import loaded


def test_runs_are_listed_with_what_they_wait_for(paying, cli):
    assert "pay-1  paying  WAITING" in (listed := cli("runs").stdout)
    assert "it waits for somebody to answer about 'pay'" in listed


def test_runs_are_listed_as_a_tree(kept, cli):
    cli("run", "kept.py:boss", "-i", "amount=7", "--id", "boss-1")

    lines = cli("runs").stdout.splitlines()

    assert [line.split("  ")[0] for line in lines] == ["boss-1", "└ boss-1.1"]


def test_runs_may_be_listed_by_status(paying, asking, cli):
    cli("answer", "ask-1", '{"approved": true}', "--resume")

    assert [run["id"] for run in document(cli("runs", "--status", "waiting", "--json"))] == ["pay-1"]


def test_an_unknown_status_is_met_with_the_closest(paying, cli):
    assert cli("runs", "--status", "WAITNG").stderr == (
        "Error: No run has the status 'WAITNG'. Did you mean 'WAITING'?\n"
    )


def test_looking_needs_no_agent(paying, kept, cli):
    (kept / "kept.py").unlink()

    for words in (("runs",), ("show", "pay-1"), ("pending",), ("events", "pay-1")):
        assert cli(*words).exit_code == 0


def test_show_tells_history_board_and_what_is_pending(paying, cli):
    told = cli("show", "pay-1").stdout

    assert "  ✓ check: Checked (cost 0.2)\n" in told
    assert '  0 Expense (input): {"amount": 7, "payee": "Ada"}\n' in told
    assert "  $ planboard approve pay-1:2\n" in told
    assert "then     pay → confirm\n" in told


def test_show_agrees_with_the_run_taken_up(kept, paying, cli):
    shown = document(cli("show", "pay-1", "--json"))

    journal = SqliteJournal("runs.db")
    with loaded("kept.py:paying") as found:
        process = Process.restore(found.agent, journal, "pay-1")
    journal.close()
    assert shown["status"] == process.status
    assert [done["action"] for done in shown["history"]] == [done.action for done in process.history]
    assert [entry["position"] for entry in shown["board"]] == [entry.position for entry in process.board.visible]
    assert shown["usage"] == process.usage._asdict()
    assert [request["id"] for request in shown["pending"]] == [request.id for request in process.pending]
    assert shown["events"] == len(process.events)


def test_show_counts_what_waiting_children_have_spent(kept, cli):
    cli("run", "kept.py:boss", "-i", "amount=7", "--id", "boss-1")

    assert document(cli("show", "boss-1", "--json"))["usage"]["cost"] == 0.2


def test_show_does_not_tell_secrets(kept, cli):
    cli("run", "kept.py:entering", "-i", "user=ada", "-i", "password=hunter2", "--id", "e")

    told = cli("show", "e").stdout + cli("events", "e", "--json").stdout + cli("pending").stdout

    assert "hunter2" not in told
    assert '"password": "***"' in told


def test_pending_tells_the_requests_of_children(kept, cli):
    cli("run", "kept.py:boss", "-i", "amount=7", "--id", "boss-1")

    assert [request["id"] for request in document(cli("pending", "boss-1", "--json"))] == ["boss-1.1:2"]


def test_pending_shows_the_schema_when_asked(asking, cli):
    (request,) = document(cli("pending", "--json", "--schema"))

    assert set(request["schema"]["properties"]) == {"approved", "note"}


def test_what_has_expired_is_not_pending(kept, cli, days_pass):
    cli("run", "kept.py:hasty", "--id", "h")
    days_pass()

    assert document(cli("pending", "--json")) == []


def test_events_are_told_in_words(paying, cli):
    lines = [line.split("UTC  ")[1] for line in cli("events", "pay-1").stdout.splitlines()]

    assert lines[:2] == ["kept as pay-1", "+ Expense (input)"]
    assert lines[-2:] == [
        "? pay needs consent: May 'pay' run?",
        "waiting (1 action, cost 0.2): it waits for somebody to answer about 'pay'",
    ]


def test_events_after_a_number_are_told_as_data(paying, cli):
    told = document(cli("events", "pay-1", "--after", "6", "--json"))

    assert [(event["seq"], event["kind"]) for event in told] == [(7, "request_made"), (8, "process_waiting")]


@pytest.mark.parametrize(
    ("target", "command", "told"),
    [
        ("asking", ("answer", "x", '{"approved": true}'), "✓ ask_decision is answered"),
        ("paying", ("approve", "x"), "✓ pay is approved"),
        ("paying", ("approve", "x", "--edit", 'expense={"amount": 5}'), "with other arguments: + Expense"),
        ("paying", ("deny", "x", "--reason", "no"), "✗ pay is denied: no: + Denied"),
        ("paying", ("cancel", "x"), "- pay is not waited for any more"),
        ("hasty", ("resume", "x"), "✗ ask_decision has expired: nobody answered in time: + Expired"),
        ("boss", ("cancel", "x"), "… paying waits for a child"),
    ],
)
def test_what_was_decided_is_told_in_words(kept, cli, days_pass, target, command, told):
    given = () if target == "hasty" else ("-i", "amount=7")
    cli("run", f"kept.py:{target}", *given, "--id", "x")
    if target == "hasty":
        days_pass()
    cli(*command)

    assert told in cli("events", "x").stdout
