"""Never run, only type-checked: plans are written with lists, as people write them."""

from typing import assert_type

from pydantic import BaseModel

from planboard import PlanOutcome, PlanTree, Process, StepFailed, TaskPlan, TaskStep, action, map_each, run, state
from planboard.runtime.agent import Agent


class Finding(BaseModel):
    text: str


@action
def find(step: TaskStep) -> Finding:
    return Finding(text=step.task)


plan = TaskPlan(
    goal="Know it",
    steps=[
        TaskStep(id="a", task="one", tags=["find"], steps=[TaskStep(id="b", task="two")]),
        TaskStep(id="c", task="three", needs=("a",)),
    ],
)
tree = PlanTree("tree", [find], planned_by=None)
assert_type(tree.run(plan), Process)
assert_type(tree.run(plan, returning=PlanOutcome), PlanOutcome)
assert_type(tree.run(plan, returning=PlanOutcome).value("a", Finding), Finding)
assert_type(plan.steps, tuple[TaskStep, ...])

collecting = Agent("collecting", [map_each([plan.step("a")], find, on_error="collect")])
assert_type(run(collecting, returning=list[Finding | StepFailed]), list[Finding | StepFailed])


@state
class Draft(BaseModel):
    @action
    def finish(self) -> Finding:
        return Finding(text="x")


assert_type(Draft().finish(), Finding)
