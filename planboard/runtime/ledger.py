"""Who has spent what, over a tree of processes, while it is being spent."""

from collections.abc import Iterator

from planboard.actions.context import NOTHING, Usage
from planboard.runtime.options import UNLIMITED, Budget


class Ledger:
    """The running account of one process; what is charged to it is charged to all processes above it."""

    __slots__ = ("_asking", "_since", "budget", "exhausted", "parent", "ran", "spent")

    def __init__(self, budget: Budget, parent: "Ledger | None" = None) -> None:
        self.budget = budget
        """The limits of this process."""
        self.parent = parent
        """The account of the process that started this one."""
        self.spent: Usage = NOTHING
        """What this process and its children have spent."""
        self.exhausted: str | None = None
        """Which limit of this process forbade an action, here or below, in the current run."""
        self._asking = 0
        self.ran = 0.0
        """How many seconds the process has been run, not counting the current stretch."""
        self._since: float | None = None

    def open(self, now: float) -> None:
        """Begin to count time; only time in which the process is run counts."""
        self.exhausted = None
        self._since = now

    def close(self, now: float) -> None:
        """Stop counting time."""
        if self._since is not None:
            self.ran += now - self._since
            self._since = None

    def seconds(self, now: float) -> float:
        """Return how long the process has been run so far."""
        return self.ran + (0.0 if self._since is None else now - self._since)

    def charge(self, usage: Usage) -> None:
        """Add to what is spent, here and above."""
        for account in self._chain():
            account.spent += usage

    def settle(self, spent: Usage) -> None:
        """Correct what is spent, here and above: events have told that it is this much."""
        self.charge(spent - self.spent)

    def objection(self, cost: float, now: float, *, may_ask: bool = True) -> str | None:
        """Say which limit, here or above, forbids to start an action of a cost; `None` when it may start."""
        for account in self._chain():
            if account.budget is UNLIMITED:
                continue
            found = account.budget.exceeded_by(account.spent, cost, account.seconds(now), may_ask=may_ask)
            if found is not None:
                return self._objected(account, found)
        return None

    def objection_to_models(self, now: float) -> str | None:
        """Say which limit, here or above, forbids another request to a model; `None` when it may be made.

        Requests whose answers are still to come count as made.
        """
        for account in self._chain():
            made = account.spent + Usage(llm_calls=account._asking)  # noqa: SLF001 - its own class
            found = account.budget.forbids_models(made, account.seconds(now))
            if found is not None:
                return self._objected(account, found)
        return None

    def await_answer(self, requests: int) -> None:
        """Take note that requests have gone out whose answers are to come; negative when they have come."""
        for account in self._chain():
            account._asking += requests  # noqa: SLF001 - its own class

    def _objected(self, account: "Ledger", why: str) -> str:
        account.exhausted = why
        return why if account is self else f"{why} (by the whole tree of processes)"

    def exhaustion(self) -> str | None:
        """Say which limit, here or above, has already forbidden an action of this run."""
        return next((account.exhausted for account in self._chain() if account.exhausted is not None), None)

    def _chain(self) -> Iterator["Ledger"]:
        account: Ledger | None = self
        while account is not None:
            yield account
            account = account.parent
