"""Runs of these tests may be kept in a file, so that they can be taken up again as another program would."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from planboard import Agent, Process, ProcessOptions, SqliteJournal

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Callable[..., ProcessOptions]]:
    """Make options of a run that is kept."""
    journal = SqliteJournal(tmp_path / "steps.db")

    def options(**given: Any) -> ProcessOptions:
        return ProcessOptions(journal=journal, **given)

    yield options
    journal.close()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Take a run up as another program would that opens the same file; the first program is as good as dead."""
    opened: list[SqliteJournal] = []

    def restore(agent: Agent, process: Process | str, **given: Any) -> Process:
        other = SqliteJournal(tmp_path / "steps.db")
        opened.append(other)
        return Process.restore(agent, other, process if isinstance(process, str) else process.id, **given)

    yield restore
    for other in opened:
        other.close()


@pytest.fixture(autouse=True)
def _fresh() -> None:
    from orders import effects

    effects.clear()
