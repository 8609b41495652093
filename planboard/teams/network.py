"""`Network`: members that hand over to each other, along a declared topology."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from planboard._text import suggest
from planboard.actions.action import BoundInput
from planboard.actions.context import ActionContext
from planboard.actions.making import StepAction, step, with_inputs
from planboard.errors import ActionError, DefinitionError, NotAgreedError
from planboard.llm.ai import Ai
from planboard.runtime.handing import CONTEXT
from planboard.teams.artefacts import given_only, optional_inputs, put_on_board
from planboard.teams.hand_offs import HandOff, HandOffListener, Turn, tell_of
from planboard.teams.hub import begin_history, result_of
from planboard.teams.members import Member, as_members
from planboard.teams.messages import Message
from planboard.teams.outcomes import Outcome, put_to_work
from planboard.teams.team import Team, check_arguments
from planboard.teams.topology import Topology, Wiring, as_topology
from planboard.teams.turn_taking import TurnTaking
from planboard.types import TypeForm

_ANSWER = "answer"


class Network(Team):
    """Members that hand over to each other; who hands over to nobody gives the answer.

    A member hands over by returning a `HandOff`; one that is a `chat_agent` by calling a tool, which it has for those
    that it may hand over to. A hand-off that the topology does not allow is rewritten, and put on record: the
    `HandOff` on the board says who was `wanted` and `to` whom it went. The messages of the run are on the board too.

    Args:
        name: What it is called.
        members: Agents, decorated actions, steps or functions; or a mapping from names to them.
        topology: `"mesh"` (everybody to everybody), `"line"`, `star("center")`, or a mapping from members to those that
            they may hand over to.
        entry: The member that begins; the first by default.
        returning: What a run is for: `str` for the words of the member that ends it; another type for an object, which
            is the newest that a member has made, else made by `llm` from what was said. The action `answer` gives it.
        handoff_messages: Whether the history tells who handed over to whom.
        recursion_limit: After so many turns without an end the run is TERMINATED.
        repeats: How often the same member may be given the very same task.
        llm: The model of members that have none of their own.
        on_handoff: Called with the name of the member and its task, for each hand-off.
        **options: What `Agent` takes: `services`, `description`, `types`, `migrations`.

    Raises:
        DefinitionError: Something about it cannot work.
    """

    def __init__(  # noqa: PLR0913 - a network is made of so much
        self,
        name: str,
        members: Iterable[Any] | Mapping[str, Any],
        *,
        topology: Wiring = "mesh",
        entry: str | None = None,
        returning: TypeForm = str,
        handoff_messages: bool = True,
        recursion_limit: int = 25,
        repeats: int = 3,
        llm: Any = None,
        on_handoff: HandOffListener | None = None,
        **options: Any,
    ) -> None:
        check_arguments(
            Network, name, options, returning=returning, handoff_messages=handoff_messages,
            recursion_limit=recursion_limit, repeats=repeats, on_handoff=on_handoff,
        )  # fmt: skip
        known = as_members(members, name)
        names = tuple(known)
        wired = as_topology(topology, names, within=name)
        first = names[0] if entry is None else entry
        if first not in known:
            message = f"Network({name!r}, entry={entry!r}): there is no such member. {suggest(first, names)}"
            raise DefinitionError(message)
        given = given_only(known)
        last = None if returning is str else _ANSWER
        if last in known:
            message = (
                f"Network({name!r}): a member is named {last!r}, as the action that gives the result is. Rename it."
            )
            raise DefinitionError(message)
        places = [
            _Place(member, given, wired, last, tells=handoff_messages, on_handoff=on_handoff)
            for member in known.values()
        ]
        super().__init__(
            name,
            [*(place.as_action() for place in places), *(() if last is None else (_answering(returning),))],
            members=known,
            topology=wired,
            returning=returning,
            answered_by=names if last is None else [last],
            planner=TurnTaking(first, 1, recursion_limit, repeats),
            llm=llm,
            **options,
        )


class _Place:
    """A member in its place in a network.

    Args:
        member: The member.
        given: The objects that a run may be given, for it or for others.
        topology: Who may hand over to whom.
        last: The action that makes the result of what was done, if members do not give it themselves.
        tells: Whether the history tells who handed over to whom.
        on_handoff: Is told of each hand-off.
    """

    def __init__(
        self,
        member: Member,
        given: Sequence[BoundInput],
        topology: Topology,
        last: str | None,
        *,
        tells: bool,
        on_handoff: HandOffListener | None,
    ) -> None:
        self._member = member
        self._given = given
        self._topology = topology
        self._last = last
        self._tells = tells
        self._on_handoff = on_handoff

    def as_action(self) -> StepAction:
        """Return its work as an action of the network."""
        member = self._member

        async def work(**given: Any) -> Any:
            return await self._work(given[CONTEXT], given.get("turn"))

        own = {CONTEXT: ActionContext, "request": str | None, "turn": Turn | None}
        return step(
            "member", with_inputs(work, {**own, **optional_inputs(self._given, own)}), name=member.name,
            returns=Turn if self._last is not None else Turn | str, agents=(member.part.agent,),
            options={"description": member.description, "rerun": "always", "idempotent": True},
        )  # fmt: skip

    async def _work(self, context: ActionContext, turn: Turn | None) -> Turn | str:
        name = self._member.name
        history = begin_history(context) if turn is None else context.all(Message)
        task = history[-1].content if history else ""
        mine = HandOff(to=name, task=task) if turn is None else turn.hand_offs[0]
        peers = self._topology.allowed.get(name, ())
        outcome = await put_to_work(self._member, mine, context, context.visible, history, peers)
        if not outcome.ok:
            message = f"{name!r} could not go on: {outcome.said}"
            if outcome.denied is not None:
                raise NotAgreedError(name, message, outcome.denied)
            raise ActionError(name, message)
        put_on_board(outcome.objects, context)
        if outcome.said:
            context.add(Message(author=name, content=outcome.said))
        onward = self._onward(outcome)
        number = 1 if turn is None else turn.number + 1
        if onward is None:
            return outcome.said if self._last is None else Turn(number=number, by=name, hand_offs=(), then=self._last)
        if onward.wanted is not None:
            context.add(onward)
        if self._tells:
            context.add(Message(author=name, content=onward.task, kind="hand_off", to=onward.to))
        tell_of(onward, self._on_handoff)
        return Turn(number=number, by=name, hand_offs=(onward,))

    def _onward(self, outcome: Outcome) -> HandOff | None:
        """Return the hand-off that is made of what a member wants; `None` if what it said is the answer."""
        name, wanted = self._member.name, outcome.hand_off
        if wanted is None:
            to = self._topology.otherwise.get(name)
            return None if to is None else HandOff(to=to, task=outcome.said, by=name)
        to = self._topology.target(name, wanted.to)
        if to is None:
            return None
        rewritten = None if to == wanted.to else wanted.to
        return HandOff(to=to, task=wanted.task or outcome.said, arguments=wanted.arguments, by=name, wanted=rewritten)


def _answering(returning: TypeForm) -> StepAction:
    """Return the action that gives the object that a run is for.

    Members make such objects on the way too, so having one does not end a run.
    """

    async def answer(turn: Turn, ai: Ai, planboard_context: ActionContext) -> Any:  # noqa: ARG001 - it is its turn
        there = planboard_context.visible
        known = [str(entry.value) for entry in there if isinstance(entry.value, Message)]
        return await result_of(returning, "", there, known, ai)

    return step(
        "network", answer, name=_ANSWER, returns=returning,
        options={"description": "Gives the result.", "rerun": "always", "idempotent": True},
    )  # fmt: skip
