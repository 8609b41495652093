"""`plan`, `explain`, `check`, `graph` and `actions` show an agent without running it."""

import json

import pytest

import planboard


def test_plan_explains_the_steps(cli):
    done = cli("plan", "agents.py", "-i", "text=tides")

    assert done.exit_code == 0
    assert done.stdout.startswith("Plan for 'write': research → write (cost 0.5)\n")
    assert "printed by the action" not in done.output


def test_no_plan_says_why_with_exit_code_3(cli):
    done = cli("plan", "agents.py")

    assert done.exit_code == 3
    assert "It would take 'Topic'" in done.stdout
    assert "The agent starts from: Topic" in done.stdout


def test_plan_as_json(cli):
    found = json.loads(cli("plan", "agents.py", "-i", "text=tides", "--json").stdout)
    missing = json.loads(cli("plan", "agents.py", "--json").stdout)

    assert [step["action"] for step in found["steps"]] == ["research", "write"]
    assert found["cost"] == 0.5
    assert list(found["proof"]) == ["engine", "optimal", "bound", "nodes", "reason"]
    assert (missing["found"], missing["reason"]) == (False, "unreachable")


def test_explain_also_tells_of_what_was_not_chosen(cli):
    words = ("agents.py", "-i", "text=tides", "-i", 'Findings={"notes": []}')

    assert "research" not in cli("plan", *words).stdout
    assert "research:" in cli("explain", *words).stdout


def test_check_passes_a_sound_agent(cli):
    done = cli("check", "agents.py:briefer")

    assert done.exit_code == 0
    assert done.stdout == ""
    assert "briefer: no errors" in done.stderr


def test_check_fails_for_errors(cli):
    done = cli("check", "agents.py:flawed")
    document = json.loads(cli("check", "agents.py:flawed", "--json").stdout)

    assert done.exit_code == 1
    assert "no action yields Locked" in done.stdout
    assert list(document[0]) == ["severity", "code", "message", "remedy", "where"]


def test_graph_is_mermaid(cli):
    agent = cli("graph", "agents.py")
    plan = cli("graph", "agents.py", "--plan", "-i", "text=tides")

    assert agent.stdout.startswith("flowchart")
    assert plan.stdout.startswith("flowchart")
    assert agent.stdout != plan.stdout


def test_graph_refuses_inputs_it_would_not_use(cli):
    assert "add --plan" in cli("graph", "agents.py", "-i", "text=tides").stderr


def test_actions_are_lines_where_there_is_no_terminal(cli):
    done = cli("actions", "agents.py")

    assert done.stdout == (
        "research(Topic) -> Findings  cost=0.2 value=0.6\n"
        "write(Topic, Findings) -> Report  cost=0.3 value=0  achieves: A finished report\n"
    )


def test_actions_as_json(cli):
    research, _ = json.loads(cli("actions", "agents.py", "--json").stdout)

    assert research["name"] == "research"
    assert research["description"] == "Collect notes on the topic."
    assert research["inputs"][0]["type"] == "Topic"


@pytest.mark.parametrize("command", ["run", "plan", "explain", "check", "graph", "actions"])
def test_the_help_of_each_command_has_an_example(cli, command):
    done = cli(command, "--help")

    assert done.exit_code == 0
    assert f"planboard {command} agents.py" in done.stdout


def test_version(cli):
    assert cli("--version").stdout == f"planboard {planboard.__version__}\n"
