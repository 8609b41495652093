"""Models and budgets: each request to a model is checked against the ledger first, and charged to it afterwards."""

from collections.abc import Callable

from planboard.errors import BudgetExceededError
from planboard.llm.port import ModelUsage
from planboard.runtime.ledger import Ledger


class LedgerMeter:
    """The meter of everything that a process asks of models.

    Args:
        ledger: The account of the process.
        clock: Tells the time, in seconds.
        note: Told of what each request took.
    """

    __slots__ = ("_clock", "_ledger", "_note")

    def __init__(self, ledger: Ledger, clock: Callable[[], float], note: Callable[[ModelUsage], None]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._note = note

    def allow(self) -> None:
        """Let one more request go out.

        Raises:
            BudgetExceededError: A budget of the process, or of one above it, forbids it.
        """
        objection = self._ledger.objection_to_models(self._clock())
        if objection is not None:
            message = f"The model was not asked, for the budget is used up: {objection}"
            raise BudgetExceededError(message)
        self._ledger.await_answer(1)

    def charge(self, usage: ModelUsage) -> None:
        """Charge what a request took to the process and those above it."""
        self._ledger.await_answer(-1)
        self._ledger.charge(usage.as_usage())
        self._note(usage)

    def give_back(self) -> None:
        """Let another request go out in place of one that has brought no answer."""
        self._ledger.await_answer(-1)
