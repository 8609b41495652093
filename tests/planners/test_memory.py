"""Plans are made once: along the way, after failures, on resuming; and made again when something got better."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_strategies import MODEST, cases

from planboard.planners import Domain, Goap, Limit, Operator, Plan, PlanGoal, Problem
from planboard.planners.search.auto import Auto

CHAIN = [Operator(f"s{n}", [f"f{n}"], [f"f{n + 1}"]) for n in range(5)]
GOALS = (PlanGoal("end", ["f5"]),)


@pytest.fixture
def searches(monkeypatch):
    """Counts searches."""
    solved = []
    monkeypatch.setattr(
        Auto, "solve", lambda self, *given, solve=Auto.solve: solved.append(given) or solve(self, *given)
    )
    return solved


def test_every_state_on_the_way_is_known_once_a_plan_is_made(searches):
    domain = Domain(CHAIN)
    plan = Goap().plan(Problem({"f0": True}, domain, GOALS))

    while not plan.complete:
        plan = Goap().plan(Problem(plan.predicted, domain, GOALS))

    assert len(searches) == 1


def test_a_failed_action_changes_nothing_and_costs_nothing(searches):
    domain = Domain(CHAIN)
    plan = Goap().plan(Problem({"f0": True}, domain, GOALS))
    midway = plan.rest(plan.predicted)

    again = Goap().plan(Problem(midway.start, domain, GOALS))

    assert again == midway
    assert len(searches) == 1


def test_facts_that_do_not_bear_on_the_goal_do_not_matter(searches):
    domain = Domain([*CHAIN, Operator("elsewhere", ["x"], ["y"])])
    for other in ({}, {"x": True}, {"x": None}, {"y": True}):
        Goap().plan(Problem({"f0": True, **other}, domain, GOALS, resolve=lambda _: True))

    assert len(searches) == 1


@pytest.mark.parametrize(
    ("planner", "goals"),
    [(Goap(heuristic="hmax"), GOALS), (Goap(limit=Limit(nodes=7)), GOALS), (Goap(), (PlanGoal("other", ["f5"]),))],
)
def test_other_planners_and_goals_have_a_memory_of_their_own(planner, goals, searches):
    domain = Domain(CHAIN)

    Goap().plan(Problem({"f0": True}, domain, GOALS))
    planner.plan(Problem({"f0": True}, domain, goals))

    assert len(searches) == 2


@MODEST
@given(case=cases(goals=2, valued=True))
def test_a_remembered_plan_is_the_plan_made_afresh(case):
    problem = case.problem(resolved=True)
    plan = Goap().plan(problem)
    for _ in range(6):  # what is left open by an action stays open here, so it may be planned for again and again
        if not isinstance(plan, Plan) or plan.complete:
            break
        observed = plan.predicted

        kept = Goap().plan(Problem(observed, plan.domain, case.goals))
        fresh = Goap().plan(Problem(dict(observed), case.operators, case.goals))

        assert kept == fresh
        assert not isinstance(kept, Plan) or kept.fingerprint == fresh.fingerprint
        plan = kept


def priced(prices):
    """Two ways of two steps each; the prices are read from outside, as a board would be."""
    return Domain(
        [
            Operator("walk", ["home"], ["bus stop"], lambda _: prices["walk"]),
            Operator("ride", ["bus stop"], ["work"], lambda _: prices["ride"], lambda _: prices["worth"]),
            Operator("drive", ["home"], ["work"], lambda _: prices["drive"]),
        ]
    )


@pytest.mark.parametrize(
    ("change", "steps", "made_again"),
    [
        ({}, ("ride",), False),
        ({"drive": 9}, ("ride",), False),
        ({"drive": 1}, ("drive",), True),
        ({"ride": 8}, ("drive",), True),
        ({"ride": 1}, ("ride",), True),
        ({"worth": 1}, ("ride",), True),
    ],
)
def test_with_moving_prices_a_plan_lasts_until_something_may_be_better(change, steps, made_again, searches):
    prices = {"walk": 1, "ride": 2, "drive": 4, "worth": 0}
    domain, goals = priced(prices), (PlanGoal("at work", ["work"]),)
    plan = Goap().plan(Problem({"home": True}, domain, goals))
    assert plan.steps == ("walk", "ride")

    prices |= change
    then = Goap().plan(Problem(plan.predicted, domain, goals))

    assert then.steps == steps
    assert then.cost == sum(prices[step] for step in steps)
    assert len(searches) == 1 + made_again


def test_estimates_are_kept_for_the_next_search_over_the_same_operators():
    again = [
        Operator("make", (), ["part"], 1),
        *(Operator(f"use {n}", ["part"], {"part": False, n: True}, 1) for n in "xyz"),
        *(Operator(f"undo {n}", [n], {n: False, f"un{n}": True}, 1) for n in "xyz"),
    ]
    goals = (PlanGoal("g", ["x", "y", "unz"]),)
    domain, planner = Domain(again), Goap("astar")
    plan = planner.plan(Problem({}, domain, goals))
    [view] = domain.views.values()
    [known] = {id(made.task.learned): made.task.learned for made in view.reductions.values()}.values()
    before = set(known["lmcut"].found)

    planner.plan(Problem({"part": True, "z": True}, domain, goals))

    assert plan.proof.nodes > 0
    assert len(view.reductions) == 1
    assert before <= set(known["lmcut"].found)


PRICES = st.sampled_from([0, 0.1, 0.2, 0.3, 1])


@MODEST
@given(case=cases(goals=2, valued=True), data=st.data())
def test_whatever_prices_do_a_remembered_plan_is_the_plan_made_afresh(case, data):
    """Costs are read from outside, as a board would be, and some of them change after every step."""
    prices = {operator.key: operator.cost for operator in case.operators}
    moving = [
        Operator(op.name, op.pre, op.effects, lambda _, key=op.key: prices[key], op.value, outcome=op.outcome)
        for op in case.operators
    ]
    domain, problem = Domain(moving, facts=case.full_state), case.problem(resolved=True)
    state = problem.state
    for _ in range(4):
        kept = Goap().plan(Problem(domain.state(state), domain, case.goals))
        fresh = Goap().plan(Problem(dict(state), moving, case.goals))

        assert kept == fresh if isinstance(fresh, Plan) else kept.reason == fresh.reason
        assert not isinstance(fresh, Plan) or kept.fingerprint == fresh.fingerprint
        if isinstance(kept, Plan) and data.draw(st.booleans()):  # else the action failed, or nothing was done
            state = kept.predicted
        prices |= data.draw(st.dictionaries(st.sampled_from(sorted(prices)), PRICES, max_size=2))


@MODEST
@given(case=cases(goals=2), data=st.data())
def test_one_domain_serves_states_in_any_order(case, data):
    """Resumed, gone back, or somewhere else: what was planned before leaves no trace in the answer."""
    domain = Domain(case.operators, facts=case.full_state)
    plan = Goap().plan(Problem(case.resolved_state, domain, case.goals))
    on_the_way = [case.resolved_state]
    while isinstance(plan, Plan) and not plan.complete and len(on_the_way) < 5:
        on_the_way.append(dict(plan.predicted))
        plan = Goap().plan(Problem(plan.predicted, domain, case.goals))
    states = st.sampled_from(on_the_way) | st.fixed_dictionaries(dict.fromkeys(case.full_state, st.booleans()))
    for state in data.draw(st.lists(states, min_size=1, max_size=5)):
        planner = data.draw(st.sampled_from([Goap(), Goap("astar"), Goap(limit=Limit(1)), Goap(objective="net")]))
        kept = planner.plan(Problem(state, domain, case.goals))
        fresh = planner.plan(Problem(state, case.operators, case.goals))

        assert kept == fresh if isinstance(fresh, Plan) else kept.reason == fresh.reason
