"""The objects of a team: what its members take and make, beside what they say to each other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from planboard.actions.action import BoundInput
from planboard.actions.context import ActionContext, Addition
from planboard.blackboard.entry import INPUT, Entry
from planboard.blackboard.matching import prospect, satisfies
from planboard.runtime.handing import parameters_for
from planboard.teams.hand_offs import Turn, WorkDone
from planboard.teams.members import CONTROL, Member
from planboard.teams.messages import is_talk
from planboard.types import TypeForm


def artefacts_on(entries: Iterable[Entry], *, made: bool = True) -> list[Entry]:
    """Return the entries of a team's board that are the objects of its work.

    Args:
        entries: The visible entries.
        made: Leave out what the team was given.
    """
    return [
        entry
        for entry in entries
        if not isinstance(entry.value, CONTROL) and not is_talk(entry.value) and not (made and entry.producer == INPUT)
    ]


def newest(form: TypeForm, entries: Sequence[Entry]) -> Entry | None:
    """Return the newest object of a type that a member has made.

    What a model has built for a member to work on stands among the member's objects, but is not what it has made.
    """
    works = [entry.value for entry in entries if isinstance(entry.value, WorkDone)]
    made = {(work.turn, work.member, kind) for work in works for kind in work.artefacts}
    fitting = [entry for entry in artefacts_on(entries) if satisfies(entry.value, entry.type, form)]
    if works:
        turns = _turns_of(entries)
        fitting = [entry for entry in fitting if (turns[entry], entry.producer, entry.type_name) in made]
    return fitting[-1] if fitting else None


def _turns_of(entries: Iterable[Entry]) -> dict[Entry, int]:
    """Return the number of the turn that each entry comes from, of entries as work was handed out."""
    number, found = 0, {}
    for entry in entries:
        number = entry.value.number if isinstance(entry.value, Turn) else number
        found[entry] = number
    return found


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


def form_to_build(item: BoundInput) -> TypeForm:
    """Return the type of what a model has to build for an input."""
    return list[item.query.form] if item.collects else item.query.form  # type: ignore[name-defined]


def put_on_board(items: Iterable[Addition], context: ActionContext) -> None:
    """Put objects on the board of a team, with their types and names."""
    for item in items:
        if item.name is None:
            context.add(item.value, type=item.type)
        else:
            context.bind(item.name, item.value, type=item.type)
