"""One typed object on the board, with where it came from."""

from dataclasses import dataclass
from typing import Any

from pydantic_core import core_schema

from planboard.blackboard.integrity import Watch
from planboard.types import TypeForm, type_name

INPUT = "input"
"""The producer of entries that a run was started with, or that were put on the board from outside."""
PERSON = "person"
"""The producer of entries that a person has given or changed."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """An object on the blackboard. Entries are compared by identity and never change."""

    position: int
    """The place in the history of its board, counted from 0."""
    value: Any
    type: TypeForm | None = None
    """The declared type, or `None` when only the value's own class is known."""
    name: str | None = None
    """The binding name, if it has one."""
    producer: str = INPUT
    """The action that produced it, or `"input"`."""
    protected: bool = False
    """Whether it stays visible when the board is cleared or a state is entered."""
    watch: Watch | None = None
    """Tells whether the object was changed since; `None` for objects that cannot change."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(_read)

    def __repr__(self) -> str:
        """Say which entry it is; not what it holds, which may be secret or large."""
        return f"<Entry {self.position}: {self} from {self.producer!r}>"

    @property
    def type_name(self) -> str:
        """The declared type, else the class, as a person writes it."""
        return type_name(self.type if self.type is not None else type(self.value))

    def __str__(self) -> str:
        return f"{self.name}: {self.type_name}" if self.name else self.type_name


def _read(given: Any, info: core_schema.ValidationInfo) -> Entry:
    """Take an entry as it is, or let the codec that reads the data around it make one."""
    if isinstance(given, Entry):
        return given
    if not callable(info.context):
        message = "an entry in JSON is read by the codec of its agent"
        raise ValueError(message)  # noqa: TRY004 - what pydantic takes for a refusal
    entry: Entry = info.context(given)
    return entry
