"""Promises about the planner of teams: who has the turn is on the board, and it asks nobody."""

import pytest
from teamwork import begun, compute, crew_of, look_up, to

from planboard import Crew, DefinitionError, HandOff, NoPlan, Plan, Turn, WorkDone
from planboard.teams.turn_taking import TurnTaking

CREW = Crew("crew", [look_up, compute])


def planned(*on_board: object, crew: Crew = CREW):
    """Return what comes next on a board that holds these."""
    return crew.plan(*on_board)


def turn(*names: str, number: int = 1, then: str | None = "supervisor") -> Turn:
    return Turn(number=number, by="supervisor", hand_offs=tuple(HandOff(to=name) for name in names), then=then)


def done(name: str, number: int = 1) -> WorkDone:
    return WorkDone(turn=number, member=name)


@pytest.mark.parametrize(
    ("on_board", "steps"),
    [
        ([], ["supervisor"]),
        ([turn("compute")], ["compute"]),
        ([turn("compute", "look_up")], ["compute", "look_up"]),
        ([turn("compute", "look_up", "compute")], ["compute", "look_up"]),
        ([turn("compute", "look_up"), done("compute")], ["look_up"]),
        ([turn("compute"), done("compute")], ["supervisor"]),
        ([turn("compute"), done("compute"), turn("compute", number=2)], ["compute"]),
    ],
    ids=["nobody yet", "one", "two", "twice", "one has worked", "all have worked", "the newest turn counts"],
)
def test_whoever_has_the_turn_is_next(on_board, steps):
    plan = planned("q", *on_board)
    assert isinstance(plan, Plan)
    assert list(plan.steps) == steps


def test_a_turn_that_nobody_follows_leaves_nothing_to_do():
    assert isinstance(planned("q", turn("compute", then=None), done("compute")), NoPlan)


def test_the_plan_says_why():
    assert "the turn is on the board" in planned("q", turn("compute")).proof.reason


def test_a_limit_says_which():
    turns = [turn("compute", number=number) for number in range(1, 5)]
    found = planned("q", *turns)
    assert found.reason == "limit"
    assert "loop: 'compute' was given the same task more than 3 times" in found.halt


def test_planning_is_the_same_each_time():
    assert planned("q", turn("compute", "look_up")).fingerprint == planned("q", turn("compute", "look_up")).fingerprint


@pytest.mark.parametrize("limit", ["at_once", "recursion_limit", "repeats"])
@pytest.mark.parametrize("number", [0, -1, 1.5, True, None], ids=str)
def test_limits_are_whole_numbers_of_at_least_one(limit, number):
    with pytest.raises(DefinitionError, match=f"{limit}=.*a whole number of at least 1"):
        TurnTaking("supervisor", **{limit: number})


def test_children_of_a_team_are_not_planned_by_turns():
    """What a team runs has a planner of its own."""
    crew, _ = crew_of([look_up], to("look_up", task="a"), "end")
    process = begun(crew, "q")
    assert process.planner.name == "turns"
    assert process.planner.handed_down is False
