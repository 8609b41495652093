"""A part: an agent, an action, a step or a function as something that a step or a team runs as a child.

Whatever is made of several things runs each of them as a child process, with a board of its own. So each has its own
place in the journal, may wait for people, is paid for by the budgets above it, and is never run twice.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import isroutine
from typing import TYPE_CHECKING, Any, Union

from planboard.actions.action import Action, BoundInput, TypedFunction
from planboard.actions.context import ActionContext, Addition
from planboard.actions.declarations import MARK, ActionDeclaration, declaration_of
from planboard.actions.making import StepAction, step
from planboard.actions.signature import alternatives
from planboard.actions.waiting import AskPerson, Denied
from planboard.blackboard.entry import Entry
from planboard.blackboard.matching import prospect
from planboard.errors import ActionError, DefinitionError, ProcessNotCompletedError
from planboard.runtime.denials import denial_of
from planboard.runtime.handing import asked_by, declared_as
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
        return self._action.output_names if self.action is not None else ()

    @property
    def takes_always(self) -> frozenset[tuple[TypeForm, str | None]]:
        """The types, with binding names if any, that it cannot do without."""
        return frozenset((item.query.form, item.query.name) for item in self.inputs if not item.optional)

    def takes(self, form: TypeForm, name: str | None = None) -> bool:
        """Tell whether something of a type is an input of it."""
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
        try:
            child = await self.child(context, inputs)
        except ProcessNotCompletedError as error:
            denied = denial_of(error.process)
            if denied is None:
                raise
            return (Addition(denied),)
        return self.results_of(child)

    async def child(self, context: ActionContext, inputs: Iterable[object]) -> "Process":
        """Run it, and return the child process, which has completed; see `run`."""
        found: Process = await context.run(self.agent, *inputs)
        return found

    @property
    def runs_agents(self) -> bool:
        """Whether it is, or runs, an agent: then somebody may not agree to what nobody here knows of."""
        return self.action is None or bool(self._action.agents)

    def results_of(self, child: "Process") -> tuple[Addition, ...]:
        """Return what came of a child that has completed, with types and names.

        Raises:
            ActionError: It is a single action, and could not be run with these inputs.
        """
        if self.action is None:
            value = None if self.returning is None else child.result(self.returning)
            return () if self.returning is None else (Addition(value, declared_as(value, self.returning)),)
        if child.history:
            return tuple(Addition(entry.value, entry.type, entry.name) for entry in child.history[-1].outputs)
        denied = child.board.last(Denied)
        if denied is not None:
            return (Addition(denied),)
        state = child._core.state  # noqa: SLF001 - within the package
        if self.action in state.excluded:
            told = state.excluded[self.action]
            known = told.removeprefix("ActionError: ")  # a part of the part has failed, and that is what it says
            message = known if known != told else f"Action {self.name!r} failed: {told} ({self._action.where})"
            raise ActionError(self.name, message) from child._core.errors.get(self.action)  # noqa: SLF001
        message = f"{self.name!r} could not be run. {self._why_not(child)}"
        raise ActionError(self.name, message)

    @property
    def _action(self) -> Action:
        return self.agent.actions[self.action or ""]

    def _why_not(self, child: "Process") -> str:
        missing = [item.query for item in self.inputs if not item.optional and child.board.newest(item.query) is None]
        if missing:
            there = ", ".join(str(entry) for entry in child.board.visible) or "nothing"
            return f"It needs {', '.join(map(str, missing))}, and was given {there}."
        wanted = ", ".join(name if truth else f"not {name}" for name, truth in self._action.pre)
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
        called = name or str(getattr(thing, "__name__", type(thing).__name__))
        made = step("function", as_function(thing), name=called, returns=None, options={"description": _said_of(thing)})
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


def as_function(thing: Any) -> Callable[..., Any]:
    """Return what can be called as a function whose types can be read: of an object, its `__call__`."""
    function: Callable[..., Any] = thing if isroutine(thing) or isinstance(thing, partial) else thing.__call__
    return function


class _Once:
    """An action that a part runs once, whatever it says of running again."""

    def __init__(self, declaration: ActionDeclaration, owner: object) -> None:
        setattr(self, MARK, declaration)
        self.__self__ = owner


def _of_agent(agent: "Agent", name: str | None) -> Part:
    forms = tuple(dict.fromkeys(goal.form for goal in agent.goals if goal.form is not None))
    returning = Union[forms] if forms else None  # noqa: UP007 - made at run time
    given = {*agent.from_outside, *agent.needed_inputs}
    inputs = tuple(
        BoundInput(item.parameter, query, item.collects, optional=query not in agent.needed_inputs)
        for query, item in sorted(asked_by(agent).items(), key=lambda pair: str(pair[0]))
        if query in given
    )
    return Part(name or agent.name, agent.description, agent, returning, inputs)


def _of_action(thing: Any, declared: ActionDeclaration, within: str, name: str | None) -> Part:
    from planboard.planners.greedy import Once
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
        planner=Once(),
        description=declared.description,
    )
    action = agent.actions[called]
    if len(agent.actions) > 1:
        message = f"{called!r} enters a state, whose actions would be run too. Make an agent of them, and give that."
        raise DefinitionError(message, where=declared.where)
    reads_board = isinstance(thing, StepAction) and thing.reads_board
    returning = declared.reader.read().returns
    returning = None if returning is type(None) else returning
    if returning is not None and (action.approval or isinstance(action.wait, AskPerson)):
        returning = Union[returning, Denied]  # noqa: UP007 - made at run time
    inputs = _looked_at(agent, action, within)
    return Part(called, declared.description, agent, returning, inputs, reads_board, called)


def _looked_at(agent: "Agent", action: Action, within: str) -> tuple[BoundInput, ...]:
    """Return the inputs of an action, and what its preconditions, its cost and its value look at.

    Raises:
        DefinitionError: It requires a condition that only a whole agent knows.
    """
    found = list(action.body.inputs)
    for estimate in (action.cost, action.value):
        found += estimate.inputs if isinstance(estimate, TypedFunction) else ()
    for name, _ in action.pre:
        condition = agent.conditions[name]
        if condition.is_free:
            message = (
                f"{action.name!r} requires the condition {name!r}, which is not known within {within or action.name!r}:"
                f" a part has a board of its own. Require it of the whole step, pre=[{name!r}], or give the function "
                "that decorates it with @condition instead of its name."
            )
            raise DefinitionError(message, where=action.where)
        if condition.predicate is not None:
            found += condition.predicate.inputs
        for root, queries in condition.roots.items():
            found += (BoundInput(root, query, optional=len(queries) > 1) for query in queries)
    needed = {item.query: item for item in reversed(found)}
    needed |= {item.query: item for item in reversed(found) if not item.optional}
    return tuple(needed[query] for query in dict.fromkeys(item.query for item in found))


def part_forms(part: Part) -> tuple[TypeForm, ...]:
    """Return every type that may come of a part."""
    return tuple(dict.fromkeys(form for way in part.outputs for form in way))


def _said_of(function: Any) -> str:
    return " ".join((getattr(function, "__doc__", None) or "").partition("\n\n")[0].split())


def shown(part: Part) -> str:
    """Return a part as a person would write it: `write(Topic, Findings) -> Report`."""
    return f"{part.name}({', '.join(str(item) for item in part.inputs)}) -> {type_name(part.returning)}"
