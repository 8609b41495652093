"""Tools of MCP servers as tools of models: with the schema of the server as it is, which arguments must fit.

What a server says of a tool is told to the model as the description of the tool, cut to a size; it is data from
outside, like the results.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from planboard.llm.names import tool_name
from planboard.llm.port import Tool
from planboard.llm.showing import cut
from planboard.llm.tools import UsableTool

_DESCRIPTION = 2000
"""Characters of a description that models are told."""
_FAULTS = 8
_FAULT = 300
"""Characters of a fault that are told."""

Call = Callable[[str, dict[str, Any]], Awaitable[Any]]
"""Calls a tool by the name that its server knows."""


@dataclass(frozen=True, slots=True)
class McpTool(UsableTool):
    """A tool of an MCP server, for `ai.agentic(tools=[...])`."""

    remote: str = ""
    """What the server calls it."""

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments if they fit the server's schema; a null that may be left out is.

        Raises:
            ValueError: They do not fit; the text names each fault with its path.
        """
        required = self.tool.parameters.get("required", ())
        found = {name: value for name, value in arguments.items() if value is not None or name in required}
        faults = [
            f"{'.'.join(map(str, error.absolute_path)) or 'arguments'}: {error.message[:_FAULT]}"
            for error in _faults_of(self.tool.parameters, found)
        ]
        if faults:
            raise ValueError("; ".join(faults[:_FAULTS]))
        return found


def tool_of(listed: Any, *, server: str, prefix: str, call: Call) -> McpTool:
    """Return a tool that a server lists."""
    remote: str = listed.name
    name = tool_name(f"{prefix}{remote}")
    said = "".join(char if char.isprintable() or char == "\n" else " " for char in listed.description or "").strip()
    description = said if name == f"{prefix}{remote}" else f"{prefix}{remote}: {said}"

    async def use(arguments: dict[str, Any]) -> Any:
        return await call(remote, arguments)

    return McpTool(
        tool=Tool(name, cut(description, _DESCRIPTION), listed.input_schema, strict=False),
        origin=f"tool {remote!r} of MCP server {server!r}",
        forms={},
        call=use,
        remote=remote,
    )


def _faults_of(schema: Mapping[str, Any], arguments: dict[str, Any]) -> list[Any]:
    """Return what does not fit, in order of places; nothing for a schema that is none, which its server may know."""
    from jsonschema import Draft202012Validator, SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
        errors = kind(schema, registry=Registry()).iter_errors(arguments)  # nothing is fetched from elsewhere
        return sorted(errors, key=lambda error: [str(part) for part in error.absolute_path])
    except (SchemaError, Unresolvable):
        return []
