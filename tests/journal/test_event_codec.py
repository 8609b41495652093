"""Promises about events as text.

- Every kind of event comes back equal, whatever is in it; none is forgotten.
- What is no event, of another version, or does not fit is refused with the field, never with another error.
- What is secret by its name or type is in no text (case 165).
"""

import json
import typing
from dataclasses import MISSING, fields, replace
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from planboard import EntryTypeError, SecretMissingError
from planboard.actions.context import Usage
from planboard.blackboard.codec import Codec
from planboard.blackboard.entry import Entry
from planboard.blackboard.integrity import same, watch
from planboard.blackboard.registry import TypeRegistry
from planboard.events import ActionSucceeded, DecisionMade, EntryAdded, Event, PlanMade, ProcessEnded, RequestMade
from planboard.events.codec import VERSION, EventCodec
from planboard.llm.port import ToolCall

HUSH = "sk-hush-123"


class Animal(BaseModel):
    name: str = "Rex"


class Dog(Animal):
    tricks: list[str] = []


class Login(BaseModel):
    user: str = "ada"
    password: SecretStr = SecretStr(HUSH)
    api_key: str = HUSH


REGISTRY = TypeRegistry([Animal, Login, list[Animal], int, str])
KINDS = get_args(get_args(Event)[0])
TEXT = st.text(st.characters(exclude_categories=()), max_size=6)  # halves of characters included
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)


def codec(**given: Any) -> EventCodec:
    return EventCodec(Codec(REGISTRY, **given))


def entry_of(value: object, form: Any = None, **given: Any) -> Entry:
    return Entry(0, value, form, watch=watch(value), **given)


ENTRIES = st.builds(
    lambda entry, position, name, producer, protected: replace(
        entry, position=position, name=name, producer=producer, protected=protected
    ),
    st.one_of(
        st.builds(entry_of, st.builds(Dog, name=TEXT, tricks=st.lists(TEXT, max_size=2))),
        st.builds(lambda name: entry_of(Animal(name=name), Animal), TEXT),
        st.lists(st.builds(Dog, name=TEXT), max_size=2).map(lambda dogs: entry_of(dogs, list[Animal])),
        st.builds(entry_of, st.floats() | st.integers() | TEXT | st.binary(max_size=3) | JSON.filter(bool)),
    ),
    st.integers(0, 99),
    st.none() | st.sampled_from(["pet", "x1"]),
    TEXT,
    st.booleans(),
)
USAGES = st.builds(Usage, st.integers(0, 9), st.floats(0, 9), st.integers(0, 9), st.integers(0, 9))


def strategy(form: Any) -> st.SearchStrategy[Any]:
    known = {Entry: ENTRIES, Usage: USAGES, str: TEXT, dict[str, Any]: st.dictionaries(TEXT, JSON, max_size=3)}
    if form in known:
        return known[form]
    if form is ToolCall:
        return st.builds(ToolCall, id=TEXT, name=TEXT, arguments=JSON.map(json.dumps))
    if form is float:
        return st.floats(allow_nan=False)
    origin, args = get_origin(form), get_args(form)
    if origin is tuple and args[1:] == (...,):
        return st.lists(strategy(args[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(strategy, args))
    if origin is typing.Union or str(origin) == "<class 'types.UnionType'>":
        return st.one_of(*map(strategy, args))
    return st.from_type(form)


@cache
def events_of(kind: Any) -> st.SearchStrategy[Any]:
    hints = get_type_hints(kind)
    return st.builds(kind, **{name: strategy(form) for name, form in hints.items() if name != "kind"})


def alike(left: Any, right: Any) -> bool:
    """Tell whether two events say the same; entries are compared by what they hold."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Entry):
        names = ("position", "type", "name", "producer", "protected")
        return all(getattr(left, name) == getattr(right, name) for name in names) and same(left.value, right.value)
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if type(left) in KINDS:
        return all(alike(getattr(left, field.name), getattr(right, field.name)) for field in fields(left))
    return same(left, right)


def simplest(kind: Any) -> Any:
    """Return an event of a kind that was not given more than it needs."""
    values = {int: 1, str: "x", float: 0.5, bool: True, Entry: entry_of(3), dict[str, Any]: {}}
    hints = get_type_hints(kind)
    needed = {field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING}
    return kind(
        **{
            name: values[form] if form in values else () if get_origin(form) is tuple else first(form)
            for name, form in hints.items()
            if name in needed
        }
    )


def first(form: Any) -> Any:
    return get_args(form)[0] if get_origin(form) is Literal else next(iter(form))


def test_the_union_names_every_event_there_is():
    from planboard.events import decisions, steps, waits

    made = {
        cls
        for module in (decisions, steps, waits)
        for cls in vars(module).values()
        if isinstance(cls, type) and cls.__module__ == module.__name__
    }
    assert made == set(KINDS)


def test_every_kind_has_a_name_of_its_own():
    kinds = [simplest(kind).kind for kind in KINDS]
    assert len(set(kinds)) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_event_with_nothing_but_what_it_needs_comes_back(kind):
    event = simplest(kind)

    assert alike(codec().decode(codec().encode(event)), event)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_every_event_comes_back_equal(kind, data):
    event = data.draw(events_of(kind))

    text = codec().encode(event)

    json.loads(text, parse_constant=pytest.fail)
    assert text.encode()
    assert alike(codec().decode(text), event)


def test_letters_of_all_alphabets_are_written_as_they_are():
    """Case 146."""
    event = EntryAdded(seq=1, process_id="p", entry=entry_of(Animal(name="漢字 عربى 🚀"), name="pet"))

    text = codec().encode(event)

    assert "漢字 عربى 🚀" in text
    assert codec().decode(text).entry.value.name == "漢字 عربى 🚀"


def test_what_was_read_notices_changes_in_place():
    event = EntryAdded(seq=1, process_id="p", entry=entry_of(Animal()))
    entry = codec().decode(codec().encode(event)).entry
    assert entry.watch.is_intact(entry.value)
    entry.value.name = "Max"
    assert not entry.watch.is_intact(entry.value)


def test_an_entry_that_was_checked_is_written_once():
    made = []

    class Counting(Codec):
        def encode(self, value: object, *, name: str | None = None) -> Any:
            made.append(value)
            return super().encode(value, name=name)

    counting, entry = EventCodec(Counting(REGISTRY)), entry_of(Animal())
    counting.check(entry)
    counting.encode(EntryAdded(seq=1, process_id="p", entry=entry))

    assert len(made) == 1


# Refusals


def stored(kind: Any = PlanMade, /, **changes: Any) -> dict[str, Any]:
    return {**json.loads(codec().encode(simplest(kind))), **changes}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ('{"v": NaN}', "NaN is no JSON"),
        ("[" * 200_000, "nested too deeply"),
        ("[]", "says no version"),
        ("{}", "says no version"),
        ('{"v": "1"}', "says no version"),
        ('{"v": true}', "says no version"),
        ('{"v": 1}', "kind"),
        ('{"v": 1, "kind": "no_such_thing"}', "no_such_thing"),
        ('{"v": 1, "kind": 3}', "kind"),
    ],
)
def test_what_is_no_event_is_refused(text, reason):
    with pytest.raises(EntryTypeError, match=reason):
        codec().decode(text)


def test_a_newer_version_is_refused_with_both_versions():
    with pytest.raises(EntryTypeError, match=r"version 9; this Planboard knows versions up to 1. Update it"):
        codec().decode(json.dumps(stored(v=9)))


@pytest.mark.parametrize("version", [0, -1, -(10**9)])
def test_a_version_that_never_was_is_refused(version):
    with pytest.raises(EntryTypeError, match=f"version {version}"):
        codec().decode(json.dumps(stored(v=version)))


def test_the_version_is_written():
    assert stored()["v"] == VERSION


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_that_has_no_default_has_to_be_there(kind):
    for field in fields(kind):
        if field.default is MISSING and field.default_factory is MISSING:
            data = stored(kind)
            del data[field.name]
            with pytest.raises(EntryTypeError, match=field.name):
                codec().decode(json.dumps(data))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_field_that_no_event_has_is_refused(kind):
    with pytest.raises(EntryTypeError, match="colour"):
        codec().decode(json.dumps(stored(kind, colour="red")))


def misfits(form: Any) -> list[Any]:
    """Return data that no field of a type takes."""
    by_class = {int: ["1", 1.5, True, None], str: [1, None, []], bool: ["true", 1, None], float: ["1", True, None]}
    if form in by_class:
        return by_class[form]
    if form is Usage:
        return [5, [1], ["1", 0, 0, 0], None]
    if get_origin(form) is dict:
        return [5, "x", [], None]
    return [5, "x", {"x": 1}, None] if get_origin(form) is tuple else [{}, [], {"x": 1}]


FIELDS = [(kind, name, form) for kind in KINDS for name, form in get_type_hints(kind).items() if form is not Entry]


@pytest.mark.parametrize(("kind", "name", "form"), FIELDS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_field_of_a_wrong_type_is_refused_by_name(kind, name, form):
    """Case 166."""
    for wrong in misfits(form):
        with pytest.raises(EntryTypeError, match=name):
            codec().decode(json.dumps(stored(kind, **{name: wrong})))


def with_entry(**changes: Any) -> str:
    data = stored(EntryAdded)
    return json.dumps({**data, "entry": {**data["entry"], **changes}})


@pytest.mark.parametrize("field", ["position", "type", "name", "producer", "protected"])
@pytest.mark.parametrize("wrong", [[], 1.5, {}])
def test_a_field_of_an_entry_of_a_wrong_type_is_refused_by_name(field, wrong):
    with pytest.raises(EntryTypeError, match=f"the {field} of an entry is"):
        codec().decode(with_entry(**{field: wrong}))


def test_true_is_no_position():
    with pytest.raises(EntryTypeError, match="position"):
        codec().decode(with_entry(position=True))


@pytest.mark.parametrize("entry", [None, [], 3, {}, {"position": 1}])
def test_what_is_no_entry_is_refused(entry):
    with pytest.raises(EntryTypeError, match="an entry has position, value"):
        codec().decode(json.dumps(stored(EntryAdded, entry=entry)))


def test_an_entry_with_a_field_too_many_is_refused():
    with pytest.raises(EntryTypeError, match="an entry has position, value"):
        codec().decode(with_entry(watch=None))


@pytest.mark.parametrize(
    ("value", "form", "reason"),
    [
        ({"$": "Cat", "v": {}}, None, "'Cat' is not registered"),
        ({"$": "os:system", "v": {}}, None, "not registered"),
        ({"$": "Dog", "v": {"name": 1, "tricks": []}}, None, "name"),
        ({"$": "Dog", "v": {"name": "Rex"}}, None, "lacks 'tricks'"),
        ("many", "int", "no int"),
        (1, "list[Dog]", "not registered"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(value, form, reason):
    with pytest.raises(EntryTypeError, match=reason):
        codec().decode(with_entry(value=value, type=form))


@given(data=st.data())
def test_text_that_was_changed_gives_an_event_or_a_refusal(data):
    text = codec().encode(data.draw(st.sampled_from(KINDS).flatmap(events_of)))
    at = data.draw(st.integers(0, len(text)))
    upto = data.draw(st.integers(at, min(len(text), at + 9)))
    changed = text[:at] + data.draw(st.sampled_from(["", "null", "0", '"', "[]", '{"$":1}', "-", "true"])) + text[upto:]

    try:
        event = codec().decode(changed)
    except EntryTypeError:
        return
    assert type(event) in KINDS


@given(data=st.data())
def test_data_that_was_changed_gives_an_event_or_a_refusal(data):
    plain = json.loads(codec().encode(data.draw(st.sampled_from(KINDS).flatmap(events_of))))
    name = data.draw(st.sampled_from(sorted(plain)))
    wrong = data.draw(JSON | st.just({"$": "Dog", "v": {}}) | st.just({"$t": "datetime", "v": [1]}))

    try:
        event = codec().decode(json.dumps({**plain, name: wrong}))
    except EntryTypeError:
        return
    assert type(event) in KINDS


# Secrets


def test_a_secret_is_in_no_text():
    """Case 165."""
    login = entry_of(Login(), Login)
    named = entry_of(HUSH, str, name="api_key")
    listed = entry_of({"access_token": HUSH}, name="headers")
    call = ToolCall("c1", "sign_in", json.dumps({"password": HUSH}))
    for event in (
        EntryAdded(seq=1, process_id="p", entry=login),
        ActionSucceeded(seq=1, process_id="p", call=1, action="a", outputs=(login, named, listed)),
        DecisionMade(seq=1, process_id="p", decision=1, calls=(call,)),
    ):
        assert HUSH not in codec().encode(event)


def test_a_secret_has_to_be_given_and_is_named():
    """Case 165."""
    event = EntryAdded(seq=1, process_id="p", entry=entry_of(HUSH, str, name="api_key"))
    text = codec().encode(event)

    with pytest.raises(SecretMissingError, match="api_key") as caught:
        codec().decode(text)

    assert caught.value.secrets == ("api_key",)
    assert alike(codec(secrets={"api_key": HUSH}).decode(text), event)


def test_secrets_of_fields_come_back_when_they_are_given():
    """Case 165."""
    event = EntryAdded(seq=1, process_id="p", entry=entry_of(Login(), Login))
    given = {"Login.password": HUSH, "Login.api_key": HUSH}

    assert alike(codec(secrets=given).decode(codec().encode(event)), event)


def test_a_value_that_cannot_be_kept_names_the_entry_and_the_path():
    """Case 048."""
    event = EntryAdded(seq=1, process_id="p", entry=entry_of({"f": [lambda: 1]}, name="hook"))

    with pytest.raises(EntryTypeError, match=r"hook: dict from 'input' cannot be kept.*at \['f'\]\[0\]: .*function"):
        codec().encode(event)


def test_a_schema_and_arguments_of_a_request_come_back_as_they_were():
    """Case 052."""
    event = RequestMade(
        seq=1, process_id="p", call=1, action="pay", inputs=(0,), purpose="approval", prompt="?",
        schema={"type": "object", "x": [1, None]}, arguments={"animal": {"name": "Rex", "$": "x"}},
    )  # fmt: skip

    assert codec().decode(codec().encode(event)) == event


def test_an_end_keeps_its_status():
    event = codec().decode(codec().encode(simplest(ProcessEnded)))

    assert type(event.status) is type(simplest(ProcessEnded).status)
