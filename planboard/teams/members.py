"""A member of a team: an agent, an action, a step or a function over messages, under a name of its own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from planboard.actions.action import BoundInput, root_name
from planboard.actions.waiting import Denied
from planboard.errors import DefinitionError
from planboard.runtime.brief import Brief
from planboard.steps.part import Part, as_part
from planboard.teams.flow import Flow
from planboard.teams.hand_offs import HandOff, Peers, Turn, WorkDone
from planboard.teams.messages import USER, Message
from planboard.types import TypeForm

CONTROL: tuple[type, ...] = (Message, HandOff, Turn, WorkDone, Brief, Peers, Denied)
"""What is on the board of a team beside its artefacts."""

TASK = "task"
"""What the task in words is called among the arguments of a tool."""


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """Somebody who works in a team."""

    name: str
    description: str
    """What it is for, as the model that hands out work is told."""
    part: Part
    artefacts: Mapping[str, BoundInput] = field(default_factory=dict)
    """What it takes beside words and the history, by parameter: objects of the board, or built by the model."""

    @property
    def takes_words(self) -> bool:
        """Whether it is told what to do in words."""
        return self.is_instructed or any(_is_of_the_talk(item.query.form) for item in self.part.inputs)

    @property
    def is_instructed(self) -> bool:
        """Whether a model chooses what it does, and has to be told what for."""
        planner = self.part.agent.planner
        return planner is not None and planner.asks

    @property
    def origin(self) -> str:
        """What it is, and where it is from, for messages."""
        if self.part.action is None:
            return f"agent {self.part.agent.name!r}"
        action = self.part.agent.actions[self.part.action]
        return f"action {action.name!r} ({action.where})"


def as_members(given: Iterable[Any] | Mapping[str, Any], team: str) -> dict[str, Member]:
    """Return members by name, in their order.

    Args:
        given: Agents, actions, steps, functions or members; or a mapping from names to them.
        team: What they are members of.

    Raises:
        DefinitionError: There is none, two have one name, or one of them cannot work.
    """
    pairs = list(given.items()) if isinstance(given, Mapping) else [(None, thing) for thing in given]
    members: dict[str, Member] = {}
    for name, thing in pairs:
        if name is not None:
            check_name(name, f"A member of {team!r}")
        member = as_member(thing, team, name)
        check_name(member.name, f"A member of {team!r}")
        if member.name in members:
            both = f"{members[member.name].origin} and {member.origin}"
            message = f"Two members of {team!r} are named {member.name!r}: {both}. Give one of them another name."
            raise DefinitionError(message)
        members[member.name] = member
    if not members:
        message = f"Team {team!r} has no members."
        raise DefinitionError(message)
    return members


def check_name(name: object, whose: str) -> None:
    """Refuse what is no name of somebody who speaks in a team.

    Raises:
        DefinitionError: It is no text, or an empty one, or that under which a team is asked: what such a member says
            would be told as if the user had said it.
    """
    if not (isinstance(name, str) and name.strip()):
        message = f"{whose} is named {name!r}. Its name is a text."
        raise DefinitionError(message)
    if name == USER:
        message = f"{whose} is named {name!r}, as the one who asks is. Give it another name."
        raise DefinitionError(message)


def as_member(thing: Any, team: str, name: str | None = None) -> Member:
    """Return a member."""
    if isinstance(thing, Member):
        return thing
    part = as_part(thing, within=team, name=name)
    if isinstance(thing, Flow) and thing.yields_all and not thing.services:
        step = as_part(thing.step, within=team, name=part.name)
        part = replace(step, description=thing.description or step.description)
    member = Member(name or part.name, part.description, part)
    artefacts = {
        _parameter(item, member): item
        for item in part.inputs
        if not _is_of_the_talk(item.query.form) and not is_any_of(item.query.form, *CONTROL)
    }
    return replace(member, artefacts=artefacts)


def _parameter(item: BoundInput, member: Member) -> str:
    """Return what an object is called among the arguments of a tool, beside the task in words."""
    name = root_name(item.query.form) if item.query.name is None else item.query.name
    return f"{name}_" if name == TASK and member.takes_words else name


def is_any_of(form: TypeForm, *kinds: Any) -> bool:
    """Tell whether a type is one of some types, and no other one that is like it."""
    return any(form == kind for kind in kinds)


def _is_of_the_talk(form: TypeForm) -> bool:
    return is_any_of(form, str, Brief, HandOff, Message, list[Message])
