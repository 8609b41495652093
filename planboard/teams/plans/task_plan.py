"""A plan of tasks: a tree of steps that says what depends on what, checked as a whole, and never changed in place."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from planboard._diagram import Edge, Node, mermaid
from planboard._text import is_secret, listed, suggest
from planboard.errors import UnknownNameError
from planboard.teams.plans.dependencies import Dependencies, cycle_in, dependencies_of

MAX_STEPS = 200
"""The most steps of a plan, sub-steps included."""
MAX_DEPTH = 6
"""How deep steps may be nested."""
_MAX_ID = 64
_SHOWN = 60


class TaskStep(BaseModel):
    """One piece of work in a `TaskPlan`, with the smaller ones that it is made of."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        str_strip_whitespace=True,
        json_schema_extra={"description": "One piece of work, with the smaller ones that it is made of."},
    )

    id: str = Field(
        description="A short name that is unique in the plan: letters, digits and underscores, as in 'tide_tables'."
    )
    """What it is called; its result is bound to this name on the board."""
    task: str = Field(description="What is to be done, for somebody who knows nothing but this.")
    """What is to be done."""
    needs: tuple[str, ...] = Field(
        default=(), description="The ids of the steps whose results this one needs, also anywhere else in the plan."
    )
    """The ids of the steps whose results it needs. What a step needs, its sub-steps need too."""
    tags: tuple[str, ...] = Field(default=(), description="What kind of work it is; it decides who does it.")
    """What kind of work it is, for the choice of a worker."""
    steps: "tuple[TaskStep, ...]" = Field(
        default=(), description="Parts of the task that are done before it, each by itself; it is given their results."
    )
    """Sub-steps: they are done before it, independently of each other unless they say what they need."""

    if TYPE_CHECKING:  # lists are taken too, which the fields do not say

        def __init__(
            self,
            *,
            id: str,  # noqa: A002 - it is the field's name
            task: str,
            needs: Sequence[str] = (),
            tags: Sequence[str] = (),
            steps: "Sequence[TaskStep]" = (),
        ) -> None: ...

    @field_validator("id")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if not name.isidentifier() or iskeyword(name) or len(name) > _MAX_ID:
            message = (
                f"{name[:_MAX_ID]!r} cannot be the id of a step: the result is bound to it. Use letters, digits and "
                f"underscores, at most {_MAX_ID}, with no digit in front, as in {_as_name(name)!r}"
            )
            raise ValueError(message)
        if is_secret(name):
            message = f"{name!r} cannot be the id of a step: what goes by such a name is a secret and is not kept"
            raise ValueError(message)
        return name

    @field_validator("task")
    @classmethod
    def _says_something(cls, text: str) -> str:
        return _not_empty(text)

    @field_validator("needs", "tags")
    @classmethod
    def _once_each(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(names))

    def __str__(self) -> str:
        return f"{self.id}: {self.task}"


class TaskPlan(BaseModel):
    """What is wanted, and the steps that lead there.

    A plan is sound or is not made: ids are unique in the whole tree, what is needed exists, nothing waits for itself,
    and it is neither empty nor too large. Editing returns another plan, which is checked in the same way.

    Example:
        >>> tides = TaskStep(id="tides", task="Find out what causes tides")
        >>> chart = TaskStep(id="chart", task="Draw a chart of them", needs=["tides"], tags=["code"])
        >>> print(TaskPlan(goal="Explain the tides", steps=[tides, chart]).outline())
        Explain the tides
        - tides: Find out what causes tides
        - chart: Draw a chart of them [code], after tides
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        str_strip_whitespace=True,
        json_schema_extra={"description": "What is wanted, and the steps that lead there."},
    )

    goal: str = Field(description="What the whole is for, in one sentence.")
    """What the whole is for."""
    steps: tuple[TaskStep, ...] = Field(min_length=1, description="The steps; they are independent unless they say so.")
    """The steps at the top; their sub-steps are within them."""

    if TYPE_CHECKING:

        def __init__(self, *, goal: str, steps: Sequence[TaskStep]) -> None: ...

    @field_validator("goal")
    @classmethod
    def _says_something(cls, text: str) -> str:
        return _not_empty(text)

    @model_validator(mode="after")
    def _is_sound(self) -> "TaskPlan":
        faults = list(_faults(self.steps))
        if faults:
            raise ValueError("; ".join(faults))
        return self

    # Looking

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all steps as they are written, each before its sub-steps."""
        return tuple(step.id for step in self.walk())

    @property
    def order(self) -> tuple[str, ...]:
        """The ids of all steps in the order in which one worker alone would do them: the plan's order.

        Each comes after all that it depends on, and otherwise where it is written, sub-steps before what they are of.
        """
        return self.dependencies().order

    def step(self, id: str) -> TaskStep:  # noqa: A002 - it is the field's name
        """Return a step, at any depth.

        Raises:
            UnknownNameError: There is none of that id.
        """
        for step in self.walk():
            if step.id == id:
                return step
        raise UnknownNameError("step of the plan", id, self.ids)

    def dependencies(self) -> Dependencies:
        """Return what each step depends on."""
        return dependencies_of(self.steps)

    def walk(self) -> Iterator[TaskStep]:
        """Yield all steps as they are written, each before its sub-steps."""
        return (step for step, _ in _walk(self.steps))

    # Editing

    def with_step(self, step: TaskStep, *, under: str | None = None, before: str | None = None) -> "TaskPlan":
        """Return the plan with one more step.

        Args:
            step: The step.
            under: The id of the step that it becomes a sub-step of; by default it stands at the top.
            before: The id of the step that it stands before; by default it stands last.

        Raises:
            UnknownNameError: There is no step of an id that is named.
            ValueError: The plan would not be sound.
        """
        siblings = self.steps if under is None else self.step(under).steps
        place = len(siblings)
        if before is not None:
            known = [other.id for other in siblings]
            if before not in known:
                raise UnknownNameError("step to put it before", before, known)
            place = known.index(before)
        added = (*siblings[:place], step, *siblings[place:])
        if under is None:
            return self._with(added)
        return self._mapped(lambda other: _changed(other, steps=added) if other.id == under else other)

    def without(self, *ids: str) -> "TaskPlan":
        """Return the plan without some steps and their sub-steps.

        Raises:
            UnknownNameError: There is no such step.
            ValueError: Another step needs one of them, or nothing would be left.
        """
        for id in ids:  # noqa: A001 - it is the field's name
            self.step(id)
        return self._mapped(lambda step: None if step.id in ids else step)

    def replace(self, id: str, /, step: TaskStep | None = None, **changes: Any) -> "TaskPlan":  # noqa: A002
        """Return the plan with another step in the place of one, or with some of its fields changed.

        Where it gets another id, what needs it goes by the new one.

        Args:
            id: Which step.
            step: What stands in its place; by default it stays itself, but for the changes.
            changes: Fields of a `TaskStep`.

        Raises:
            UnknownNameError: There is no such step, or no such field.
            ValueError: The plan would not be sound.
        """
        for field in changes:
            if field not in TaskStep.model_fields:
                raise UnknownNameError("field of a step", field, TaskStep.model_fields)
        put = _changed(step or self.step(id), **changes)
        self.step(id)

        def changed(other: TaskStep) -> TaskStep:
            if other.id == id:
                return put
            needs = tuple(put.id if need == id else need for need in other.needs)
            return other if needs == other.needs else _changed(other, needs=needs)

        return self._mapped(changed)

    def _with(self, steps: Iterable[TaskStep]) -> "TaskPlan":
        return TaskPlan(goal=self.goal, steps=tuple(steps))

    def _mapped(self, change: Callable[[TaskStep], TaskStep | None]) -> "TaskPlan":
        return self._with(_mapped(self.steps, change))

    # Showing

    def outline(self) -> str:
        """Return the plan as text, a line for each step."""
        lines = [" ".join(self.goal.split())]
        for step, depth in _walk(self.steps):
            tags = f" [{', '.join(step.tags)}]" if step.tags else ""
            needs = f", after {listed(step.needs)}" if step.needs else ""
            lines.append(f"{'  ' * depth}- {' '.join(str(step).split())}{tags}{needs}")
        return "\n".join(lines)

    def mermaid(self) -> str:
        """Return the plan as a Mermaid flowchart; dashed arrows lead from sub-steps to what they are part of."""
        nodes = [Node(step.id, _cut(" ".join(str(step).split()))) for step in self.walk()]
        edges = [Edge(need, step.id) for step in self.walk() for need in step.needs]
        edges += [Edge(part.id, step.id, dashed=True) for step in self.walk() for part in step.steps]
        return mermaid(nodes, edges)


def _walk(steps: Iterable[TaskStep]) -> Iterator[tuple[TaskStep, int]]:
    """Yield each step with its depth, as they are written."""
    pending = [(step, 0) for step in reversed(tuple(steps))]
    while pending:
        step, depth = pending.pop()
        yield step, depth
        pending += [(part, depth + 1) for part in reversed(step.steps)]


def _mapped(steps: Iterable[TaskStep], change: Callable[[TaskStep], TaskStep | None]) -> tuple[TaskStep, ...]:
    """Return steps changed one by one, from the top down; what is changed to `None` is left out."""
    kept: list[TaskStep] = []
    for step in steps:
        other = change(step)
        if other is not None:
            parts = _mapped(other.steps, change)
            kept.append(other if parts == other.steps else _changed(other, steps=parts))
    return tuple(kept)


def _changed(step: TaskStep, **changes: Any) -> TaskStep:
    return TaskStep(**{**{name: getattr(step, name) for name in TaskStep.model_fields}, **changes})


def _faults(steps: tuple[TaskStep, ...]) -> Iterator[str]:
    """Yield what is wrong with the steps of a plan."""
    seen: dict[str, TaskStep] = {}
    for step, depth in _walk(steps):
        if depth >= MAX_DEPTH:
            yield f"step {step.id!r} is nested too deep; {MAX_DEPTH} levels are the limit"
            return
        if step.id in seen:
            yield f"two steps have the id {step.id!r}: {_cut(seen[step.id].task)!r} and {_cut(step.task)!r}"
        seen.setdefault(step.id, step)
    if len(seen) > MAX_STEPS:
        yield f"the plan has {len(seen)} steps; {MAX_STEPS} are the limit"
        return
    unknown = [(step, need) for step in seen.values() for need in step.needs if need not in seen]
    for step, need in unknown:
        yield f"step {step.id!r} needs {need!r}, which is no step of the plan. {suggest(need, seen)}"
    if not unknown:
        found = cycle_in(steps)
        if found:
            yield f"the steps wait for each other: {found}"


def _not_empty(text: str) -> str:
    if not text:  # as a validator, for schemas that a model has to follow strictly have no word for it
        message = "it must not be empty"
        raise ValueError(message)
    return text


def _as_name(text: str) -> str:
    name = "_".join("".join(char if char.isalnum() else " " for char in text).split()).lower()[: _MAX_ID - 5]
    return name if name.isidentifier() and not iskeyword(name) else f"step_{name}" if name else "first_step"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
