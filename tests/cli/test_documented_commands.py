"""Every command that docs/reference/cli.md shows works as it stands."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from planboard.cli.app import app

ROOT = Path(__file__).parents[2]
COMMANDS = re.findall(
    r"^\$ planboard (.+)$", (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8"), re.MULTILINE
)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_documented_command_works(command, monkeypatch):
    monkeypatch.chdir(ROOT)

    done = CliRunner().invoke(app, shlex.split(command))

    assert done.exit_code == 0, done.output
    assert done.output
