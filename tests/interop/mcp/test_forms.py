"""Forms: flat whatever is asked, never empty, and what is filled in fits what was asked."""

from contextlib import suppress
from enum import Enum
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, SecretStr, TypeAdapter

from planboard.interop.mcp.forms import form_of
from planboard.runtime.requests import Request


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    LOW = 1
    HIGH = 2


class Flat(BaseModel):
    name: str = Field(min_length=1, description="Who")
    colour: Colour
    kind: Literal["a", "b"] = "a"
    ratio: float | None
    count: int = Field(default=3, ge=0, lt=10)


class Nested(BaseModel):
    inner: Flat
    many: list[int] = []


class Empty(BaseModel):
    pass


class Node(BaseModel):
    children: "list[Node]" = []


class Account(BaseModel):
    api_key: str


class Inner(BaseModel):
    account: Account


PRIMITIVE = {"string", "integer", "number", "boolean"}


def asked(form):
    schema = TypeAdapter(form).json_schema() if not isinstance(form, dict) else form
    return form_of(Request("r:1", "r", "ask", "answer", "Well?", schema))


@pytest.mark.parametrize(
    "form", [Flat, Nested, Empty, Node, Colour, Level, str, int, bool, float | None, list[str], {}]
)
def test_every_form_is_flat_and_has_a_field(form):
    schema = asked(form).schema

    assert schema["type"] == "object"
    assert schema["properties"]
    assert {field["type"] for field in schema["properties"].values()} <= PRIMITIVE
    assert set(schema["required"]) <= set(schema["properties"])


def test_fields_keep_what_forms_know():
    assert asked(Flat).schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "Who", "minLength": 1},
            "colour": {"type": "string", "title": "Colour", "enum": ["red", "blue"]},
            "kind": {"type": "string", "title": "Kind", "enum": ["a", "b"], "default": "a"},
            "ratio": {"type": "number", "title": "Ratio"},
            "count": {"type": "integer", "title": "Count", "minimum": 0, "default": 3},
        },
        "required": ["name", "colour"],
    }


@pytest.mark.parametrize(
    ("form", "content", "value"),
    [
        (Flat, {"name": "x", "colour": "red"}, {"name": "x", "colour": "red", "ratio": None}),
        (Flat, {"name": "x", "colour": "red", "ratio": 0.5, "other": 1}, {"name": "x", "colour": "red", "ratio": 0.5}),
        (Colour, {"value": "red"}, "red"),
        (bool, {"value": False}, False),
        (float | None, {}, None),
        (Empty, {"confirmed": True}, {}),
        (Level, {"json": "2"}, 2),
        (list[str], {"json": '["a"]'}, ["a"]),
    ],
)
def test_what_is_filled_in_is_read(form, content, value):
    assert asked(form).read(content) == value


@pytest.mark.parametrize("form", [Account, Inner, SecretStr, list[SecretStr], dict[str, Account]])
def test_secrets_are_not_asked_for_at_any_depth(form):
    assert asked(form) is None


FORMS = [asked(form) for form in (Flat, Nested, Empty, str)]


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.floats() | st.text()) | st.none())
def test_whatever_is_filled_in_is_an_answer_or_a_fault(content):
    for form in FORMS:
        with suppress(ValueError):
            form.read(content)
