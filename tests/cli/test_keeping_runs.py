"""Promises about runs that are kept in a file: how they are begun, and how commands name the file and the run."""

import json
from pathlib import Path

from kept_runs import document

# Running


def test_a_run_that_waits_has_an_exit_code_of_its_own_and_prints_no_result(paying):
    assert paying.exit_code == 6
    assert paying.stdout == ""


def test_a_run_that_waits_says_what_for(paying):
    assert "pay-1:2  pay needs consent\n  May 'pay' run?\n" in paying.stderr
    assert '  expense: {"amount": 7, "payee": "Ada"}\n' in paying.stderr


def test_a_run_that_waits_shows_commands_that_work_when_they_are_copied(kept, cli):
    import shlex

    told = cli("run", "kept.py:asking", "-i", "amount=7", "--journal", "other.db").stderr
    answer, _, resume = (shlex.split(line)[2:] for line in told.splitlines() if line.startswith("  $ planboard"))

    assert cli(*answer).exit_code == 0
    assert document(cli(*resume)) == {"text": "decided True"}


def test_a_run_that_is_not_kept_says_that_nobody_can_answer(kept, cli, monkeypatch):
    monkeypatch.delenv("PLANBOARD_JOURNAL")

    done = cli("run", "kept.py:asking", "-i", "amount=7")

    assert done.exit_code == 6
    assert "Run it with --journal FILE" in done.stderr


def test_json_of_a_kept_run_has_its_id_and_what_it_waits_for(kept, cli):
    done = cli("run", "kept.py:asking", "-i", "amount=7", "--id", "a", "--json")

    told = json.loads(done.stdout)
    assert (told["id"], told["status"]) == ("a", "WAITING")
    assert [(request["id"], request["prompt"]) for request in told["pending"]] == [("a:1", "Pay 7?")]


def test_approve_makes_a_run_ask_before_actions_that_fit(kept, cli):
    done = cli("run", "kept.py:paying", "-i", "amount=7", "--approve", "ch*")

    assert "check needs consent" in done.stderr
    assert not (kept / "effects.txt").exists()


def test_an_id_that_is_taken_is_refused(paying, cli):
    done = cli("run", "kept.py:paying", "-i", "amount=7", "--id", "pay-1")

    assert done.exit_code == 1
    assert done.stderr == (
        "Error: There is a run 'pay-1' already. Go on with it by `planboard resume`, or give another --id.\n"
    )


def test_an_input_that_cannot_be_kept_begins_no_run(kept, cli):
    done = cli("run", "kept.py:hasty", "-i", 'Expense={"amount": 7}', "--id", "h")

    assert done.exit_code == 2
    assert "Expense is not among the types that are registered" in done.stderr
    assert document(cli("runs", "--json")) == []


def test_an_id_without_a_journal_is_refused(kept, cli, monkeypatch):
    monkeypatch.delenv("PLANBOARD_JOURNAL")

    done = cli("run", "kept.py:paying", "--id", "x")

    assert (done.exit_code, done.stderr) == (2, "Error: --id names a run that is kept; add --journal FILE.\n")


def test_what_runs_put_on_the_board_themselves_is_not_asked_for(kept, cli):
    assert "Denied" not in cli("run", "kept.py:paying", "-q").stderr.partition("The agent starts from")[2]


# Naming the journal and the run


def test_without_a_journal_the_command_says_how_to_name_one(kept, cli, monkeypatch):
    monkeypatch.delenv("PLANBOARD_JOURNAL")

    done = cli("runs")

    assert done.exit_code == 2
    assert done.stderr == (
        "Error: It is not said where the runs are kept. Add --journal FILE, or set PLANBOARD_JOURNAL. "
        "For runs on Temporal: --temporal ADDRESS, or PLANBOARD_TEMPORAL.\n"
    )


def test_a_journal_that_is_not_there_is_not_made(paying, cli):
    done = cli("runs", "--journal", "rnus.db")

    assert done.exit_code == 2
    assert done.stderr == "Error: There is no journal 'rnus.db'. Did you mean 'runs.db'?\n"
    assert not Path("rnus.db").exists()


def test_a_file_that_is_no_journal_is_told_without_traceback(kept, cli):
    done = cli("runs", "--journal", "kept.py")

    assert done.exit_code == 1
    assert "'kept.py' is no journal of Planboard" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_id_may_be_shortened(paying, cli):
    assert document(cli("show", "pa", "--json"))["id"] == "pay-1"


def test_a_beginning_of_several_ids_is_refused(paying, cli):
    cli("run", "kept.py:paying", "-i", "amount=8", "--id", "pay-2")

    done = cli("show", "pay")

    assert done.exit_code == 2
    assert done.stderr == "Error: 'pay' may be run 'pay-1' or 'pay-2'. Give more of the id.\n"


def test_an_unknown_id_is_met_with_the_closest(paying, cli):
    done = cli("show", "pya-1")

    assert (done.exit_code, done.stderr) == (
        2,
        "Error: No run 'pya-1' is kept in 'runs.db'. Did you mean 'pay-1'?\n",
    )


def test_an_unknown_request_is_met_with_the_closest(paying, cli):
    assert "Did you mean 'pay-1:2'?" in cli("approve", "pya-1:2").stderr


def test_a_request_may_be_named_by_its_run_if_that_asks_for_one_thing_only(paying, cli):
    assert cli("approve", "pay").exit_code == 0
