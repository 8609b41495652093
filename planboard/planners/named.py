"""Planners by name, for wherever a planner is expected and a word is handier."""

from collections.abc import Mapping
from typing import Final

from planboard.errors import UnknownNameError
from planboard.planners.base import Planner
from planboard.planners.goap import Goap
from planboard.planners.greedy import Hybrid, Utility
from planboard.planners.supervisor.planner import Supervisor

_PLANNERS: Final[Mapping[str, Planner]] = {
    "goap": Goap(),
    "hybrid": Hybrid(),
    "supervisor": Supervisor(),
    "utility": Utility(),
}
"""Planners have no state of their own, so one of each serves all."""


def planner_named(name: str) -> Planner:
    """Return the planner of that name with its default settings.

    Raises:
        UnknownNameError: With the closest name.
    """
    found = _PLANNERS.get(name)
    if found is None:
        raise UnknownNameError("planner", name, _PLANNERS)
    return found
