"""What a journal is: where the events of runs are kept, as text, so that runs outlive the program.

A journal knows nothing of agents, boards or values. It keeps records in order, says which runs there are, lets one
program at a time go on with a run, and takes each answer of a person once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Record:
    """One event of a run, as it is kept."""

    seq: int
    """Counted from 1 within the run, without gaps."""
    kind: str
    """The kind of the event, such as `action_succeeded`."""
    at: float
    """When it happened, in seconds since 1970."""
    body: str
    """The event as a JSON object."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands, for lists of runs; it follows from the events."""

    status: str
    reason: str = ""
    wakes_at: float | None = None
    """When a timer of it is due, in seconds since 1970; `None` when it waits for none."""
    waits_for: tuple[str, ...] = ()
    """The ids of the requests that wait for an answer."""
    seconds: float = 0.0
    """How long it has been run, over all programs, as of when it last came to a stop."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What is known of a run without reading its events."""

    id: str
    agent: str
    """The name of the agent."""
    fingerprint: str
    """Which definition of the agent it was begun with; see `Journal.manifest`."""
    created_at: float
    parent_id: str | None = None
    """The run that started it."""
    target: str | None = None
    """Where the agent is found, as given on the command line."""
    standing: Standing = field(default_factory=lambda: Standing("NOT_STARTED"))
    seq: int = 0
    """The number of its last event."""
    updated_at: float = 0.0
    """When that was kept."""


class Journal(Protocol):
    """Where runs are kept. Every method is atomic and may be called from any thread.

    What a method has returned from is kept: it survives the end of the program, however sudden.
    """

    def create(self, run: RunInfo, manifest: str, records: Sequence[Record], standing: Standing) -> None:
        """Begin to keep a run, with its first records.

        Args:
            run: What is known of it.
            manifest: The definition of the agent, as text; kept once for each fingerprint.
            records: Its events so far.
            standing: Where it stands after them.

        Raises:
            RunExistsError: There is a run with this id.
        """
        ...

    def append(self, run_id: str, records: Sequence[Record], standing: Standing) -> None:
        """Keep records that follow on those which are kept, all or none of them.

        The cost does not depend on how many there are already, nor on what is on the board.

        Raises:
            UnknownRunError: There is no such run.
            StaleRunError: Somebody else has continued the run: the first record does not follow on the last one kept.
        """
        ...

    def read(self, run_id: str, *, after: int = 0) -> list[Record]:
        """Return the records of a run, in order.

        Args:
            run_id: The run.
            after: Leave out the records up to this number.

        Raises:
            UnknownRunError: There is no such run; the message names the closest.
        """
        ...

    def info(self, run_id: str) -> RunInfo:
        """Return what is known of a run.

        Raises:
            UnknownRunError: There is no such run; the message names the closest.
        """
        ...

    def runs(self, *, status: str | None = None, parent_id: str | None = None) -> list[RunInfo]:
        """Return the runs, oldest first, then by id.

        Args:
            status: Only those that stand there.
            parent_id: Only those that this run has started.
        """
        ...

    def manifest(self, fingerprint: str) -> str:
        """Return the definition of an agent.

        Raises:
            CorruptJournalError: None is kept under that fingerprint.
        """
        ...

    def claim(self, run_id: str) -> None:
        """Become the one who goes on with a run.

        The claim ends with `release`, or with the program, however it ends.

        Raises:
            UnknownRunError: There is no such run.
            RunClaimedError: Somebody goes on with it already, here or in another program that is alive.
        """
        ...

    def release(self, run_id: str) -> None:
        """Let others go on with a run; nothing happens if it is not claimed by this journal."""
        ...

    def answer(self, run_id: str, request_id: str, body: str, at: float) -> None:
        """Keep the answer to a request, for whoever goes on with the run.

        Args:
            run_id: The run that waits.
            request_id: The request.
            body: The answer as JSON.
            at: When it was given, in seconds since 1970.

        Raises:
            UnknownRunError: There is no such run.
            AlreadyAnsweredError: There is an answer already; it stands.
        """
        ...

    def answers(self, run_id: str, *, after: int = 0) -> dict[str, str]:
        """Return the answers that were given to a run's requests, by request, in the order they were given.

        Args:
            run_id: The run.
            after: Leave out so many, those that came first.

        Raises:
            UnknownRunError: There is no such run.
        """
        ...

    def close(self) -> None:
        """Give back files and claims. A closed journal is not used again."""
        ...
