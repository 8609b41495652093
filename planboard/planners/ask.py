"""The third answer of a planner: ask a model which of these comes next. It is data; whoever drives the run asks."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from planboard.errors import PlanningError
from planboard.llm.port import ModelRequest, Tool, ToolCall
from planboard.planners.operator import Operator, PlanGoal
from planboard.planners.plan import NoPlan, Plan, PlanResult
from planboard.planners.problem import Problem
from planboard.types import TypeForm


@dataclass(frozen=True, slots=True)
class Exposed:
    """A parameter that the model gives: nothing on the board fills it, and no action produces its type."""

    parameter: str
    form: TypeForm
    """What the model writes: for a parameter that collects, the type of one item."""
    name: str | None = None
    """The binding that the object gets on the board."""
    collects: bool = False
    optional: bool = False
    has_default: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """An action as a tool, with the parameters that are on the board curried away."""

    tool: Tool
    operator: Operator
    """One of the action's ways to turn out; all of them need the same."""
    exposed: tuple[Exposed, ...] = ()
    repeats: bool = False
    """Whether it has run already and nothing that it reads has changed since."""

    @property
    def action(self) -> str:
        """The name of the action."""
        return self.operator.name

    @property
    def ready(self) -> bool:
        """Whether nothing needs to be built by the model."""
        return all(item.optional for item in self.exposed)


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to a model, and what its answer may choose from."""

    goal: PlanGoal
    request: ModelRequest
    """The whole request, as data."""
    offers: Mapping[str, Offer]
    """The tools by name."""
    prompt: str
    """What of the request the model has not been told before."""
    decision: int
    """The number of the question, counted from 1 within the process."""
    seen: int = 0
    """How many entries the board has."""
    over: str | None = None
    """Which limit of the planner forbids to ask; `None` when it may be asked."""

    def explain(self) -> str:
        """Say what the model is asked to choose from."""
        lines = [f"A model is asked (decision {self.decision}) which comes next towards {self.goal.name!r}:"]
        for offer in self.offers.values():
            given = ", ".join(item.parameter for item in offer.exposed)
            lines.append(f"- {offer.action}: {f'the model gives {given}' if given else 'ready'}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"ask a model to choose from {', '.join(offer.action for offer in self.offers.values())}"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A call that can be carried out."""

    operator: Operator
    built: tuple[tuple[Exposed, Any], ...] = ()
    """What the model built, for which parameter; a list for one that collects, `None` for one that is left out."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that cannot be carried out, and what the model is told."""

    reason: str
    may_change: bool = False
    """Whether what runs now may make it possible: the tool exists, and is not available yet."""


PlannerAnswer: TypeAlias = Plan | NoPlan | Ask
"""What a planner answers: what to do, why there is nothing to do, or whom to ask."""


def settled(answer: PlannerAnswer) -> PlanResult:
    """Return an answer that needs no model.

    Raises:
        PlanningError: It does; what a model will say cannot be foreseen.
    """
    if isinstance(answer, Ask):
        message = f"There is no plan to look at: what comes next is to {answer}. Use a planner that plans by itself."
        raise PlanningError(message)
    return answer


@runtime_checkable
class AskingPlanner(Protocol):
    """A planner that answers with an `Ask`, and understands what the model says to it."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def llm(self) -> Any:
        """The model, or what one is made of."""
        ...

    @property
    def calls_per_turn(self) -> int:
        """How many calls of one turn are looked at."""
        ...

    @property
    def before_model(self) -> Callable[[ModelRequest], ModelRequest | Awaitable[ModelRequest]] | None:
        """Changes a request before it goes out."""
        ...

    def is_reached(self, problem: Problem) -> bool:
        """Tell whether a goal holds."""
        ...

    def read(self, call: ToolCall, problem: Problem) -> Chosen | Refused:
        """Return what a call of the model means as things stand now."""
        ...
