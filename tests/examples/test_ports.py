"""The ports of other frameworks' standard examples print what the files in `ports` say, and show what they claim."""

import asyncio
from pathlib import Path

import pytest

from planboard import Denied, Flow, HandOff, Message, ProcessOptions, ProcessStatus

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAMES = sorted(file.stem for file in (HERE / "ports").glob("*.txt"))


@pytest.mark.parametrize("name", NAMES)
def test_prints_what_is_expected(name, load, capsys):
    load(f"ports/{name}").main()

    assert capsys.readouterr().out == (HERE / "ports" / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_runs_as_a_script_from_anywhere(name, python, tmp_path):
    done = python(str(ROOT / "examples" / "ports" / f"{name}.py"), cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (HERE / "ports" / f"{name}.txt").read_text(encoding="utf-8")


def test_no_port_is_forgotten():
    assert sorted(file.stem for file in (ROOT / "examples" / "ports").glob("*.py")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_says_what_it_shows_and_is_short(name):
    text = (ROOT / "examples" / "ports" / f"{name}.py").read_text(encoding="utf-8")

    assert text.startswith('"""')
    assert "\nShows " in text.split('"""')[1]
    assert len(text.splitlines()) < 120


@pytest.mark.parametrize("name", NAMES)
def test_is_on_the_page_for_those_who_come_from_there(name):
    page = (ROOT / "docs" / "explanation" / "coming-from-other-frameworks.md").read_text(encoding="utf-8")

    assert f"examples/ports/{name}.py" in page


# LangGraph


def test_a_shorter_history_changes_nothing_about_what_the_crew_does(load):
    port = load("ports/from_langgraph")
    long = port.supervised(output="full").run("Explain.")
    short = port.supervised(output="last", handoff_messages=False).run("Explain.")

    assert [*map(str, long.history)] == ["supervisor", "researcher", "supervisor", "coder", "supervisor"]
    assert [*map(str, short.history)] == [*map(str, long.history)]
    assert len(short.board.all(Message)) == 4


def test_a_crew_of_which_only_objects_are_shared_has_no_messages_at_all(load):
    process = load("ports/from_langgraph").supervised(output="typed").run("Explain.")

    assert process.status is ProcessStatus.COMPLETED
    assert process.board.all(Message) == []


# Eino


def test_one_and_the_same_wish_is_followed_brought_back_or_noted_by_the_kind_of_team(load):
    port = load("ports/from_eino_teams")
    decided = [HandOff(to="drafter", task="x"), "done"]

    followed = port.Network("team", [port.drafter, port.reviewer]).run("x")
    brought_back = port.Crew("team", [port.drafter, port.reviewer], supervisor=lambda _: decided.pop(0)).run("x")
    noted = Flow.sequence("team", port.reviewer, port.drafter).run("x")

    assert [*map(str, followed.history)] == ["drafter", "reviewer"]
    assert [*map(str, brought_back.history)] == ["supervisor", "drafter", "supervisor"]
    assert [hand_off.to for hand_off in noted.board.all(HandOff)] == ["reviewer"]


# DeepFlux


@pytest.fixture
def trip(load):
    port = load("ports/from_deepflux")
    options = ProcessOptions(clock=port.FakeClock())
    return port, port.agent.process(port.Order(city="Oslo", days=2), options=options)


def test_only_the_call_that_was_agreed_to_goes_and_what_was_done_is_not_done_again(trip):
    port, process = trip
    asyncio.run(process.run())
    process.respond(process.pending[0].id, True)
    asyncio.run(process.run())

    assert [request.action for request in process.pending] == ["release"]
    assert port.asked == ["Oslo, day 1", "Oslo, day 2"]


def test_after_a_refusal_nothing_is_sent(trip, capsys):
    _, process = trip
    asyncio.run(process.run())
    process.respond(process.pending[0].id, True)
    asyncio.run(process.run())
    process.respond(process.pending[0].id, False)

    assert asyncio.run(process.run()) is not ProcessStatus.COMPLETED
    assert "ada" not in capsys.readouterr().out


# AutoGen


def test_the_swarm_waits_for_the_passenger_and_goes_on_with_who_asked(load):
    process = load("ports/from_autogen").swarm().process("Refund my flight.")
    asyncio.run(process.run())
    waited_for = [(request.action, request.prompt) for request in process.pending]
    process.respond(process.pending[0].id, "507811")
    asyncio.run(process.run())

    assert waited_for == [("passenger", "What is the number of your flight?")]
    assert [*map(str, process.history)][-4:] == ["flights_refunder", "passenger", "flights_refunder", "travel_agent"]
    assert process.board.all(Denied) == []
