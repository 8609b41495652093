"""A situation as a lock file records it: paths as seen from the file, no secrets, and the plans that follow."""

import shlex
from dataclasses import dataclass
from pathlib import Path

import typer

from planboard.cli.answers import Answers, answers_of
from planboard.cli.lockfile import Entry, Key
from planboard.cli.preparing import Prepared, prepare
from planboard.cli.redaction import leaks, redacted, secrets_in
from planboard.cli.target import Target, path_from, seen_from
from planboard.runtime.options import ProcessOptions

_FROM_A_FILE = "Put that input in a file; of a file only the name is locked: --input Type=@FILE."


@dataclass(frozen=True, slots=True)
class Situation:
    """What `plan` was asked: an agent, its inputs, a planner."""

    target: str
    inputs: tuple[str, ...] = ()
    planner: str | None = None
    returning: str | None = None

    @property
    def key(self) -> Key:
        """What tells it from other situations."""
        return self.target, self.inputs, self.planner or "", self.returning or ""

    def __str__(self) -> str:
        words = [self.target]
        for word in self.inputs:
            words += ["--input", word]
        for option, given in (("--planner", self.planner), ("--returning", self.returning)):
            words += [option, given] if given is not None else []
        return shlex.join(words)


@dataclass(frozen=True, slots=True)
class Planned:
    """A situation as recorded, with its plans of today."""

    entry: Entry
    answers: Answers


def recorded(found: Target, situation: Situation, folder: Path) -> Situation:
    """Return a situation, given in the current folder, as a lock file in `folder` records it.

    Raises:
        typer.BadParameter: The inputs do not fit the agent, or cannot be written down.
    """
    return _recorded(_prepare(found, situation), situation, folder)


def planned(found: Target, record: Situation, folder: Path) -> Planned:
    """Plan for a situation as recorded, without running anything.

    Args:
        found: The agent.
        record: The situation, as `recorded` returns it.
        folder: The folder of the lock file.

    Raises:
        typer.BadParameter: The inputs no longer fit the agent, or it has no goal.
    """
    return _planned(_prepare(found, record, folder), record)


def planned_afresh(found: Target, situation: Situation, folder: Path) -> Planned:
    """Plan for a situation given in the current folder, and make sure that its record leads to the same plans.

    Raises:
        typer.BadParameter: The inputs do not fit the agent, or the plans depend on a secret in them.
    """
    ready = _prepare(found, situation)
    record = _recorded(ready, situation, folder)
    now = _planned(ready, record)
    words = zip(situation.inputs, record.inputs, strict=True)
    if all(given == kept for given, kept in words if given not in ready.files):
        return now
    try:
        without = planned(found, record, folder)
    except typer.BadParameter as error:
        raise typer.BadParameter(_SECRET_NEEDED) from error
    if without.entry != now.entry:
        raise typer.BadParameter(_SECRET_NEEDED)
    return now


_SECRET_NEEDED = (
    f"Without the secrets in the inputs, which no lock file holds, the plans cannot be made. {_FROM_A_FILE}"
)


def _planned(ready: Prepared, record: Situation) -> Planned:
    answers = answers_of(ready.process)
    entry = Entry(
        target=record.target,
        inputs=record.inputs,
        planner=record.planner,
        returning=record.returning,
        planned_by=ready.process.planner.name,
        chosen=answers.chosen,
        goals=answers.goals,
    )
    return Planned(entry, answers)


def _prepare(found: Target, situation: Situation, folder: Path | None = None) -> Prepared:
    words = situation.inputs, situation.planner, situation.returning
    return prepare(found, *words, ProcessOptions(), folder=folder)


def _recorded(ready: Prepared, situation: Situation, folder: Path) -> Situation:
    secrets = frozenset(secret for given in ready.given for secret in secrets_in(given.value))
    words: list[str] = []
    for word in situation.inputs:
        file = ready.files.get(word)
        if file == "-":
            message = "What comes from standard input cannot be planned for again. Put it in a file: --input @FILE."
            raise typer.BadParameter(message)
        named = None if file is None else word.removesuffix(file) + path_from(folder, file, Path())
        words.append(named or redacted(word, secrets))
        if named is None and leaks(words[-1:], secrets):
            message = f"One of the inputs holds a secret that cannot be left out. {_FROM_A_FILE}"
            raise typer.BadParameter(message)
    return Situation(seen_from(folder, situation.target, Path()), tuple(words), situation.planner, situation.returning)
