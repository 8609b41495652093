"""Objects from models: valid, or a typed error after exactly so many answers."""

import asyncio
import dataclasses
import enum
import logging
from typing import Literal

import pytest
from pydantic import BaseModel, Field, SecretStr

from planboard import (
    Ai,
    BudgetExceededError,
    DefinitionError,
    ModelError,
    ModelOutputError,
    ModelRefusedError,
    ModelReply,
    ModelUnavailableError,
    ScriptedModel,
    raw_call,
)
from planboard.llm.port import Message, ModelRequest

VALID = {"dish": "pie", "quantity": 2}


class Order(BaseModel):
    """What a guest orders."""

    dish: str
    quantity: int


class Cat(BaseModel):
    kind: Literal["cat"]
    name: str


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Owner(BaseModel):
    pet: Cat | Dog = Field(discriminator="kind")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


def create(model, form=Order, **settings):
    return asyncio.run(Ai(model).create("Take the order.", form, **settings))


def test_an_object_is_made_and_valid():
    assert create(ScriptedModel(VALID)) == Order(**VALID)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (Point, Point(1, 2)), (Colour, Colour.BLUE), (int, 7), (list[Order], [Order(**VALID)]), (dict[str, int], {"a": 1}),
        (Cat | Dog, Dog(kind="dog", name="Rex")), (Literal["a", "b"], "a"), (tuple[int, str], (1, "x")), (bool, False),
        (list[int], []),
    ],
    ids=str,
)  # fmt: skip
def test_every_kind_of_type_can_be_made(form, value):
    assert create(ScriptedModel(value), form) == value


def test_the_request_says_what_is_wanted():
    model = ScriptedModel(VALID)
    create(model)

    tool = model.requests[0]["tools"][0]["function"]
    assert (tool["name"], tool["description"], tool["strict"]) == ("Order", "What a guest orders.", True)
    assert model.requests[0]["tool_choice"] == {"type": "function", "function": {"name": "Order"}}


def test_a_type_that_cannot_be_strict_is_asked_for_as_it_is():
    """Case 132."""
    model = ScriptedModel({"a": 1})
    create(model, dict[str, int])

    assert "strict" not in model.requests[0]["tools"][0]["function"]


def test_an_unknown_tag_is_asked_again_with_those_that_are_known():
    """Case 141."""
    model = ScriptedModel({"pet": {"kind": "fish", "name": "F"}}, {"pet": {"kind": "cat", "name": "Tom"}})

    assert create(model, Owner).pet == Cat(kind="cat", name="Tom")
    assert len(model.requests) == 2
    assert "'cat', 'dog'" in model.requests[1]["messages"][-1]["content"]


def test_an_unknown_tag_without_end_is_a_typed_failure():
    """Case 141."""
    with pytest.raises(ModelOutputError, match="'cat', 'dog'"):
        create(ScriptedModel(rules={Owner: {"pet": {"kind": "fish"}}}), Owner)


@pytest.mark.parametrize(
    "text",
    [
        '{"dish": "pie", "quantity": 2}',
        '```json\n{"dish": "pie", "quantity": 2}\n```',
        'Here is the order: {"dish": "pie", "quantity": 2}',
        '{"dish": "pie", "quantity": 2}\nEnjoy your meal!',
        '{"value": {"dish": "pie", "quantity": 2}}',
        '{"Order": {"dish": "pie", "quantity": 2}}',
    ],
)
def test_an_object_is_found_wherever_the_model_puts_it(text):
    """Case 142."""
    assert create(ScriptedModel(text), attempts=1) == Order(**VALID)


def test_a_fence_inside_a_text_is_part_of_it():
    """Case 142."""
    assert create(ScriptedModel('```json\n{"dish": "```pie```", "quantity": 1}\n```'), attempts=1).dish == "```pie```"


@pytest.mark.parametrize("attempts", [1, 3, 60])
def test_what_is_never_valid_is_asked_for_exactly_so_often(attempts):
    """Case 143."""
    model = ScriptedModel(rules={Order: {"dish": 1}})

    with pytest.raises(ModelOutputError) as caught:
        create(model, attempts=attempts)

    assert len(model.requests) == caught.value.attempts == attempts


@pytest.mark.parametrize("prose", ["I would rather not say.", ""])
def test_prose_is_asked_again(prose):
    """Case 144."""
    model = ScriptedModel(prose, VALID)

    assert create(model) == Order(**VALID)
    assert len(model.requests) == 2


def test_prose_without_end_is_a_typed_failure_with_the_last_text():
    """Case 144."""
    model = ScriptedModel("one", "two", "three")

    with pytest.raises(ModelOutputError, match="it is text, and no object") as caught:
        create(model)

    assert caught.value.last_output == "three"


def test_the_error_holds_attempts_the_last_output_and_the_fault():
    """Case 145."""
    with pytest.raises(ModelOutputError) as caught:
        create(ScriptedModel(rules={Order: {"dish": "pie", "quantity": "many"}}), attempts=2)

    error = caught.value
    assert (error.model, error.attempts) == ("scripted", 2)
    assert error.last_output == '{"dish":"pie","quantity":"many"}'
    assert "quantity" in str(error.__cause__)


def test_any_script_goes_there_and_back():
    """Case 146."""

    class Dish(BaseModel):
        """طبق"""

        name: str = Field(description="菜名 🍲")

    model = ScriptedModel({"name": "Köttbullar 🧆"})

    assert create(model, Dish).name == "Köttbullar 🧆"
    assert "菜名 🍲" in str(model.requests[0]["tools"])


def test_all_fields_that_are_missing_are_named_when_it_is_asked_again():
    """Case 147."""
    model = ScriptedModel({}, VALID)
    create(model)

    said = model.requests[1]["messages"][-1]["content"]
    assert "dish: Field required" in said
    assert "quantity: Field required" in said


def test_a_check_that_objects_is_told_to_the_model():
    def is_small(order):
        if order.quantity > 1:
            message = "at most one each"
            raise ValueError(message)

    model = ScriptedModel(VALID, {"dish": "pie", "quantity": 1})

    assert create(model, checks=(is_small,)).quantity == 1
    assert "at most one each" in model.requests[1]["messages"][-1]["content"]


def test_a_refusal_is_no_reason_to_ask_again():
    model = ScriptedModel(ModelReply(refusal="I do not take orders."))

    with pytest.raises(ModelRefusedError) as caught:
        create(model)

    assert caught.value.last_output == "I do not take orders."
    assert len(model.requests) == 1


def test_an_answer_that_is_cut_off_says_what_to_do():
    model = ScriptedModel(ModelReply(text='{"dish": "p', cut_off=True))

    with pytest.raises(ModelOutputError, match="max_tokens"):
        create(model)


def test_calling_the_wrong_tool_with_the_right_object_will_do():
    assert create(ScriptedModel(raw_call("create_order", '{"dish": "pie", "quantity": 2}'))) == Order(**VALID)


def test_arguments_that_are_no_json_are_not_sent_back_as_they_are():
    """Servers refuse a history in which a call's arguments cannot be read."""
    model = ScriptedModel(raw_call("Order", "{dish: pie"), VALID)
    create(model)

    call = model.requests[1]["messages"][1]["tool_calls"][0]
    assert call["function"] == {"name": "Order", "arguments": "{}"}


def test_a_model_that_does_not_answer_is_not_asked_again_as_if_it_had():
    model = ScriptedModel(ModelUnavailableError("scripted", "down"), VALID)

    with pytest.raises(ModelUnavailableError, match="down"):
        create(model)

    assert len(model.requests) == 1


def test_a_model_may_make_nothing_of_a_type_that_has_no_schema():
    class Connection:
        pass

    with pytest.raises(DefinitionError, match="Connection"):
        create(ScriptedModel({}), Connection)


def test_a_budget_is_asked_before_each_answer():
    class Purse:
        left = 1

        def allow(self):
            if not self.left:
                message = "used up"
                raise BudgetExceededError(message)
            self.left -= 1

        def charge(self, usage):
            pass

        def give_back(self):
            pass

    model = ScriptedModel("prose", VALID)
    request = ModelRequest((Message("user", "x"),))

    with pytest.raises(BudgetExceededError, match="used up"):
        asyncio.run(model.create(request, Order, meter=Purse()))

    assert len(model.requests) == 1


def test_each_answer_is_charged():
    class Purse:
        def __init__(self):
            self.charged = []

        def allow(self):
            pass

        def charge(self, usage):
            self.charged.append(usage)

        def give_back(self):
            pass

    purse = Purse()
    asyncio.run(ScriptedModel("prose", VALID).create(ModelRequest((Message("user", "x"),)), Order, meter=purse))

    assert [usage.requests for usage in purse.charged] == [1, 1]


def test_nothing_of_a_failure_is_logged_or_printed(capfd, caplog):
    """Case 165: what a model writes may be secret."""

    class Login(BaseModel):
        password: SecretStr = Field(min_length=100)

    with caplog.at_level(logging.INFO), pytest.raises(ModelOutputError) as caught:
        create(ScriptedModel(rules={Login: {"password": "hunter2"}}), Login)

    assert "hunter2" not in caplog.text + str(caught.value) + "".join(capfd.readouterr())


def test_a_text_with_braces_is_no_template():
    model = ScriptedModel(VALID)
    asyncio.run(Ai(model).create("{{ 7 * 7 }} {% raw %}", Order))

    assert model.requests[0]["messages"][-1]["content"] == "{{ 7 * 7 }} {% raw %}"


def test_examples_are_shown_alone_or_as_turns():
    model = ScriptedModel(VALID)
    create(model, examples=[Order(dish="soup", quantity=1), ("two pies", Order(**VALID))], system="You take orders.")

    system, user, assistant, _ = model.requests[0]["messages"]
    assert system["content"] == 'You take orders.\n\nExamples of what is wanted:\n{"dish":"soup","quantity":1}'
    assert (user["content"], assistant["content"]) == ("two pies", '{"dish":"pie","quantity":2}')


def test_at_least_one_answer_is_asked_for():
    with pytest.raises(DefinitionError, match="at least one"):
        create(ScriptedModel(VALID), attempts=0)


def grown(model, form=Order):
    async def collect():
        return [partial async for partial in Ai(model).stream("x", form)]

    return asyncio.run(collect())


def test_a_stream_grows_and_ends_with_the_valid_object():
    partials = grown(ScriptedModel({"dish": "mushroom pie", "quantity": 2}))

    assert partials[0].quantity is None
    assert partials[-1] == Order(dish="mushroom pie", quantity=2)
    assert all(partial.dish.startswith("m") for partial in partials)


def test_a_stream_of_something_that_is_no_model_yields_what_there_is():
    assert grown(ScriptedModel([1, 2, 3]), list[int])[-1] == [1, 2, 3]


def test_a_stream_that_is_not_valid_in_the_end_says_so():
    with pytest.raises(ModelOutputError, match="quantity"):
        grown(ScriptedModel({"dish": "pie"}))


def test_a_stream_that_cannot_begin_says_so():
    with pytest.raises(ModelError, match="down"):
        grown(ScriptedModel(ModelUnavailableError("scripted", "down")))


def test_a_validator_that_is_broken_is_told_as_what_it_is():
    from pydantic import field_validator

    class Fragile(BaseModel):
        dish: str

        @field_validator("dish")
        @classmethod
        def look_up(cls, dish):
            return {}[dish]

    model = ScriptedModel({"dish": "pie"})

    with pytest.raises(KeyError, match="pie"):
        create(model, Fragile)

    assert len(model.requests) == 1


def test_a_stream_may_come_as_text_instead_of_a_call():
    assert grown(ScriptedModel('Sure: {"dish": "pie", "quantity": 2}'))[-1] == Order(**VALID)
