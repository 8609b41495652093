"""The promise that a board behaves as an obvious list does, whatever is done to it.

- Any order of adding, binding, hiding, clearing, asking, spawning and copying gives what a plain list gives.
"""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from pydantic import BaseModel

from planboard import Blackboard


class Base(BaseModel):
    n: int = 0


class Child(Base):
    pass


class Other(BaseModel):
    n: int = 0


FORMS = [Base, Child, Other, int, str, Base | int, list[int]]
MAKERS = [lambda n: Base(n=n), lambda n: Child(n=n), lambda n: Other(n=n), lambda n: n, str, lambda n: [n]]
NAMES = [None, "a", "b"]


def is_a(value, form):
    if form == list[int]:
        return isinstance(value, list)
    if form == Base | int:
        return isinstance(value, Base | int)
    return isinstance(value, form)


@dataclass
class Slow:
    """The obvious board: a list of what was put on it, and whether each is visible."""

    items: list[list] = field(default_factory=list)

    def visible(self):
        return [item for item in self.items if item[2]]

    def all(self, form, name=None):
        return [v for v, n, _, _ in self.visible() if (name is None or n == name) and (form is None or is_a(v, form))]


class BoardMachine(RuleBasedStateMachine):
    @initialize(early=st.sets(st.sampled_from(range(len(FORMS)))))
    def start(self, early):
        self.board, self.slow = Blackboard(), Slow()
        for index in early:
            self.board.last(FORMS[index])

    @rule(make=st.sampled_from(MAKERS), n=st.integers(0, 3), name=st.sampled_from(NAMES), protected=st.booleans())
    def add(self, make, n, name, protected):
        value = make(n)
        if name is None:
            self.board.add(value, protected=protected)
        else:
            self.board.bind(name, value, protected=protected)
        self.slow.items.append([value, name, True, protected])

    @rule(index=st.integers(0, 30))
    def hide(self, index):
        if index < len(self.slow.items) and not isinstance(self.slow.items[index][0], int | str):
            value = self.slow.items[index][0]
            self.board.hide(value)
            for item in self.slow.items:
                item[2] = item[2] and item[0] is not value

    @rule(index=st.integers(0, 30))
    def hide_entry(self, index):
        if index < len(self.slow.items):
            self.board.hide(self.board.entries[index])
            self.slow.items[index][2] = False

    @rule()
    def clear(self):
        self.board.clear()
        for item in self.slow.items:
            item[2] = item[2] and item[3]

    @rule(copy=st.sampled_from(["spawn", "snapshot"]))
    def go_on_with_a_copy(self, copy):
        self.board = getattr(self.board, copy)()

    @rule(form=st.sampled_from(FORMS), name=st.sampled_from(NAMES))
    def ask(self, form, name):
        expected = self.slow.all(form, name)
        newest = self.board.last(form) if name is None else self.board.get(name, form)

        assert newest is (expected[-1] if expected else None)
        if name is None:
            assert [id(v) for v in self.board.all(form)] == [id(v) for v in expected]

    @invariant()
    def history_and_visibility_agree(self):
        if hasattr(self, "board"):
            assert [id(e.value) for e in self.board.entries] == [id(item[0]) for item in self.slow.items]
            assert [id(e.value) for e in self.board.visible] == [id(item[0]) for item in self.slow.visible()]
            newest = self.board.newest_entry
            assert (newest and newest.value) is (self.slow.visible()[-1][0] if self.slow.visible() else None)


TestBoard = BoardMachine.TestCase
TestBoard.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
