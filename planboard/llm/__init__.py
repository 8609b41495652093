"""Language models: what is asked of them, real and scripted ones, and what actions are given to work with them.

Names are imported when they are first used. No client library is loaded by that: openai and instructor are imported
by the first request that needs them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planboard.llm.ai import Ai, Judgement
    from planboard.llm.blocking import BlockingAi
    from planboard.llm.chat import ChatModel, Prices
    from planboard.llm.choosing import AgentChoice, GoalChoice, NoneFits, Ranked, choose_agent, choose_goal
    from planboard.llm.fallback import FallbackModel
    from planboard.llm.openai_llm import OpenAIModel
    from planboard.llm.port import (
        LanguageModel,
        Message,
        Meter,
        ModelReply,
        ModelRequest,
        ModelUsage,
        Tool,
        ToolCall,
    )
    from planboard.llm.scripted import ScriptedModel, ScriptedRequest, call, raw_call

_HOMES = {
    "planboard.llm.ai": ("Ai", "Judgement"),
    "planboard.llm.blocking": ("BlockingAi",),
    "planboard.llm.chat": ("ChatModel", "Prices"),
    "planboard.llm.choosing": ("AgentChoice", "GoalChoice", "NoneFits", "Ranked", "choose_agent", "choose_goal"),
    "planboard.llm.fallback": ("FallbackModel",),
    "planboard.llm.openai_llm": ("OpenAIModel",),
    "planboard.llm.port": (
        "LanguageModel", "Message", "Meter", "ModelReply", "ModelRequest", "ModelUsage", "Tool", "ToolCall",
    ),
    "planboard.llm.scripted": ("ScriptedModel", "ScriptedRequest", "call", "raw_call"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AgentChoice",
    "Ai",
    "BlockingAi",
    "ChatModel",
    "FallbackModel",
    "GoalChoice",
    "Judgement",
    "LanguageModel",
    "Message",
    "Meter",
    "ModelReply",
    "ModelRequest",
    "ModelUsage",
    "NoneFits",
    "OpenAIModel",
    "Prices",
    "Ranked",
    "ScriptedModel",
    "ScriptedRequest",
    "Tool",
    "ToolCall",
    "call",
    "choose_agent",
    "choose_goal",
    "raw_call",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    found = getattr(import_module(home), name)
    globals()[name] = found
    return found
