"""Promises about stored values.

- A value comes back equal and of the same class, in this program and in another, or it is refused when it is put.
- Validators are not run, and nothing of what a value knows is lost.
- The text is JSON everywhere, the same every time, and says nothing that is secret (case 165).
"""

import datetime as dt
import json
import pathlib
import subprocess
import sys
import zoneinfo
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretBytes, SecretStr

sys.path.insert(0, str(Path(__file__).parent))

from stored_values import (
    TYPES,
    VALUES,
    Aliased,
    Box,
    Cat,
    Checked,
    Colour,
    Derived,
    Dog,
    Doubling,
    Enums,
    Frozen,
    Home,
    Level,
    Plain,
    Point,
    Private,
    Puppy,
    Scalars,
    Size,
    Still,
    Zoo,
)

from planboard import EntryTypeError, SecretMissingError
from planboard.blackboard.codec import Codec, from_text, to_text
from planboard.blackboard.integrity import same
from planboard.blackboard.registry import TypeRegistry

HUSH = "sk-hush-123"
REGISTRY = TypeRegistry(TYPES)
CODEC = Codec(REGISTRY)


def text_of(value: Any) -> str:
    return to_text(CODEC.encode(value))


def back(value: Any) -> Any:
    return CODEC.decode(from_text(text_of(value)))


@pytest.mark.parametrize("name", VALUES)
def test_a_value_comes_back_equal_and_of_its_class(name):
    """Cases 045, 046, 047, 048, 049 and 050."""
    assert same(back(VALUES[name]), VALUES[name])


def test_values_come_back_in_another_program():
    """Cases 045 to 050."""
    texts = {name: text_of(value) for name, value in VALUES.items()}
    program = [sys.executable, str(Path(__file__).with_name("reads_elsewhere.py"))]

    done = subprocess.run(program, input=json.dumps(texts), capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"read": len(VALUES), "wrong": []}


@pytest.mark.parametrize("name", VALUES)
def test_the_text_is_json_everywhere(name):
    """Case 049."""
    json.loads(text_of(VALUES[name]), parse_constant=pytest.fail)
    assert text_of(VALUES[name]).encode()


@pytest.mark.parametrize("name", VALUES)
def test_what_came_back_is_written_as_before(name):
    assert text_of(back(VALUES[name])) == text_of(VALUES[name])


def test_letters_are_written_as_they_are():
    """Case 146."""
    assert text_of("漢字 عربى 🚀") == '"漢字 عربى 🚀"'


def test_a_set_is_written_in_one_order():
    assert text_of({"b", "a", "c"}) == text_of({"c", "b", "a"})


# Properties

LETTERS = st.text(st.characters(exclude_categories=()), max_size=4)
OFFSETS = st.integers(-23 * 60, 23 * 60).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))
ZONES = st.none() | st.just(dt.UTC) | OFFSETS | st.just(zoneinfo.ZoneInfo("UTC"))
KEYS = st.one_of(
    st.none(), st.booleans(), st.integers(), LETTERS, st.binary(max_size=3), st.sampled_from(Colour),
    st.sampled_from(["$", "$t", "v", "of", "set"]), st.decimals(allow_nan=False), st.fractions(),
    st.dates(), st.uuids(), st.builds(Point, st.integers(), st.floats(allow_nan=False)), st.builds(Still),
)  # fmt: skip
LEAVES = st.one_of(
    KEYS, st.floats(), st.complex_numbers(), st.datetimes(timezones=ZONES), st.times(), st.timedeltas(),
    st.decimals(allow_nan=False), st.sampled_from(Level), st.sampled_from(Size), st.builds(Cat), st.builds(Puppy, age=st.floats()),
    st.builds(Frozen, st.builds(Point)), st.builds(Plain, st.integers(), st.lists(LETTERS, max_size=2)),
    st.binary(max_size=3).map(bytearray), st.just(pathlib.Path("a")), st.just(range(3)), st.builds(Checked),
    st.builds(Derived, n=st.integers()), st.builds(Aliased, theText=LETTERS),
)  # fmt: skip
NESTED = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(KEYS, inner, max_size=3),
        st.sets(KEYS, max_size=3),
        st.frozensets(KEYS, max_size=3),
        st.builds(Zoo, star=st.builds(Dog) | st.builds(Puppy), anything=inner),
        st.builds(Box, item=inner),
    ),
    max_leaves=8,
)


@given(NESTED)
def test_any_value_comes_back_equal_and_of_its_class(value):
    assert same(back(value), value)


@given(NESTED)
def test_the_text_of_any_value_is_json(value):
    json.loads(text_of(value), parse_constant=pytest.fail)


@given(
    st.builds(
        Scalars,
        aware=st.datetimes(timezones=ZONES.filter(bool)),
        hour=st.times(timezones=st.none() | st.just(dt.UTC) | OFFSETS),
        money=st.decimals(allow_nan=False, allow_infinity=False),
        weight=st.floats(),
        many=st.integers(),
        path=st.just(pathlib.PurePosixPath("a/../b")),
    )
)
def test_scalars_in_fields_come_back_exactly(value):
    """Cases 047 and 049."""
    restored = back(value)

    assert same(restored, value)
    assert [str(restored.money), repr(restored.weight)] == [str(value.money), repr(value.weight)]


@given(st.builds(Enums, by_colour=st.dictionaries(st.sampled_from(Colour), st.sampled_from(Level))))
def test_enums_in_all_places_keep_their_classes(value):
    """Case 046."""
    restored = back(value)

    assert restored == value
    assert {type(key) for key in restored.by_colour} <= {Colour}
    assert {type(item) for item in restored.by_colour.values()} <= {Level}


# What a value knows


def test_the_tag_of_a_union_is_written_though_it_is_a_default():
    """Case 045."""
    restored = back(Home(pet={"kind": "cat"}, deep={"x": [{"kind": "dog"}, None]}))

    assert [type(restored.pet), type(restored.deep["x"][0])] == [Cat, Dog]


def test_a_subclass_in_a_field_of_its_base_stays_what_it_is():
    restored = back(Zoo(star=Puppy(age=2.0), dogs=[Puppy(), Dog()]))

    assert [type(restored.star), *map(type, restored.dogs)] == [Puppy, Puppy, Dog]
    assert restored.star.age == 2.0


def test_validators_are_not_run_again():
    assert back(Doubling(n=2)).n == 4


def test_post_init_is_not_run_again():
    made = Derived(n=2)
    made.twice = 7

    assert back(made).twice == 7


def test_private_attributes_come_back():
    assert back(VALUES["private attributes"])._count == 5
    assert back(Private())._count == 0


def test_which_fields_were_set_comes_back():
    assert back(Cat(lives=9)).model_fields_set == {"lives"}
    assert back(Cat()).model_fields_set == set()


def test_a_computed_field_is_computed_and_not_stored():
    """Case 050."""
    assert "size" not in text_of(Aliased(theText="abc"))
    assert back(Aliased(theText="abc")).size == 3


def test_what_came_back_can_be_used_as_before():
    restored = back(Home())

    assert restored.model_copy(update={"pets": [Cat()]}).pets == [Cat()]
    assert restored.model_dump_json() == Home().model_dump_json()


def test_a_frozen_model_that_came_back_is_frozen_and_can_be_hashed():
    restored = back(Still(n=2))

    assert hash(restored) == hash(Still(n=2))
    with pytest.raises(ValueError, match="frozen"):
        restored.n = 3


def test_classes_that_a_model_was_parametrised_with_come_back():
    assert type(back(Box[int](item=3))) is Box[int]
    assert type(back(Box[Colour](item=Colour.RED))) is Box[Colour]


def test_a_subclass_that_was_defined_later_is_known():
    class Kitten(Cat):
        pass

    assert type(back(Kitten())) is Kitten


# Refusals when a value is put


class Stranger(BaseModel):
    pass


class Opaque:
    pass


def test_the_place_of_what_cannot_be_stored_is_told():
    """Case 048."""
    with pytest.raises(EntryTypeError, match=r"A Zoo cannot be stored, at anything\[0\]\['x'\]: a function is no data"):
        CODEC.encode(Zoo(star=Dog(), anything=[{"x": lambda: 1}]))


@pytest.mark.parametrize(
    "value",
    [
        object(), lambda: 1, Opaque(), Opaque, len, sys, (number for number in ()), iter([]), open, memoryview(b"a"),
        Stranger(), [Stranger()], {Opaque(): 1}, Zoo(star=Dog(), anything=Stranger()), Exception("x"), NotImplemented,
        dt.datetime(2026, 1, 1, tzinfo=type("Mine", (dt.tzinfo,), {"utcoffset": lambda *_: dt.timedelta(0)})()),
        type("MyList", (list,), {})([1]), type("MyDict", (dict,), {})(a=1), type("MyStr", (str,), {})("a"),
        type("MyInt", (int,), {})(1),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_would_not_come_back_is_refused_when_it_is_put(value):
    """Case 048."""
    with pytest.raises(EntryTypeError, match="cannot be stored"):
        CODEC.encode(value)


def test_a_model_parametrised_with_a_type_that_nobody_named_is_refused():
    with pytest.raises(EntryTypeError, match=r"'list\[int\]' is not registered"):
        CODEC.encode(Box[list[int]](item=[1]))


def test_what_refers_to_itself_is_refused():
    around: list[Any] = []
    around.append(around)

    with pytest.raises(EntryTypeError, match="refers to itself"):
        CODEC.encode(around)


def test_a_dataclass_that_lacks_an_attribute_is_refused():
    made = object.__new__(Derived)
    made.n = 1

    with pytest.raises(EntryTypeError, match="it has no 'twice'"):
        CODEC.encode(made)


def test_a_model_that_lacks_a_field_is_refused():
    with pytest.raises(EntryTypeError, match="it has no 'text'"):
        CODEC.encode(Aliased.model_construct())


@pytest.mark.parametrize("value", [Fraction(1, 3), range(3), Decimal("NaN")])
def test_standard_values_that_are_rarely_stored_can_be(value):
    """Case 048."""
    assert repr(back(value)) == repr(value)


# Secrets


class Login(BaseModel):
    user: str = "ada"
    password: SecretStr = SecretStr(HUSH)
    key: SecretBytes = SecretBytes(HUSH.encode())
    api_key: str = HUSH
    headers: dict[str, Any] = {"access_token": HUSH, "deep": [{"auth_token": [HUSH]}]}
    max_password_length: int = 12


LOGINS = TypeRegistry([Login, Zoo, Dog])


@pytest.mark.parametrize(
    "value",
    [
        Login(), [Login()], {"a": (Login(),)}, Zoo(star=Dog(), anything=Login()), SecretStr(HUSH), {"api_key": HUSH},
        {"api_key": {"x": HUSH}}, {1: {"password": [HUSH]}}, {"$": 1, "password": HUSH},
    ],
)  # fmt: skip
def test_a_secret_is_never_written(value):
    """Case 165."""
    assert HUSH not in to_text(Codec(LOGINS).encode(value))


def test_what_is_secret_by_the_name_it_goes_by_is_never_written():
    """Case 165."""
    assert CODEC.encode(HUSH, name="api_key") == {"$secret": "api_key"}


def test_what_only_counts_secrets_is_written():
    assert CODEC.encode(3, name="password_attempts") == 3
    assert Codec(LOGINS).encode(Login())["v"]["max_password_length"] == 12


def test_secrets_that_are_missing_are_named_all_at_once():
    """Case 165."""
    with pytest.raises(SecretMissingError, match="have to be given") as caught:
        Codec(LOGINS).decode(Codec(LOGINS).encode(Login()))

    assert set(caught.value.secrets) == {
        "Login.password", "Login.key", "Login.api_key", "access_token", "auth_token",
    }  # fmt: skip


def test_secrets_that_are_given_come_back_in_their_classes():
    given = {
        "password": HUSH, "Login.key": HUSH.encode(), "Login.api_key": HUSH, "access_token": HUSH, "auth_token": [HUSH],
    }  # fmt: skip
    restored = Codec(LOGINS, secrets=given).decode(Codec(LOGINS).encode(Login()))

    assert restored == Login()


def test_a_secret_of_the_wrong_type_is_refused():
    given = dict.fromkeys(["password", "key", "api_key", "access_token", "auth_token"], 5)

    with pytest.raises(EntryTypeError) as caught:
        Codec(LOGINS, secrets=given).decode(Codec(LOGINS).encode(Login()))
    assert not isinstance(caught.value, SecretMissingError)
