"""A model that plays a script, for tests and examples: no server, no key, the same answers every time."""

import dataclasses
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any, TypeAlias

from pydantic_core import to_jsonable_python

from planboard.errors import ModelError
from planboard.llm.chat import ChatModel, Prices, Wire
from planboard.llm.names import tool_name
from planboard.llm.pacing import Sleep, sleep
from planboard.llm.port import ModelReply, ToolCall, compact_json
from planboard.types import type_name

Reply: TypeAlias = Any
"""A text, a call, a list of calls, an object (or the dictionary of one), an exception, a `ModelReply`, or a function
of the `ScriptedRequest` that returns one of these."""

_PIECE = 12


def call(tool: str, /, **arguments: Any) -> ToolCall:
    """Return the reply that calls a tool with these arguments."""
    return ToolCall("", tool, compact_json(to_jsonable_python(arguments)))


def raw_call(tool: str, text: str) -> ToolCall:
    """Return the reply that calls a tool with arguments as they stand, which need not be valid."""
    return ToolCall("", tool, text)


@dataclasses.dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """What a scripted model is asked, for functions that reply to it."""

    number: int
    """Counted from 1."""
    wire: Wire
    """As it goes over the wire."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools that are offered."""
        return tuple(tool["function"]["name"] for tool in self.wire.get("tools", ()))

    @property
    def wanted(self) -> str | None:
        """The one tool that must be called, as when an object is asked for; its name is that of the type."""
        choice = self.wire.get("tool_choice")
        return choice["function"]["name"] if isinstance(choice, dict) else None

    @property
    def prompt(self) -> str:
        """The last message of the user."""
        said = [message["content"] for message in self.wire["messages"] if message["role"] == "user"]
        return str(said[-1]) if said else ""

    @property
    def text(self) -> str:
        """All that is said, one message after the other."""
        return "\n".join(str(message.get("content") or "") for message in self.wire["messages"])


class ScriptedModel(ChatModel):
    """Plays replies one after another, then goes by rules. It records every request as it would go over the wire.

    Example:
        >>> model = ScriptedModel(call("research", topic="tides"), "That is all.")
        >>> model.requests
        []

    Args:
        replies: What it answers, request by request: a text; `call("tool", ...)`, or a list of them; an object, or a
            dictionary, for a request that wants one; an exception, which is raised; a `ModelReply`; or a function of
            the `ScriptedRequest` that returns one of these.
        rules: Asked when the replies are used up: a function of the request, or a mapping from types (for requests
            that want an object; `str` for those that want a text) and names of tools (the first that is offered is
            called) to replies.
        name: What it is called in usage and events.
        retries: How often a request is tried again after a `ModelUnavailableError` of the script.
    """

    def __init__(
        self,
        *replies: Reply,
        rules: Callable[[ScriptedRequest], Reply] | Mapping[Any, Reply] | None = None,
        name: str = "scripted",
        timeout: float | None = None,
        retries: int = 0,
        requests_per_minute: float | None = None,
        prices: Prices | tuple[float, float] | None = None,
        sleep: Sleep = sleep,
    ) -> None:
        super().__init__(
            timeout=timeout, retries=retries, requests_per_minute=requests_per_minute, prices=prices, sleep=sleep
        )
        self._replies = list(replies)
        self._rules = rules
        self._name = name
        self.requests: list[Wire] = []
        """Every request so far, those that were tried again included, as they would go over the wire."""

    @property
    def name(self) -> str:
        """What it is called in usage, messages and events."""
        return self._name

    @property
    def sent(self) -> int:
        """How many characters were sent so far: messages and tools."""
        return sum(map(wire_size, self.requests))

    async def _send(self, wire: Wire) -> Wire:
        request = self._recorded(wire)
        reply = self._next(request)
        if isinstance(reply, ModelReply):
            return _completion(reply.text, reply.calls, reply)
        text, calls = self._said(request, reply)
        return _completion(text, calls)

    async def _stream(self, wire: Wire) -> AsyncIterator[tuple[str, Wire | None]]:
        request = self._recorded(wire)
        text, calls = self._said(request, self._next(request))
        whole = calls[0].arguments if calls else text
        for start in range(0, len(whole), _PIECE):
            yield whole[start : start + _PIECE], None

    def _recorded(self, wire: Wire) -> ScriptedRequest:
        self.requests.append(deepcopy(wire))
        return ScriptedRequest(len(self.requests), self.requests[-1])

    def _next(self, request: ScriptedRequest) -> Reply:
        reply = self._replies.pop(0) if self._replies else self._by_rule(request)
        while callable(reply) and not isinstance(reply, type):
            reply = reply(request)
        if isinstance(reply, BaseException):
            raise reply
        return reply

    def _by_rule(self, request: ScriptedRequest) -> Reply:
        rules = self._rules
        if callable(rules):
            return rules(request)
        for key, reply in (rules or {}).items():
            if isinstance(key, str):
                if request.wanted is None and tool_name(key) in request.tools:
                    return _called(tool_name(key), reply)
            elif (key is str and not request.tools) or request.wanted == tool_name(type_name(key)):
                return reply
        asked = f"an object {request.wanted}" if request.wanted else f"a choice among {', '.join(request.tools)}"
        asked = asked if request.tools else "a text"
        message = (
            f"The script of {self._name!r} has nothing for request {request.number}, which wants {asked}. "
            "Add a reply to ScriptedModel(...), or a rule for it."
        )
        raise ModelError(self._name, message)

    def _said(self, request: ScriptedRequest, reply: Reply) -> tuple[str, tuple[ToolCall, ...]]:
        """Return a reply as text and calls, with ids that are counted through the script."""
        if isinstance(reply, str) and not (request.wanted and reply == ""):
            return reply, ()
        calls = list(self._calls(request, reply))
        first = f"call_{request.number}"
        numbered = [dataclasses.replace(one, id=one.id or f"{first}_{index}") for index, one in enumerate(calls, 1)]
        return "", tuple(numbered)

    def _calls(self, request: ScriptedRequest, reply: Reply) -> Iterator[ToolCall]:
        if isinstance(reply, ToolCall):
            yield reply
        elif isinstance(reply, list | tuple) and reply and all(isinstance(one, ToolCall) for one in reply):
            yield from reply
        elif reply is None or reply == "":
            return
        else:
            name = request.wanted or (request.tools[0] if len(request.tools) == 1 else None)
            if name is None:
                message = (
                    f"The script of {self._name!r} replies to request {request.number} with a {type(reply).__name__}, "
                    f"but no object is wanted. Reply with call({request.tools[0] if request.tools else 'tool'!r}, ...)."
                )
                raise ModelError(self._name, message)
            yield ToolCall("", name, compact_json(_as_arguments(request, reply)))

    def __repr__(self) -> str:
        return f"ScriptedModel({self._name!r}, {len(self._replies)} replies left, {len(self.requests)} requests so far)"


def wire_size(wire: Wire) -> int:
    """Return how many characters a request sends: its messages and its tools."""
    said = sum(
        len(str(message.get("content") or ""))
        + (len(compact_json(message["tool_calls"])) if message.get("tool_calls") else 0)
        for message in wire["messages"]
    )
    return said + sum(len(compact_json(tool["function"])) for tool in wire.get("tools", ()))


def _called(name: str, reply: Reply) -> Reply:
    """Return the reply of a rule for a tool: the arguments, or a function that gives them."""
    if callable(reply) and not isinstance(reply, type):
        return lambda request: _called(name, reply(request))
    if isinstance(reply, str | ToolCall | BaseException | ModelReply):
        return reply
    if isinstance(reply, list | tuple) and all(isinstance(one, ToolCall) for one in reply):
        return reply
    return ToolCall("", name, compact_json(to_jsonable_python(reply if reply is not None else {})))


def _as_arguments(request: ScriptedRequest, reply: Reply) -> Any:
    """Return an object as the arguments of the one tool: a value that is no object goes under `value`."""
    plain = to_jsonable_python(reply)
    wanted = next((tool for tool in request.wire["tools"] if tool["function"]["name"] == request.wanted), None)
    names = wanted["function"]["parameters"].get("properties", {}) if wanted else {}
    if list(names) == ["value"] and not (isinstance(plain, dict) and set(plain) == {"value"}):
        return {"value": plain}
    return plain


def _completion(text: str, calls: tuple[ToolCall, ...], reply: ModelReply | None = None) -> Wire:
    message: Wire = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {
                "id": one.id or f"call_{index}",
                "type": "function",
                "function": {"name": one.name, "arguments": one.arguments},
            }
            for index, one in enumerate(calls, 1)
        ]
    if reply is not None and reply.refusal:
        message["refusal"] = reply.refusal
    ended = "length" if reply is not None and reply.cut_off else "tool_calls" if calls else "stop"
    answer: Wire = {"choices": [{"index": 0, "message": message, "finish_reason": ended}]}
    if reply is not None and reply.usage.requests:
        usage = reply.usage
        answer["usage"] = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
    return answer
