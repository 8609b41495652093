"""What one run may be told, beside its inputs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING

from planboard.actions.context import Usage
from planboard.errors import DefinitionError
from planboard.events import Listener
from planboard.journal.port import Journal
from planboard.planners.base import Planner
from planboard.runtime.clock import SYSTEM_CLOCK, Clock
from planboard.runtime.policies import Approval, Rule, as_policies

_ROUNDING = 1e-9
"""Costs are decimal numbers in binary floats; three of 0.1 must fit into 0.3."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run and its children may spend together; `None` for no limit.

    A budget is checked before each action starts. An action whose declared cost no longer fits is not started.
    """

    actions: int | None = None
    """How many actions may be started."""
    cost: float | None = None
    """The sum of the actions' costs and of what they record."""
    tokens: int | None = None
    """Tokens, as recorded by actions."""
    seconds: float | None = None
    """Seconds since the run began."""
    llm_calls: int | None = None
    """Calls of language models, as recorded by actions."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            limit = getattr(self, name)
            if limit is not None and not (isinstance(limit, int | float) and limit >= 0):
                message = f"Budget({name}={limit!r}): a limit is a number of at least 0, or None."
                raise DefinitionError(message)

    def exceeded_by(self, spent: Usage, cost: float, seconds: float, *, may_ask: bool = True) -> str | None:
        """Say which limit forbids to start an action of a cost; `None` when it may start.

        Args:
            spent: What is spent already.
            cost: What the action costs.
            seconds: How long the run has taken.
            may_ask: Whether the action may ask a model; if not, limits of models are none of its business.
        """
        if self.actions is not None and spent.actions >= self.actions:
            return f"actions: {spent.actions} of {self.actions} were started"
        if self.cost is not None and spent.cost + cost > self.cost + _ROUNDING:
            return f"cost: {spent.cost:.12g} of {self.cost:.12g} is spent, and the next action costs {cost:.12g}"
        return (self._models_used_up(spent) if may_ask else None) or self._late(seconds)

    def forbids_models(self, spent: Usage, seconds: float) -> str | None:
        """Say which limit forbids another request to a model; `None` when it may be made."""
        if self.cost is not None and 0 < self.cost <= spent.cost + _ROUNDING:
            return f"cost: {spent.cost:.12g} of {self.cost:.12g} is spent"
        return self._models_used_up(spent) or self._late(seconds)

    def _models_used_up(self, spent: Usage) -> str | None:
        if self.tokens is not None and spent.tokens >= self.tokens:
            return f"tokens: {spent.tokens} of {self.tokens} are spent"
        if self.llm_calls is not None and spent.llm_calls >= self.llm_calls:
            return f"llm_calls: {spent.llm_calls} of {self.llm_calls} were made"
        return None

    def _late(self, seconds: float) -> str | None:
        if self.seconds is not None and seconds >= self.seconds:
            return f"seconds: {seconds:.3g} of {self.seconds:.12g} have passed"
        return None


UNLIMITED = Budget()
"""No limit at all."""


@dataclass(frozen=True, slots=True)
class ProcessOptions:
    """Options of one process. They never touch another one."""

    planner: Planner | str | None = None
    """Which planner chooses; the agent's own by default, else `Goap()`."""
    budget: Budget = UNLIMITED
    """What may be spent, children included."""
    concurrency: int = 1
    """How many independent actions may run at once. What a model calls in one turn runs at once whatever this is."""
    terminate_when_stuck: bool = False
    """End TERMINATED instead of STUCK, also when an agent without goals runs out of actions."""
    listeners: tuple[Listener, ...] = ()
    """Called with every event of this process and of its children."""
    journal: Journal | None = None
    """Where the run is kept, so that it outlives the program; in memory only by default."""
    identities: Mapping[str, str] = field(default_factory=dict)
    """On whose behalf the run acts, such as `{"user": "ada"}`; children act for the same."""
    max_ticks: int = 100_000
    """After so many decisions the run is TERMINATED: the last resort against endless loops."""
    approvals: tuple[Approval, ...] = ()
    """Policies that ask a person before an action runs, here and in children; see `Approval`. Patterns of names and
    functions are taken too."""
    target: str | None = None
    """Where the agent is found, as commands take it: `path/file.py:name`. Kept with the run, so that it can be resumed
    by its id alone."""
    clock: Clock = SYSTEM_CLOCK
    """Tells the time; children have the same. Tests may give a `planboard.testing.FakeClock`."""

    if TYPE_CHECKING:  # more is taken than is kept: lists, and a single one

        def __init__(  # noqa: PLR0913, PLR0917 - one for each field
            self,
            planner: Planner | str | None = None,
            budget: Budget = UNLIMITED,
            concurrency: int = 1,
            terminate_when_stuck: bool = False,  # noqa: FBT001, FBT002 - as the field
            listeners: Iterable[Listener] | Listener = (),
            journal: Journal | None = None,
            identities: Mapping[str, str] = ...,
            max_ticks: int = 100_000,
            approvals: Iterable[Approval | str | Rule] | Approval | str | Rule = (),
            target: str | None = None,
            clock: Clock = SYSTEM_CLOCK,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("concurrency", "max_ticks"):
            number = getattr(self, name)
            if not isinstance(number, int) or number < 1:
                message = f"ProcessOptions({name}={number!r}): it is a whole number of at least 1."
                raise DefinitionError(message)
        object.__setattr__(self, "approvals", as_policies(self.approvals))
        if not isinstance(self.budget, Budget):
            message = (
                f"ProcessOptions(budget={self.budget!r}): write Budget(actions=..., cost=...); Budget() has no limit."
            )
            raise DefinitionError(message)
        object.__setattr__(self, "listeners", _as_tuple(self.listeners))


def _as_tuple(items: Iterable[Listener] | Listener) -> tuple[Listener, ...]:
    listeners = tuple(items) if isinstance(items, Iterable) else (items,)
    for listener in listeners:
        if not callable(listener) or iscoroutinefunction(listener):
            message = f"ProcessOptions(listeners=...): {listener!r} is no plain function of an event."
            raise DefinitionError(message)
    return listeners
