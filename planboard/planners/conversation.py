"""What a model was asked and answered in a run, and what came of it: the fold of the decisions in its journal."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from planboard.llm.port import ToolCall

Fate: TypeAlias = Literal["open", "waiting", "running", "done", "failed", "refused", "denied"]
"""What became of a call: not looked at yet, waiting for consent, running, or one of four ends."""


@dataclass(slots=True)
class Exchange:
    """One call of a tool, and its one result."""

    call: ToolCall
    action: str | None = None
    """The action that it started."""
    fate: Fate = "open"
    result: str = ""
    """What the model is told of it."""
    entries: tuple[int, ...] = ()
    """The positions of the entries that the model knows of by this call: what it built, and what came of it."""


@dataclass(slots=True)
class Turn:
    """One question to the model and its answer."""

    decision: int
    """Counted from 1 within the process."""
    prompt: str
    """What was said to the model; with a transcript, what it had not been told before."""
    seen: int
    """How many entries the board had."""
    text: str = ""
    """What it said beside its calls."""
    exchanges: list[Exchange] = field(default_factory=list)
    answered: bool = False

    @property
    def is_vain(self) -> bool:
        """Whether nothing was started by it."""
        return self.answered and all(
            exchange.action is None or exchange.fate == "denied" for exchange in self.exchanges
        )


class Conversation:
    """The turns so far."""

    __slots__ = ("_by_id", "asked_so_far", "begun", "turns", "uses")

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.asked_so_far = 0
        """How many questions there were, those without an answer included."""
        self.begun = 0
        """How many turns there were when the process was last told to go on; limits count from there."""
        self.uses: dict[str, set[int]] = {}
        """The positions of the entries that each action has been given since the first question."""
        self._by_id: dict[str, Exchange] = {}

    @property
    def recent(self) -> list[Turn]:
        """The turns since the process was last told to go on."""
        return self.turns[self.begun :]

    @property
    def open(self) -> list[Exchange]:
        """The calls of the last turn that nothing has been done about, in order."""
        return [exchange for exchange in self.turns[-1].exchanges if exchange.fate == "open"] if self.turns else []

    def asked(self, decision: int, prompt: str, seen: int) -> None:
        """Take note of a question."""
        self.asked_so_far = decision
        self.turns.append(Turn(decision, prompt, seen))

    def decided(self, text: str, calls: tuple[ToolCall, ...]) -> None:
        """Take note of the answer to the last question."""
        turn = self.turns[-1]
        turn.answered, turn.text = True, text
        turn.exchanges = [Exchange(call) for call in calls]
        self._by_id.update((exchange.call.id, exchange) for exchange in turn.exchanges)

    def failed(self) -> None:
        """Take note that the last question has no answer."""
        self.turns.pop()

    def built(self, call_id: str, entries: tuple[int, ...]) -> None:
        """Take note of what was built for a call."""
        self._by_id[call_id].entries += entries

    def started(self, call_id: str, action: str, inputs: tuple[int, ...]) -> None:
        """Take note that a call has started an action."""
        exchange = self._by_id[call_id]
        if exchange.fate != "waiting":
            exchange.entries += inputs
        exchange.action, exchange.fate = action, "running"

    def waits(self, call_id: str, action: str, inputs: tuple[int, ...]) -> None:
        """Take note that a call waits until a person agrees to it."""
        self.started(call_id, action, inputs)
        self._by_id[call_id].fate = "waiting"

    def ended(self, call_id: str, fate: Fate, result: str, entries: tuple[int, ...] = ()) -> None:
        """Take note of what came of a call."""
        exchange = self._by_id[call_id]
        exchange.fate, exchange.result = fate, result
        exchange.entries += entries

    def ran(self, action: str, inputs: tuple[int, ...]) -> None:
        """Take note that an action has run."""
        self.uses.setdefault(action, set()).update(inputs)

    def resumed(self) -> None:
        """Let limits count anew."""
        self.begun = len(self.turns)
