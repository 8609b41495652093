"""LM-cut: landmarks of the delete relaxation, cut out of it one by one (Helmert & Domshlak 2009).

A *landmark* here is a set of operators of which every plan contains one. Each round finds a cut through the
justification graph, in which every operator hangs from its dearest precondition by hmax; the operators of the cut are
a landmark. Their cheapest weight is added to the bound and taken off all of them, until the goal costs nothing. So
the bound is a sum over landmarks among which weights are shared out, and never overestimates.

A successor keeps the landmarks of its parent that do not contain the step taken, for the rest of the plan must still
hit them; only what is left of the weights is cut again (*incremental* LM-cut, Pommerening & Helmert 2013).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias

from planboard.planners.domain import bits_of
from planboard.planners.search.engine import Estimate
from planboard.planners.search.relaxation import Relaxation, relaxation_of
from planboard.planners.search.task import Task

Landmark: TypeAlias = tuple[int, list[int]]
"""A weight, and the operators that have it in common."""

_MEMORY = 200_000
"""States whose landmarks are remembered for the next search over the same operators."""
_PARENTS = 1_000
"""States of which is kept what they leave to their successors; for others it is computed again."""


@dataclass(frozen=True, slots=True)
class LMCut:
    """The sum of landmark weights: of the estimates here the closest, and worth its price wherever goals interact."""

    name: str = "lmcut"
    """What it is called in messages."""
    admissible: bool = True
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

    def inherited(self, parent: int, /) -> Callable[[tuple[int, ...]], int]:
        """Return a function that bounds the state after some steps by what is known of the one before: no search."""
        left = self._left_by(parent)
        estimate, lost = left.estimate, left.lost

        def bound(steps: tuple[int, ...]) -> int:
            return estimate - sum([lost.get(step, 0) for step in steps])

        return bound

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


def cuts(
    relaxation: Relaxation, state: int, weights: list[int], excluded: Iterable[int] = ()
) -> Iterator[Landmark | None]:
    """Yield landmarks until those found explain all of hmax; `None` if the goal cannot be reached.

    Args:
        relaxation: What is searched.
        state: The literals that hold.
        weights: What is left of the weights; the landmarks' are taken off.
        excluded: Operators that must not be used.
    """
    banned = set(excluded)
    waiting = [index for index, weight in enumerate(weights) if not weight and index not in banned]
    free, waiting = _spread(relaxation, state, waiting)
    if free >> (relaxation.given + 1) & 1:
        return
    graph = _JustificationGraph(relaxation, free, weights)
    if not graph.explore(banned):
        yield None
        return
    while True:
        cut = graph.cut(graph.goal_zone())
        share = min([weights[operator] for operator in cut])
        for operator in cut:
            weights[operator] -= share
        yield share, cut
        waiting += [operator for operator in cut if not weights[operator]]
        free, waiting = _spread(relaxation, free, waiting)
        if free >> (relaxation.given + 1) & 1:
            return
        graph.cheapen(cut)


def _spread(relaxation: Relaxation, reached: int, waiting: list[int]) -> tuple[int, list[int]]:
    """Return the literals reached with the operators that wait to be run, and those that still have to."""
    pre, add = relaxation.pre, relaxation.add
    while True:
        before, still = reached, []
        for operator in waiting:
            if pre[operator] & ~reached:
                still.append(operator)
            else:
                reached |= add[operator]
        if reached == before:
            return reached, still
        waiting = still


class _JustificationGraph:
    """Every operator hangs from its dearest precondition; hmax of the goal is the length of its shortest path."""

    __slots__ = ("_first", "_relaxation", "_state", "_unmet", "_value", "_weights", "hangs", "level")

    def __init__(self, relaxation: Relaxation, state: int, weights: list[int]) -> None:
        self._relaxation = relaxation
        self._state = state
        self._weights = weights
        count = len(relaxation.pre)
        self.hangs: list[int] = [relaxation.given] * count
        """The literal each operator hangs from."""
        self.level: list[int] = [0] * count
        """The value of that literal."""
        self._value = [relaxation.infinity] * len(relaxation.needers)
        for literal in bits_of(state):
            self._value[literal] = -1  # below all others, so nothing with an open precondition hangs from it
        missing = ~state
        self._unmet = [(pre & missing).bit_count() for pre in relaxation.pre]
        self._first: list[int] = []

    def explore(self, excluded: Iterable[int]) -> bool:
        """Compute hmax of everything; say whether the goal can be reached."""
        needers, gives = self._relaxation.needers, self._relaxation.gives
        unmet, value, weights, hangs, level = self._unmet, self._value, self._weights, self.hangs, self.level
        for operator in excluded:
            unmet[operator] = -1
        self._first = first = [operator for operator, count in enumerate(unmet) if not count]
        queue: list[tuple[int, int]] = []
        for operator in first:
            weight = weights[operator]
            for literal in gives[operator]:
                if weight < value[literal]:
                    value[literal] = weight
                    heappush(queue, (weight, literal))
        while queue:
            reached, literal = heappop(queue)
            if reached > value[literal]:
                continue
            for operator in needers[literal]:
                unmet[operator] -= 1
                if not unmet[operator]:
                    hangs[operator] = literal
                    level[operator] = reached
                    weight = reached + weights[operator]
                    for effect in gives[operator]:
                        if weight < value[effect]:
                            value[effect] = weight
                            heappush(queue, (weight, effect))
        return not unmet[-1]

    def goal_zone(self) -> int:
        """Return the literals from which the goal costs nothing more, as a mask."""
        givers = self._relaxation.givers
        unmet, weights, hangs = self._unmet, self._weights, self.hangs
        zone = 1 << hangs[-1] | 1 << (self._relaxation.given + 1)
        pending = [hangs[-1]]
        while pending:
            for operator in givers[pending.pop()]:
                if not weights[operator] and not unmet[operator]:
                    source = hangs[operator]
                    if not zone >> source & 1:
                        zone |= 1 << source
                        pending.append(source)
        return zone

    def cut(self, zone: int) -> list[int]:
        """Return the operators that lead into the zone from where one can get without it."""
        needers, add = self._relaxation.needers, self._relaxation.add
        unmet, hangs = self._unmet, self.hangs
        found: list[int] = []
        pending: list[int] = []
        seen = self._state
        for operator in self._first:
            if add[operator] & zone:
                found.append(operator)
            else:
                fresh = add[operator] & ~seen
                if fresh:
                    seen |= fresh
                    pending.extend(bits_of(fresh))
        while pending:
            literal = pending.pop()
            for operator in needers[literal]:
                if hangs[operator] == literal and not unmet[operator]:
                    if add[operator] & zone:
                        found.append(operator)
                    else:
                        fresh = add[operator] & ~seen
                        if fresh:
                            seen |= fresh
                            pending.extend(bits_of(fresh))
        return found

    def cheapen(self, cut: Iterable[int]) -> None:
        """Follow up what has become cheaper since some operators have."""
        needers, needs, gives = self._relaxation.needers, self._relaxation.needs, self._relaxation.gives
        value, weights, hangs, level = self._value, self._weights, self.hangs, self.level
        queue: list[tuple[int, int]] = []
        for operator in cut:
            weight = level[operator] + weights[operator]
            for effect in gives[operator]:
                if weight < value[effect]:
                    value[effect] = weight
                    heappush(queue, (weight, effect))
        while queue:
            reached, literal = heappop(queue)
            if reached > value[literal]:
                continue
            for operator in needers[literal]:
                if hangs[operator] == literal and level[operator] > reached:
                    dearest = -1
                    for need in needs[operator]:
                        if value[need] > dearest:
                            dearest = value[need]
                            hangs[operator] = need
                    if dearest < level[operator]:
                        level[operator] = dearest
                        weight = dearest + weights[operator]
                        for effect in gives[operator]:
                            if weight < value[effect]:
                                value[effect] = weight
                                heappush(queue, (weight, effect))
