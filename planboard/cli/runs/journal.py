"""A journal file as a place where runs are kept; they go on in the program of the command."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Self

import typer

from planboard._text import suggest
from planboard.cli.asking import how_to_go_on
from planboard.cli.complaints import complaints, loaded_for
from planboard.cli.ending import Ending, ending_of
from planboard.cli.reporting import stdout_reserved, usage_errors
from planboard.cli.running import run_to_end
from planboard.cli.runs.outline import Outline
from planboard.cli.runs.places import Means, Watching, only_one, words_for
from planboard.cli.runs.unread import Happened, happened
from planboard.cli.target import seen_from
from planboard.errors import InvalidAnswerError, UnknownRequestError
from planboard.events import ProcessCreated
from planboard.journal.port import RunInfo
from planboard.journal.sqlite import SqliteJournal
from planboard.observe.console import ConsoleListener
from planboard.observe.spans import Trace
from planboard.observe.tracing import trace_of
from planboard.runtime.keeping import CANCEL
from planboard.runtime.options import Budget
from planboard.runtime.process import Process
from planboard.runtime.requests import Request

_GOING = ("NOT_STARTED", "RUNNING")


class JournalPlace:
    """Runs in a journal file.

    Args:
        journal: The journal.
        words: The options that name it.
    """

    def __init__(self, journal: SqliteJournal, words: tuple[str, ...]) -> None:
        self._journal = journal
        self.words = words
        """The options that name this place, for commands that are shown."""

    @classmethod
    @contextmanager
    def at(cls, file: Path) -> Iterator[Self]:
        """Open a journal file, or begin one."""
        journal = SqliteJournal(file)
        try:
            yield cls(journal, words_for(file))
        finally:
            journal.close()

    # Looking

    def runs(self, *, beginning: str = "") -> list[RunInfo]:
        """Return runs; see `Place.runs`."""
        return [run for run in self._journal.runs() if run.id.startswith(beginning)]

    def find(self, run_id: str) -> RunInfo:
        """Return a run; see `Place.find`."""
        runs = {run.id: run for run in self._journal.runs()}
        found = only_one(run_id, runs, "run")
        if found is None:
            message = f"No run {run_id!r} is kept in {str(self._journal.path)!r}. {suggest(run_id, runs)}"
            raise typer.BadParameter(message)
        return runs[found]

    def pending(self, run: RunInfo | None = None, *, beginning: str = "") -> list[Request]:
        """Return what can be answered now; see `Place.pending`."""
        found: list[Request] = []
        now = time.time()
        for each in self.runs(beginning=beginning) if run is None else self._tree(run):
            if not each.standing.waits_for:
                continue
            answered = self._journal.answers(each.id)
            outline = Outline(each).follow(self.happened(each))
            found += [
                request
                for _, request in sorted(outline.requests.items())
                if request.id not in answered and (request.expires_at is None or request.expires_at.timestamp() > now)
            ]
        return found

    def outline(self, run: RunInfo) -> Outline:
        """Return what a run has come to; see `Place.outline`."""
        outline = Outline(run).follow(self.happened(run))
        outline.children = [self.outline(child) for child in self._journal.runs(parent_id=run.id)]
        outline.pending = tuple(self.pending(run))
        return outline

    def happened(self, run: RunInfo, *, after: int = 0) -> Iterable[Happened]:
        """Return the events of a run; see `Place.happened`."""
        return list(happened(run.id, self._journal.read(run.id, after=after)))

    def trace(self, run: RunInfo) -> Trace:
        """Return the trace of a run; see `Place.trace`."""
        return trace_of(self._journal, run.id)

    def can_go_on(self, run: RunInfo) -> bool:
        """Tell whether there is something to do for a run now; see `Place.can_go_on`."""
        now = time.time()
        for each in self._tree(run):
            standing = each.standing
            if standing.status in _GOING or (standing.status == "WAITING" and self._has_mail(each)):
                return True
            if standing.status == "WAITING" and standing.wakes_at is not None and standing.wakes_at <= now:
                return True
        return False

    def _has_mail(self, run: RunInfo) -> bool:
        return not {*run.standing.waits_for, CANCEL}.isdisjoint(self._journal.answers(run.id))

    def _tree(self, run: RunInfo) -> Iterator[RunInfo]:
        yield run
        for child in self._journal.runs(parent_id=run.id):
            yield from self._tree(child)

    # Changing

    def respond(self, request_id: str, readings: Sequence[object], means: Means) -> str:
        """Answer a request; see `Place.respond`."""
        owner = self._journal.info(request_id.rpartition(":")[0])
        root = self._root(owner)
        with self._taken_up(root, means) as process:
            refused: InvalidAnswerError | None = None
            for reading in readings:
                try:
                    process.respond(request_id, reading, by=means.by)
                except InvalidAnswerError as error:
                    refused = refused or error
                except UnknownRequestError as error:
                    if owner.id == root.id or not self._is_open(owner, request_id):
                        raise
                    message = (
                        f"{error} It is asked by {owner.agent!r}, a child whose agent is not known to {root.agent!r}: "
                        f"name it in Agent({root.agent!r}, ..., agents=[...])."
                    )
                    raise UnknownRequestError(request_id, message) from error
                else:
                    return root.id
            assert refused is not None  # noqa: S101 - there is at least one reading
            raise refused

    def cancel(self, run: RunInfo, reason: str, means: Means) -> str:
        """Cancel a run; see `Place.cancel`."""
        self._must_be_root(run, "cancel")
        with self._taken_up(run, means) as process:
            process.cancel(reason)
            if process.status.is_final:
                return f"Run {run.id} is cancelled."
        return f"Run {run.id} is being run by another program; it stops as soon as its current action allows."

    def how_to_go_on(self, run_id: str) -> str:
        """Return the command that goes on with a run; see `Place.how_to_go_on`."""
        return how_to_go_on(run_id, self.words)

    def resume(self, run: RunInfo, means: Means, watching: Watching) -> Ending:
        """Go on with a run; see `Place.resume`."""
        root = self._root(run)
        with self._taken_up(root, means, watching.progress) as process:
            budget = None
            if watching.limits:
                with usage_errors():
                    budget = _replaced(process.options.budget, watching)
            run_to_end(process, watching.on_interrupt, budget=budget, sleeps=watching.sleeps)
            created = process.events[0]
            wanted = created.returning if isinstance(created, ProcessCreated) else None
            form = None if wanted is None else process.agent.types.form_named(wanted)
            return ending_of(process, form, kept=True)

    def fork(self, run: RunInfo, at: int | None, new_id: str | None, means: Means) -> str:
        """Make another run with the same past; see `Place.fork`."""
        self._must_be_root(run, "fork")
        with self._taken_up(run, means) as process:
            try:
                return process.fork(at, id=new_id).id
            except ValueError as error:
                raise typer.BadParameter(str(error)) from error

    def _root(self, run: RunInfo) -> RunInfo:
        """Return the run that was begun from outside: children go on with it."""
        while run.parent_id is not None:
            run = self._journal.info(run.parent_id)
        return run

    def _must_be_root(self, run: RunInfo, verb: str) -> None:
        root = self._root(run)
        if root.id != run.id:
            message = f"Run {run.id!r} is a part of {root.id!r}. To {verb} that: planboard {verb} {root.id}"
            raise typer.BadParameter(message)

    def _is_open(self, run: RunInfo, request_id: str) -> bool:
        return any(request.id == request_id for request in self.pending(run))

    @contextmanager
    def _taken_up(self, run: RunInfo, means: Means, progress: ConsoleListener | None = None) -> Iterator[Process]:
        """Load the agent of a run, and restore the run."""
        target = means.target or self._target(run)
        given = means.target is not None
        with stdout_reserved(), complaints(), loaded_for(run, target, given=given) as found:
            process = Process.restore(
                found.agent, self._journal, run.id,
                planner=means.planner, secrets=means.secrets, allow_changes=means.allow_changes,
            )  # fmt: skip
            if progress is not None:
                progress.catch_up(item.event for each in self._tree(run) for item in self.happened(each))
                options = replace(process.options, listeners=(progress,))
                process = Process.restore(
                    found.agent, self._journal, run.id, options=options,
                    planner=process.planner, secrets=means.secrets, allow_changes=means.allow_changes,
                )  # fmt: skip
            yield process

    def _target(self, run: RunInfo) -> str:
        if run.target is None:
            message = f"Where the agent {run.agent!r} of run {run.id!r} is found is not kept. Say it: --target TARGET."
            raise typer.BadParameter(message)
        return seen_from(Path.cwd(), run.target, self._journal.path.absolute().parent)


def _replaced(budget: Budget, watching: Watching) -> Budget:
    """Return a budget with some of its limits replaced."""
    known = {limit.name: getattr(budget, limit.name) for limit in fields(budget)}
    return Budget(**{**known, **watching.limits})
