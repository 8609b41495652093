"""Where runs are kept and gone on with: what the commands need of such a place, whatever it is."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import typer

from planboard._text import listed, suggest
from planboard.cli.ending import Ending
from planboard.cli.runs.outline import Outline
from planboard.cli.runs.unread import Happened
from planboard.cli.target import seen_from
from planboard.journal.port import RunInfo
from planboard.journal.sqlite import SqliteJournal
from planboard.observe.console import ConsoleListener
from planboard.observe.spans import Trace
from planboard.runtime.requests import Request

JOURNAL = "PLANBOARD_JOURNAL"
"""The environment variable that names the journal where `--journal` is not given."""
TEMPORAL = "PLANBOARD_TEMPORAL"
"""The environment variable that names the Temporal server where `--temporal` is not given."""
NAMESPACE = "PLANBOARD_TEMPORAL_NAMESPACE"
"""The environment variable that names the namespace where `--namespace` is not given."""
_AMBIGUOUS = 4
"""So many of the ids that a beginning may stand for are named."""


@dataclass(frozen=True, slots=True)
class Means:
    """What runs are taken up with, beside what is kept of them."""

    target: str | None = None
    """Where the agent is found, instead of where it was when the run began."""
    planner: str | None = None
    """What chooses the actions, instead of the planner that the run was begun with."""
    secrets: Mapping[str, object] = field(default_factory=dict)
    """What was never written, by name."""
    allow_changes: bool = False
    """Whether the run is taken up although the agent has changed."""
    by: str = ""
    """Who answers, for the record."""


@dataclass(frozen=True, slots=True)
class Watching:
    """Who watches a run that goes on, and what it may spend."""

    progress: ConsoleListener | None = None
    on_interrupt: Callable[[str], object] = print
    """Called with a message when Ctrl-C is pressed."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """The limits of the budget that are replaced, by name."""
    sleeps: bool = True
    """Whether the command waits while the run does nothing but sleep."""


class Place(Protocol):
    """A place where runs are kept.

    Looking needs no agent: it must work where the agent cannot be loaded. All ids are whole; `find` makes them so.
    """

    @property
    def words(self) -> tuple[str, ...]:
        """The options that name this place, for commands that are shown; none if they can be left out."""
        ...

    def runs(self, *, beginning: str = "") -> list[RunInfo]:
        """Return the runs whose id begins so, oldest first; all by default."""
        ...

    def find(self, run_id: str) -> RunInfo:
        """Return the run of an id, which may be shortened.

        Raises:
            typer.BadParameter: There is no such run, or more than one.
        """
        ...

    def pending(self, run: RunInfo | None = None, *, beginning: str = "") -> list[Request]:
        """Return what can be answered now: of a run and its children, or of all runs whose id begins so."""
        ...

    def outline(self, run: RunInfo) -> Outline:
        """Return what a run has come to."""
        ...

    def happened(self, run: RunInfo, *, after: int = 0) -> Iterable[Happened]:
        """Return the events of a run, without those up to a number."""
        ...

    def trace(self, run: RunInfo) -> Trace:
        """Return the trace of the outermost run that a run belongs to."""
        ...

    def respond(self, request_id: str, readings: Sequence[object], means: Means) -> str:
        """Answer a request, with the first of some readings of an answer that fits.

        Returns:
            The id of the run that goes on then: the one that was begun from outside.

        Raises:
            RequestError: It cannot be answered, or not so.
        """
        ...

    def cancel(self, run: RunInfo, reason: str, means: Means) -> str:
        """Cancel a run, and return in words whether it has ended or will."""
        ...

    def how_to_go_on(self, run_id: str) -> str | None:
        """Return the command that goes on with a run; `None` where runs go on by themselves."""
        ...

    def can_go_on(self, run: RunInfo) -> bool:
        """Tell whether there is something to do for a run now, as far as can be seen from outside."""
        ...

    def resume(self, run: RunInfo, means: Means, watching: Watching) -> Ending:
        """Go on with a run until it ends or waits.

        Raises:
            RunClaimedError: Somebody else does so already.
        """
        ...

    def fork(self, run: RunInfo, at: int | None, new_id: str | None, means: Means) -> str:
        """Make another run with the same past, and return its id."""
        ...


@contextmanager
def opened(
    journal: Path | None, temporal: str | None = None, namespace: str | None = None, *, only_journals: str = ""
) -> Iterator[Place]:
    """Open the place that the options of a command name, or else the environment; it must be there.

    Args:
        journal: The file.
        temporal: The address of the server.
        namespace: Where on the server.
        only_journals: Why what is wanted cannot be had from a server, if so.

    Raises:
        typer.BadParameter: None is named, or two, or there is nothing.
    """
    journal, temporal = _one_of(journal, temporal)
    if temporal is None and namespace is not None:
        message = "--namespace is a part of a Temporal server; add --temporal ADDRESS."
        raise typer.BadParameter(message)
    if temporal is not None:
        if only_journals:
            raise typer.BadParameter(only_journals)
        from planboard.cli.runs.server import serving

        with serving(temporal, namespace) as server:
            from planboard.cli.runs.temporal import TemporalPlace

            yield TemporalPlace(server)
        return
    from planboard.cli.runs.journal import JournalPlace

    if journal is None:
        message = (
            f"It is not said where the runs are kept. Add --journal FILE, or set {JOURNAL}. "
            f"For runs on Temporal: --temporal ADDRESS, or {TEMPORAL}."
        )
        raise typer.BadParameter(message)
    if not journal.exists():
        others = [str(found) for found in journal.parent.glob("*.db")] if journal.parent.is_dir() else []
        hint = suggest(str(journal), others) if others else "`planboard run TARGET --journal FILE` begins one."
        message = f"There is no journal {str(journal)!r}. {hint}"
        raise typer.BadParameter(message)
    with JournalPlace.at(journal) as place:
        yield place


def _one_of(journal: Path | None, temporal: str | None) -> tuple[Path | None, str | None]:
    """Return the journal or the server that is meant: what is typed counts for more than the environment."""
    if journal is not None and temporal is not None:
        message = "--journal is a file and --temporal a server; give the one that keeps the runs."
        raise typer.BadParameter(message)
    if journal is not None or temporal is not None:
        return journal, temporal
    file, server = os.environ.get(JOURNAL), os.environ.get(TEMPORAL)
    if file and server:
        message = f"Both {JOURNAL} and {TEMPORAL} are set. Say which is meant: --journal FILE or --temporal ADDRESS."
        raise typer.BadParameter(message)
    return Path(file) if file else None, server or None


def secrets_given(words: Iterable[str]) -> dict[str, object]:
    """Return secrets by name, from `NAME=VARIABLE`: the values are in the environment, and never on a command line.

    Raises:
        typer.BadParameter: A word is something else, or there is no such variable.
    """
    found: dict[str, object] = {}
    for word in words:
        name, equals, variable = word.partition("=")
        if not (name and equals and variable):
            message = f"--secret {word!r}: write NAME=VARIABLE, such as Login.password=LOGIN_PASSWORD."
            raise typer.BadParameter(message)
        if variable not in os.environ:
            message = f"--secret {name}={variable}: there is no environment variable {variable!r}."
            raise typer.BadParameter(message)
        found[name] = os.environ[variable]
    return found


def only_one(text: str, ids: Iterable[str], what: str) -> str | None:
    """Return the id that a text is, or the only one that it begins; `None` if there is none.

    What begins a run begins its children too; the run is meant.

    Raises:
        typer.BadParameter: It begins several.
    """
    known = list(ids)
    if text in known:
        return text
    found = sorted((known_id for known_id in known if text and known_id.startswith(text)), key=len)
    if len(found) > 1 and not all(other.startswith(f"{found[0]}.") for other in found[1:]):
        shown = [repr(known_id) for known_id in found[:_AMBIGUOUS]]
        more = [f"{len(found) - _AMBIGUOUS} more"] if len(found) > _AMBIGUOUS else []
        message = f"{text!r} may be {what} {listed([*shown, *more], conjunction='or')}. Give more of the id."
        raise typer.BadParameter(message)
    return found[0] if found else None


def request_named(place: Place, text: str) -> str:
    """Return the id of the request that a text is, or begins; one that cannot be answered any more if it is whole.

    The run's part of it may be shortened too: `3f2a:2` is request 2 of the run that begins with 3f2a.

    Raises:
        typer.BadParameter: There is no such request, or more than one.
    """
    owner, colon, call = text.rpartition(":")
    if not colon:
        owner, call = text, ""
    found = only_one(text, [request.id for request in place.pending(beginning=owner)], "request")
    if found is not None:
        return found
    runs = [run.id for run in place.runs(beginning=owner)]
    whole = only_one(owner, runs, "run") if owner else None
    if whole is not None and call:
        return f"{whole}:{call}"
    if whole is not None:
        message = f"Run {whole!r} asks for nothing now. `planboard show` says where it stands."
        raise typer.BadParameter(message)
    message = f"No request {text!r} is pending. {suggest(text, [request.id for request in place.pending()])}"
    raise typer.BadParameter(message)


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where a new run is kept, if it is."""

    journal: SqliteJournal | None = None
    words: tuple[str, ...] | None = None
    """The options that name it, for commands that are shown; `None` if the run is not kept."""

    def target_of(self, target: str) -> str | None:
        """Return TARGET as it is kept: a file as seen from the journal, so that both may be moved together."""
        return None if self.journal is None else seen_from(self.journal.path.absolute().parent, target, Path.cwd())


@contextmanager
def journal_to_keep(file: Path | None) -> Iterator[Keeping]:
    """Open a journal for a new run, or begin one; nothing if none is named."""
    if file is None:
        yield Keeping()
        return
    journal = SqliteJournal(file)
    try:
        yield Keeping(journal, words_for(file))
    finally:
        journal.close()


def words_for(journal: Path) -> tuple[str, ...]:
    """Return the options that name a journal; none if the environment does."""
    named = os.environ.get(JOURNAL) == str(journal) and not os.environ.get(TEMPORAL)
    return () if named else ("--journal", str(journal))


def words_for_server(address: str, namespace: str) -> tuple[str, ...]:
    """Return the options that name a server; none if the environment does."""
    named = os.environ.get(TEMPORAL) == address and not os.environ.get(JOURNAL)
    usual = namespace == (os.environ.get(NAMESPACE) or "default")
    return (*(() if named else ("--temporal", address)), *(() if usual else ("--namespace", namespace)))
