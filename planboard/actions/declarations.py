"""What the decorators say of a function, as data that hangs on it until an agent is built."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from planboard.actions.goal import Achievement, is_seconds
from planboard.actions.signature import SignatureReader
from planboard.actions.waiting import Consent, Wait
from planboard.errors import DefinitionError
from planboard.types import Location, TypeForm, location_of

Rerun = Literal["never", "new_inputs", "always"]
MARK = "__planboard__"
"""The attribute of a function that holds its declaration."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Try an action again after errors that are declared to be transient; all others fail it at once."""

    attempts: int
    """How often it is tried in all, the first time included."""
    on: type[Exception] | tuple[type[Exception], ...]
    """The errors that are transient."""
    but_not: type[Exception] | tuple[type[Exception], ...] = ()
    """Errors that are never tried again, also when `on` covers them."""
    wait: float = 0.0
    """Seconds before the second attempt; doubled for each one after it."""
    max_wait: float = 60.0
    """The longest wait, in seconds."""

    def __post_init__(self) -> None:
        if not isinstance(self.attempts, int) or self.attempts < 1:
            message = f"Retry(attempts={self.attempts!r}): an action is tried a whole number of times, at least once."
            raise DefinitionError(message)
        for name in ("on", "but_not"):
            given = getattr(self, name)
            for kind in given if isinstance(given, tuple) else (given,):
                if not isinstance(kind, type) or not issubclass(kind, Exception):
                    message = f"Retry({name}={given!r}): name the classes of errors, as in `{name}=ConnectionError`."
                    raise DefinitionError(message)
        for name in ("wait", "max_wait"):
            if not is_seconds(getattr(self, name)):
                message = f"Retry({name}={getattr(self, name)!r}): a wait is a number of seconds, 0 or more."
                raise DefinitionError(message)

    def covers(self, error: BaseException) -> bool:
        """Tell whether an error is worth another attempt."""
        return isinstance(error, self.on) and not isinstance(error, self.but_not)

    def wait_before(self, attempt: int) -> float:
        """Return the seconds to wait before an attempt, counted from 1."""
        return min(self.wait * 2 ** max(attempt - 2, 0), self.max_wait) if attempt > 1 else 0.0


@dataclass(slots=True)
class Estimate:
    """A dynamic cost or value: a typed function over the board, evaluated when a plan is made."""

    function: Callable[..., float]
    reader: SignatureReader


@dataclass(slots=True)
class ConditionDeclaration:
    """A typed predicate, as declared."""

    name: str
    function: Callable[..., bool]
    reader: SignatureReader
    method: bool


@dataclass(slots=True)
class ActionDeclaration:
    """All that the decorators say of an action."""

    name: str
    function: Callable[..., Any]
    reader: SignatureReader
    method: bool
    description: str
    cost: float
    value: float
    pre: tuple[Any, ...]
    post: tuple[Any, ...]
    output: tuple[str, ...]
    rerun: Rerun
    trigger: TypeForm | None
    consumes: tuple[Any, ...]
    clear_board: bool
    read_only: bool
    idempotent: bool
    retry: Retry | None
    timeout: float | None
    approval: bool | Consent
    achieves: Achievement | None = None
    wait: Wait | None = None
    agents: tuple[Any, ...] = ()
    cost_estimate: Estimate | None = None
    value_estimate: Estimate | None = None
    predicates: list[ConditionDeclaration] = field(default_factory=list)
    rerun_given: bool = False

    @property
    def where(self) -> Location | None:
        """Where the function is defined."""
        return location_of(self.function)


def declaration_of(function: Any) -> ActionDeclaration | ConditionDeclaration | None:
    """Return what was declared of a function or method, or `None`."""
    found = getattr(function, MARK, None)
    return found if isinstance(found, ActionDeclaration | ConditionDeclaration) else None
