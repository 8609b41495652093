"""What all teams are: agents whose members take turns, along a topology."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from inspect import signature
from typing import Any

from planboard._text import brief, suggest
from planboard.actions.making import StepAction
from planboard.blackboard.index import Query
from planboard.blackboard.matching import conforms
from planboard.blackboard.matching import members as members_of
from planboard.errors import DefinitionError
from planboard.llm.ai import Ai
from planboard.runtime.agent import Agent
from planboard.teams.hand_offs import check_listener
from planboard.teams.hub import answer_goal, types_of
from planboard.teams.members import CONTROL, Member
from planboard.teams.topology import Topology
from planboard.teams.turn_taking import TurnTaking
from planboard.types import TypeForm, is_type


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_result(form: object) -> bool:
    return is_type(form) and not any(kind in CONTROL for kind in members_of(form))


_COUNT = _counts, "a whole number of at least 1"
_SWITCH = (lambda value: isinstance(value, bool)), "True or False"
_FUNCTION = (lambda value: value is None or callable(value)), "a function"
_WANTED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "prompt": ((lambda value: isinstance(value, str)), "a text"),
    "temperature": ((lambda value: value is None or _is_number(value)), "a number, or None"),
    "returning": (_is_result, "a type, and none by which a team keeps track of its work"),
    "recursion_limit": _COUNT,
    "repeats": _COUNT,
    "parallel": _SWITCH,
    "handoff_messages": _SWITCH,
    "supervisor": _FUNCTION,
    "on_handoff": _FUNCTION,
}
"""What arguments of teams are, and how that is said."""

_OPTIONS = ("services", "description", "types", "migrations")


def check_arguments(team: type, name: str, options: Iterable[str], **given: Any) -> None:
    """Refuse arguments of a team that mean nothing, before they do harm.

    Args:
        team: Its class.
        name: What it is called.
        options: The names of arguments that its class does not know itself.
        given: Arguments of the team, by name; those that mean the same in all teams are looked at.

    Raises:
        DefinitionError: There is such an argument.
    """
    known = [*list(signature(team.__init__).parameters)[2:-1], *_OPTIONS]  # type: ignore[misc]
    for option in options:
        if option not in _OPTIONS:
            message = f"{team.__name__}({name!r}, {option}=...): there is no such argument. {suggest(option, known)}"
            raise DefinitionError(message)
    for argument, value in given.items():
        where = f"{team.__name__}({name!r}, {argument}={brief(value)})"
        fits, wanted = _WANTED[argument]
        if not fits(value):
            message = f"{where}: it is {wanted}."
            raise DefinitionError(message)
        if argument == "on_handoff" and value is not None:
            check_listener(value, where)


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
