"""What the steps of a plan depend on, and in what order they can be done.

A step depends on what it needs, on what the step needs that it is part of, and on its own sub-steps.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planboard.teams.plans.task_plan import TaskStep


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What the steps of one plan depend on."""

    before: Mapping[str, tuple[str, ...]]
    """For each step, what it directly depends on, as written: needs, then needs it has from above, then sub-steps."""
    order: tuple[str, ...]
    """All steps, each after all that it depends on, and otherwise as written, sub-steps before what they are of."""

    def upstream(self, step: str) -> tuple[str, ...]:
        """Return all that a step depends on, directly or indirectly, in the order of the plan."""
        found = set(self.before[step])
        pending = list(found)
        while pending:
            further = set(self.before[pending.pop()]) - found
            found |= further
            pending += further
        return tuple(other for other in self.order if other in found)


def dependencies_of(steps: "Sequence[TaskStep]") -> Dependencies:
    """Return what the steps of a sound plan depend on."""
    before = {step: tuple(reasons) for step, reasons in _reasons(steps).items()}
    return Dependencies(before, _ordered(before))


def cycle_in(steps: "Sequence[TaskStep]") -> str | None:
    """Say which steps wait for each other, and why; `None` if none do.

    Args:
        steps: Steps with ids of their own, that need only each other.
    """
    reasons = _reasons(steps)
    done = set(_ordered({step: tuple(found) for step, found in reasons.items()}))
    left = [step for step in reasons if step not in done]
    if not left:
        return None
    trail = [left[0]]
    while True:
        ahead = next(other for other in reasons[trail[-1]] if other not in done)
        if ahead in trail:
            cycle = [*trail[trail.index(ahead) :], ahead]
            break
        trail.append(ahead)
    first = cycle.index(min(cycle, key=list(reasons).index))  # tell it from where it is first written
    cycle = [*cycle[first:-1], *cycle[:first], cycle[first]]
    return ", ".join(reasons[one][other] for one, other in pairwise(cycle))


def _reasons(steps: "Sequence[TaskStep]") -> dict[str, dict[str, str]]:
    """Return for each step what it depends on, with the reason in words; sub-steps before what they are of."""
    found: dict[str, dict[str, str]] = {}
    for step, above in _post_order(steps, ()):
        inner = {part.id for part, _ in _post_order(step.steps, ())}
        reasons = {need: f"{step.id!r} needs {need!r}" for need in step.needs if need not in inner}
        for outer in reversed(above):
            own = {part.id for part, _ in _post_order(outer.steps, ())}
            for need in outer.needs:
                if need not in own:
                    why = f"{step.id!r} is part of {outer.id!r}, which needs {need!r}"
                    reasons.setdefault(need, why)
        for part in step.steps:
            reasons[part.id] = f"{step.id!r} comes after its sub-step {part.id!r}"
        found[step.id] = reasons
    return found


def _post_order(
    steps: "Sequence[TaskStep]", above: "tuple[TaskStep, ...]"
) -> "Iterator[tuple[TaskStep, tuple[TaskStep, ...]]]":
    for step in steps:
        yield from _post_order(step.steps, (*above, step))
        yield step, above


def _ordered(before: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the steps in an order that respects what they depend on; those that never can be done are left out."""
    place = {step: number for number, step in enumerate(before)}
    missing = {step: len(needs) for step, needs in before.items()}
    waiting: dict[str, list[str]] = {step: [] for step in before}
    for step, needs in before.items():
        for need in needs:
            waiting[need].append(step)
    ready = [place[step] for step, count in missing.items() if count == 0]
    heapify(ready)
    names = list(before)
    order: list[str] = []
    while ready:
        step = names[heappop(ready)]
        order.append(step)
        for other in waiting[step]:
            missing[other] -= 1
            if missing[other] == 0:
                heappush(ready, place[other])
    return tuple(order)
