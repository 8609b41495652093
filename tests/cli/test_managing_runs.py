"""Runs that are kept in a file: looked at, answered and gone on with from other commands."""

import json
import signal
import sys
from pathlib import Path

import pytest

from planboard import Process, SqliteJournal
from planboard.cli.samples import sample_text
from planboard.cli.target import loaded

NOT_ON_WINDOWS = pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")


@pytest.fixture
def paying(kept, cli):
    """A run that waits for consent."""
    return cli("run", "kept.py:paying", "-i", "amount=7", "--id", "pay-1")


@pytest.fixture
def asking(kept, cli):
    """A run that waits for an answer."""
    return cli("run", "kept.py:asking", "-i", "amount=7", "--id", "ask-1")


def document(done):
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def effects(folder):
    return (folder / "effects.txt").read_text(encoding="utf-8").split()


def until(process, words):
    """Read what a command tells until it says some words."""
    while words not in (line := process.stderr.readline()):
        assert line, "it has ended"


def begun(process, folder):
    """Wait until the action that hangs has begun."""
    file = folder / "effects.txt"
    while not (file.exists() and file.read_text(encoding="utf-8")):
        assert process.poll() is None, "it has ended"


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


# Looking


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


# Answering


def test_an_answer_is_kept_and_the_run_waits_to_be_gone_on_with(asking, cli):
    done = cli("answer", "ask-1:1", '{"approved": true, "note": "fine"}')

    assert done.exit_code == 0
    assert "  $ planboard resume ask-1\n" in done.stderr
    assert document(cli("resume", "ask-1")) == {"text": "decided True fine"}


def test_an_answer_may_let_the_run_go_on_at_once(asking, cli):
    assert document(cli("answer", "ask-1:1", '{"approved": false}', "--resume")) == {"text": "decided False"}


def test_an_answer_may_come_from_a_file(asking, kept, cli):
    (kept / "decision.json").write_text('{"approved": true}', encoding="utf-8")

    assert document(cli("answer", "ask-1", "@decision.json", "--resume")) == {"text": "decided True"}


def test_an_answer_may_come_from_standard_input(asking, cli):
    done = cli("answer", "ask-1", "-", "--resume", stdin='{"approved": true}\n')

    assert document(done) == {"text": "decided True"}


@pytest.mark.parametrize("text", ["hello there", "42", "true", "", "[1]"])
def test_a_text_is_taken_as_it_is(kept, cli, text):
    cli("run", "kept.py:noting", "--id", "n")

    assert document(cli("answer", "n", "--resume", "--", text)) == {"text": text}


def test_an_answer_that_does_not_fit_names_the_field_and_leaves_the_request(asking, cli):
    done = cli("answer", "ask-1", '{"approved": "perhaps"}')

    assert done.exit_code == 1
    assert "approved: Input should be a valid boolean" in done.stderr
    assert """An answer looks like this: '{"approved": true}'""" in done.stderr
    assert len(document(cli("pending", "--json"))) == 1


def test_a_second_answer_is_refused(asking, cli):
    cli("answer", "ask-1:1", '{"approved": true}')

    done = cli("answer", "ask-1:1", '{"approved": false}')

    assert done.exit_code == 1
    assert "answered already" in done.stderr


def test_approve_lets_the_action_run_and_nothing_is_done_twice(paying, kept, cli):
    assert document(cli("approve", "pay-1:2", "--resume")) == {"text": "paid 7"}
    assert effects(kept) == ["check"]


def test_approve_may_change_an_argument(paying, cli):
    done = cli("approve", "pay-1:2", "--edit", 'expense={"amount": 5}', "--resume")

    assert document(done) == {"text": "paid 5"}


def test_an_unknown_argument_is_met_with_the_closest(paying, cli):
    assert "Did you mean 'expense'?" in cli("approve", "pay-1:2", "--edit", "expence={}").stderr


def test_approve_does_not_answer_what_asks_for_a_value(asking, cli):
    done = cli("approve", "ask-1:1")

    assert (done.exit_code, done.stderr) == (
        2,
        "Error: ask-1:1 asks for an answer, not for consent: planboard answer ask-1:1 VALUE\n",
    )


def test_deny_lets_the_agent_go_another_way(paying, cli):
    done = cli("deny", "pay-1:2", "--reason", "too much", "--resume")

    assert document(done) == {"text": "pay not done: too much"}


def test_a_request_of_a_child_is_answered_on_the_run_that_began_it(kept, cli):
    cli("run", "kept.py:boss", "-i", "amount=7", "--id", "boss-1")

    done = cli("approve", "boss-1.1:2", "--resume", "--json")

    assert document(done)["id"] == "boss-1"
    assert document(done)["result"] == {"text": "paid 7"}
    assert effects(kept) == ["check"]


def test_what_has_expired_cannot_be_answered_and_counts_as_denied(kept, cli, days_pass):
    cli("run", "kept.py:hasty", "--id", "h")
    days_pass()

    assert "has expired" in cli("answer", "h:1", '{"approved": true}').stderr
    assert document(cli("resume", "h")) == {"text": "ask_decision not done: nobody answered in time"}


# Going on


def test_a_run_is_found_again_from_another_folder(paying, kept, cli, monkeypatch):
    (kept / "below").mkdir()
    monkeypatch.chdir(kept / "below")

    assert document(cli("approve", "pay-1:2", "--resume", "--journal", "../runs.db")) == {"text": "paid 7"}


def test_a_journal_and_its_agents_may_be_moved_together(paying, kept, cli, monkeypatch, tmp_path):
    other = tmp_path / "elsewhere"
    other.mkdir()
    for name in ("kept.py", "runs.db"):
        (kept / name).rename(other / name)

    assert document(cli("approve", "pay-1:2", "--resume", "--journal", "elsewhere/runs.db")) == {"text": "paid 7"}


def test_an_agent_that_has_moved_is_asked_for(paying, kept, cli):
    (kept / "kept.py").rename(kept / "moved.py")

    done = cli("approve", "pay-1:2")

    assert done.exit_code == 2
    assert "Run 'pay-1' was begun with 'kept.py:paying'. There is no file 'kept.py'." in done.stderr
    assert document(cli("approve", "pay-1:2", "--target", "moved.py:paying", "--resume", "--quiet")) == {
        "text": "paid 7"
    }


def test_an_agent_that_has_changed_is_told_with_the_difference(paying, kept, cli):
    source = (kept / "kept.py").read_text(encoding="utf-8")
    (kept / "kept.py").write_text(
        source.replace("amount: int\n    payee", "amount: float\n    payee"), encoding="utf-8"
    )

    done = cli("resume", "pay-1")

    assert done.exit_code == 1
    assert "- type 'Expense': amount was int and is float" in done.stderr
    assert "--allow-changes" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_changed_agent_may_go_on_all_the_same(paying, kept, cli):
    source = (kept / "kept.py").read_text(encoding="utf-8")
    (kept / "kept.py").write_text(source.replace('"Ada"', "'Ada'\n    remark: str = ''"), encoding="utf-8")

    assert cli("approve", "pay-1:2").exit_code == 1
    assert document(cli("approve", "pay-1:2", "--allow-changes", "--resume")) == {"text": "paid 7"}


def test_a_secret_is_asked_for_and_taken_from_the_environment(kept, cli, monkeypatch):
    cli("run", "kept.py:entering", "-i", "user=ada", "-i", "password=hunter2", "--id", "e")
    monkeypatch.setenv("LOGIN", "hunter2")

    refused = cli("approve", "e:1")

    assert refused.exit_code == 1
    assert "--secret Login.password=VARIABLE" in refused.stderr
    assert document(cli("approve", "e:1", "--secret", "Login.password=LOGIN", "--resume")) == {"text": "2retnuh"}


def test_a_secret_that_is_not_in_the_environment_is_told(paying, cli):
    done = cli("resume", "pay-1", "--secret", "password=NOWHERE")

    assert (done.exit_code, done.stderr) == (
        2,
        "Error: --secret password=NOWHERE: there is no environment variable 'NOWHERE'.\n",
    )


def test_resuming_a_run_that_waits_says_what_for(paying, cli):
    done = cli("resume", "pay-1")

    assert done.exit_code == 6
    assert "  $ planboard approve pay-1:2\n" in done.stderr


def test_resuming_what_is_done_prints_the_result_again(paying, kept, cli):
    cli("approve", "pay-1:2", "--resume")

    assert document(cli("resume", "pay-1")) == {"text": "paid 7"}
    assert effects(kept) == ["check"]


def test_a_larger_budget_lets_a_run_go_on(kept, cli):
    ended = cli("run", "kept.py:paying", "-i", "amount=7", "--max-actions", "1", "--id", "p")

    stopped, resumed = cli("resume", "p"), cli("resume", "p", "--max-actions", "3")

    assert [ended.exit_code, stopped.exit_code, resumed.exit_code] == [5, 5, 6]


def test_a_run_may_go_on_with_another_planner(paying, cli):
    cli("approve", "pay-1:2")

    assert document(cli("resume", "pay-1", "--planner", "hybrid", "--json"))["planner"] == "hybrid"


def test_resuming_a_child_resumes_the_run_that_began_it(kept, cli):
    cli("run", "kept.py:boss", "-i", "amount=7", "--id", "boss-1")

    done = cli("resume", "boss-1.1")

    assert done.exit_code == 6
    assert "Run boss-1.1 is a part of boss-1, which has gone on." in done.stderr


def test_progress_of_a_resumed_run_names_what_stood_on_its_board(paying, cli):
    told = cli("approve", "pay-1:2", "--resume").stderr

    assert "✓ pay: + Payment (cost 0.3)" in told
    assert "completed (3 actions, cost 0.5)" in told
    assert "✓ check" not in told


def test_all_goes_on_with_what_can_in_the_order_of_beginning(paying, asking, kept, cli, days_pass):
    cli("answer", "ask-1", '{"approved": true}')
    cli("run", "kept.py:hasty", "--id", "h")
    cli("run", "kept.py:paying", "-i", "amount=7", "--id", "p2")
    cli("fork", "ask-1", "--at", "3", "--id", "f")
    days_pass()

    done = cli("resume", "--all")

    assert done.exit_code == 0
    assert [line.split("  ")[:2] for line in done.stdout.splitlines()] == [
        ["ask-1", "COMPLETED"],
        ["h", "COMPLETED"],
        ["f", "WAITING"],
    ]


def test_all_goes_on_past_a_run_that_cannot(asking, kept, cli):
    cli("answer", "ask-1", '{"approved": true}')
    (kept / "other.py").write_text((kept / "kept.py").read_text(encoding="utf-8"), encoding="utf-8")
    cli("run", "other.py:asking", "-i", "amount=1", "--id", "b")
    cli("answer", "b", '{"approved": true}')
    (kept / "kept.py").unlink()

    done = cli("resume", "--all", "--json")

    told = json.loads(done.stdout)
    assert done.exit_code == 1
    assert told[0]["error"]["kind"] == "BadParameter"
    assert told[1]["status"] == "COMPLETED"


def test_all_with_nothing_to_do_says_so(paying, cli):
    done = cli("resume", "--all")

    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "No run can go on now.\n")


def test_resume_wants_a_run_or_all(paying, cli):
    assert cli("resume").exit_code == 2
    assert cli("resume", "pay-1", "--all").exit_code == 2


# Cancelling and forking


def test_cancel_ends_a_run_that_waits(paying, cli):
    done = cli("cancel", "pay-1", "--reason", "not needed")

    assert done.exit_code == 0
    told = document(cli("show", "pay-1", "--json"))
    assert (told["status"], told["reason"], told["pending"]) == ("CANCELLED", "not needed", [])


def test_what_has_ended_cannot_be_cancelled(paying, cli):
    cli("cancel", "pay-1")

    assert cli("cancel", "pay-1").exit_code == 2


def test_a_part_of_a_run_is_not_cancelled_by_itself(kept, cli):
    cli("run", "kept.py:boss", "-i", "amount=7", "--id", "boss-1")

    assert "To cancel that: planboard cancel boss-1" in cli("cancel", "boss-1.1").stderr


def test_cancel_ends_the_children_too(kept, cli):
    cli("run", "kept.py:boss", "-i", "amount=7", "--id", "boss-1")

    cli("cancel", "boss-1")

    assert [run["status"] for run in document(cli("runs", "--json"))] == ["CANCELLED", "CANCELLED"]


def test_a_fork_shares_the_past_and_goes_its_own_way(paying, kept, cli):
    forked = cli("fork", "pay-1", "--id", "p2")
    cli("deny", "pay-1:2", "--resume")

    assert forked.stdout == "p2\n"
    assert document(cli("approve", "p2:2", "--resume")) == {"text": "paid 7"}
    assert effects(kept) == ["check"]
    assert document(cli("show", "p2", "--json"))["forked_from"] == "pay-1@8"


def test_a_fork_at_an_event_that_is_not_there_is_refused(paying, cli):
    done = cli("fork", "pay-1", "--at", "99")

    assert (done.exit_code, done.stderr) == (2, "Error: Process pay-1 has no event 99; it has 8.\n")


def test_an_event_that_was_changed_is_told_without_traceback(paying, cli):
    import sqlite3

    connection = sqlite3.connect("runs.db")
    connection.execute("UPDATE events SET body = 'nonsense' WHERE kind = 'entry_added'")
    connection.commit()
    connection.close()

    for words in (("show", "pay-1"), ("resume", "pay-1")):
        done = cli(*words)
        assert done.exit_code == 1
        assert done.stderr.startswith("Error: Event 2 (entry_added) of run 'pay-1' cannot be read")


def test_sample_answers_follow_references_and_end():
    schema = {
        "$ref": "#/$defs/A",
        "$defs": {"A": {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/A"}}}},
    }

    assert json.loads(sample_text(schema))["a"]


# Several programs


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


# Who answers, and with which planner


def test_who_has_answered_is_on_record(paying, cli):
    cli("approve", "pay-1", "--by", "Ada")

    cli("resume", "pay-1")

    told = document(cli("events", "pay-1", "--json"))
    assert [event["by"] for event in told if event["kind"] == "request_answered"] == ["Ada"]


@pytest.mark.parametrize("words", [("approve", "made-1"), ("deny", "made-1"), ("cancel", "made-1"), ("fork", "made-1")])
def test_a_planner_that_is_not_kept_is_named_where_the_run_is_taken_up(kept, cli, module_file, words):
    module_file(
        "made.py",
        """
        from kept import paying
        from planboard import Agent, Goap

        agent = Agent("own", [paying], planner=Goap(objective="net"))
        """,
    )
    assert cli("run", "made.py", "-i", "Expense.amount=7", "--id", "made-1").exit_code == 6
    other = (kept / "made.py").read_text(encoding="utf-8").replace(', planner=Goap(objective="net")', "")
    (kept / "made.py").write_text(other, encoding="utf-8")

    refused, taken = cli(*words), cli(*words, "--planner", "goap")

    assert "On the command line: --planner NAME." in refused.stderr
    assert taken.exit_code == 0, taken.output
