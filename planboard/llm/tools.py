"""Functions, actions and agents as tools of a model: what they are called, what they take, and how they are run."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from inspect import getdoc, iscoroutinefunction
from typing import TYPE_CHECKING, Any, Union

from planboard.actions.action import root_name
from planboard.actions.catalogue import Catalogue
from planboard.actions.context import ActionContext, Injected
from planboard.actions.declarations import ActionDeclaration, declaration_of
from planboard.actions.signature import Input, SignatureReader, is_method
from planboard.blackboard.index import Query
from planboard.errors import DefinitionError
from planboard.llm.agent_tool import AgentTool
from planboard.llm.names import tool_name
from planboard.llm.port import Tool
from planboard.llm.reading import read_value
from planboard.llm.schemas import Parameter, arguments_schema
from planboard.types import TypeForm, location_of, type_name

if TYPE_CHECKING:
    from planboard.llm.ai import Ai


@dataclass(frozen=True, slots=True)
class UsableTool:
    """A tool, and what happens when it is called."""

    tool: Tool
    origin: str
    """What it was made of, for messages."""
    forms: Mapping[str, tuple[TypeForm, bool]]
    """The types of the arguments, and whether each is needed."""
    call: Callable[[dict[str, Any]], Awaitable[Any]]
    """Takes the arguments as objects."""
    guarded: bool = True
    """Whether the policies of a run have a say. What is run as a child is asked about there."""

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as objects; one that may be left out and is null is left out.

        Raises:
            ValueError: They do not fit; the text names each fault with its path.
        """
        faults = [f"{name}: there is no such argument" for name in sorted(set(arguments) - set(self.forms))]
        found: dict[str, Any] = {}
        for name, (form, needed) in self.forms.items():
            raw = arguments.get(name)
            if raw is None and not needed:
                continue
            if name not in arguments:
                faults.append(f"{name}: it is needed, a {type_name(form)}")
                continue
            try:
                found[name] = read_value(form, raw, path=name)
            except ValueError as error:
                faults.append(str(error))
        if faults:
            raise ValueError("; ".join(faults))
        return found


def argument_name(form: TypeForm) -> str:
    """Return what an input of an agent is called among the arguments of a tool: `"text"`, or its type in snake case."""
    return "text" if form is str else root_name(form)


def usable_tools(given: Iterable[Any], ai: "Ai") -> dict[str, UsableTool]:
    """Return tools by name.

    Raises:
        DefinitionError: Something is no tool, or two have one name.
    """
    found: dict[str, UsableTool] = {}
    for item in given:
        agent = AgentTool(item) if isinstance(item, Catalogue) else item
        if isinstance(agent, UsableTool):
            made = agent
        else:
            made = _of_agent(agent, ai) if isinstance(agent, AgentTool) else _of_function(item, ai)
        other = found.get(made.tool.name)
        if other is not None:
            message = f"Two tools are named {made.tool.name!r}: {other.origin} and {made.origin}. Rename one of them."
            raise DefinitionError(message)
        found[made.tool.name] = made
    return found


def _of_function(item: Any, ai: "Ai") -> UsableTool:
    declared = declaration_of(item)
    if not callable(item) or isinstance(item, type):
        message = f"{item!r} is no tool. Give functions, actions, agents or tools of an MCP server."
        raise DefinitionError(message)
    bound = getattr(item, "__self__", None) is not None
    if isinstance(declared, ActionDeclaration):
        name, description, inputs = declared.name, declared.description, declared.reader.read().inputs
    else:
        name = getattr(item, "__name__", type(item).__name__)
        description = (getdoc(item) or "").partition("\n\n")[0]
        plain = getattr(item, "__func__", item)
        reader = SignatureReader(plain, kind="tool", skip_first=bound and is_method(plain), needs_return=False)
        inputs = reader.read().inputs
    where = location_of(getattr(item, "__func__", item))
    origin = f"{name} ({where})" if where else name
    if isinstance(declared, ActionDeclaration) and declared.approval is not False:
        message = (
            f"Tool {origin} asks a person before it runs, which only a process can do. Give the model an agent that "
            f'does it: Agent("{name}", [{name}]).as_tool(returning=...).'
        )
        raise DefinitionError(message)
    shown = [one for one in inputs if not _is_injected(one)]
    injected = {one.parameter: _injection(one, ai, origin) for one in inputs if _is_injected(one)}

    async def call(arguments: dict[str, Any]) -> Any:
        given = {**injected, **arguments}
        given.update({one.parameter: None for one in shown if one.parameter not in given and not one.has_default})
        if iscoroutinefunction(item):
            return await item(**given)
        import anyio.to_thread

        return await anyio.to_thread.run_sync(lambda: item(**given))

    forms = {one.parameter: (_form(one), not one.optional) for one in shown}
    return UsableTool(_tool(name, description, forms), origin, forms, call)


def _of_agent(given: AgentTool, ai: "Ai") -> UsableTool:
    agent = given.agent
    outcomes = tuple(dict.fromkeys(goal.form for goal in agent.goals if goal.form is not None))
    if given.returning is None and not outcomes:
        message = (
            f"Agent {agent.name!r} cannot be a tool: it has no goal with a type. Say what it is run for: "
            "agent.as_tool(returning=Report)."
        )
        raise DefinitionError(message)
    returning: TypeForm = given.returning or Union[outcomes]  # noqa: UP007 - made at run time
    queries: dict[str, Query] = {}
    needed = agent.needed_inputs
    for query in needed or sorted(agent.from_outside, key=str):
        key = query.name or argument_name(query.form)
        while key in queries:  # a binding may be called as another input's type is
            key += "_"
        queries[key] = query
    forms = {name: (query.form, query in needed) for name, query in queries.items()}

    async def call(arguments: dict[str, Any]) -> Any:
        named = {name: value for name, value in arguments.items() if queries[name].name}
        unnamed = tuple(value for name, value in arguments.items() if not queries[name].name)
        return await ai.run_agent(agent, unnamed, named, returning)

    description = given.description if given.description is not None else agent.description
    description = description or ", ".join(goal.description for goal in agent.goals if goal.description)
    tool = _tool(given.name or agent.name, description, forms)
    return UsableTool(tool, f"agent {agent.name!r}", forms, call, guarded=False)


def usable_tool(function: Callable[..., Any], ai: "Ai", *, guarded: bool = True) -> UsableTool:
    """Return a function as a tool."""
    return replace(_of_function(function, ai), guarded=guarded)


def _tool(name: str, description: str, forms: Mapping[str, tuple[TypeForm, bool]]) -> Tool:
    parameters = {key: Parameter(form, required=needed) for key, (form, needed) in forms.items()}
    schema, strict = arguments_schema(parameters)
    said = description if tool_name(name) == name else f"{name}: {description}"
    return Tool(tool_name(name), said, schema, strict)


def _form(item: Input) -> TypeForm:
    return list[item.form] if item.collects else item.form  # type: ignore[name-defined]


def _is_injected(item: Input) -> bool:
    return isinstance(item.form, type) and issubclass(item.form, Injected)


def _injection(item: Input, ai: "Ai", origin: str) -> Any:
    if item.form is ActionContext:
        message = f"Tool {origin} takes an ActionContext, which only an action that a process runs is given."
        raise DefinitionError(message)
    return ai
