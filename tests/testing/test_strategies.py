"""`problems` and `boards`: what is asked for is drawn, what is not is not, and failures read well."""

import subprocess
import sys
from typing import Annotated

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

import planboard.testing
from planboard import (
    NIRVANA,
    Agent,
    All,
    DefinitionError,
    Goap,
    Named,
    Operator,
    Plan,
    PlanGoal,
    Problem,
    achieves_goal,
    action,
    condition,
)
from planboard.testing import boards, check_optimality, check_plans_valid, problems

FEW = settings(max_examples=30, deadline=None, derandomize=True, database=None)
FIRST = settings(
    max_examples=1000, report_multiple_bugs=False, database=None, derandomize=True, phases=[Phase.generate]
)


class Issue(BaseModel):
    urgency: float = Field(ge=0, le=1)


class Person(BaseModel):
    name: str


class Plea(BaseModel):
    to: list[str]


class Answer(BaseModel):
    text: str


@condition
def is_urgent(issue: Issue) -> bool:
    return issue.urgency > 0.5


@action(pre=[is_urgent, "opened"], cost=0.2)
def plead(issue: Annotated[Issue, Named("gh_issue")], people: Annotated[list[Person], All]) -> Plea:
    return Plea(to=[person.name for person in people])


@achieves_goal("Answered")
@action(cost=0.1)
def answer(plea: Plea | list[int], hint: str | None = None) -> Answer:
    return Answer(text="")


agent = Agent("issues", [plead, answer])

# Problems


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({}, lambda p: isinstance(plan := Goap().plan(p), Plan) and len(plan) > 1),
        ({}, lambda p: p.state.unknown),
        ({}, lambda p: any(op.outcome for op in p.operators)),
        ({"goals": 3}, lambda p: len(p.goals) == 3),
        ({"values": True}, lambda p: any(op.value < 0 for op in p.operators)),
        ({"nirvana": True}, lambda p: NIRVANA in p.goals),
        ({"resolve": True}, lambda p: p.resolve("a") is False),
        ({"facts": 30, "operators": 40}, lambda p: len(p.operators) > 15),
    ],
)
def test_problems_are_as_asked(options, condition):
    assert find(problems(**options), condition, settings=FIRST)


@FEW
@given(problems(unknowns=False, deletes=False, negative=False, zero_costs=False, outcomes=False, facts=3, operators=2))
def test_what_is_left_out_is_not_drawn(problem):
    assert not problem.state.unknown
    assert all(effect for op in problem.operators for effect in op.effects.values())
    assert all(op.pre.get(name, True) and op.cost > 0 and not op.outcome for op in problem.operators for name in op.pre)
    assert len(problem.operators) <= 2
    assert not problem.resolve


def test_a_problem_is_shown_as_the_python_that_makes_it():
    problem = find(
        problems(facts=2, operators=3), lambda p: isinstance(plan := Goap().plan(p), Plan) and len(plan) > 1,
        settings=settings(FIRST, phases=[Phase.generate, Phase.shrink]),
    )  # fmt: skip

    again = eval(repr(problem), {"Problem": Problem, "Operator": Operator, "PlanGoal": PlanGoal})
    assert Goap().plan(again) == Goap().plan(problem)
    assert len(problem.operators) == 2
    assert sum(len(op.pre) + len(op.effects) for op in problem.operators) <= 5


def test_a_number_below_one_is_refused():
    with pytest.raises(DefinitionError, match="operators=0"):
        problems(operators=0)


# Boards


@pytest.mark.parametrize(
    "condition",
    [
        lambda board: not board.entries,
        lambda board: len(board.all(Person)) > 1,
        lambda board: board.get("gh_issue", Issue),
        lambda board: board.last(Issue) and "gh_issue" not in board,
        lambda board: board.last(Plea),
        lambda board: board.last(list[int]) and board.last(str),
        lambda board: board.conditions.get("opened") is False,
        lambda board: agent.plan().reason == "unreachable" and board.conditions.get("opened"),
    ],
)
def test_boards_hold_what_the_agent_reads(condition):
    find(boards(agent), condition, settings=FIRST)


@FEW
@given(boards(agent))
def test_an_agent_plans_rightly_on_any_board(board):
    check_plans_valid(agent, board)
    check_optimality(agent, board)


@FEW
@given(boards(agent, types=[Person, Issue], strategies={Person: st.just(Person(name="Ada"))}, most=2, conditions=False))
def test_boards_can_be_narrowed(board):
    assert {type(entry.value) for entry in board.visible} <= {Person, Issue}
    assert all(person.name == "Ada" for person in board.all(Person))
    assert len(board) <= 2
    assert not board.conditions


def test_types_that_are_not_read_or_not_known_are_refused():
    class Engine:
        def __init__(self, power):
            self.power = power

    @action
    def drive(engine: Engine) -> Answer: ...

    with pytest.raises(DefinitionError, match="reads no Answer"):
        boards(agent, types=[Answer])
    with pytest.raises(DefinitionError, match="Engine.*strategies="):
        boards(Agent("cars", [drive], goals=[Answer]))


def test_a_board_that_fails_shows_what_it_holds():
    @settings(FIRST, phases=[Phase.generate, Phase.shrink])
    @given(boards(agent))
    def holds(board):
        assert not board.all(Person)

    with pytest.raises(AssertionError) as found:
        holds()

    assert "<Blackboard: Person(name='')>" in "\n".join(found.value.__notes__)


# The package


def test_every_name_exists_and_is_no_module():
    assert all(callable(getattr(planboard.testing, name)) for name in planboard.testing.__all__)
    assert not hasattr(planboard.testing, "check_everything")


def test_without_hypothesis_the_checks_work_and_the_strategies_say_what_to_install():
    program = """
import sys
import planboard, planboard.runtime.agent, planboard.testing
assert "hypothesis" not in sys.modules
sys.modules["hypothesis"] = None
from planboard.testing import check_optimality, check_determinism, check_swap, check_plans_valid
from planboard import Goap, Problem, PlanGoal
check_optimality(Goap(), Problem({}, [], [PlanGoal("g", {"x": False})]))
try:
    from planboard.testing import values
except ModuleNotFoundError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "planboard.testing.values needs Hypothesis: pip install 'planboard[testing]'"
