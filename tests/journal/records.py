"""Runs and records as journals take them; they know nothing of what is in them."""

from planboard import Journal
from planboard.journal import Record, RunInfo, Standing

RUNNING = Standing("RUNNING")
MANIFEST = '{"name": "agent"}'


def run(name: str = "r1", *, created_at: float = 10.0, **given: str) -> RunInfo:
    return RunInfo(name, "agent", "print-1", created_at, **given)


def records(first: int, last: int, body: str = "{}") -> list[Record]:
    return [Record(number, "thing_happened", 100.0 + number, body) for number in range(first, last + 1)]


def begin(
    journal: Journal, name: str = "r1", *, events: int = 1, standing: Standing = RUNNING, **given: object
) -> None:
    journal.create(run(name, **given), MANIFEST, records(1, events), standing)
