"""Runs kept in one SQLite file: on one machine, for any number of programs, without a server."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from planboard.errors import (
    AlreadyAnsweredError,
    CorruptJournalError,
    JournalError,
    RunClaimedError,
    RunExistsError,
    UnknownRunError,
)
from planboard.journal.memory import answered, check_sequence, claimed, exists, no_manifest, unknown
from planboard.journal.owners import Owner, spoken
from planboard.journal.port import Record, RunInfo, Standing

_VERSION = 1
_MARK = 0x504C4E42  # "PLNB": tells our files from those of others
_PATIENCE = 60.0
"""Seconds to wait while other programs write; each of them writes for less than a few milliseconds."""

_TABLES = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY, agent TEXT NOT NULL, fingerprint TEXT NOT NULL, created_at REAL NOT NULL,
    parent_id TEXT, target TEXT, status TEXT NOT NULL, reason TEXT NOT NULL, wakes_at REAL, waits_for TEXT NOT NULL,
    seq INTEGER NOT NULL, updated_at REAL NOT NULL, owner TEXT
);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX runs_by_parent ON runs (parent_id);
CREATE TABLE events (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, at REAL NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) WITHOUT ROWID;
CREATE TABLE answers (
    request_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, at REAL NOT NULL, body TEXT NOT NULL
);
CREATE INDEX answers_by_run ON answers (run_id);
CREATE TABLE manifests (fingerprint TEXT PRIMARY KEY, body TEXT NOT NULL);
"""
_COLUMNS = "id, agent, fingerprint, created_at, parent_id, target, status, reason, wakes_at, waits_for, seq, updated_at"


class SqliteJournal:
    """A journal in a SQLite file.

    What is kept survives the program, however it ends. Several programs may write at once; each run has one that
    goes on with it.

    Args:
        path: The file; it is made if there is none, in a folder that must exist.
        power_safe: Wait until each write has reached the disk, so that it survives the machine too. Slower.

    Raises:
        JournalError: There is no such folder, or the file is no journal, or of a newer version.
    """

    def __init__(self, path: str | os.PathLike[str], *, power_safe: bool = False) -> None:
        if str(path) in ("", ":memory:"):
            message = f"SqliteJournal({str(path)!r}): name a file. MemoryJournal() keeps runs in memory."
            raise JournalError("", message)
        self.path = Path(path)
        """The file."""
        self._power_safe = power_safe
        self._lock = RLock()
        self._claimed: set[str] = set()
        self._owner: Owner | None = None
        self._connection: sqlite3.Connection | None = None
        self._opened_by = 0
        with self._reading():
            pass

    # Writing

    def create(self, run: RunInfo, manifest: str, records: Sequence[Record], standing: Standing) -> None:
        """Begin to keep a run; see `Journal.create`."""
        check_sequence(run.id, 0, records)
        last = records[-1] if records else Record(0, "", run.created_at, "")
        row = (run.id, run.agent, run.fingerprint, run.created_at, run.parent_id, run.target, *_standing(standing),
               last.seq, last.at)  # fmt: skip
        with self._writing() as connection:
            try:
                found = connection.execute(f"INSERT INTO runs ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", row)  # noqa: S608
            except sqlite3.IntegrityError:
                raise RunExistsError(run.id, exists(run.id)) from None
            connection.execute("INSERT OR IGNORE INTO manifests VALUES (?,?)", (run.fingerprint, manifest))
            number = found.lastrowid or 0
            _insert(connection, number, records)

    def append(self, run_id: str, records: Sequence[Record], standing: Standing) -> None:
        """Keep records; see `Journal.append`."""
        if not records:
            return
        with self._writing() as connection:
            row = connection.execute("SELECT rowid, seq FROM runs WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise UnknownRunError(run_id, self._unknown(connection, run_id))
            check_sequence(run_id, row[1], records)
            _insert(connection, row[0], records)
            connection.execute(
                "UPDATE runs SET status=?, reason=?, wakes_at=?, waits_for=?, seq=?, updated_at=? WHERE rowid=?",
                (*_standing(standing), records[-1].seq, records[-1].at, row[0]),
            )

    def claim(self, run_id: str) -> None:
        """Become the one who goes on with a run; see `Journal.claim`."""
        with self._lock:
            self._here()
            if run_id in self._claimed:
                raise RunClaimedError(claimed(run_id, "this program"))
            owner = self._owner = self._owner or Owner(self.path.with_name(f"{self.path.name}-owners"))
            with self._writing() as connection:
                row = connection.execute("SELECT owner FROM runs WHERE id = ?", (run_id,)).fetchone()
                if row is None:
                    raise UnknownRunError(run_id, self._unknown(connection, run_id))
                if row[0] is not None and owner.lives(row[0]):
                    raise RunClaimedError(claimed(run_id, spoken(row[0])))
                connection.execute("UPDATE runs SET owner = ? WHERE id = ?", (owner.name, run_id))
            self._claimed.add(run_id)

    def release(self, run_id: str) -> None:
        """Let others go on with a run; see `Journal.release`."""
        with self._lock:
            self._here()
            if run_id in self._claimed and self._owner is not None:
                self._claimed.discard(run_id)
                with self._writing() as connection:
                    connection.execute(
                        "UPDATE runs SET owner = NULL WHERE id = ? AND owner = ?", (run_id, self._owner.name)
                    )

    def answer(self, run_id: str, request_id: str, body: str, at: float) -> None:
        """Keep the answer to a request; see `Journal.answer`."""
        with self._writing() as connection:
            if connection.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone() is None:
                raise UnknownRunError(run_id, self._unknown(connection, run_id))
            key = _answer_key(run_id, request_id)
            try:
                connection.execute("INSERT INTO answers VALUES (?,?,?,?)", (key, run_id, at, body))
            except sqlite3.IntegrityError:
                raise AlreadyAnsweredError(request_id, answered(request_id)) from None

    def close(self) -> None:
        """Give back the file and all claims; see `Journal.close`."""
        with self._lock:
            for run_id in sorted(self._claimed):
                self.release(run_id)
            if self._owner is not None:
                self._owner.close()
                self._owner = None
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # Reading

    def read(self, run_id: str, *, after: int = 0) -> list[Record]:
        """Return the records of a run; see `Journal.read`."""
        with self._reading() as connection:
            row = connection.execute("SELECT rowid FROM runs WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise UnknownRunError(run_id, self._unknown(connection, run_id))
            found = connection.execute(
                "SELECT seq, kind, at, body FROM events WHERE run = ? AND seq > ? ORDER BY seq", (row[0], after)
            )
            return [Record(*record) for record in found]

    def info(self, run_id: str) -> RunInfo:
        """Return what is known of a run; see `Journal.info`."""
        with self._reading() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (run_id,)).fetchone()  # noqa: S608
            if row is None:
                raise UnknownRunError(run_id, self._unknown(connection, run_id))
        return _run(row)

    def runs(self, *, status: str | None = None, parent_id: str | None = None) -> list[RunInfo]:
        """Return the runs; see `Journal.runs`."""
        wanted = [("status", status), ("parent_id", parent_id)]
        given = [(column, value) for column, value in wanted if value is not None]
        where = " AND ".join(f"{column} = ?" for column, _ in given) or "1"
        query = f"SELECT {_COLUMNS} FROM runs WHERE {where} ORDER BY created_at, id"  # noqa: S608 - our own columns
        with self._reading() as connection:
            return [_run(row) for row in connection.execute(query, [value for _, value in given])]

    def manifest(self, fingerprint: str) -> str:
        """Return the definition of an agent; see `Journal.manifest`."""
        with self._reading() as connection:
            row = connection.execute("SELECT body FROM manifests WHERE fingerprint = ?", (fingerprint,)).fetchone()
        if row is None:
            raise CorruptJournalError("", no_manifest(fingerprint))
        return str(row[0])

    def answers(self, run_id: str) -> dict[str, str]:
        """Return the answers that were given; see `Journal.answers`."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT request_id, body FROM answers WHERE run_id = ? ORDER BY rowid", (run_id,)
            ).fetchall()
            if not rows and connection.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone() is None:
                raise UnknownRunError(run_id, self._unknown(connection, run_id))
        return {key.removeprefix(_answer_key(run_id, "")): body for key, body in rows}

    # The file

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Change the file as a whole or not at all, and let no other program write meanwhile."""
        with self._reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._here()
            except sqlite3.DatabaseError as error:
                message = f"The journal {str(self.path)!r} cannot be used: {error}."
                raise JournalError("", message) from error

    def _here(self) -> sqlite3.Connection:
        """Return the connection of this program: neither files nor locks may be shared with one that was forked."""
        if self._connection is None or self._opened_by != os.getpid():
            self._claimed = set()
            self._owner = None
            self._connection = self._open()
            self._opened_by = os.getpid()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        if not self.path.parent.is_dir():
            message = f"There is no folder {str(self.path.parent)!r} for the journal {self.path.name!r}. Make it first."
            raise JournalError("", message)
        if self.path.is_dir():
            message = f"{str(self.path)!r} is a folder; a journal is a file."
            raise JournalError("", message)
        connection: sqlite3.Connection | None = None
        try:
            connection = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, cached_statements=64
            )
            self._prepare(connection)
        except sqlite3.DatabaseError as error:
            if connection is not None:
                connection.close()
            message = f"{str(self.path)!r} is no journal of Planboard: {error}."
            raise JournalError("", message) from error
        except JournalError:
            if connection is not None:
                connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        self._check(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._power_safe else 'NORMAL'}")
        if _pragma(connection, "application_id") == _MARK:
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _pragma(connection, "application_id") != _MARK:  # another program may have been quicker
                for statement in filter(str.strip, _TABLES.split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {_VERSION}")
                connection.execute(f"PRAGMA application_id = {_MARK}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def _check(self, connection: sqlite3.Connection) -> None:
        mark, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if mark != _MARK and tables:
            message = f"{str(self.path)!r} is a database of something else; it is left as it is. Name another file."
            raise JournalError("", message)
        if version > _VERSION:
            message = (
                f"{str(self.path)!r} was written by a newer Planboard (version {version}, this one knows {_VERSION}). "
                "Update Planboard."
            )
            raise JournalError("", message)

    @staticmethod
    def _unknown(connection: sqlite3.Connection, run_id: str) -> str:
        newest = connection.execute("SELECT id FROM runs ORDER BY created_at DESC LIMIT 1000")
        return unknown(run_id, [row[0] for row in newest])

    def __repr__(self) -> str:
        return f"SqliteJournal({str(self.path)!r})"


def _insert(connection: sqlite3.Connection, number: int, records: Sequence[Record]) -> None:
    rows = [(number, record.seq, record.at, record.kind, record.body) for record in records]
    connection.executemany("INSERT INTO events VALUES (?,?,?,?,?)", rows)


def _standing(standing: Standing) -> tuple[Any, ...]:
    return standing.status, standing.reason, standing.wakes_at, "\n".join(standing.waits_for)


def _run(row: tuple[Any, ...]) -> RunInfo:
    run_id, agent, fingerprint, created_at, parent_id, target, status, reason, wakes_at, waits_for, seq, updated = row
    standing = Standing(status, reason, wakes_at, tuple(filter(None, waits_for.split("\n"))))
    return RunInfo(run_id, agent, fingerprint, created_at, parent_id, target, standing, seq, updated)


def _answer_key(run_id: str, request_id: str) -> str:
    return f"{run_id}\n{request_id}"


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
