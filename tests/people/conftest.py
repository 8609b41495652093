"""What these tests share stands beside them; effects are counted anew in each test."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _fresh() -> None:
    from expenses import effects

    effects.clear()
