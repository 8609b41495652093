from typing import assert_type

from pydantic import BaseModel

from planboard import (
    Agent,
    AgentChoice,
    Ai,
    NoneFits,
    Process,
    ScriptedModel,
    Supervisor,
    act,
    action,
    choose_agent,
    supervise,
)


class Meal(BaseModel):
    dish: str


@action
async def cook(dish: str, ai: Ai) -> Meal:
    assert_type(await ai.create("x", Meal), Meal)
    assert_type(await ai.text("x"), str)
    assert_type(await ai.template("x", Meal, a=1), Meal)
    assert_type(await ai.template("x", a=1), str)
    assert_type(await ai.agentic("x", tools=[]), str)
    assert_type(await ai.agentic("x", tools=[], returning=Meal), Meal)
    assert_type(await ai.judge("x"), bool)
    async for part in ai.stream("x", Meal):
        assert_type(part, Meal)
    return Meal(dish=dish)


@action
def plain(dish: str, ai: Ai) -> Meal:
    assert_type(ai.blocking.text("x"), str)
    assert_type(ai.blocking.create("x", Meal), Meal)
    assert_type(ai.blocking.agentic("x", tools=[], returning=Meal), Meal)
    assert_type(ai.blocking.template("x", Meal), Meal)
    return Meal(dish=dish)


def use() -> None:
    assert_type(supervise([cook], returning=Meal, llm=ScriptedModel()), Meal)
    assert_type(act([cook]), Process)
    Supervisor(llm="x")


async def choose(agent: Agent) -> None:
    choice = await choose_agent([agent], "x")
    if isinstance(choice, NoneFits):
        return
    assert_type(choice, AgentChoice[Agent])
