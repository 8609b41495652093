"""LangGraph's side of `supervisor.py`: prints JSON. Run it with an interpreter that has langgraph-supervisor."""

import json
import sys
import warnings
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph_supervisor import create_supervisor
from pydantic import Field, PrivateAttr

warnings.simplefilter("ignore")

TASK = "How many kilometres are 26.2 miles?"


class Scripted(BaseChatModel):
    """Plays replies in order, and counts what is sent."""

    replies: list[Any]
    role: str
    sent: list[int] = Field(default_factory=list)
    _tools: list[Any] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> "Scripted":
        self._tools = [convert_to_openai_tool(item)["function"] for item in tools]
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.sent.append(sum(map(length, messages)) + sum(len(compact(item)) for item in self._tools))
        reply = self.replies[min(len(self.sent), len(self.replies)) - 1]
        message = AIMessage(content=reply) if isinstance(reply, str) else AIMessage(content="", tool_calls=[reply])
        return ChatResult(generations=[ChatGeneration(message=message)])


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def length(message: BaseMessage) -> int:
    calls = getattr(message, "tool_calls", None) or []
    wire = [{"name": call["name"], "arguments": compact(call["args"])} for call in calls]
    return len(str(message.content)) + (len(compact(wire)) if wire else 0)


def call(name: str, number: int, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": f"call_{number}", "type": "tool_call"}


@tool
def lookup(query: str) -> str:  # noqa: ARG001 - the script knows
    """Look up a fact."""
    return "A mile is 1.609344 kilometres."


@tool
def run_python(code: str) -> str:  # noqa: ARG001 - the script knows
    """Run Python code."""
    return "42.16"


def workers() -> tuple[Any, Any, Scripted, Scripted]:
    research = Scripted(replies=[call("lookup", 1, query="mile"), "A mile is 1.609344 kilometres."], role="researcher")
    code = Scripted(replies=[call("run_python", 2, code="print(26.2 * 1.609344)"), "42.16 kilometres."], role="coder")
    return (
        create_agent(research, [lookup], name="researcher", system_prompt="You look up facts."),
        create_agent(code, [run_python], name="coder", system_prompt="You write code."),
        research,
        code,
    )


def measured(name: str, state: Any, boss: Scripted, models: list[Scripted]) -> dict[str, Any]:
    messages = state["messages"]
    return {
        "variant": name,
        "supervisor_calls": len(boss.sent),
        "all_calls": sum(len(model.sent) for model in models),
        "messages": len(messages),
        "characters": sum(map(length, messages)),
        "sent_to_supervisor": sum(boss.sent),
        "sent_in_all": sum(sum(model.sent) for model in models),
    }


def with_supervisor(mode: str, *, handoffs: bool) -> dict[str, Any]:
    researcher, coder, first, second = workers()
    boss = Scripted(
        replies=[call("transfer_to_researcher", 10), call("transfer_to_coder", 11), "It is 42.16 kilometres."],
        role="supervisor",
    )
    graph = create_supervisor(
        [researcher, coder],
        model=boss,
        prompt="You manage a researcher and a coder.",
        output_mode=mode,
        add_handoff_messages=handoffs,
        add_handoff_back_messages=handoffs,
    ).compile()
    state = graph.invoke({"messages": [("user", TASK)]})
    name = f"langgraph-supervisor, {mode}{'' if handoffs else ', no hand-off messages'}"
    return measured(name, state, boss, [boss, first, second])


def agents_as_tools() -> dict[str, Any]:
    researcher, coder, first, second = workers()

    @tool
    def ask_researcher(request: str) -> str:
        """Ask the researcher."""
        return str(researcher.invoke({"messages": [("user", request)]})["messages"][-1].content)

    @tool
    def ask_coder(request: str) -> str:
        """Ask the coder."""
        return str(coder.invoke({"messages": [("user", request)]})["messages"][-1].content)

    boss = Scripted(
        replies=[
            call("ask_researcher", 10, request="How long is a mile?"),
            call("ask_coder", 11, request="26.2 miles in kilometres"),
            "It is 42.16 kilometres.",
        ],
        role="supervisor",
    )
    graph = create_agent(boss, [ask_researcher, ask_coder], system_prompt="You manage a researcher and a coder.")
    state = graph.invoke({"messages": [("user", TASK)]})
    return measured("sub-agents as tools", state, boss, [boss, first, second])


def one_after_another(count: int) -> dict[str, Any]:
    names = [f"worker_{index:02}" for index in range(count)]
    models = [Scripted(replies=["x" * 400], role=name) for name in names]
    boss = Scripted(
        replies=[*(call(f"transfer_to_{name}", 100 + i) for i, name in enumerate(names)), "Done."], role="boss"
    )
    graph = create_supervisor(
        [create_agent(model, [], name=name) for name, model in zip(names, models, strict=True)],
        model=boss,
        output_mode="last_message",
        add_handoff_messages=False,
        add_handoff_back_messages=False,
    ).compile()
    graph.invoke({"messages": [("user", TASK)]}, {"recursion_limit": 10 * count + 20})
    return {"workers": count, "sent_each": boss.sent}


def main() -> None:
    task = [
        with_supervisor(mode, handoffs=handoffs)
        for handoffs in (True, False)
        for mode in ("full_history", "last_message")
    ]
    task.append(agents_as_tools())
    rows = {"task": task, "long": [one_after_another(count) for count in (5, 10, 20)]}
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
