"""Promises about objects that are changed in place.

- A change is found out whatever the object is made of, and what was stored comes back.
- What cannot change costs nothing, and what only looks changed is no change.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property

import pytest
from pydantic import BaseModel, ConfigDict, PrivateAttr, RootModel

from planboard import Blackboard, MutatedEntryError
from planboard.blackboard.integrity import duplicate, same, watch


class Flat(BaseModel):
    n: int = 1


class Deep(BaseModel):
    tags: list[str] = ["a"]
    inner: dict[str, Flat] = {"x": Flat()}


class Secretive(BaseModel):
    _hidden: list[int] = PrivateAttr(default_factory=list)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Names(RootModel[list[str]]):
    pass


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    n: int = 1


class Shell(BaseModel):
    model_config = ConfigDict(frozen=True)
    name: str = "s"
    tags: list[str] = ["a"]
    inner: tuple["Shell | Flat", ...] = ()
    _hidden: list[int] = PrivateAttr(default_factory=list)


class Sealed(BaseModel):
    model_config = ConfigDict(frozen=True)
    name: str = "s"
    _hidden: list[int] = PrivateAttr(default_factory=list)


@dataclass(frozen=True)
class FrozenRecord:
    items: list[int] = field(default_factory=lambda: [1])


@dataclass
class Record:
    n: int = 1


@dataclass
class Nested:
    items: list[int] = field(default_factory=lambda: [1])


@dataclass(slots=True)
class Slotted:
    n: int = 1


class Plain:
    def __init__(self) -> None:
        self.items = [1]


class Cached(BaseModel):
    n: int = 2

    @cached_property
    def double(self) -> int:
        return self.n * 2


CHANGES = [
    (Flat(), lambda it: setattr(it, "n", 2)),
    (Deep(), lambda it: it.tags.append("b")),
    (Deep(), lambda it: setattr(it.inner["x"], "n", 5)),
    (Secretive(), lambda it: it._hidden.append(1)),
    (Open(a=1), lambda it: setattr(it, "a", 2)),
    (Names(["a"]), lambda it: it.root.append("b")),
    (Record(), lambda it: setattr(it, "n", 2)),
    (Nested(), lambda it: it.items.append(2)),
    (Slotted(), lambda it: setattr(it, "n", 2)),
    (Plain(), lambda it: it.items.append(2)),
    (Shell(), lambda it: it.tags.append("b")),
    (Shell(inner=(Flat(),)), lambda it: setattr(it.inner[0], "n", 2)),
    (Shell(inner=(Shell(), Shell())), lambda it: it.inner[1].tags.clear()),
    (Shell(inner=(Shell(),)), lambda it: it.inner[0]._hidden.append(1)),
    (Sealed(), lambda it: it._hidden.append(1)),
    (Sealed(), lambda it: setattr(it, "_hidden", [1])),
    ([Sealed()], lambda it: it[0]._hidden.append(1)),
    (Shell(inner=(Shell(),)), lambda it: setattr(it.inner[0], "_hidden", [1])),
    (FrozenRecord(), lambda it: it.items.append(2)),
    ([1, [2]], lambda it: it[1].append(3)),
    ({"a": {1}}, lambda it: it["a"].add(2)),
    ({1, 2}, lambda it: it.add(3)),
    ((1, [2]), lambda it: it[1].append(3)),
    (bytearray(b"a"), lambda it: it.append(1)),
    (OrderedDict(a=[1]), lambda it: it["a"].append(2)),
]


@pytest.mark.parametrize(("value", "change"), CHANGES, ids=lambda item: type(item).__name__)
def test_a_change_in_place_is_found_and_undone(value, change):
    board = Blackboard()
    value = duplicate(value)
    stored = duplicate(value)
    entry = board.add(value)
    board.verify()

    change(value)

    with pytest.raises(MutatedEntryError, match="in place"):
        board.verify()
    assert same(entry.value, stored)
    board.verify()


@pytest.mark.parametrize(("value", "change"), CHANGES, ids=lambda item: type(item).__name__)
def test_what_was_brought_back_is_watched_too(value, change):
    board = Blackboard()
    value = duplicate(value)
    entry = board.add(value)
    change(value)
    with pytest.raises(MutatedEntryError):
        board.verify()

    change(entry.value)

    with pytest.raises(MutatedEntryError):
        board.verify()


def test_the_action_that_did_it_is_named():
    board = Blackboard()
    board.add(flat := Flat())
    flat.n = 3

    with pytest.raises(MutatedEntryError, match="Action 'edit' changed the Flat") as caught:
        board.verify(action="edit")

    assert caught.value.action == "edit"


def test_all_that_was_changed_is_brought_back_at_once():
    board = Blackboard()
    board.add(one := Flat())
    board.add(other := Record())
    one.n = other.n = 9

    with pytest.raises(MutatedEntryError, match=r"the Flat .* and the Record"):
        board.verify()

    assert board.last(Flat) == Flat()
    assert board.last(Record) == Record()


@pytest.mark.parametrize("value", [1, "a", (1, "b"), frozenset({1}), Frozen(), None, range(3), b"x", 1.5])
def test_what_cannot_change_is_not_watched(value):
    assert watch(value) is None


def test_a_cached_property_is_no_change():
    board = Blackboard()
    board.add(cached := Cached())

    assert cached.double == 4

    board.verify()


def test_what_cannot_be_copied_can_still_be_put_on_the_board():
    board = Blackboard()
    board.add({"lock": threading.Lock()})

    board.verify()


@pytest.mark.parametrize("value", [Names(["a"]), [Names(["a"])], {"names": Names([])}], ids=repr)
def test_a_root_model_that_nobody_changed_is_unchanged(value):
    board = Blackboard()
    board.add(value)

    board.verify()


def test_not_a_number_is_the_same_as_itself():
    board = Blackboard()
    board.add([float("nan")])

    board.verify()

    assert same([float("nan")], [float("nan")])
    assert not same(1, 1.0)
    assert not same({"a": 1}, {"a": True})


def test_a_copy_shares_what_cannot_change():
    class Fixed(BaseModel, frozen=True):
        text: str

    class Open(BaseModel):
        text: str

    fixed, loose = duplicate(given := [Fixed(text="a"), Open(text="b")])

    assert fixed is given[0]
    assert loose is not given[1]


def test_a_cycle_is_compared_and_copied():
    loop = [1]
    loop.append(loop)

    copied = duplicate(loop)

    assert copied[1] is copied
    assert same(loop, copied)
