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
    mine = tuple(own)
    found = list(mine)
    brought: list[tuple[object, Agent]] = []
    for agent in agents:
        for service in agent.services:
            if any(_serve_as_one_type(service, decided) for decided in mine):
                continue
            for other, first in brought:
                if _serve_as_one_type(service, other) and not _has(agent, other) and not _has(first, service):
                    what = type(other if isinstance(service, type(other)) else service).__name__
                    message = (
                        f"The agents {first.name!r} and {agent.name!r} are parts of {name!r} and have a {what} each. "
                        f"Say which is meant with services=[...], or run them as they are: write subagent(...) around "
                        f"each."
                    )
                    raise DefinitionError(message)
            brought.append((service, agent))
            if all(service is not known for known in found):
                found.append(service)
    return tuple(found)


def _serve_as_one_type(one: object, other: object) -> bool:
    """Tell whether a parameter may be of a type that both are of: that of one of them."""
    return isinstance(one, type(other)) or isinstance(other, type(one))


def _has(agent: "Agent", service: object) -> bool:
    return any(service is known for known in agent.services)
