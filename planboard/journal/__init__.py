"""Journals: where the events of runs are kept, in memory or in a file."""

from typing import TYPE_CHECKING, Any

from planboard.journal.memory import MemoryJournal
from planboard.journal.port import Journal, Record, RunInfo, Standing

if TYPE_CHECKING:
    from planboard.journal.sqlite import SqliteJournal

__all__ = ["Journal", "MemoryJournal", "Record", "RunInfo", "SqliteJournal", "Standing"]


def __getattr__(name: str) -> Any:
    if name == "SqliteJournal":  # only who keeps runs in a file loads sqlite3
        from planboard.journal.sqlite import SqliteJournal

        return SqliteJournal
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
