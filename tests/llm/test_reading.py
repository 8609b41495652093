"""Reading what models write: a value, or a fault that tells the model what to do."""

import datetime as dt
import enum
import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from planboard.llm.reading import json_in, read_arguments, read_value


class Colour(enum.Enum):
    RED = "red"


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float


class Square(BaseModel):
    kind: Literal["square"]
    side: float = 1.0


class Order(BaseModel):
    dish: str
    quantity: int = 1
    due: dt.date | None = None
    shape: Circle | Square | None = Field(default=None, discriminator="kind")
    colours: list[Colour] = []


@pytest.mark.parametrize("text", [None, "", "  ", "null", "{}"])
def test_no_arguments_are_an_empty_object(text):
    """Case 135."""
    assert read_arguments(text) == {}


@pytest.mark.parametrize("text", ['{"a": 1}', '"{\\"a\\": 1}"', '```json\n{"a": 1}\n```', 'I call it with {"a": 1}'])
def test_an_object_is_found_however_it_is_wrapped(text):
    assert read_arguments(text) == {"a": 1}


@pytest.mark.parametrize("text", ["[]", "[1]", "3", "true", '"word"'])
def test_what_is_no_object_is_refused_politely(text):
    """Case 135."""
    with pytest.raises(ValueError, match="arguments"):
        read_arguments(text)


@pytest.mark.parametrize("text", ["{bad", "[" * 100_000, "9" * 5000, '{"a": ' * 3000])
def test_what_is_broken_is_refused_and_never_worse(text):
    with pytest.raises(ValueError, match=r"arguments|number"):
        read_arguments(text)


@given(st.text())
def test_any_text_is_arguments_or_a_value_error(text):
    try:
        found = read_arguments(text)
    except ValueError as error:
        found = {str(error): "told"}

    assert isinstance(found, dict)
    assert "" not in found or found[""] != "told"


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.booleans())))
def test_every_object_is_read_back(value):
    assert read_arguments(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"dish": "```pie```"}',
        '```json\n{"dish": "```pie```"}\n```',
        'Sure!\n```\n{"dish": "```pie```"}\n```\nEnjoy.',
        'Here you are: {"dish": "```pie```"} and more prose {not json}',
    ],
)
def test_json_is_found_with_fences_and_prose_around_and_in_it(text):
    """Case 142."""
    assert json_in(text) == {"dish": "```pie```"}


def test_a_text_without_json_is_told_so():
    with pytest.raises(ValueError, match="one JSON object"):
        json_in("no { json } here")


def test_a_value_becomes_an_instance():
    """Case 134."""
    found = read_value(Order, {"dish": "pie", "due": "2026-12-01", "colours": ["red"]})

    assert found == Order(dish="pie", due=dt.date(2026, 12, 1), colours=[Colour.RED])


def test_a_list_of_models_becomes_instances():
    """Case 134."""
    assert read_value(list[Order], [{"dish": "a"}, {"dish": "b"}])[1].dish == "b"


def test_every_fault_is_told_with_its_path():
    """Case 147."""

    class Plan(BaseModel):
        title: str
        steps: list[Order]

    with pytest.raises(ValueError, match=r"plan\.title: .*; plan\.steps\.0\.dish"):
        read_value(Plan, {"steps": [{}]}, path="plan")


def test_an_unknown_tag_is_told_with_those_that_are_known():
    """Case 141."""
    with pytest.raises(ValueError, match="'circle', 'square'"):
        read_value(Order, {"dish": "pie", "shape": {"kind": "triangle"}})


def test_what_was_given_is_never_repeated():
    with pytest.raises(ValueError, match="quantity") as caught:
        read_value(Order, {"dish": "pie", "quantity": "hunter2"})

    assert "hunter2" not in str(caught.value)


def test_a_null_where_a_default_stands_is_the_default():
    """Case 133: a strict schema makes models write what they leave out."""
    assert read_value(Order, {"dish": "pie", "quantity": None, "colours": None}) == Order(dish="pie")


def test_a_null_inside_a_list_of_models_is_the_default():
    assert read_value(list[Order], [{"dish": "pie", "quantity": None}]) == [Order(dish="pie")]


def test_a_null_where_something_is_needed_is_a_fault():
    with pytest.raises(ValueError, match="dish: Field required"):
        read_value(Order, {"dish": None})


def test_a_null_that_is_allowed_stays():
    class Note(BaseModel):
        text: str | None

    assert read_value(Note, {"text": None}) == Note(text=None)


@given(
    st.recursive(
        st.none() | st.integers() | st.text() | st.floats(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_value_fits_or_is_a_value_error(value):
    try:
        found = read_value(Order, value)
    except ValueError as error:
        found = str(error)

    assert found
