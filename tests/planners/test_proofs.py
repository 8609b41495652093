"""What backs an answer: bounds, gaps and nodes of plans; what is missing and who lacks what where there is none."""

import pytest

from planboard.planners import (
    Disproof,
    Domain,
    Goap,
    Hybrid,
    Limit,
    NoPlan,
    Obstacle,
    Operator,
    PlanGoal,
    Problem,
    Producer,
    Utility,
)

GOAL = PlanGoal("moved", ["there 1", "there 2", "there 3"])
CARRYING = [
    *(
        Operator(
            f"take {n}",
            {"here": True, f"here {n}": True, "full": False},
            {f"here {n}": False, f"held {n}": True, "full": True},
            1,
        )
        for n in (1, 2, 3)
    ),
    *(
        Operator(
            f"drop {n}", {f"held {n}": True, "here": False}, {f"held {n}": False, f"there {n}": True, "full": False}, 1
        )
        for n in (1, 2, 3)
    ),
    Operator("go", ["here"], {"here": False}, 1),
    Operator("return", {"here": False}, ["here"], 1),
]
START = {"here": True, "here 1": True, "here 2": True, "here 3": True}


def carrying(planner):
    return planner.plan(Problem(START, CARRYING, [GOAL]))


def test_the_bound_of_an_optimal_plan_is_its_cost():
    proof = carrying(Goap()).proof

    assert proof.optimal
    assert (proof.bound, proof.gap) == (11, 0)
    assert proof.nodes > 0


def test_the_bound_falls_with_what_is_paid():
    plan = carrying(Goap())

    rest = plan.rest(plan.predicted)

    assert rest.proof.bound == rest.cost == 10


@pytest.mark.parametrize("heuristic", ["hadd", None])
def test_a_plan_that_is_not_proven_tells_bound_and_gap(heuristic):
    plan = carrying(Goap("simpleai:greedy", heuristic=heuristic))

    assert not plan.proof.optimal
    assert plan.proof.bound + plan.proof.gap == plan.cost
    assert plan.proof.bound <= 11


def test_what_sets_have_proven_is_not_lost_to_a_bold_heuristic():
    proof = carrying(Goap(heuristic="hadd")).proof

    assert not proof.optimal
    assert proof.bound == 7


def test_the_engine_that_answered_is_named():
    easy = Problem({}, [Operator("a", (), ["x"])], [PlanGoal("g", ["x"])])

    assert Goap().plan(easy).proof.engine == "relaxed"
    assert carrying(Goap()).proof.engine == "astar"
    assert Goap("simpleai:uniform_cost").plan(easy).proof.engine == "simpleai:uniform_cost"
    assert Goap().plan(Problem({"x": True}, [], [PlanGoal("g", ["x"])])).proof.engine == "none"


@pytest.mark.parametrize("planner", [Utility(), Hybrid()])
def test_greedy_planners_prove_nothing_about_what_they_choose(planner):
    plan = planner.plan(Problem({}, [Operator("a", (), ["x"])], [PlanGoal("g", ["x"])]))

    assert not plan.proof.optimal


def test_after_a_limit_the_gap_lies_between_the_best_plan_and_the_bound():
    result = carrying(Goap(limit=Limit(nodes=12)))

    assert isinstance(result, NoPlan)
    assert result.reason == "limit"
    assert result.bound <= 11 <= result.best.cost
    assert result.gap == result.best.cost - result.bound
    assert result.nodes >= 12


def test_a_disproof_holds_the_least_that_is_missing_and_who_lacks_what():
    operators = [
        Operator("publish", ["report", "approved"], ["published"]),
        Operator("write", ["findings"], ["report"]),
        Operator("research", ["topic"], ["findings"]),
        Operator("sign", {"draft": False, "signature": True}, ["approved"]),
    ]

    result = Goap().plan(Problem({"topic": True, "draft": True}, operators, [PlanGoal("out", ["published"])]))

    assert result.proof == Disproof(
        facts=("not draft", "signature"),
        smallest=True,
        obstacles=(
            Obstacle("published", False, (Producer("publish", ("approved",)),)),
            Obstacle("approved", False, (Producer("sign", ("not draft", "signature")),)),
            Obstacle("not draft", True, ()),
            Obstacle("signature", False, ()),
        ),
    )


def test_a_goal_whose_parts_exclude_each_other_is_disproven_by_exhaustion():
    operators = [
        Operator("left", {"used": False}, {"used": True, "left": True}),
        Operator("right", {"used": False}, {"used": True, "right": True}),
    ]

    result = Goap().plan(Problem({}, operators, [PlanGoal("both", ["left", "right"])]))

    assert (result.reason, result.proof.facts) == ("unreachable", ())
    assert result.proof.nodes > 0


def test_the_fingerprint_ignores_effects_that_nothing_relies_on():
    def fingerprint(**more):
        operators = [Operator("a", (), {"x": True, **more}), Operator("b", ["x"], ["y"])]
        return Goap().plan(Problem({}, operators, [PlanGoal("g", ["y"])])).fingerprint

    assert fingerprint() == fingerprint(log=True)


def test_the_fingerprint_tells_what_the_plan_relies_on():
    def fingerprint(cost=1, pre=(), truth=True):
        operators = [Operator("a", pre, {"x": truth}, cost), Operator("b", {"x": truth}, ["y"])]
        return Goap().plan(Problem({"p": True, "x": not truth}, operators, [PlanGoal("g", ["y"])])).fingerprint

    assert len({fingerprint(), fingerprint(cost=2), fingerprint(pre=["p"]), fingerprint(truth=False)}) == 4


def test_only_optimal_plans_are_remembered_for_the_states_they_lead_through():
    operators = [
        Operator("o0", (), {"d": True}, 2),
        Operator("o1", ["e"], {"a": True, "c": True}, 2),
        Operator("o2", {"b": True, "c": False}, {"b": False, "d": True}, 1),
        Operator("o3", ["d"], ["b"], 2),
        Operator("o4", {"b": False}, {"d": True, "e": True}, 3),
        Operator("o5", (), {"b": True, "c": True}, 3),
    ]
    goals = (PlanGoal("g", ["b", "d"]),)
    planner, domain = Goap(heuristic="hadd"), Domain(operators)

    fresh = planner.plan(Problem({"d": True}, Domain(operators), goals))
    planner.plan(Problem({}, domain, goals))

    assert planner.plan(Problem({"d": True}, domain, goals)) == fresh


def test_the_rest_of_a_plan_is_told_by_names_not_by_the_bits_of_another_domain():
    steps = [Operator("s1", ["z1"], ["a"]), Operator("s2", ["a"], ["g"])]
    plan = Goap().plan(Problem({"z1": True}, steps, [PlanGoal("g", ["g", "z1"])]))
    elsewhere = Domain([*steps, Operator("other", ["A"], ["b"])], facts=["Z", "z1"])

    assert plan.rest(elsewhere.state({"z1": True, "a": True})).steps == ("s2",)
    assert plan.rest(elsewhere.state({"z1": True, "b": True})) is None
