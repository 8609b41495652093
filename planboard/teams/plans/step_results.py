"""What is said of the steps of a plan while it is carried out: what a worker is given, and what came of it."""

from typing import Any, TypeVar, overload

from pydantic import BaseModel, ConfigDict, Field

from planboard.errors import EntryTypeError, UnknownNameError
from planboard.llm.showing import as_data
from planboard.teams.plans.task_plan import TaskPlan, TaskStep
from planboard.types import type_name

T = TypeVar("T")


class StepResult(BaseModel):
    """What came of a step: bound on the board to the id of the step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    """The id of the step."""
    task: str
    """What was to be done. A step with another task is another step, even under the same id."""
    worker: str = ""
    """Who did it; empty where nobody could be found for it."""
    value: Any = None
    """What the worker returned; of the type that the worker yields."""
    error: str | None = None
    """Why it will not do; `None` if it does."""

    @property
    def ok(self) -> bool:
        """Whether the step is finished: its worker returned something, and nobody objects to it."""
        return self.error is None

    @property
    def text(self) -> str:
        """The value as text: what is text as it is, anything else as JSON; without a value, why."""
        if self.value is None:
            return self.error or ""
        return self.value if isinstance(self.value, str) else as_data(self.value)


class Assignment(BaseModel):
    """What a worker is given: a step, with what it has to know for it and no more."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    goal: str
    """What the whole plan is for."""
    step: TaskStep
    """The step."""
    results: tuple[StepResult, ...] = ()
    """The results that the step depends on, in the order of the plan."""

    @property
    def task(self) -> str:
        """What is to be done."""
        return self.step.task


class Verdict(BaseModel):
    """Whether the result of a step will do, and if not why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    satisfied: bool = Field(description="Whether the result does what the task asks for.")
    reason: str = Field(default="", description="If not: what is missing or wrong, in one sentence.")


class _Results(BaseModel):
    """A plan with the results of its steps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan: TaskPlan
    """The plan."""
    results: tuple[StepResult, ...] = ()
    """The results of the steps that are finished, in the order of the plan."""
    failures: tuple[StepResult, ...] = ()
    """What came of steps that will not do, in the order of the plan."""

    @overload
    def value(self, step: str) -> Any: ...
    @overload
    def value(self, step: str, form: type[T]) -> T: ...
    def value(self, step: str, form: Any = None) -> Any:
        """Return the result of a step that is finished.

        Args:
            step: The id of the step.
            form: The class that it must be of.

        Raises:
            UnknownNameError: No step of that id is finished.
            EntryTypeError: It is of another class.
        """
        found = next((result for result in self.results if result.step == step), None)
        if found is None:
            raise UnknownNameError("finished step", step, [result.step for result in self.results])
        if form is not None and not isinstance(found.value, form):
            message = f"The result of step {step!r} is a {type(found.value).__name__}, and no {type_name(form)}."
            raise EntryTypeError(message)
        return found.value

    @property
    def undone(self) -> tuple[str, ...]:
        """The ids of the steps that are not finished, in the order of the plan."""
        done = {result.step for result in self.results}
        return tuple(step for step in self.plan.order if step not in done)

    def outline(self) -> str:
        """Return the plan as text, a line for each step, with a mark for what is finished, has failed, or is undone."""
        done, failed = {result.step for result in self.results}, {result.step for result in self.failures}
        head, *lines = self.plan.outline().split("\n")
        marks = ["x" if step in done else "!" if step in failed else " " for step in self.plan.ids]
        return "\n".join(
            [head, *(line.replace("- ", f"- [{mark}] ", 1) for mark, line in zip(marks, lines, strict=True))]
        )


class PlanOutcome(_Results):
    """A plan that was carried out: all of its steps are finished, unless a partial outcome was allowed."""


class PlanSetback(_Results):
    """A plan that cannot be carried out as it is: some of its steps failed, or their results will not do."""

    replans: int = 0
    """How many times the plan was replaced before."""

    @property
    def reason(self) -> str:
        """Which steps failed and why, a sentence each."""
        return " ".join(_told(result) for result in self.failures)


def _told(failure: StepResult) -> str:
    who = f" (worker {failure.worker!r})" if failure.worker else ""
    error = failure.error or ""
    return f"Step {failure.step!r}{who}: {error}{'' if error.endswith(('.', '!', '?')) else '.'}"
