"""Admissible estimates of the weight to the goal; none of them ever overestimates.

All ignore deletes, and that every precondition is positive (see `task`) keeps this sound.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final

from planboard.planners.domain import bits_of
from planboard.planners.search.engine import Estimate, Heuristic
from planboard.planners.search.task import Task


@dataclass(frozen=True, slots=True)
class Blind:
    """Nothing is known: A* becomes uniform-cost search (Dijkstra 1959)."""

    name: str = "blind"
    """What it is called in messages."""
    admissible: bool = True
    """It never overestimates."""

    def bind(self, task: Task) -> Estimate:  # noqa: ARG002 - the protocol's
        """Prepare for one task."""
        return lambda _state: 0


@dataclass(frozen=True, slots=True)
class HMax:
    """The weight of the dearest needed literal, each as cheap as if it were alone (Bonet & Geffner 2001).

    Exact on chains, where one thing leads to the next; blind to many small independent wishes.
    """

    name: str = "hmax"
    """What it is called in messages."""
    admissible: bool = True
    """It never overestimates, and never falls by more than a step's weight."""

    def bind(self, task: Task) -> Estimate:
        """Prepare for one task."""
        return lambda state: _hmax(task, state)


@dataclass(frozen=True, slots=True)
class Landmarks:
    """What must still be brought about, counted by the cheapest achiever of each (Hoffmann, Porteous & Sebastia 2004).

    A literal that is needed and does not hold must be added by one of its achievers, and whatever all of those
    require is needed too. Literals whose achievers are disjoint add up; one with a sole achiever forces it.
    """

    name: str = "landmarks"
    """What it is called in messages."""
    admissible: bool = True
    """It never overestimates."""

    def bind(self, task: Task) -> Estimate:
        """Prepare for one task."""
        return _LandmarkCount(task)


@dataclass(frozen=True, slots=True)
class Greatest:
    """The greatest of several estimates; admissible if all are."""

    parts: tuple[Heuristic, ...]
    """What is compared; the first that finds a dead end settles it."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"max({', '.join(part.name for part in self.parts)})"

    @property
    def admissible(self) -> bool:
        """Whether none of the parts overestimates."""
        return all(part.admissible for part in self.parts)

    def bind(self, task: Task) -> Estimate:
        """Prepare for one task."""
        estimates = [part.bind(task) for part in self.parts]

        def greatest(state: int, /) -> int:
            best = 0
            for estimate in estimates:
                best = max(best, estimate(state))
                if best >= task.infinity:
                    break
            return best

        return greatest


DEFAULT: Final[Heuristic] = Greatest((Landmarks(), HMax()))
"""What A* uses unless told otherwise: the cheap one first, so the other is asked only where it matters."""

BUILT_IN: Final[Mapping[str, Heuristic]] = {"blind": Blind(), "hmax": HMax(), "landmarks": Landmarks()}
"""Heuristics by the name that `Goap(heuristic=...)` takes."""


def _hmax(task: Task, state: int) -> int:
    """Knuth's generalisation of Dijkstra's algorithm: an operator fires when its last literal is settled."""
    goal = task.goal & ~state
    if not goal:
        return 0
    weights, needers = task.weights, task.needers
    missing = ~state
    unmet = [(pre & missing).bit_count() for pre in task.pre]
    settled = state
    queue = [(weights[index], index) for index, count in enumerate(unmet) if not count and task.add[index] & missing]
    heapify(queue)
    while queue:
        reached, index = heappop(queue)
        fresh = task.add[index] & ~settled
        if not fresh:
            continue
        settled |= fresh
        if not goal & ~settled:
            return reached
        for literal in bits_of(fresh):
            for needer in needers.get(literal, ()):
                unmet[needer] -= 1
                if not unmet[needer] and task.add[needer] & ~settled:
                    heappush(queue, (reached + weights[needer], needer))
    return task.infinity


class _LandmarkCount:
    """Per literal, prepared once: who achieves it, the cheapest of those, and what they all require."""

    def __init__(self, task: Task) -> None:
        self._goal = task.goal
        self._infinity = task.infinity
        self._achievers: dict[int, int] = {}
        self._least: dict[int, int] = {}
        self._shared: dict[int, int] = {}
        for literal, achievers in task.adders.items():
            shared = -1
            for index in achievers:
                shared &= task.pre[index]
            self._shared[literal] = shared
            self._achievers[literal] = sum(1 << index for index in achievers)
            self._least[literal] = min(task.weights[index] for index in achievers)
        # Few achievers first, so that what is forced always counts; the order is fixed, so the estimate is.
        self._rank = {
            literal: rank
            for rank, literal in enumerate(
                sorted(task.adders, key=lambda known: (len(task.adders[known]), -self._least[known], known))
            )
        }

    def __call__(self, state: int, /) -> int:
        needed = self._goal & ~state
        pending = bits_of(needed)
        found: list[int] = []
        while pending:
            literal = pending.pop()
            if literal not in self._achievers:
                return self._infinity
            found.append(literal)
            fresh = self._shared[literal] & ~state & ~needed
            needed |= fresh
            pending.extend(bits_of(fresh))
        found.sort(key=self._rank.__getitem__)
        used = total = 0
        for literal in found:
            achievers = self._achievers[literal]
            if not achievers & used:
                used |= achievers
                total += self._least[literal]
        return total
