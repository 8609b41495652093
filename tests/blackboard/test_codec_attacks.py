"""Promises about stored data that somebody has changed.

- Only registered types are built, and nothing is imported, called or made because data names it.
- Whatever the data, there is a value that fits its type or a typed error; never another error.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, field_validator

sys.path.insert(0, str(Path(__file__).parent))

from stored_values import TYPES, VALUES, Box, Dog, Enums, Home, Plain, Point, Puppy, Still, Tree, Zoo

from planboard import EntryTypeError
from planboard.blackboard.codec import Codec, from_text, to_text
from planboard.blackboard.registry import TypeRegistry

CODEC = Codec(TypeRegistry(TYPES))
DOG = {"$": "Dog", "v": {"kind": "dog"}}


class Hidden(BaseModel):
    """Nobody has registered it."""


@dataclass
class Telling:
    made: int = 0

    def __post_init__(self) -> None:
        raise AssertionError

    @property
    def trap(self) -> int:
        raise AssertionError

    @trap.setter
    def trap(self, _: int) -> None:
        raise AssertionError


class Strict(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def never(cls, n: int) -> int:
        raise AssertionError


NAMES = [
    "builtins:eval", "builtins.eval", "eval", "os:system", "os.system", "posix:system", "subprocess:Popen", "object",
    "type", "BaseModel", "pydantic:BaseModel", "Hidden", f"{__name__}:Hidden", "Codec", "Path", "int", "list", "",
    "stored_values", "stored_values:", "Dog.__class__", "Dog.model_construct", "Outer", "__main__:Dog2", None, 3, [],
    {}, True, "$", "Box[int", "Box[os.system]", "Pet", "Literal",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_a_class_that_nobody_registered_is_not_built(name):
    with pytest.raises(EntryTypeError):
        CODEC.decode({"$": name, "v": {}})


def test_a_class_that_nobody_registered_is_named_with_the_closest():
    with pytest.raises(EntryTypeError, match="'Pupy' is not registered. Did you mean 'Puppy'"):
        CODEC.decode({"$": "Pupy", "v": {}})


def test_nothing_is_imported_because_data_names_it():
    before = set(sys.modules)

    for name in ("this:s", "antigravity", "antigravity:fly", "turtle.Turtle"):
        with pytest.raises(EntryTypeError):
            CODEC.decode({"$": name, "v": {}})

    assert "antigravity" not in set(sys.modules) - before


@pytest.mark.parametrize(
    "kind", ["datetime.datetime", "builtins:eval", "list", "", None, 3, [], {}, "function", "type"]
)
def test_a_standard_class_that_is_not_known_is_refused(kind):
    with pytest.raises(EntryTypeError):
        CODEC.decode({"$t": kind, "v": []})


@pytest.mark.parametrize("arguments", [["os:system"], ["Hidden"], ["int", "int"], [], "int", [3], None, [["int"]], {}])
def test_a_model_is_parametrised_with_registered_types_only(arguments):
    with pytest.raises(EntryTypeError):
        CODEC.decode({"$": "Box", "v": {"item": 1}, "of": arguments})


def test_what_is_no_generic_takes_no_parameters():
    with pytest.raises(EntryTypeError, match="takes no such parameters"):
        CODEC.decode({**DOG, "of": ["int"]})


def test_nobody_s_code_runs():
    codec = Codec(TypeRegistry([Telling, Strict]))

    assert codec.decode({"$": "Telling", "v": {"made": 3}}).made == 3
    assert codec.decode({"$": "Strict", "v": {"n": 3}}).n == 3


def test_an_attribute_that_is_no_field_is_not_set():
    with pytest.raises(EntryTypeError, match="has 'trap', which is gone"):
        Codec(TypeRegistry([Telling])).decode({"$": "Telling", "v": {"made": 3, "trap": 1}})


@pytest.mark.parametrize(
    "data",
    [
        {"$": "Dog", "v": {"kind": "cat"}},
        {"$": "Dog", "v": {"kind": None}},
        {"$": "Puppy", "v": {"kind": "dog", "age": "old"}},
        {"$": "Zoo", "v": {"star": {"$": "Cat", "v": {"kind": "cat", "lives": 9}}, "dogs": [], "by_name": {}, "anything": 1}},
        {"$": "Zoo", "v": {"star": DOG, "dogs": DOG, "by_name": {}, "anything": 1}},
        {"$": "Point", "v": {"x": "1", "y": 0.0}},
        {"$": "Plain", "v": {"n": None, "names": [], "note": ""}},
        {"$": "Plain", "v": {"n": 1, "names": [1], "note": ""}},
        {"$": "Colour", "v": "GREEN"},
        {"$": "Colour", "v": "__class__"},
        {"$": "Level", "v": 1},
        {"$": "Rights", "v": "READ"},
        {"$": "Rights", "v": 99},
        {"$": "Box[int]", "v": {"item": "x"}},
        {"$": "Box", "v": {"item": "x"}, "of": ["int"]},
        {"$": "Numbers", "v": {"root": "x"}},
        {"$": "Dog", "v": []},
        {"$": "Dog", "v": None},
        {"$": "Dog"},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_what_does_not_fit_its_class_is_refused(data):
    with pytest.raises(EntryTypeError):
        CODEC.decode(data)


@pytest.mark.parametrize(
    "data",
    [
        {"$": "Zoo", "v": {"star": {"kind": "dog"}, "dogs": [], "by_name": {}, "anything": 1}},
        {"$": "Zoo", "v": {"star": DOG, "dogs": [{"kind": "dog"}], "by_name": {}, "anything": 1}},
        {"$": "Home", "v": {"pet": {"kind": "dog"}, "pets": [], "deep": {}}},
    ],
    ids=json.dumps,
)
def test_plain_data_in_place_of_a_model_is_refused(data):
    with pytest.raises(EntryTypeError):
        CODEC.decode(data)


def test_the_field_that_does_not_fit_is_told():
    """Case 166."""
    with pytest.raises(EntryTypeError, match=r"no Zoo: dogs"):
        CODEC.decode({"$": "Zoo", "v": {"star": DOG, "dogs": None, "by_name": {}, "anything": 1}})


@pytest.mark.parametrize(("changes", "field"), [({"approved": "yes"}, "approved"), ({"approved": None}, "approved")])
def test_a_list_of_decisions_that_became_something_else_is_refused_with_the_field(changes, field):
    """Case 166."""

    class Decisions(BaseModel):
        approved: list[str] = ["a"]

    codec = Codec(TypeRegistry([Decisions]))
    data = codec.encode(Decisions())

    with pytest.raises(EntryTypeError, match=field):
        codec.decode({**data, "v": {**data["v"], **changes}})


@pytest.mark.parametrize(
    "part", [{"set": 3}, {"set": [1]}, {"set": {"a": 1}}, {"extra": [1]}, {"private": 3}, {"private": {"$t": "set"}}]
)
def test_what_is_stored_beside_the_fields_is_looked_at(part):
    codec, data = CODEC, CODEC.encode(VALUES["private attributes"])
    try:
        value = codec.decode({**data, **part})
    except EntryTypeError:
        return
    assert value.model_fields_set <= {"n"}
    assert value._count in (0, 5)


def test_a_private_attribute_that_the_class_has_not_is_refused():
    data = CODEC.encode(VALUES["private attributes"])

    with pytest.raises(EntryTypeError, match="private"):
        CODEC.decode({**data, "private": {"__class__": 1}})


def test_private_attributes_cannot_be_given_to_a_class_without():
    with pytest.raises(EntryTypeError, match="private"):
        CODEC.decode({**DOG, "private": {"a": 1}})


def test_private_attributes_that_are_not_stored_are_as_in_a_new_object():
    data = CODEC.encode(VALUES["private attributes"])
    del data["private"]

    assert CODEC.decode(data)._count == 0


def test_fields_cannot_be_given_to_a_class_that_takes_no_more():
    with pytest.raises(EntryTypeError, match="extra"):
        CODEC.decode({**CODEC.encode(Dog()), "extra": {"colour": "red"}})


@pytest.mark.parametrize(
    "data",
    [
        {"$t": "datetime", "v": "2026"}, {"$t": "datetime", "v": ["2026-01-01", "zone:../../etc/passwd", 0]},
        {"$t": "datetime", "v": ["2026-01-01", "zone:/etc/passwd", 0]}, {"$t": "datetime", "v": ["x", None, 0]},
        {"$t": "datetime", "v": ["2026-01-01", [1, 2], 0]}, {"$t": "datetime", "v": ["2026-01-01", [9, 0, 0], 0]},
        {"$t": "date", "v": 3}, {"$t": "timedelta", "v": [10**12, 0, 0]}, {"$t": "Decimal", "v": "x"},
        {"$t": "Decimal", "v": [0, [1], 2]}, {"$t": "UUID", "v": "x"}, {"$t": "bytes", "v": "é"},
        {"$t": "bytes", "v": "a"}, {"$t": "float", "v": "1.5"}, {"$t": "int", "v": "x"}, {"$t": "int", "v": 3},
        {"$t": "range", "v": [1, 2, 0]}, {"$t": "range", "v": [1]}, {"$t": "Fraction", "v": "1/0"},
        {"$t": "Fraction", "v": 0.5}, {"$t": "complex", "v": ["x", "y"]}, {"$t": "Path", "v": 3},
        {"$t": "IPv4Address", "v": "999.1.1.1"}, {"$t": "set", "v": [[1]]}, {"$t": "set", "v": "ab"},
        {"$t": "tuple", "v": 3}, {"$t": "tuple", "v": {"a": 1}}, {"$t": "dict", "v": [[1]]}, {"$t": "dict", "v": [[[], 1]]},
        {"$t": "deque", "v": [1], "maxlen": -1}, {"$t": "deque", "v": [1], "maxlen": "x"}, {"$t": "timezone", "v": "UTC2"},
        {"$t": "ZoneInfo", "v": "zone:Nowhere/Land"}, {"$t": "timezone", "v": None}, {"$t": "ZoneInfo", "v": "UTC"},
        {"$t": "bytearray", "v": None}, {"$t": "IPv4Address", "v": 3}, {"$t": "date"}, {"$t": "dict", "v": {"ab": 1}},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_a_standard_value_that_was_not_written_by_us_is_refused(data):
    with pytest.raises(EntryTypeError):
        CODEC.decode(data)


@pytest.mark.parametrize("data", [{"$secret": []}, {"$secret": {}}, {"$secret": None}, {"$secret": 3, "kind": []}])
def test_a_secret_that_was_changed_is_missing(data):
    with pytest.raises(EntryTypeError, match="given"):
        Codec(TypeRegistry(TYPES), secrets={"x": "y"}).decode(data)


@pytest.mark.parametrize("data", [(1,), {1}, b"x", object(), {"a": object()}, 1 + 2j])
def test_what_is_no_json_is_refused(data):
    with pytest.raises(EntryTypeError, match="is no JSON"):
        CODEC.decode(data)


def test_data_that_is_nested_too_deeply_is_refused():
    data: Any = 1
    for _ in range(5000):
        data = [data]

    with pytest.raises(EntryTypeError, match="nested too deeply"):
        CODEC.decode(data)


@pytest.mark.parametrize("text", ["[" * 100_000, "NaN", "[Infinity]", "{", "", "1 2", '"\\x"'])
def test_text_that_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError, match="."):
        from_text(text)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("many", int),
        (1, str),
        (True, int),
        ([1], list[str]),
        (DOG, Zoo),
        (DOG, Puppy),
        ([DOG], list[Puppy]),
        (None, Dog),
    ],
    ids=str,
)
def test_a_value_that_is_not_of_the_type_that_is_expected_is_refused(value, form):
    with pytest.raises(EntryTypeError, match="no "):
        CODEC.decode(value, form)


# Properties

TEXTS = [to_text(CODEC.encode(VALUES[name])) for name in VALUES if len(to_text(CODEC.encode(VALUES[name]))) < 2000]
SNIPPETS = ["", "null", "0", '"', "[]", "{}", '{"$":1}', "-", "true", '"$t"', '"$"', '"v"', "1e999", "\\ud800", ","]
WORDS = st.sampled_from(
    ["$", "$t", "$secret", "v", "of", "set", "extra", "private", "kind", "maxlen", "Dog", "Box", "Colour", "datetime",
     "dict", "set", "tuple", "int", "Decimal", "RED", "x", "item", "Numbers", "root", "Point", "y", "Plain", "n", "Rights",
     "range", "deque", "float", "nan", "timedelta", "zone:UTC", "UTC", "Checked", "Derived", "Open", "Private", "Level"]
)  # fmt: skip
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


def read(data: Any, form: Any = None) -> None:
    try:
        value = CODEC.decode(data, form)
    except EntryTypeError:
        return
    if form is not None:
        assert isinstance(value, form)
    to_text(CODEC.encode(value))


@given(text=st.sampled_from(TEXTS), data=st.data())
def test_text_that_was_changed_gives_a_value_or_a_refusal(text, data):
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        upto = data.draw(st.integers(at, min(len(text), at + 12)))
        text = text[:at] + data.draw(st.sampled_from(SNIPPETS)) + text[upto:]
    try:
        changed = from_text(text)
    except ValueError:
        return
    read(changed)


@given(DATA)
def test_any_data_gives_a_value_or_a_refusal(data):
    read(data)


@given(st.sampled_from(["Dog", "Point", "Plain", "Home", "Box[int]", "Enums", "Zoo", "Tree", "Still", "Numbers"]), DATA)
def test_any_fields_give_a_value_or_a_refusal(name, fields):
    read({"$": name, "v": fields})


@given(DATA, st.sampled_from([Dog, Home, Point, Plain, Enums, Tree, Still, Box[int], Puppy]))
def test_any_data_gives_a_value_of_the_type_that_is_expected_or_a_refusal(data, form):
    read(data, form)


@given(value=st.sampled_from(sorted(VALUES)), data=st.data())
def test_a_part_that_was_changed_gives_a_value_or_a_refusal(value, data):
    stored = json.loads(to_text(CODEC.encode(VALUES[value])))
    places = list(places_in(stored))
    if not places:
        return
    container, key = data.draw(st.sampled_from(places))
    container[key] = data.draw(DATA)
    read(stored)


def places_in(data: Any) -> Any:
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, item in pairs:
        yield data, key
        yield from places_in(item)
