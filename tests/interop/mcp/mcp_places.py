"""Where the agents and servers of these tests are."""

from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
