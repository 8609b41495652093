"""What has to be given for a goal: what is on the ways to it, and needed only if no way goes without it."""

from typing import Annotated

import served_agents as served
from pydantic import BaseModel

from planboard import Agent, Denied, Goal, Named, achieves_goal, action, chat_agent, condition
from planboard.interop.mcp.goals import tools_of
from planboard.interop.mcp.needs import needs_for


class A(BaseModel):
    n: int = 0


class B(BaseModel):
    n: int = 0


class C(BaseModel):
    n: int = 0


def needs(*parts, goals=(), of=None):
    agent = Agent("a", parts, goals=goals)
    return {str(need.query): need.needed for need in needs_for(agent, of or agent.goals)}


def test_what_an_action_makes_need_not_be_given():
    @action
    def first(a: A) -> B: ...

    @action
    def second(b: B) -> C: ...

    assert needs(first, second, goals=[C]) == {"A": True}


def test_what_only_one_of_two_ways_needs_may_be_left_out():
    @action
    def one(a: A) -> C: ...

    @action
    def other(b: B) -> C: ...

    assert needs(one, other, goals=[C]) == {"A": False, "B": False}


def test_what_is_optional_may_be_left_out():
    @action
    def use(a: A, b: B | None) -> C: ...

    assert needs(use, goals=[C]) == {"A": True, "B": False}


def test_an_action_that_takes_a_type_does_not_make_it():
    @action
    def revise(a: A) -> A: ...

    assert needs(revise, goals=[A]) == {"A": True}


def test_what_another_goal_needs_is_left_aside():
    @achieves_goal("c")
    @action
    def use_a(a: A) -> C: ...

    @achieves_goal("d")
    @action
    def use_b(b: B) -> str: ...

    agent = Agent("a", [use_a, use_b])
    goals = [goal for goal in agent.goals if goal.form is C]

    assert [str(need.query) for need in needs_for(agent, goals)] == ["A"]


def test_what_a_condition_looks_at_is_needed():
    @condition
    def is_fine(b: B) -> bool: ...

    @action(pre=[is_fine])
    def use(a: A) -> C: ...

    assert needs(use, is_fine, goals=[C]) == {"A": True, "B": True}


def test_what_an_action_needs_that_makes_a_condition_true_is_needed():
    @action(post=["approved"])
    def approve(b: B) -> None: ...

    @action(pre=["approved"])
    def use(a: A) -> C: ...

    assert needs(approve, use, goals=[C]) == {"A": True, "B": True}


def test_a_condition_of_the_goal_counts():
    @action
    def use(a: A) -> C: ...

    @condition
    def is_fine(b: B) -> bool: ...

    assert needs(use, is_fine, goals=[Goal(C, pre=[is_fine])]) == {"A": True, "B": True}


def test_a_binding_serves_those_who_want_any():
    @action
    def use(a: A, b: Annotated[A, Named("home")]) -> C: ...

    assert needs(use, goals=[C]) == {"A": False, "home: A": True}


def test_a_no_comes_after_a_question_and_not_out_of_nothing():
    assert needs(*served.paying.parts) == {"Expense": True}


def test_a_no_of_a_policy_comes_after_any_other_action():
    @action
    def use(a: A) -> B: ...

    @action
    def regret(denied: Denied) -> C: ...

    assert needs(use, regret, goals=[C]) == {"A": True}


def test_a_goal_that_no_way_leads_to_names_what_its_actions_need():
    @action(pre=["released"])
    def use(a: A) -> C: ...

    @action(post=["released"])
    def release(c: C) -> B: ...

    assert needs(use, release, goals=[C]) == {"A": True}


def test_what_is_made_only_of_what_the_goal_is_about_has_to_be_given():
    @action
    def use(a: A, b: B) -> C: ...

    @action
    def make(c: C) -> B: ...

    assert needs(use, make, goals=[C]) == {"A": True, "B": True}


def test_of_what_is_made_only_of_each_other_any_may_be_given():
    @action
    def go(a: A) -> B: ...

    @action
    def back(b: B) -> A | C: ...

    assert needs(go, back, goals=[C]) == {"A": False, "B": False}


def test_that_a_chat_agent_may_hand_over_is_no_tool():
    assert len(tools_of(chat_agent("helper", description="Helps."))) == 1
