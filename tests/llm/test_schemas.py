"""Schemas for models: complete, short, and strict wherever that is possible."""

import dataclasses
import datetime as dt
import decimal
import enum
import json
from typing import Annotated, Any, Generic, Literal, NewType, Self, TypeVar

import annotated_types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, SecretStr, TypeAdapter
from typing_extensions import TypedDict

from planboard import DefinitionError
from planboard.llm.schemas import Parameter, _arguments_schema, arguments_schema, outline, schema_of, strict_objection

T = TypeVar("T")
UserId = NewType("UserId", int)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float


class Square(BaseModel):
    kind: Literal["square"]
    side: float = 1.0


class Box(BaseModel, Generic[T]):
    content: T


class Tree(BaseModel):
    """A tree."""

    value: int
    branches: list["Tree"] = []


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Movie(TypedDict):
    name: str


class Everything(BaseModel):
    title: str = Field(description="标题")
    when: dt.datetime
    price: decimal.Decimal | None = None
    colour: Colour = Colour.RED
    shape: Circle | Square = Field(discriminator="kind")
    points: list[Point] = []
    tags: set[str] = set()


class Free(BaseModel):
    anything: dict[str, Any]


FORMS = [
    int, str, bool, float, Colour, Circle, Circle | Square, Box[int], Tree, Point, Movie, UserId, Everything, Free,
    list[Circle], dict[str, int], tuple[int, str], set[str], Literal["a", "b"], Circle | None, dt.date,
    decimal.Decimal, Annotated[int, Field(ge=0)], list[Tree], bytes,
]  # fmt: skip


def references(schema) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
        return own + [found for item in schema.values() for found in references(item)]
    return [found for item in schema for found in references(item)] if isinstance(schema, list) else []


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_references_are_written_out_unless_a_type_refers_to_itself(form):
    schema = schema_of(form)

    assert set(references(schema)) == {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    assert bool(references(schema)) is ("Tree" in str(form))


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("required", [True, False])
def test_what_is_called_strict_is_strict(form, required):
    """Case 131."""
    schema, strict = arguments_schema({"given": Parameter(form, required=required), "other": Parameter(int)})

    assert strict is (strict_objection(schema) is None)


@pytest.mark.parametrize("form", [Everything, Tree, Circle | Square, Box[Point], list[Circle], Colour], ids=str)
def test_ordinary_types_are_strict(form):
    assert arguments_schema({"given": Parameter(form)})[1] or form is Everything


@pytest.mark.parametrize("form", [Free, dict[str, int], dict[str, Any], tuple[int, str]], ids=str)
def test_what_cannot_be_strict_is_sent_as_it_is(form):
    """Case 131."""
    schema, strict = arguments_schema({"given": Parameter(form)})

    assert not strict
    assert schema["properties"]["given"] == schema_of(form)


def test_what_may_be_left_out_may_be_null_in_a_strict_schema():
    """Case 133."""
    schema, strict = arguments_schema({"limit": Parameter(int, required=False)})

    assert strict
    assert schema["properties"]["limit"] == {"type": ["integer", "null"]}
    assert schema["required"] == ["limit"]


def test_a_default_inside_a_model_may_be_null_in_a_strict_schema():
    schema, _ = arguments_schema({"point": Parameter(Point)})

    assert schema["properties"]["point"]["properties"]["y"] == {"type": ["integer", "null"]}


def test_what_may_be_left_out_is_not_required_in_a_plain_schema():
    schema, _ = arguments_schema({"free": Parameter(Free), "limit": Parameter(int, required=False)})

    assert schema["required"] == ["free"]


def test_no_arguments_have_the_shortest_schema():
    assert arguments_schema({})[0] == {"type": "object", "properties": {}}


def test_titles_are_left_out_and_a_property_called_title_is_not():
    schema = schema_of(Everything)

    assert schema["properties"]["title"] == {"type": "string", "description": "标题"}
    assert "title" not in schema


def test_descriptions_stay_in_any_script():
    """Case 146."""
    assert "标题" in json.dumps(schema_of(Everything), ensure_ascii=False)


@pytest.mark.parametrize("form", [object(), type("Connection", (), {})], ids=["object", "class"])
def test_a_type_without_a_schema_is_refused_by_name(form):
    with pytest.raises(DefinitionError, match="has no JSON schema"):
        schema_of(form)


@given(st.integers(), st.text())
def test_what_fits_the_schema_of_a_model_is_read_back(value, text):
    made = Box[Point](content=Point(x=value))
    plain = TypeAdapter(Box[Point]).dump_python(made, mode="json")

    assert set(plain["content"]) <= set(schema_of(Box[Point])["properties"]["content"]["properties"])
    assert text is not None


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "string"}, "the whole must be an object"),
        ({"type": "object", "properties": {}}, "other properties are allowed"),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}, "any value"),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}, "not all"),
        (
            {"type": "object", "additionalProperties": False, "required": ["a"],
             "properties": {"a": {"type": "string", "default": "x"}}},
            "default is not supported",
        ),
        (
            {"type": "object", "additionalProperties": False, "required": ["a"],
             "properties": {"a": {"type": "array"}}},
            "a list of anything",
        ),
    ],
)  # fmt: skip
def test_the_checker_says_where_and_why_a_schema_is_not_strict(schema, why):
    assert why in (strict_objection(schema) or "")


class Garden:
    class Tree(BaseModel):
        name: str
        kids: list[Self] = []


def test_types_of_one_name_keep_apart():
    schema, _ = arguments_schema({"one": Parameter(Tree), "other": Parameter(Garden.Tree)})

    one, other = (
        schema["$defs"][schema["properties"][name]["$ref"].removeprefix("#/$defs/")] for name in ("one", "other")
    )
    assert list(one["properties"]) == ["value", "branches"]
    assert list(other["properties"]) == ["name", "kids"]


def test_a_described_reference_is_wrapped_for_servers_allow_nothing_beside_it():
    schema, strict = arguments_schema({"tree": Parameter(Tree, description="The root.")})

    assert strict
    assert schema["properties"]["tree"] == {"anyOf": [{"$ref": "#/$defs/Tree"}], "description": "The root."}


def test_values_in_a_schema_are_left_as_they_are():
    class Options(BaseModel):
        given: dict[str, str] = {"title": "kept"}

    assert schema_of(Options)["properties"]["given"]["default"] == {"title": "kept"}


def test_values_of_several_types_have_them_told_in_a_strict_schema():
    schema, strict = arguments_schema({"given": Parameter(Literal["a", 1])})

    assert strict
    assert schema["properties"]["given"] == {"enum": ["a", 1], "type": ["string", "integer"]}


def only(body):
    return {"type": "object", "properties": {"a": body}, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"$ref": "#/$defs/a", "description": "x"}, "a reference stands alone"),
        ({"type": "string", "pattern": "^(?!0)[0-9]+$"}, "looks ahead"),
        ({"enum": ["a", 1]}, "it has no type"),
        ({"type": "integer", "enum": list(range(1001))}, "too many allowed values"),
        ({"type": "string", "enum": [f"{n:060}" for n in range(251)]}, "251 allowed values"),
        ({"type": "string", "const": "x" * 120_001}, "too long"),
    ],
)
def test_the_checker_knows_what_servers_refuse(body, why):
    """Case 131: one tool that is refused takes all others with it."""
    assert why in (strict_objection(only(body)) or "")


def test_a_pattern_with_an_optional_bracket_looks_nowhere():
    assert strict_objection(only({"type": "string", "pattern": r"^\(?=$"})) is None


@dataclasses.dataclass
class Postponed:
    user: "str"
    pin: "SecretStr"
    keys: "list[SecretStr | None]"


def test_an_outline_reads_postponed_annotations():
    assert outline(Postponed) == "Postponed {user: str}"


def test_an_outline_tells_the_fields_on_one_line():
    assert outline(Circle) == "Circle {kind: Literal['circle'], radius: float}"
    assert outline(Point) == "Point {x: int, y: int}"


def test_an_outline_leaves_out_secrets():
    class Account(BaseModel):
        user: str
        password: str
        token: SecretStr

    assert outline(Account) == "Account {user: str}"


def test_an_outline_of_a_plain_type_is_its_name():
    assert outline(list[int]) == "list[int]"


# Remembering

LOOKALIKES = [
    (Circle | Square, Square | Circle),
    (Literal[1], Literal[True]),
    (Literal["a", "b"], Literal["b", "a"]),
    (Annotated[int, annotated_types.Ge(1)], Annotated[int, annotated_types.Ge(True)]),
    (list[int | str], list[str | int]),
]


@pytest.mark.parametrize("pair", LOOKALIKES, ids=lambda pair: str(pair[0]))
def test_types_that_equal_each_other_keep_the_schemas_they_have_alone(pair):
    for first, second in (pair, pair[::-1]):
        arguments_schema({"x": Parameter(first)})
        assert arguments_schema({"x": Parameter(second)}) == _arguments_schema({"x": Parameter(second)})


def test_a_schema_is_made_once_for_tools_that_are_offered_again():
    first, _ = arguments_schema({"x": Parameter(list[Circle | None])})
    again, _ = arguments_schema({"x": Parameter(list[Circle | None])})

    assert again is first


def test_a_type_that_cannot_be_a_key_has_a_schema_all_the_same():
    class Step:
        """A note without a hash."""

        __hash__ = None

    schema, _ = arguments_schema({"x": Parameter(Annotated[int, Step()])})

    assert schema["properties"]["x"] == {"type": "integer"}
