"""What can happen to a board, as data. A board is the fold over its changes."""

from dataclasses import dataclass
from typing import TypeAlias

from planboard.blackboard.entry import Entry


@dataclass(frozen=True, slots=True)
class Added:
    """An entry was appended."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Hidden:
    """Entries became invisible; history keeps them."""

    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ConditionSet:
    """A free condition was given a value."""

    name: str
    value: bool


Change: TypeAlias = Added | Hidden | ConditionSet
