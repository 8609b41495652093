"""What git knows: how old, how busy, how many people. Git is asked, with a time limit, and may be absent."""

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import ClassVar

from planboard import ActionContext, action
from repo_brief_parts.evidence import Check, Evidence, FileTree, Gap, code, count

_SECONDS = 15
_MAX_COMMITS = 50_000


class History(Evidence):
    """The commits, in numbers."""

    topic: ClassVar[str] = "history"
    rank: ClassVar[int] = 20

    commits: int
    contributors: int
    first: str
    """The date of the first commit, as in the repository: 2026-03-01."""
    last: str
    busiest_share: int
    """Percent of the commits by the most active contributor."""
    incomplete: str = ""
    """Why there may be more commits than were counted."""

    def headline(self) -> str:
        least = "at least " if self.incomplete else ""
        people = count(self.contributors, "contributor")
        when = f"on {self.first}" if self.first == self.last else f"from {self.first} to {self.last}"
        return f"{least}{count(self.commits, 'commit')} by {people} {when}"

    def checks(self) -> tuple[Check, ...]:
        shared = self.contributors > 1
        most = f", the most active of whom made {self.busiest_share} % of the commits" if shared else ""
        return (
            Check(
                name="More than one contributor",
                passed=shared,
                evidence=count(self.contributors, "person", "people") + most,
            ),
        )

    def gaps(self) -> tuple[str, ...]:
        return (f"Older commits: {self.incomplete}",) if self.incomplete else ()


class Hotspots(Evidence):
    """The files that change most often."""

    topic: ClassVar[str] = "change hotspots"
    rank: ClassVar[int] = 70

    files: tuple[tuple[str, int], ...]

    def details(self) -> tuple[str, ...]:
        return tuple(f"- {code(path)} changed in {count(times, 'commit')}" for path, times in self.files)


@action(cost=0.2, value=0.9)
def read_history(tree: FileTree, context: ActionContext) -> History | None:
    """Count commits and contributors; nothing when this is no git repository or git is not installed."""
    found = _log(tree.root, "--format=%cs%x09%aE")
    rows = sorted(line.split("\t", 1) for line in found.splitlines() if "\t" in line)
    if not rows:
        context.add(Gap(subject="History", reason="no commits that git could tell of here"))
        return None
    people = Counter(author.lower() for _, author in rows)
    shallow = _git(tree.root, "rev-parse", "--is-shallow-repository").strip() == "true"
    incomplete = "the clone is shallow" if shallow else ""
    if len(rows) == _MAX_COMMITS:
        incomplete = f"only the latest {_MAX_COMMITS:,} were counted"
    return History(
        commits=len(rows),
        contributors=len(people),
        first=rows[0][0],
        last=rows[-1][0],
        busiest_share=round(100 * max(people.values()) / len(rows)),
        incomplete=incomplete,
    )


@action(cost=0.6, value=0.4)
def find_hotspots(tree: FileTree, history: History) -> Hotspots | None:
    """Count how often each file changed: slow, and rarely worth the wait."""
    log = _log(tree.root, "--format=", "--name-only", "--relative", "-z", limit=min(history.commits, 5_000))
    present = {file.path for file in tree.files}
    times = Counter(name for name in log.split("\0") if name in present)
    often = sorted(((name, number) for name, number in times.items() if number > 1), key=lambda row: (-row[1], row[0]))
    return Hotspots(files=tuple(often[:5])) if often else None


def _log(root: Path, *options: str, limit: int = _MAX_COMMITS) -> str:
    prefix = _git(root, "rev-parse", "--show-prefix").strip()
    within = ("--", ".") if prefix else ()  # asking for a path makes git compare trees, which is slow
    return _git(root, "log", f"--max-count={limit}", *options, *within)


def _git(root: Path, *arguments: str) -> str:
    """Return what git says; nothing when it fails, is absent or takes too long.

    A repository that one only reads may still configure programs for git to start; those are switched off.
    """
    off = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false", "core.quotePath=false")
    harmless = tuple(word for setting in off for word in ("-c", setting))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat"}
    command = ("git", "-C", str(root), *harmless, *arguments)
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; the path is an argument of its own
            command, capture_output=True, timeout=_SECONDS, env=environment, stdin=subprocess.DEVNULL, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", errors="replace")
