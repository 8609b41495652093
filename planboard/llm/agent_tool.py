"""An agent as a tool of a model, under a name and with a description of its own."""

from dataclasses import dataclass

from planboard.actions.catalogue import Catalogue
from planboard.types import TypeForm


@dataclass(frozen=True, slots=True)
class AgentTool:
    """An agent that a model may call; see `Agent.as_tool`. Give it to `Ai.agentic` among the tools."""

    agent: Catalogue
    name: str | None = None
    """What the model calls it; the agent's name by default."""
    description: str | None = None
    """What the model is told that it is for; the agent's description by default."""
    returning: TypeForm = None
    """What it is run for; the type of its goals by default."""
