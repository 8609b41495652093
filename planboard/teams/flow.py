"""`Flow`: agents in a fixed order. The flow keeps control: what a member says about who goes on is only noted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Union

from planboard.actions.context import ActionContext, Addition
from planboard.actions.goal import Achievement, Goal
from planboard.actions.making import StepAction
from planboard.blackboard.matching import members as members_of
from planboard.errors import ActionError, DefinitionError
from planboard.llm.ai import Ai
from planboard.runtime.agent import Agent
from planboard.steps.composing import Done
from planboard.steps.part import Part, as_part, as_parts
from planboard.steps.sequence import OnError, loop, parallel, sequence
from planboard.teams.hand_offs import HandOff
from planboard.types import TypeForm, type_name

_KEEPS = "In a flow nobody but the next part goes on."


class Flow(Agent):
    """An agent whose parts run in the order that is written down, and in no other.

    `Flow.sequence`, `Flow.parallel` and `Flow.loop` make one of agents, actions, steps and functions, which may be
    flows themselves. A `HandOff` that a member of these returns changes nothing: it is put on the board, so that one
    can see it, and its task counts as the text that the member returns, if texts are among what it returns. Where the
    next part would need an object instead, the flow fails and says so.

    Args:
        name: What it is called.
        step: What it does: a step, such as one made by `planboard.steps.sequence`.
        llm: The model of members that have none of their own.
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
        llm: Any = None,
        services: Iterable[object] = (),
        description: str = "",
        types: Iterable[TypeForm] = (),
    ) -> None:
        if not isinstance(step, StepAction):
            message = f"Flow({name!r}): {step!r} is no step. Use Flow.sequence, Flow.parallel or Flow.loop."
            raise DefinitionError(message)
        self.step = step
        """What it does."""
        self.yields_all = False
        """Whether its result is what all of its members yield, and not the last one alone."""
        part = as_part(step, within=name)
        lasts = tuple(dict.fromkeys(way[-1] for way in part.outputs if way))
        results = tuple(form for form in lasts if form is not HandOff)
        form = Union[results] if results else Done  # noqa: UP007 - made at run time
        goals = [Goal.achieved_by(step.name, form, Achievement(description or f"The end of {name}", name="end"))]
        if HandOff in lasts:  # a last member that only hands over has come to its end too
            noted = Goal.achieved_by(step.name, HandOff, Achievement(f"The end of {name}", name="hand_off"))
            goals = [*goals, noted] if results else [noted]
        services = (*services, *(() if llm is None else (Ai(llm),)))
        super().__init__(name, [step], goals=goals, services=services, description=description, types=(HandOff, *types))

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
        made = cls(name, parallel(*_noting(members, name), name=f"{name}_parallel", on_error=on_error), **options)
        made.yields_all = True
        return made

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
    """Return members as parts that yield what they yield when they do not hand over.

    A flow within a flow is its step, which yields what all of its members yield; an agent yields one result.
    """
    steps = [member.step if isinstance(member, Flow) and not member.services else member for member in members]
    return [_Noting.of(part) for part in as_parts(steps, within=flow)]


@dataclass(frozen=True, slots=True, eq=False)
class _Noting(Part):
    """A part whose hand-offs are noted, and count as what it says."""

    part: Part | None = None

    @classmethod
    def of(cls, part: Part) -> Part:
        """Return a part that takes note of hand-offs, if the given one makes any."""
        forms = members_of(part.returning)
        if HandOff not in forms:
            return part
        rest = tuple(form for form in forms if form is not HandOff)
        returning = Union[rest] if rest else str  # noqa: UP007 - made at run time
        return cls(part.name, part.description, part.agent, returning, part.inputs, part.reads_board, part.action, part)

    async def results(self, context: ActionContext, inputs: Iterable[object]) -> tuple[Addition, ...]:
        """Return what came of it, with the task of a hand-off for a text."""
        assert self.part is not None  # noqa: S101 - see `of`
        found: list[Addition] = []
        for item in await self.part.results(context, inputs):
            if not isinstance(item.value, HandOff):
                found.append(item)
                continue
            context.add(item.value.model_copy(update={"by": self.name}))
            if str not in members_of(self.returning):
                wanted = type_name(self.returning)
                message = f"{self.name!r} wants {item.value.to!r} to go on, and has made no {wanted}. {_KEEPS}"
                raise ActionError(self.name, message)
            found.append(Addition(item.value.task))
        return tuple(found)
