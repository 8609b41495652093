"""Our planners and example agents under the checks that we give to users."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning_strategies import MODEST

from planboard import Goap, Hybrid, Utility
from planboard.testing import boards, check_determinism, check_optimality, check_plans_valid, check_swap, problems
from planboard.testing.asking import agent_at

EXAMPLES = Path(__file__).parents[2] / "examples"
FEW = settings(MODEST, max_examples=15)
PLANNERS = [Goap(), Utility(), Hybrid()]
WITH_A_GOAL = ["compare_planners", "dungeon", "repo_brief", "signal_reducer", "ticket_triage"]
INPUTS = {"compare_planners": "Question", "dungeon": "Hero", "signal_reducer": "Signal", "ticket_triage": "Ticket"}


def address(example):
    return f"{EXAMPLES / example}.py:agent"


@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"goals": 3, "values": True, "nirvana": True},
        {"goals": 2, "resolve": True},
        {"facts": 8, "operators": 9, "unknowns": False, "outcomes": False},
    ],
    ids=str,
)
def test_goap_is_optimal_by_the_whole_tie_rule(kind):
    @MODEST
    @given(problems(**kind))
    def holds(problem):
        check_optimality(Goap(), problem)

    holds()


@pytest.mark.parametrize("planner", [*PLANNERS, Goap(engine="simpleai:greedy"), Goap(objective="net")], ids=repr)
@MODEST
@given(problem=problems(goals=2, resolve=True, nirvana=True))
def test_every_plan_is_valid(planner, problem):
    check_plans_valid(planner, problem)


@pytest.mark.parametrize("planner", PLANNERS, ids=repr)
@MODEST
@given(problem=problems(goals=3, values=True, resolve=True))
def test_neither_repetition_nor_order_changes_a_plan(planner, problem):
    check_determinism(planner, problem, seeds=())


@pytest.mark.parametrize("planner", PLANNERS, ids=repr)
@settings(MODEST, max_examples=1)
@given(several=st.lists(problems(goals=3, values=True), min_size=10, max_size=20))
def test_no_hash_seed_changes_a_plan(planner, several):
    check_determinism(planner, *several, seeds=[0, 4711])


@pytest.mark.parametrize("example", WITH_A_GOAL)
def test_plans_for_the_examples_are_right_on_any_board(example):
    agent = agent_at(address(example))

    @FEW
    @given(boards(agent), st.sampled_from(PLANNERS))
    def holds(board, planner):
        check_plans_valid(agent, board, planner=planner)
        check_determinism(agent, board, planner=planner, seeds=())
        if example != "repo_brief":  # too many states for the slow planner
            check_optimality(agent, board, planner=Goap())

    holds()


@pytest.mark.parametrize("example", INPUTS)
def test_planners_of_the_examples_can_be_swapped(example):
    agent = agent_at(address(example))

    @FEW
    @given(boards(agent))
    def holds(board):
        check_swap(agent, PLANNERS, board)

    holds()


def test_an_example_is_planned_alike_in_fresh_interpreters():
    agent = agent_at(address("dungeon"))
    board = boards(agent, types=[agent.actions["enter"].body.inputs[0].query.form])

    @settings(MODEST, max_examples=1)
    @given(board)
    def holds(board):
        check_determinism(address("dungeon"), board, seeds=[1])

    holds()
