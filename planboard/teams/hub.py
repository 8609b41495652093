"""The hub of a star: who works next, or the last word, decided by a model or by a function of the history."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from inspect import isawaitable
from typing import Annotated, Any, TypeAlias, Union

from planboard.actions.context import ActionContext
from planboard.actions.goal import Achievement, Goal
from planboard.actions.making import StepAction, step
from planboard.actions.waiting import Denied
from planboard.blackboard.entry import INPUT
from planboard.errors import ActionError
from planboard.llm.ai import Ai
from planboard.llm.port import Message as ModelMessage
from planboard.llm.showing import as_data, cut
from planboard.teams.choosing import Choice, Desk, Situation
from planboard.teams.hand_offs import HandOff, HandOffListener, Turn, WorkDone
from planboard.teams.members import Member, artefacts_on, newest
from planboard.teams.messages import USER, Message, as_spoken
from planboard.teams.working import Sharing
from planboard.types import All, TypeForm

Decision: TypeAlias = HandOff | Sequence[HandOff] | str
"""What a supervisor that is a function decides: who works next, or the final answer."""

Decide: TypeAlias = Callable[[list[Message]], Decision | Awaitable[Decision]]
"""A supervisor that is a function of the history."""

_ARTEFACT = 600


class Hub:
    """The one in the middle of a star: it hands out work, or says the last word.

    Args:
        desk: Who can be given work, and how.
        function: Decides instead of a model.
        prompt: The system prompt of the model.
        sharing: What the shared history holds.
        returning: What a run is for.
        then: Who goes on when all of a turn is done.
        parallel: Whether several members may be given work in one turn.
        temperature: For the model.
        on_handoff: Is told of each hand-off.
    """

    def __init__(  # noqa: PLR0913 - a hub has so many sides
        self,
        desk: Desk,
        function: Decide | None,
        prompt: str,
        sharing: Sharing,
        *,
        returning: TypeForm,
        then: str,
        parallel: bool,
        temperature: float | None,
        on_handoff: HandOffListener | None,
    ) -> None:
        self.desk = desk
        self.sharing = sharing
        self._function = function
        self._prompt = prompt
        self._returning = returning
        self._then = then
        self._parallel = parallel
        self._temperature = temperature
        self._on_handoff = on_handoff

    def as_action(self) -> StepAction:
        """Return it as the action of its team that runs first."""
        returning = self._returning

        async def decide(
            ai: Ai,
            planboard_context: ActionContext,
            request: str | None = None,  # noqa: ARG001 - that is what it is asked, whatever else it is given
            turn: Turn | None = None,
            done: Annotated[list[WorkDone], All] | None = None,
        ) -> Any:
            return await self._decide(ai, planboard_context, turn, done or [])

        made: StepAction = step(
            "hub", decide, name=self.desk.speaker, returns=Union[Turn, returning],  # noqa: UP007
            options={"description": "Decides who works next.", "rerun": "always", "idempotent": True},
        )  # fmt: skip
        return made

    async def _decide(self, ai: Ai, context: ActionContext, turn: Turn | None, done: Sequence[WorkDone]) -> Any:
        history = context.all(Message)
        number = 1 if turn is None else turn.number + 1
        if not history and self.sharing.output != "typed":
            history = opening(context)
            for message in history:
                context.add(message)
        now = Situation(context.visible, _barred(context), _denied(done))
        choice = await self._choose(ai, history, now, self._standing(now, turn, done))
        if choice.hand_offs:
            for hand_off in choice.hand_offs:
                if self._on_handoff is not None:
                    self._on_handoff(hand_off.to, hand_off.argument)
            return Turn(
                number=number,
                by=self.desk.speaker,
                hand_offs=choice.hand_offs,
                then=self._then,
                refused=choice.refused,
            )
        if self.sharing.output != "typed":
            context.add(Message(author=self.desk.speaker, content=choice.text))
        known = [*(str(message) for message in history), *(work.text for work in done), choice.text]
        return await self._result(ai, now, known, choice.text)

    async def _choose(
        self, ai: Ai, history: Sequence[Message], now: Situation, standing: Sequence[ModelMessage]
    ) -> Choice:
        if self._function is None:
            told = (ModelMessage("system", self._prompt), *as_spoken(history, self.desk.speaker), *standing)
            return await self.desk.ask(ai, told, now, temperature=self._temperature, parallel=self._parallel)
        found = self._function(list(history))
        decided: Any = await found if isawaitable(found) else found
        if isinstance(decided, str):
            return Choice(decided)
        hand_offs = [decided] if isinstance(decided, HandOff) else list(decided)
        return Choice(hand_offs=tuple(self._checked(hand_off, now) for hand_off in hand_offs))

    def _checked(self, hand_off: Any, now: Situation) -> HandOff:
        speaker = self.desk.speaker
        if not isinstance(hand_off, HandOff) or hand_off.to not in self.desk.members or hand_off.to in now.barred:
            wanted = hand_off.to if isinstance(hand_off, HandOff) else hand_off
            known = ", ".join(name for name in self.desk.members if name not in now.barred)
            message = (
                f"{speaker!r} gives work to {wanted!r}, which is no worker that can be given any. Workers: {known}."
            )
            raise ActionError(speaker, message)
        return hand_off.model_copy(update={"by": speaker})

    def _standing(self, now: Situation, turn: Turn | None, done: Sequence[WorkDone]) -> list[ModelMessage]:
        """Tell what was done so far: in each mode the supervisor knows who has finished, and with what."""
        lines: list[str] = []
        if self.sharing.output == "typed":
            lines += [f"- {entry}: {as_data(entry.value, _ARTEFACT)}" for entry in artefacts_on(now.there, made=False)]
        lines += [f"- {_line(work, whole=self.sharing.output == 'typed')}" for work in done]
        lines += [f"- {name} was not agreed to and cannot be given work: {why}" for name, why in now.barred.items()]
        lines += [f"- not done: {refusal}" for refusal in (turn.refused if turn is not None else ())]
        return [ModelMessage("user", "\n".join(["So far:", *lines]))] if lines else []

    async def _result(self, ai: Ai, now: Situation, known: Sequence[str], text: str) -> Any:
        if self._returning is str:
            return text
        found = newest(self._returning, now.there)
        if found is not None:
            return found.value
        return await ai.create(f"Give the result as an object.\n{ai.data(known)}", self._returning)


def opening(context: ActionContext) -> list[Message]:
    """Return what the team was asked, as the first messages of its history."""
    given = [entry for entry in context.visible if entry.producer == INPUT]
    texts = [entry.value if isinstance(entry.value, str) else as_data(entry.value) for entry in given]
    return [Message(author=USER, content=text) for text in texts]


def _barred(context: ActionContext) -> dict[str, str]:
    return {denied.action: denied.reason or "a person did not agree" for denied in context.all(Denied)}


def _denied(done: Sequence[WorkDone]) -> dict[tuple[str, str], str]:
    return {(work.member, work.task): work.text for work in done if work.denied}


def _line(work: WorkDone, *, whole: bool) -> str:
    ended = "done" if work.ok else "failed"
    made = f", made {', '.join(work.artefacts)}" if work.artefacts else ""
    said = f": {cut(work.text, _ARTEFACT)}" if not work.ok or (whole and not work.artefacts) else ""
    return f"{work.member} ({cut(work.task, 120)}) {ended}{made}{said}"


def answer_goal(returning: TypeForm, *by: str) -> Goal:
    """Return the goal of a team: its answer, given by one of those who may say the last word."""
    goal = Goal.achieved_by(by[0], returning, Achievement("What the team was asked for", name="answer"))
    goal.producers = by
    return goal


def types_of(members: Iterable[Member]) -> tuple[TypeForm, ...]:
    """Return the types that may stand on the board of a team."""
    made = [form for member in members for way in member.part.outputs for form in way]
    return (Message, HandOff, Turn, WorkDone, *made)
