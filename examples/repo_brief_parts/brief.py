"""The end of the line: combine whatever evidence there is, and write it down."""

from typing import Annotated

from planboard import All, achieves_goal, action
from repo_brief_parts.evidence import Check, Evidence, Fact, FileTree, Finding, code, count, plain
from repo_brief_parts.survey import Profile, language_table

TOPICS = (
    "history", "licence", "dependencies", "tests", "documentation", "continuous integration", "risky patterns",
    "loose ends",
    "largest files", "change hotspots", "duplicates",
)  # fmt: skip
_FINDINGS_SHOWN = 20


class Section(Fact):
    """A part of the brief that one kind of evidence fills."""

    title: str
    lines: tuple[str, ...]


class Synthesis(Fact):
    """All evidence, put together."""

    name: str
    overview: str
    about: str
    languages: tuple[str, ...]
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    gaps: tuple[str, ...]


class Brief(Fact):
    """The finished text."""

    markdown: str


@action(cost=0.1, value=0.4, rerun="new_inputs")
def synthesise(tree: FileTree, profile: Profile, evidence: Annotated[list[Evidence], All]) -> Synthesis:
    """Combine the evidence on the board, whatever there is of it; only size and languages must be known."""
    newest = {piece.topic: piece for piece in evidence if piece.topic}
    ordered = sorted(newest.values(), key=lambda piece: piece.rank)
    told = [gap for piece in evidence for gap in piece.gaps()]
    missing = [
        topic
        for topic in TOPICS
        if topic not in newest and not any(gap.lower().startswith(f"{topic}:") for gap in told)
    ]
    unasked = [f"Not asked about, or nothing to tell: {', '.join(missing)}"] if missing else []
    return Synthesis(
        name=tree.name,
        overview=_overview(profile, [piece.headline() for piece in ordered]),
        about=next((piece.about() for piece in ordered if piece.about()), ""),
        languages=tuple(language_table(profile)),
        checks=tuple(check for piece in ordered for check in piece.checks()),
        findings=tuple(finding for piece in ordered for finding in piece.findings()),
        sections=tuple(
            Section(title=piece.topic.capitalize(), lines=piece.details()) for piece in ordered if piece.details()
        ),
        gaps=(*unasked, *sorted(told), *tree.gaps),
    )


@achieves_goal("A brief that a person is glad to read", value=0.5)
@action(cost=0.1, value=0.45, rerun="new_inputs")
def wrap_up(synthesis: Synthesis) -> Brief:
    """Write the brief."""
    about = ["", f"> {plain(synthesis.about)}"] if synthesis.about else []
    lines = [f"# {plain(synthesis.name)}", *about, "", synthesis.overview, "", "## Languages", "", *synthesis.languages]
    if synthesis.checks:
        passed = sum(check.passed for check in synthesis.checks)
        lines += ["", f"## Health: {passed} of {len(synthesis.checks)}", ""]
        lines += [
            f"- [{'x' if check.passed else ' '}] **{check.name}**: {check.evidence}" for check in synthesis.checks
        ]
    if synthesis.findings:
        lines += ["", "## Worth a look", "", *_finding_lines(synthesis.findings)]
    for section in synthesis.sections:
        lines += ["", f"## {section.title}", "", *section.lines]
    lines += [
        "",
        "## What we did not look at",
        "",
        *(f"- {gap}" for gap in synthesis.gaps or ("Nothing was left out.",)),
    ]
    return Brief(markdown="\n".join(lines) + "\n")


def _overview(profile: Profile, headlines: list[str]) -> str:
    if not profile.files:
        return f"{plain(profile.name)} is an empty directory."
    main = f"mostly {profile.languages[0].name}" if profile.languages else "with no source code that we know"
    size = f"{count(profile.files, 'file')} ({_size(profile.size)}), {count(profile.lines, 'line')} of code, {main}"
    return f"{plain(profile.name)} has {'; '.join([size, *(text for text in headlines if text)])}."


def _size(size: int) -> str:
    kilobyte = 1000
    for unit in ("bytes", "kB", "MB"):
        if size < kilobyte:
            return f"{size:.0f} {unit}"
        size = round(size / kilobyte)
    return f"{size:,} GB"


def _finding_lines(findings: tuple[Finding, ...]) -> list[str]:
    shown = findings[:_FINDINGS_SHOWN]
    lines = [f"- {code(f'{one.path}:{one.line}')} {one.what}{' (in tests)' if one.in_tests else ''}" for one in shown]
    more = len(findings) - len(shown)
    return [*lines, f"- and {more:,} more"] if more else lines
