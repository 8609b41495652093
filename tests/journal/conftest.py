"""Journals of both kinds, each empty."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planboard import Journal, MemoryJournal, SqliteJournal

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a journal may be."""
    return tmp_path / "runs.db"


@pytest.fixture(params=["memory", "sqlite"])
def journal(request: pytest.FixtureRequest, file: Path) -> Iterator[Journal]:
    """An empty journal, of each kind."""
    opened: Journal = MemoryJournal() if request.param == "memory" else SqliteJournal(file)
    yield opened
    opened.close()


@pytest.fixture
def kept(file: Path) -> Iterator[SqliteJournal]:
    """An empty journal in a file."""
    opened = SqliteJournal(file)
    yield opened
    opened.close()
