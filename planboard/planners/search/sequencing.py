"""Some order in which operators can be run, each as often as it is named, such that the goal holds at the end.

Depth first, without recursion. An operator that takes away nothing the others need, and whose gifts none of them takes
away except to use it, is run as soon as it can be: that never does harm, so only the others are tried one after the
other (a case of partial-order reduction). What nothing works from is remembered.
"""

from collections.abc import Iterable

from planboard.planners.domain import bits_of
from planboard.planners.search.task import Task

_TRIALS = 2_000
"""Positions entered before a question is left open; a count is the same on every machine."""


class Sequencing:
    """Questions about orders of the operators of a task; what one answer took serves the next.

    Args:
        task: What operators need and do, and the goal.
        operators: All that will be asked about.
        granted: Literals that hold whatever happens.
        trials: Positions entered for all questions together before they are left open; `None` for `_TRIALS`.
    """

    def __init__(self, task: Task, operators: tuple[int, ...], granted: int = 0, *, trials: int | None = None) -> None:
        self.task = task
        self.granted = granted
        self._trials = _TRIALS if trials is None else trials
        self._dead: set[tuple[int, tuple[int, ...]]] = set()
        # Which literals are used up, and what each operator gives and uses up of them.
        self._width = len(operators).bit_length() + 2
        self._scarce = 0
        for operator in operators:
            self._scarce |= task.pre[operator] & task.dele[operator] & ~granted
        self._turnover = {
            operator: self._spread(task.add[operator] & self._scarce)
            - self._spread(task.pre[operator] & task.dele[operator] & self._scarce)
            for operator in operators
        }

    def order(self, start: int, operators: tuple[int, ...]) -> tuple[int, ...] | bool | None:
        """Return an order from a state, smaller operators first where there is a choice.

        False if there is none, `None` if too much had to be tried to tell.
        """
        task, granted = self.task, self.granted
        pre, add, dele, goal = task.pre, task.add, task.dele, task.goal
        open_positions: list[tuple[int, tuple[int, ...], tuple[int, ...], int]] = []
        state, left, done, position = *self._run_the_harmless(start | granted, operators, ()), 0
        while self._trials > 0:
            self._trials -= 1
            if not left:
                if not goal & ~state:
                    return done
                position = 0
            elif not position and ((state, left) in self._dead or not self._may_work(state, left)):
                position = len(left)
            while position < len(left) and pre[left[position]] & ~state:
                position += 1
            if position < len(left):
                operator = left[position]
                open_positions.append((state, left, done, position + 1))
                following = state & ~(dele[operator] & ~granted) | add[operator]
                rest = _without(left, position)
                state, left, done, position = *self._run_the_harmless(following, rest, (*done, operator)), 0
            else:
                if left:
                    self._dead.add((state, left))
                if not open_positions:
                    return False
                state, left, done, position = open_positions.pop()
        return None

    def _may_work(self, state: int, left: tuple[int, ...]) -> bool:
        """Whether all can be run if nothing is taken away, and everything is given as often as it is used up.

        Each use of a literal that takes it away must be preceded by a gift of its own. Counted in fields of an
        integer, one per literal: a field that would fall below zero loses its topmost bit.
        """
        scarce = self._scarce
        full = self._spread(scarce) << (self._width - 1)
        balance = full + self._spread(state & scarce) - self._spread(self.task.goal & scarce)
        for operator in left:
            balance += self._turnover[operator]
        if balance & full != full:
            return False
        pre, add = self.task.pre, self.task.add
        while left:
            before, waiting = state, []
            for operator in left:
                if pre[operator] & ~state:
                    waiting.append(operator)
                else:
                    state |= add[operator]
            if state == before and waiting:
                return False
            left = tuple(waiting)
        return not self.task.goal & ~state

    def _spread(self, literals: int) -> int:
        """Return literals as an integer with a field for each, wide enough to count all operators."""
        return sum([1 << self._width * position for position in bits_of(literals)])

    def _run_the_harmless(
        self, state: int, left: tuple[int, ...], done: tuple[int, ...]
    ) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """Return the state after the operators that may as well be run now, those that are left, and all that ran.

        Harmless is what takes away nothing that others need, and gives nothing that others need and others take. What
        one other operator needs and takes itself, and no other does, may be given at any time.
        """
        pre, add, dele, granted = self.task.pre, self.task.add, self.task.dele, self.granted
        while True:
            needed = needed_twice = taken = taken_twice = used = 0
            for operator in left:
                needed_twice |= needed & pre[operator]
                needed |= pre[operator]
                taken_twice |= taken & dele[operator]
                taken |= dele[operator]
                used |= pre[operator] & dele[operator]
            goal = self.task.goal
            private = used & ~(needed_twice | taken_twice | goal)
            still: list[int] = []
            for operator in left:
                others_need = goal | needed_twice | needed & ~pre[operator]
                others_take = taken_twice | taken & ~dele[operator]
                harm = dele[operator] & others_need | add[operator] & others_need & others_take & ~private
                if pre[operator] & ~state or harm & ~granted:
                    still.append(operator)
                else:
                    state = state & ~(dele[operator] & ~granted) | add[operator]
                    done = (*done, operator)
            if len(still) == len(left):
                return state, left, done
            left = tuple(still)


def _without(operators: tuple[int, ...], position: int) -> tuple[int, ...]:
    return operators[:position] + operators[position + 1 :]


def orderable(task: Task, operators: Iterable[int], granted: int = 0) -> bool | None:
    """Return whether operators have an order; `None` if too much had to be tried to tell.

    Args:
        task: Start, goal, and what operators need and do.
        operators: What has to be run; what is named twice has to be run twice.
        granted: Literals that hold whatever happens.
    """
    chosen = tuple(sorted(operators))
    found = Sequencing(task, chosen, granted).order(task.start, chosen)
    return found if found is None or found is False else True
