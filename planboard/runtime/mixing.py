"""Which agents may be parts of another one: it takes over their actions and services, but not how they plan."""

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


def services_of_all(name: str, own: Iterable[object], agents: "Iterable[Agent]") -> tuple[object, ...]:
    """Return the services of an agent and of those among its parts; its own go before theirs.

    Raises:
        DefinitionError: Two of its parts have different services of one type, so that nobody can tell which is meant.
    """
    found = list(own)
    decided = tuple(type(service) for service in found)
    brought: dict[type, tuple[object, str]] = {}
    for agent in agents:
        for service in agent.services:
            if isinstance(service, decided):
                continue
            other, first = brought.setdefault(type(service), (service, agent.name))
            if other is not service:
                what = type(service).__name__
                message = (
                    f"The agents {first!r} and {agent.name!r} are parts of {name!r} and have a {what} each. Say which "
                    f"is meant with services=[...], or run them as they are: write subagent(...) around each."
                )
                raise DefinitionError(message)
            if all(other is not known for known in found):
                found.append(service)
    return tuple(found)
