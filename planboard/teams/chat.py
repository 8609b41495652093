"""`chat_agent`: an agent that is a prompt, a model and tools, as most frameworks mean the word."""

from collections.abc import Iterable
from typing import Any, Union

from planboard._text import brief
from planboard.actions.context import ActionContext
from planboard.actions.goal import Achievement, Goal
from planboard.actions.making import step
from planboard.errors import DefinitionError
from planboard.llm.agent_tool import AgentTool
from planboard.llm.agentic import check_tools, converse
from planboard.llm.ai import Ai
from planboard.llm.names import tool_name
from planboard.llm.port import Message as ModelMessage
from planboard.llm.tools import UsableTool, usable_tool, usable_tools
from planboard.runtime.agent import Agent
from planboard.teams.hand_offs import HandOff, Peers
from planboard.teams.kept_talk import KeptTalk
from planboard.teams.messages import Message, as_spoken
from planboard.types import TypeForm, is_type, type_name


def chat_agent(
    name: str,
    prompt: str = "",
    *,
    tools: Iterable[Any] = (),
    llm: Any = None,
    description: str = "",
    returning: TypeForm = str,
    sees_history: bool = False,
    limit: int = 10,
) -> Agent:
    """Return an agent that answers a text with a model, which may use tools on its way (a "ReAct" agent).

    It is an agent like any other: it can be run, be a part of steps, and a member of teams. What it did on its way is
    on its own board, as messages of the kind `"inner"`.

    An agent among its tools that has to wait for somebody makes it wait. When it goes on, also in another program, no
    model is asked again for what it has said, and no tool is used again: with agents among its tools, each turn and
    each call is a child of its own.

    Args:
        name: What it is called.
        prompt: The system prompt: who it is, and how it works.
        tools: Plain functions with typed parameters, decorated actions, and agents.
        llm: Its model; that of its team, or of the environment, by default.
        description: What it is for, as those are told that may call it.
        returning: `str` for what the model says, or the type of the object wanted.
        sees_history: In a team, whether it is told all that was said so far, and not only its task.
        limit: How many turns the model has.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    if not is_type(returning):
        message = f"chat_agent({name!r}, returning={returning!r}): it is a type."
        raise DefinitionError(message)
    if not isinstance(limit, int) or limit < 1:
        message = f"chat_agent({name!r}, limit={limit!r}): the model has at least one turn."
        raise DefinitionError(message)
    if not isinstance(prompt, str):
        message = f"chat_agent({name!r}, prompt={brief(prompt)}): it is a text."
        raise DefinitionError(message)
    used = tuple(tools)
    _check_tools(name, used, returning)
    agents = _agents_in(used)
    kept = KeptTalk(name, [tool for tool in used if not _is_agent(tool)], returning) if agents else None
    below = (*agents, *kept.agents) if kept is not None else ()

    async def answer(
        task: str,
        ai: Ai,
        planboard_context: ActionContext,
        peers: Peers | None = None,
        history: list[Message] | None = None,
    ) -> Any:
        opening = [ModelMessage("system", prompt)] if prompt else []
        known = [message for message in history or () if message.kind != "hand_off"]  # what concerns it is its task
        told = as_spoken(known, name)
        asked = () if known and known[-1].content == task else (ModelMessage("user", task),)
        handed: list[HandOff] = []
        onward = [_hand_over_to(peer, handed, ai) for peer in (peers.names if peers is not None else ())]
        speaker, mine = ai, used
        if kept is not None:
            speaker = kept.ai(ai, planboard_context)
            usable = usable_tools([tool for tool in used if not _is_agent(tool)], ai).values()
            mine = (*filter(_is_agent, used), *(kept.tool(tool, planboard_context) for tool in usable))
        talk = await converse(
            speaker, (*opening, *told, *asked), (*mine, *onward), returning, limit, ended=lambda: bool(handed)
        )
        for message in talk.said:
            planboard_context.add(Message(author=name, content=message, kind="inner"))
        return handed[0] if handed else talk.answer

    async def answer_alone(task: str, ai: Ai, planboard_context: ActionContext, peers: Peers | None = None) -> Any:
        return await answer(task, ai, planboard_context, peers)

    made = step(
        "chat agent", answer if sees_history else answer_alone, name=name, agents=below,
        returns=Union[returning, HandOff],  # noqa: UP007 - made at run time
        options={"description": description or f"Answers with a {type_name(returning)}.", "idempotent": True},
    )  # fmt: skip
    services = () if llm is None else (Ai(llm),)
    goals = [
        Goal.achieved_by(name, returning, Achievement("An answer", name=name)),
        Goal.achieved_by(name, HandOff, Achievement("That another one goes on", name="hand_off")),
    ]
    return Agent(name, [made], goals=goals, services=services, description=description, types=[Message])


def _check_tools(name: str, used: tuple[Any, ...], returning: TypeForm) -> None:
    """Refuse tools that could not be called, now and not when the model is asked."""
    try:
        check_tools(usable_tools(used, Ai()), returning)
    except DefinitionError as error:
        message = f"chat_agent({name!r}): {error}"
        raise DefinitionError(message) from None


def _agents_in(tools: Iterable[Any]) -> tuple[Agent, ...]:
    """Return the agents among tools."""
    found = (tool.agent if isinstance(tool, AgentTool) else tool for tool in tools)
    return tuple(agent for agent in found if isinstance(agent, Agent))


def _is_agent(tool: Any) -> bool:
    return isinstance(tool, Agent | AgentTool)


def _hand_over_to(peer: str, handed: list[HandOff], ai: Ai) -> UsableTool:
    """Return the tool by which a member hands over to another one. The topology decides, so no policy is asked."""

    async def transfer(task: str) -> str:  # not in a thread: of several the first that is called counts
        if handed:
            return f"not handed over: {handed[0].to} goes on already"
        handed.append(HandOff(to=peer, task=task))
        return "handed over"

    transfer.__name__ = tool_name(f"transfer_to_{peer}")
    transfer.__doc__ = f"Lets {peer} go on. Say what it is to do, with all that it has to know."
    return usable_tool(transfer, ai, guarded=False)
