"""Objects while they are being written: what is there so far, with the rest left empty."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from planboard.errors import ModelOutputError
from planboard.llm.answers import AnswerForm
from planboard.llm.port import Check, Meter, ModelRequest, Tool
from planboard.types import TypeForm, type_name

if TYPE_CHECKING:
    from planboard.llm.chat import ChatModel, Wire


async def stream(
    model: "ChatModel", request: ModelRequest, form: TypeForm, *, checks: tuple[Check, ...], meter: Meter
) -> AsyncIterator[Any]:
    """Yield partial objects as they grow, each different from the one before, and at last the valid one.

    Of a pydantic model an object is yielded whose missing fields are `None`; of other types what JSON there is.

    Raises:
        ModelOutputError: What came is not valid.
        ModelError: The model gave no answer.
    """
    answer = AnswerForm.of(form)
    partial = _partial_class(form)
    text, shown = "", None
    usage: Wire | None = None
    meter.allow()
    wire = _wire(request, answer)
    begun = False
    try:
        async for piece, told in model._stream(wire):  # noqa: SLF001 - of one package
            begun = True
            usage = told or usage
            text += piece
            grown = _so_far(text, partial, wrapped=answer.wrapped)
            if grown is not None and grown != shown:
                shown = grown
                yield grown
    finally:  # also when whoever listens has heard enough
        if begun:
            model.charged(wire, {"usage": usage, "choices": [text]}, meter)
        else:
            meter.give_back()
    try:
        yield answer.read(answer.arguments_in(text) or text, checks)
    except ValueError as error:
        message = f"The model {model.name!r} gave no valid {type_name(form)}: {error}"
        raise ModelOutputError(model.name, message, attempts=1, last_output=text) from error


def _wire(request: ModelRequest, answer: AnswerForm) -> "Wire":
    tool = Tool(answer.name, answer.description, answer.schema, answer.strict)
    choice = {"type": "function", "function": {"name": answer.name}}
    return {**request.to_wire(), "tools": [tool.to_wire()], "tool_choice": choice}


def _partial_class(form: TypeForm) -> Any:
    from pydantic import BaseModel

    if not (isinstance(form, type) and issubclass(form, BaseModel)):
        return None
    import instructor

    wrapped: Any = instructor.Partial[form]
    return wrapped.get_partial_model()


def _so_far(text: str, partial: Any, *, wrapped: bool) -> Any:
    """Return what a text that is still growing says; `None` while that is nothing."""
    from pydantic import ValidationError
    from pydantic_core import from_json

    try:
        found = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return None
    if wrapped and isinstance(found, dict):
        found = found.get("value")
    if partial is None or not isinstance(found, dict):
        return found or None
    try:
        return partial.model_validate(found)
    except ValidationError:  # the piece that would make it valid is still to come
        return None
