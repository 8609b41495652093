"""Who has spent what, over a tree of processes, while it is being spent."""

from planboard.actions.context import NOTHING, Usage
from planboard.runtime.options import UNLIMITED, Budget


class Ledger:
    """The running account of one process; what is charged to it is charged to all processes above it."""

    __slots__ = ("budget", "parent", "spent")

    def __init__(self, budget: Budget, parent: "Ledger | None" = None) -> None:
        self.budget = budget
        """The limits of this process."""
        self.parent = parent
        """The account of the process that started this one."""
        self.spent: Usage = NOTHING
        """What this process and its children have spent."""

    def charge(self, usage: Usage) -> None:
        """Add to what is spent, here and above."""
        account: Ledger | None = self
        while account is not None:
            account.spent += usage
            account = account.parent

    def objection(self, cost: float, seconds: float) -> str | None:
        """Say which limit, here or above, forbids to start an action of a cost; `None` when it may start."""
        account: Ledger | None = self
        while account is not None:
            budget = account.budget
            found = None if budget is UNLIMITED else budget.exceeded_by(account.spent, cost, seconds)
            if found is not None:
                return found if account is self else f"{found} (by the whole tree of processes)"
            account = account.parent
        return None
