"""Planboard as an engine of unified-planning: found by name, honest about what it promises, and its plans validate."""

import io

import pytest
from adl_problems import adl_problems
from hypothesis import HealthCheck, given, settings
from pddl_domains import BRIEFCASE, DETOUR, GRIPPER, MORNING, TRANSPORT, gripper
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.engines import SequentialPlanValidator
from unified_planning.engines.mixins.oneshot_planner import OptimalityGuarantee
from unified_planning.environment import Environment
from unified_planning.io import PDDLReader
from unified_planning.model import InstantaneousAction, MinimizeActionCosts, Problem
from unified_planning.shortcuts import IntType, OneshotPlanner, get_environment

from planboard.interop.pddl import PlanboardEngine, register
from planboard.interop.pddl.reader import read_pddl
from planboard.planners import Limit


def ladder(rungs, *, metric=True):
    """Climb so many rungs, each dearer than the one before."""
    problem = Problem("ladder")
    at = [problem.add_fluent(f"at{number}", default_initial_value=number == 0) for number in range(rungs + 1)]
    costs = {}
    for number in range(rungs):
        climb = InstantaneousAction(f"climb{number}")
        climb.add_precondition(at[number])
        climb.add_effect(at[number], False)
        climb.add_effect(at[number + 1], True)
        problem.add_action(climb)
        costs[climb] = number
    problem.add_goal(at[rungs])
    if metric:
        problem.add_quality_metric(MinimizeActionCosts(costs))
    return problem


def solve(problem, timeout=None, **params):
    with OneshotPlanner(name="planboard", params=params) as planner:
        return planner.solve(problem, timeout=timeout)


def test_importing_the_bridge_registers_the_engine():
    assert "planboard" in get_environment().factory.engines


def test_registering_again_changes_nothing():
    before = list(get_environment().factory.preference_list)
    register()

    assert get_environment().factory.preference_list == before


def test_another_environment_is_registered_by_hand():
    environment = Environment()
    register(environment)

    assert "planboard" in environment.factory.engines


def test_a_plan_of_least_cost_is_reported_as_optimal():
    problem = ladder(3)
    result = solve(problem)

    assert result.status is Status.SOLVED_OPTIMALLY
    assert [step.action.name for step in result.plan.actions] == ["climb0", "climb1", "climb2"]
    assert result.metrics["cost"] == "3"
    with SequentialPlanValidator() as validator:
        assert validator.validate(problem, result.plan)


def test_without_a_metric_there_is_nothing_to_be_optimal_in():
    """As unified-planning has it; the plan is a shortest one all the same."""
    assert solve(ladder(3, metric=False)).status is Status.SOLVED_SATISFICING


def test_an_engine_without_proof_is_reported_as_satisficing():
    assert solve(ladder(3), engine="simpleai:greedy").status is Status.SOLVED_SATISFICING


def test_the_engine_is_chosen_when_optimality_is_asked_for():
    problem = ladder(2)

    with OneshotPlanner(
        problem_kind=problem.kind, optimality_guarantee=OptimalityGuarantee.SOLVED_OPTIMALLY
    ) as planner:
        assert planner.name == "planboard"
        assert planner.solve(problem).status is Status.SOLVED_OPTIMALLY


def test_no_plan_is_proven():
    problem = ladder(2)
    problem.add_goal(problem.fluent("at0"))

    result = solve(problem)

    assert (result.status, result.plan) == (Status.UNSOLVABLE_PROVEN, None)
    assert "goal" in str(result.log_messages[-1])


def test_time_that_runs_out_is_a_timeout():
    assert solve(read_pddl(GRIPPER, gripper(6)), timeout=1e-9).status is Status.TIMEOUT


def test_a_limit_of_nodes_is_no_proof_of_anything():
    result = solve(read_pddl(GRIPPER, gripper(6)), limit=Limit(nodes=0), engine="astar")

    assert result.status in (Status.UNSOLVABLE_INCOMPLETELY, Status.SOLVED_SATISFICING)
    assert "lower_bound" in result.metrics


def test_what_the_kind_rules_out_is_not_tried():
    problem = ladder(2)
    fuel = problem.add_fluent("fuel", IntType(), default_initial_value=3)
    problem.action("climb0").add_precondition(fuel >= 1)
    problem.action("climb0").add_decrease_effect(fuel, 1)

    assert not PlanboardEngine.supports(problem.kind)
    with OneshotPlanner(name="planboard") as planner:
        planner.skip_checks = True
        result = planner.solve(problem)
    assert result.status is Status.UNSUPPORTED_PROBLEM
    assert "a number that actions change" in str(result.log_messages[0])


@pytest.mark.parametrize(("domain", "problem"), [(BRIEFCASE, MORNING), (TRANSPORT, DETOUR), (GRIPPER, gripper(1))])
def test_problems_read_from_pddl_are_supported(domain, problem):
    assert PlanboardEngine.supports(read_pddl(domain, problem).kind)


def test_problems_read_by_their_own_reader_are_solved():
    problem = PDDLReader().parse_problem_string(GRIPPER, gripper(2))

    assert len(solve(problem).plan.actions) == 5


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=adl_problems())
def test_what_is_supported_is_answered(problem):
    assert PlanboardEngine.supports(problem.kind)
    assert solve(problem).status in (Status.SOLVED_OPTIMALLY, Status.SOLVED_SATISFICING, Status.UNSOLVABLE_PROVEN)


def test_a_heuristic_from_outside_is_ignored_aloud():
    with OneshotPlanner(name="planboard") as planner, pytest.warns(UserWarning, match="ignores the heuristic"):
        planner.solve(ladder(1), heuristic=lambda _: 0)


def test_the_log_goes_to_the_stream(capsys):
    stream = io.StringIO()
    with OneshotPlanner(name="planboard") as planner:
        planner.solve(ladder(3), output_stream=stream)

    assert stream.getvalue().startswith("[INFO] Plan of 3 steps, cost 3: optimal")
    assert capsys.readouterr().out == ""
