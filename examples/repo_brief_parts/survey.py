"""What the files say of themselves: languages, tests, automation, licence, documentation, size, loose ends."""

import hashlib
import re
from collections import Counter
from typing import ClassVar

from planboard import action
from repo_brief_parts.evidence import Check, Evidence, Fact, FileTree, Finding, SourceFile, code, count, is_test

LANGUAGES = {
    "Python": ".py .pyi", "JavaScript": ".js .jsx .mjs .cjs", "TypeScript": ".ts .tsx", "Go": ".go", "Rust": ".rs",
    "Java": ".java", "Kotlin": ".kt .kts", "C": ".c .h", "C++": ".cpp .cc .cxx .hpp .hh", "C#": ".cs", "Ruby": ".rb",
    "PHP": ".php", "Swift": ".swift", "Scala": ".scala", "Shell": ".sh .bash .zsh", "SQL": ".sql", "Lua": ".lua",
    "R": ".r", "HTML": ".html .htm", "CSS": ".css .scss .less", "Vue": ".vue", "Svelte": ".svelte", "Dart": ".dart",
    "Elixir": ".ex .exs", "Haskell": ".hs", "Zig": ".zig", "Terraform": ".tf", "Jupyter": ".ipynb",
}  # fmt: skip
_LANGUAGE_OF = {suffix: language for language, suffixes in LANGUAGES.items() for suffix in suffixes.split()}
_CASE = {
    "Python": r"^\s*(?:async )?def test", "Go": r"^func (?:Test|Fuzz)", "Rust": r"#\[(?:\w+::)?test\b",
    "Java": r"@Test\b", "Kotlin": r"@Test\b", "JavaScript": r"^\s*(?:it|test)\(", "TypeScript": r"^\s*(?:it|test)\(",
    "Ruby": r"^\s*(?:it|test) ", "C#": r"\[(?:Fact|Test|TestMethod|Theory)\b", "Swift": r"func test",
    "PHP": r"function test",
}  # fmt: skip
_LICENCES = (
    ("Apache-2.0", "apache license"), ("AGPL-3.0", "gnu affero general public license"),
    ("LGPL", "gnu lesser general public license"), ("GPL", "gnu general public license"),
    ("MPL-2.0", "mozilla public license"), ("MIT", "permission is hereby granted, free of charge"),
    ("ISC", "permission to use, copy, modify, and/or distribute"),
    ("BSD", "redistribution and use in source and binary forms"), ("Unlicense", "free and unencumbered software"),
    ("EUPL", "european union public licence"), ("CC0-1.0", "cc0 1.0 universal"),
)  # fmt: skip
_CI = (
    ("GitHub Actions", re.compile(r"^\.github/workflows/[^/]+\.ya?ml$")),
    ("a CI script", re.compile(r"^\.ci/[^/]+$")),
    ("GitLab CI", re.compile(r"^\.gitlab-ci\.ya?ml$")),
    ("CircleCI", re.compile(r"^\.circleci/config\.ya?ml$")),
    ("Azure Pipelines", re.compile(r"^azure-pipelines\.ya?ml$")),
    ("Jenkins", re.compile(r"^Jenkinsfile$")), ("Travis CI", re.compile(r"^\.travis\.yml$")),
    ("Bitbucket", re.compile(r"^bitbucket-pipelines\.yml$")), ("Woodpecker", re.compile(r"^\.woodpecker(?:\.yml|/)")),
)  # fmt: skip
_LOOSE_END = re.compile(r"(?:#|//|/\*|\*|--|;|<!--|%)\s*(?:.*\s)?(TODO|FIXME|XXX|HACK)\b")
_TODOS_PER_THOUSAND = 5
_SHOWN = 5
_PLACES = 50
_MAX_SUMMARY = 300


class Language(Fact):
    """One language's share."""

    name: str
    files: int
    lines: int


class Profile(Evidence):
    """How much there is, and in what."""

    topic: ClassVar[str] = "size and languages"
    rank: ClassVar[int] = 10

    name: str
    files: int
    size: int
    lines: int
    languages: tuple[Language, ...]


class Tests(Evidence):
    """The tests, by the conventions of their languages."""

    topic: ClassVar[str] = "tests"
    rank: ClassVar[int] = 40

    files: int
    cases: int
    example: str = ""

    def checks(self) -> tuple[Check, ...]:
        found = f"{count(self.cases, 'test case')} in {count(self.files, 'file')}, such as {code(self.example)}"
        return (Check(name="Tests", passed=self.files > 0, evidence=found if self.files else "no test files found"),)


class Automation(Evidence):
    """What runs by itself when code is pushed."""

    topic: ClassVar[str] = "continuous integration"
    rank: ClassVar[int] = 50

    systems: tuple[tuple[str, str], ...]

    def checks(self) -> tuple[Check, ...]:
        first = dict(reversed(self.systems))
        found = ", ".join(f"{system} ({code(path)})" for system, path in sorted(first.items()))
        return (Check(name="Continuous integration", passed=bool(found), evidence=found or "no configuration found"),)


class Licence(Evidence):
    """Under what terms it may be used."""

    topic: ClassVar[str] = "licence"
    rank: ClassVar[int] = 30

    kind: str
    path: str

    def headline(self) -> str:
        return f"under {self.kind}" if self.path and self.kind else ""

    def checks(self) -> tuple[Check, ...]:
        found = f"{self.kind or 'a text we do not recognise'} in {code(self.path)}"
        return (
            Check(
                name="Licence", passed=bool(self.path), evidence=found if self.path else "no licence file at the top"
            ),
        )


class Documentation(Evidence):
    """What there is to read for people."""

    topic: ClassVar[str] = "documentation"
    rank: ClassVar[int] = 45

    readme: str
    readme_lines: int
    pages: int
    changelog: str
    contributing: str
    summary: str
    """The first paragraph of the README."""

    def about(self) -> str:
        return self.summary

    def checks(self) -> tuple[Check, ...]:
        readme = f"{code(self.readme)}, {count(self.readme_lines, 'line')}; {count(self.pages, 'page')} of text in all"
        return (
            Check(name="README", passed=bool(self.readme), evidence=readme if self.readme else "none at the top"),
            Check(
                name="Changelog",
                passed=bool(self.changelog),
                evidence=code(self.changelog) if self.changelog else "none",
            ),
            Check(
                name="Contribution guide",
                passed=bool(self.contributing),
                evidence=code(self.contributing) if self.contributing else "none",
            ),
        )


class LooseEnds(Evidence):
    """Comments that promise more work."""

    topic: ClassVar[str] = "loose ends"
    rank: ClassVar[int] = 60

    total: int
    per_thousand: float
    places: tuple[Finding, ...]

    def checks(self) -> tuple[Check, ...]:
        density = f"{count(self.total, 'TODO, FIXME, XXX or HACK comment')}, {self.per_thousand} per 1,000 lines"
        return (Check(name="Few loose ends", passed=self.per_thousand < _TODOS_PER_THOUSAND, evidence=density),)

    def findings(self) -> tuple[Finding, ...]:
        return self.places

    def gaps(self) -> tuple[str, ...]:
        more = self.total - len(self.places)
        return (f"{more:,} more loose ends, beyond the first {_PLACES}",) if more else ()


class LargestFiles(Evidence):
    """Where the weight is."""

    topic: ClassVar[str] = "largest files"
    rank: ClassVar[int] = 65

    files: tuple[SourceFile, ...]

    def details(self) -> tuple[str, ...]:
        return tuple(f"- {code(file.path)} has {count(file.size, 'byte')}" for file in self.files)


class Duplicates(Evidence):
    """Files with the same content."""

    topic: ClassVar[str] = "duplicates"
    rank: ClassVar[int] = 75

    groups: tuple[tuple[str, ...], ...]

    def details(self) -> tuple[str, ...]:
        return tuple(
            f"- The same content: {', '.join(code(path) for path in group[:_SHOWN])}" for group in self.groups[:_SHOWN]
        )


@action(cost=0.1, value=0.95)
def measure(tree: FileTree) -> Profile:
    """Count files, lines and languages."""
    files, lines = Counter[str](), Counter[str]()
    for file in tree.readable():
        language = language_of(file)
        if language:
            files[language] += 1
            lines[language] += _line_count(tree.text(file))
    rows = sorted(files, key=lambda name: (-lines[name], name))
    return Profile(
        name=tree.name,
        files=len(tree.files),
        size=sum(file.size for file in tree.files),
        lines=sum(lines.values()),
        languages=tuple(Language(name=name, files=files[name], lines=lines[name]) for name in rows),
    )


@action(cost=0.1, value=0.8)
def find_tests(tree: FileTree) -> Tests:
    """Find tests and count their cases."""
    patterns = {language: re.compile(pattern, re.MULTILINE) for language, pattern in _CASE.items()}
    tests = [file for file in tree.readable() if is_test(file) and language_of(file) in patterns]
    cases = {file.path: len(patterns[language_of(file)].findall(tree.text(file))) for file in tests}
    most = min(cases, key=lambda path: (-cases[path], path), default="")
    return Tests(files=sum(number > 0 for number in cases.values()), cases=sum(cases.values()), example=most)


@action(cost=0.05, value=0.7)
def find_automation(tree: FileTree) -> Automation:
    """Find the configuration of continuous integration."""
    systems = [(system, file.path) for file in tree.files for system, path in _CI if path.search(file.path)]
    return Automation(systems=tuple(sorted(systems)))


@action(cost=0.05, value=0.75)
def find_licence(tree: FileTree) -> Licence:
    """Recognise the licence by its text."""
    for file in tree.files:
        if not file.folders and re.match(r"(?i)(licen[cs]e|copying|unlicense)", file.name) and file.readable:
            text = " ".join(tree.text(file).lower().split())
            return Licence(kind=next((kind for kind, words in _LICENCES if words in text), ""), path=file.path)
    return Licence(kind="", path="")


@action(cost=0.05, value=0.7)
def find_documentation(tree: FileTree) -> Documentation:
    """Find what there is to read."""

    def at_the_top(start: str) -> str:
        homes: tuple[tuple[str, ...], ...] = ((), ("docs",), (".github",))
        fitting = (file for file in tree.files if file.folders in homes and file.name.lower().startswith(start))
        return next((file.path for file in fitting), "")

    readme = next((file for file in tree.files if not file.folders and file.name.lower().startswith("readme")), None)
    return Documentation(
        readme=readme.path if readme else "",
        readme_lines=_line_count(tree.text(readme)) if readme and readme.readable else 0,
        pages=sum(file.suffix in (".md", ".rst", ".adoc", ".txt") and not is_test(file) for file in tree.readable()),
        changelog=at_the_top("changelog") or at_the_top("changes") or at_the_top("history"),
        contributing=at_the_top("contributing"),
        summary=_first_paragraph(tree.text(readme)) if readme and readme.readable else "",
    )


@action(cost=0.15, value=0.65)
def find_loose_ends(tree: FileTree) -> LooseEnds:
    """Count comments that promise more work, against the lines of code."""
    places: list[Finding] = []
    lines = 0
    for file in tree.readable():
        if not language_of(file) or file.suffix == ".ipynb":
            continue
        for number, line in enumerate(tree.text(file).splitlines(), 1):
            lines += 1
            found = _LOOSE_END.search(line[:500])
            if found:
                places.append(Finding(what=f"{found[1]} comment", path=file.path, line=number, in_tests=is_test(file)))
    return LooseEnds(
        total=len(places), per_thousand=round(1000 * len(places) / max(lines, 1), 1), places=tuple(places[:_PLACES])
    )


@action(cost=0.05, value=0.55)
def find_largest(tree: FileTree) -> LargestFiles | None:
    """Name the largest files; nothing in an empty directory."""
    largest = sorted(tree.files, key=lambda file: (-file.size, file.path))[:_SHOWN]
    return LargestFiles(files=tuple(largest)) if largest else None


@action(cost=0.5, value=0.45)
def find_duplicates(tree: FileTree) -> Duplicates | None:
    """Compare the contents of all files: slow, and rarely worth the wait."""
    groups: dict[bytes, list[str]] = {}
    for file in tree.readable():
        if file.size:
            digest = hashlib.sha256(tree.text(file).encode("utf-8", "replace")).digest()
            groups.setdefault(digest, []).append(file.path)
    same = sorted(tuple(sorted(paths)) for paths in groups.values() if len(paths) > 1)
    return Duplicates(groups=tuple(same)) if same else None


def language_of(file: SourceFile) -> str:
    """Return the language of a file by its ending; empty for none."""
    return _LANGUAGE_OF.get(file.suffix, "")


def language_table(profile: Profile) -> list[str]:
    """Return the languages as a Markdown table."""
    if not profile.languages:
        return ["No source files in a language we know."]
    rows = [
        f"| {one.name} | {one.files:,} | {one.lines:,} | {_percent(one.lines, profile.lines)} |"
        for one in profile.languages
    ]
    return ["| language | files | lines | share |", "|---|---:|---:|---:|", *rows]


def _first_paragraph(text: str) -> str:
    """Return the first prose of a README: no heading, badge, picture or tag."""
    for block in re.split(r"\n\s*\n", text[:10_000]):
        lines = block.strip().splitlines()
        markup = re.match(r"\s*(?:#|\[!|!\[|<|```|\.\.|[-=*|>]|\[[^]]*\]:|---)", block)
        underlined = len(lines) > 1 and re.fullmatch(r"[=\-~^*#]{3,}", lines[1].strip())
        if lines and not markup and not underlined:
            words = " ".join(block.split())
            return words if len(words) <= _MAX_SUMMARY else f"{words[:_MAX_SUMMARY].rsplit(' ', 1)[0]} ..."
    return ""


def _percent(part: int, whole: int) -> str:
    share = round(100 * part / max(whole, 1))
    return "< 1 %" if part and not share else f"{share} %"


def _line_count(text: str) -> int:
    return text.count("\n") + (bool(text) and not text.endswith("\n"))
