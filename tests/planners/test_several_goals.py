"""Several goals in one search: the plan is the best of the plans to each goal, ties and all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning_strategies import FACTS, literals
from slow_planner import best_standing

from planboard.planners import Domain, Goap, NoPlan, Operator, Plan, PlanGoal, Problem
from planboard.planners.search.auto import Auto

MANY = settings(max_examples=40, deadline=None, derandomize=True)
SURE = st.booleans()


@st.composite
def boards(draw):
    """Nothing unknown and no action values, so that one search is exact."""
    operators = [
        Operator(
            f"o{n}",
            draw(literals(SURE, most=2)),
            draw(literals(SURE, least=1)),
            draw(st.sampled_from([0, 0.1, 0.1, 1])),
        )
        for n in range(draw(st.integers(1, 6)))
    ]
    goals = [
        PlanGoal(f"g{n}", draw(literals(SURE, least=1)), draw(st.sampled_from([0, 0, 0.1, 0.2, 1, -1])))
        for n in range(draw(st.integers(2, 4)))
    ]
    if draw(st.booleans()):
        goals.append(PlanGoal("never", ["nobody gives"], 9))
    return draw(literals(SURE, most=4)), operators, goals


@MANY
@given(board=boards())
def test_one_search_finds_the_best_of_the_plans_to_each_goal(board):
    state, operators, goals = board

    together = Goap().plan(Problem(state, operators, goals))
    best = best_standing(Goap("astar").plans(Problem(state, operators, goals)))

    assert (together == best) if best else isinstance(together, NoPlan)
    assert not best or together.fingerprint == best.fingerprint


@MANY
@given(board=boards(), data=st.data())
def test_the_order_of_the_goals_does_not_matter(board, data):
    state, operators, goals = board

    one = Goap().plan(Problem(state, operators, goals))
    other = Goap().plan(Problem(state, operators, data.draw(st.permutations(goals))))

    assert one == other if isinstance(one, Plan) else isinstance(other, NoPlan)


@MANY
@given(board=boards())
def test_what_is_left_is_the_best_of_all_goals_still(board):
    state, operators, goals = board
    plan = Goap().plan(Problem(state, operators, goals))

    while isinstance(plan, Plan) and not plan.complete:
        rest = plan.rest(plan.predicted)
        fresh = Goap("astar").plan(Problem(dict(plan.predicted), operators, goals))
        assert rest == fresh
        plan = rest


def test_it_is_one_search(monkeypatch):
    solved = []
    solve = Auto.solve
    monkeypatch.setattr(Auto, "solve", lambda *given: solved.append(given) or solve(*given))
    operators = [Operator(f"make {name}", (), [name], 1) for name in FACTS]

    plan = Goap().plan(Problem({}, operators, [PlanGoal(name, [name], value) for value, name in enumerate(FACTS)]))

    assert plan.goal.name == FACTS[-1]
    assert len(solved) == 1


MAKE_X, MAKE_Y = Operator("make x", (), ["x"], 1), Operator("make y", (), ["y"], 2)


@pytest.mark.parametrize(
    ("state", "goals", "expected"),
    [
        ({}, [PlanGoal("a", ["x"], 1), PlanGoal("b", ["y"], 2.5)], "b"),  # 0 against 0.5
        ({}, [PlanGoal("b", ["x"], 1), PlanGoal("a", ["y"], 2)], "b"),  # a tie: the cheaper plan
        ({}, [PlanGoal("b", ["x"]), PlanGoal("a", ["x"])], "a"),  # the same plan: the name
        ({}, [PlanGoal("z", {"y": False}), PlanGoal("a", ["x"], 1)], "z"),  # a tie, but nothing is to be done
        ({}, [PlanGoal("z", {"y": False}), PlanGoal("a", ["x"], 1.5)], "a"),  # satisfied, and worth less
        ({"x": True, "y": True}, [PlanGoal("b", ["x"], -1), PlanGoal("a", ["y"], -2)], "b"),
        ({}, [PlanGoal("a", ["z"], 99), PlanGoal("b", ["x"], -99)], "b"),  # out of reach is worth nothing
    ],
)
def test_ties_fall_as_documented(state, goals, expected):
    for order in (goals, goals[::-1]):
        assert Goap().plan(Problem(state, [MAKE_X, MAKE_Y], order)).goal.name == expected


def test_a_goal_can_come_out_ahead_because_the_cheapest_plan_to_it_is_another_one():
    """The plan remembered is to the goal "one"; a price that rises makes the plan to "two" another, of more value."""
    price = {"plain": 1}
    operators = [
        Operator("plain", (), ["two"], lambda _: price["plain"]),
        Operator("worthy", (), ["two"], 2, 10),
        Operator("other", (), ["one"], 1, 1.5),
    ]
    domain, goals = Domain(operators), (PlanGoal("one", ["one"]), PlanGoal("two", ["two"]))
    assert Goap().plan(Problem({}, domain, goals)).steps == ("other",)

    price["plain"] = 3

    assert Goap().plan(Problem({}, domain, goals)).steps == ("worthy",)
