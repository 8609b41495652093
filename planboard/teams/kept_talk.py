"""A conversation that may have to wait: each turn of the model, and each call of a function, is a child of its own.

Where an agent among the tools waits for somebody, the conversation is held again from its beginning when it goes on.
What the model has said and what functions have returned is then found again and not asked for twice.
"""

import json
from collections.abc import AsyncIterator, Iterable
from copy import copy
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic_core import to_jsonable_python

from planboard.actions.context import ActionContext
from planboard.actions.making import step
from planboard.blackboard.schema import describe_error
from planboard.errors import BudgetExceededError
from planboard.llm.ai import Ai
from planboard.llm.port import UNMETERED, Check, Meter, ModelReply, ModelRequest, ToolCall, compact_json
from planboard.llm.reading import read_arguments
from planboard.llm.showing import as_data
from planboard.llm.tools import UsableTool, usable_tools
from planboard.runtime.agent import Agent
from planboard.steps.part import Part, as_part
from planboard.types import TypeForm

_REQUEST = TypeAdapter(ModelRequest)


class Asked(BaseModel):
    """A turn that a model is asked for, as JSON, in which secrets of earlier calls are hidden."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    request: str


class Called(BaseModel):
    """A call that a model makes. Its arguments are kept as data, in which a journal finds what is secret."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    arguments: dict[str, Any] | None = None
    """`None` where what the model wrote cannot be read; then `text` has it."""
    text: str = ""


class Said(BaseModel):
    """A turn of a model. What it took is charged to the child that asked for it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    calls: tuple[Called, ...] = ()
    refusal: str | None = None
    cut_off: bool = False


class Use(BaseModel):
    """A call of a function."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    arguments: dict[str, Any]


class Used(BaseModel):
    """What a function returned, as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    result: str


class KeptTalk:
    """What the conversations of one agent are made of.

    Args:
        name: The name of the agent.
        functions: Its tools that are no agents.
        returning: What a conversation is for.
    """

    def __init__(self, name: str, functions: Iterable[Any], returning: TypeForm) -> None:
        used = tuple(functions)

        async def turn(asked: Asked, ai: Ai) -> Said:
            reply = await ai.model.complete(_REQUEST.validate_json(asked.request), meter=ai.meter)
            calls = tuple(map(_called, reply.calls))
            return Said(text=reply.text, calls=calls, refusal=reply.refusal, cut_off=reply.cut_off)

        async def answer(asked: Asked, ai: Ai) -> Any:
            return await ai.model.create(_REQUEST.validate_json(asked.request), returning, meter=ai.meter)

        async def use(use: Use, ai: Ai) -> Used:
            tool = usable_tools(used, ai)[use.tool]
            objects = tool.read(use.arguments)
            objection = ai.objection_to(use.tool, objects)
            if objection is not None:
                return Used(result=as_data(f"not called: {objection}"))
            try:
                return Used(result=as_data(await tool.call(objects)))
            except BudgetExceededError:
                raise
            except Exception as error:  # noqa: BLE001 - what a tool raises is told to the model, which may do otherwise
                return Used(result=as_data(f"failed: {describe_error(error)}"))

        options = {"idempotent": True}
        self._turn = as_part(step("chat agent", turn, name="turn", returns=Said, options=options), within=name)
        self._answer = as_part(
            step("chat agent", answer, name="answer", returns=returning, options=options), within=name
        )
        self._use = as_part(step("chat agent", use, name="tool", returns=Used, options=options), within=name)

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents that are run as children."""
        return tuple(part.agent for part in (self._turn, self._answer, self._use))

    def ai(self, ai: Ai, context: ActionContext) -> Ai:
        """Return what asks the model by children."""
        other = copy(ai)
        kept = _KeptModel(ai, context, self._turn, self._answer)
        other._models = {ai._role: kept}  # noqa: SLF001 - the same, asked elsewhere
        return other

    def tool(self, tool: UsableTool, context: ActionContext) -> UsableTool:
        """Return a tool that is used by a child."""

        async def call(objects: dict[str, Any]) -> Any:
            use = Use(tool=tool.tool.name, arguments=to_jsonable_python(objects))
            used: Used = await self._use.run(context, use)
            return json.loads(used.result)

        return replace(tool, call=call, guarded=False)  # the child asks the policies, with its own arguments


class _KeptModel:
    """A model that is asked by children of an action."""

    def __init__(self, ai: Ai, context: ActionContext, turn: Part, answer: Part) -> None:
        self._ai = ai
        self._context = context
        self._turn = turn
        self._answer = answer

    @property
    def name(self) -> str:
        return self._ai.model.name

    async def complete(self, request: ModelRequest, *, meter: Meter = UNMETERED) -> ModelReply:  # noqa: ARG002 - the child is metered
        said: Said = await self._turn.run(self._context, _asked(request))
        calls = tuple(ToolCall(call.id, call.name, _text_of(call)) for call in said.calls)
        return ModelReply(said.text, calls, refusal=said.refusal, cut_off=said.cut_off)

    async def create(
        self,
        request: ModelRequest,
        form: TypeForm,  # noqa: ARG002 - there is one
        *,
        attempts: int = 3,  # noqa: ARG002
        checks: Iterable[Check] = (),  # noqa: ARG002
        meter: Meter = UNMETERED,  # noqa: ARG002
    ) -> Any:
        return await self._answer.run(self._context, _asked(request))

    def stream(
        self, request: ModelRequest, form: TypeForm, *, checks: Iterable[Check] = (), meter: Meter = UNMETERED
    ) -> AsyncIterator[Any]:
        return self._ai.model.stream(request, form, checks=checks, meter=meter)


def _asked(request: ModelRequest) -> Asked:
    shown = tuple(
        replace(message, calls=tuple(replace(call, arguments=_shown(call)) for call in message.calls))
        for message in request.messages
    )
    return Asked(request=_REQUEST.dump_json(replace(request, messages=shown)).decode())


def _called(call: ToolCall) -> Called:
    try:
        return Called(id=call.id, name=call.name, arguments=read_arguments(call.arguments))
    except ValueError:
        return Called(id=call.id, name=call.name, text=call.arguments)


def _text_of(call: Called) -> str:
    return call.text if call.arguments is None else compact_json(call.arguments)


def _shown(call: ToolCall) -> str:
    """Return the arguments of a call as a model is told of them again."""
    try:
        return as_data(read_arguments(call.arguments))
    except ValueError:
        return call.arguments
