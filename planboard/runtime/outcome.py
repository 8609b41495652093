"""What a process core asks its driver to do, and what may come of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planboard.actions.action import Action, Call, Condition
from planboard.actions.context import NOTHING, ActionContext, Effects, Usage
from planboard.errors import Replan
from planboard.llm.port import LanguageModel, Meter, ModelRequest, ModelUsage
from planboard.planners.world import Binding


@dataclass(slots=True)
class ActionCall:
    """A command: run this action with these arguments."""

    number: int
    """Counted from 1 within the process."""
    action: Action
    bound: Call
    cost: float
    value: float
    usage: Usage
    """What running it spends, before it records more."""
    effects: Effects
    """What the action does through its context, collected while it runs."""
    inputs: Binding
    """The positions of the entries it uses."""
    context: ActionContext | None = None
    attempt: int = 1
    """Which attempt it is, counted from 1; more when an earlier program was at it."""


@dataclass(slots=True)
class ModelCall:
    """A command: ask this model."""

    number: int
    """The number of the decision, counted from 1 within the process."""
    model: LanguageModel
    request: ModelRequest
    before: Callable[[ModelRequest], ModelRequest | Awaitable[ModelRequest]] | None
    """Changes the request before it goes out."""
    meter: Meter
    took: list[ModelUsage] = field(default_factory=list)
    """What each request took, in order."""


@dataclass(slots=True)
class ConditionCall:
    """A command: wait for the answer of this condition."""

    number: int
    condition: Condition
    bound: Call
    inputs: Binding
    """The positions of the entries it looks at."""
    took: list[ModelUsage] = field(default_factory=list)


Command: TypeAlias = ActionCall | ModelCall | ConditionCall


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The action returned, the model replied, or the condition answered."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """The action raised, took too long, or did what it must not; the model did not reply; the condition raised."""

    error: Exception


def leaves(error: BaseException | None) -> tuple[BaseException, ...]:
    """Return an error, or those of a group: the errors of tasks that ran at once."""
    if isinstance(error, BaseExceptionGroup):
        return tuple(leaf for part in error.exceptions for leaf in leaves(part))
    return () if error is None else (error,)


@dataclass(frozen=True, slots=True)
class AskedReplan:
    """The action raised `Replan`."""

    signal: Replan


Outcome: TypeAlias = Succeeded | Failed | AskedReplan

NoteRetry: TypeAlias = Callable[[ActionCall, int, Exception, float], None]
"""Called before another attempt with the call, the attempt that failed, its error, and the seconds to wait."""


def spent(call: ActionCall) -> Usage:
    """Return all that a call has spent: itself, what it recorded, its children and models."""
    effects = call.effects
    if effects.usage is NOTHING and effects.charged is NOTHING:
        return call.usage
    return call.usage + effects.usage + effects.charged
