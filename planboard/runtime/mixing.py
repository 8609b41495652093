"""Which agents may be parts of another one: it takes over what they are made of, but not how they work."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from planboard.errors import DefinitionError

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent


def refuse_to_mix(name: str, agents: "Iterable[Agent]") -> None:
    """Refuse agents among the parts of another one whose actions mean nothing without their own planner: teams.

    Raises:
        DefinitionError: There is one; the message says how it is run instead.
    """
    for agent in agents:
        if agent.planner is not None and not agent.planner.handed_down:
            message = (
                f"{type(agent).__name__} {agent.name!r} is among the parts of agent {name!r}, which takes over the "
                f"actions of other agents and plans them itself; but those of {agent.name!r} only work in it. To run "
                f"it as one action, write subagent(...) around it."
            )
            raise DefinitionError(message)
