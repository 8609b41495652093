"""Makes the helpers of these tests importable; skips all of them where unified-planning is not installed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest.importorskip("unified_planning", reason="the extra `pddl` is not installed")
