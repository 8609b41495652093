"""What is handed to the executor, and what comes back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from planboard.actions.action import Action, Call
from planboard.actions.context import NOTHING, ActionContext, Effects, Usage
from planboard.errors import Replan
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


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The action returned."""

    value: object


@dataclass(frozen=True, slots=True)
class Failed:
    """The action raised, took too long, or did what it must not."""

    error: Exception


@dataclass(frozen=True, slots=True)
class AskedReplan:
    """The action raised `Replan`."""

    signal: Replan


Outcome: TypeAlias = Succeeded | Failed | AskedReplan

NoteRetry: TypeAlias = Callable[[ActionCall, int, Exception, float], None]
"""Called before another attempt with the call, the attempt that failed, its error, and the seconds to wait."""


def spent(call: ActionCall) -> Usage:
    """Return all that a call has spent: itself, what it recorded, and its children."""
    effects = call.effects
    if effects.usage is NOTHING and effects.children is NOTHING:
        return call.usage
    return call.usage + effects.usage + effects.children
