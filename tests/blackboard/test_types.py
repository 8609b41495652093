"""Promises about which entries satisfy which types (DESIGN 3.2).

- Subclasses, ABCs, runtime-checkable protocols, unions, literals and NewTypes are told apart as a person would.
- A parametrised type is satisfied by what is declared or holds that type, also when it is empty.
- What planning expects and what the board says never contradict each other.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NewType, Protocol, TypedDict, TypeVar, runtime_checkable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from planboard import Blackboard, EntryTypeError
from planboard.blackboard.matching import prospect, satisfies

T = TypeVar("T")


class Base(BaseModel):
    n: int = 0


class Child(Base):
    pass


class Sibling(Base):
    pass


class Box(BaseModel, Generic[T]):
    item: T


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...


@dataclass
class Square(Shape):
    side: float = 1.0

    def area(self) -> float:
        return self.side**2


@runtime_checkable
class Named(Protocol):
    name: str


class Pet(BaseModel):
    name: str = "Rex"


class Colour(Enum):
    RED = 1


class Movie(TypedDict):
    title: str


UserId = NewType("UserId", str)
Positive = Annotated[int, Field(gt=0)]
Loud = Annotated[str, "loud"]


def test_a_child_satisfies_its_parent_and_not_its_sibling():
    """Case 029."""
    board = Blackboard()
    board.add(Child())

    assert board.last(Base) == Child()
    assert board.last(Sibling) is None


def test_abstract_classes_and_protocols_are_satisfied():
    board = Blackboard()
    board.add(Square())
    board.add(Pet())

    assert board.last(Shape) == Square()
    assert board.last(Named) == Pet()


def test_a_list_of_one_type_is_no_list_of_another_also_when_empty():
    board = Blackboard()
    board.add([], type=list[Base])

    assert board.last(list[Base]) == []
    assert board.last(list[Pet]) is None
    assert board.last(list) == []


def test_an_undeclared_list_is_known_by_what_it_holds():
    board = Blackboard()
    board.add([Child()])

    assert board.last(list[Base]) == [Child()]
    assert board.last(list[Pet]) is None


def test_a_value_that_is_not_of_its_declared_type_is_refused():
    with pytest.raises(EntryTypeError, match="is not a list"):
        Blackboard().add([Pet()], type=list[Base])


def test_a_model_made_without_validation_is_refused_with_its_field():
    """Case 042."""
    wrong = Base.model_construct(n="many")

    with pytest.raises(EntryTypeError, match="n: Input should be a valid integer"):
        Blackboard().add(wrong)


def test_a_generic_model_is_known_by_its_parameter_or_content():
    """Case 034."""
    board = Blackboard()
    board.add(Box(item=3))

    assert board.last(Box[int]) == Box(item=3)
    assert board.last(Box[str]) is None
    assert board.last(Box) == Box(item=3)


def test_a_parametrised_model_satisfies_the_bare_one_and_any():
    """Case 035."""
    board = Blackboard()
    board.add(Box[Base](item=Base()))

    assert board.last(Box) is not None
    assert board.last(Box[Any]) is not None
    assert board.last(Box[Base]) is not None
    assert board.last(Box[Pet]) is None


def test_a_declared_newtype_or_tag_is_told_from_its_base():
    """Case 033."""
    board = Blackboard()
    board.add("u1", type=UserId)
    board.add("HEY", type=Loud)
    board.add("plain")

    assert board.last(UserId) == "u1"
    assert board.last(Loud) == "HEY"
    assert board.all(str) == ["u1", "HEY", "plain"]


def test_a_constraint_is_checked_on_the_value():
    board = Blackboard()
    board.add(-5)
    board.add(7)
    board.add(-7)

    assert board.all(Positive) == [7]


def test_true_is_no_number():
    board = Blackboard()
    board.add(True)

    assert board.last(bool) is True
    assert board.last(int) is None


def test_literals_enums_and_typed_dicts_are_told_apart():
    board = Blackboard()
    board.add("open")
    board.add(Colour.RED)
    board.add({"title": "Alien"})

    assert board.last(Literal["open", "closed"]) == "open"
    assert board.last(Literal["closed"]) is None
    assert board.last(Colour) is Colour.RED
    assert board.last(Movie) == {"title": "Alien"}


def test_a_union_is_satisfied_by_either_of_its_members():
    board = Blackboard()
    board.add(Pet())
    board.add(Sibling())

    assert board.last(Pet | Child) == Pet()
    assert board.last(Sibling | Pet) == Sibling()


FORMS = [
    Base, Child, Sibling, Pet, Square, Shape, Named, Box, Box[int], Box[str], Box[Any], int, bool, str, UserId, Loud,
    Positive, list, list[int], list[Base], list[Child], dict[str, int], tuple[int, str], tuple[int, ...],
    Literal["open"], Literal["open", "shut"], Colour, Movie, Base | Pet, Child | str, frozenset[int],
]  # fmt: skip
VALUES = [
    Base(), Child(), Sibling(), Pet(), Square(), Box(item=1), Box[int](item=1), Box[str](item="x"), 3, -3, True, "open",
    "u", [], [1], [Base()], [Child()], {"a": 1}, {"title": "t"}, (1, "a"), (1, 2), Colour.RED, frozenset({1}),
]  # fmt: skip


@given(st.sampled_from(VALUES), st.sampled_from(FORMS), st.sampled_from(FORMS))
def test_what_is_expected_of_a_declaration_is_what_the_board_says(value, declared, wanted):
    try:
        Blackboard().add(value, type=declared)
    except EntryTypeError:
        return

    chance = prospect(declared, wanted)
    holds = satisfies(value, declared, wanted)

    assert chance != "always" or holds
    assert chance != "never" or not holds


@given(st.sampled_from(FORMS))
def test_every_type_always_satisfies_itself(form):
    assert prospect(form, form) == "always"


@given(
    st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from([None, *FORMS])), max_size=8), st.sampled_from(FORMS)
)
def test_the_index_agrees_with_asking_each_entry(values, wanted):
    asked_before, asked_after = Blackboard(), Blackboard()
    asked_before.last(wanted)
    kept = []
    for value, declared in values:
        try:
            asked_before.add(value, type=declared)
        except EntryTypeError:
            continue
        asked_after.add(value, type=declared)
        kept.append((value, declared))

    expected = [value for value, declared in kept if satisfies(value, declared, wanted)]

    assert [id(value) for value in asked_before.all(wanted)] == [id(value) for value in expected]
    assert [id(value) for value in asked_after.all(wanted)] == [id(value) for value in expected]
