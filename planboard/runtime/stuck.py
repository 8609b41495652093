"""Why nothing more can be done: whose failure is in the way, and the explanation in words."""

from collections.abc import Iterator
from typing import get_args

from planboard.actions.waiting import Denied
from planboard.planners.ask import Ask
from planboard.planners.base import Planner
from planboard.planners.compile import is_excluded
from planboard.planners.operator import PlanGoal
from planboard.planners.plan import NoPlan, Plan
from planboard.runtime.state import ProcessState
from planboard.types import origin_of, type_name


def why_stuck(found: NoPlan, state: ProcessState) -> str:
    """Return the explanation of a stuck process: what is missing, who could provide it, and what went otherwise.

    The text is the same for the same run in every process.
    """
    lines = [found.explain(state.world.describe)]
    for event in state.expectations:
        if event.promises:
            lines.append(f"Action {event.action!r} promised {_listed(event.promises)}, which did not come true.")
        if event.assumptions:
            lines.append(f"After {event.action!r} it proved wrong that {_listed(event.assumptions)}, as was assumed.")
    lines.extend(f"Action {name!r} is left out: {error}." for name, error in sorted(state.excluded.items()))
    denied = dict.fromkeys((denial.action, denial.reason) for denial in state.board.all(Denied))
    lines.extend(f"Action {name!r} was not agreed to{f': {reason}' if reason else ''}." for name, reason in denied)
    lines.extend(_uncollected(state))
    visible = ", ".join(dict.fromkeys(str(entry) for entry in state.board.visible))
    lines.append(f"On the board: {visible or 'nothing'}.")
    return "\n".join(lines)


def action_in_the_way(state: ProcessState, planner: Planner, goals: tuple[PlanGoal, ...]) -> str | None:
    """Return the failed action without whose failure there would be a plan; `None` if there is no such action."""
    world = state.world
    failed = [name for name in state.excluded if world[is_excluded(name)]]
    if not failed:
        return None
    found = planner.plan(world.without_exclusions().problem(goals))
    if isinstance(found, Plan):
        return next((name for name in found.steps if name in failed), failed[0])
    if isinstance(found, Ask):
        return next((offer.action for offer in found.offers.values() if offer.action in failed), None)
    return None


def _uncollected(state: ProcessState) -> Iterator[str]:
    """Say which lists nobody makes though somebody makes what should be in them, as elsewhere lists are appended to."""
    catalogue = state.world.compilation.catalogue
    for query in catalogue.needed_inputs:
        items = get_args(query.form) if origin_of(query.form) is list and state.board.newest(query) is None else ()
        makers = [action.name for action in catalogue.actions.values() if items and items[0] in action.output_types]
        if makers:
            name = type_name(items[0])
            yield (
                f"Nobody makes a list[{name}], but {makers[0]!r} makes {name}: to take all that there are, write "
                f"Annotated[list[{name}], All]."
            )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(repr(name) for name in names)
