"""GOAP by example: what it plans, what it assumes, what it asks, and how it says no."""

import pytest

from planboard.planners import Domain, Goap, Limit, NoPlan, Operator, Plan, PlanGoal, Problem

GOAL = PlanGoal("goal", ["goal"])


def plan(state, operators, goal=GOAL, *, resolve=None, **options):
    return Goap(**options).plan(Problem(state, operators, [goal], resolve))


def test_one_enabler_serves_three_consumers_before_any_of_them():
    """Case 004."""
    operators = [
        Operator("a", ["power"], ["x"]),
        Operator("b", ["power"], ["y"]),
        Operator("c", ["power"], ["z"]),
        Operator("switch on", (), ["power"]),
    ]

    assert plan({}, operators, PlanGoal("g", ["x", "y", "z"])).steps == ("switch on", "a", "b", "c")


def test_an_action_may_require_false_and_make_true():
    """Case 007."""
    raise_flag = [Operator("raise", {"flag": False}, {"flag": True})]
    flag = PlanGoal("g", ["flag"])

    assert plan({"flag": False}, raise_flag, flag).steps == ("raise",)
    assert plan({"flag": True}, raise_flag, flag).steps == ()


def test_one_impossible_part_makes_the_goal_unreachable():
    """Case 008."""
    result = plan({}, [Operator("a", (), ["easy"])], PlanGoal("g", ["easy", "impossible"]))

    assert isinstance(result, NoPlan)
    assert result.missing == ("impossible",)
    assert "'impossible'" in str(result)
    assert plan({}, [Operator("a", (), ["easy"])], PlanGoal("g", ["easy"])).steps == ("a",)


def test_what_is_consumed_and_produced_anew_is_there():
    """Case 009: an action that takes X and gives X leaves X."""
    operators = [
        Operator("refine", {"x": True, "refined": False}, {"x": True, "refined": True}),
        Operator("use", ["x", "refined"], ["goal"]),
    ]

    assert plan({"x": True}, operators).steps == ("refine", "use")


def test_a_negative_precondition_is_planned_for():
    """Case 011."""
    operators = [Operator("publish", {"draft": False}, ["goal"]), Operator("finish", (), {"draft": False})]

    assert plan({"draft": True}, operators).steps == ("finish", "publish")
    assert plan({"draft": True}, operators[:1]).missing == ("goal",)
    assert "'not draft'" in str(plan({"draft": True}, operators[:1]))


def test_a_hundred_pairs_that_undo_each_other_do_not_go_round_in_circles():
    """Case 016."""
    pairs = [
        operator
        for n in range(100)
        for operator in (
            Operator(f"set{n}", {f"flag{n}": False}, {f"flag{n}": True}),
            Operator(f"clear{n}", {f"flag{n}": True}, {f"flag{n}": False}),
        )
    ]
    needs_all = Operator("finish", [f"flag{n}" for n in range(100)] + ["never"], ["goal"])

    result = plan({}, [*pairs, needs_all])

    assert result.reason == "unreachable"
    assert "'never'" in str(result)


def test_what_one_part_undoes_is_done_again_if_it_can_be():
    operators = [
        Operator("up", (), {"high": True}),
        Operator("down", (), {"high": False, "low": True}),
        Operator("both", ["high", "low"], ["goal"]),
    ]

    assert plan({}, operators).steps == ("down", "up", "both")


def test_parts_that_exclude_each_other_are_unreachable():
    operators = [Operator("a", {"b": False}, {"goal": True, "b": True})]

    result = plan({}, operators, PlanGoal("g", {"goal": True, "b": False}))

    assert (result.reason, result.missing) == ("unreachable", ("goal",))
    assert "not all of them together" in str(result)


def test_an_action_may_be_repeated():
    toggle = [
        Operator("load", {"full": False}, {"full": True}),
        Operator("ship one", {"full": True}, {"full": False, "one": True}),
        Operator("ship two", {"full": True, "one": True}, {"full": False, "two": True}),
    ]

    assert plan({}, toggle, PlanGoal("g", ["one", "two"])).steps == ("load", "ship one", "load", "ship two")


def test_fewer_assumptions_win_at_equal_cost():
    operators = [
        Operator("draft", (), {"text": True, "good": None}, 0.1),
        Operator("send", ["text", "good"], ["goal"], 0.1),
        Operator("review", ["text"], ["good"]),
    ]

    careful = plan({}, operators)
    hasty = plan({}, operators[:2])

    assert (careful.steps, careful.assumptions) == (("draft", "review", "send"), ())
    assert (hasty.steps, hasty.assumptions) == (("draft", "send"), ("good",))


def test_an_assumption_is_kept_until_something_changes_the_fact():
    both_ways = [
        Operator("test", (), {"ok": None, "tested": True}),
        Operator("praise", {"ok": True, "tested": True}, ["praised"]),
        Operator("mend", {"ok": False, "tested": True}, ["mended"]),
    ]

    result = plan({}, both_ways, PlanGoal("g", ["praised", "mended"]))

    assert result.steps == ("test", "mend", "test", "praise")
    assert result.assumptions == ("not ok", "ok")


def test_what_is_unknown_from_the_start_cannot_be_assumed():
    result = plan({"ok": None}, [Operator("act", ["ok"], ["goal"])])

    assert isinstance(result, NoPlan)
    assert plan({"ok": None}, [Operator("act", {"ok": False}, ["goal"])]).reason == "unreachable"


def test_a_goal_that_may_come_true_is_planned_for_by_assumption():
    result = plan({}, [Operator("try", (), {"goal": None})])

    assert (result.steps, result.assumptions) == (("try",), ("goal",))


def test_choosing_an_outcome_is_an_assumption():
    operators = [
        Operator("triage", (), ["bug"], outcome="Bug"),
        Operator("triage", (), ["wish"], outcome="Wish"),
        Operator("fix", ["bug"], ["goal"]),
        Operator("guess", (), ["goal"], 0.1),
    ]

    assert plan({}, operators[:3]).assumptions == ("triage → Bug",)
    assert plan({}, operators[:3]).operators[0].outcome == "Bug"
    assert plan({}, operators).steps == ("triage", "fix")


def test_if_the_first_answer_changes_the_plan_the_second_is_not_asked():
    asked = []
    operators = [
        Operator("cheap", ["p", "q"], ["goal"], 0.1),
        Operator("sure", (), ["goal"], 0.5),
    ]

    result = plan({"p": None, "q": None}, operators, resolve=asked.append)

    assert result.steps == ("sure",)
    assert asked == ["p"]


def test_a_fact_of_a_goal_that_cannot_win_is_not_evaluated():
    great, small = PlanGoal("great", ["x"], 1), PlanGoal("small", ["y"], 0.1)
    operators = [Operator("a", (), ["x"], 0.1, 0.2), Operator("b", ["p"], ["y"], 0.1, 0.2)]

    result = Goap().plan(Problem({"p": None}, operators, [small, great], lambda _: pytest.fail("asked")))

    assert result.goal is great


def test_contradicting_hopes_are_not_mixed():
    """A plan that needs `p` both ways is no plan, so `p` alone decides nothing here and is not asked."""
    operators = [
        Operator("half", {"p": True}, ["half"]),
        Operator("other half", {"p": False, "half": True}, ["goal"]),
        Operator("sure", (), ["goal"], 1),
    ]

    result = plan({"p": None}, operators, resolve=lambda _: pytest.fail("asked"))

    assert result.steps == ("sure",)


def covers(count):
    """Actions that each provide two of many things: the pieces overlap, so that search is needed."""
    return [
        Operator(f"take {n} {step}", (), [f"x{n}", f"x{(n + step) % count}"], 0.1 * step)
        for n in range(count)
        for step in (1, 2, 3)
    ]


@pytest.mark.parametrize("engine", ["auto", "astar"])
def test_a_limit_is_not_taken_for_no_plan(engine):
    goal = PlanGoal("g", [f"x{n}" for n in range(9)])

    cut_off, full = plan({}, covers(9), goal, engine=engine, limit=Limit(nodes=8)), plan({}, covers(9), goal)

    assert isinstance(cut_off, NoPlan)
    assert cut_off.reason == "limit"
    assert 0 < cut_off.bound <= full.cost
    assert isinstance(cut_off.best, Plan)
    assert cut_off.best.cost >= full.cost
    assert "limit" in str(cut_off)


@pytest.mark.parametrize("engine", ["simpleai:greedy", "simpleai:uniform_cost", "simpleai:depth_first"])
def test_a_limit_holds_for_the_algorithms_of_simpleai_too(engine):
    result = plan({}, covers(9), PlanGoal("g", [f"x{n}" for n in range(9)]), engine=engine, limit=Limit(nodes=2))

    assert result.reason == "limit"


def test_seconds_are_an_emergency_stop():
    goal = PlanGoal("g", [f"x{n}" for n in range(30)])

    result = plan({}, covers(30), goal, engine="astar", heuristic="blind", limit=Limit(seconds=1e-9))

    assert result.reason == "limit"


def test_a_limit_of_nodes_is_for_search_only():
    assert plan({}, [Operator("a", (), ["goal"])], limit=Limit(nodes=0)).steps == ("a",)


def test_any_number_of_unknown_facts_is_fine():
    names = [f"p{n}" for n in range(30)]
    operators = [Operator(f"use {name}", {name: True}, {f"done {name}": True}) for name in names]
    goal = PlanGoal("g", [f"done {name}" for name in names])

    result = plan(dict.fromkeys(names), operators, goal, resolve=lambda _: True)

    assert len(result) == 30


def test_planning_again_with_the_same_domain_and_goals_compiles_nothing():
    domain, goals = Domain([Operator("a", (), ["goal"])]), (GOAL,)

    first, second = (Problem(domain.state({}), domain, goals) for _ in range(2))
    Goap().plan(first)
    views = dict(domain.views)
    Goap().plan(second)

    assert first.domain is second.domain is domain
    assert domain.views == views


def test_a_chain_of_two_thousand_steps_needs_no_search_and_no_stack():
    operators = [Operator(f"step{n:04}", [f"s{n}"], {f"s{n + 1}": True, f"s{n}": False}, 0.1) for n in range(2000)]

    result = plan({"s0": True}, operators, PlanGoal("g", ["s2000"]), limit=Limit(nodes=0))

    assert len(result) == 2000
    assert result.cost == 200.0
    assert str(result.proof) == "optimal: every step is forced"


def test_twenty_independent_wishes_and_two_thousand_irrelevant_actions_need_no_search():
    operators = [Operator(f"make{n:02}", (), [f"x{n}"], 0.1) for n in range(20)]
    operators += [Operator(f"other{n}", [f"o{n}"], [f"o{n + 1}"]) for n in range(2000)]

    result = plan({"o0": True}, operators, PlanGoal("g", [f"x{n}" for n in range(20)]), limit=Limit(nodes=0))

    assert result.steps == tuple(f"make{n:02}" for n in range(20))


def test_layers_of_alternatives_are_searched_straight_through():
    operators = [
        Operator(f"l{n}{kind}", [f"f{n}"], [f"f{n + 1}"], 0.1 + 0.01 * ((k * 7 + n) % 5))
        for n in range(10)
        for k, kind in enumerate("abcde")
    ]

    result = plan({"f0": True}, operators, PlanGoal("g", ["f10"]), limit=Limit(nodes=12))

    assert result.cost == 1.0
