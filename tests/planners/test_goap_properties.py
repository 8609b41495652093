"""GOAP against the slow obvious planner.

Every plan is valid and the best by the tie rules; there is none only where there is none; unknown facts are evaluated
once and only if that can matter; what is left of a plan is what planning afresh gives; nothing depends on order.
"""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_strategies import FACTS, MODEST, cases
from slow_planner import best_key, best_standing, key_of, simulate, smallest_order

from planboard.planners import Goap, NoPlan, Operator, Plan, PlanGoal, Problem

ENGINES = ["auto", "astar", "simpleai:astar", "simpleai:uniform_cost"]


def told(result):
    """What makes two answers the same."""
    return result if isinstance(result, Plan) else result.reason


@pytest.mark.parametrize("engine", ENGINES)
@MODEST
@given(case=cases())
def test_the_optimum_is_the_smallest_by_the_tie_rules(engine, case):
    """Case 004: and it is executable step by step."""
    goal = case.goals[0]
    result = Goap(engine).plan(case.problem())
    best = best_key(case.full_state, case.operators, goal)

    if best is None:
        assert isinstance(result, NoPlan)
        assert result.reason == "unreachable"
    else:
        assert key_of(result) == best
        assumed = simulate(case.full_state, result.operators, goal)
        ordered = smallest_order(case.full_state, list(result.operators), goal, assumed)
        assert [operator.key for operator in result.operators] == ordered


@pytest.mark.parametrize("engine", ["simpleai:depth_first", "simpleai:greedy", "simpleai:breadth_first"])
@MODEST
@given(case=cases())
def test_engines_that_are_not_optimal_say_so_and_still_plan_validly(engine, case):
    goal = case.goals[0]
    result = Goap(engine).plan(case.problem())

    if isinstance(result, NoPlan):
        assert best_key(case.full_state, case.operators, goal) is None
    else:
        assert simulate(case.full_state, result.operators, goal) is not None
        assert result.complete or result.proof.reason.startswith("not proven optimal")


@pytest.mark.parametrize("engine", ["auto", "simpleai:depth_first"])
@MODEST
@given(case=cases())
def test_no_action_can_be_left_out(engine, case):
    """Without making more assumptions, that is: these count before the number of actions."""
    goal, names = case.goals[0], [operator.name for operator in case.operators]
    result = Goap(engine).plan(case.problem())

    def risk(operators):
        assumed = simulate(case.full_state, operators, goal)
        return None if assumed is None else assumed + sum(names.count(operator.name) > 1 for operator in operators)

    chosen = result.operators if isinstance(result, Plan) else ()
    for left_out in range(len(chosen)):
        shorter = risk(chosen[:left_out] + chosen[left_out + 1 :])
        assert shorter is None or shorter > risk(chosen)


@MODEST
@given(case=cases(goals=3, valued=True))
def test_evaluating_lazily_plans_as_evaluating_everything(case):
    asked = []

    lazy = Goap().plan(case.problem(lambda name: asked.append(name) or case.truth[name]))

    assert told(lazy) == told(Goap().plan(case.problem(resolved=True)))
    assert len(asked) == len(set(asked))


@MODEST
@given(case=cases(goals=2, valued=True))
def test_a_fact_is_evaluated_only_if_it_could_change_the_plan(case):
    asked = []
    Goap().plan(case.problem(lambda name: asked.append(name) or case.truth[name]))

    unknown = [name for name, truth in case.full_state.items() if truth is None]
    for position, name in enumerate(asked):
        known = case.full_state | {earlier: case.truth[earlier] for earlier in asked[:position]}
        others = [other for other in unknown if other not in asked[: position + 1]]
        assert any(
            len(
                {
                    told(
                        Goap().plan(
                            Problem(
                                known | dict(zip(others, values, strict=True)) | {name: truth},
                                case.operators,
                                case.goals,
                            )
                        )
                    )
                    for truth in (True, False, None)
                }
            )
            > 1
            for values in product((True, False, None), repeat=len(others))
        )


@MODEST
@given(case=cases(goals=3, valued=True))
def test_the_best_plan_is_the_best_of_the_plans_to_each_goal(case):
    planner = Goap()

    plans = planner.plans(case.problem())

    assert told(planner.plan(case.problem())) == (best_standing(plans) or plans[0].reason)
    assert [told(planner.plan_to(case.problem(), goal)) for goal in case.goals] == [told(plan) for plan in plans]


@MODEST
@given(case=cases(goals=2, valued=True))
def test_what_is_left_of_a_plan_is_what_planning_afresh_gives(case):
    plan = Goap().plan(case.problem(resolved=True))

    while isinstance(plan, Plan) and (rest := plan.rest(plan.predicted)) is not None:
        fresh = Goap().plan(Problem(plan.predicted, plan.domain, case.goals))
        assert rest == fresh
        assert rest.fingerprint == fresh.fingerprint
        assert rest.explain().splitlines()[:-2] == fresh.explain().splitlines()[:-2]  # how it was proven may differ
        plan = rest


@MODEST
@given(case=cases(goals=2, valued=True), data=st.data())
def test_the_order_of_registration_does_not_matter(case, data):
    shuffled = data.draw(st.permutations(case.operators))
    state = dict(data.draw(st.permutations(list(case.state.items()))))

    one, other = Goap().plan(case.problem()), Goap().plan(Problem(state, shuffled, case.goals))

    assert told(one) == told(other)
    assert getattr(one, "fingerprint", None) == getattr(other, "fingerprint", None)


@MODEST
@given(case=cases())
def test_operators_that_lead_nowhere_do_not_matter(case):
    noise = [
        Operator("aa", ["noise1"], {"noise2": None}),
        Operator("qq", (), ["noise1"], 0.1),
        Operator("zz", {"a": True}, ["noise2"]),
        Operator("r2", ["never"], dict.fromkeys(FACTS, True)),
    ]

    one = Goap().plan(case.problem())
    other = Goap().plan(Problem(case.state, (*case.operators, *noise), case.goals))

    assert told(one) == told(other)
    assert getattr(one, "fingerprint", None) == getattr(other, "fingerprint", None)


@MODEST
@given(case=cases())
def test_the_net_objective_pays_the_least_after_values(case):
    operators = [Operator(op.name, op.pre, op.effects, op.cost + 0.1, 0.1, outcome=op.outcome) for op in case.operators]
    goal: PlanGoal = case.goals[0]

    result = Goap(objective="net").plan(Problem(case.state, operators, case.goals))

    best = best_key(case.full_state, operators, goal, net=True)
    assert (key_of(result, net=True) if isinstance(result, Plan) else None) == best
