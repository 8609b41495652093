"""The light way: `supervise` and `act`, without an agent of one's own."""

import asyncio

import pytest
from pydantic import BaseModel

from planboard import (
    Ai,
    DefinitionError,
    Goap,
    ProcessOptions,
    ProcessStatus,
    RunningLoopError,
    ScriptedModel,
    Supervisor,
    aact,
    achieves_goal,
    act,
    action,
    asupervise,
    call,
    supervise,
)


class UserInput(BaseModel):
    content: str


class Order(BaseModel):
    dish: str


class Meal(BaseModel):
    dish: str


class Stages:
    @action(value=0.5)
    async def take_order(self, user_input: UserInput, ai: Ai) -> Order:
        return await ai.create(user_input.content, Order)

    @achieves_goal("The meal")
    @action(value=0.2)
    def cook(self, order: Order) -> Meal:
        return Meal(dish=order.dish)


class Names(BaseModel):
    seen: tuple[str, ...] = ()


def script():
    return ScriptedModel(rules={Order: Order(dish="pie"), "take_order": {}, "cook": {}})


def listening():
    events = []
    return events, ProcessOptions(listeners=(events.append,))


def test_a_result_of_a_type_comes_from_actions_and_a_model():
    assert supervise(Stages(), UserInput(content="a pie"), returning=Meal, llm=script()) == Meal(dish="pie")


def test_the_model_serves_decisions_and_actions():
    model = script()
    supervise(Stages(), UserInput(content="a pie"), returning=Meal, llm=model,
              options=ProcessOptions(planner=Supervisor(ask_when_forced=True)))  # fmt: skip

    assert [bool(request["tools"][0]["function"]["name"] == "Order") for request in model.requests] == [
        False,
        True,
        False,
    ]


def test_the_agent_is_named_after_what_is_wanted():
    events, options = listening()
    supervise([Stages()], UserInput(content="x"), returning=Meal, llm=script(), options=options)

    assert next(event.agent for event in events if event.kind == "process_started") == "Meal.supervisor"


def test_the_agent_may_be_named_otherwise():
    events, options = listening()
    supervise([Stages()], UserInput(content="x"), returning=Meal, llm=script(), name="diner", options=options)

    assert next(event.agent for event in events if event.kind == "process_started") == "diner"


def test_the_goal_may_be_described():
    model = script()
    options = ProcessOptions(planner=Supervisor(ask_when_forced=True))
    supervise(Stages(), UserInput(content="x"), returning=Meal, llm=model, goal_description="A feast", options=options)

    assert "Goal: Meal (A feast)" in model.requests[0]["messages"][1]["content"]


def test_inputs_may_have_names():
    assert supervise(Stages(), returning=Meal, llm=script(), guest=UserInput(content="x")) == Meal(dish="pie")


def test_another_planner_is_refused():
    with pytest.raises(DefinitionError, match="needs a Supervisor"):
        supervise(Stages(), returning=Meal, llm=script(), options=ProcessOptions(planner=Goap()))


def test_from_asynchronous_code_it_is_awaited():
    assert asyncio.run(asupervise(Stages(), UserInput(content="x"), returning=Meal, llm=script())) == Meal(dish="pie")


def test_in_a_running_loop_it_says_what_to_use():
    async def main():
        supervise(Stages(), UserInput(content="x"), returning=Meal, llm=script())

    with pytest.raises(RunningLoopError):
        asyncio.run(main())


@action(value=0.9)
def label(user_input: UserInput) -> Order:
    return Order(dish=user_input.content)


def test_acting_does_what_is_worth_most_until_nothing_is_left():
    process = act(label, UserInput(content="soup"))

    assert process.status is ProcessStatus.COMPLETED
    assert process.board.last(Order) == Order(dish="soup")


def test_acting_may_end_terminated():
    options = ProcessOptions()
    process = None
    try:
        process = act([label], UserInput(content="soup"), terminate_when_stuck=True, name="labels", options=options)
    except Exception as error:
        process = error.process

    assert process.status is ProcessStatus.TERMINATED
    assert process.agent.name == "labels"


def test_acting_goes_by_the_name_of_its_planner():
    assert act(label, UserInput(content="x")).agent.name == "utility"


def test_acting_may_be_awaited():
    assert asyncio.run(aact(label, UserInput(content="x"))).status is ProcessStatus.COMPLETED


def test_a_call_of_a_model_is_no_action():
    """Acting asks no model to decide."""
    model = ScriptedModel(call("label"))

    act(label, UserInput(content="x"))

    assert model.requests == []
    assert Names().seen == ()
