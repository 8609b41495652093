"""What cannot work is refused where it is written, by name; what can is an immutable value."""

import copy
import pickle

import pytest

from planboard.errors import CostError, DefinitionError, PlanningError, UnknownNameError
from planboard.planners import (
    NIRVANA,
    Domain,
    Goap,
    Limit,
    NoPlan,
    Operator,
    Plan,
    PlanGoal,
    Problem,
    planner_named,
)

NAN, INFINITY = float("nan"), float("inf")


def test_bare_names_mean_true():
    assert dict(Operator("act", ["b", "a"], ["c"]).pre) == {"a": True, "b": True}
    assert Operator("act", ["a"], ["c"]) == Operator("act", {"a": True}, {"c": True})


@pytest.mark.parametrize("cost", [-0.1, NAN, INFINITY, True, "0.1", None, 10**400])
def test_a_cost_is_a_finite_number_of_at_least_0(cost):
    with pytest.raises(DefinitionError, match="Operator 'act': cost"):
        Operator("act", (), ["x"], cost)


@pytest.mark.parametrize("value", [NAN, -INFINITY, False, "much"])
def test_a_value_is_a_finite_number(value):
    with pytest.raises(DefinitionError, match="Operator 'act': value"):
        Operator("act", (), ["x"], 0, value)
    with pytest.raises(DefinitionError, match="Goal 'g': value"):
        PlanGoal("g", ["x"], value)


@pytest.mark.parametrize("pre", [{"x": None}, {"x": 1}, "x", [3]])
def test_what_is_demanded_is_true_or_false(pre):
    with pytest.raises(DefinitionError, match="Operator 'act'"):
        Operator("act", pre)
    with pytest.raises(DefinitionError, match="Goal 'g'"):
        PlanGoal("g", pre)


@pytest.mark.parametrize(
    "function", [lambda _: -1, lambda _: NAN, lambda _: "x", lambda _: True, lambda s: s["nosuch"]]
)
def test_what_a_cost_function_answers_is_checked_the_same_way(function):
    problem = Problem({}, [Operator("act", (), ["x"], function)], [PlanGoal("g", ["x"])])

    with pytest.raises(CostError, match="Operator 'act'"):
        Goap().plan(problem)


def test_what_a_cost_function_raises_is_chained():
    def cost(_state):
        raise KeyError("price list")

    with pytest.raises(CostError, match=r"'act': its cost function raised KeyError.*price list") as caught:
        Goap().plan(Problem({}, [Operator("act", (), ["x"], cost)], [PlanGoal("g", ["x"])]))

    assert isinstance(caught.value.__cause__, KeyError)


def test_a_cost_function_sees_the_start_state_and_is_asked_once():
    seen = []

    def cost(state):
        seen.append((state["rush"], state["noise"], state["x"]))
        return 0.5 if state["rush"] else 0.1

    operators = [Operator("act", (), ["x"], cost), Operator("go", ["x"], ["y"], 0.1)]
    plan = Goap().plan(Problem({"rush": True, "noise": None}, operators, [PlanGoal("g", ["y"])]))

    assert plan.cost == 0.6
    assert seen == [(True, None, False)]


def test_operators_are_told_apart_by_name_and_outcome():
    same, other = Operator("act", outcome="A"), Operator("act", outcome="B")

    assert len(Domain([same, other]).operators) == 2
    with pytest.raises(DefinitionError, match=r"'act'.*'A'"):
        Domain([same, Operator("act", ["x"], outcome="A")])
    with pytest.raises(DefinitionError, match="'act'"):
        Domain([Operator("act"), Operator("act")])


def test_goals_are_told_apart_by_name():
    goals = [PlanGoal("g", ["x"]), PlanGoal("g", ["y"])]

    with pytest.raises(DefinitionError, match="'g'"):
        Problem({}, [], goals)
    with pytest.raises(DefinitionError, match="Nirvana"):
        Problem({}, [], [PlanGoal("Nirvana", ["nirvana"])] * 2)
    assert Problem({}, [], [PlanGoal("Nirvana", ["x"]), NIRVANA]).goals[1] is NIRVANA


def test_nirvana_is_itself_after_any_copy():
    namesake = PlanGoal("Nirvana", NIRVANA.pre)

    assert pickle.loads(pickle.dumps(NIRVANA)) is copy.deepcopy(NIRVANA) is NIRVANA
    assert namesake != NIRVANA
    assert str(NIRVANA) == "Nirvana"


def test_nirvana_is_never_reached_by_planning():
    result = Goap().plan(Problem({"nirvana": True}, [Operator("a", (), ["nirvana"])], [NIRVANA]))

    assert isinstance(result, NoPlan)
    assert result.reason == "unreachable"


@pytest.mark.parametrize("name", ["goap", "utility", "hybrid"])
def test_planners_answer_to_their_names(name):
    assert planner_named(name).name == name
    assert planner_named(name) == planner_named(name)


def test_an_unknown_planner_engine_or_heuristic_is_met_with_the_closest():
    with pytest.raises(UnknownNameError, match="Did you mean 'utility'"):
        planner_named("utilty")
    with pytest.raises(UnknownNameError, match="Did you mean 'simpleai:uniform_cost'"):
        Goap(engine="simpleai:uniformcost")
    with pytest.raises(UnknownNameError, match="Did you mean 'hmax'"):
        Goap(heuristic="hmaxx")
    with pytest.raises(UnknownNameError, match="objective"):
        Goap(objective="profit")
    with pytest.raises(DefinitionError, match="no engine"):
        Goap(engine=object())


def test_goap_is_a_value():
    assert Goap() == Goap(limit=Limit()) != Goap(engine="astar")
    assert Goap().nirvana is False
    assert repr(Goap()).startswith("Goap(engine='auto', heuristic=None")


@pytest.mark.parametrize("limit", [{"nodes": -1}, {"nodes": 1.5}, {"seconds": 0}, {"nodes": True}])
def test_a_limit_is_a_count_and_a_time(limit):
    with pytest.raises(DefinitionError, match="Limit"):
        Limit(**limit)


def test_a_value_above_the_cost_is_refused_when_net_value_is_searched_for():
    problem = Problem({}, [Operator("mint", (), ["x"], 0.1, 0.5)], [PlanGoal("g", ["x"])])

    with pytest.raises(PlanningError, match=r"'mint'.*0\.4"):
        Goap(objective="net").plan(problem)
    assert Goap().plan(problem).steps == ("mint",)


def test_resolve_answers_true_false_or_none():
    problem = Problem({"x": None}, [], [PlanGoal("g", ["x"])], lambda _: "yes")

    with pytest.raises(PlanningError, match=r"resolve\('x'\)"):
        Goap().plan(problem)


def test_an_error_while_resolving_is_not_an_answer():
    def resolve(name):
        raise LookupError(name)

    with pytest.raises(LookupError):
        Goap().plan(Problem({"x": None}, [], [PlanGoal("g", ["x"])], resolve))


def test_facts_are_looked_up_with_the_closest_name():
    domain = Domain([Operator("a", ["approved"])])

    assert domain.knows("approved")
    assert domain.bit("approved") == 1
    with pytest.raises(UnknownNameError, match="Did you mean 'approved'"):
        domain.bit("aproved")
    with pytest.raises(UnknownNameError, match="fact"):
        domain.state({}).updated({"aproved": True})


def test_a_state_of_the_domain_is_used_as_it_is():
    class Richer(type(Domain([]).state({}))):
        """A state that knows more than its facts."""

    domain = Domain([Operator("a", ["x"], ["y"], lambda state: 0.1 if isinstance(state, Richer) else 0.2)])
    state = Richer(domain, domain.bit("x"), 0)

    problem = Problem(state, domain, (PlanGoal("g", ["y", "x"]),))

    assert problem.state is state
    assert problem.domain is domain
    assert Goap().plan(problem).cost == 0.1


def test_a_goal_may_name_facts_that_no_operator_mentions():
    domain = Domain([Operator("a", (), ["y"])])
    goal, absent = PlanGoal("g", {"y": True, "z": False}), PlanGoal("h", ["z"])
    state = domain.state({})

    assert Goap().plan(Problem(state, domain, (goal,))).steps == ("a",)
    assert Goap().plan(Problem(state, domain, (absent,))).missing == ("z",)
    assert Goap().plan(Problem({"z": True}, domain, (absent,))).steps == ()
    assert Goap().plan(Problem({"z": True}, [], (absent,))).steps == ()


def test_the_rest_of_a_plan_takes_states_of_the_domain_it_was_made_for():
    domain = Domain([Operator("a", (), ["y"]), Operator("b", ["y"], ["x"])])
    plan = Goap().plan(Problem(domain.state({}), domain, (PlanGoal("g", {"x": True, "other": False}),)))

    assert plan.rest(domain.state({"y": True})).steps == ("b",)


def test_planning_to_a_goal_that_is_not_in_the_problem():
    problem = Problem({}, [Operator("a", (), ["y"])], [PlanGoal("g", ["x"])])

    plan = Goap().plan_to(problem, PlanGoal("other", ["y"]))

    assert isinstance(plan, Plan)
    assert plan.goal.name == "other"


@pytest.mark.parametrize("name", ["goap", "utility", "hybrid"])
def test_without_goals_there_is_no_plan(name):
    assert isinstance(planner_named(name).plan(Problem({}, [Operator("a", (), ["y"])], [])), NoPlan)
