"""Runs kept in one SQLite file: on one machine, for any number of programs, without a server."""

import os
import sqlite3
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

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
from planboard.journal.tables import (
    COLUMNS,
    EVENTS_OF_A_RUN,
    SEQ,
    STANDING,
    STORED,
    TABLES,
    info_from,
    insert,
    standing_row,
)

_VERSION = 1
_MARK = 0x504C4E42  # "PLNB": tells our files from those of others
_PATIENCE = 60.0
"""Seconds to wait while other programs write; each of them writes for less than a few milliseconds."""

_REMEMBERED = 4096
"""Of how many runs it is remembered where they stand."""

_opened: "weakref.WeakSet[SqliteJournal]" = weakref.WeakSet()
_left_alone: list[Any] = []
"""Connections of the program that this one was forked from; to close them here would let go of its locks."""


class _Known(NamedTuple):
    """Where a run stood when it was last written here."""

    number: int
    seq: int
    stood: tuple[Any, ...]


class SqliteJournal:
    """A journal in a SQLite file.

    What is kept survives the program, however it ends. Several programs may write at once; each run has one that
    goes on with it.

    Args:
        path: The file; it is made if there is none, in a folder that must exist.
        power_safe: Wait until each write has reached the disk, so that it survives the machine too. Slower.

    Raises:
        CorruptJournalError: The file is no journal, is damaged, or was written by a newer version.
        JournalError: There is no such folder, or nothing can be written in it.
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
        self._known: dict[str, _Known] = {}
        self._quiet: dict[str, tuple[int, int, int]] = {}
        self._answered = 0
        self._owner: Owner | None = None
        self._connection: sqlite3.Connection | None = None
        _opened.add(self)
        with self._reading():
            pass

    # Writing

    def create(self, run: RunInfo, manifest: str, records: Sequence[Record], standing: Standing) -> None:
        """Begin to keep a run; see `Journal.create`."""
        check_sequence(run.id, 0, records)
        row = (run.id, run.agent, run.fingerprint, run.created_at, run.parent_id, run.target, *standing_row(standing))
        with self._writing() as connection:
            try:
                found = connection.execute(f"INSERT INTO runs ({STORED}) VALUES (?,?,?,?,?,?,?,?,?,?,?)", row)  # noqa: S608
            except sqlite3.IntegrityError:
                raise RunExistsError(run.id, exists(run.id)) from None
            connection.execute("INSERT OR IGNORE INTO manifests VALUES (?,?)", (run.fingerprint, manifest))
            number = found.lastrowid or 0
            insert(connection, number, records)

    def append(self, run_id: str, records: Sequence[Record], standing: Standing) -> None:
        """Keep records; see `Journal.append`."""
        stands = standing_row(standing)
        with self._lock:
            known = self._known.pop(run_id, None)
            with self._writing() as connection:
                if known is None or not records or records[0].seq != known.seq + 1:
                    known = self._looked_up(connection, run_id)
                    check_sequence(run_id, known.seq, records)
                try:
                    insert(connection, known.number, records)
                except sqlite3.IntegrityError:  # somebody else has continued the run since we wrote
                    check_sequence(run_id, self._looked_up(connection, run_id).seq, records)
                    raise
                if stands != known.stood:
                    connection.execute(
                        "UPDATE runs SET status=?, reason=?, wakes_at=?, waits_for=?, seconds=? WHERE number=?",
                        (*stands, known.number),
                    )
            self._remember(run_id, _Known(known.number, known.seq + len(records), stands))

    def _looked_up(self, connection: sqlite3.Connection, run_id: str) -> "_Known":
        number, seq, *stood = self._run(connection, run_id, f"number, {SEQ}, {STANDING}")
        return _Known(number, seq, tuple(stood))

    def _remember(self, run_id: str, known: "_Known") -> None:
        """Remember where a run stood when we wrote it. If somebody else goes on with it, the next write finds out."""
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[run_id] = known

    def claim(self, run_id: str) -> None:
        """Become the one who goes on with a run; see `Journal.claim`."""
        with self._lock:
            if run_id in self._claimed:
                raise RunClaimedError(claimed(run_id, "this program"))
            owner = self._as_owner()
            with self._writing() as connection:
                (other,) = self._run(connection, run_id, "owner")
                if other is not None and owner.lives(other):
                    raise RunClaimedError(claimed(run_id, spoken(other)))
                connection.execute("UPDATE runs SET owner = ? WHERE id = ?", (owner.name, run_id))
            self._claimed.add(run_id)

    def release(self, run_id: str) -> None:
        """Let others go on with a run; see `Journal.release`."""
        with self._lock:
            if run_id in self._claimed and self._owner is not None:
                self._claimed.discard(run_id)
                with self._writing() as connection:
                    connection.execute(
                        "UPDATE runs SET owner = NULL WHERE id = ? AND owner = ?", (run_id, self._owner.name)
                    )

    def answer(self, run_id: str, request_id: str, body: str, at: float) -> None:
        """Keep the answer to a request; see `Journal.answer`."""
        with self._writing() as connection:
            (number,) = self._run(connection, run_id, "number")
            self._answered += 1
            try:
                connection.execute("INSERT INTO answers VALUES (NULL,?,?,?,?)", (number, request_id, at, body))
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
            (number,) = self._run(connection, run_id, "number")
            first = number * EVENTS_OF_A_RUN
            found = connection.execute(
                "SELECT place - ?, kind, at, body FROM events WHERE place > ? AND place < ? ORDER BY place",
                (first, first + max(after, 0), first + EVENTS_OF_A_RUN),
            )
            return [Record(*record) for record in found]

    def info(self, run_id: str) -> RunInfo:
        """Return what is known of a run; see `Journal.info`."""
        with self._reading() as connection:
            return info_from(self._run(connection, run_id, COLUMNS))

    def runs(self, *, status: str | None = None, parent_id: str | None = None) -> list[RunInfo]:
        """Return the runs; see `Journal.runs`."""
        wanted = [("status", status), ("parent_id", parent_id)]
        given = [(column, value) for column, value in wanted if value is not None]
        where = " AND ".join(f"{column} = ?" for column, _ in given) or "1"
        query = f"SELECT {COLUMNS} FROM runs WHERE {where} ORDER BY created_at, id"  # noqa: S608 - our own columns
        with self._reading() as connection:
            return [info_from(row) for row in connection.execute(query, [value for _, value in given])]

    def manifest(self, fingerprint: str) -> str:
        """Return the definition of an agent; see `Journal.manifest`."""
        with self._reading() as connection:
            row = connection.execute("SELECT body FROM manifests WHERE fingerprint = ?", (fingerprint,)).fetchone()
        if row is None:
            raise CorruptJournalError("", no_manifest(fingerprint))
        return str(row[0])

    def answers(self, run_id: str, *, after: int = 0) -> dict[str, str]:
        """Return the answers that were given; see `Journal.answers`."""
        with self._reading() as connection:
            # Most runs ask before each step whether somebody has said anything, and nobody has.
            stamp = (after, self._answered, _pragma(connection, "data_version"))
            if self._quiet.get(run_id) == stamp:
                return {}
            rows = connection.execute(
                "SELECT request_id, body FROM runs LEFT JOIN answers ON answers.run = runs.number "
                "WHERE runs.id = ? ORDER BY answers.number LIMIT -1 OFFSET ?",
                (run_id, after),
            ).fetchall()
            if not rows:
                self._run(connection, run_id, "number")  # says which runs there are
            found = {request_id: body for request_id, body in rows if request_id is not None}
            if not found:
                if len(self._quiet) >= _REMEMBERED:
                    self._quiet.clear()
                self._quiet[run_id] = stamp
        return found

    # The file

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Change the file as a whole or not at all, and let no other program write meanwhile."""
        with self._reading() as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:  # some faults, such as a full disk, have ended it already
                    connection.execute("ROLLBACK")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._here()
            except sqlite3.DatabaseError as error:
                raise self._fault(error) from error

    def _here(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _as_owner(self) -> Owner:
        if self._owner is None:
            folder = self.path.with_name(f"{self.path.name}-owners")
            try:
                self._owner = Owner(folder)
            except OSError as error:
                message = f"Runs cannot be claimed, for nothing can be written in {str(folder)!r}: {error.strerror}."
                raise JournalError("", message) from error
        return self._owner

    def _begin_anew(self) -> None:
        """Let go of all that belongs to the program that this one was forked from, and touch none of it."""
        _left_alone.append((self._connection, self._owner))
        self._lock, self._claimed, self._owner, self._connection = RLock(), set(), None, None
        self._known, self._quiet = {}, {}

    def _fault(self, error: sqlite3.DatabaseError) -> JournalError:
        if isinstance(error, sqlite3.OperationalError):
            message = f"The journal {str(self.path)!r} cannot be used: {error}."
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                message += f" A journal needs a folder that it can write in; look at {str(self.path.parent)!r}."
            return JournalError("", message)
        message = f"{str(self.path)!r} is no journal of Planboard, or is damaged: {error}."
        return CorruptJournalError("", message)

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
            raise self._fault(error) from error
        except JournalError:
            if connection is not None:
                connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        self._check(connection)
        _write_ahead(connection)
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._power_safe else 'NORMAL'}")
        if _pragma(connection, "application_id") == _MARK:
            return
        try:
            connection.execute("BEGIN IMMEDIATE")
            if _pragma(connection, "application_id") != _MARK:  # another program may have been quicker
                for statement in filter(str.strip, TABLES.split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {_VERSION}")
                connection.execute(f"PRAGMA application_id = {_MARK}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _check(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN")  # another program may be making the tables: see all of that, or nothing
        try:
            mark, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        finally:
            connection.execute("ROLLBACK")
        if mark != _MARK and tables:
            message = f"{str(self.path)!r} is a database of something else; it is left as it is. Name another file."
            raise CorruptJournalError("", message)
        if version > _VERSION:
            message = (
                f"{str(self.path)!r} was written by a newer Planboard (version {version}, this one knows {_VERSION}). "
                "Update Planboard."
            )
            raise CorruptJournalError("", message)

    @staticmethod
    def _run(connection: sqlite3.Connection, run_id: str, columns: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] | None = connection.execute(
            f"SELECT {columns} FROM runs WHERE id = ?",  # noqa: S608 - our own columns
            (run_id,),
        ).fetchone()
        if row is None:
            newest = connection.execute("SELECT id FROM runs ORDER BY number DESC LIMIT 1000")
            raise UnknownRunError(run_id, unknown(run_id, [known for (known,) in newest]))
        return row

    def __repr__(self) -> str:
        return f"SqliteJournal({str(self.path)!r})"


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and a writer work at once. It is a property of the file, set by the first program that opens it."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:  # SQLite does not wait here for another program that does the same
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.002)
        else:
            return


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _after_fork() -> None:
    for journal in list(_opened):
        journal._begin_anew()  # noqa: SLF001 - its own class


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
