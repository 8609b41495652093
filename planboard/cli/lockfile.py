"""The lock file: which plan each situation has, as text that people read, review and merge.

JSON with sorted keys, one item a line, the situations in order, a version. It holds what plans rely on and nothing
that may differ between two machines or two engines. What cannot be read is refused and never overwritten.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

import typer
from pydantic import BaseModel, ConfigDict, ValidationError

VERSION = 1
"""The version of the format that is written; what is newer is refused."""
_MARK = "planboard_lock"

Key: TypeAlias = tuple[str, tuple[str, ...], str, str]
"""Target, inputs, planner and type wanted: what tells situations apart, and their order in the file."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LockedStep(_Part):
    """A step of a plan, with what it was declared to need and cost."""

    action: str
    outcome: str = ""
    """Which outcome of several the plan counts on."""
    cost: float
    value: float
    needs: tuple[str, ...]
    """Its preconditions: "Topic", "approved", "not draft"."""
    gives: tuple[str, ...]
    """Those of its effects that a later step or the goal relies on."""

    @property
    def label(self) -> str:
        """The name, with the outcome if there are several: "triage → Bug"."""
        return f"{self.action} → {self.outcome}" if self.outcome else self.action


class LockedPlan(_Part):
    """The plan for a goal."""

    steps: tuple[LockedStep, ...]
    assumptions: tuple[str, ...] = ()
    cost: float
    value: float
    net_value: float
    worth: float = 0.0
    """The value of the goal itself."""
    needs: tuple[str, ...] = ()
    """What the goal asks for."""
    fingerprint: str
    """`plan.fingerprint` when it was locked."""


class LockedNoPlan(_Part):
    """That there is no plan for a goal, and why."""

    reason: str
    """As `NoPlan.reason`: "unreachable", "limit", "nothing_achievable"."""
    missing: tuple[str, ...]
    """What the goal asks for that cannot be brought about."""
    would_take: tuple[str, ...] = ()
    """The least that would do, where that is known."""


Locked: TypeAlias = LockedPlan | LockedNoPlan


class Entry(_Part):
    """A situation and its plans: an agent, what it starts from, a planner."""

    target: str
    """TARGET, its path as seen from the lock file's folder."""
    inputs: tuple[str, ...]
    """The inputs as given, but with files as seen from the lock file's folder, and without secrets."""
    planner: str | None = None
    """The planner asked for; `None` for the agent's own."""
    returning: str | None = None
    """The type asked for."""
    planned_by: str
    """The planner that planned."""
    chosen: str | None
    """The goal that is pursued; `None` where no goal has a plan."""
    goals: dict[str, Locked]
    """The answer for each goal."""

    @property
    def key(self) -> Key:
        """What tells it from the other entries."""
        return self.target, self.inputs, self.planner or "", self.returning or ""


class _File(_Part):
    planboard_lock: int
    plans: tuple[Entry, ...]


def read(path: Path) -> dict[Key, Entry]:
    """Return the entries of a lock file.

    Raises:
        typer.BadParameter: It cannot be read, is no lock file, or is one of a newer version.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        message = f"There is no lock file {str(path)!r}. `planboard plan TARGET --lock {path}` makes it."
        raise typer.BadParameter(message) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        message = f"The lock file {str(path)!r} cannot be read: {reason}."
        raise typer.BadParameter(message) from error
    try:
        return _entries(text)
    except (ValueError, RecursionError) as error:
        message = f"{str(path)!r} is no lock file that can be used: {error} It is left as it is."
        raise typer.BadParameter(message) from error


def write(path: Path, entries: Iterable[Entry]) -> bool:
    """Write a lock file in one go, and return whether that changed anything.

    Whoever reads it meanwhile sees the old file or the new one, never a part.

    Raises:
        typer.BadParameter: It cannot be written there; the old file is as it was.
    """
    try:
        data = text_of(entries).encode()
    except UnicodeEncodeError as error:
        message = "One of the inputs is not UTF-8 text, so it cannot be written down."
        raise typer.BadParameter(message) from error
    path = Path(os.path.realpath(path))  # a link stays a link
    try:
        if path.exists() and path.read_bytes() == data:
            return False
        _replace(path, data)
    except OSError as error:
        reason = error.strerror if path.parent.is_dir() else f"there is no folder {str(path.parent)!r}"
        message = f"The lock file {path.name!r} cannot be written: {reason}."
        raise typer.BadParameter(message) from error
    return True


def text_of(entries: Iterable[Entry]) -> str:
    """Return the text of a lock file with these entries, whatever their order."""
    ordered = tuple(sorted(entries, key=lambda entry: entry.key))
    data = _File(planboard_lock=VERSION, plans=ordered).model_dump(mode="json", exclude_defaults=True)
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _entries(text: str) -> dict[Key, Entry]:
    if any(line.startswith(("<<<<<<< ", ">>>>>>> ")) for line in text.splitlines()):
        message = "it holds a merge conflict; settle it, or take either side and run `--lock` again."
        raise ValueError(message)
    try:
        data = json.loads(text, object_pairs_hook=_without_twins)
    except json.JSONDecodeError as error:
        message = f"it is not JSON ({error})."
        raise ValueError(message) from error
    version = data.get(_MARK) if isinstance(data, dict) else None
    if type(version) is not int:  # `True` is none
        message = f"it does not say {_MARK!r}."
        raise ValueError(message)
    if version > VERSION:
        message = f"it was written by a newer Planboard (format {version}; this one knows {VERSION})."
        raise ValueError(message)
    try:
        entries = _File.model_validate(data).plans
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        message = f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
        raise ValueError(message) from error
    found: dict[Key, Entry] = {}
    for entry in entries:
        if found.setdefault(entry.key, entry) is not entry:
            message = f"it holds {entry.target!r} with the inputs {list(entry.inputs)} twice."
            raise ValueError(message)
    return found


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that occurs twice, as after a careless merge, where JSON would take the last."""
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        message = f"it has {next(name for name in names if names.count(name) > 1)!r} twice in one place."
        raise ValueError(message)
    return data


def _replace(path: Path, data: bytes) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        part = Path(file.name)
    try:
        part.write_bytes(data)
        part.chmod(mode)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)  # it is still there if something went wrong


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
