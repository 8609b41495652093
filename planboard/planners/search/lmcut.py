"""The LM-cut heuristic: the weights of landmarks, cut anew only where the step taken has cut into them.

A successor keeps the landmarks of its parent that do not contain the step, for the rest of the plan must still hit
them; only what is left of the weights is cut again (*incremental* LM-cut, Pommerening & Helmert 2013). See `cuts`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from planboard.planners.search.cuts import Landmark, cuts
from planboard.planners.search.engine import Estimate
from planboard.planners.search.relaxation import Relaxation, relaxation_of
from planboard.planners.search.task import Task

_MEMORY = 200_000
"""States whose landmarks are remembered for the next search over the same operators."""
_PARENTS = 1_000
"""States of which is kept what they leave to their successors; for others it is computed again."""


@dataclass(frozen=True, slots=True)
class LMCut:
    """The sum of landmark weights: of the estimates here the closest, and worth its price wherever goals interact."""

    name: ClassVar[str] = "lmcut"
    """What it is called in messages."""
    admissible: ClassVar[bool] = True
    """It never overestimates."""

    def bind(self, task: Task) -> Estimate:
        """Prepare for one task."""
        known: _Landmarks | None = task.learned.get(self.name)
        if known is None or len(known.found) > _MEMORY:
            known = task.learned[self.name] = _Landmarks(relaxation_of(task), [*task.weights, 0])
        return known


@dataclass(frozen=True, slots=True)
class _Inheritance:
    """What a state leaves to those that follow it."""

    estimate: int
    landmarks: tuple[Landmark, ...]
    left: list[int]
    """What is left of the weights once the landmarks have their share."""
    within: dict[int, list[int]]
    """For each operator the positions of the landmarks it is in."""
    lost: dict[int, int]
    """For each operator the weight of the landmarks it is in."""


class _Landmarks:
    """The estimate, with the landmarks of every state it was asked for."""

    def __init__(self, relaxation: Relaxation, weights: list[int]) -> None:
        self.found: dict[int, tuple[int, tuple[Landmark, ...]]] = {}
        """For each state the estimate and its landmarks."""
        self._relaxation = relaxation
        self._weights = weights
        self._left_to: dict[int, _Inheritance] = {}

    def __call__(self, state: int, /) -> int:
        known = self.found.get(state)
        return self._cut(state, 0, (), self._weights.copy()) if known is None else known[0]

    def inherited(self, parent: int, /) -> tuple[int, Mapping[int, int]]:
        """Return the estimate of a state, and by how much each operator may lower it: what it has in landmarks."""
        left = self._left_by(parent)
        return left.estimate, left.lost

    def after(self, state: int, parent: int, steps: tuple[int, ...], /) -> int:
        """Return the estimate of the state that the steps lead to, from the landmarks of the one before."""
        known = self.found.get(state)
        if known is not None:
            return known[0]
        inheritance = self._left_by(parent)
        left, total = inheritance.left.copy(), inheritance.estimate
        hit = _hit(inheritance, steps)
        for position in hit:
            weight, operators = inheritance.landmarks[position]
            total -= weight
            for operator in operators:
                left[operator] += weight
        kept = tuple([mark for position, mark in enumerate(inheritance.landmarks) if position not in hit])
        return self._cut(state, total, kept, left)

    def _cut(self, state: int, total: int, kept: tuple[Landmark, ...], left: list[int]) -> int:
        fresh: list[Landmark] = []
        for landmark in cuts(self._relaxation, state, left):
            if landmark is None:
                total = self._relaxation.infinity
                break
            total += landmark[0]
            fresh.append(landmark)
        self.found[state] = total, (*kept, *fresh)
        return total

    def _left_by(self, parent: int) -> _Inheritance:
        known = self._left_to.get(parent)
        if known is None:
            estimate, landmarks = self.found[parent]
            left = self._weights.copy()
            within: dict[int, list[int]] = {}
            lost: dict[int, int] = {}
            for position, (weight, operators) in enumerate(landmarks):
                for operator in operators:
                    left[operator] -= weight
                    within.setdefault(operator, []).append(position)
                    lost[operator] = lost.get(operator, 0) + weight
            if len(self._left_to) >= _PARENTS:
                self._left_to.clear()
            known = self._left_to[parent] = _Inheritance(estimate, landmarks, left, within, lost)
        return known


def _hit(inheritance: _Inheritance, steps: tuple[int, ...]) -> list[int]:
    """Return the positions of the landmarks that the steps have something of."""
    if len(steps) == 1:
        return inheritance.within.get(steps[0], [])
    return sorted({position for step in steps for position in inheritance.within.get(step, ())})
