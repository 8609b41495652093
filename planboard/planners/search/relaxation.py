"""A task without its deletes, as flat lists: what bounds, landmarks and cheapest sets are computed from."""

from collections.abc import Iterable, Sequence
from copy import copy

from planboard.planners.domain import bits_of
from planboard.planners.search.task import Task


class Relaxation:
    """The delete relaxation of a task; made once and kept with it.

    Fact `given` holds from the start, and the fact after it is the goal, which the last operator adds.
    """

    def __init__(self, task: Task) -> None:
        mask = task.goal
        for pre, add in zip(task.pre, task.add, strict=True):
            mask |= pre | add
        count = mask.bit_length()
        self.given: int = count
        """The fact that always holds: what operators without open preconditions hang from."""
        self.pre: list[int] = [*task.pre, task.goal]
        """Literals needed, as masks; the goal comes last."""
        self.add: list[int] = [*task.add, 1 << (count + 1)]
        """Literals added, as masks."""
        self.needs: list[tuple[int, ...]] = [*task.pre_ids, tuple(bits_of(task.goal))]
        """Literals needed, by position."""
        self.gives: list[tuple[int, ...]] = [tuple(bits_of(add)) for add in self.add]
        """Literals added, by position."""
        self.needers: list[tuple[int, ...]] = _transposed(self.needs, count + 2)
        """For each literal the operators that need it."""
        self.givers: list[tuple[int, ...]] = _transposed(self.gives, count + 2)
        """For each literal the operators that add it."""
        self.infinity: int = task.infinity
        """The value of what cannot be reached."""

    def towards(self, goal: int) -> "Relaxation":
        """Return the same with another goal."""
        other = copy(self)
        position = len(self.pre) - 1
        other.pre = [*self.pre[:-1], goal]
        other.needs = [*self.needs[:-1], tuple(bits_of(goal))]
        other.needers = needers = self.needers.copy()
        for literal in bits_of(goal & ~self.pre[-1]):
            needers[literal] = (*needers[literal], position)
        for literal in bits_of(self.pre[-1] & ~goal):
            needers[literal] = needers[literal][:-1]
        return other

    def closure(self, reached: int, operators: Iterable[int]) -> int:
        """Return the literals that the operators reach from those given."""
        pre, add, needers = self.pre, self.add, self.needers
        unmet = {operator: (pre[operator] & ~reached).bit_count() for operator in operators}
        ready = [operator for operator, missing in unmet.items() if not missing]
        while ready:
            operator = ready.pop()
            fresh = add[operator] & ~reached
            reached |= fresh
            for literal in bits_of(fresh):
                for needer in needers[literal]:
                    if needer in unmet:
                        unmet[needer] -= 1
                        if not unmet[needer]:
                            ready.append(needer)
        return reached


def relaxation_of(task: Task) -> Relaxation:
    """Return the relaxation of a task, made the first time it is asked for."""
    made: Relaxation | None = task.learned.get("relaxation")
    if made is None:
        made = task.learned["relaxation"] = Relaxation(task)
    return made


def mask_of_operators(operators: Iterable[int]) -> int:
    """Return operators as a mask."""
    mask = 0
    for operator in operators:
        mask |= 1 << operator
    return mask


def _transposed(rows: Sequence[tuple[int, ...]], count: int) -> list[tuple[int, ...]]:
    columns: list[list[int]] = [[] for _ in range(count)]
    for position, row in enumerate(rows):
        for entry in row:
            columns[entry].append(position)
    return [tuple(column) for column in columns]
