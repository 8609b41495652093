"""What tests of runs share: runs that are kept in a file, and taken up again as another program would."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from planboard import Agent, Process, ProcessOptions, SqliteJournal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    """A file for runs."""
    opened = SqliteJournal(tmp_path / "runs.db")
    yield opened
    opened.close()


@pytest.fixture
def kept(journal: SqliteJournal) -> Callable[..., ProcessOptions]:
    """Make options of a run that is kept."""

    def options(**given: Any) -> ProcessOptions:
        return ProcessOptions(journal=journal, **given)

    return options


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Take a run up as another program would that opens the same file; the first program is as good as dead."""
    opened: list[SqliteJournal] = []

    def restore(agent: Agent, process: Process | str, **given: Any) -> Process:
        other = SqliteJournal(tmp_path / "runs.db")
        opened.append(other)
        return Process.restore(agent, other, process if isinstance(process, str) else process.id, **given)

    yield restore
    for other in opened:
        other.close()
