"""Utility and Hybrid, row by row of the table in DESIGN 3.6, and against an obvious reference.

Utility does what is worth most while anything can be done; Hybrid stops at the first satisfied goal; both know
NIRVANA by identity, evaluate unknown facts in rank order and only if it can matter, and respect a floor.
"""

import pytest
from hypothesis import given
from planning_strategies import MODEST, cases
from slow_planner import OPEN, best_standing, needed_assumptions, number

from planboard.errors import CostError, DefinitionError
from planboard.planners import NIRVANA, Hybrid, NoPlan, Operator, Plan, PlanGoal, Problem, Utility

DONE = PlanGoal("done", ["done"], 0.5)
PLANNERS = [Utility(), Hybrid()]
BOTH = pytest.mark.parametrize("planner", PLANNERS, ids=["utility", "hybrid"])

polish = Operator("polish", (), ["shiny"], 0.1, 0.5)
gather = Operator("gather", (), ["notes"], 0.1, 0.9)
finish = Operator("finish", (), ["done"], 0.2, 0.3)


def plan_to(planner, state, operators, goal=DONE, resolve=None):
    return planner.plan_to(Problem(state, operators, (goal,), resolve), goal)


@BOTH
def test_a_satisfied_goal_with_nothing_to_do_has_the_empty_plan(planner):
    plan = plan_to(planner, {"done": True}, [])

    assert plan.steps == ()
    assert plan.complete


def test_with_a_satisfied_goal_utility_goes_on_and_hybrid_stops():
    state, operators = {"done": True}, [polish, gather]

    assert plan_to(Utility(), state, operators).steps == ("gather",)
    assert plan_to(Hybrid(), state, operators).steps == ()


@BOTH
def test_one_action_that_satisfies_the_goal_is_the_plan(planner):
    dear = Operator("dear", (), ["done"], 0.9, 0.3)

    assert plan_to(planner, {}, [gather, dear, finish]).steps == ("finish",)


@BOTH
def test_a_goal_two_steps_away_has_no_plan(planner):
    two = [Operator("first", (), ["half"]), Operator("second", ["half"], ["done"])]

    result = plan_to(planner, {}, two)

    assert isinstance(result, NoPlan)
    assert (result.reason, result.missing) == ("nothing_achievable", ("done",))


@BOTH
def test_nirvana_takes_the_achievable_action_worth_most(planner):
    blocked = Operator("blocked", ["never"], ["x"], 0, 9)

    assert plan_to(planner, {}, [polish, blocked, gather], NIRVANA).steps == ("gather",)
    assert plan_to(planner, {}, [blocked], NIRVANA).reason == "nothing_achievable"


@BOTH
def test_ties_fall_to_lower_cost_then_more_preconditions_then_name(planner):
    dear, cheap = Operator("a", (), ["x"], 0.3, 0.5), Operator("b", (), ["x"], 0.1, 0.3)
    specific, vague = Operator("d", ["p"], ["x"], 0.1, 0.3), Operator("c", (), ["x"], 0.1, 0.3)

    assert plan_to(planner, {}, [dear, cheap], NIRVANA).steps == ("b",)
    assert plan_to(planner, {"p": True}, [specific, vague], NIRVANA).steps == ("d",)
    assert plan_to(planner, {}, [vague, cheap], NIRVANA).steps == ("b",)


@BOTH
def test_a_goal_may_have_the_name_of_nirvana(planner):
    namesake = PlanGoal("Nirvana", ["nirvana"])

    assert plan_to(planner, {}, [gather], namesake).reason == "nothing_achievable"
    assert planner.plan(Problem({}, [gather], (namesake, NIRVANA))).goal is NIRVANA


def test_hybrid_stops_though_research_is_worth_more():
    problem = Problem({"done": True}, [gather], (NIRVANA, DONE))

    assert Hybrid().plan(problem).steps == ()
    assert Hybrid().plan(problem).goal == DONE
    assert Utility().plan(problem).steps == ("gather",)


@BOTH
def test_a_real_goal_comes_before_nirvana_when_both_are_worth_the_same(planner):
    done = PlanGoal("zz", ["done"])

    plan = planner.plan(Problem({}, [finish], (NIRVANA, done)))

    assert plan.goal == done


@BOTH
@pytest.mark.parametrize(("floor", "steps"), [(None, ("loss",)), (-0.4, ("loss",)), (0, None)])
def test_below_the_floor_nothing_is_done(planner, floor, steps):
    loss = Operator("loss", (), ["done"], 0.5, 0.1)

    result = plan_to(type(planner)(floor=floor), {}, [loss], NIRVANA)

    assert getattr(result, "steps", None) == steps


@BOTH
def test_an_outcome_that_satisfies_the_goal_is_counted_on(planner):
    outcomes = [Operator("triage", (), ["bug"], outcome="Bug"), Operator("triage", (), ["done"], outcome="Fix")]

    plan = plan_to(planner, {}, outcomes)

    assert plan.steps == ("triage",)
    assert plan.assumptions == ("triage → Fix",)


@BOTH
def test_a_goal_that_an_action_leaves_open_is_assumed(planner):
    plan = plan_to(planner, {}, [Operator("try", (), {"done": None})])

    assert plan.assumptions == ("done",)


@BOTH
def test_net_value_is_evaluated_now(planner):
    eager = Operator("eager", (), ["x"], 0, lambda state: 1.0 if state["hungry"] else 0.0)

    assert plan_to(planner, {"hungry": True}, [eager, polish], NIRVANA).steps == ("eager",)
    assert plan_to(planner, {"hungry": False}, [eager, polish], NIRVANA).steps == ("polish",)


@BOTH
def test_the_value_of_what_cannot_be_done_is_not_asked_for(planner):
    def broken(_state):
        raise RuntimeError("boom")

    impossible = Operator("impossible", ["never"], ["x"], broken)

    assert plan_to(planner, {}, [impossible, polish], NIRVANA).steps == ("polish",)
    with pytest.raises(CostError, match=r"'possible'.*boom"):
        plan_to(planner, {}, [Operator("possible", (), ["x"], broken)], NIRVANA)


@BOTH
def test_facts_of_lower_ranks_are_not_evaluated(planner):
    asked = []
    best, second = Operator("best", ["p"], ["x"], 0, 1), Operator("second", ["q"], ["y"], 0, 0.5)

    plan = plan_to(planner, {"p": None, "q": None}, [second, best], NIRVANA, lambda name: asked.append(name) or True)

    assert plan.steps == ("best",)
    assert asked == ["p"]


@BOTH
def test_nothing_is_evaluated_if_the_choice_is_the_same_anyway(planner):
    result = plan_to(planner, {"p": None}, [Operator("act", ["p"], ["x"])], DONE, lambda _: pytest.fail("asked"))

    assert isinstance(result, NoPlan)


def test_planners_are_values():
    assert Utility() == Utility(nirvana=True, floor=None) != Hybrid()
    assert repr(Hybrid(floor=0)) == "Hybrid(nirvana=True, floor=0)"
    assert (Utility().name, Hybrid().name, Utility().nirvana, Utility(nirvana=False).nirvana) == (
        "utility",
        "hybrid",
        True,
        False,
    )
    with pytest.raises(DefinitionError, match="floor"):
        Utility(floor=float("nan"))


@BOTH
def test_the_rest_of_a_plan_is_always_planned_afresh(planner):
    plan = plan_to(planner, {}, [finish])

    assert plan.rest(plan.predicted) is None


def reference(planner, case, goal):
    """The table, read aloud. Returns (steps, net value) or None."""
    state = case.resolved_state

    def rank(operator):
        net = number(operator.value) - number(operator.cost)
        return -net, operator.cost, -len(operator.pre), operator.key

    achievable = sorted(
        (op for op in case.operators if all(state[name] is truth for name, truth in op.pre.items())), key=rank
    )

    def satisfies(operator):
        after = {**state, **{name: OPEN if truth is None else truth for name, truth in operator.effects.items()}}
        return needed_assumptions(after, goal.pre) is not None

    if goal is NIRVANA:
        return achievable[0].key if achievable else None
    if all(state[name] is truth for name, truth in goal.pre.items()):
        return achievable[0].key if achievable and planner.name == "utility" else ()
    finishers = [operator for operator in achievable if satisfies(operator)]
    return finishers[0].key if finishers else None


@BOTH
@MODEST
@given(case=cases(goals=2, valued=True, nirvana=True))
def test_plans_are_what_the_table_says(planner, case):
    problem = case.problem(resolved=True)

    for goal, result in zip(case.goals, planner.plans(problem), strict=True):
        expected = reference(planner, case, goal)
        chosen = [operator.key for operator in result.operators] if isinstance(result, Plan) else None
        assert chosen == (None if expected is None else [expected] if expected else [])

    best, plans = planner.plan(problem), planner.plans(problem)
    satisfied = [plan for plan in plans if isinstance(plan, Plan) and plan.complete]
    expected = best_standing(satisfied if satisfied and planner.name == "hybrid" else plans)
    assert (best if isinstance(best, Plan) else None) == expected


@BOTH
@MODEST
@given(case=cases(goals=2, valued=True, nirvana=True))
def test_evaluating_lazily_chooses_as_evaluating_everything(planner, case):
    asked = []

    lazy = planner.plan(case.problem(lambda name: asked.append(name) or case.truth[name]))

    eager = planner.plan(case.problem(resolved=True))
    assert lazy == eager or (isinstance(lazy, NoPlan) and isinstance(eager, NoPlan))
    assert len(asked) == len(set(asked))
