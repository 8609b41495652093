"""Promises about answers to what kept runs ask."""

import pytest
from kept_runs import document, effects

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
