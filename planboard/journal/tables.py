"""The tables of a journal file, and rows of them."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from planboard.journal.port import Record, RunInfo, Standing

TABLES = """
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, fingerprint TEXT NOT NULL,
    created_at REAL NOT NULL, parent_id TEXT, target TEXT,
    status TEXT NOT NULL, reason TEXT NOT NULL, wakes_at REAL, waits_for TEXT NOT NULL,
    seconds REAL NOT NULL, owner TEXT
);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX runs_by_parent ON runs (parent_id);
CREATE TABLE events (place INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE answers (
    number INTEGER PRIMARY KEY, run INTEGER NOT NULL, request_id TEXT NOT NULL, at REAL NOT NULL, body TEXT NOT NULL,
    UNIQUE (run, request_id)
);
CREATE TABLE manifests (fingerprint TEXT PRIMARY KEY, body TEXT NOT NULL);
"""
# The place of an event is the number of its run, then its own: one tree of small keys, and a run's events side by side.
EVENTS_OF_A_RUN = 1 << 32
_LAST = "FROM events WHERE place > number << 32 AND place < (number + 1) << 32 ORDER BY place DESC LIMIT 1"
# A step of a run changes nothing but the end of its events, which is one page of the file: so it is cheap.
SEQ = f"ifnull((SELECT place - (number << 32) {_LAST}), 0)"
STANDING = "status, reason, wakes_at, waits_for, seconds"
STORED = f"id, agent, fingerprint, created_at, parent_id, target, {STANDING}"
COLUMNS = f"{STORED}, {SEQ}, ifnull((SELECT at {_LAST}), created_at)"


def insert(connection: sqlite3.Connection, number: int, records: Sequence[Record]) -> None:
    """Put events behind those of a run, by the run's number."""
    first = number * EVENTS_OF_A_RUN
    rows = [(first + record.seq, record.at, record.kind, record.body) for record in records]
    connection.executemany("INSERT INTO events VALUES (?,?,?,?)", rows)


def standing_row(standing: Standing) -> tuple[Any, ...]:
    """Return where a run stands as a row of `STANDING`."""
    reason = standing.reason.encode(errors="backslashreplace").decode()  # an error's text may hold half a character
    waits_for = json.dumps(standing.waits_for) if standing.waits_for else "[]"
    return standing.status, reason, standing.wakes_at, waits_for, standing.seconds


def info_from(row: tuple[Any, ...]) -> RunInfo:
    """Return what is known of a run from a row of `COLUMNS`."""
    run_id, agent, fingerprint, created_at, parent_id, target, *stood, seq, updated = row
    status, reason, wakes_at, waits_for, seconds = stood
    standing = Standing(status, reason, wakes_at, tuple(json.loads(waits_for)), seconds)
    return RunInfo(run_id, agent, fingerprint, created_at, parent_id, target, standing, seq, updated)
