"""A part: an agent, an action, a step or a function as something that a step or a team runs as a child.

Whatever is made of several things runs each of them as a child process, with a board of its own. So each has its own
place in the journal, may wait for people, is paid for by the budgets above it, and is never run twice.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Union

from planboard.actions.action import BoundInput
from planboard.actions.context import ActionContext, Addition
from planboard.actions.declarations import MARK, ActionDeclaration, declaration_of
from planboard.actions.making import StepAction, step
from planboard.actions.signature import alternatives
from planboard.actions.waiting import Denied
from planboard.blackboard.entry import Entry
from planboard.blackboard.matching import conforms, members
from planboard.errors import ActionError, DefinitionError
from planboard.types import TypeForm, type_name

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent
    from planboard.runtime.process import Process


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Something that is run as a child process."""

    name: str
    """What it is called, for messages, traces and models."""
    description: str
    agent: "Agent"
    """What is run. A single action is an agent of one action."""
    returning: TypeForm
    """The type of what comes of it; `None` for nothing."""
    inputs: tuple[BoundInput, ...]
    """What it is given."""
    reads_board: bool = False
    """Whether it is given all that is there, and not only its inputs."""
    action: str | None = None
    """The one action that it is, if it is no agent."""

    @property
    def outputs(self) -> tuple[tuple[TypeForm, ...], ...]:
        """The alternatives of what comes of it, each a tuple of types."""
        return alternatives(self.returning)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names that its outputs are bound to, by position; "" for none."""
        return self.agent.actions[self.action].output_names if self.action is not None else ()

    def takes(self, form: TypeForm, name: str | None = None) -> bool:
        """Tell whether something of a type is an input of it."""
        from planboard.blackboard.matching import prospect

        return any(
            item.query.form is not None
            and item.query.name in (None, name)
            and prospect(form, item.query.form) != "never"
            for item in self.inputs
        )

    def chosen(self, there: Sequence[Addition]) -> tuple[Addition, ...]:
        """Return what it is given of what is there: for each input the newest, in the order in which they came."""
        if self.reads_board:
            return tuple(there)
        entries = [Entry(place, item.value, item.type, item.name) for place, item in enumerate(there)]
        taken: set[int] = set()
        for wanted in self.inputs:
            found = [entry.position for entry in entries if wanted.query.admits(entry)]
            taken.update(found if wanted.collects else found[-1:])
        return tuple(there[place] for place in sorted(taken))

    async def run(self, context: ActionContext, *inputs: object, **bindings: object) -> Any:
        """Run it as a child of the action that the context belongs to, and return what came of it.

        If the action is run again, because something had to wait, the same call finds the same child.

        Returns:
            The result; a tuple where there are several, `None` where there is none, and a `Denied` where a person did
            not agree to it.

        Raises:
            ProcessNotCompletedError: The child has not come to its end, or not to a good one.
            ActionError: It is a single action, and could not be run with these inputs.
        """
        given = [*inputs, *(Addition(value, name=name) for name, value in bindings.items())]
        made = await self.results(context, given)
        values = tuple(item.value for item in made)
        return values if len(values) > 1 else values[0] if values else None

    async def results(self, context: ActionContext, inputs: Iterable[object]) -> tuple[Addition, ...]:
        """Run it, and return what came of it with types and names; see `run`."""
        if self.action is None:
            value = await context.run(self.agent, *inputs, returning=self.returning)
            return () if self.returning is None else (Addition(value, declared_as(value, self.returning)),)
        child: Process = await context.run(self.agent, *inputs)
        if child.history:
            return tuple(Addition(entry.value, entry.type, entry.name) for entry in child.history[-1].outputs)
        denied = child.board.last(Denied)
        if denied is not None:
            return (Addition(denied),)
        message = f"{self.name!r} could not be run. {self._why_not(child)}"
        raise ActionError(self.name, message)

    def _why_not(self, child: "Process") -> str:
        missing = [item.query for item in self.inputs if not item.optional and child.board.newest(item.query) is None]
        if missing:
            there = ", ".join(str(entry) for entry in child.board.visible) or "nothing"
            return f"It needs {', '.join(map(str, missing))}, and was given {there}."
        required = self.agent.actions[self.action or ""].pre
        wanted = ", ".join(name if truth else f"not {name}" for name, truth in required)
        return f"It requires what does not hold for its inputs: {wanted}."


def as_part(thing: Any, *, within: str = "", name: str | None = None) -> Part:
    """Return a part.

    Args:
        thing: An agent, a decorated action, a step, a function with types, or a part.
        within: The name of what it is a part of; the agent that is made of a single action is named after both.
        name: What it is called instead of its own name.

    Raises:
        DefinitionError: It is none of these, or something about it cannot work.
    """
    from planboard.runtime.agent import Agent

    if isinstance(thing, Part):
        return thing if name is None else replace(thing, name=name)
    if isinstance(thing, Agent):
        return _of_agent(thing, name)
    declared = declaration_of(thing)
    if isinstance(declared, ActionDeclaration):
        return _of_action(thing, declared, within, name)
    if callable(thing) and not isinstance(thing, type):
        called: str = name or getattr(thing, "__name__", type(thing).__name__)
        made = step("function", thing, name=called, returns=None, options={"description": _said_of(thing)})
        return _of_action(made, getattr(made, MARK), within, name)
    message = f"{thing!r} is nothing that can be run here. Give an agent, an action, a step or a function with types."
    raise DefinitionError(message)


def as_parts(things: Iterable[Any], *, within: str) -> tuple[Part, ...]:
    """Return parts, with names that tell them apart.

    Raises:
        DefinitionError: There is none, or one of them cannot be a part.
    """
    parts = tuple(things)
    if not parts:
        message = f"{within!r} is made of nothing. Give it at least one agent, action, step or function."
        raise DefinitionError(message)
    made: list[Part] = []
    for thing in parts:
        part = as_part(thing, within=within)
        base, count = part.name, 1
        while part.action is not None and any(part.name == other.name for other in made):
            count += 1
            part = as_part(thing, within=within, name=f"{base}_{count}")
        made.append(part)
    return tuple(made)


def agents_of(parts: Iterable[Part]) -> tuple["Agent", ...]:
    """Return the agents of parts, each once."""
    return tuple({id(part.agent): part.agent for part in parts}.values())


class _Once:
    """An action that a part runs once, whatever it says of running again."""

    def __init__(self, declaration: ActionDeclaration, owner: object) -> None:
        setattr(self, MARK, declaration)
        self.__self__ = owner


def _of_agent(agent: "Agent", name: str | None) -> Part:
    forms = tuple(dict.fromkeys(goal.form for goal in agent.goals if goal.form is not None))
    returning = Union[forms] if forms else None  # noqa: UP007 - made at run time
    asked = {item.query: item for action in agent.actions.values() for item in action.body.inputs}
    inputs = tuple(
        BoundInput(item.parameter, query, item.collects, optional=query not in agent.needed_inputs)
        for query, item in sorted(asked.items(), key=lambda pair: str(pair[0]))
        if query in agent.given_only
    )
    return Part(name or agent.name, agent.description, agent, returning, inputs)


def _of_action(thing: Any, declared: ActionDeclaration, within: str, name: str | None) -> Part:
    from planboard.planners.greedy import Utility
    from planboard.runtime.agent import Agent

    owner = getattr(thing, "__self__", None)
    if declared.method and owner is None:
        message = f"{declared.name!r} is a method. Give it bound to the object it belongs to."
        raise DefinitionError(message, where=declared.where)
    called = name or declared.name
    once = replace(declared, name=called, rerun="never", rerun_given=True, trigger=None, achieves=None)
    agent = Agent(
        f"{within}.{called}" if within else called,
        [_Once(once, owner)],
        planner=Utility(),
        description=declared.description,
    )
    action = agent.actions[called]
    reads_board = isinstance(thing, StepAction) and thing.reads_board
    returning = declared.reader.read().returns
    returning = None if returning is type(None) else returning
    if returning is not None and action.approval:
        returning = Union[returning, Denied]  # noqa: UP007 - made at run time
    return Part(called, declared.description, agent, returning, action.body.inputs, reads_board, called)


def declared_as(value: object, form: TypeForm) -> TypeForm:
    """Return what a value of a type has to be declared as, or `None` if its class says enough."""
    fitting = [member for member in members(form) if conforms(value, member)]
    return None if not fitting or type(value) in fitting else fitting[0]


def _said_of(function: Any) -> str:
    return " ".join((getattr(function, "__doc__", None) or "").partition("\n\n")[0].split())


def shown(part: Part) -> str:
    """Return a part as a person would write it: `write(Topic, Findings) -> Report`."""
    return f"{part.name}({', '.join(str(item) for item in part.inputs)}) -> {type_name(part.returning)}"
