"""What these tests share stands beside them; a clock and a file for each test."""

import sys
from pathlib import Path

import pytest

from planboard.testing import FakeClock

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1_000.0)


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "runs.db"
