"""`planboard run` puts the result on standard output, the progress on standard error, and the outcome in its exit code."""

import json

import pytest


def test_prints_a_model_as_json_and_progress_to_stderr(cli):
    done = cli("run", "agents.py", "--input", "topic.text=tides")

    assert done.exit_code == 0
    assert json.loads(done.stdout) == {"title": "tides", "body": "tides"}
    assert "✓ research: + Findings (cost 0.2)" in done.stderr
    assert "printed by the action" in done.stderr


def test_prints_markdown_as_it_is_where_there_is_no_terminal(cli):
    done = cli("run", "agents.py:briefer", "--input", "path=.", "--quiet")

    assert done.stdout == "# Brief of . []\n"
    assert done.stderr == ""


def test_a_main_block_does_not_run(cli):
    assert "main block" not in cli("actions", "agents.py").output


def test_a_function_that_returns_an_agent_is_a_target(cli):
    done = cli("run", "agents.py:make_assigner", "-i", "gh_issue.title=Leak", "-i", "name=Ada", "-q")

    assert done.stdout == "Leak → Ada\n"


def test_returning_another_type_pursues_that(cli):
    done = cli("run", "agents.py", "-i", "text=tides", "--returning", "Findings", "-q")

    assert json.loads(done.stdout) == {"notes": ["tides"]}


def test_what_has_no_json_form_is_shown_by_its_repr(cli):
    done = cli("run", "agents.py:packer", "-q")

    assert json.loads(done.stdout) == {"odd": "<Odd>", "number": "Infinity"}


def test_json_is_one_document_with_the_same_keys_however_it_ends(cli):
    completed = cli("run", "agents.py", "-i", "text=tides", "--json")
    stuck = cli("run", "agents.py", "--json")

    document = json.loads(completed.stdout)
    assert list(document) == list(json.loads(stuck.stdout))
    assert document["result"] == {"title": "tides", "body": "tides"}
    assert [run["action"] for run in document["history"]] == ["research", "write"]
    assert document["usage"] == {"actions": 2, "cost": 0.5, "tokens": 0, "llm_calls": 0}


def test_json_is_the_same_for_the_same_run(cli):
    words = ("run", "agents.py", "-i", "text=tides", "--json")

    assert cli(*words).stdout == cli(*words).stdout


@pytest.mark.parametrize("planner", ["goap", "utility", "hybrid"])
def test_planners_are_given_by_name(cli, planner):
    done = cli("run", "agents.py", "-i", "text=tides", "--planner", planner, "--json")

    assert json.loads(done.stdout)["planner"] == planner
    assert json.loads(done.stdout)["result_type"] == "Report"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("agents.py",), 3),
        (("agents.py:failing",), 4),
        (("agents.py", "-i", "text=tides", "--max-actions", "1"), 5),
        (("agents.py", "-i", "text=tides", "--max-cost", "0.25"), 5),
        (("agents.py:interrupted",), 130),
        (("agents.py", "--planner", "gaop"), 2),
        (("agents.py", "--concurrency", "0"), 2),
    ],
)
def test_the_exit_code_tells_how_it_ended(cli, words, code):
    assert cli("run", *words).exit_code == code


def test_stuck_says_what_is_missing_and_what_could_be_given(cli):
    done = cli("run", "agents.py", "-q")

    assert "It would take 'Topic'" in done.stderr
    assert "The agent starts from: Topic(text: str, depth: int = …)" in done.stderr


def test_a_failure_names_the_cause_without_traceback_unless_asked(cli):
    plain = cli("run", "agents.py:failing", "-q").stderr
    debugged = cli("run", "agents.py:failing", "-q", "--debug").stderr

    assert "ValueError: no" in plain
    assert "Traceback" not in plain
    assert "\x1b" not in plain
    assert "Traceback" in debugged


def test_an_unknown_planner_is_met_with_the_closest(cli):
    done = cli("run", "agents.py", "-i", "text=tides", "--planner", "gaop")

    assert done.stderr == "Error: No planner named 'gaop'. Did you mean 'goap'?\n"


def test_a_wrong_use_with_json_is_told_as_json_too(cli):
    done = cli("run", "agents.py", "--returning", "Reprot", "--json")

    assert done.exit_code == 2
    assert json.loads(done.stdout)["error"]["message"] == "The agent knows no type 'Reprot'. Did you mean 'Report'?"


def test_independent_actions_may_run_at_once(cli):
    assert cli("run", "agents.py", "-i", "text=tides", "--concurrency", "4", "-q").exit_code == 0
