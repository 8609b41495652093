"""State machines that these tests share, of a paper and of tickets, and why others are refused."""

import re

import pytest
from pydantic import BaseModel

from planboard import DefinitionError, StateMachine, achieves_goal, action, state


class Note(BaseModel):
    text: str = ""


class Verdict(BaseModel):
    good: bool


class Book(BaseModel):
    title: str = ""


@state
class Draft(BaseModel):
    version: int = 1

    @action
    def submit(self) -> "Review":
        return Review(version=self.version)


@state
class Review(BaseModel):
    version: int = 1

    @action
    def judge(self) -> "Draft | Published":
        return Draft(version=self.version + 1) if self.version < 3 else Published(version=self.version)


@state
class Published(BaseModel):
    version: int = 1


@state
class Archived(BaseModel):
    @action
    def keep(self) -> "Archived":
        return Archived()


@state
class Lost(BaseModel):
    pass


PAPER = StateMachine("paper", [Draft, Review, Published], initial=Draft, final=Published)


@state
class Ticket(BaseModel):
    text: str = ""

    @action(pre=["ticket.text == 'never mind'"])
    def close(self) -> "Closed":
        return Closed()


class Bug(Ticket):
    @action
    def fix(self) -> "Closed":
        return Closed()


class Question(Ticket):
    @achieves_goal("It is answered")
    @action
    def answer(self) -> Book:
        return Book(title="42")


@state
class Closed(BaseModel):
    pass


@action
def triage(note: Note) -> Ticket:
    """Decide what it is."""
    return Bug() if "crash" in note.text else Question()


TRIAGE = StateMachine("triage", [Ticket, Closed], parts=[triage], final=Closed)


def refusal(states, **given) -> str:
    """Return why a machine is refused, with every file of its places called "here"."""
    with pytest.raises(DefinitionError) as caught:
        StateMachine("it", states, **given)
    return re.sub(r"[^\s(]+\.py(?=:\d)", "here", str(caught.value))


def line_of(function) -> str:
    return f"here:{function.__code__.co_firstlineno}"
