"""From what stands for a model to a model."""

from typing import Any

from planboard.errors import DefinitionError
from planboard.llm.fallback import FallbackModel
from planboard.llm.openai_llm import OpenAIModel
from planboard.llm.port import LanguageModel


def as_model(given: Any) -> LanguageModel:
    """Return a model given as itself, by its name, as several to fall back on, or by nothing but the environment.

    Raises:
        DefinitionError: It is none of these.
    """
    if given is None:
        return OpenAIModel()
    if isinstance(given, str):
        return OpenAIModel(given)
    if isinstance(given, list | tuple):
        return FallbackModel(*map(as_model, given))
    if isinstance(given, LanguageModel) and not isinstance(given, type):
        return given
    hint = f" Write {given.__name__}(...), with parentheses." if isinstance(given, type) else ""
    message = f"{given!r} is no language model.{hint} Give a model, the name of one, or several to fall back on."
    raise DefinitionError(message)
