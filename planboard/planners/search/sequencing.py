"""Whether operators can be put into some order in which all of them run, each once, and the goal holds at the end.

Depth first, without recursion. An operator that takes away nothing the others need, and whose gifts none of them takes
away, is run as soon as it can be: that never does harm, so only the others are tried one after the other. States
from which nothing works are remembered.
"""

from collections.abc import Iterable

from planboard.planners.search.task import Task

_TRIALS = 2_000
"""States entered before the question is left open; a count is the same on every machine."""


def orderable(task: Task, operators: Iterable[int], granted: int = 0, *, start: int | None = None) -> bool | None:
    """Return whether there is such an order; `None` if too many had to be tried.

    Args:
        task: Goal, and what operators need and do.
        operators: What has to be run; one that is named twice has to be run twice.
        granted: Literals that hold whatever happens.
        start: The literals that hold at first; `None` for those of the task.
    """
    pre, add, dele = task.pre, task.add, task.dele
    dead: set[tuple[int, tuple[int, ...]]] = set()
    pending = [((task.start if start is None else start) | granted, tuple(sorted(operators)))]
    for _ in range(_TRIALS):
        if not pending:
            return False
        state, left = _run_the_harmless(task, *pending.pop(), granted)
        if not left:
            if not task.goal & ~state:
                return True
            continue
        if (state, left) in dead:
            continue
        dead.add((state, left))
        for position in reversed(range(len(left))):
            operator = left[position]
            if not pre[operator] & ~state:
                following = state & ~(dele[operator] & ~granted) | add[operator]
                pending.append((following, left[:position] + left[position + 1 :]))
    return None


def _run_the_harmless(task: Task, state: int, left: tuple[int, ...], granted: int) -> tuple[int, tuple[int, ...]]:
    """Return the state after the operators that may as well be run now, and those that are left."""
    pre, add, dele = task.pre, task.add, task.dele
    while True:
        for position, operator in enumerate(left):
            if pre[operator] & ~state:
                continue
            others = left[:position] + left[position + 1 :]
            needed, taken = task.goal, 0
            for other in others:
                needed |= pre[other]
                taken |= dele[other]
            if not (dele[operator] & needed | add[operator] & needed & taken) & ~granted:
                state = state & ~(dele[operator] & ~granted) | add[operator]
                left = others
                break
        else:
            return state, left
