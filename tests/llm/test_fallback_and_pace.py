"""Several models in a row, the rate at which they are asked, and what stands for a model."""

import asyncio

import pytest
from pydantic import BaseModel

from planboard import (
    Ai,
    BudgetExceededError,
    DefinitionError,
    FallbackModel,
    ModelError,
    ModelUnavailableError,
    OpenAIModel,
    ScriptedModel,
)
from planboard.llm.models import as_model
from planboard.llm.pacing import Pace


class Person(BaseModel):
    name: str


def text(model):
    return asyncio.run(Ai(model).text("x"))


def down(name):
    return ScriptedModel(rules=lambda _: ModelUnavailableError(name, f"{name} is down"), name=name)


def test_the_first_model_that_answers_is_taken():
    assert text([down("a"), ScriptedModel("hi", name="b")]) == "hi"


def test_a_model_that_makes_nothing_valid_gives_way_to_the_next():
    model = FallbackModel(ScriptedModel(rules={Person: {}}), ScriptedModel(Person(name="Ada")))

    assert asyncio.run(Ai(model).create("x", Person)) == Person(name="Ada")


def test_when_none_can_be_used_all_are_named():
    with pytest.raises(ModelUnavailableError, match=r"None of the models.*a: a is down; b: b is down"):
        text([down("a"), down("b")])


def test_the_usage_says_who_answered():
    from planboard.llm.port import Message, ModelRequest

    model = FallbackModel(down("a"), ScriptedModel("hi", name="b"))

    assert asyncio.run(model.complete(ModelRequest((Message("user", "x"),)))).usage.model == "b"


def test_a_budget_that_is_used_up_is_no_reason_to_ask_another_model():
    second = ScriptedModel("hi")
    with pytest.raises(BudgetExceededError):
        text([ScriptedModel(BudgetExceededError("used up")), second])

    assert second.requests == []


def test_a_stream_comes_from_the_first_model_that_begins_one():
    async def collect():
        model = FallbackModel(down("a"), ScriptedModel(Person(name="Ada")))
        return [partial async for partial in Ai(model).stream("x", Person)]

    assert asyncio.run(collect())[-1] == Person(name="Ada")


def test_requests_are_spread_over_the_minute():
    now, waited = [0.0], []

    async def wait(seconds):
        waited.append(seconds)
        now[0] += seconds

    pace = Pace(60, clock=lambda: now[0], sleep=wait)

    async def three():
        for _ in range(3):
            await pace.turn()

    asyncio.run(three())
    assert waited == [1.0, 1.0]


def test_those_that_wait_at_once_get_turns_one_after_another():
    waited = []

    async def wait(seconds):
        waited.append(seconds)

    pace = Pace(30, clock=lambda: 0.0, sleep=wait)

    async def together():
        await asyncio.gather(*(pace.turn() for _ in range(4)))

    asyncio.run(together())
    assert waited == [2.0, 4.0, 6.0]


def test_a_name_stands_for_a_model_of_the_environments_server():
    assert as_model("small").name == "small"
    assert isinstance(as_model(None), OpenAIModel)


def test_several_stand_for_one_after_the_other():
    assert as_model(["a", "b"]).name == "a or b"


@pytest.mark.parametrize("wrong", [7, ScriptedModel, object()])
def test_what_is_no_model_is_refused(wrong):
    with pytest.raises(DefinitionError, match="no language model"):
        as_model(wrong)


def test_no_model_at_all_is_refused():
    with pytest.raises((DefinitionError, ModelError)):
        as_model([])
