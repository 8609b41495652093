"""What a step that runs children takes from the board, and how it hands that on to them: with types and names."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Optional

from planboard.actions.action import Action, BoundInput
from planboard.actions.context import ActionContext, Addition
from planboard.actions.declarations import MARK, ActionDeclaration
from planboard.actions.making import StepAction, parameter_name
from planboard.blackboard.index import Query
from planboard.blackboard.matching import conforms, members
from planboard.types import All, Named, TypeForm

if TYPE_CHECKING:
    from planboard.actions.signature import Input
    from planboard.runtime.agent import Agent

CONTEXT = "planboard_context"
"""The parameter by which a step gets its context."""


def parameters_for(inputs: Iterable[BoundInput]) -> dict[str, TypeForm]:
    """Return the parameters of a step that needs these inputs; what one of them can do without, another may not."""
    needed: dict[str, TypeForm] = {}
    for item in inputs:
        form: TypeForm = item.query.form
        if item.collects:
            form = Annotated[list[form], All]
        if item.query.name is not None:
            form = Annotated[form, Named(item.query.name)]
        name = parameter_name(item.query.form, item.query.name)
        name = f"all_{name}" if item.collects else name
        optional: TypeForm = Optional[form]  # noqa: UP045 - made at run time
        while name in needed and needed[name] not in (form, optional):
            name += "_"
        if item.optional:
            needed.setdefault(name, optional)
        else:
            needed[name] = form
    return needed


def needed_by(agent: "Agent") -> tuple[BoundInput, ...]:
    """Return what has to be given to an agent, since its actions need it and none of them makes it."""
    asked = asked_by(agent)
    return tuple(replace(asked[query], optional=False) for query in agent.needed_inputs)


def asked_by(agent: "Agent") -> dict[Query, BoundInput]:
    """Return all inputs of an agent, by query: what its actions take, and what it says itself that it needs."""
    asked = {query: BoundInput(parameter_name(query.form, query.name), query) for query in agent.needed_inputs}
    asked |= {item.query: item for action in agent.actions.values() for item in action.body.inputs}
    return asked | {item.query: item for action in agent.actions.values() for item in action.body.required}


def inputs_of_step(made: StepAction) -> "tuple[Input, ...]":
    """Return what a step takes from the board."""
    declaration: ActionDeclaration = getattr(made, MARK)
    return tuple(item for item in declaration.reader.read().inputs if item.form is not ActionContext)


def handed_over(given: Mapping[str, Any], inputs: "Iterable[Input]") -> list[Addition]:
    """Return the arguments of a step as what its children can be given."""
    found: list[Addition] = []
    for item in inputs:
        value = given.get(item.parameter)
        if value is not None:
            values = value if item.collects else [value]
            found += [Addition(one, declared_as(one, item.form), item.name) for one in values]
    return found


def all_there(context: ActionContext, given: Sequence[Addition]) -> list[Addition]:
    """Return all that is on the board, and what a step was given beside: services."""
    there = [Addition(entry.value, entry.type, entry.name) for entry in context.visible]
    known = {id(item.value) for item in there}
    return [*(item for item in given if id(item.value) not in known), *there]


def brought_by(action: Action) -> Iterator[TypeForm]:
    """Yield every type that an action may put on the board.

    A step puts all there that comes of its parts, also where it is not sure enough of it to promise it to a plan.
    """
    yield from action.output_types
    for agent in action.agents:
        yield from (goal.form for goal in agent.goals if goal.form is not None)
        for part in () if agent.goals else agent.actions.values():  # one that is made of a single action has none
            yield from brought_by(part)


def declared_as(value: object, form: TypeForm) -> TypeForm:
    """Return what a value of a type has to be declared as, or `None` if its class says enough."""
    fitting = [member for member in members(form) if conforms(value, member)]
    return None if not fitting or type(value) in fitting else fitting[0]
