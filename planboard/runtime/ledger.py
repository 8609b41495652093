"""Who has spent what, over a tree of processes, while it is being spent."""

from collections.abc import Callable, Iterator

from planboard.actions.context import NOTHING, Usage
from planboard.runtime.options import UNLIMITED, Budget


class Ledger:
    """The running account of one process; what is charged to it is charged to all processes above it."""

    __slots__ = ("_ran", "_since", "budget", "exhausted", "parent", "spent")

    def __init__(self, budget: Budget, parent: "Ledger | None" = None) -> None:
        self.budget = budget
        """The limits of this process."""
        self.parent = parent
        """The account of the process that started this one."""
        self.spent: Usage = NOTHING
        """What this process and its children have spent."""
        self.exhausted: str | None = None
        """Which limit of this process forbade an action, here or below, in the current run."""
        self._ran = 0.0
        self._since: float | None = None

    def open(self, now: float) -> None:
        """Begin to count time; only time in which the process is run counts."""
        self.exhausted = None
        self._since = now

    def close(self, now: float) -> None:
        """Stop counting time."""
        if self._since is not None:
            self._ran += now - self._since
            self._since = None

    def seconds(self, now: float) -> float:
        """Return how long the process has been run so far."""
        return self._ran + (0.0 if self._since is None else now - self._since)

    def charge(self, usage: Usage) -> None:
        """Add to what is spent, here and above."""
        for account in self._chain():
            account.spent += usage

    def objection(self, cost: float, now: float) -> str | None:
        """Say which limit, here or above, forbids to start an action of a cost; `None` when it may start."""
        return self._first(now, lambda budget, spent, seconds: budget.exceeded_by(spent, cost, seconds))

    def objection_to_models(self, now: float) -> str | None:
        """Say which limit, here or above, forbids another request to a model; `None` when it may be made."""
        return self._first(now, Budget.forbids_models)

    def _first(self, now: float, limit: Callable[[Budget, Usage, float], str | None]) -> str | None:
        for account in self._chain():
            if account.budget is UNLIMITED:
                continue
            found = limit(account.budget, account.spent, account.seconds(now))
            if found is not None:
                account.exhausted = found
                return found if account is self else f"{found} (by the whole tree of processes)"
        return None

    def exhaustion(self) -> str | None:
        """Say which limit, here or above, has already forbidden an action of this run."""
        return next((account.exhausted for account in self._chain() if account.exhausted is not None), None)

    def _chain(self) -> Iterator["Ledger"]:
        account: Ledger | None = self
        while account is not None:
            yield account
            account = account.parent
