"""Tools of MCP servers as actions: typed inputs become the arguments, and what comes back becomes a typed output."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import PydanticUserError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from planboard._text import brief
from planboard.actions.decorators import declare_action
from planboard.actions.making import StepAction, check_options, with_inputs
from planboard.blackboard.schema import adapter_for
from planboard.errors import DefinitionError, McpError
from planboard.interop.mcp.results import McpResult, Outcome
from planboard.llm.schemas import schema_of
from planboard.types import WRITTEN_AT, Location, TypeForm, is_type, type_name

Call = Callable[[str, dict[str, Any]], Awaitable[Outcome]]
"""Calls a tool by the name that its server knows."""
_WHOLE = "arguments"
"""The parameter whose value is all arguments at once."""


def action_of(  # noqa: D417, PLR0913 - the rest is as for `McpServer.action`
    tool: str,
    *,
    server: str,
    takes: TypeForm | Mapping[str, TypeForm],
    returns: TypeForm,
    given: Mapping[str, Any],
    name: str,
    where: Location,
    module: str,
    call: Call,
    options: dict[str, Any],
) -> StepAction:
    """Return an action that calls a tool; see `McpServer.action`.

    Args:
        where: Where it was asked for.
        module: The module that is.
        call: Calls the tool.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    check_options(f"tool {tool!r}", options, where)
    whole = takes is not None and not isinstance(takes, Mapping)
    inputs = {_WHOLE: _checked_whole(tool, takes, where)} if whole else _checked(tool, takes or {}, where)
    if not (is_type(returns) or returns is None):
        message = f"Tool {tool!r}: returns={returns!r} is no type. Name the type that it puts on the board."
        raise DefinitionError(message, where=where)

    async def use_tool(**found: Any) -> Any:
        arguments = {**given, **_arguments(inputs, found, whole=whole)}
        outcome = await call(tool, arguments)
        if returns is McpResult:
            return McpResult(server=server, tool=tool, text=outcome.text, data=outcome.data)
        if returns is None or returns is type(None):
            return None
        try:
            return outcome.fitted(returns)
        except ValueError as error:
            message = f"MCP server {server!r}, tool {tool!r}: {error}"
            raise McpError(server, message) from error

    function: Any = with_inputs(use_tool, inputs)
    setattr(function, WRITTEN_AT, where)
    options.setdefault("description", f"Calls the tool {tool} of the MCP server {server}.")
    if returns is McpResult and name.isidentifier():
        options.setdefault("output", name)
    made: list[StepAction] = []

    def attach(declaration: Any) -> StepAction:
        made.append(StepAction(declaration, module))
        return made[0]

    declare_action(function, kind="MCP tool", name=name, returns=returns, attach=attach, **options)
    return made[0]


def _checked(tool: str, takes: Mapping[str, TypeForm], where: Location) -> dict[str, TypeForm]:
    """Return the types of single arguments by name."""
    for argument, form in takes.items():
        if not (isinstance(argument, str) and is_type(form)):
            message = f"Tool {tool!r}: takes={{{argument!r}: {form!r}}} must be the type of an argument, by its name."
            raise DefinitionError(message, where=where)
        if not argument.isidentifier():
            message = (
                f"Tool {tool!r}: the argument {argument!r} is no Python identifier. Take a type whose objects are "
                "all arguments at once, with a field alias for it."
            )
            raise DefinitionError(message, where=where)
    return dict(takes)


def _checked_whole(tool: str, form: TypeForm, where: Location) -> TypeForm:
    """Return a type whose objects are all arguments at once."""
    if not is_type(form):
        message = f"Tool {tool!r}: takes={form!r} is no type. Give one, or the types of arguments by name."
        raise DefinitionError(message, where=where)
    if schema_of(form).get("type") != "object":
        message = (
            f"Tool {tool!r}: a {type_name(form)} is no JSON object, so it cannot be all arguments at once. "
            f'Name the argument: takes={{"name": {type_name(form)}}}.'
        )
        raise DefinitionError(message, where=where)
    return form


def _arguments(forms: Mapping[str, TypeForm], found: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
    """Return the arguments as JSON data; what is null is left out, for servers seldom take it."""
    plain = {name: _plain(form, found[name]) for name, form in forms.items() if name in found}
    named = plain.get(_WHOLE) if whole else plain
    return {name: value for name, value in (named or {}).items() if value is not None}


def _plain(form: TypeForm, value: Any) -> Any:
    """Return a value as JSON data, secrets as they are: the action says that they go to this server."""
    try:
        adapter = adapter_for(form)
        shown = adapter.dump_python(value, mode="json", by_alias=True)
        held = adapter.dump_python(value, by_alias=True)
    except (PydanticUserError, PydanticSerializationError):
        return to_jsonable_python(value, fallback=brief)
    revealed, is_secret = _revealed(held)
    return to_jsonable_python(revealed, fallback=brief) if is_secret else shown


def _revealed(value: Any) -> tuple[Any, bool]:
    """Return a value with its secrets revealed, and whether it has any."""
    reveal = getattr(value, "get_secret_value", None)
    if callable(reveal):
        return reveal(), True
    if isinstance(value, dict):
        pairs = {key: _revealed(item) for key, item in value.items()}
        return {key: item for key, (item, _) in pairs.items()}, any(found for _, found in pairs.values())
    if isinstance(value, list | tuple | set | frozenset):
        items = [_revealed(item) for item in value]
        return [item for item, _ in items], any(found for _, found in items)
    return value, False
