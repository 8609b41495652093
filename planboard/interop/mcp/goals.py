"""The goals of an agent as tools: what they are called, what they take as JSON, and what they give."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NotRequired

from typing_extensions import TypedDict

from planboard._text import suggest
from planboard.actions.catalogue import Catalogue
from planboard.actions.goal import Goal
from planboard.blackboard.board import Blackboard
from planboard.blackboard.index import Query
from planboard.errors import DefinitionError
from planboard.interop.mcp.needs import Need, needs_for
from planboard.interop.mcp.outputs import Output
from planboard.llm.names import tool_name
from planboard.llm.reading import read_value
from planboard.llm.schemas import Schema, schema_of
from planboard.llm.tools import argument_name
from planboard.teams.hand_offs import HandOff
from planboard.types import TypeForm, origin_of, snake_case, type_name


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool, which becomes an entry of the board, or several."""

    name: str
    query: Query
    many: bool
    """Whether it is a list whose items are entries of their own."""
    needed: bool

    @property
    def form(self) -> TypeForm:
        """The type of the argument as a whole."""
        return list[self.query.form] if self.many else self.query.form  # type: ignore[name-defined]

    def put_on(self, board: Blackboard, value: Any) -> None:
        """Put it on a board, declared as its type where the class does not tell.

        Raises:
            BlackboardError: The board refuses it.
        """
        form, name = self.query.form, self.query.name
        declared = None if isinstance(form, type) and origin_of(form) is None else form
        for item in value if self.many else (value,):
            if name is None:
                board.add(item, type=declared)
            else:
                board.bind(name, item, type=declared)


@dataclass(frozen=True, slots=True)
class GoalTool:
    """One tool: the goals of one type, for whoever is served does not choose between ways to it."""

    name: str
    description: str
    form: TypeForm
    arguments: Mapping[str, Argument]
    input_schema: Schema
    output: Output

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments as objects; one that may be left out and is null is left out.

        Raises:
            ValueError: They do not fit; the text names each fault with its path, and not what was given.
        """
        faults = [
            f"{name}: there is no such argument ({suggest(name, self.arguments).rstrip('.')})"
            for name in sorted(set(given) - set(self.arguments))
        ]
        found: dict[str, Any] = {}
        for name, argument in self.arguments.items():
            raw = given.get(name)
            if raw is None and (not argument.needed or name not in given):
                faults += [f"{name}: it is needed, a {type_name(argument.form)}"] if argument.needed else []
                continue
            try:
                found[name] = read_value(argument.form, raw, path=name)
            except ValueError as error:
                faults.append(str(error))
            else:
                if argument.many and argument.needed and not found[name]:
                    faults.append(f"{name}: at least one is needed")
        if faults:
            raise ValueError("; ".join(faults))
        return found


def tools_of(agent: Catalogue) -> dict[str, GoalTool]:
    """Return the tools of an agent by name, in order of names: one for each type that its goals are about.

    Raises:
        DefinitionError: There is none, or a type that has to be given cannot be written in JSON.
    """
    groups: dict[TypeForm, list[Goal]] = {}
    for goal in agent.goals:
        if goal.form is not None and goal.form is not HandOff:  # nobody here can go on in its place
            groups.setdefault(goal.form, []).append(goal)
    if not groups:
        message = (
            f"Agent {agent.name!r} has nothing to serve: none of its goals is about a type. "
            "Mark an action with @achieves_goal, or pass `goals=[Type]`."
        )
        raise DefinitionError(message)
    names = _names(groups)
    made = [_tool(agent, names[form], form, goals) for form, goals in groups.items()]
    return {tool.name: tool for tool in sorted(made, key=lambda tool: tool.name)}


def _names(groups: Mapping[TypeForm, list[Goal]]) -> dict[TypeForm, str]:
    """Name each tool after its only goal, else after what its goals are about."""
    names = {form: tool_name(goals[0].name) for form, goals in groups.items() if len(goals) == 1}
    for form, goals in groups.items():
        if len(goals) > 1:
            name = tool_name(snake_case(type_name(form)))
            taken = name in names.values()
            names[form] = tool_name(f"{name} {', '.join(goal.name for goal in goals)}") if taken else name
    return names


def _tool(agent: Catalogue, name: str, form: TypeForm, goals: list[Goal]) -> GoalTool:
    arguments = _arguments(name, needs_for(agent, goals))
    return GoalTool(
        name=name,
        description=_description(agent, form, goals),
        form=form,
        arguments={argument.name: argument for argument in arguments},
        input_schema=_schema(arguments),
        output=Output.of(form),
    )


def _description(agent: Catalogue, form: TypeForm, goals: Iterable[Goal]) -> str:
    said: list[str] = []
    for goal in goals:
        actions = [agent.actions[name].description for name in goal.producers or ()]
        said += [goal.description] if goal.description else actions
    said = said or [f"Runs {agent.name} for a {type_name(form)}"]
    sentences = [text.rstrip(". ") for text in (*said, agent.description) if text.strip()]
    return "".join(f"{text}. " for text in dict.fromkeys(sentences)).rstrip()


def _arguments(tool: str, needs: Iterable[Need]) -> list[Argument]:
    found: dict[str, Argument] = {}
    for need in needs:
        wanted = need.query.name or need.collected_as or argument_name(need.query.form)
        name = next(name for number in range(1, len(found) + 2) if (name := _numbered(wanted, number)) not in found)
        argument = Argument(name, need.query, need.collected_as is not None, need.needed)
        try:
            schema_of(argument.form)
        except DefinitionError as error:
            if not need.needed:
                continue
            message = (
                f"Tool {tool!r} cannot be served: it has to be given a {type_name(need.query.form)}, which cannot be "
                f"written in JSON. Give it to the agent as a service, or let an action make it. {error}"
            )
            raise DefinitionError(message) from error
        found[name] = argument
    return list(found.values())


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


def _schema(arguments: Iterable[Argument]) -> Schema:
    """Return the schema of all arguments; that of models, which must name all, would refuse what programs leave out."""
    fields = {argument.name: argument.form if argument.needed else NotRequired[argument.form] for argument in arguments}
    if not fields:
        return {"type": "object", "properties": {}, "additionalProperties": False}
    typed_dict: Any = TypedDict
    return {**schema_of(typed_dict("Arguments", fields)), "additionalProperties": False}
