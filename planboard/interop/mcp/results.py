"""What a tool of an MCP server gave: as a generic result, or as an object of the type that is wanted."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, JsonValue

from planboard.blackboard.matching import members
from planboard.interop.mcp.outputs import WRAPPED
from planboard.llm.reading import json_in, read_value
from planboard.types import TypeForm, type_name

if TYPE_CHECKING:
    from mcp.types import CallToolResult


class McpResult(BaseModel):
    """What a tool of an MCP server gave, when no type was declared for it."""

    model_config = ConfigDict(frozen=True)

    server: str
    """The name of the server."""
    tool: str
    """The tool, as the server calls it."""
    text: str = ""
    """What it said. Of pictures, sounds and resources, what they are."""
    data: JsonValue = None
    """Its structured content, if it has any."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call."""

    texts: tuple[str, ...]
    data: Any
    is_error: bool

    @classmethod
    def of(cls, result: "CallToolResult") -> "Outcome":
        """Return what a result of the protocol holds."""
        return cls(tuple(map(_text_of, result.content)), result.structured_content, result.is_error)

    @property
    def text(self) -> str:
        """All that was said."""
        return "\n".join(self.texts)

    @property
    def plain(self) -> Any:
        """The structured content without the wrapping of what is no object, else the text."""
        if self.data is None:
            return self.text
        return self.data[WRAPPED] if isinstance(self.data, dict) and set(self.data) == {WRAPPED} else self.data

    def fitted(self, form: TypeForm) -> Any:
        """Return an object of a type, from the structured content or, without any, from JSON in the text.

        Raises:
            ValueError: Nothing fits; the text names the fields.
        """
        fault = ""
        for candidate in self._candidates(form):
            try:
                return read_value(form, candidate)
            except ValueError as error:
                fault = fault or str(error)
        message = f"what it gave is no {type_name(form)}: {fault or 'there is no JSON in it'}"
        raise ValueError(message)

    def _candidates(self, form: TypeForm) -> Iterator[Any]:
        if self.data is not None:
            yield self.data
            yield self.plain
        if str in members(form):
            yield self.text
        if self.data is not None:
            return
        for read in (self._json, self._list, self._json_in_prose):
            try:
                found = read()
            except (ValueError, RecursionError):
                continue
            yield found

    def _json(self) -> Any:
        return json.loads(self.text)

    def _list(self) -> Any:
        """Return a list of what each piece holds: older servers send each item of a list by itself."""
        return [json.loads(text) for text in self.texts]

    def _json_in_prose(self) -> Any:
        return json_in(self.text)


def _text_of(block: Any) -> str:
    """Return a piece of content as text; of what is none, what it is."""
    if block.type == "text":
        return str(block.text)
    if block.type in ("image", "audio"):
        return f"[{block.type}: {block.mime_type}]"
    resource = getattr(block, "resource", block)
    text = getattr(resource, "text", None)
    return text if isinstance(text, str) else f"[resource: {resource.uri}]"
