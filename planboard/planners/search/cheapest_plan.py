"""The cheapest set of operators that can be put in order, where none needs to be run twice.

Branch and bound as for the cheapest set without deletes, which bounds it from below. But a set that reaches the goal
only on paper is not the end: every plan with all these operators has one more, and which ones come into question is
found out by asking what would have to hold at any time for an order to exist. Those are a landmark, and the search
branches on it like on the others.

So a conflict, such as two actions that consume the same thing, costs a few branches, while A* would look at every
interleaving of everything else. `test_the_cheapest_plan_is_found` guards it.
"""

from planboard.planners.domain import bits_of
from planboard.planners.search.cheapest_set import CheapestSet, Node
from planboard.planners.search.sequencing import orderable
from planboard.planners.search.task import Task


def runs_once(task: Task) -> bool:
    """Whether no optimal plan runs an operator twice.

    That is so for an operator that takes from itself, for good, what it needs; and for one that gives nothing which
    any operator takes away.
    """
    added = taken = 0
    for add, dele in zip(task.add, task.dele, strict=True):
        added |= add
        taken |= dele
    return all(
        pre & dele & ~added or not add & taken
        for pre, add, dele in zip(task.pre, task.add, task.dele, strict=True)
    )


class CheapestPlan(CheapestSet):
    """Branch and bound over sets of operators that can be put in order."""

    splits = False  # parts that need nothing of each other can still take things away from each other
    undecided: bool = False
    """Whether some set could not be told to have an order; then nothing is proven."""

    def _complete(self, node: Node, included: list[int], spent: int) -> None:
        """Take the set if it has an order; if not, find out which operators could mend it."""
        node.bound = spent
        verdict = orderable(self._task, included)
        if verdict is None:
            self.undecided = True
        if verdict is not False:
            super()._complete(node, included, spent)
            return
        menders = self._menders(included, node)
        node.left = self._weights.copy()
        for operator in included:
            node.left[operator] = 0
        if not menders:
            node.bound = self._relaxation.infinity
            return
        share = min(node.left[operator] for operator in menders)
        for operator in menders:
            node.left[operator] -= share
        node.landmarks = [(share, menders)]
        node.bound += share

    def _offer(self, operators: list[int]) -> None:
        if self.weight_of(operators) < self.best_weight and orderable(self._task, operators):
            super()._offer(operators)

    def _menders(self, included: list[int], node: Node) -> list[int]:
        """Return operators of which every plan that contains those given has one.

        Suppose a plan adds none of the literals in question by further operators. Then it would still be one if all
        other literals held at any time, and without the further operators. So where no order of the given ones works
        even then, one of the literals must be added. They are made as few as possible, in ever smaller bites.
        """
        pre = self._relaxation.pre
        needed = self._goal
        for operator in included:
            needed |= pre[operator]
        suspects = bits_of(needed)
        granted = 0
        size = len(suspects)
        while size > 1:
            size = (size + 1) // 2
            for begin in range(0, len(suspects), size):
                bite = sum(1 << literal for literal in suspects[begin : begin + size] if not granted >> literal & 1)
                if bite and orderable(self._task, included, granted | bite) is False:
                    granted |= bite
        decided = node.included | node.excluded
        return sorted(
            {
                giver
                for literal in suspects
                if not granted >> literal & 1
                for giver in self._relaxation.givers[literal]
                if not decided >> giver & 1
            }
        )
