"""Promises about the file of a journal.

- What is no journal is refused as it is opened, with the reason and what to do, and is left as it is.
- What cannot be written says so.
- Tools of SQLite may be used on it.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from records import RUNNING, begin, records

from planboard import CorruptJournalError, JournalError, SqliteJournal
from planboard.journal import Journal


@pytest.mark.parametrize("content", [b"this is no database", b"SQLite format 3\x00" + b"\xff" * 5000, b"x" * 5000])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(file, content):
    file.write_bytes(content)

    with pytest.raises(CorruptJournalError, match="is no journal of Planboard, or is damaged"):
        SqliteJournal(file)

    assert file.read_bytes() == content


def test_an_empty_file_becomes_a_journal(file):
    file.touch()
    opened = SqliteJournal(file)

    assert opened.runs() == []
    opened.close()


def test_a_database_of_something_else_is_refused_and_left_as_it_is(file):
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE runs (id)")
        other.commit()
    before = file.read_bytes()

    with pytest.raises(CorruptJournalError, match="a database of something else; it is left as it is. Name another"):
        SqliteJournal(file)

    assert file.read_bytes() == before


def test_a_file_of_a_newer_version_is_refused_with_both_versions(kept, file):
    kept.close()
    with closing(sqlite3.connect(file)) as newer:
        newer.execute("PRAGMA user_version = 9")

    with pytest.raises(CorruptJournalError, match=r"by a newer Planboard \(version 9, this one knows 1\). Update"):
        SqliteJournal(file)


def test_a_file_that_is_damaged_inside_says_so(kept, file):
    begin(kept, events=400)
    kept.close()
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)

    with pytest.raises(CorruptJournalError, match="damaged"):
        SqliteJournal(file).read("r1")


def test_a_table_that_is_gone_says_so(kept, file):
    begin(kept)
    with closing(sqlite3.connect(file)) as other:
        other.execute("DROP TABLE events")
        other.commit()

    with pytest.raises(JournalError, match="no such table: events"):
        kept.read("r1")


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(JournalError, match="There is no folder .*missing.* Make it first"):
        SqliteJournal(tmp_path / "missing" / "runs.db")


def test_a_folder_is_no_journal(tmp_path):
    with pytest.raises(JournalError, match="is a folder; a journal is a file"):
        SqliteJournal(tmp_path)


@pytest.mark.parametrize("name", ["", ":memory:"])
def test_a_journal_in_a_file_has_a_file(name):
    with pytest.raises(JournalError, match=r"name a file. MemoryJournal\(\)"):
        SqliteJournal(name)


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    """A folder in which nothing can be made; root can write everywhere but in what is no real folder."""
    if os.geteuid() == 0:
        return Path("/proc") if Path("/proc/self").exists() else pytest.skip("root may write in every folder here")
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    return folder


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no such folders")
def test_a_folder_that_cannot_be_written_in_is_named(locked):
    with pytest.raises(
        JournalError, match="The journal .* cannot be used: unable to open.*folder that it can write in"
    ):
        SqliteJournal(locked / "runs.db")


def test_claims_that_cannot_be_written_say_so(kept, file):
    begin(kept)
    file.with_name("runs.db-owners").touch()

    with pytest.raises(JournalError, match="cannot be claimed, for nothing can be written in .*runs.db-owners"):
        kept.claim("r1")


def test_a_full_disk_says_so_and_keeps_what_was_there(kept):
    begin(kept)
    kept._here().execute("PRAGMA max_page_count = 20")

    with pytest.raises(JournalError, match="full"):
        kept.append("r1", records(2, 2, "x" * 1_000_000), RUNNING)

    assert kept.read("r1") == records(1, 1)
    kept.append("r1", records(2, 2), RUNNING)


def test_a_file_that_was_compacted_still_holds_what_it_held(kept, file):
    for name in "abc":
        begin(kept, name)
        kept.append(name, records(2, 3, f'"{name}"'), RUNNING)
        kept.answer(name, "q", f'"{name}"', 1.0)
    with closing(sqlite3.connect(file)) as other:
        other.execute("DELETE FROM runs WHERE id = 'a'")
        other.commit()
        other.execute("VACUUM")

    assert {name: kept.read(name)[-1].body for name in "bc"} == {"b": '"b"', "c": '"c"'}
    assert kept.answers("c") == {"q": '"c"'}


def test_what_was_kept_is_there_when_the_file_is_opened_again(kept, file):
    begin(kept, events=2)
    kept.close()
    opened = SqliteJournal(file)

    assert opened.read("r1") == records(1, 2)
    opened.close()


def test_a_closed_journal_leaves_one_file(kept, file):
    begin(kept)
    kept.claim("r1")
    kept.close()

    assert [path.name for path in sorted(file.parent.iterdir()) if path.is_file()] == ["runs.db"]


def test_the_cost_of_a_step_does_not_grow_with_those_before(kept):
    """Counted in the instructions of SQLite's machine, which do not depend on the computer."""
    begin(kept)

    def cost(seq: int) -> int:
        ticks = 0

        def tick() -> int:
            nonlocal ticks
            ticks += 1
            return 0

        connection = kept._here()
        connection.set_progress_handler(tick, 1)
        kept.append("r1", records(seq, seq), RUNNING)
        connection.set_progress_handler(None, 1)
        return ticks

    cost(2)
    early = cost(3)
    kept.append("r1", records(4, 2000), RUNNING)

    assert cost(2001) <= early + 5


def test_a_power_safe_journal_waits_for_the_disk(file):
    opened = SqliteJournal(file, power_safe=True)

    assert opened._here().execute("PRAGMA synchronous").fetchone() == (2,)
    opened.close()


def test_a_journal_in_a_file_is_a_journal(kept):
    journal: Journal = kept

    assert repr(journal).startswith("SqliteJournal('")
