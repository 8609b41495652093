"""`Flow`: agents in a fixed order. The flow keeps control: what a member says about who goes on is only noted."""

from collections.abc import Callable, Iterable
from typing import Any, Union

from planboard.actions.goal import Achievement, Goal
from planboard.actions.making import StepAction
from planboard.errors import DefinitionError
from planboard.runtime.agent import Agent
from planboard.steps.composing import Done
from planboard.steps.part import Part, as_part
from planboard.steps.sequence import OnError, loop, parallel, sequence
from planboard.teams.hand_offs import HandOff
from planboard.types import TypeForm


class Flow(Agent):
    """An agent whose parts run in the order that is written down, and in no other.

    `Flow.sequence`, `Flow.parallel` and `Flow.loop` make one of agents, actions, steps and functions, which may be
    flows themselves. A `HandOff` that a member returns changes nothing; it is put on the board, so that one can see it.

    Args:
        name: What it is called.
        step: What it does: a step, such as one made by `planboard.steps.sequence`.
        services: Objects that are injected.
        description: What it is for.
        types: More types that may stand on its board; see `Agent`.

    Raises:
        DefinitionError: Something about it cannot work.
    """

    def __init__(
        self,
        name: str,
        step: StepAction,
        *,
        services: Iterable[object] = (),
        description: str = "",
        types: Iterable[TypeForm] = (),
    ) -> None:
        if not isinstance(step, StepAction):
            message = f"Flow({name!r}): {step!r} is no step. Use Flow.sequence, Flow.parallel or Flow.loop."
            raise DefinitionError(message)
        part = as_part(step, within=name)
        lasts = tuple(dict.fromkeys(way[-1] for way in part.outputs if way))
        results = tuple(form for form in lasts if form is not HandOff)
        form = Union[results] if results else Done  # noqa: UP007 - made at run time
        goals = [Goal.achieved_by(step.name, form, Achievement(description or f"The end of {name}", name="end"))]
        if HandOff in lasts:  # a last member that only hands over has come to its end too
            noted = Goal.achieved_by(step.name, HandOff, Achievement(f"The end of {name}", name="hand_off"))
            goals = [*goals, noted] if results else [noted]
        super().__init__(
            name, [step], goals=goals, services=services, description=description, types=(HandOff, *types)
        )

    @classmethod
    def sequence(cls, name: str, *members: Any, **options: Any) -> "Flow":
        """Return a flow that runs members one after another; each is given what it needs of what is there by then.

        Args:
            name: What the flow is called.
            members: Agents, actions, steps, or functions with types.
            **options: Those of `Flow`.
        """
        return cls(name, sequence(*_noting(members, name), name=f"{name}_sequence"), **options)

    @classmethod
    def parallel(cls, name: str, *members: Any, on_error: OnError = "fail", **options: Any) -> "Flow":
        """Return a flow that runs members at once; their results are in their order.

        Args:
            name: What the flow is called.
            members: Agents, actions, steps, or functions with types.
            on_error: `"fail"`, or `"collect"`; see `planboard.steps.parallel`.
            **options: Those of `Flow`.
        """
        return cls(name, parallel(*_noting(members, name), name=f"{name}_parallel", on_error=on_error), **options)

    @classmethod
    def loop(
        cls,
        name: str,
        member: Any,
        *more: Any,
        until: Callable[..., Any] | None = None,
        max: int = 10,  # noqa: A002 - the word of the field
        **options: Any,
    ) -> "Flow":
        """Return a flow that runs a member, or several in turn, again and again.

        Args:
            name: What the flow is called.
            member: An agent, an action, a step, or a function with types.
            more: What runs after it in each round.
            until: Ends the loop; see `planboard.steps.loop`.
            max: How many rounds there are at most.
            **options: Those of `Flow`.
        """
        members = _noting((member, *more), name)
        body = members[0] if len(members) == 1 else sequence(*members, name=f"{name}_round")
        return cls(name, loop(body, until=until, max=max, name=f"{name}_loop"), **options)


def _noting(members: Iterable[Any], flow: str) -> list[Part]:
    """Return members as parts that are taken to yield what they yield when they do not hand over."""
    return [as_part(member, within=flow) for member in members]
