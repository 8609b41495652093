"""Why nothing more can be done, in words."""

from planboard.planners.plan import NoPlan
from planboard.runtime.state import ProcessState


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
    visible = ", ".join(dict.fromkeys(str(entry) for entry in state.board.visible))
    lines.append(f"On the board: {visible or 'nothing'}.")
    return "\n".join(lines)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(repr(name) for name in names)
