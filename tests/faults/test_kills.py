"""Promises about programs that are killed while they run something, at a part of the points; see `kills.py`."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import kills

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs are killed in processes that are forked")


@pytest.mark.parametrize("name", kills.AGENTS)
def test_no_completed_action_is_repeated_or_lost(name):
    found = kills.kill_everywhere(name, every=17, first=5)
    assert (found.repeated, found.lost) == ([], [])
    assert found.kills >= 5
