"""A small set of operators that reaches the goal without deletes: quick, good, seldom the cheapest.

The set-additive heuristic (Keyder & Geffner 2008): literals are settled by rising price as in Dijkstra's algorithm,
and each keeps the whole set of operators that brings it about. An operator costs what the union of the sets of its
preconditions costs, so what serves twice is paid once. What is superfluous in the end is taken out, dearest first.
"""

from collections.abc import Sequence
from heapq import heappop, heappush

from planboard.planners.domain import bits_of
from planboard.planners.search.relaxation import Relaxation


def small_set(
    relaxation: Relaxation, weights: Sequence[int], reached: int, *, paid: int = 0, excluded: int = 0
) -> list[int]:
    """Return operators that reach the goal, none of which can be left out.

    Args:
        relaxation: What can be done.
        weights: What each operator weighs.
        reached: The literals that hold.
        paid: Operators that cost nothing more, as a mask; those that are needed are in the answer.
        excluded: Operators that must not be used, as a mask.
    """
    found = _Sets(relaxation, weights, reached, paid, excluded).settle()
    goal = relaxation.pre[-1]
    chosen = bits_of(found | paid)
    for operator in sorted(chosen, key=lambda one: (-weights[one], one)):
        fewer = [other for other in chosen if other != operator]
        if not goal & ~relaxation.closure(reached, fewer):
            chosen = fewer
    return chosen


class _Sets:
    """For each literal the cheapest set found that brings it about."""

    def __init__(self, relaxation: Relaxation, weights: Sequence[int], reached: int, paid: int, excluded: int) -> None:
        self._relaxation = relaxation
        self._weights = weights
        self._paid = paid
        self._unmet = [(pre & ~reached).bit_count() for pre in relaxation.pre]
        for operator in bits_of(excluded):
            self._unmet[operator] = -1
        self._price = [relaxation.infinity] * len(relaxation.needers)
        for literal in bits_of(reached):
            self._price[literal] = -1
        self._sets = [0] * len(relaxation.needers)
        self._queue: list[tuple[int, int]] = []

    def settle(self) -> int:
        """Return the set that brings about the goal, as a mask."""
        goal = self._relaxation.given + 1
        for operator, missing in enumerate(self._unmet):
            if not missing:
                self._offer(operator)
        while self._queue:
            price, literal = heappop(self._queue)
            if price > self._price[literal]:
                continue
            if literal == goal:
                break
            for needer in self._relaxation.needers[literal]:
                self._unmet[needer] -= 1
                if not self._unmet[needer]:
                    self._offer(needer)
        return self._sets[goal] & ~(1 << len(self._unmet) - 1)

    def _offer(self, operator: int) -> None:
        union = 1 << operator
        for need in self._relaxation.needs[operator]:
            union |= self._sets[need]
        price = sum([self._weights[other] for other in bits_of(union & ~self._paid)])
        for literal in self._relaxation.gives[operator]:
            if price < self._price[literal]:
                self._price[literal] = price
                self._sets[literal] = union
                heappush(self._queue, (price, literal))
