"""Promises of `to_json` and `from_json`.

- A board comes back equal, types, history, visibility and conditions included, or it is refused with the type.
- Data never chooses which types are built, and malformed data is refused with the field.
- The text is valid JSON.
"""

import datetime as dt
import json
import uuid
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Generic, Literal, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, SecretStr, computed_field, field_validator

from planboard import Blackboard, EntryTypeError, SecretMissingError
from planboard.blackboard.integrity import same

T = TypeVar("T")


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"


class Home(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] = Dog()
    pets: list[Cat | Dog] = []
    by_colour: dict[Colour, Level] = {}


class Aliased(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: str = Field(alias="theText")

    @computed_field
    def size(self) -> int:
        return len(self.text)


class Doubling(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def double(cls, n: int) -> int:
        return n * 2


class Login(BaseModel):
    password: SecretStr


class Box(BaseModel, Generic[T]):
    item: T


class Scalars(BaseModel):
    id: uuid.UUID
    when: dt.datetime
    day: dt.date
    span: dt.timedelta
    money: Decimal
    raw: bytes
    numbers: frozenset[int]
    pair: tuple[int, str]
    weight: float


def back(board, *types):
    return Blackboard.from_json(board.to_json(), types=types)


def test_history_visibility_names_and_conditions_come_back():
    board = Blackboard()
    board.hide(board.add(Cat()))
    board.bind("pet", Dog(), protected=True)
    board.add([], type=list[Cat])
    board.set_condition("ready", True)

    restored = back(board, Cat, Dog, list[Cat])

    assert restored == board
    assert restored.last(list[Cat]) == []
    assert restored.last(Cat) is None


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (Home(pets=[Cat(), Dog()], by_colour={Colour.RED: Level.LOW}), Home),
        (Aliased(theText="x"), Aliased),
        (Box[int](item=3), Box[int]),
        (Colour.RED, Colour),
        (2**70, int),
        (b"bytes", bytes),
        ("\u2603 \U0001f680 漢字", str),
    ],
)
def test_values_of_many_kinds_come_back_equal_and_of_their_type(value, form):
    """Cases 045, 046, 047 and 050, as far as the board itself goes."""
    board = Blackboard()
    board.add(value)

    restored = back(board, form).last(form)

    assert restored == value
    assert type(restored) is type(value)


@given(
    st.builds(
        Scalars,
        when=st.datetimes(timezones=st.just(dt.UTC)),
        span=st.timedeltas(min_value=dt.timedelta(days=-9999), max_value=dt.timedelta(days=9999)),
        money=st.decimals(allow_nan=False, allow_infinity=False),
        raw=st.binary(max_size=8),
    )
)
def test_scalars_come_back_exactly_or_are_refused(value):
    board = Blackboard()
    board.add(value)

    try:
        text = board.to_json()
    except EntryTypeError:
        return

    assert same(Blackboard.from_json(text, types=[Scalars]).last(Scalars), value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), -0.0])
def test_numbers_that_json_lacks_come_back_and_the_text_is_json(number):
    """Case 049."""
    board = Blackboard()
    board.add(number)

    text = board.to_json()

    json.loads(text, parse_constant=pytest.fail)
    assert repr(Blackboard.from_json(text).last(float)) == repr(number)


@pytest.mark.parametrize("value", [[Cat()], object(), [object()]])
def test_what_would_not_come_back_equal_is_refused_with_its_type(value):
    """Case 048."""
    board = Blackboard()
    board.add(value)

    with pytest.raises(EntryTypeError, match=type(value).__name__):
        board.to_json()


def test_validators_are_not_run_again():
    board = Blackboard()
    board.add(Doubling(n=2))

    assert back(board, Doubling).last(Doubling).n == 4


def test_a_secret_is_never_written_and_has_to_be_given_again():
    """Case 165, as far as the board itself goes."""
    board = Blackboard()
    board.add(Login(password="hush"))
    text = board.to_json()

    assert "hush" not in text
    with pytest.raises(SecretMissingError, match=r"Login\.password") as caught:
        Blackboard.from_json(text, types=[Login])
    restored = Blackboard.from_json(text, types=[Login], secrets=dict.fromkeys(caught.value.secrets, "hush"))
    assert restored == board


def test_data_does_not_choose_what_is_built():
    board = Blackboard()
    board.add(Cat())

    with pytest.raises(EntryTypeError, match="not registered"):
        Blackboard.from_json(board.to_json())


def stored(**changes):
    entry = {"type": None, "value": 1, "name": None, "producer": "input", "protected": False}
    return json.dumps({"entries": [{**entry, "visible": True, **changes}], "conditions": {}})


@pytest.mark.parametrize("field", ["type", "name", "producer", "protected", "visible"])
def test_malformed_data_is_refused_with_the_field(field):
    """Case 166, as far as the board itself goes."""
    with pytest.raises(EntryTypeError, match=rf"entries\.0\.{field}"):
        Blackboard.from_json(stored(**{field: 5}))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"entries": [], "conditions": {"x": "yes"}}', '{"entries": null}'])
def test_what_is_no_board_is_refused(text):
    with pytest.raises(EntryTypeError, match="no stored board"):
        Blackboard.from_json(text)


def test_a_value_that_does_not_fit_its_type_is_refused():
    with pytest.raises(EntryTypeError, match="no int"):
        Blackboard.from_json(stored(type="int", value="many"), types=[int])


VALUES = st.one_of(
    st.integers(), st.text(max_size=4), st.floats(), st.booleans(), st.binary(max_size=4), st.builds(Cat)
)


@given(
    st.lists(st.tuples(VALUES, st.sampled_from([None, "a", "b"]), st.booleans()), max_size=8),
    st.dictionaries(st.text(max_size=3), st.booleans(), max_size=3),
)
def test_any_board_of_plain_values_comes_back(items, conditions):
    board = Blackboard()
    for value, name, hidden in items:
        entry = board.add(value) if name is None else board.bind(name, value)
        if hidden:
            board.hide(entry)
    for name, value in conditions.items():
        board.set_condition(name, value)

    restored = back(board, Cat)

    assert all(same(a.value, b.value) for a, b in zip(restored.entries, board.entries, strict=True))
    assert [e.position for e in restored.visible] == [e.position for e in board.visible]
    assert restored.conditions == board.conditions
