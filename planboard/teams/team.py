"""What all teams are: agents whose members take turns, along a topology."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from inspect import signature
from typing import Any

from planboard._text import suggest
from planboard.actions.making import StepAction
from planboard.blackboard.index import Query
from planboard.blackboard.matching import conforms
from planboard.errors import DefinitionError
from planboard.llm.ai import Ai
from planboard.runtime.agent import Agent
from planboard.teams.hub import answer_goal, types_of
from planboard.teams.members import CONTROL, Member
from planboard.teams.topology import Topology
from planboard.teams.turn_taking import TurnTaking
from planboard.types import TypeForm

_OPTIONS = ("services", "description", "types", "migrations")


def check_arguments(team: type, name: str, options: Iterable[str], **functions: object) -> None:
    """Refuse arguments of a team that mean nothing, before they do harm.

    Args:
        team: Its class.
        name: What it is called.
        options: The names of arguments that its class does not know itself.
        functions: Arguments that have to be functions, if they are given.

    Raises:
        DefinitionError: There is such an argument.
    """
    known = [*list(signature(team.__init__).parameters)[2:-1], *_OPTIONS]  # type: ignore[misc]
    for option in options:
        if option not in _OPTIONS:
            message = f"{team.__name__}({name!r}, {option}=...): there is no such argument. {suggest(option, known)}"
            raise DefinitionError(message)
    for argument, given in functions.items():
        if given is not None and not callable(given):
            message = f"{team.__name__}({name!r}, {argument}={given!r}): it is a function."
            raise DefinitionError(message)


class Team(Agent):
    """An agent whose members take turns. From outside it is an agent like any other: one run, one result."""

    def __init__(
        self,
        name: str,
        actions: Iterable[StepAction],
        *,
        members: Mapping[str, Member],
        topology: Topology,
        returning: TypeForm,
        answered_by: Iterable[str],
        planner: TurnTaking,
        llm: Any,
        **options: Any,
    ) -> None:
        self.members = members
        """The members by name, in their order."""
        self.topology = topology
        """Who may hand over to whom."""
        services = (*options.pop("services", ()), *(() if llm is None else (Ai(llm),)))
        super().__init__(
            name,
            actions,
            goals=[answer_goal(name, returning, tuple(answered_by))],
            services=services,
            planner=planner,
            types=(*types_of(members.values()), *options.pop("types", ())),
            **options,
        )

    @cached_property
    def from_outside(self) -> frozenset[Query]:
        """The queries of what it can be given: words, and objects that its members take and none of them makes."""
        asked = {item.query for action in self.actions.values() for item in action.body.inputs}
        words = frozenset(query for query in asked if query.form is str)  # also where the answer is words too
        return words | frozenset(query for query in super().from_outside if query.form not in CONTROL)

    @property
    def needed_inputs(self) -> tuple[Query, ...]:
        """What has to be given to it: words, unless it may be given objects instead."""
        words = tuple(query for query in self.from_outside if query.form is str)
        return words if len(self.from_outside) == len(words) else ()

    def _lacking(self, services: Iterable[object]) -> tuple[object, ...]:
        """Return which services of a process above its members take."""
        objects = [query.form for query in self.from_outside if query.form is not str]
        return tuple(service for service in services if any(conforms(service, form) for form in objects))

    def mermaid(self) -> str:
        """Return the topology as a Mermaid flowchart: who hands over to whom, and, dotted, who goes on anyway."""
        return self.topology.mermaid()
