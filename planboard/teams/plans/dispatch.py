"""Carrying out a plan: each step is given to its worker as soon as what it depends on is there.

Which steps run at once depends on timing. What they are given, and what comes of it, does not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from planboard.actions.context import ActionContext, Addition
from planboard.actions.waiting import Denied
from planboard.blackboard.matching import conforms
from planboard.errors import ActionError, ProcessNotCompletedError
from planboard.runtime.kinship import goes_on_later
from planboard.steps.labels import named_label
from planboard.steps.part import Part
from planboard.teams.plans.routing import Routing
from planboard.teams.plans.step_results import Assignment, StepResult, Verdict
from planboard.teams.plans.task_plan import TaskPlan, TaskStep

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

Execution: TypeAlias = Literal["dependencies", "sequential", "parallel"]
"""When a step begins: as soon as what it depends on is finished, when the one before it in the plan's order is, or at
once."""
Sight: TypeAlias = Literal["needed", "upstream"]
"""Which results a worker is given: those that the step directly depends on, or all that it depends on."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """How the steps of a plan are carried out."""

    routing: Routing
    execution: Execution = "dependencies"
    sees: Sight = "needed"
    concurrency: int | None = None
    """How many steps may run at once; `None` for all."""
    collect: bool = False
    """Whether steps that do not depend on a failed one are still begun."""
    review: Part | None = None
    """Judges the result of each step."""

    async def carry_out(
        self, context: ActionContext, plan: TaskPlan, known: Mapping[str, StepResult], shared: Sequence[Addition]
    ) -> tuple[StepResult, ...]:
        """Do what is left of a plan, and return what came of the steps that were begun, in the plan's order.

        A step that failed, or that nobody can be found for, has a result with an error.

        Args:
            context: What the workers are run as children of.
            plan: What is to be done.
            known: The results of steps that are finished, by id.
            shared: What else workers are given if they ask for it.

        Raises:
            ProcessWaitingError: A worker waits, and nothing else can be done meanwhile.
        """
        workers: dict[str, Part] = {}
        lost: list[StepResult] = []
        for step in map(plan.step, plan.order):
            try:
                workers[step.id] = self.routing.worker_of(step)
            except ValueError as error:
                lost.append(StepResult(step=step.id, task=step.task, error=str(error)))
        if any(result.step not in known for result in lost):
            return tuple(result for result in lost if result.step not in known)  # nothing is begun of a faulty plan
        going = _Going(self, context, plan, workers, shared, dict(known))
        return await going.to_the_end()

    def values(self, results: Iterable[StepResult]) -> list[Addition]:
        """Return what workers have returned, as they declare it, under the ids of the steps."""
        found: list[Addition] = []
        for result in results:
            worker = self.routing.workers.get(result.worker)
            for value, form in _declared(result.value, worker):
                found.append(Addition(value, form, result.step))
        return found


@dataclass(slots=True)
class _Going:
    """One plan that is being carried out."""

    how: Dispatch
    context: ActionContext
    plan: TaskPlan
    workers: Mapping[str, Part]
    shared: Sequence[Addition]
    done: dict[str, StepResult]
    """The results of steps that are finished, before or now."""
    came: dict[str, StepResult] = field(default_factory=dict)
    """What came of the steps that were begun now."""
    waiting: dict[str, ProcessNotCompletedError] = field(default_factory=dict)
    broken: dict[str, Exception] = field(default_factory=dict)
    """What was raised that is no failure of a worker."""
    begun: set[str] = field(default_factory=set)
    before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    earlier: frozenset[str] = frozenset()
    """The steps that an earlier run of the call has begun."""

    async def to_the_end(self) -> tuple[StepResult, ...]:
        import anyio

        found = self.plan.dependencies()
        self.order = found.order
        given = (value for inputs in self.context.begun for value in inputs)
        self.earlier = frozenset(value.id for value in given if isinstance(value, TaskStep))
        if self.how.execution == "parallel":
            self.before = dict.fromkeys(found.order, ())
        elif self.how.sees == "upstream":
            self.before = {step: found.upstream(step) for step in found.order}
        else:
            place = {step: number for number, step in enumerate(found.order)}
            self.before = {step: tuple(sorted(needs, key=place.__getitem__)) for step, needs in found.before.items()}
        async with anyio.create_task_group() as group:
            self.begin(group)
        if self.broken:
            raise self.broken[min(self.broken, key=self.order.index)]
        if self.waiting:
            raise self.waiting[min(self.waiting, key=self.order.index)]
        return tuple(self.came[step] for step in self.order if step in self.came)

    def begin(self, group: "TaskGroup") -> None:
        """Begin every step that can be. After a failure that is only what an earlier run of the call had begun."""
        failed = bool(self.broken) or any(not result.ok for result in self.came.values())
        may_begin = self.earlier if failed and not self.how.collect else self.order
        for step in self.order:
            room = self.how.concurrency is None or self.running < self.how.concurrency
            if not room or (self.how.execution == "sequential" and (self.running or self.waiting)):
                return
            new = step in may_begin and step not in self.begun and step not in self.done
            if new and all(need in self.done for need in self.before[step]):
                self.begun.add(step)
                group.start_soon(self.do, group, self.plan.step(step))

    @property
    def running(self) -> int:
        """How many steps run now."""
        return len(self.begun) - len(self.came) - len(self.waiting) - len(self.broken)

    async def do(self, group: "TaskGroup", step: TaskStep) -> None:
        """Let a step be done, and then begin those that only waited for it."""
        try:
            result = self.came[step.id] = await self.result_of(step)
        except Exception as error:  # noqa: BLE001 - it is raised once all others are at their end
            if isinstance(error, ProcessNotCompletedError) and goes_on_later(error.process):
                self.waiting[step.id] = error
            else:
                self.broken[step.id] = error
        else:
            if result.ok:
                self.done[step.id] = result
        self.begin(group)

    async def result_of(self, step: TaskStep) -> StepResult:
        """Return what comes of a step."""
        worker = self.workers[step.id]
        needed = tuple(self.done[need] for need in self.before[step.id])
        assignment = Assignment(goal=self.plan.goal, step=step, results=needed)
        there = [*self.shared, *self.how.values(needed), *map(Addition, needed), Addition(step.task)]
        given = (*worker.chosen([*there, Addition(assignment)]), Addition(step))  # the step tells one call from another
        labelled = self.context.labelled(_label(step))
        value, error = await outcome_of(worker, labelled, given)
        result = StepResult(step=step.id, task=step.task, worker=worker.name, value=value, error=error)
        if self.how.review is None or not result.ok:
            return result
        judge = self.how.review
        there = [*there, Addition(assignment), *self.how.values([result]), Addition(result)]
        verdict, error = await outcome_of(judge, labelled, (*judge.chosen(there), Addition(step)))
        objection = f"the review failed: {error}" if error is not None else _objection(verdict)
        return result if objection is None else result.model_copy(update={"error": objection})


async def outcome_of(part: Part, context: ActionContext, given: Iterable[Addition]) -> tuple[Any, str | None]:
    """Run a part, and return its result, or else why there is none.

    Raises:
        ProcessWaitingError: It waits.
        ProcessTerminatedError: A budget of all stopped it.
    """
    try:
        value = await part.run(context, *given)
    except ProcessNotCompletedError as error:
        if goes_on_later(error.process):
            raise
        return None, error.process.reason or error.reason
    except ActionError as error:
        return None, str(error)
    if isinstance(value, Denied):
        return None, f"{value.action!r} was not agreed to{f': {value.reason}' if value.reason else ''}"
    return (value, None) if value is not None else (None, "it returned nothing")


def _label(step: TaskStep) -> str:
    return named_label(f"step {step.id}", step.task if step.task != step.id else "")


def _declared(value: object, worker: Part | None) -> list[tuple[object, Any]]:
    """Return a result in the parts that its worker declares, each with its type where that has to be said."""
    for way in () if worker is None else worker.outputs:
        items: Sequence[object] = value if len(way) > 1 and isinstance(value, tuple) else (value,)
        if len(items) == len(way) and all(conforms(item, form) for item, form in zip(items, way, strict=True)):
            return [(item, None if type(item) is form else form) for item, form in zip(items, way, strict=True)]
    return [(value, None)]


def _objection(verdict: object) -> str | None:
    """Return what a review says against a result."""
    if isinstance(verdict, Verdict):
        return None if verdict.satisfied else verdict.reason or "the review is not satisfied"
    return None if verdict is True else "the review is not satisfied"
