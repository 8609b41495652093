"""What a child agent is told: an instruction, and the state of the run above it as JSON."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict

from planboard.actions.action import root_name
from planboard.blackboard.entry import Entry
from planboard.llm.showing import as_data


class Brief(BaseModel):
    """What an agent is given when another one runs it: what to do, and what is known so far.

    A child has it on its board if it takes a `Brief` or a `str`, or if a model chooses what it does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    instruction: str = ""
    """What to do, in words."""
    state: str = ""
    """What was on the board of the parent, as one JSON object; empty if nothing is shared."""

    @property
    def text(self) -> str:
        """The instruction followed by the state, or either of them alone."""
        told = f"State so far:\n{self.state}" if self.state and self.instruction else self.state
        return "\n\n".join(filter(None, (self.instruction, told)))

    def __str__(self) -> str:
        return self.text


def state_of_board(entries: Iterable[Entry]) -> str:
    """Return what is on a board as one JSON object, without secrets.

    Its keys are binding names, else the names of types in snake case; where several entries have one name it stands
    for a list of them, oldest first. A `Brief` is left out, for it holds a board itself.
    """
    found: dict[str, list[Any]] = {}
    for entry in entries:
        if not isinstance(entry.value, Brief):
            form = entry.type if entry.type is not None else type(entry.value)
            found.setdefault(entry.name or root_name(form), []).append(entry.value)
    return as_data({name: values[0] if len(values) == 1 else values for name, values in found.items()})
