"""What Planboard asks of a language model, and what it gets: plain data, and one small protocol.

A request and a reply are data without any client library in them, so a planner can ask without I/O, a journal can
keep what was asked, and a test can play the model.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from planboard.actions.context import Usage
from planboard.types import TypeForm

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
"""Who says a message."""

Choice: TypeAlias = Literal["auto", "required", "none"]
"""Whether a model may call tools, must call one, or must not."""

Check: TypeAlias = Callable[[Any], object]
"""Looks at an object that a model made, and raises `ValueError` (or `AssertionError`) if it will not do."""


_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model wants to be called."""

    id: str
    """What the result refers to."""
    name: str
    """As the model wrote it, which need not be the name of any tool."""
    arguments: str = "{}"
    """JSON text, as the model wrote it, which need not be valid."""

    def to_wire(self) -> dict[str, Any]:
        """Return the call as servers take it back: they refuse names that are none, and arguments that are no JSON."""
        name = _NO_NAME.sub("_", self.name)[:64] or "unknown"
        arguments = self.arguments if _is_object(self.arguments) else "{}"
        return {"id": self.id, "type": "function", "function": {"name": name, "arguments": arguments}}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    """The tools that an assistant's message calls."""
    call_id: str | None = None
    """The call that a tool's message is the result of."""

    def to_wire(self) -> dict[str, Any]:
        """Return the message as chat completion servers expect it."""
        wire: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            wire["tool_calls"] = [call.to_wire() for call in self.calls]
        if self.call_id is not None:
            wire["tool_call_id"] = self.call_id
        return wire


@dataclass(frozen=True, slots=True)
class Tool:
    """Something a model may call."""

    name: str
    """At most 64 letters, digits, `_` and `-`."""
    description: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    """The JSON schema of the arguments: an object."""
    strict: bool = False
    """Whether the server shall make sure that the arguments fit the schema; it must be strict for that."""

    def to_wire(self) -> dict[str, Any]:
        """Return the tool as chat completion servers expect it."""
        function: dict[str, Any] = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        if self.strict:
            function["strict"] = True
        return {"type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One turn that a model is asked for."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: Choice = "auto"
    parallel: bool = True
    """Whether the model may call several tools in one turn."""
    temperature: float | None = None
    """`None` for the model's own default."""
    max_tokens: int | None = None
    """The longest answer, in tokens; `None` for the model's own limit."""

    def to_wire(self) -> dict[str, Any]:
        """Return the request as chat completion servers expect it, without the model's name."""
        wire: dict[str, Any] = {"messages": [message.to_wire() for message in self.messages]}
        if self.tools:
            wire["tools"] = [tool.to_wire() for tool in self.tools]
            wire["tool_choice"] = self.tool_choice
            if not self.parallel:
                wire["parallel_tool_calls"] = False
        if self.temperature is not None:
            wire["temperature"] = self.temperature
        if self.max_tokens is not None:
            wire["max_tokens"] = self.max_tokens
        return wire


class ModelUsage(NamedTuple):
    """What calls of a model took."""

    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    """In the currency of the prices that the model was given; 0 without prices."""
    requests: int = 1
    """How many requests were answered."""

    @property
    def tokens(self) -> int:
        """Tokens in all."""
        return self.prompt_tokens + self.completion_tokens

    def as_usage(self) -> Usage:
        """Return it as what budgets count."""
        return Usage(0, self.cost, self.tokens, self.requests)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: ModelUsage = field(default_factory=lambda: ModelUsage(requests=0))
    """The sum over all requests it took, those that were tried again included."""
    refusal: str | None = None
    """Why the model declined to answer, if it did."""
    cut_off: bool = False
    """Whether the answer ended at the limit of its length."""


@runtime_checkable
class Meter(Protocol):
    """Stands between a model and a budget: asked before each request, told after each answer."""

    def allow(self) -> None:
        """Let one more request go out.

        Raises:
            BudgetExceededError: A budget forbids it.
        """
        ...

    def charge(self, usage: ModelUsage) -> None:
        """Take note of what one request took."""
        ...

    def give_back(self) -> None:
        """Take note that a request which was allowed has brought no answer, so that another may go out in its place."""
        ...


class Unmetered:
    """Allows everything; for models that are used outside a process."""

    def allow(self) -> None:
        """Let one more request go out."""

    def charge(self, usage: ModelUsage) -> None:
        """Take no note."""

    def give_back(self) -> None:
        """Take no note."""


UNMETERED: Meter = Unmetered()
"""For models that are used outside a process."""


@runtime_checkable
class LanguageModel(Protocol):
    """A language model. `OpenAIModel` and `ScriptedModel` are two; anything with these methods is one.

    Every request that goes out is announced with `meter.allow()`; its answer is told to `meter.charge()`, and that
    there is none to `meter.give_back()`.
    """

    @property
    def name(self) -> str:
        """What it is called in usage, messages and events."""
        ...

    async def complete(self, request: ModelRequest, *, meter: Meter = UNMETERED) -> ModelReply:
        """Return the model's turn: text, or tools to call. What it says is not checked here.

        Raises:
            ModelUnavailableError: It did not answer: after retries, within its time-out.
            ModelError: It refused the request itself, for example for a wrong key.
        """
        ...

    async def create(
        self,
        request: ModelRequest,
        form: TypeForm,
        *,
        attempts: int = 3,
        checks: Iterable[Check] = (),
        meter: Meter = UNMETERED,
    ) -> Any:
        """Return an object of a type, made by the model and valid; what is not valid is asked for again.

        Args:
            request: The messages; tools in it are not used.
            form: The type wanted: a model, a dataclass, an enum, or any type pydantic can validate.
            attempts: The number of answers after which to give up.
            checks: Called with the object; what they raise goes back to the model.
            meter: Stands for a budget.

        Raises:
            ModelOutputError: No answer was valid.
            ModelError: As `complete`.
        """
        ...

    def stream(
        self, request: ModelRequest, form: TypeForm, *, checks: Iterable[Check] = (), meter: Meter = UNMETERED
    ) -> AsyncIterator[Any]:
        """Yield an object as it grows, with what is not there yet left `None`, and at last the valid object.

        Raises:
            ModelOutputError: The finished answer is not valid. A stream is not asked for again.
            ModelError: As `complete`.
        """
        ...


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def compact_json(value: Any) -> str:
    """Return JSON text as models are shown it: as short as can be, in any script."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size_of(request: ModelRequest) -> int:
    """Return how many characters a request sends: its messages and its tools."""
    wire = request.to_wire()
    said = sum(
        len(message["content"]) + (len(compact_json(message["tool_calls"])) if "tool_calls" in message else 0)
        for message in wire["messages"]
    )
    return said + sum(len(compact_json(tool["function"])) for tool in wire.get("tools", ()))
