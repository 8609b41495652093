"""Runs kept in memory: for tests, and to try out what a file would do. They end with the program."""

from collections.abc import Sequence
from dataclasses import replace
from threading import RLock

from planboard._text import suggest
from planboard.errors import (
    AlreadyAnsweredError,
    CorruptJournalError,
    RunClaimedError,
    RunExistsError,
    StaleRunError,
    UnknownRunError,
)
from planboard.journal.port import Record, RunInfo, Standing


class MemoryJournal:
    """A journal in memory. It behaves as one in a file does."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._runs: dict[str, RunInfo] = {}
        self._records: dict[str, list[Record]] = {}
        self._answers: dict[str, dict[str, str]] = {}
        self._manifests: dict[str, str] = {}
        self._claimed: set[str] = set()

    def create(self, run: RunInfo, manifest: str, records: Sequence[Record], standing: Standing) -> None:
        """Begin to keep a run; see `Journal.create`."""
        with self._lock:
            if run.id in self._runs:
                raise RunExistsError(run.id, exists(run.id))
            check_sequence(run.id, 0, records)
            self._manifests.setdefault(run.fingerprint, manifest)
            self._runs[run.id] = _after(replace(run, seq=0, updated_at=run.created_at), records, standing)
            self._records[run.id] = list(records)
            self._answers[run.id] = {}

    def append(self, run_id: str, records: Sequence[Record], standing: Standing) -> None:
        """Keep records; see `Journal.append`."""
        with self._lock:
            run = self.info(run_id)
            check_sequence(run_id, run.seq, records)
            self._records[run_id].extend(records)
            self._runs[run_id] = _after(run, records, standing)

    def read(self, run_id: str, *, after: int = 0) -> list[Record]:
        """Return the records of a run; see `Journal.read`."""
        with self._lock:
            self.info(run_id)
            return self._records[run_id][max(after, 0) :]

    def info(self, run_id: str) -> RunInfo:
        """Return what is known of a run; see `Journal.info`."""
        with self._lock:
            if run_id not in self._runs:
                raise UnknownRunError(run_id, unknown(run_id, self._runs))
            return self._runs[run_id]

    def runs(self, *, status: str | None = None, parent_id: str | None = None) -> list[RunInfo]:
        """Return the runs; see `Journal.runs`."""
        with self._lock:
            found = [
                run
                for run in self._runs.values()
                if status in (None, run.standing.status) and parent_id in (None, run.parent_id)
            ]
        return sorted(found, key=lambda run: (run.created_at, run.id))

    def manifest(self, fingerprint: str) -> str:
        """Return the definition of an agent; see `Journal.manifest`."""
        with self._lock:
            if fingerprint not in self._manifests:
                raise CorruptJournalError("", no_manifest(fingerprint))
            return self._manifests[fingerprint]

    def claim(self, run_id: str) -> None:
        """Become the one who goes on with a run; see `Journal.claim`."""
        with self._lock:
            self.info(run_id)
            if run_id in self._claimed:
                raise RunClaimedError(claimed(run_id, "this program"))
            self._claimed.add(run_id)

    def release(self, run_id: str) -> None:
        """Let others go on with a run; see `Journal.release`."""
        with self._lock:
            self._claimed.discard(run_id)

    def answer(self, run_id: str, request_id: str, body: str, at: float) -> None:  # noqa: ARG002 - of interest in a file
        """Keep the answer to a request; see `Journal.answer`."""
        with self._lock:
            self.info(run_id)
            if request_id in self._answers[run_id]:
                raise AlreadyAnsweredError(request_id, answered(request_id))
            self._answers[run_id][request_id] = body

    def answers(self, run_id: str, *, after: int = 0) -> dict[str, str]:
        """Return the answers that were given; see `Journal.answers`."""
        with self._lock:
            self.info(run_id)
            return dict(list(self._answers[run_id].items())[after:])

    def close(self) -> None:
        """Give back all claims; see `Journal.close`."""
        with self._lock:
            self._claimed.clear()

    def __repr__(self) -> str:
        return f"MemoryJournal({len(self._runs)} runs)"


def check_sequence(run_id: str, last: int, records: Sequence[Record]) -> None:
    """Check that records follow on the last one that is kept, without gaps.

    Raises:
        StaleRunError: They do not.
    """
    for expected, record in enumerate(records, last + 1):
        if record.seq != expected:
            message = (
                f"Run {run_id!r} was continued elsewhere: event {record.seq} does not follow on event {expected - 1}, "
                "the last one that is kept. Restore the run and go on from there."
            )
            raise StaleRunError(run_id, message)


def exists(run_id: str) -> str:
    """Say that there is a run of that id."""
    return f"There is a run {run_id!r} already. Go on with it by Process.restore, or choose another id."


def unknown(run_id: str, known: "Sequence[str] | dict[str, RunInfo]") -> str:
    """Say that there is no run of that id."""
    return f"No run {run_id!r} is kept. {suggest(run_id, known)}"


def claimed(run_id: str, owner: str) -> str:
    """Say who goes on with a run."""
    return f"Run {run_id!r} is being run by {owner}. Wait for that, or stop it; a program that ends lets go by itself."


def answered(request_id: str) -> str:
    """Say that there is an answer already."""
    return f"Request {request_id!r} was answered already; that answer stands."


def no_manifest(fingerprint: str) -> str:
    """Say that a definition is missing."""
    return f"No definition of an agent is kept under {fingerprint!r}; the journal was changed."


def _after(run: RunInfo, records: Sequence[Record], standing: Standing) -> RunInfo:
    seq, at = (records[-1].seq, records[-1].at) if records else (run.seq, run.updated_at)
    return replace(run, standing=standing, seq=seq, updated_at=at)
