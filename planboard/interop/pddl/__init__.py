"""PDDL and unified-planning: their classical problems are planned for here, and ours are exported. Extra `pddl`.

Importing this package registers Planboard with unified-planning, so that `OneshotPlanner(name="planboard")` works.
"""

try:
    import unified_planning as _unified_planning  # noqa: F401 - asked for here to say what is missing
except ImportError as error:
    raise ImportError(
        "planboard.interop.pddl needs unified-planning, which is not installed: pip install 'planboard[pddl]'",
        name="unified_planning",
    ) from error

from planboard.interop.pddl.engine import PlanboardEngine, register
from planboard.interop.pddl.export import Pddl, to_pddl
from planboard.interop.pddl.grounding import Grounding, from_unified_planning
from planboard.interop.pddl.reader import from_pddl, to_unified_planning

__all__ = [
    "Grounding",
    "Pddl",
    "PlanboardEngine",
    "from_pddl",
    "from_unified_planning",
    "register",
    "to_pddl",
    "to_unified_planning",
]

register()
