"""Keeping a process in a journal: what happens is written before it counts, and what others have said is taken in."""

from collections.abc import Callable
from typing import Any

from planboard.blackboard.codec import from_text, to_text
from planboard.errors import (
    CorruptJournalError,
    EntryTypeError,
    RunClaimedError,
    SecretMissingError,
    SecretNotKeptError,
)
from planboard.events import Event
from planboard.events.codec import EventCodec
from planboard.journal.port import Journal, Record, RunInfo, Standing
from planboard.runtime.clock import Clock

CANCEL = "cancel"
"""What is said to a run that shall be cancelled; it is kept beside the answers."""

OUTCOME = "outcome:"
"""What precedes the number of a call whose outcome is kept beside the answers; see `arrivals`."""


class Keeper:
    """Writes one process to its journal.

    Args:
        journal: Where it is kept.
        run: What is known of the run.
        codec: Writes and reads its events.
        clock: Tells when something happened.
        claims: Whether the run is claimed while it goes on; a child belongs to whoever has claimed its parent.
    """

    __slots__ = ("_buffer", "_claimed", "_claims", "_clock", "_mail", "_manifest", "codec", "journal", "kept", "run")

    def __init__(
        self, journal: Journal, run: RunInfo, manifest: str, codec: EventCodec, clock: Clock, *, claims: bool
    ) -> None:
        self.journal = journal
        self.run = run
        self.codec = codec
        self.kept = 0
        """The number of the last event that is written."""
        self._manifest = manifest
        self._clock = clock
        self._claims = claims
        self._claimed = False
        self._buffer: list[Record] = []
        self._mail: dict[str, Any] = {}

    # Writing

    def take(self, event: Event) -> None:
        """Take an event that is about to happen.

        Raises:
            EntryTypeError: It cannot be kept.
        """
        self._buffer.append(Record(event.seq, event.kind, self._clock.time(), self.codec.encode(event)))

    def flush(self, standing: Callable[[], Standing]) -> None:
        """Write what has happened. After that it is not lost, however suddenly the program ends."""
        if not self._buffer:
            return
        if self.kept == 0:
            self.journal.create(self.run, self._manifest, self._buffer, standing())
        else:
            self.journal.append(self.run.id, self._buffer, standing())
        self.kept = self._buffer[-1].seq
        self._buffer.clear()

    # Going on

    def claim(self) -> None:
        """Become the one who goes on with the run.

        Raises:
            RunClaimedError: Somebody goes on with it already.
        """
        if self._claims and not self._claimed:
            self.journal.claim(self.run.id)
            self._claimed = True

    def news(self) -> list[Event]:
        """Return what has happened elsewhere meanwhile."""
        news = self.read(self.journal, self.run.id, self.codec, after=self.kept)
        if news:
            self.kept = news[-1].seq
        return news

    def try_to_claim(self) -> bool:
        """Do as `claim` does; tell whether that worked, for somebody else may go on with the run."""
        try:
            self.claim()
        except RunClaimedError:
            return False
        return True

    def release(self) -> None:
        """Let others go on with it."""
        if self._claimed:
            self.journal.release(self.run.id)
            self._claimed = False

    # Mail

    def post(self, request_id: str, body: dict[str, Any]) -> None:
        """Keep an answer, once.

        Raises:
            AlreadyAnsweredError: There is one already.
        """
        self.journal.answer(self.run.id, request_id, to_text(body), self._clock.time())

    def mail(self) -> dict[str, Any]:
        """Return what was said to the run, by request."""
        try:
            for request, body in self.journal.answers(self.run.id, after=len(self._mail)).items():
                self._mail[request] = from_text(body)
        except ValueError as error:
            message = f"An answer that is kept for run {self.run.id!r} cannot be read: {error}"
            raise CorruptJournalError(self.run.id, message) from error
        return self._mail

    @staticmethod
    def read(journal: Journal, run_id: str, codec: EventCodec, *, after: int = 0) -> list[Event]:
        """Return the events of a run.

        Raises:
            CorruptJournalError: They cannot be read; the message says which, and what is wrong with it.
            SecretNotKeptError: They hold secrets, which have to be given again.
        """
        events: list[Event] = []
        missing: dict[str, None] = {}
        for number, record in enumerate(journal.read(run_id, after=after), start=after + 1):
            try:
                event = codec.decode(record.body)
            except SecretMissingError as error:
                missing.update(dict.fromkeys(error.secrets))
                continue
            except EntryTypeError as error:
                message = f"Event {record.seq} ({record.kind}) of run {run_id!r} cannot be read: {error}"
                raise CorruptJournalError(run_id, message) from error
            if (event.seq, event.process_id, record.seq, record.kind) != (number, run_id, number, event.kind):
                message = f"Event {number} of run {run_id!r} is not what stands in its place: it was changed."
                raise CorruptJournalError(run_id, message)
            events.append(event)
        if missing:
            names = tuple(missing)
            message = (
                f"Run {run_id!r} holds secrets, which are never written: {', '.join(names)}. Give them again, as in "
                f"Process.restore(..., secrets={{{names[0]!r}: ...}})."
            )
            raise SecretNotKeptError(run_id, message, secrets=names)
        return events
