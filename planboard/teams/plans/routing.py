"""Who does a step: a rule on what the step says of itself, never the step's own choice."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from planboard._text import listed, suggest
from planboard.blackboard.schema import describe_error
from planboard.errors import UnknownNameError
from planboard.steps.part import Part
from planboard.teams.plans.task_plan import TaskStep

Route: TypeAlias = Callable[[TaskStep], str | None] | Mapping[str, str]
"""A function that names the worker of a step (`None` for the default one), or the workers by tag."""


class Routing:
    """Finds the worker of a step.

    Args:
        workers: The workers, by name.
        route: The rule; by default a tag that is the name of a worker names it.
        default: The worker of steps that the rule says nothing of; with a single worker that one.

    Raises:
        UnknownNameError: A worker is named that there is none of.
    """

    __slots__ = ("_default", "_route", "workers")

    def __init__(self, workers: Mapping[str, Part], route: Route | None, default: str | None) -> None:
        self.workers = workers
        """The workers, by name."""
        named = list(route.values()) if isinstance(route, Mapping) else []
        for name in (*named, *([] if default is None else [default])):
            if name not in workers:
                raise UnknownNameError("worker", name, workers)
        self._route: Route = {name: name for name in workers} if route is None else route
        self._default = default if default is not None or len(workers) > 1 else next(iter(workers))

    def worker_of(self, step: TaskStep) -> Part:
        """Return the worker of a step.

        Raises:
            ValueError: Nobody does it; the message names the step, and who there is.
        """
        name = self._named(step)
        if name is None:
            message = f"no worker is known for step {step.id!r}, {self._why_none(step)}. {suggest('', self.workers)}"
            raise ValueError(message)
        if not isinstance(name, str) or name not in self.workers:
            message = (
                f"step {step.id!r} is to be done by {name!r}, which is no worker. {suggest(str(name), self.workers)}"
            )
            raise ValueError(message)
        return self.workers[name]

    def describe(self) -> str:
        """Return the workers as text for a model that makes a plan: a line each, and how a step names one."""
        lines = [f"- {part.name}: {part.description or 'no description'}" for part in self.workers.values()]
        if isinstance(self._route, Mapping):
            tags = "; ".join(f"{tag!r} for {name}" for tag, name in self._route.items())
            other = f"; without any of them {self._default} does it" if self._default is not None else ""
            return "\n".join([*lines, f"The first of these tags that a step has decides who does it: {tags}{other}."])
        return "\n".join(lines)

    def _named(self, step: TaskStep) -> str | None:
        if isinstance(self._route, Mapping):
            return next((self._route[tag] for tag in step.tags if tag in self._route), self._default)
        try:
            found = self._route(step)
        except Exception as error:
            message = f"the rule that finds the worker of step {step.id!r} raised {describe_error(error)}"
            raise ValueError(message) from error
        return self._default if found is None else found

    def _why_none(self, step: TaskStep) -> str:
        if not isinstance(self._route, Mapping):
            return "for the rule names none, and there is no default"
        tags = ", ".join(repr(tag) for tag in self._route)
        has = f"whose tags are {listed(map(repr, step.tags))}" if step.tags else "which has no tags"
        return f"{has}; the tags that name one are {tags}, and there is no default"
