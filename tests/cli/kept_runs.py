"""What tests of kept runs read: the document that a command prints, and what actions of `kept.py` have done."""

import json
from pathlib import Path
from typing import Any

from typer.testing import Result


def document(done: Result) -> Any:
    """Return the JSON that a command has printed."""
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def effects(folder: Path) -> list[str]:
    """Return the names of the actions that were really run, in order."""
    return (folder / "effects.txt").read_text(encoding="utf-8").split()
