"""Landmarks of the delete relaxation, cut out of it one by one (Helmert & Domshlak 2009).

A *landmark* here is a set of operators of which every plan contains one. Each round finds a cut through the
justification graph, in which every operator hangs from its dearest precondition by hmax; the operators of the cut are
a landmark. Their cheapest weight is added to the bound and taken off all of them, until the goal costs nothing. So
the bound is a sum over landmarks among which weights are shared out, and never overestimates.

What can be reached for nothing is found first and by itself; often that is the goal, and no graph is needed.
"""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import TypeAlias

from planboard.planners.domain import bits_of
from planboard.planners.search.relaxation import Relaxation

Landmark: TypeAlias = tuple[int, list[int]]
"""A weight, and the operators that have it in common."""


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

    def cheapen(self, cut: Iterable[int]) -> None:  # noqa: C901 - flat, for it is the hottest loop of all
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
