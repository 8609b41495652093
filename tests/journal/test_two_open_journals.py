"""Promises about one file that is open twice: what one remembers of a run is never believed against the other."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from records import RUNNING, begin, records

from planboard import SqliteJournal, StaleRunError
from planboard.journal import Standing


@pytest.fixture
def other(kept: SqliteJournal, file: Path) -> Iterator[SqliteJournal]:
    """The same file, opened again."""
    opened = SqliteJournal(file)
    yield opened
    opened.close()


def test_a_run_that_was_continued_elsewhere_goes_on_here(kept, other):
    begin(kept)
    kept.append("r1", records(2, 2), RUNNING)
    other.append("r1", records(3, 4), RUNNING)
    kept.append("r1", records(5, 5), RUNNING)
    assert [record.seq for record in other.read("r1")] == [1, 2, 3, 4, 5]


def test_who_does_not_know_that_it_was_continued_elsewhere_is_refused(kept, other):
    begin(kept)
    kept.append("r1", records(2, 2), RUNNING)
    other.append("r1", records(3, 3), RUNNING)
    with pytest.raises(StaleRunError, match="event 3 does not follow on event 3"):
        kept.append("r1", records(3, 3, "{2}"), RUNNING)
    assert kept.read("r1")[2].body == "{}"


def test_who_was_refused_can_go_on_from_what_is_kept(kept, other):
    begin(kept)
    kept.append("r1", records(2, 2), RUNNING)
    other.append("r1", records(3, 3), RUNNING)
    with pytest.raises(StaleRunError):
        kept.append("r1", records(3, 3), RUNNING)
    kept.append("r1", records(4, 4), RUNNING)
    assert kept.info("r1").seq == 4


def test_where_a_run_stands_is_what_was_written_last_by_anybody(kept, other):
    begin(kept)
    kept.append("r1", records(2, 2), RUNNING)
    other.append("r1", records(3, 3), Standing("WAITING"))
    kept.append("r1", records(4, 4), RUNNING)
    assert other.info("r1").standing.status == "RUNNING"


@pytest.mark.parametrize("writer", ["here", "elsewhere"])
def test_an_answer_is_found_however_often_it_was_looked_for_in_vain(kept, other, writer):
    begin(kept)
    assert [kept.answers("r1"), kept.answers("r1")] == [{}, {}]
    (kept if writer == "here" else other).answer("r1", "r1:1", "true", 1.0)
    assert kept.answers("r1") == {"r1:1": "true"}


def test_an_answer_after_others_is_found(journal):
    begin(journal)
    journal.answer("r1", "r1:1", "1", 1.0)
    assert journal.answers("r1", after=1) == {}
    journal.answer("r1", "r1:2", "2", 1.0)
    assert journal.answers("r1", after=1) == {"r1:2": "2"}
