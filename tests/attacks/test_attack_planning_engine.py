"""Attacks on the planning engine, each of which once succeeded."""

from planboard.planners import Goap, Operator, PlanGoal, Problem


def once(name, pre=(), effects=(), cost=1):
    """An operator that runs at most once."""
    ran = f"ran {name}"
    return Operator(name, {**dict.fromkeys(pre, True), ran: False}, {**dict(effects), ran: True}, cost)


def test_a_fact_given_by_more_than_127_actions_and_used_up_twice_does_not_make_the_plan_dearer():
    givers = [once(f"give {n:03}", (), {"token": True, f"gift {n}": True}) for n in range(130)]
    users = [once(f"use {name}", ["token"], {"token": False, name: True}) for name in ("u", "v")]
    dear = [once(f"zap {name}", (), {name: True}, cost=50) for name in ("u", "v")]
    goal = PlanGoal("all", [f"gift {n}" for n in range(130)] + ["u", "v"])

    plan = Goap().plan(Problem({}, [*givers, *users, *dear], [goal]))

    assert plan.cost == 132


def test_unknown_facts_needed_both_ways_are_each_evaluated_once():
    operators, asked = [], []
    for n in range(11):
        operators += [Operator(f"a{n}", {f"x{n}": True}, {f"p{n}": True}, 1)]
        operators += [Operator(f"b{n}", {f"x{n}": False}, {f"q{n}": True}, 1)]
        operators += [Operator(f"c{n}", (), {f"p{n}": True}, 5), Operator(f"d{n}", (), {f"q{n}": True}, 5)]
    goal = PlanGoal("all", [f"{kind}{n}" for n in range(11) for kind in "pq"])

    plan = Goap().plan(
        Problem({f"x{n}": None for n in range(11)}, operators, [goal], lambda name: not asked.append(name))
    )

    assert plan.cost == 11 * (1 + 5)
    assert sorted(asked) == sorted(set(asked))


def test_a_failure_with_many_missing_facts_is_told_in_full():
    operators = [Operator(f"o{n}", [f"m{n}"], [f"g{n}"]) for n in range(200)]

    failure = Goap().plan(Problem({}, operators, [PlanGoal("all", [f"g{n}" for n in range(200)])]))

    assert len(failure.proof.facts) == len(failure.missing) == 200


def chain_with_refills(length):
    """Each step uses up the token that the one refill gives."""
    steps = [Operator(f"step{n:03}", [f"s{n}", "token"], {f"s{n + 1}": True, "token": False}, 1) for n in range(length)]
    return Problem({"s0": True}, [*steps, Operator("refill", (), ["token"], 1)], [PlanGoal("end", [f"s{length}"])])


def test_a_chain_that_needs_a_refill_before_each_step_is_planned():
    assert Goap().plan(chain_with_refills(60)).cost == 120


def test_an_operator_that_is_too_dear_to_be_used_changes_nothing_in_a_plan_with_18_repeats():
    steps = [Operator(f"w{n:02}", [f"s{n}", "token"], {f"s{n + 1}": True, "token": False}, 1) for n in range(18)]
    operators = [
        *steps,
        Operator("a", ["A"], {"token": True, "B": True, "A": False, "X": False}, 1),
        Operator("b", ["X"], {"token": True, "A": False}, 1),
        Operator("c", ["B"], ["token"], 1),
    ]
    problem = {"s0": True, "A": True, "X": True}, PlanGoal("end", ["s18"])
    without = Goap().plan(Problem(problem[0], operators, [problem[1]]))

    with_it = Goap().plan(Problem(problem[0], [*operators, Operator("aa", ["X"], ["token"], 50)], [problem[1]]))

    assert with_it.steps == without.steps  # b 18 times without it, a once and c 17 times with it


def test_more_specific_actions_win_a_tie_also_when_one_is_repeated_300_times():
    steps = [Operator(f"w{n:03}", [f"s{n}", "token"], {f"s{n + 1}": True, "token": False}, 0) for n in range(260)]
    modes = [Operator("choose a", (), ["mode a"]), Operator("choose z", ["extra"], ["mode z"])]
    refills = [Operator("a refill", ["mode a"], ["token"]), Operator("z refill", ["mode z"], ["token"])]
    goal = PlanGoal("end", ["s260"])

    plan = Goap().plan(Problem({"s0": True, "extra": True}, [*steps, *modes, *refills], [goal]))

    assert "choose z" in plan.steps  # with up to 255 repeats it is
