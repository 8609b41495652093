"""What happens where models take part: they are asked, they choose, they build, they judge, and it is paid for."""

from dataclasses import dataclass
from typing import Literal

from planboard.actions.context import Usage
from planboard.blackboard.entry import Entry
from planboard.llm.port import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAsked:
    """A model was asked which action comes next."""

    seq: int
    process_id: str
    decision: int
    """The number of the question, counted from 1 within the process."""
    model: str
    """The name of the model, as far as it is known before it answers."""
    goal: str
    tools: tuple[str, ...]
    """The tools it may choose from, by name."""
    prompt: str
    """What it was told and did not know before; what is secret is hidden in it."""
    characters: int
    """How many characters are sent in all, unless `before_model` changes the request."""
    seen: int
    """How many entries the board had."""
    kind: Literal["model_asked"] = "model_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionMade:
    """A model has chosen. A run that goes on elsewhere takes this answer, and does not ask again."""

    seq: int
    process_id: str
    decision: int
    calls: tuple[ToolCall, ...] = ()
    """The tools it wants called, in order, with ids that are unique within the process."""
    text: str = ""
    """What it said beside them."""
    kind: Literal["decision_made"] = "decision_made"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionFailed:
    """A model was asked and did not answer."""

    seq: int
    process_id: str
    decision: int
    error: str
    kind: Literal["decision_failed"] = "decision_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRefused:
    """A call of a model was not carried out: unknown, out of date, or with arguments that do not fit."""

    seq: int
    process_id: str
    tool_call: str
    tool: str
    reason: str
    """What the model is told."""
    hidden: tuple[int, ...] = ()
    """Positions of what was built for it and is of no use."""
    kind: Literal["call_refused"] = "call_refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsBuilt:
    """A model has built inputs for an action; they are on the board."""

    seq: int
    process_id: str
    tool_call: str
    action: str
    entries: tuple[Entry, ...]
    kind: Literal["arguments_built"] = "arguments_built"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCalled:
    """What one request to a model took, and what it was for. The sum over a run is what models took in it."""

    seq: int
    process_id: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    cost: float
    requests: int = 1
    action: str | None = None
    """The action that asked; `None` for a decision or a condition."""
    call: int | None = None
    """The number of the action's call."""
    decision: int | None = None
    """The number of the decision."""
    condition: str | None = None
    """The condition that asked."""
    kind: Literal["model_called"] = "model_called"

    @property
    def usage(self) -> Usage:
        """What budgets count of it."""
        return Usage(0, self.cost, self.prompt_tokens + self.completion_tokens, self.requests)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionJudged:
    """A condition that has to be waited for has its answer, which stands while its inputs are the same."""

    seq: int
    process_id: str
    condition: str
    inputs: tuple[int, ...]
    """The positions of the entries it looked at."""
    value: bool
    kind: Literal["condition_judged"] = "condition_judged"
