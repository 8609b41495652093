"""A plan adds up exactly, is equal to any plan that says the same, and is followed in constant time."""

import pickle

import pytest

from planboard.planners import Domain, Goap, Operator, Plan, PlanGoal, Problem

MADE = PlanGoal("made", ["made"], 5)


def chain(length, **facts):
    """Steps that lead from `s0` to `made`."""
    names = ["s0", *(f"s{n}" for n in range(1, length)), "made"]
    operators = [
        Operator(f"step{n}", {names[n]: True}, {names[n + 1]: True}, 0.1, facts.get("value", 0)) for n in range(length)
    ]
    return Domain(operators, facts=("elsewhere",))


def plan_from(domain, *true, goals=(MADE,)):
    state = domain.state(dict.fromkeys(true, True))
    plan = Goap().plan(Problem(state, domain, goals))
    assert isinstance(plan, Plan)
    return plan


def test_costs_are_added_as_they_are_written():
    plan = plan_from(chain(10), "s0")

    assert plan.cost == 1.0
    assert plan.net_value == 4.0
    assert str(plan).endswith("(cost 1)")


def test_a_plan_reads_well():
    plan = plan_from(chain(2), "s0")

    assert str(plan) == "step0 → step1 (cost 0.2)"
    assert repr(plan) == "<Plan for 'made': step0 → step1 (cost 0.2)>"
    assert len(plan) == 2
    assert plan.first is plan.operators[0]


def test_an_empty_plan_is_complete_and_still_a_plan():
    plan = plan_from(chain(2), "made")

    assert plan.complete
    assert plan
    assert plan.first is None
    assert str(plan) == "nothing to do (cost 0)"


def test_what_was_predicted_leaves_the_rest():
    plan = plan_from(chain(3), "s0")

    rest = plan.rest(plan.predicted)

    assert rest == plan_from(plan.domain, "s0", "s1")
    assert (rest.steps, rest.cost) == (("step1", "step2"), 0.2)


def test_to_the_end_and_no_further():
    plan = plan_from(chain(2), "s0")

    last = plan.rest(plan.predicted)
    done = last.rest(last.predicted)

    assert done.complete
    assert done.rest(done.predicted) is None


def test_a_surprise_that_bears_on_the_goal_ends_the_plan():
    plan = plan_from(chain(3), "s0")

    assert plan.rest(plan.predicted.updated({"s1": False})) is None
    assert plan.rest(plan.predicted.updated({"s2": None})) is None


def test_a_surprise_elsewhere_does_not():
    plan = plan_from(chain(3), "s0")

    assert plan.rest(plan.predicted.updated({"elsewhere": True})) is not None


def test_what_bears_on_a_rival_goal_ends_the_plan():
    rival = PlanGoal("rival", ["elsewhere"])
    plan = plan_from(chain(3), "s0", goals=(MADE, rival))

    assert plan.rest(plan.predicted) is not None
    assert plan.rest(plan.predicted.updated({"elsewhere": True})) is None


def test_with_values_a_rival_goal_is_looked_at_again():
    rival = PlanGoal("rival", ["s1"])
    plan = plan_from(chain(3, value=0.05), "s0", goals=(MADE, rival))

    assert plan.rest(plan.predicted) is None


def test_after_a_step_that_leaves_a_fact_open_the_plan_is_made_again():
    domain = Domain([Operator("draft", (), {"good": None}), Operator("send", ["good"], ["made"])])
    plan = plan_from(domain)

    assert plan.assumptions == ("good",)
    assert plan.rest(plan.predicted) is None
    assert plan.rest(plan.predicted.updated({"good": True})) is None


def test_with_dynamic_costs_the_plan_is_made_again():
    domain = Domain([Operator("a", (), ["half"], lambda _: 0.1), Operator("b", ["half"], ["made"])])
    plan = plan_from(domain)

    assert plan.rest(plan.predicted) is None


def test_an_outcome_that_came_true_is_no_longer_assumed():
    operators = [
        Operator("triage", (), ["bug"], outcome="Bug"),
        Operator("triage", (), ["wish"], outcome="Wish"),
        Operator("fix", ["bug"], ["made"]),
    ]
    plan = plan_from(Domain(operators))

    rest = plan.rest(plan.predicted)

    assert plan.assumptions == ("triage → Bug",)
    assert rest.steps == ("fix",)
    assert rest.assumptions == ()


def test_following_a_plan_of_a_thousand_steps_copies_nothing():
    plan = plan_from(chain(1000), "s0")

    for _ in range(500):
        plan = plan.rest(plan.predicted)

    assert len(plan) == 500
    assert plan.cost == 50.0


def test_the_fingerprint_says_what_the_plan_stands_on():
    plan = plan_from(chain(3), "s0")
    elsewhere = plan_from(chain(3), "s0", "elsewhere")
    dearer = Domain([*chain(2).operators[:1], Operator("step1", ["s1"], ["made"], 0.2)])

    assert plan.fingerprint == elsewhere.fingerprint
    assert plan.fingerprint != plan_from(chain(2), "s0").fingerprint
    assert plan_from(chain(2), "s0").fingerprint != plan_from(dearer, "s0").fingerprint


def test_a_rebuilt_agent_has_equal_plans():
    """Case 010: two functions written alike are different objects; the plans are the same."""

    def build(effect="made"):
        return Domain([Operator("act", (), [effect], lambda _: 0.1)])

    one, other = plan_from(build()), plan_from(build())

    assert one == other
    assert hash(one) == hash(other)
    assert one.fingerprint == other.fingerprint
    assert build().operators == build().operators
    assert build().operators != build("unmade").operators


def test_a_plan_can_be_pickled():
    plan = plan_from(chain(3), "s0")

    copy = pickle.loads(pickle.dumps(plan))

    assert copy == plan
    assert copy.rest(copy.predicted) == plan.rest(plan.predicted)


@pytest.mark.parametrize("cost", [1e300, 10**30, 1e-300])
def test_costs_of_any_size_are_exact(cost):
    domain = Domain([Operator("a", (), ["half"], cost), Operator("b", ["half"], ["made"], 0.1)])

    assert plan_from(domain).exact_cost - plan_from(domain, "half").exact_cost == plan_from(domain).step_costs[0]
