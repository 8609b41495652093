"""Putting a member to work: what it is given of the team's board, and what comes of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from planboard._text import suggest
from planboard.actions.context import ActionContext, Addition
from planboard.actions.waiting import Denied
from planboard.blackboard.entry import INPUT, Entry
from planboard.blackboard.schema import describe_error
from planboard.errors import BudgetExceededError, ExecutionError, ProcessNotCompletedError
from planboard.llm.reading import read_value
from planboard.llm.showing import as_data
from planboard.runtime.brief import Brief, state_of_board
from planboard.runtime.handing import declared_as
from planboard.runtime.kinship import goes_on_later
from planboard.steps.failing import failed
from planboard.teams.artefacts import artefacts_on, form_to_build
from planboard.teams.hand_offs import HandOff, Peers
from planboard.teams.members import CONTROL, Member, is_any_of
from planboard.teams.messages import USER, Message, is_talk

_PLACE = re.compile(r" \([^()]*:\d+\)\Z")


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
    denied: Denied | None = None
    """What a person has said who did not agree to it."""
    built: tuple[Addition, ...] = ()
    """The objects that a model has built for it."""

    @property
    def objects(self) -> tuple[Addition, ...]:
        """What is put on the board: what was built for it, and what it has made."""
        return (*self.built, *self.artefacts)


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
        child = await member.part.child(context.labelled(hand_off.argument), given)
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
        if is_any_of(form, str):
            given.append(Addition(hand_off.argument, name=item.query.name))
        elif is_any_of(form, HandOff):
            given.append(Addition(hand_off))
        elif is_any_of(form, Brief):
            state = state_of_board(artefacts_on(there, made=False))
            brief = Brief(instruction=hand_off.argument, state=state)
            given.append(Addition(brief))
        elif is_any_of(form, list[Message]):
            given.append(Addition(talk, list[Message]))
        elif is_any_of(form, Peers) and peers:
            given.append(Addition(Peers(names=tuple(peers))))
        elif is_any_of(form, Message):
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
        elif is_talk(value):
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
        item for item in results if not isinstance(item.value, (*CONTROL, str)) and not is_talk(item.value)
    )
    return Outcome("\n".join(filter(None, said)), True, artefacts, hand_off, inner)


def _not_agreed(denied: Denied) -> Outcome:
    said = f"A person did not agree to {denied.action!r}{f': {denied.reason}' if denied.reason else ''}."
    return Outcome(said, ok=False, denied=denied)


def _is_inner(entry: Entry) -> bool:
    return entry.producer != INPUT and isinstance(entry.value, Message)


def _without_place(text: str) -> str:
    """Return what went wrong without the line of code, which says nothing to a model."""
    return _PLACE.sub("", text)
