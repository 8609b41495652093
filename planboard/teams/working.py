"""A member's work as an action of its team: it does what the turn gives it, and leaves word of what came of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from planboard.actions.context import ActionContext
from planboard.actions.making import StepAction, step
from planboard.blackboard.entry import Entry
from planboard.steps.gathering import gather
from planboard.teams.artefacts import put_on_board
from planboard.teams.hand_offs import HandOff, Turn, WorkDone
from planboard.teams.members import Member
from planboard.teams.messages import Message
from planboard.teams.outcomes import Outcome, put_to_work
from planboard.types import type_name

Output: TypeAlias = Literal["last", "full", "typed"]
"""What of a member's work goes into the shared history: its last message, all that it did, or nothing but objects."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """What the shared history of a team holds."""

    output: Output = "last"
    hand_offs: bool = True
    """Whether it tells who gave work to whom, and when that was given back."""

    def of(self, hand_off: HandOff, outcome: Outcome, member: Member) -> list[Message]:
        """Return the messages that one piece of work adds."""
        if self.output == "typed":
            return []
        messages: list[Message] = []
        if self.hand_offs:
            messages.append(Message(author=hand_off.by, content=hand_off.argument, kind="hand_off", to=hand_off.to))
        if self.output == "full":
            inner = [message.model_copy(update={"author": member.name, "kind": "inner"}) for message in outcome.inner]
            messages += inner[:-1] if inner and inner[-1].content == outcome.said else inner  # a team's last word
        if not outcome.ok:
            messages.append(Message(author=member.name, content=f"It did not work: {outcome.said}"))
        elif outcome.said:
            messages.append(Message(author=member.name, content=outcome.said))
        if self.hand_offs:
            back = "Done." if outcome.ok else "Not done."
            messages.append(Message(author=member.name, content=back, kind="hand_off", to=hand_off.by))
        return messages


def work_of(member: Member, sharing: Sharing) -> StepAction:
    """Return the action by which a member works for a hub: it is run once for each turn that names it.

    Several pieces of work that one turn has for it are done at once, and leave word each.
    """

    async def work(turn: Turn, planboard_context: ActionContext) -> WorkDone:
        context = planboard_context
        there = _when_decided(as_handed_out(context.visible), turn)
        history = [entry.value for entry in there if isinstance(entry.value, Message)]
        mine = turn.for_member(member.name)
        jobs = [partial(put_to_work, member, hand_off, context, there, history) for hand_off in mine]
        outcomes: list[Outcome] = [outcome for outcome in await gather(jobs) if isinstance(outcome, Outcome)]
        done: list[WorkDone] = []
        for hand_off, outcome in zip(mine, outcomes, strict=True):
            for message in sharing.of(hand_off, outcome, member):
                context.add(message)
            put_on_board(outcome.objects, context)
            if outcome.hand_off is not None:
                note_rewritten(outcome.hand_off, member.name, turn.then or turn.by, context)
            done.append(_word_of(outcome, turn, hand_off))
        for later in done[1:]:  # what an action returns stands before what it adds
            context.add(later)
        return done[0]

    options = {"description": member.description, "rerun": "always", "idempotent": True}
    return step("member", work, name=member.name, returns=WorkDone, agents=(member.part.agent,), options=options)


def _word_of(outcome: Outcome, turn: Turn, hand_off: HandOff) -> WorkDone:
    return WorkDone(
        turn=turn.number,
        member=hand_off.to,
        task=hand_off.argument,
        ok=outcome.ok,
        text=outcome.said,
        denied=(hand_off.argument,) if outcome.denied is not None else (),
        artefacts=tuple(type_name(item.type or type(item.value)) for item in outcome.artefacts),
    )


def as_handed_out(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries of a team's board, what each turn brought about in the order in which its members were called.

    On the board they stand as they came, and what had to wait for a person came last. What one member did stands
    together, in the order of its tasks.
    """
    ordered: list[Entry] = []
    brought: list[Entry] = []
    names: list[str] = []
    for entry in entries:
        if isinstance(entry.value, Turn):
            ordered += [*_in_order(brought, names), entry]
            brought, names = [], [hand_off.to for hand_off in entry.value.hand_offs]
        else:
            brought.append(entry)
    return [*ordered, *_in_order(brought, names)]


def _in_order(brought: Iterable[Entry], names: Sequence[str]) -> list[Entry]:
    return sorted(brought, key=lambda entry: names.index(entry.producer) if entry.producer in names else -1)


def _when_decided(entries: Sequence[Entry], turn: Turn) -> list[Entry]:
    """Return what was on the board when the turn was decided.

    What others bring about in the same turn does not count: so a member is told the same whoever is faster, and when
    it goes on after it had to wait.
    """
    turns = [entry for entry in entries if isinstance(entry.value, Turn) and entry.value.number == turn.number]
    place = turns[-1].position
    return [entry for entry in entries if entry.position < place or entry.producer == turn.by]


def note_rewritten(hand_off: HandOff, by: str, to: str, context: ActionContext) -> None:
    """Put on record that a member wanted another one to go on than the team allows."""
    if hand_off.to != to:
        context.add(hand_off.model_copy(update={"by": by, "to": to, "wanted": hand_off.to}))
