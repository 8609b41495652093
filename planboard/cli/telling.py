"""Comparisons with a lock file, as text for people and as data for programs."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import typer

from planboard.cli.lockfile import Entry
from planboard.cli.locking import Comparison
from planboard.cli.reporting import harmless

_COLOURS = {"-": typer.colors.RED, "+": typer.colors.GREEN}
_HEADINGS = {"new": " (new)", "failed": " (cannot be planned any more)"}


def show(compared: Iterable[Comparison]) -> None:
    """Print what differs to standard output, with colours in a terminal."""
    colourful = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for line in lines(compared):
        clean = harmless(line)
        colour = _COLOURS.get(clean.lstrip()[:1]) if colourful else None
        bold = colourful and not clean.startswith(" ")
        typer.echo(typer.style(clean, fg=colour, bold=bold or None) if colour or bold else clean)


def lines(compared: Iterable[Comparison]) -> Iterator[str]:
    """Yield what differs, line by line; nothing for what is the same."""
    for item in compared:
        if item.status == "same":
            continue
        yield f"{item.situation}{_HEADINGS.get(item.status, '')}"
        yield from (f"  {line}" for line in item.error.splitlines())
        for goal, found in groupby(item.changes, key=lambda change: change.goal):
            indent = "  "
            if goal is not None:
                yield f"  goal {goal!r}"
                indent = "    "
            for change in found:
                yield f"{indent}{change.text}"
                yield from (f"{indent}  {line}" for line in change.lines)


def document(compared: Iterable[Comparison]) -> dict[str, Any]:
    """Return comparisons as JSON data; the same keys in the same order every time."""
    found = list(compared)
    return {
        "same": all(item.status == "same" for item in found),
        "plans": [
            {
                "target": item.situation.target,
                "inputs": list(item.situation.inputs),
                "planner": item.situation.planner,
                "returning": item.situation.returning,
                "status": item.status,
                "changes": [
                    {"kind": change.kind, "goal": change.goal, "text": change.text, "lines": list(change.lines)}
                    for change in item.changes
                ],
                "error": item.error or None,
                "locked": _plans(item.locked),
                "now": _plans(item.now),
            }
            for item in found
        ],
    }


def counted(compared: Sequence[Comparison]) -> str:
    """Return how many plans came out how: "3 plans: 1 changed, 2 the same"."""
    words = {"new": "new", "changed": "changed", "failed": "cannot be planned", "same": "the same"}
    counts = {status: sum(item.status == status for item in compared) for status in words}
    told = ", ".join(f"{counts[status]} {word}" for status, word in words.items() if counts[status])
    return f"{len(compared)} situation{'' if len(compared) == 1 else 's'}{': ' if told else ''}{told}"


def _plans(entry: Entry | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return entry.model_dump(mode="json", include={"planned_by", "chosen", "goals"})
