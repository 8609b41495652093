"""Property tests for users of the library: strategies that draw, and checks that hold of every agent and planner.

The strategies need Hypothesis (the extra `testing`); the checks do not. Names are imported when they are first used,
and nothing else in Planboard imports this package.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planboard.testing.asking import process_on
    from planboard.testing.board_strategies import boards
    from planboard.testing.clock import FakeClock
    from planboard.testing.determinism import check_determinism
    from planboard.testing.optimality import check_optimality
    from planboard.testing.problem_strategies import problems
    from planboard.testing.swapping import check_swap
    from planboard.testing.validity import check_plans_valid
    from planboard.testing.value_strategies import values

_HOME_OF = {
    "FakeClock": "planboard.testing.clock",
    "boards": "planboard.testing.board_strategies",
    "check_determinism": "planboard.testing.determinism",
    "check_optimality": "planboard.testing.optimality",
    "check_plans_valid": "planboard.testing.validity",
    "check_swap": "planboard.testing.swapping",
    "problems": "planboard.testing.problem_strategies",
    "process_on": "planboard.testing.asking",
    "values": "planboard.testing.value_strategies",
}

__all__ = [
    "FakeClock",
    "boards",
    "check_determinism",
    "check_optimality",
    "check_plans_valid",
    "check_swap",
    "problems",
    "process_on",
    "values",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    try:
        found = getattr(import_module(home), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "hypothesis":
            raise
        message = f"planboard.testing.{name} needs Hypothesis: pip install 'planboard[testing]'"
        raise ModuleNotFoundError(message, name=error.name) from error
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
