"""The search engines below GOAP: admissible heuristics, one order, a seam for others."""

import pytest
from hypothesis import given
from planning_strategies import MODEST, cases

from planboard.errors import PlanningError
from planboard.planners import Domain, Engine, Goap, Limit, Operator, PlanGoal, Problem, Solution
from planboard.planners.problem import exact
from planboard.planners.search.astar import AStar
from planboard.planners.search.heuristics import BUILT_IN
from planboard.planners.search.order import canonical
from planboard.planners.search.space import PlanProblem
from planboard.planners.search.view import View, reached_from, reduce

GOAL = PlanGoal("g", ["goal"])


def task_of(state, operators, goal=GOAL):
    """The compiled task, or None if the goal holds or cannot be reached."""
    domain = Domain(operators, facts=(*state, *goal.pre))
    view = View(domain, (goal,))
    world = domain.state(state)
    start = view.literals_of(world.true, world.unknown)
    reached, running = reached_from(view, start)
    if not view.goal & ~start or view.goal & ~reached:
        return None
    return reduce(view, start, running, lambda index: exact(domain.operators[index].cost), fixed=True).task


ADMISSIBLE = sorted(name for name, heuristic in BUILT_IN.items() if heuristic.admissible)


@pytest.mark.parametrize("name", ADMISSIBLE)
@MODEST
@given(case=cases())
def test_no_estimate_exceeds_the_weight_that_remains(name, case):
    task = task_of(case.full_state, case.operators, case.goals[0])
    if task is None:
        return
    heuristic = BUILT_IN[name]
    estimate = heuristic.bind(task)

    solution = AStar(BUILT_IN["blind"]).solve(task, Limit())

    state, left = task.start, task.weight_of(solution.steps or ())
    for index in solution.steps or ():
        assert estimate(state) <= left
        state, left = task.after(state, [index]), left - task.weights[index]


@MODEST
@given(case=cases())
def test_weights_compare_as_the_tie_rules_do(case):
    task = task_of(case.full_state, case.operators, case.goals[0])
    if task is None:
        return

    def rules(pair):
        actions = [index for index in pair if index < task.actions]
        return (
            sum(task.costs[index] for index in pair),
            sum(task.risks[index] for index in pair),
            len(actions),
            -sum(task.demands[index] for index in pair),
            sorted(actions),
        )

    pairs = [(one, other) for one in range(len(task)) for other in range(one, len(task))]

    assert sorted(pairs, key=rules) == sorted(pairs, key=task.weight_of)
    assert all(weight > 0 for weight in task.weights)


CHAIN = [Operator("one", (), ["half"], 1), Operator("two", ["half"], ["goal"], 1), Operator("dear", (), ["goal"], 3)]


def test_a_state_reached_more_cheaply_is_opened_again():
    """With an admissible estimate that is not consistent, plain simpleai returns the dearer plan here."""
    operators = [
        Operator("direct", (), ["mid"], 3),
        Operator("a", (), ["near"], 1),
        Operator("b", ["near"], {"mid": True, "near": False}, 1),
        Operator("end", {"mid": True, "near": False}, ["goal"], 3),
    ]

    class Uneven:
        name = "uneven"
        admissible = True

        def bind(self, task):
            near = task.after(task.start, [0])  # 'a' comes first by name
            return lambda state: 4 << task.cost_shift if state == near else 0

    problem = Problem({}, operators, [GOAL])

    assert Goap("astar", heuristic=Uneven()).plan(problem).steps == ("a", "b", "end")


def test_a_heuristic_that_may_overestimate_proves_nothing():
    class Wild:
        name = "wild"
        admissible = False

        def bind(self, task):
            return lambda state: 9 << task.cost_shift if state == task.start else 0

    plan = Goap("astar", heuristic=Wild()).plan(Problem({}, CHAIN, [GOAL]))

    assert str(plan.proof) == "not proven optimal: A* with wild"


@pytest.mark.parametrize("heuristic", [*ADMISSIBLE, None])
@pytest.mark.parametrize("engine", ["auto", "astar", "relaxed", "simpleai:astar", "simpleai:uniform_cost"])
def test_every_optimal_engine_and_heuristic_finds_the_one_optimum(engine, heuristic):
    plan = Goap(engine, heuristic=heuristic).plan(Problem({}, CHAIN, [GOAL]))

    assert plan.steps == ("one", "two")
    assert plan.proof.reason.startswith(("optimal", "not proven optimal: simpleai's astar"))


def test_an_engine_of_your_own_takes_part():
    class Backwards:
        name = "backwards"

        def solve(self, task, limit):
            return Solution("solved", steps=tuple(range(task.actions))[:2], proof="by guess")

    assert isinstance(Backwards(), Engine)
    plan = Goap(Backwards()).plan(Problem({}, CHAIN[:2], [GOAL]))

    assert plan.steps == ("one", "two")
    assert str(plan.proof) == "by guess"


def test_an_engine_that_errs_is_named():
    class Broken:
        name = "broken"

        def solve(self, task, limit):
            return Solution("solved", steps=())

    with pytest.raises(PlanningError, match="'broken'"):
        Goap(Broken()).plan(Problem({}, CHAIN, [GOAL]))


def test_the_order_is_the_smallest_by_name_even_where_the_first_try_is_stuck():
    """Taking 'a' first would use up what 'b' needs."""
    operators = [
        Operator("a", ["key"], {"x": True, "key": False}),
        Operator("b", ["key"], {"y": True}),
        Operator("c", ["x", "y"], ["goal"]),
    ]
    task = task_of({"key": True}, operators)

    assert canonical(task, (1, 0, 2)) == (1, 0, 2)
    assert canonical(task, (0, 2)) is None


def test_an_action_that_changes_nothing_is_no_move():
    operators = [Operator("idle", (), {"half": False}), *CHAIN]
    problem = PlanProblem(task_of({}, operators), BUILT_IN["lmcut"])

    assert all(state != problem.initial_state for _, state in problem.successors(problem.initial_state))
