"""Promises about kept runs that go on, are cancelled, or are forked."""

import json

from kept_runs import document, effects

from planboard.cli.samples import sample_text

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
