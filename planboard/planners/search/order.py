"""The one order in which a set of actions is put: the smallest by name that works.

Search settles *which* actions to take; their order is a matter of taste, so it is fixed by a rule that depends on
names alone: at each position the smallest name from which the rest can still be done. The rest of such an order
is the same rule's order for the rest, which is why a plan that is followed never changes its mind.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from planboard.planners.search.sequencing import Sequencing
from planboard.planners.search.task import Task

_FORESEEN = 10_000
"""Positions tried in looking ahead, for all actions of one plan together."""
_ATTEMPTS = 100_000
"""Positions tried by the exact rule, beyond which the order found is kept; a count is the same everywhere."""


def canonical(task: Task, steps: Sequence[int], *, attempts: int = _ATTEMPTS) -> tuple[int, ...] | None:
    """Return the same actions in the smallest executable order, assumptions placed where they are relied on.

    No more assumptions are made than `steps` makes. `None` if the actions reach the goal in no order, or none was
    found in the number of attempts.
    """
    counts = Counter(steps)
    if not _suffice(task, counts):
        return None
    assumptions = sum(counts.pop(index) for index in list(counts) if index >= task.actions)
    if not assumptions:
        order = _greedy(task, dict(counts))
        if order is None:
            order = _foreseen(task, steps)
        if order is not None:
            return order
    return _exact(task, counts, assumptions, attempts)


def _suffice(task: Task, chosen: Iterable[int]) -> bool:
    """Whether the operators provide all that they and the goal need, whatever the order."""
    provided, needed = task.start, task.goal
    for index in chosen:
        provided |= task.add[index]
        needed |= task.pre[index]
    return not needed & ~provided


def _greedy(task: Task, counts: dict[int, int]) -> tuple[int, ...] | None:
    """Always take the smallest applicable action; if that never gets stuck it is the smallest order there is."""
    state = task.start
    unmet = {index: (task.pre[index] & ~state).bit_count() for index in counts}
    ready = [index for index, count in unmet.items() if count == 0]
    heapify(ready)
    order: list[int] = []
    left = sum(counts.values())
    while ready:
        index = heappop(ready)
        if unmet[index] or not counts[index]:
            continue
        counts[index] -= 1
        order.append(index)
        following = state & ~task.dele[index] | task.add[index]
        _recount(task, unmet, state, following, ready)
        if counts[index] and not unmet[index]:
            heappush(ready, index)
        state = following
    return tuple(order) if len(order) == left and task.goal & ~state == 0 else None


def _foreseen(task: Task, operators: Sequence[int]) -> tuple[int, ...] | None:
    """Take the smallest applicable action from which the rest can still be done; `None` if that is hard to tell.

    An order that is known to work answers for its own next action; only smaller ones have to be looked into.
    """
    state, left, order = task.start, tuple(sorted(operators)), []
    sequencing = Sequencing(task, left, trials=_FORESEEN)
    known = tuple(operators) if is_executable(task, operators) else sequencing.order(state, left)
    while left and isinstance(known, tuple):
        for position, index in enumerate(left):
            if task.pre[index] & ~state:
                continue
            following = state & ~task.dele[index] | task.add[index]
            rest = left[:position] + left[position + 1 :]
            found = known[1:] if index == known[0] else sequencing.order(following, rest)
            if found is None:
                return None
            if found is not False:
                state, left, known = following, rest, found
                order.append(index)
                break
    return tuple(order) if isinstance(known, tuple) else None


def _recount(task: Task, unmet: dict[int, int], before: int, after: int, ready: list[int]) -> None:
    changed = before ^ after
    while changed:
        literal = changed & -changed
        changed ^= literal
        change = -1 if after & literal else 1
        for index in task.needers.get(literal.bit_length() - 1, ()):
            if index in unmet:
                unmet[index] += change
                if unmet[index] == 0:
                    heappush(ready, index)


def _exact(task: Task, counts: Counter[int], assumptions: int, attempts: int) -> tuple[int, ...] | None:
    """Depth-first in name order, without recursion; a dead end is remembered and not entered again."""
    names = sorted(counts)
    left = [counts[index] for index in names]
    dead: set[tuple[int, int, tuple[int, ...]]] = set()
    trail: list[tuple[int, tuple[int, ...], int, int]] = []  # position tried, steps taken, state and budget before
    state, budget, position = task.start, assumptions, 0
    for _ in range(attempts):
        if not any(left):
            ending = _assumed(task, task.goal & ~state, state, budget)
            if ending is not None:
                return (*(index for _, steps, _, _ in trail for index in steps), *ending)
            position = len(names)
        if position == len(names):
            if not trail:
                return None
            dead.add((state, budget, tuple(left)))
            tried, _, state, budget = trail.pop()
            left[tried] += 1
            position = tried + 1
            continue
        index = names[position]
        needed = _assumed(task, task.pre[index] & ~state, state, budget) if left[position] else None
        if needed is not None:
            steps = (*needed, index)
            following, remaining = task.after(state, steps), budget - len(needed)
            left[position] -= 1
            if (following, remaining, tuple(left)) not in dead:
                trail.append((position, steps, state, budget))
                state, budget, position = following, remaining, 0
                continue
            left[position] += 1
        position += 1
    return None


def _assumed(task: Task, missing: int, state: int, budget: int) -> tuple[int, ...] | None:
    if not missing:
        return ()
    chosen = task.assumptions_for(missing, state)
    return chosen if chosen is not None and len(chosen) <= budget else None


def is_executable(task: Task, steps: Iterable[int]) -> bool:
    """Whether the steps can be taken in this order and reach the goal."""
    state = task.start
    for index in steps:
        if task.pre[index] & ~state:
            return False
        state = state & ~task.dele[index] | task.add[index]
    return task.goal & ~state == 0


def without_detours(task: Task, steps: tuple[int, ...]) -> tuple[int, ...]:
    """Return the plan without the actions it can do without making more assumptions, the last tried first."""
    removed = True
    while removed:
        removed = False
        actions = [index for index in steps if index < task.actions]
        for position in reversed(range(len(actions))):
            shorter = _replayed(task, actions[:position] + actions[position + 1 :])
            if shorter is not None and _risk(task, shorter) <= _risk(task, steps):
                steps, removed = shorter, True
                del actions[position]
    return steps


def _replayed(task: Task, actions: list[int]) -> tuple[int, ...] | None:
    """Return the actions with the assumptions that this order needs; `None` if it does not reach the goal."""
    state = task.start
    steps: list[int] = []
    for index in actions:
        needed = _assumed(task, task.pre[index] & ~state, state, len(task))
        if needed is None:
            return None
        steps += (*needed, index)
        state = task.after(state, (*needed, index))
    ending = _assumed(task, task.goal & ~state, state, len(task))
    return None if ending is None else (*steps, *ending)


def _risk(task: Task, steps: Iterable[int]) -> int:
    return sum(task.risks[index] for index in steps)
