"""Promises about programs that are killed while they run something, at a part of the points; see `kills.py`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = Path(__file__).parent / "kills.py"
SCENARIOS = (
    "each asks when in doubt",
    "each may be repeated",
    "people are asked",
    "a child does a part",
    "an action runs a child",
    "four run at once",
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="programs are killed in processes that are forked")
@pytest.mark.parametrize("name", SCENARIOS)
def test_no_completed_action_is_repeated_or_lost(name):
    done = subprocess.run(
        [sys.executable, str(KILLS), "--every", "17", "--first", "5", "--only", name],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kills, faults = done.stdout.splitlines()[-1].split(" kills, ")
    assert faults.startswith("0 ")
    assert int(kills) >= 5
