"""What we rely on in simpleai, whose last release is pinned: if one of these fails, look at its new source first."""

import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import simpleai.search
from hypothesis import given
from planning_strategies import MODEST, cases
from simpleai.search import SearchProblem
from simpleai.search.models import SearchNode
from simpleai.search.traditional import _search
from test_search import CHAIN, task_of

from planboard.planners import Goap, Limit, Operator, PlanGoal, Problem
from planboard.planners.search.astar import OpenList, PlanNode, Search
from planboard.planners.search.engine import ALGORITHMS, Allowance
from planboard.planners.search.heuristics import BUILT_IN, HMax
from planboard.planners.search.lmcut import LMCut
from planboard.planners.search.space import PlanProblem


def test_it_is_pinned_to_the_release_that_was_read():
    assert version("simpleai") == "0.8.3"
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert "simpleai==0.8.3" in project["dependencies"]


class RecordingFringe(OpenList):
    """Notes what the kernel calls."""

    def __init__(self, problem):
        super().__init__(problem)
        self.calls = []

    def append(self, node):
        self.calls.append("append")
        super().append(node)

    def pop(self):
        self.calls.append("pop")
        return super().pop()

    def __bool__(self):
        self.calls.append("bool")
        return super().__bool__()

    def sorted(self):
        self.calls.append("sorted")
        return super().sorted()


class Viewer:
    """A viewer as simpleai knows them."""

    def __init__(self):
        self.events = []

    def event(self, name, *_):
        self.events.append(name)


def test_simpleai_calls_only_what_we_provide():
    """The contract with simpleai 0.8.3's private `_search`; if this fails, look at its new source first."""
    problem = PlanProblem(task_of({}, CHAIN), BUILT_IN["lmcut"])
    fringe, viewer = RecordingFringe(problem), Viewer()

    found = _search(problem, fringe, graph_search=False, node_factory=PlanNode, viewer=viewer)

    parameters = [
        "problem",
        "fringe",
        "graph_search",
        "depth_limit",
        "node_factory",
        "graph_replace_when_better",
        "viewer",
    ]
    assert list(inspect.signature(_search).parameters) == parameters
    assert set(fringe.calls) == {"append", "pop", "bool", "sorted"}
    assert fringe.calls[:4] == ["append", "bool", "sorted", "pop"]
    assert len(found.steps()) == 2
    assert viewer.events[-1] == "finished"


def test_the_scan_for_duplicates_of_simpleai_is_refused():
    problem = PlanProblem(task_of({}, CHAIN), BUILT_IN["lmcut"])

    with pytest.raises(TypeError, match="graph_search=False"):
        _search(problem, OpenList(problem), graph_search=True, node_factory=PlanNode)


def test_the_problem_is_one_that_simpleai_understands():
    problem = PlanProblem(task_of({}, CHAIN), BUILT_IN["lmcut"])

    moves = problem.actions(problem.initial_state)

    assert isinstance(problem, SearchProblem)
    assert [len(move) for move in moves] == [1, 1]
    state = problem.result(problem.initial_state, moves[0])
    assert problem.cost(problem.initial_state, moves[0], state) > 0
    assert problem.heuristic(problem.initial_state) > 0
    assert not problem.is_goal(problem.initial_state)


def test_the_loop_ends_when_the_open_list_is_false():
    """Not by counting or by asking for its length."""
    problem = PlanProblem(task_of({}, CHAIN), BUILT_IN["blind"])

    class Empty(OpenList):
        def __bool__(self):
            return False

    assert _search(problem, Empty(problem), node_factory=PlanNode) is None


def test_the_loop_makes_one_node_and_leaves_the_others_to_expand():
    problem, made = PlanProblem(task_of({}, CHAIN), BUILT_IN["blind"]), []

    def factory(**given):
        made.append(given)
        return PlanNode(**given)

    _search(problem, OpenList(problem), node_factory=factory)

    assert made == [{"state": problem.initial_state, "problem": problem}]


def test_a_node_has_what_its_base_class_has():
    """Our constructor does not call simpleai's, which costs as much again."""
    problem = PlanProblem(task_of({}, CHAIN), BUILT_IN["blind"])

    theirs = vars(SearchNode(state=problem.initial_state, problem=problem))
    ours = vars(PlanNode(state=problem.initial_state, problem=problem))

    assert {name: ours[name] for name in theirs} == theirs
    assert list(inspect.signature(SearchNode.expand).parameters) == list(inspect.signature(PlanNode.expand).parameters)


def test_the_path_of_simpleai_is_the_plan():
    problem = PlanProblem(task_of({}, CHAIN), BUILT_IN["lmcut"])

    found = _search(problem, OpenList(problem), node_factory=PlanNode)

    assert tuple(index for move, _ in found.path() if move for index in move) == found.steps()
    assert [state for _, state in found.path()][-1] == found.state


@MODEST
@given(case=cases())
def test_a_search_that_was_interrupted_goes_on_as_if_it_had_not_been(case):
    """The loop appends the first node anew each time it is entered; ours is known by then."""
    task = task_of(case.full_state, case.operators, case.goals[0])
    if task is None:
        return
    whole = Search(task, LMCut(), None).go_on(Allowance(Limit()))
    search, allowance = Search(task, LMCut(), None), Allowance(Limit())

    for _ in range(whole.nodes + 1):
        found = search.go_on(allowance.part(1))
        if found.status != "limit":
            break
        assert found.bound <= (whole.bound if whole.status == "solved" else task.infinity)

    assert found == whole


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_that_we_name_is_one_of_theirs(algorithm):
    function = getattr(simpleai.search, algorithm)

    assert "graph_search" in inspect.signature(function).parameters


@MODEST
@given(case=cases())
def test_the_estimate_that_simpleai_is_given_never_falls_by_more_than_a_step(case):
    """Its A* never opens a state again, so it is exact with a consistent estimate only."""
    task = task_of(case.full_state, case.operators, case.goals[0])
    if task is None:
        return
    problem = PlanProblem(task, HMax())
    pending, seen = [task.start], {task.start}
    while pending and len(seen) < 200:
        state = pending.pop()
        for move, following in problem.successors(state):
            assert problem.heuristic(state) <= task.weight_of(move) + problem.heuristic(following)
            if following not in seen:
                seen.add(following)
                pending.append(following)


@pytest.mark.parametrize("heuristic", ["goalcount", "lmcut", "hadd"])
def test_simpleai_with_an_estimate_that_may_be_inconsistent_proves_nothing(heuristic):
    plan = Goap("simpleai:astar", heuristic=heuristic).plan(
        Problem({}, [Operator("o", (), ["x"], 1)], [PlanGoal("g", ["x"])])
    )

    assert not plan.proof.optimal
    assert plan.proof.bound == 0
