"""Grounding unified-planning and PDDL problems: the optimum is that of the original, and the plan goes back to it."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from adl_problems import adl_problems
from grounded_domains import fingerprints
from hypothesis import HealthCheck, event, given, settings
from pddl_domains import BLOCKS, GRIPPER, KNOWN_OPTIMA, LETTER, LOGISTICS, gripper
from slow_simulator import cheapest
from unified_planning.engines import SequentialPlanValidator
from unified_planning.model import Fluent, InstantaneousAction, Object, Problem
from unified_planning.model.metrics import MinimizeActionCosts, MinimizeSequentialPlanLength
from unified_planning.shortcuts import Equals, IntType, Not, RealType, UserType

from planboard import UnknownNameError
from planboard.interop.pddl import from_pddl, from_unified_planning
from planboard.planners import Goap, NoPlan, Plan


def solved(grounding):
    plan = Goap().plan(grounding.problem)
    assert isinstance(plan, Plan)
    return plan


def is_valid(problem, plan):
    with SequentialPlanValidator() as validator:
        return bool(validator.validate(problem, plan))


@pytest.mark.parametrize("name", KNOWN_OPTIMA)
def test_the_known_optimum_is_found(name):
    domain, problem, optimum = KNOWN_OPTIMA[name]
    grounding = from_pddl(domain, problem)

    plan = solved(grounding)

    assert plan.proof.optimal
    assert grounding.cost_of(plan) == optimum


@pytest.mark.parametrize("name", sorted(set(KNOWN_OPTIMA) - {"transport"}))
def test_the_plan_goes_back_to_the_original(name):
    grounding = from_pddl(*KNOWN_OPTIMA[name][:2])

    assert is_valid(grounding.source, grounding.plan_of(solved(grounding)))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=adl_problems())
def test_the_optimum_is_that_of_searching_the_states_of_the_original(problem):
    grounding = from_unified_planning(problem)
    plan = Goap().plan(grounding.problem)
    optimum = cheapest(problem)
    event("no plan" if optimum is None else "nothing to do" if plan.complete else "a plan")

    if optimum is None:
        assert isinstance(plan, NoPlan)
        assert plan.reason == "unreachable"
    else:
        assert grounding.cost_of(plan) == optimum
        assert is_valid(problem, grounding.plan_of(plan))


def test_only_what_can_be_reached_is_grounded():
    """The van never leaves Bonn and the cab never Rome, so of 2 x 4 places each has two."""
    operators = from_pddl(LOGISTICS, LETTER).problem.operators

    drives = [operator.name for operator in operators if operator.name.startswith("drive")]
    assert drives == [
        "drive(cab, rome-air, rome-home, rome)",
        "drive(cab, rome-home, rome-air, rome)",
        "drive(van, bonn-air, bonn-home, bonn)",
        "drive(van, bonn-home, bonn-air, bonn)",
    ]


def test_what_never_changes_is_left_out():
    facts = from_pddl(LOGISTICS, LETTER).problem.domain.facts

    assert [fact for fact in facts if fact.startswith("part-of")] == []


def test_paths_are_read_as_well_as_texts(tmp_path):
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(GRIPPER, encoding="utf-8")
    problem.write_text(gripper(2), encoding="utf-8")

    assert solved(from_pddl(domain, str(problem))).cost == 5


def test_a_fact_that_is_added_and_deleted_is_true():
    problem = Problem("both")
    door = problem.add_fluent("door_open", default_initial_value=False)
    slam = InstantaneousAction("slam")
    slam.add_effect(door, False)
    slam.add_effect(door, True)
    problem.add_action(slam)
    problem.add_goal(door)

    assert solved(from_unified_planning(problem)).steps == ("slam",)


def test_without_a_metric_the_plan_is_a_shortest_one():
    grounding = from_pddl(BLOCKS, KNOWN_OPTIMA["blocks"][1])
    grounding.source.add_quality_metric(MinimizeSequentialPlanLength())

    assert [operator.cost for operator in grounding.problem.operators] == [1] * len(grounding.problem.operators)
    assert solved(from_unified_planning(grounding.source)) == solved(grounding)


def test_costs_that_are_no_decimal_numbers_stay_exact():
    problem, done = _one_step()
    problem.add_quality_metric(MinimizeActionCosts({problem.action("work"): Fraction(1, 3)}))

    grounding = from_unified_planning(problem)

    assert (grounding.scale, grounding.cost_of(solved(grounding))) == (3, Fraction(1, 3))
    assert done.name == "done"


def test_decimal_costs_are_taken_as_they_are():
    problem, _ = _one_step()
    problem.add_quality_metric(MinimizeActionCosts({problem.action("work"): Fraction(1, 4)}))

    assert [operator.cost for operator in from_unified_planning(problem).problem.operators] == [0.25]


def test_a_goal_with_alternatives_is_one_goal():
    problem = Problem("either")
    options = [problem.add_fluent(name, default_initial_value=False) for name in ("tea", "milk")]
    dear, cheap = InstantaneousAction("brew"), InstantaneousAction("pour")
    for action, option in zip((dear, cheap), options, strict=True):
        action.add_effect(option, True)
        problem.add_action(action)
    problem.add_goal(options[0]() | options[1]())
    problem.add_quality_metric(MinimizeActionCosts({dear: 3, cheap: 2}))

    grounding = from_unified_planning(problem)
    plan = solved(grounding)

    assert plan.steps == ("pour", "the goal is reached [2]")
    assert [str(step) for step in grounding.plan_of(plan).actions] == ["pour"]
    assert grounding.cost_of(plan) == 2


def test_fluents_whose_values_are_objects_are_compiled():
    place = UserType("place")
    problem = Problem("walk")
    where = problem.add_fluent("where", place)
    linked = problem.add_fluent("linked", a=place, b=place, default_initial_value=False)
    a, b, c = problem.add_objects([Object(name, place) for name in "abc"]) or problem.all_objects
    walk = InstantaneousAction("walk", to=place)
    walk.add_precondition(linked(where, walk.parameter("to")))
    walk.add_effect(where, walk.parameter("to"))
    problem.add_action(walk)
    problem.set_initial_value(where, a)
    for one, other in ((a, b), (b, c)):
        problem.set_initial_value(linked(one, other), True)
    problem.add_goal(Equals(where, c))

    grounding = from_unified_planning(problem)
    plan = grounding.plan_of(solved(grounding))

    assert [str(step) for step in plan.actions] == ["walk(b)", "walk(c)"]
    assert is_valid(problem, plan)


def test_numbers_that_never_change_may_be_compared():
    crate = UserType("crate")
    problem = Problem("lift")
    size = problem.add_fluent("size", RealType(), x=crate)
    done = problem.add_fluent("lifted", x=crate, default_initial_value=False)
    small, large = problem.add_objects([Object("small", crate), Object("large", crate)]) or problem.all_objects
    lift = InstantaneousAction("lift", x=crate)
    lift.add_precondition(size(lift.parameter("x")) <= 5)
    lift.add_effect(done(lift.parameter("x")), True)
    problem.add_action(lift)
    problem.set_initial_value(size(small), 2)
    problem.set_initial_value(size(large), 7)
    problem.add_goal(done(small))

    operators = from_unified_planning(problem).problem.operators

    assert [operator.name for operator in operators] == ["lift(small)"]


def test_numbers_that_nobody_reads_are_ignored():
    problem, done = _one_step()
    counter = problem.add_fluent("counter", IntType(), default_initial_value=0)
    problem.action("work").add_increase_effect(counter, 1)

    assert solved(from_unified_planning(problem)).steps == ("work",)
    assert done.name == "done"


def test_names_that_could_be_misread_are_quoted():
    thing = UserType("thing")
    problem = Problem("names")
    near = problem.add_fluent("near", x=thing, y=thing, default_initial_value=False)
    problem.add_objects([Object(name, thing) for name in ("a, b", "c", "a", "b, c")])
    action = InstantaneousAction("bring", x=thing, y=thing)
    action.add_precondition(Not(Equals(action.parameter("x"), action.parameter("y"))))
    action.add_effect(near(action.parameter("x"), action.parameter("y")), True)
    problem.add_action(action)
    problem.add_goal(near(problem.object("a"), problem.object("b, c")))

    names = [operator.name for operator in from_unified_planning(problem).problem.operators]

    assert len(set(names)) == 12
    assert {"bring('a, b', c)", "bring(a, 'b, c')"} <= set(names)


def test_an_unreachable_goal_says_what_is_missing():
    problem, _ = _one_step()
    never = problem.add_fluent("never", default_initial_value=False)
    problem.add_goal(never)

    result = Goap().plan(from_unified_planning(problem).problem)

    assert isinstance(result, NoPlan)
    assert result.missing == ("never",)


def test_a_plan_for_another_problem_does_not_go_back():
    problem, _ = _one_step()
    plan = solved(from_unified_planning(problem))

    with pytest.raises(UnknownNameError, match="No operator named 'work'"):
        from_pddl(BLOCKS, KNOWN_OPTIMA["blocks"][1]).plan_of(plan)


PROGRAM = """
import sys
sys.path.insert(0, {here!r})
from grounded_domains import fingerprints
print(fingerprints())
"""


def test_nothing_depends_on_the_hash_seed():
    here = Path(__file__).parent
    command = [sys.executable, "-c", PROGRAM.format(here=str(here))]
    environment = {"PYTHONHASHSEED": "4242", "PYTHONPATH": str(here.parents[1])}

    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)

    assert done.stdout.strip() == fingerprints()


def _one_step():
    problem = Problem("one step")
    done = problem.add_fluent("done", default_initial_value=False)
    work = InstantaneousAction("work")
    work.add_effect(done, True)
    problem.add_action(work)
    problem.add_goal(done)
    return problem, Fluent("done")
