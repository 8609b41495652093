"""What cannot be planned with is refused by name and place, and what is missing is said."""

import subprocess
import sys
from pathlib import Path

import pytest
from pddl_domains import BLOCKS, DETOUR, TRANSPORT
from unified_planning.model import (
    DurativeAction,
    InstantaneousAction,
    MinimizeMakespan,
    Problem,
)
from unified_planning.model.metrics import MinimizeActionCosts
from unified_planning.shortcuts import BoolType, Forall, IntType, Object, Or, UserType, Variable

from planboard import PlanningError, TranslationError
from planboard.interop.pddl import from_pddl, from_unified_planning


def step(name="work", **parameters):
    """A problem with one action that does what is wanted."""
    problem = Problem("refused")
    done = problem.add_fluent("done", default_initial_value=False)
    action = InstantaneousAction(name, **parameters)
    action.add_effect(done, True)
    problem.add_action(action)
    problem.add_goal(done)
    return problem, action


def refusal(problem):
    with pytest.raises(TranslationError) as caught:
        from_unified_planning(problem)
    return str(caught.value)


def test_a_durative_action():
    problem, _ = step()
    problem.add_action(DurativeAction("sleep"))

    assert (
        refusal(problem) == "Action 'sleep': DurativeAction is not supported; only instantaneous actions are classical."
    )


def test_a_number_that_changes_and_is_read():
    problem, action = step()
    fuel = problem.add_fluent("fuel", IntType(), default_initial_value=1)
    action.add_decrease_effect(fuel, 1)
    problem.add_goal(fuel >= 0)

    assert refusal(problem) == "The goal: reading 'fuel', a number that actions change, is not supported."


def test_a_number_with_bounds_that_changes():
    problem, action = step()
    fuel = problem.add_fluent("fuel", IntType(0, 5), default_initial_value=1)
    action.add_decrease_effect(fuel, 1)

    assert "Action 'work', effect on 'fuel': an effect on a bounded number" in refusal(problem)


def test_a_cost_that_depends_on_the_state():
    problem, action = step()
    fuel = problem.add_fluent("fuel", IntType(), default_initial_value=1)
    action.add_decrease_effect(fuel, 1)
    problem.add_quality_metric(MinimizeActionCosts({action: fuel}))

    assert "Action 'work', cost: reading 'fuel', a number that actions change" in refusal(problem)


def test_a_cost_that_is_nowhere_given():
    with pytest.raises(TranslationError, match=r"Action 'drive', cost: length\(a, b\) has no initial value"):
        from_pddl(TRANSPORT, DETOUR.replace("(= (length a b) 2)", ""))


def test_a_negative_cost():
    problem, action = step()
    problem.add_quality_metric(MinimizeActionCosts({action: -1}))

    assert refusal(problem).startswith("Action work() costs -1; with a negative cost")


def test_an_action_without_a_cost():
    problem, _ = step()
    problem.add_quality_metric(MinimizeActionCosts({}))

    assert "'work': MinimizeActionCosts gives it no cost" in refusal(problem)


def test_another_metric():
    problem, _ = step()
    problem.add_quality_metric(MinimizeMakespan())

    assert "the metric MinimizeMakespan is not supported; use MinimizeActionCosts" in refusal(problem)


def test_a_parameter_that_is_no_object():
    problem, _ = step(flag=BoolType())

    assert "Action 'work': a parameter of type bool is not supported" in refusal(problem)


def test_a_fact_without_a_value_at_the_start():
    problem, _ = step()
    problem.add_goal(problem.add_fluent("weather"))

    assert "Fluent 'weather': weather has no initial value" in refusal(problem)


def test_a_condition_with_too_many_alternatives():
    thing = UserType("thing")
    problem, action = step()
    red, blue = (problem.add_fluent(name, x=thing, default_initial_value=False) for name in ("red", "blue"))
    problem.add_objects([Object(f"o{number}", thing) for number in range(14)])
    x = Variable("x", thing)
    action.add_precondition(Forall(Or(red(x), blue(x)), x))
    paint = InstantaneousAction("paint", x=thing)
    for fluent in (red, blue):
        paint.add_effect(fluent(paint.parameter("x")), True)
    problem.add_action(paint)

    assert refusal(problem).startswith("Action work(): more than 4096 ways to satisfy one condition")


def test_what_is_no_problem_at_all():
    assert refusal("text") == "A str is not a classical planning problem; pass a plain Problem."


def test_pddl_that_cannot_be_read():
    with pytest.raises(TranslationError, match="The PDDL cannot be read"):
        from_pddl(BLOCKS, "(define (problem p) (:domain tower)")


def test_the_construct_is_named_for_programs_too():
    problem, _ = step()
    problem.add_quality_metric(MinimizeMakespan())

    with pytest.raises(PlanningError) as caught:
        from_unified_planning(problem)
    assert caught.value.feature == "the metric MinimizeMakespan"


WITHOUT = """
import sys
import planboard, planboard.planners
assert "unified_planning" not in sys.modules
sys.modules["unified_planning"] = None
try:
    import planboard.interop.pddl
except ImportError as error:
    print(error.name, error)
"""


def test_without_unified_planning_it_is_said_how_to_get_it():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )

    assert done.stdout.startswith("unified_planning planboard.interop.pddl needs unified-planning")
    assert "pip install 'planboard[pddl]'" in done.stdout
