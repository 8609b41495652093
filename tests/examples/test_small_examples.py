"""The small examples print what the files beside this one say, and run as scripts from anywhere."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAMES = sorted(file.stem for file in HERE.glob("*.txt"))


@pytest.mark.parametrize("name", NAMES)
def test_prints_what_is_expected(name, load, capsys):
    load(name).main()

    assert capsys.readouterr().out == (HERE / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_runs_as_a_script_from_anywhere(name, python, tmp_path):
    done = python(str(ROOT / "examples" / f"{name}.py"), cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (HERE / f"{name}.txt").read_text(encoding="utf-8")


def test_no_example_is_forgotten():
    examples = {file.stem for file in (ROOT / "examples").glob("*.py")}

    assert examples - set(NAMES) - {"repo_brief", "model_choice"} == set()


@pytest.mark.parametrize("name", [*NAMES, "repo_brief"])
def test_says_what_it_shows_and_is_short(name):
    text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")

    assert text.startswith('"""')
    assert "Shows " in text.split('"""')[1]
    assert len(text.splitlines()) < 120


@pytest.mark.parametrize("name", sorted({*NAMES, "repo_brief"} - {"issue_triage", "meal_preparation"}))
def test_nothing_about_the_agent_is_suspicious(name, load):
    assert load(name).agent.check() == []


def test_an_issue_that_is_known_already_goes_no_further(load):
    example = load("issue_triage")
    repository = example.Repository(1)

    process = example.triage_agent(repository).run(example.Issue(number=1, title="Crash in the docs"))

    assert [run.action for run in process.history] == ["save_new_issue"]
    assert repository.done == []


def test_an_issue_without_urgency_pages_nobody(load):
    example = load("issue_triage")
    repository = example.Repository()

    process = example.triage_agent(repository).run(example.Issue(number=1, title="A question"))

    assert "react_to_new_issue" in map(str, process.history)
    assert "page_on_call" not in map(str, process.history)


def test_a_ticket_only_has_the_actions_of_its_category(load):
    example = load("ticket_triage")

    process = example.agent.run(example.Ticket(id="1", description="bug", customer_id="c"))

    assert [run.action for run in process.history] == ["triage_ticket", "handle_bug"]
    assert [entry.value for entry in process.board.visible] == [
        process.board.last(example.BugTicket),
        process.result(example.ResolvedTicket),
    ]


def test_the_reducer_stops_with_an_action_left_that_utility_would_still_run(load, capsys):
    example = load("signal_reducer")
    signal = example.Signal(service="checkout", message="m")

    hybrid = example.agent.run(signal)
    utility = example.agent.run(signal, planner="utility")

    assert [run.action for run in utility.history] == [*map(str, hybrid.history), "page_everyone"]
    assert capsys.readouterr().out == "Everybody wakes up because of checkout.\n"


def test_the_dungeon_is_left_with_neither_oil_nor_key(load):
    example = load("dungeon")

    process = example.agent.run(example.Hero(name="Ada"))

    assert process.board.last(example.Oil) is None
    assert process.board.last(example.Key) is None
    assert "fight_dragon" not in map(str, process.history)
