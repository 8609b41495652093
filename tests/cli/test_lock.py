"""`plan --lock` writes plans down and `plan --check` says what has changed since, in words and by the exit code."""

import json

import pytest

AGENTS = """
from pydantic import BaseModel, SecretStr
from planboard import Agent, achieves_goal, action, condition

class Topic(BaseModel):
    text: str

class Findings(BaseModel): ...

class Report(BaseModel): ...

class Account(BaseModel):
    user: str
    api_key: str
    pin: SecretStr

@action(cost=0.2, value=0.6)
def research(topic: Topic) -> Findings: ...

@achieves_goal("A report")
@action(cost=0.3)
def write(topic: Topic, findings: Findings) -> Report: ...

PARTS = [research, write]
"""
END = '\nagent = Agent("reporter", PARTS)\n'
BUY = "\n@action(cost=0.1)\ndef buy(topic: Topic) -> Findings: ...\n\nPARTS.append(buy)\n"
TIDES = ("plan", "reporter.py", "--input", "topic.text=tides")


@pytest.fixture
def agent_file(module_file):
    """Return a function that writes `reporter.py`: the agents above, with more or other code."""

    def write(more: str = "", *, instead: tuple[str, str] = ("", ""), name: str = "reporter.py"):
        return module_file(name, AGENTS.replace(*instead) + more + END)

    write()
    return write


@pytest.fixture
def lock(cli, agent_file, folder):
    """Return the lock file, with the plan for one topic in it."""
    assert cli(*TIDES, "--lock", "plans.lock").exit_code == 0
    return folder / "plans.lock"


def test_what_was_locked_passes_the_check(cli, lock):
    one, every = cli(*TIDES, "--check", "plans.lock"), cli("plan", "--check", "plans.lock")

    assert (one.exit_code, one.stdout) == (0, "")
    assert (every.exit_code, every.stdout) == (0, "")
    assert "1 situation: 1 the same" in every.stderr


def test_a_lock_file_says_what_the_plans_rely_on(lock):
    (entry,) = json.loads(lock.read_text(encoding="utf-8"))["plans"]

    plan = entry["goals"]["write"]
    assert (entry["target"], entry["inputs"], entry["chosen"]) == ("reporter.py", ["topic.text=tides"], "write")
    assert plan["steps"][1] == {
        "action": "write", "cost": 0.3, "value": 0.0, "needs": ["Findings", "Topic"], "gives": ["Report"],
    }  # fmt: skip
    assert not {"proof", "nodes"} & set(plan)


def test_a_cheaper_action_shows_as_a_changed_plan(cli, lock, agent_file):
    agent_file(BUY)

    done = cli("plan", "--check", "plans.lock")

    assert done.exit_code == 1
    assert done.stdout == (
        "reporter.py --input topic.text=tides\n"
        "  goal 'write'\n"
        "    now chooses `buy` instead of `research`\n"
        "      - research (cost 0.2, value 0.6)\n"
        "      + buy (cost 0.1)\n"
        "        write (cost 0.3)\n"
        "    cost 0.5 -> 0.4, value 0.6 -> 0, net value 0.1 -> -0.4\n"
    )
    assert "run the same command with --lock" in done.stderr


def test_locking_again_accepts_the_change(cli, lock, agent_file):
    agent_file(BUY)

    assert "now chooses `buy`" in cli("plan", "--lock", "plans.lock").stdout
    assert cli("plan", "--check", "plans.lock").exit_code == 0


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("\n@action\ndef archive(report: Report) -> str: ...\nPARTS.append(archive)", id="goes on"),
        pytest.param(
            "\n@action(rerun='new_inputs')\ndef log(findings: Findings) -> str: ...\nPARTS.append(log)", id="listens"
        ),
        pytest.param(
            "\n@condition\ndef good(findings: Findings) -> bool: ...\n"
            "@action(pre=[good])\ndef praise(topic: Topic) -> str: ...\nPARTS += [good, praise]",
            id="brings a condition",
        ),
        pytest.param("\nPARTS.reverse()", id="another order"),
    ],
)
def test_what_has_nothing_to_do_with_a_plan_changes_nothing(cli, lock, agent_file, more):
    agent_file(more)

    assert cli("plan", "--check", "plans.lock").exit_code == 0


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        (("cost=0.3", "cost=0.4"), "`write` cost 0.3 -> 0.4"),
        (("value=0.6", "value=0.5"), "`research` value 0.6 -> 0.5"),
        (("write(topic: Topic, ", "write("), "`write` no longer needs `Topic`"),
        (('"A report"', '"A report", value=0.9'), "worth of the goal 0 -> 0.9"),
    ],
)
def test_the_same_steps_declared_otherwise_name_the_declaration(cli, lock, agent_file, instead, said):
    agent_file(instead=instead)

    done = cli("plan", "--check", "plans.lock")

    assert done.exit_code == 1
    assert said in done.stdout
    assert "now chooses" not in done.stdout


def test_a_goal_out_of_reach_says_what_it_would_take(cli, lock, agent_file):
    agent_file(instead=("research(topic: Topic)", "research(account: Account)"))

    done = cli("plan", "--check", "plans.lock")

    assert done.exit_code == 1
    assert "has no plan any more: 'Report from write' cannot be reached. It would take 'Account'" in done.stdout
    assert "- write (cost 0.3)" in done.stdout


def test_that_there_is_no_plan_is_locked_too(cli, agent_file):
    assert cli("plan", "reporter.py", "--lock", "plans.lock").exit_code == 0
    assert cli("plan", "--check", "plans.lock").exit_code == 0

    agent_file("\n@action\ndef dream() -> Topic: ...\nPARTS.append(dream)")

    assert "has a plan now, cost 0.5" in cli("plan", "--check", "plans.lock").stdout


def test_new_and_lost_goals_are_told(cli, lock, agent_file):
    agent_file(instead=("write", "compose"))

    done = cli("plan", "--check", "plans.lock")

    assert done.exit_code == 1
    assert "goal 'compose'\n    new, cost 0.5" in done.stdout
    assert "goal 'write'\n    there is no such goal any more" in done.stdout


def test_several_goals_each_have_their_plan(cli, lock, agent_file):
    agent_file('\n@achieves_goal("Fun", value=1.0)\n@action\ndef play(topic: Topic) -> str: ...\nPARTS.append(play)')

    done = cli(*TIDES, "--check", "plans.lock")

    assert "now pursues 'play' instead of 'write'" in done.stdout
    assert "goal 'play'\n    new, cost 0" in done.stdout
    assert "goal 'write'" not in done.stdout


@pytest.mark.parametrize("planner", ["utility", "hybrid"])
def test_planners_that_take_one_step_are_locked_as_well(cli, agent_file, planner):
    words = (*TIDES, "--planner", planner)
    cli(*words, "--lock", "plans.lock")
    agent_file("\n@action(value=0.9)\ndef shout(topic: Topic) -> str: ...\nPARTS.append(shout)")

    done = cli(*words, "--check", "plans.lock")

    assert done.exit_code == 1
    assert "goal 'Nirvana'\n    now chooses `shout` instead of `research`" in done.stdout


def test_a_check_as_json(cli, lock, agent_file):
    agent_file(BUY)

    document = json.loads(cli("plan", "--check", "plans.lock", "--json").stdout)

    assert document["same"] is False
    (found,) = document["plans"]
    assert (found["status"], found["error"]) == ("changed", None)
    assert [change["kind"] for change in found["changes"]] == ["steps", "price"]
    assert found["now"]["goals"]["write"]["cost"] == 0.4


def test_no_hash_seed_makes_a_difference(cli, lock, shell, agent_file):
    written = lock.read_bytes()
    agent_file(BUY)
    locked = cli("plan", "--check", "plans.lock").stdout

    for seed in ("1", "2"):
        process = shell("plan", "--check", "plans.lock", PYTHONHASHSEED=seed)
        assert (process.communicate(timeout=60)[0], process.returncode) == (locked, 1)
    agent_file()
    process = shell("plan", "--lock", "plans.lock", PYTHONHASHSEED="3")
    process.communicate(timeout=60)
    assert lock.read_bytes() == written


def test_a_check_runs_no_action(cli, folder):
    cli("plan", "agents.py", "-i", "text=tides", "--lock", "plans.lock")

    assert "printed by the action" not in cli("plan", "--check", "plans.lock").output
