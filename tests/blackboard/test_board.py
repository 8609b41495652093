"""Promises of the board.

- Entries are appended, never removed; hiding and clearing change what is visible, not the history.
- The newest visible match answers; look-ups by name, by type and by both agree.
- A child reads its parent and writes to itself; a snapshot is independent.
- A look-up costs the same however many entries there are.
"""

import re

import pytest
from pydantic import BaseModel

from planboard import Blackboard, EntryNotFoundError, EntryTypeError
from planboard.blackboard import matching


class Person(BaseModel):
    name: str = "Ada"


class Dog(BaseModel):
    name: str = "Duke"


def test_the_newest_of_a_type_answers():
    board = Blackboard()

    board.add(Person(name="Ada"))
    board.add(Person(name="Bea"))

    assert board.last(Person) == Person(name="Bea")
    assert board.all(Person) == [Person(name="Ada"), Person(name="Bea")]


def test_an_entry_knows_where_it_came_from():
    board = Blackboard()

    entry = board.bind("friend", Dog())

    assert (entry.position, entry.name, entry.producer, entry.value) == (0, "friend", "input", Dog())
    assert str(entry) == "friend: Dog"


def test_the_newest_of_a_name_answers_whatever_its_type():
    board = Blackboard()

    board["it"] = Person()
    board["it"] = Dog()

    assert board["it"] == Dog()
    assert board.get("it", Person) == Person()
    assert board.get("it", int) is None


def test_a_missing_name_is_answered_with_the_closest():
    board = Blackboard()
    board["person"] = Person()

    with pytest.raises(EntryNotFoundError, match="Did you mean 'person'"):
        board["persn"]

    assert board.get("persn") is None
    assert "persn" not in board
    assert 3 not in board


@pytest.mark.parametrize("name", ["", "a b", "1st", "a-b"])
def test_a_name_is_an_identifier(name):
    with pytest.raises(EntryTypeError, match="binding name"):
        Blackboard().bind(name, Person())


def test_none_is_no_entry():
    with pytest.raises(EntryTypeError, match="None cannot be put on the board"):
        Blackboard().add(None)


def test_hiding_keeps_history_and_looks_past_what_is_hidden():
    board = Blackboard()
    first, second = board.add(Person(name="Ada")), board.add(Person(name="Bea"))

    board.hide(second)

    assert board.last(Person) == Person(name="Ada")
    assert board.entries == (first, second)
    assert board.visible == (first,)
    assert len(board) == 1


def test_hiding_goes_by_identity_not_by_equality():
    board = Blackboard()
    board.add(ada := Person())
    board.hide(ada)

    board.add(Person())

    assert board.last(Person) is not ada
    assert board.last(Person) == ada


def test_hiding_what_is_not_there_changes_nothing():
    board = Blackboard()
    board.add(Person())

    board.hide(Person(), Dog(), 5)

    assert len(board) == 1


def test_clearing_leaves_only_what_is_protected():
    board = Blackboard()
    board.bind("talk", "important", protected=True)
    board.bind("other", "value")

    board.clear()

    assert board.get("talk") == "important"
    assert board.get("other") is None
    assert len(board.entries) == 2


def test_a_free_condition_is_false_until_it_is_set():
    board = Blackboard()
    assert dict(board.conditions) == {}

    board.set_condition("ready", True)

    assert dict(board.conditions) == {"ready": True}


@pytest.mark.parametrize("value", [None, 1, "yes"])
def test_a_condition_is_true_or_false(value):
    with pytest.raises(EntryTypeError, match="True or False"):
        Blackboard().set_condition("ready", value)


def test_a_child_reads_its_parent_and_writes_to_itself():
    board = Blackboard()
    board.add(Person())
    board.set_condition("ready", True)

    child = board.spawn()
    child.add(Dog())
    child.set_condition("ready", False)

    assert child.last(Person) == Person()
    assert board.last(Dog) is None
    assert (board.conditions["ready"], child.conditions["ready"]) == (True, False)


def test_a_child_hides_for_itself_only():
    board = Blackboard()
    board.add(ada := Person())
    child = board.spawn()

    child.hide(ada)

    assert child.last(Person) is None
    assert board.last(Person) is ada


def test_a_child_does_not_unhide():
    board = Blackboard()
    board.add(ada := Person())
    board.hide(ada)

    assert board.spawn().last(Person) is None


def test_a_child_sees_what_its_parent_gets_later():
    board = Blackboard()
    child = board.spawn()
    assert child.last(Person) is None

    board.add(Person())

    assert child.last(Person) == Person()


def test_a_snapshot_is_independent_of_its_board():
    board = Blackboard()
    board.add(ada := Person())
    board.hide(ada)
    board.set_condition("ready", True)

    copied = board.snapshot()
    copied.add(Dog())
    board.add(Person(name="Bea"))

    assert copied.last(Person) is None
    assert board.last(Dog) is None
    assert copied.conditions["ready"] is True
    assert len(copied.entries) == 2


def test_equal_boards_have_equal_histories():
    one, other = Blackboard(), Blackboard()
    for board in (one, other):
        board.hide(board.add(Person()))

    assert one == other
    other.add(Dog())
    assert one != other


def test_a_number_that_equals_nothing_does_not_make_boards_differ():
    one, other = Blackboard(), Blackboard()
    for board in (one, other):
        board.add(float("nan"))

    assert one == other


def test_an_entry_shows_no_value_in_its_repr():
    entry = Blackboard().bind("who", Person(name="hush"))

    assert repr(entry) == "<Entry 0: who: Person from 'input'>"


def test_a_lookup_matches_no_types_once_the_kinds_are_known(monkeypatch):
    """Ten thousand entries: the types are compared once for each kind of entry, not once for each entry."""
    board = Blackboard()
    board.last(Person)
    board.last(Dog)
    asked = []
    satisfies = matching.satisfies
    monkeypatch.setattr("planboard.blackboard.index.satisfies", lambda *args: asked.append(args) or satisfies(*args))

    for number in range(5_000):
        board.add(Dog(name=str(number)))
        board.add(number)
    for _ in range(1_000):
        assert board.last(Dog) == Dog(name="4999")
        assert board.last(Person) is None

    assert len(asked) <= 8


def test_a_lookup_past_many_hidden_entries_does_not_pass_over_them_again():
    board = Blackboard()
    board.add(keep := Person(name="first"))
    query = board.matcher.query(Person)
    assert board.newest(query).value is keep
    board.hide(*[board.add(Person()) for _ in range(1_000)])

    assert board.newest(query).value is keep

    assert len(board._found[query]) == 1


def test_a_board_is_shown_briefly():
    board = Blackboard()
    board.bind("friend", Dog())

    assert re.fullmatch(r"<Blackboard 1 visible, 0 hidden: friend: Dog>", repr(board))
