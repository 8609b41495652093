"""The cheapest set of operators that can be put in order, where none needs to be run twice.

Branch and bound as for the cheapest set without deletes, which bounds it from below. But a set that reaches the goal
only on paper is not the end: every plan with all these operators has one more, and which ones come into question is
found out by asking what would have to hold at any time for an order to exist. Those are a landmark, and the search
branches on it like on the others.

So a conflict, such as two actions that consume the same thing, costs a few branches, while A* would look at every
interleaving of everything else. To let what cannot be sequenced yield a landmark is the idea of Davies, Pearce,
Stuckey & Lipovetzky (2015, "Sequencing Operator Counts"); here the cause is made small by delta debugging (Zeller &
Hildebrandt 2002). `test_the_cheapest_plan_is_found` guards it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from planboard.planners.domain import bits_of
from planboard.planners.search.cheapest_set import CheapestSet, Node
from planboard.planners.search.engine import Allowance
from planboard.planners.search.relaxation import mask_of_operators
from planboard.planners.search.sequencing import orderable
from planboard.planners.search.small_set import small_set
from planboard.planners.search.task import Task

_MENDINGS = 8
"""Conflicts that are mended in a set found on the way, before it is given up."""


def runs_once(task: Task) -> bool:
    """Whether no optimal plan runs an operator twice.

    An operator runs at most once if it deletes a precondition that nothing adds; a second run is pointless if nothing
    that it adds is ever deleted.
    """
    added = taken = 0
    for add, dele in zip(task.add, task.dele, strict=True):
        added |= add
        taken |= dele
    return all(
        pre & dele & ~added or not add & taken for pre, add, dele in zip(task.pre, task.add, task.dele, strict=True)
    )


class _Conflict(NamedTuple):
    """Every plan with certain operators also has one of those that can mend what they do to each other."""

    operators: int
    """As a mask."""
    menders: int
    """As a mask; none if nothing can."""


class CheapestPlan(CheapestSet):
    """Branch and bound over sets of operators that can be put in order."""

    splits = False  # parts that need nothing of each other can still take things away from each other

    def __init__(self, task: Task, start: int, root: Node, allowance: Allowance) -> None:
        super().__init__(task, start, root, allowance)
        self._conflicts: list[_Conflict] = []

    def _propagate(self, node: Node) -> bool:
        """Include also what alone can mend a conflict."""
        while super()._propagate(node):
            before = node.included
            for menders in self._open_conflicts(node):
                if not menders:
                    return False
                if not menders & (menders - 1):
                    node.included |= menders
            if node.included == before:
                return True
        return False

    def _implied(self, node: Node) -> list[list[int]]:
        known = {mask_of_operators(operators) for _, operators in node.landmarks}
        return [bits_of(menders) for menders in self._open_conflicts(node) if menders not in known]

    def _open_conflicts(self, node: Node) -> Iterator[int]:
        """Yield for each conflict among the operators that are in the menders that come into question."""
        for conflict in self._conflicts:
            if not conflict.operators & ~node.included and not conflict.menders & node.included:
                yield conflict.menders & ~node.excluded

    def _complete(self, node: Node, included: list[int], spent: int) -> None:
        """Take the set if it has an order; if not, find out which operators could mend it."""
        node.bound = spent
        verdict = orderable(self._task, included)
        if verdict:
            super()._complete(node, included, spent)
            return
        if verdict is None:
            self.abandoned = True
            return
        conflict = self._conflict(included)
        self._conflicts.append(conflict)
        menders = bits_of(conflict.menders & ~node.excluded)
        if not menders:
            node.bound = self._relaxation.infinity
            return
        share = min([self._weights[operator] for operator in menders])
        node.landmarks = [(share, menders)]
        node.bound += share

    def _offer(self, operators: list[int]) -> None:
        """Take a set if it has an order; if not, and as long as there is none, mend it greedily a few times."""
        for _ in range(_MENDINGS):
            if self.weight_of(operators) >= self.best_weight:
                return
            has_order = orderable(self._task, operators)
            if has_order:
                super()._offer(operators)
            if has_order is not False or self.best is not None:
                return
            mended = [self._with(operators, mender) for mender in bits_of(self._conflict(operators).menders)]
            if not mended:
                return
            operators = min(mended, key=lambda option: (self.weight_of(option), option))

    def _with(self, operators: list[int], mender: int) -> list[int]:
        """Return operators together with another and the least found that lets it run."""
        together = mask_of_operators(operators) | 1 << mender
        goal = self._relaxation.towards(self._relaxation.pre[mender])
        before = small_set(goal, self._weights, self._start, paid=together & ~(1 << mender), excluded=1 << mender)
        return bits_of(together | mask_of_operators(before))

    def _conflict(self, included: list[int]) -> _Conflict:
        """Return why operators that have no order have none, in as few literals and operators as can be.

        Suppose a plan that contains the operators adds none of some literals by others. Then it would still be one
        without the others if all other literals held at any time. So where no order of the operators works even
        then, the plan must add one of the literals by another operator.
        """
        relaxation = self._relaxation
        literals = self._at_issue(included)
        issue = mask_of_operators(literals)
        granted = ~issue & ((1 << relaxation.given) - 1)
        core = included
        for operator in included:
            fewer = [other for other in core if other != operator]
            if not relaxation.add[operator] & issue and orderable(self._task, fewer, granted) is False:
                core = fewer
        givers = mask_of_operators({giver for literal in literals for giver in relaxation.givers[literal]})
        inside = mask_of_operators(core)
        return _Conflict(inside, givers & ~inside)

    def _at_issue(self, included: list[int]) -> list[int]:
        """Return literals such that no order works even if all others held at any time: few, by ever smaller bites."""
        needed = self._goal
        for operator in included:
            needed |= self._relaxation.pre[operator]
        suspects = bits_of(needed)
        size = len(suspects)
        while size > 1:
            size = (size + 1) // 2
            for begin in range(0, len(suspects), size):
                fewer = suspects[:begin] + suspects[begin + size :]
                granted = needed & ~mask_of_operators(fewer)
                if orderable(self._task, included, granted) is False:
                    suspects = fewer
                    break
            else:
                continue
            size = min(2 * size, len(suspects))
        return suspects
