"""A task as a `simpleai` search problem; only here and in `astar` is simpleai's interface known.

An assumption is taken together with the step that relies on it. Taken alone it would multiply the states by every
combination of things that might be assumed; taken so, each action has one successor.
"""

from collections.abc import Iterator
from typing import TypeAlias

from simpleai.search import SearchProblem

from planboard.planners.search.engine import Allowance, Estimate, Heuristic, IncrementalEstimate, Limit
from planboard.planners.search.task import Task

Move: TypeAlias = tuple[int, ...]
"""An action of the task, after the assumptions it relies on; assumptions alone, if the goal relies on them."""


class _LimitReached(Exception):  # noqa: N818 - a signal inside the engines, never seen by users
    """The limit stopped the search."""


class PlanProblem(SearchProblem):  # type: ignore[misc]  # simpleai is untyped
    """States are integers, actions are moves, costs are weights."""

    def __init__(self, task: Task, heuristic: Heuristic) -> None:
        super().__init__(initial_state=task.start)
        self.task = task
        self.estimate: Estimate = heuristic.bind(task)
        """The heuristic, bound to the task."""
        self.incremental = self.estimate if isinstance(self.estimate, IncrementalEstimate) else None
        """The same, if it can learn from the state before."""
        self._moves = [((index,), task.pre[index], ~task.dele[index], task.add[index]) for index in range(task.actions)]
        self.cheapest: dict[int, int] = {}
        """The least weight at which each state has been reached; kept by the open list."""
        self.allowance = Allowance(Limit())
        """How many states may be expanded."""

    def actions(self, state: int) -> list[Move]:
        """Return the moves from a state, in name order."""
        return [move for move, _ in self.successors(state)]

    def result(self, state: int, action: Move) -> int:
        """Return the state a move leads to."""
        return self.task.after(state, action)

    def cost(self, state: int, action: Move, state2: int) -> int:  # noqa: ARG002  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the weight of a move."""
        return self.task.weight_of(action)

    def is_goal(self, state: int) -> bool:
        """Whether the goal holds."""
        return self.task.goal & ~state == 0

    def heuristic(self, state: int) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the estimate."""
        return self.estimate(state)

    def successors(self, state: int) -> list[tuple[Move, int]]:
        """Return each move that changes the state, with the state it leads to.

        Raises:
            _LimitReached: When this state is one more than allowed.
        """
        if not self.allowance.spend():
            raise _LimitReached
        if self.task.assumable:
            return list(self._assuming(state))
        found: list[tuple[Move, int]] = []
        for move, pre, kept, add in self._moves:
            if pre & state == pre:
                following = state & kept | add
                if following != state:
                    found.append((move, following))
        return found

    def _assuming(self, state: int) -> Iterator[tuple[Move, int]]:
        task = self.task
        ending = task.assumptions_for(task.goal & ~state, state)
        if ending:
            yield ending, task.after(state, ending)
        for (index,), pre, _, _ in self._moves:
            assumed = task.assumptions_for(pre & ~state, state)
            if assumed is not None:
                move = (*assumed, index)
                following = task.after(state, move)
                if following != state:
                    yield move, following
