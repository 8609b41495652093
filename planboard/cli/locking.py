"""`planboard plan --lock` and `--check`: plans are written down, and compared with what is planned now."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeAlias

import typer

from planboard._text import listed
from planboard.cli import lockfile
from planboard.cli.difference import Change, changes, news
from planboard.cli.lockfile import Entry, Key
from planboard.cli.recording import Planned, Situation, planned, planned_afresh, recorded
from planboard.cli.reporting import in_words, stdout_reserved
from planboard.cli.target import Target, loaded, seen_from

Status: TypeAlias = Literal["same", "changed", "new", "failed"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One situation, as locked and as it is."""

    situation: Situation
    """With the target as seen from the current folder."""
    status: Status
    """"failed" if it could not be planned now."""
    changes: tuple[Change, ...] = ()
    error: str = ""
    """Why it could not be planned."""
    locked: Entry | None = None
    now: Entry | None = None


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock file and its situations."""

    path: Path
    on_failure: Callable[[BaseException], object]
    """Called with what came up where a situation that is locked could not be planned any more."""

    def check(self) -> list[Comparison]:
        """Compare all that is locked with what is planned now.

        Raises:
            typer.BadParameter: The file cannot be used.
        """
        return list(self._compared(lockfile.read(self.path).values()))

    def check_one(self, situation: Situation) -> Comparison:
        """Compare one situation as locked with what is planned now.

        Raises:
            typer.BadParameter: The file cannot be used, or the situation is not locked.
        """
        entries = lockfile.read(self.path)
        try:
            with stdout_reserved(), loaded(situation.target) as found:
                entry = entries.get(recorded(found, situation, self._folder).key)
                if entry is not None:
                    return self._compare(found, entry)
        except (Exception, SystemExit) as error:
            target = seen_from(self._folder, situation.target, Path())
            entry = entries.get(Situation(target, situation.inputs, situation.planner, situation.returning).key)
            if entry is None:
                raise
            return self._failed(entry, error)
        raise typer.BadParameter(self._not_locked(entries, situation))

    def renew(self) -> list[Comparison]:
        """Lock all that is locked as it is planned now; what cannot be planned stays as it was.

        Raises:
            typer.BadParameter: The file cannot be used.
        """
        entries = lockfile.read(self.path)
        compared = list(self._compared(entries.values()))
        fresh = {item.now.key: item.now for item in compared if item.now is not None}
        lockfile.write(self.path, {**entries, **fresh}.values())
        return compared

    def add(self, situation: Situation) -> Comparison:
        """Lock one situation as it is planned now, beside the others in the file.

        Raises:
            typer.BadParameter: The file cannot be used, or the inputs cannot be written down.
        """
        entries = lockfile.read(self.path) if self.path.exists() else {}
        with stdout_reserved(), loaded(situation.target) as found:
            fresh = planned_afresh(found, situation, self._folder)
        entry = fresh.entry
        before = entries.get(entry.key)
        lockfile.write(self.path, {**entries, entry.key: entry}.values())
        if before is None:
            return Comparison(self._here(entry), "new", tuple(news(entry, fresh.answers.why)), now=entry)
        return self._comparison(before, fresh)

    @property
    def _folder(self) -> Path:
        return self.path.resolve().parent

    def _compared(self, entries: Iterable[Entry]) -> Iterator[Comparison]:
        """Plan again what is locked; each agent is loaded once."""
        ordered = sorted(entries, key=lambda entry: entry.key)
        for target, group in groupby(ordered, key=lambda entry: entry.target):
            alike = list(group)
            try:
                with stdout_reserved(), loaded(seen_from(Path(), target, self._folder)) as found:
                    compared = [self._compare(found, entry) for entry in alike]
            except (Exception, SystemExit) as error:  # noqa: BLE001 - loading runs users' code
                compared = [self._failed(entry, error) for entry in alike]
            yield from compared

    def _compare(self, found: Target, entry: Entry) -> Comparison:
        record = Situation(entry.target, entry.inputs, entry.planner, entry.returning)
        try:
            now = planned(found, record, self._folder)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - costs and conditions are users' code
            return self._failed(entry, error)
        return self._comparison(entry, now)

    def _comparison(self, locked: Entry, now: Planned) -> Comparison:
        found = tuple(changes(locked, now.entry, now.answers.why))
        return Comparison(self._here(locked), "changed" if found else "same", found, locked=locked, now=now.entry)

    def _failed(self, entry: Entry, error: BaseException) -> Comparison:
        self.on_failure(error)
        return Comparison(self._here(entry), "failed", error=in_words(error), locked=entry)

    def _here(self, entry: Entry) -> Situation:
        target = seen_from(Path(), entry.target, self._folder)
        return Situation(target, entry.inputs, entry.planner, entry.returning)

    def _not_locked(self, entries: dict[Key, Entry], situation: Situation) -> str:
        here = {entry.key: self._here(entry) for entry in entries.values()}
        alike = [str(item) for item in here.values() if item.target == situation.target]
        known = listed(f"`{item}`" for item in sorted(alike or {item.target for item in here.values()}))
        hint = f"Locked are {known}." if known else "Nothing is."
        return f"That is not locked in {str(self.path)!r}. {hint} Run it with --lock instead of --check to lock it."
