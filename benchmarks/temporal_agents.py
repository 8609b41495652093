"""The agents of `temporal.py`: chains of actions that leave a line in a file each time they have their effect.

The actions are not idempotent: what becomes of one that was running when its worker was killed has to be decided.
"""

import asyncio
import os
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel

from planboard import Agent, Goap, achieves_goal, action
from planboard.planners import PlanGoal, Planner, PlanResult, Problem

EFFECTS = Path(os.environ.get("PLANBOARD_EFFECTS", "effects.txt"))
SECONDS = float(os.environ.get("PLANBOARD_SECONDS", "0.02"))
"""How long an action goes on after it had its effect; that is when kills hurt."""


async def effect(name: str, word: str) -> None:
    """Leave a line; lines of this length are written whole."""
    with EFFECTS.open("a") as file:  # noqa: ASYNC230 - it takes microseconds
        file.write(f"{name} {word}\n")
    if SECONDS:
        await asyncio.sleep(SECONDS)


class Start(BaseModel):
    name: str


class A(BaseModel):
    name: str


class B(BaseModel):
    name: str


class C(BaseModel):
    name: str


class D(BaseModel):
    name: str


class E(BaseModel):
    name: str


@action(cost=0.1)
async def first(given: Start) -> A:
    await effect(given.name, "first")
    return A(name=given.name)


@action(cost=0.1)
async def second(given: A) -> B:
    await effect(given.name, "second")
    return B(name=given.name)


@action(cost=0.1)
async def third(given: B) -> C:
    await effect(given.name, "third")
    return C(name=given.name)


@action(cost=0.1)
async def fourth(given: C) -> D:
    await effect(given.name, "fourth")
    return D(name=given.name)


@achieves_goal("done")
@action(cost=0.1)
async def fifth(given: D) -> E:
    await effect(given.name, "fifth")
    return E(name=given.name)


@achieves_goal("done")
@action(cost=0.2)
async def fifth_by_hand(given: D) -> E:
    await effect(given.name, "fifth_by_hand")
    return E(name=given.name)


@action(cost=0.1, approval=True)
async def third_with_consent(given: B) -> C:
    await effect(given.name, "third_with_consent")
    return C(name=given.name)


@action(cost=0.1, read_only=True)
def look(given: Start) -> A:
    return A(name=given.name)


@action(cost=0.1, read_only=True)
def look_on(given: A) -> B:
    return B(name=given.name)


@action(cost=0.1, read_only=True)
def look_further(given: B) -> C:
    return C(name=given.name)


@action(cost=0.1, read_only=True)
def look_back(given: C) -> D:
    return D(name=given.name)


@achieves_goal("done")
@action(cost=0.1, read_only=True)
def look_away(given: D) -> E:
    return E(name=given.name)


class ByHand(Planner):
    """Plans as GOAP does, but ends by hand: the planner after it was edited."""

    name = "by_hand"
    plans_ahead = True

    def plan_to(self, problem: Problem, goal: PlanGoal) -> PlanResult:
        allowed = [operator for operator in problem.operators if operator.name != "fifth"]
        return Goap().plan_to(Problem(dict(problem.state), allowed, problem.goals), goal)


WORK = (first, second, third, fourth, fifth, fifth_by_hand)
RESULTS = {"first": A, "second": B, "third": C, "third_with_consent": C, "fourth": D, "fifth": E, "fifth_by_hand": E}


@lru_cache
def agents(planner: Planner | None = None) -> list[Agent]:
    """Return the agents, with another planner if one is given."""
    with_consent = (first, second, third_with_consent, fourth, fifth, fifth_by_hand)
    return [
        Agent("chain", WORK, planner=planner),
        Agent("consent", with_consent, planner=planner),
        Agent("looks", (look, look_on, look_further, look_back, look_away)),
    ]
