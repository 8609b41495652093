"""Sets of actions that get in each other's way: the cheapest one that has an order, and proof that it is the cheapest."""

from hypothesis import given, settings
from hypothesis import strategies as st

from planboard.planners import Domain, Goap, NoPlan, Operator, Plan, PlanGoal, Problem
from planboard.planners.problem import exact
from planboard.planners.search.cheapest_plan import runs_once
from planboard.planners.search.view import reached_from, reduce, view_of

THINGS = "abcdef"


@st.composite
def conflicts(draw):
    """Actions that run once, need things, use some of them up, and make others."""
    operators = []
    for number in range(draw(st.integers(2, 9))):
        needs = draw(st.lists(st.sampled_from(THINGS), max_size=2, unique=True))
        used = draw(st.lists(st.sampled_from(needs), max_size=1)) if needs else []
        made = draw(st.lists(st.sampled_from(THINGS), min_size=1, max_size=2, unique=True))
        ran = f"ran {number}"
        operators.append(
            Operator(
                f"o{number}",
                {ran: False, **dict.fromkeys(needs, True)},
                {ran: True, **dict.fromkeys(used, False), **dict.fromkeys(made, True)},
                draw(st.sampled_from([0, 0.1, 0.1, 0.2, 0.5])),
            )
        )
    start = dict.fromkeys(draw(st.lists(st.sampled_from(THINGS), max_size=2)), True)
    wanted = draw(st.lists(st.sampled_from(THINGS), min_size=1, max_size=4, unique=True))
    return Problem(start, operators, [PlanGoal("g", wanted)])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problem=conflicts())
def test_the_cheapest_plan_is_found(problem):
    by_sets, by_states = Goap("relaxed").plan(problem), Goap("astar").plan(problem)

    if isinstance(by_states, Plan):
        assert by_sets == by_states
        assert by_sets.proof.optimal
    else:
        assert isinstance(by_sets, NoPlan)
        assert by_sets.reason == "unreachable"


def test_two_that_use_up_one_thing_make_for_a_second_one():
    operators = [
        Operator("bake", {"baked": False}, {"baked": True, "bread": True}, 1),
        Operator("buy", {"bought": False}, {"bought": True, "bread": True}, 3),
        Operator("eat", ["bread"], {"bread": False, "fed": True}, 1),
        Operator("sell", ["bread"], {"bread": False, "paid": True}, 1),
    ]

    plan = Goap("relaxed").plan(Problem({}, operators, [PlanGoal("g", ["fed", "paid"])]))

    assert plan.steps == ("bake", "eat", "buy", "sell")
    assert str(plan.proof) == "optimal: the cheapest set of actions that has an order"


def task_of(operators, goal):
    domain = Domain(operators)
    view = view_of(domain, goal)
    start = view.literals_of(0, 0)
    running = reached_from(view, start)[1]
    return reduce(view, start, running, lambda index: exact(domain.operators[index].cost), fixed=True).task


def test_what_can_be_useful_twice_is_left_to_search_through_states():
    goal = PlanGoal("g", ["x", "y"])
    again = [Operator("make", (), ["part"]), *(Operator(f"use {n}", ["part"], {"part": False, n: True}) for n in "xy")]
    once = [Operator("make", {"made": False}, ["part", "made"]), *again[1:]]

    assert not runs_once(task_of(again, goal))
    assert runs_once(task_of(once, goal))
    assert Goap().plan(Problem({}, again, [goal])).steps == ("make", "use x", "make", "use y")
