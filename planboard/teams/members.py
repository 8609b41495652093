"""A member of a team: an agent, an action, a step or a function over messages, and how it is put to work."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from planboard._text import suggest
from planboard.actions.action import BoundInput, root_name
from planboard.actions.context import ActionContext, Addition
from planboard.actions.waiting import Denied
from planboard.blackboard.entry import INPUT, Entry
from planboard.blackboard.matching import prospect, satisfies
from planboard.blackboard.schema import describe_error
from planboard.errors import BudgetExceededError, DefinitionError, ExecutionError, ProcessNotCompletedError
from planboard.llm.reading import read_value
from planboard.llm.showing import as_data
from planboard.runtime.brief import Brief, state_of_board
from planboard.runtime.handing import declared_as, parameters_for
from planboard.runtime.kinship import goes_on_later
from planboard.steps.failing import failed
from planboard.steps.part import Part, as_part
from planboard.teams.hand_offs import HandOff, Peers, Turn, WorkDone
from planboard.teams.messages import USER, Message
from planboard.types import TypeForm

CONTROL: tuple[type, ...] = (Message, HandOff, Turn, WorkDone, Brief, Peers, Denied)
"""What is on the board of a team beside its artefacts."""

TASK = "task"
"""What the task in words is called among the arguments of a tool."""

_PLACE = re.compile(r" \([^()]*:\d+\)\Z")


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a member has brought about."""

    said: str = ""
    """The result in words."""
    ok: bool = True
    artefacts: tuple[Addition, ...] = ()
    """The objects that it has made."""
    hand_off: HandOff | None = None
    """Whom it wants to go on."""
    inner: tuple[Message, ...] = ()
    """What it did on its way."""
    denied: bool = False
    """Whether a person did not agree to it."""
    built: tuple[Addition, ...] = ()
    """The objects that a model has built for it."""

    @property
    def objects(self) -> tuple[Addition, ...]:
        """What is put on the board: what was built for it, and what it has made."""
        return (*self.built, *self.artefacts)


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
        member = as_member(thing, team, name)
        if member.name in members:
            both = f"{members[member.name].origin} and {member.origin}"
            message = f"Two members of {team!r} are named {member.name!r}: {both}. Give one of them another name."
            raise DefinitionError(message)
        members[member.name] = member
    if not members:
        message = f"Team {team!r} has no members."
        raise DefinitionError(message)
    return members


def as_member(thing: Any, team: str, name: str | None = None) -> Member:
    """Return a member."""
    if isinstance(thing, Member):
        return thing
    part = as_part(thing, within=team, name=name)
    member = Member(name or part.name, part.description, part)
    artefacts = {
        _parameter(item, member): item
        for item in part.inputs
        if not _is_of_the_talk(item.query.form) and not _is(item.query.form, *CONTROL)
    }
    return replace(member, artefacts=artefacts)


def _parameter(item: BoundInput, member: Member) -> str:
    """Return what an object is called among the arguments of a tool, beside the task in words."""
    name = root_name(item.query.form) if item.query.name is None else item.query.name
    return f"{name}_" if name == TASK and member.takes_words else name


async def put_to_work(
    member: Member,
    hand_off: HandOff,
    context: ActionContext,
    there: Sequence[Entry],
    history: Sequence[Message],
    peers: Sequence[str] = (),
) -> Outcome:
    """Run a member, and return what it has brought about; that it fails is an outcome too.

    Args:
        member: Who works.
        hand_off: What it is to do.
        context: That of the action of the team.
        there: The entries of the team's board that it may be given. They, and the history, must be the same when the
            action is run again because the member had to wait: the child that it was is found by what it was given.
        history: What was said so far.
        peers: Those that it may hand over to itself.

    Raises:
        ProcessNotCompletedError: It has to wait, or a limit of the whole run was reached.
        BudgetExceededError: The same.
    """
    try:
        built = _built(member, hand_off)
        given = _given(member, hand_off, there, built, _talk(member, hand_off, history), peers)
        child = await member.part.child(context, given)
        results = member.part.results_of(child)
    except ProcessNotCompletedError as error:
        if goes_on_later(error.process):
            raise
        denied = error.process.board.last(Denied)
        if denied is not None:
            return _not_agreed(denied)
        return Outcome(_without_place(failed(member.name, 0, error).error), ok=False)
    except BudgetExceededError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, whoever has given the work is told, and goes on
        known = isinstance(error, ExecutionError | ValueError)
        return Outcome(_without_place(str(error) if known else describe_error(error)), ok=False)
    inner = tuple(entry.value for entry in child.board.entries if _is_inner(entry))
    outcome = _outcome(member, results, inner)
    return replace(outcome, built=tuple(chain.from_iterable(built.values()))) if outcome.ok else outcome


def artefacts_on(entries: Iterable[Entry], *, made: bool = True) -> list[Entry]:
    """Return the entries of a team's board that are the objects of its work.

    Args:
        entries: The visible entries.
        made: Leave out what the team was given.
    """
    return [
        entry for entry in entries if not isinstance(entry.value, CONTROL) and not (made and entry.producer == INPUT)
    ]


def _outcome(member: Member, results: Sequence[Addition], inner: tuple[Message, ...]) -> Outcome:
    values = [item.value for item in results]
    denied = next((value for value in values if isinstance(value, Denied)), None)
    if denied is not None:
        return _not_agreed(denied)
    said: list[str] = []
    spoken: list[Message] = []
    for value in values:
        if isinstance(value, Message):
            spoken.append(value)
        elif isinstance(value, list) and value and all(isinstance(item, Message) for item in value):
            spoken += value
        elif isinstance(value, str):
            said.append(value)
        elif not isinstance(value, HandOff):
            said.append(as_data(value))
    if spoken:
        said.append(spoken[-1].content)
        earlier = [message for message in spoken[:-1] if message.author == member.name or message.kind == "inner"]
        inner = (*inner, *(message.model_copy(update={"kind": "inner"}) for message in earlier))
    hand_off = next((value for value in values if isinstance(value, HandOff)), None)
    if hand_off is not None and not said:
        said.append(hand_off.task)
    artefacts = tuple(
        item for item in results if not isinstance(item.value, (*CONTROL, str)) and not _is_talk(item.value)
    )
    return Outcome("\n".join(filter(None, said)), True, artefacts, hand_off, inner)


def _not_agreed(denied: Denied) -> Outcome:
    said = f"A person did not agree to {denied.action!r}{f': {denied.reason}' if denied.reason else ''}."
    return Outcome(said, ok=False, denied=True)


def _built(member: Member, hand_off: HandOff) -> dict[str, list[Addition]]:
    """Return the objects that a model has built for a member, by parameter.

    Raises:
        ValueError: One of them is not valid, or it is for nothing that the member takes.
    """
    built: dict[str, list[Addition]] = {}
    for name, value in hand_off.arguments.items():
        if name not in member.artefacts:
            message = f"{name}: {member.name!r} takes no such object. {suggest(name, member.artefacts)}"
            raise ValueError(message)
        item = member.artefacts[name]
        read = read_value(form_to_build(item), value, path=name)
        values = read if item.collects else [read]
        built[name] = [Addition(one, declared_as(one, item.query.form), item.query.name) for one in values]
    return built


def form_to_build(item: BoundInput) -> TypeForm:
    """Return the type of what a model has to build for an input."""
    return list[item.query.form] if item.collects else item.query.form  # type: ignore[name-defined]


def _talk(member: Member, hand_off: HandOff, history: Sequence[Message]) -> list[Message]:
    """Return the history with the task at its end."""
    talk = list(history)
    if hand_off.argument and not (talk and talk[-1].content == hand_off.argument):
        talk.append(Message(author=hand_off.by or USER, content=hand_off.argument, kind="hand_off", to=member.name))
    return talk


def _given(
    member: Member,
    hand_off: HandOff,
    there: Sequence[Entry],
    built: Mapping[str, Sequence[Addition]],
    talk: list[Message],
    peers: Sequence[str],
) -> list[Addition]:
    """Return what a member is given: its task, the history if it takes it, and its objects."""
    brief: Brief | None = None
    given: list[Addition] = []
    for item in member.part.inputs:
        form = item.query.form
        if _is(form, str):
            given.append(Addition(hand_off.argument, name=item.query.name))
        elif _is(form, HandOff):
            given.append(Addition(hand_off))
        elif _is(form, Brief):
            state = state_of_board(artefacts_on(there, made=False))
            brief = Brief(instruction=hand_off.argument, state=state)
            given.append(Addition(brief))
        elif _is(form, list[Message]):
            given.append(Addition(talk, list[Message]))
        elif _is(form, Peers) and peers:
            given.append(Addition(Peers(names=tuple(peers))))
        elif _is(form, Message):
            given += [Addition(message) for message in talk]
    for name, item in member.artefacts.items():
        if name in built:
            given += built[name]
        else:
            found = [entry for entry in artefacts_on(there, made=False) if item.query.admits(entry)]
            given += [
                Addition(entry.value, entry.type, entry.name) for entry in (found if item.collects else found[-1:])
            ]
    if brief is None and member.is_instructed:
        given.append(Addition(Brief(instruction=hand_off.argument)))
    return given


def _without_place(text: str) -> str:
    """Return what went wrong without the line of code, which says nothing to a model."""
    return _PLACE.sub("", text)


def _is(form: TypeForm, *kinds: Any) -> bool:
    return any(form == kind for kind in kinds)


def _is_of_the_talk(form: TypeForm) -> bool:
    return _is(form, str, Brief, HandOff, Message, list[Message])


def _is_talk(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Message) for item in value)


def _is_inner(entry: Entry) -> bool:
    return entry.producer != INPUT and isinstance(entry.value, Message)


def is_there(item: BoundInput, entries: Iterable[Entry]) -> bool:
    """Tell whether an input can be filled from the board."""
    return any(item.query.admits(entry) for entry in entries)


def is_made_by(item: BoundInput, members: Iterable[Member]) -> bool:
    """Tell whether a member makes what another one takes; then no model may invent it."""
    form = item.query.form
    return any(prospect(output, form) != "never" for member in members for way in member.part.outputs for output in way)


def given_only(members: Mapping[str, Member]) -> list[BoundInput]:
    """Return the objects that members take and that none of the others makes: they are given, or built by a model."""
    found: list[BoundInput] = []
    for member in members.values():
        others = [other for other in members.values() if other is not member]
        found += [item for item in member.artefacts.values() if not is_made_by(item, others)]
    return found


def optional_inputs(items: Iterable[BoundInput], beside: Iterable[str]) -> dict[str, TypeForm]:
    """Return parameters of an action that can do without these inputs, with names that are not taken yet."""
    taken = set(beside)
    found = parameters_for(replace(item, optional=True) for item in items)
    return {f"{name}_" if name in taken else name: form for name, form in found.items()}


def put_on_board(items: Iterable[Addition], context: ActionContext) -> None:
    """Put objects on the board of a team, with their types and names."""
    for item in items:
        if item.name is None:
            context.add(item.value, type=item.type)
        else:
            context.bind(item.name, item.value, type=item.type)


def newest(form: TypeForm, entries: Iterable[Entry]) -> Entry | None:
    """Return the newest object of a type that the team has made."""
    found = [entry for entry in artefacts_on(entries) if satisfies(entry.value, entry.type, form)]
    return found[-1] if found else None
