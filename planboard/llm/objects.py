"""Objects from models: `instructor` makes the request, validates the answer and asks again; the rules are ours."""

import logging
from typing import TYPE_CHECKING, Any

from planboard.errors import DefinitionError, ModelOutputError, ModelRefusedError
from planboard.llm.answers import AnswerForm
from planboard.llm.port import Check, Meter, ModelRequest, ToolCall
from planboard.types import TypeForm, type_name

if TYPE_CHECKING:
    from planboard.llm.chat import ChatModel, Wire

_SHOWN = 300
_PROSE = "No tool calls"
"""How instructor says that there was none."""


class _Found:
    """An object that was read and found valid."""

    def __init__(self, value: Any) -> None:
        self.value = value


async def create(
    model: "ChatModel", request: ModelRequest, form: TypeForm, *, attempts: int, checks: tuple[Check, ...], meter: Meter
) -> Any:
    """Return a valid object of a type. Each answer that is not valid is asked for again, with what is wrong with it.

    Raises:
        ModelOutputError: None of the answers was valid.
        ModelError: The model gave no answer.
    """
    if attempts < 1:
        message = f"attempts={attempts!r}: at least one answer is asked for."
        raise DefinitionError(message)
    import instructor
    from instructor.core.exceptions import InstructorRetryException

    logging.getLogger("instructor").addHandler(_SILENCE)  # what it says there goes into our errors
    answer = AnswerForm.of(form)
    exchange = _Exchange(model, answer, meter)
    ask: Any = instructor.patch(create=exchange.send, mode=instructor.Mode.TOOLS)
    wire = request.to_wire()
    for key in ("tools", "tool_choice", "parallel_tool_calls"):
        wire.pop(key, None)
    try:
        found = await ask(response_model=_response_model(answer, checks, exchange), max_retries=attempts - 1, **wire)
    except InstructorRetryException as error:
        if exchange.failure is not None:
            raise exchange.failure from exchange.failure.__cause__
        fault = exchange_fault(error)
        message = (
            f"The model {model.name!r} gave no valid {type_name(form)} in {exchange.answers} "
            f"{'answer' if exchange.answers == 1 else 'answers'}; the last fault: {fault}"
        )
        last = exchange.last_output
        raise ModelOutputError(model.name, message, attempts=exchange.answers, last_output=last) from error.__cause__
    value: _Found = found
    return value.value


def exchange_fault(error: Exception) -> str:
    """Return what was wrong with the last answer."""
    cause = error.__cause__ or error
    text = str(cause.__cause__ or cause)
    text = "it is text, and no object" if text.startswith(_PROSE) else text
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


_SILENCE = logging.NullHandler()


class _Exchange:
    """Sends what instructor asks for, over the model's own path, and remembers how it went."""

    def __init__(self, model: "ChatModel", answer: AnswerForm, meter: Meter) -> None:
        self._model = model
        self._answer = answer
        self._meter = meter
        self.answers = 0
        self.last_output = ""
        self.failure: Exception | None = None

    async def send(self, **wire: Any) -> Any:
        from openai.types.chat import ChatCompletion

        if self._answer.strict:
            for tool in wire["tools"]:
                tool["function"] = {**tool["function"], "strict": True}
        wire["messages"] = [_plain(message) for message in wire["messages"]]
        try:
            found, _ = await self._model.answered(wire, self._meter)
            self.answers += 1
            return ChatCompletion.model_validate(self._checked(found))
        except Exception as error:
            self.failure = error  # instructor wraps it, and it is no fault of the answer
            raise

    def _checked(self, found: "Wire") -> "Wire":
        """Return the answer with the object as a call of the one tool, wherever the model has put it."""
        from planboard.llm.chat import calls_of, message_of

        message, ended = message_of(self._model.name, found)
        calls = calls_of(message)
        content = message.get("content") if isinstance(message.get("content"), str) else ""
        self.last_output = calls[0].arguments if calls else str(content or "")
        if message.get("refusal"):
            text = f"The model {self._model.name!r} declined to give the {type_name(self._answer.form)}."
            raise ModelRefusedError(self._model.name, text, attempts=self.answers, last_output=str(message["refusal"]))
        if ended == "length":
            text = (
                f"The answer of the model {self._model.name!r} was cut off at its limit of length. "
                "Allow more tokens (`max_tokens=`), or ask for less."
            )
            raise ModelOutputError(self._model.name, text, attempts=self.answers, last_output=self.last_output)
        if not calls:
            arguments = self._answer.arguments_in(str(content))
            if arguments is None:
                return _completion(message, None)
            return _completion(message, {"name": self._answer.name, "arguments": arguments})
        return _completion(message, {"name": self._answer.name, "arguments": calls[0].arguments})


def _completion(message: "Wire", function: dict[str, str] | None) -> "Wire":
    """Return a chat completion of which only what instructor looks at is filled in; usage is accounted elsewhere."""
    call = {"id": "call_1", "type": "function", "function": function}
    content = message.get("content") if function is None else None
    said = {"role": "assistant", "content": content, "tool_calls": [call] if function else None}
    choice = {"index": 0, "finish_reason": "tool_calls" if function else "stop", "message": said}
    return {"id": "answer", "object": "chat.completion", "created": 0, "model": "", "choices": [choice]}


def _plain(message: Any) -> Any:
    """Return a message as servers take it: some refuse a name on a result, and calls that are no valid JSON."""
    if not isinstance(message, dict):
        return message
    kept = {key: value for key, value in message.items() if not (key == "name" and message.get("role") == "tool")}
    calls = kept.get("tool_calls")
    if calls:
        kept["tool_calls"] = [
            ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"]).to_wire() for call in calls
        ]
    return kept


def _response_model(answer: AnswerForm, checks: tuple[Check, ...], exchange: _Exchange) -> type[Any]:
    """Return a class that instructor takes for the type wanted, and that follows our rules in its place."""
    from instructor import OpenAISchema
    from instructor.core.exceptions import ResponseParsingError

    class Answer(OpenAISchema):
        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return {"title": answer.name, "description": answer.description, **answer.schema}

        @classmethod
        def model_validate_json(cls, json_data: Any, **_: Any) -> Any:
            try:
                return _Found(answer.read(json_data, checks))
            except ValueError as error:
                raise ResponseParsingError(str(error), mode="TOOLS", raw_response=None) from error
            except Exception as error:
                exchange.failure = error  # a validator is broken, and no other answer would mend it
                raise

    return Answer
