"""Plan trees met with what nobody planned for: values deep down, odd plans, trees in trees."""

from typing import Any

from pydantic import BaseModel

from planboard import (
    Assignment,
    MemoryJournal,
    PlanOutcome,
    PlanTree,
    ProcessOptions,
    TaskPlan,
    TaskStep,
    map_each,
    sequence,
    sleep,
)
from planboard.actions.making import StepAction


class Part(BaseModel):
    number: int


class Whole(BaseModel):
    sum: int


class Parcel(BaseModel):
    content: Any


def numbers(assignment: Assignment) -> list[Part]:
    """List the numbers."""
    return [Part(number=number) for number in range(3)]


def twice(part: Part) -> int:
    """Double a number."""
    return part.number * 2


def add_up(found: list[int]) -> Whole:
    """Add numbers up."""
    return Whole(sum=sum(found))


def two_steps() -> TaskPlan:
    steps = [TaskStep(id="first", task="count"), TaskStep(id="then", task="count again", needs=["first"])]
    return TaskPlan(goal="Count twice", steps=steps)


def counting() -> StepAction:
    return sequence(map_each(numbers, twice), add_up, name="count")


def kept() -> ProcessOptions:
    return ProcessOptions(journal=MemoryJournal())


def test_what_a_step_needs_is_kept_by_the_children_of_its_worker_too() -> None:
    tree = PlanTree("tree", [counting()], planned_by=None)

    outcome = tree.run(two_steps(), returning=PlanOutcome, options=kept())

    assert outcome.ok if hasattr(outcome, "ok") else not outcome.failures
