"""Claims of DESIGN that an outside reviewer found broken; each is a minimal reproduction."""

import asyncio
from typing import Generic, TypeVar

import pytest
from pydantic import BaseModel

from planboard import (
    Agent,
    DefinitionError,
    Goal,
    Goap,
    Not,
    Process,
    ProcessOptions,
    achieves_goal,
    action,
    condition,
    run,
    state,
)
from planboard.planners import Operator, PlanGoal, Problem

T = TypeVar("T")


class A(BaseModel):
    x: int = 0


class B(BaseModel):
    x: int = 0


class C(BaseModel):
    x: int = 0


class D(BaseModel):
    x: int = 0


@condition
def holds(a: A) -> bool:
    return a.x > 0


@condition
def breaks(a: A) -> bool:
    raise ZeroDivisionError(a.x)


def ended(agent: Agent, *inputs: object, planner: str = "goap") -> Process:
    process = agent.process(*inputs, planner=planner, options=ProcessOptions(max_ticks=20))
    asyncio.run(process.run())
    return process


def ran(process: Process) -> list[str]:
    return [run.action for run in process.history]


def test_a_condition_given_as_an_object_is_evaluated_without_being_listed():
    """DESIGN 2: `pre=[is_urgent]` beside agents that list actions only; 3.3: inputs on the board make it TRUE or FALSE."""

    @achieves_goal("b")
    @action(pre=[holds])
    def make(a: A) -> B:
        return B()

    assert run(Agent("z", [make]), A(x=1), returning=B) == B()


def test_a_condition_object_of_a_goal_is_evaluated_without_being_listed():
    @action
    def make(a: A) -> B:
        return B()

    assert ran(ended(Agent("z", [make], goals=[Goal(B, pre=[holds])]), A(x=1))) == ["make"]


@pytest.mark.parametrize("planner", ["goap", "utility", "hybrid"])
def test_a_condition_that_raises_is_never_false_though_nobody_listed_it(planner: str):
    """DESIGN 3.3 and case 162: an error in a condition takes neither branch."""

    @achieves_goal("b")
    @action(pre=[Not(breaks)])
    def otherwise(a: A) -> B:
        return B()

    process = ended(Agent("z", [otherwise]), A(), planner=planner)
    assert ran(process) == []
    assert "breaks" in str(process.reason)
    assert "ZeroDivisionError" in str(process.reason)


def test_the_conditions_of_two_teams_are_not_confused_by_their_name():
    """DESIGN 2: several teams contribute without knowing each other; a clash is refused, or each guard is its own."""

    def team(least: int) -> tuple[object, object]:
        @condition
        def ready(a: A) -> bool:
            return a.x > least

        @achieves_goal("g")
        @action(pre=[ready], name=f"act{least}")
        def act(a: A) -> B:
            return B()

        return ready, act

    lax, first = team(0)
    _, second = team(100)

    try:
        agent = Agent("z", [lax, first, second])
    except DefinitionError:
        return
    process = ended(agent, A(x=5), planner="utility")
    assert "act100" not in ran(process)


def test_a_tuple_with_an_optional_part_may_leave_it_out():
    """DESIGN 2: `tuple[A, B]` adds two, `T | None` may produce nothing."""

    @achieves_goal("g")
    @action
    def split(a: A) -> tuple[B, D | None]:
        return B(x=1), None

    process = ended(Agent("z", [split], goals=[Goal(B)]), A())
    assert process.board.last(B) == B(x=1)
    assert process.board.last(D) is None


def test_consuming_one_of_two_entries_leaves_the_other_to_plan_with():
    """DESIGN 3.5: consumed inputs are supported, and "unreachable" is never said of what can be reached."""

    @action(consumes=[A])
    def eat(a: A) -> B:
        return B()

    @achieves_goal("g")
    @action
    def finish(a: A, b: B) -> C:
        return C()

    assert ran(ended(Agent("z", [eat, finish]), A(), A())) == ["eat", "finish"]


@pytest.mark.parametrize("planner", ["utility", "hybrid"])
def test_an_always_action_runs_for_each_entry_that_consuming_uncovers(planner: str):
    """DESIGN 3.6: it is held back only while nothing that it reads has changed."""

    @action(consumes=[A], rerun="always")
    def eat(a: A) -> None: ...

    process = ended(Agent("z", [eat]), A(x=1), A(x=2), A(x=3), planner=planner)
    assert ran(process) == ["eat"] * 3
    assert process.board.all(A) == []


def test_a_second_order_after_the_end_is_handled_once_more():
    """Case 014: once for one Order; put a second Order, and it runs exactly once more."""
    seen = []

    @action(rerun="new_inputs")
    def handle(a: A) -> None:
        seen.append(a.x)

    process = ended(Agent("z", [handle]), A(x=1), planner="utility")
    process.board.add(A(x=2))
    asyncio.run(process.run())
    assert seen == [1, 2]


def test_what_is_known_to_hold_is_not_listed_as_missing():
    """DESIGN 3.3, 3.8: a condition whose inputs are there is TRUE or FALSE; the smallest missing set is the smallest."""

    @achieves_goal("g")
    @action(pre=[holds, "a.x > 4"])
    def act(a: A) -> B:
        return B()

    text = Agent("z", [act, holds]).plan(A(x=4)).explain()
    assert "The least that would do: 'a.x > 4'." in text
    assert "unknown" not in text


def test_a_state_has_the_actions_of_the_state_it_inherits_from():
    @state
    class Common(BaseModel):
        n: int = 0

        @action
        def shared(self) -> B:
            return B(x=self.n)

    @state
    class Special(Common):
        @achieves_goal("g")
        @action
        def finish(self, b: B) -> C:
            return C(x=b.x)

    @action
    def begin(a: A) -> Special:
        return Special(n=3)

    assert run(Agent("z", [begin, Special]), A(), returning=C) == C(x=3)


def test_a_generic_state_in_a_union_is_found_by_itself():
    """docs/reference/actions.md: a state class that an action returns is part of the agent."""

    @state
    class Holding(BaseModel, Generic[T]):
        item: T

        @achieves_goal("g")
        @action
        def finish(self) -> C:
            return C()

    @action
    def pick(a: A) -> Holding[int] | Holding[str]:
        return Holding[str](item="s")

    assert ran(ended(Agent("z", [pick]), A())) == ["pick", "finish"]


def test_a_static_method_runs_or_is_refused_when_the_agent_is_built():
    class Tools:
        @staticmethod
        @achieves_goal("g")
        @action
        def make(a: A) -> B:
            return B()

    try:
        agent = Agent("z", [Tools()])
    except DefinitionError:
        return
    assert run(agent, A(), returning=B) == B()


def test_a_truth_value_that_is_none_of_three_is_refused():
    """DESIGN 2: the state is a `Mapping[str, bool | None]`."""
    with pytest.raises(DefinitionError, match="a"):
        Goap().plan(Problem({"a": "no"}, [Operator("x", ["a"], ["b"])], [PlanGoal("g", ["b"])]))


@pytest.mark.parametrize("state", [{1: True}, ["a"]])
def test_a_state_that_is_no_mapping_of_names_is_a_typed_error(state: object):
    with pytest.raises(DefinitionError):
        Problem(state, [Operator("x", ["a"], ["b"])], [PlanGoal("g", ["b"])])


def test_a_limit_that_is_no_limit_is_refused_at_once():
    with pytest.raises(DefinitionError):
        Goap(limit=5)
