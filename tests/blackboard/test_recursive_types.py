"""Objects of classes that refer to themselves stand on the board like any others."""

from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from planboard import Blackboard, MutatedEntryError


class Branch(BaseModel, frozen=True):
    name: str
    branches: "tuple[Branch, ...]" = ()


class Link(BaseModel):
    name: str
    next: "Link | None" = None


@dataclass(frozen=True)
class Egg:
    hen: "Hen | None" = None


@dataclass
class Hen:
    egg: Egg
    age: int = 1


@pytest.mark.parametrize("value", [Branch(name="a", branches=(Branch(name="b"),)), Link(name="a"), Egg(Hen(Egg()))])
def test_an_object_of_a_class_that_refers_to_itself_is_put_on_the_board(value):
    board = Blackboard()

    board.add(value)

    assert board.last(type(value)) == value


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (Link(name="a", next=Link(name="b")), lambda link: setattr(link.next, "name", "c")),
        (Egg(Hen(Egg())), lambda egg: setattr(egg.hen, "age", 2)),
        (Hen(Egg(Hen(Egg()))), lambda hen: setattr(hen.egg.hen, "age", 2)),
    ],
    ids=["link", "egg", "hen"],
)
def test_a_change_deep_inside_an_object_of_such_a_class_is_noticed(value, change):
    board = Blackboard()
    board.add(value)

    change(value)

    with pytest.raises(MutatedEntryError):
        board.verify()
