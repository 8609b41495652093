"""Plan trees met with what nobody planned for: values deep down, workers within workers, faults of plans."""

from typing import Any

import pytest
from pydantic import BaseModel

from planboard import (
    Agent,
    Ai,
    Assignment,
    MemoryJournal,
    PlanOutcome,
    PlanTree,
    Process,
    ProcessFailedError,
    ProcessOptions,
    ScriptedModel,
    StepResult,
    TaskPlan,
    TaskStep,
    achieves_goal,
    action,
    call,
    map_each,
    sequence,
    subagent,
)
from planboard.interop.mcp.goals import tools_of


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


def pack(assignment: Assignment) -> Parcel:
    """Pack something."""
    return Parcel(content=Whole(sum=1))


def plan(*ids: str) -> TaskPlan:
    before = ["", *ids]
    steps = [TaskStep(id=name, task="count", needs=[need] if need else []) for name, need in zip(ids, before)]  # noqa: B905 - there is one more of them
    return TaskPlan(goal="Count", steps=steps)


def counting_tree() -> PlanTree:
    count = sequence(map_each(numbers, twice), add_up, name="count")
    return PlanTree("tree", [count], planned_by=None)


def test_what_a_step_needs_is_kept_by_the_children_of_its_worker_too():
    """The second step is given a `Whole`, of which the parts of its worker know nothing by themselves."""
    options = ProcessOptions(journal=MemoryJournal())

    outcome = counting_tree().run(plan("first", "then"), returning=PlanOutcome, options=options)

    assert [result.error for result in outcome.results] == [None, None]


def test_what_the_children_of_a_worker_were_given_is_read_in_another_program():
    journal = MemoryJournal()
    counting_tree().run(plan("first", "then"), options=ProcessOptions(journal=journal), id="r")

    restored = Process.restore(counting_tree(), journal, "r")

    assert restored.board.get("then", StepResult).ok


def test_types_that_a_tree_is_told_of_are_known_to_its_workers():
    tree = PlanTree("tree", [sequence(pack, name="pack")], planned_by=None, types=iter([Whole]))

    outcome = tree.run(plan("a", "b"), returning=PlanOutcome, options=ProcessOptions(journal=MemoryJournal()))

    assert outcome.value("b", Parcel).content == Whole(sum=1)


def test_a_failure_is_told_with_one_full_stop():
    tree = PlanTree("tree", {"count": numbers}, planned_by=None, route=lambda step: "cuont")

    with pytest.raises(ProcessFailedError) as caught:
        tree.run(plan("a"), returning=PlanOutcome)

    assert "Did you mean 'count'? Nobody makes a new plan" in str(caught.value)


# A tree that is given its plan is an agent like any other


def do(step: TaskStep) -> str:
    """Count."""
    return f"{step.id} is done"


def given_tree() -> PlanTree:
    return PlanTree("tree", {"count": do}, planned_by=None)


def test_a_tree_that_is_given_its_plan_takes_it_as_an_action():
    agent = Agent("outer", [subagent(given_tree())])

    assert agent.run(plan("a"), returning=PlanOutcome).value("a") == "a is done"


def test_a_tree_that_is_given_its_plan_takes_it_as_a_part():
    agent = Agent("outer", [map_each(list[TaskPlan], given_tree())])

    found = agent.run([plan("a"), plan("b")], returning=list[PlanOutcome])

    assert [outcome.plan.ids for outcome in found] == [("a",), ("b",)]


def test_a_tree_that_is_given_its_plan_takes_it_as_a_tool():
    @achieves_goal("An answer")
    @action
    async def ask(ai: Ai) -> str:
        return await ai.agentic("Count.", tools=[given_tree().as_tool()])

    model = ScriptedModel(call("tree", task_plan=plan("a").model_dump(mode="json")), "counted")
    Agent("outer", [ask], services=[Ai(model)]).run(returning=str)

    assert "a is done" in str(model.requests[1]["messages"])


def test_a_tree_that_is_given_its_plan_takes_it_over_mcp():
    tools = tools_of(given_tree())

    assert {name: one.needed for name, one in tools["PlanOutcome"].arguments.items()} == {"task_plan": True}


def test_a_tree_that_plans_itself_is_not_asked_for_a_plan():
    tree = PlanTree("tree", [do])

    assert [query.form for query in tree.needed_inputs] == [str]
