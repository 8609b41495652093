"""Estimates of the weight to the goal that cost little; `lmcut` is the close one.

All ignore deletes, and that every precondition is positive (see `task`) keeps this sound.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import ClassVar, Final

from planboard.planners.domain import bits_of
from planboard.planners.search.engine import Estimate, Heuristic
from planboard.planners.search.lmcut import LMCut
from planboard.planners.search.task import Task


@dataclass(frozen=True, slots=True)
class Blind:
    """Nothing is known: A* becomes uniform-cost search (Dijkstra 1959)."""

    name: ClassVar[str] = "blind"
    """What it is called in messages."""
    admissible: ClassVar[bool] = True
    """It never overestimates."""

    def bind(self, task: Task) -> Estimate:  # noqa: ARG002 - the protocol's
        """Prepare for one task."""
        return lambda _state: 0


@dataclass(frozen=True, slots=True)
class GoalCount:
    """The goal's literals that do not hold yet, by the least that one can cost.

    The bare count, which game engines use, overestimates when an action costs less than 1 or brings about several
    literals at once. Here it is divided by the most that one action brings about, and weighed by the cheapest.
    """

    name: ClassVar[str] = "goalcount"
    """What it is called in messages."""
    admissible: ClassVar[bool] = True
    """It never overestimates."""

    def bind(self, task: Task) -> Estimate:
        """Prepare for one task."""
        helpful = [index for index in range(len(task)) if task.add[index] & task.goal]
        most = max(((task.add[index] & task.goal).bit_count() for index in helpful), default=1)
        least = min((task.weights[index] for index in helpful), default=task.infinity)
        return lambda state: -(-(task.goal & ~state).bit_count() // most) * least


@dataclass(frozen=True, slots=True)
class HMax:
    """The weight of the dearest needed literal, each as cheap as if it were alone (Bonet & Geffner 2001).

    Exact on chains, where one thing leads to the next; blind to many small independent wishes.
    """

    name: ClassVar[str] = "hmax"
    """What it is called in messages."""
    admissible: ClassVar[bool] = True
    """It never overestimates, and never falls by more than a step's weight."""

    def bind(self, task: Task) -> Estimate:
        """Prepare for one task."""
        return lambda state: _explored(task, state, max)


@dataclass(frozen=True, slots=True)
class HAdd:
    """The weights of all needed literals added up, as if nothing served two of them (Bonet & Geffner 2001).

    Well informed and often too high: it finds plans soon, and proves nothing about them.
    """

    name: ClassVar[str] = "hadd"
    """What it is called in messages."""
    admissible: ClassVar[bool] = False
    """It counts twice what serves twice."""

    def bind(self, task: Task) -> Estimate:
        """Prepare for one task."""
        return lambda state: _explored(task, state, sum)


BUILT_IN: Final[Mapping[str, Heuristic]] = {
    heuristic.name: heuristic for heuristic in (Blind(), GoalCount(), HAdd(), HMax(), LMCut())
}
"""Heuristics by the name that `Goap(heuristic=...)` takes."""


def _explored(task: Task, state: int, combined: Callable[[list[int]], int]) -> int:
    """Knuth's (1977) generalisation of Dijkstra's algorithm: an operator fires when its last literal is settled."""
    goal = task.goal & ~state
    if not goal:
        return 0
    weights, needers, pre_ids = task.weights, task.needers, task.pre_ids
    missing = ~state
    unmet = [(pre & missing).bit_count() for pre in task.pre]
    settled = state
    value: dict[int, int] = {}
    queue = [(weights[index], index) for index, count in enumerate(unmet) if not count and task.add[index] & missing]
    heapify(queue)
    while queue:
        reached, index = heappop(queue)
        fresh = task.add[index] & ~settled
        if not fresh:
            continue
        settled |= fresh
        for literal in bits_of(fresh):
            value[literal] = reached
            for needer in needers.get(literal, ()):
                unmet[needer] -= 1
                if not unmet[needer] and task.add[needer] & ~settled:
                    spent = combined([value[need] for need in pre_ids[needer] if need in value])
                    heappush(queue, (spent + weights[needer], needer))
        if not goal & ~settled:
            return combined([value[literal] for literal in bits_of(goal)])
    return task.infinity
