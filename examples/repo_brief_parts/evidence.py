"""What research has in common: a kind of evidence says what it checked, found and could not see.

The synthesiser asks only this much, so a new research action is a new subclass and nothing else changes.
"""

from pathlib import Path, PurePosixPath
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, field_validator


class Fact(BaseModel):
    """Something on the board; it does not change."""

    model_config = ConfigDict(frozen=True)


class RepoRequest(Fact):
    """The directory to write a brief on."""

    path: Path

    @field_validator("path")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        return path.expanduser().absolute()


class SourceFile(Fact):
    """One regular file."""

    path: str
    """Relative to the root, with forward slashes."""
    size: int
    """In bytes."""
    readable: bool = True
    """Whether its text is looked at: it is no binary, not too large, and within the reading budget."""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    @property
    def suffix(self) -> str:
        """The ending of the name in small letters, with its dot."""
        return PurePosixPath(self.path).suffix.lower()

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders it is in, in small letters, outermost first."""
        return tuple(part.lower() for part in PurePosixPath(self.path).parts[:-1])


class FileTree(Fact):
    """One walk over the directory, shared by all research."""

    root: Path
    name: str
    files: tuple[SourceFile, ...]
    gaps: tuple[str, ...] = ()
    """What the walk left out, in words."""

    def readable(self) -> tuple[SourceFile, ...]:
        """Return the files whose text is looked at."""
        return tuple(file for file in self.files if file.readable)

    def text(self, file: SourceFile) -> str:
        """Return a file's text; bytes that are no UTF-8 are replaced. A file that has gone since is empty."""
        try:
            return (self.root / file.path).read_bytes().decode("utf-8-sig", errors="replace")
        except OSError:
            return ""


class Check(Fact):
    """One line of the health checklist."""

    name: str
    passed: bool
    evidence: str


class Finding(Fact):
    """Something to look at, with its place. It never quotes the line, which may hold a secret."""

    what: str
    path: str
    line: int
    in_tests: bool = False


class Evidence(Fact):
    """What one research action found out."""

    topic: ClassVar[str]
    """What was looked into, as "licence"."""
    rank: ClassVar[int]
    """Where it stands in the brief."""

    def about(self) -> str:
        """Return the project's own words on what it is; empty for none."""
        return ""

    def headline(self) -> str:
        """Return a clause for the overview sentence; empty for none."""
        return ""

    def checks(self) -> tuple[Check, ...]:
        """Return lines for the health checklist."""
        return ()

    def findings(self) -> tuple[Finding, ...]:
        """Return places to look at."""
        return ()

    def details(self) -> tuple[str, ...]:
        """Return Markdown lines for a section of its own."""
        return ()

    def gaps(self) -> tuple[str, ...]:
        """Return what was not looked at."""
        return ()


class Gap(Evidence):
    """A topic that was looked into in vain."""

    topic: ClassVar[str] = ""
    rank: ClassVar[int] = 99

    subject: str
    reason: str

    def gaps(self) -> tuple[str, ...]:
        """Return the reason."""
        return (f"{self.subject}: {self.reason}",)


def count(number: int, noun: str, plural: str = "") -> str:
    """Return "1 file", "2,000 files"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def code(text: str) -> str:
    """Return text as Markdown code that cannot break out of it, nor out of a table cell."""
    safe = "".join(char if char.isprintable() else "?" for char in text).replace("|", "¦")
    fence = "``" if "`" in safe else "`"
    pad = " " if "`" in safe else ""
    return f"{fence}{pad}{safe}{pad}{fence}"


def plain(text: str) -> str:
    """Return text from a file name or file so that Markdown shows it as it is."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|!" else char if char.isprintable() else "?" for char in text)


def is_test(file: SourceFile) -> bool:
    """Tell whether a file is a test, by the conventions of its language."""
    name, stem = file.name, PurePosixPath(file.path).stem
    if {"tests", "test", "__tests__", "spec", "testing"} & set(file.folders):
        return True
    marks = (stem.startswith("test_"), stem.endswith(("_test", "_spec", ".test", ".spec")), name == "conftest.py")
    return any(marks) or (file.suffix in (".java", ".kt", ".cs", ".swift") and stem.endswith(("Test", "Tests")))
