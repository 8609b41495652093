"""The hub of a star: who works next, or the last word, decided by a model or by a function of the history."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from inspect import isawaitable, signature
from itertools import islice, takewhile
from typing import Annotated, Any, Optional, TypeAlias, Union

from planboard._text import brief, suggest
from planboard.actions.context import ActionContext
from planboard.actions.goal import Achievement, Goal
from planboard.actions.making import StepAction, step, with_inputs
from planboard.actions.waiting import Denied
from planboard.blackboard.entry import INPUT, Entry
from planboard.blackboard.matching import satisfies
from planboard.errors import ActionError
from planboard.llm.ai import Ai
from planboard.llm.port import Message as ModelMessage
from planboard.llm.showing import as_data, cut
from planboard.runtime.handing import CONTEXT
from planboard.teams.artefacts import artefacts_on, given_only, newest, optional_inputs
from planboard.teams.choosing import Choice, Desk, Situation
from planboard.teams.hand_offs import HandOff, HandOffListener, Turn, WorkDone, tell_of
from planboard.teams.members import CONTROL, Member
from planboard.teams.messages import USER, Message, as_spoken, is_talk
from planboard.teams.working import Sharing, as_handed_out
from planboard.types import All, TypeForm

Decide: TypeAlias = Callable[..., Any]
"""A supervisor that is a function of the history, or of the history and of what was done; it may be async."""

_ARTEFACT, _TASK = 600, 120
_AI, _REQUEST, _TURN, _DONE = "ai", "request", "turn", "done"


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
        self._looks_at_work = function is not None and _takes_two(function)
        self._prompt = prompt
        self._returning = returning
        self._then = then
        self._parallel = parallel
        self._temperature = temperature
        self._on_handoff = on_handoff

    def as_action(self) -> StepAction:
        """Return it as the action of its team that runs first."""
        returning = self._returning

        async def decide(**given: Any) -> Any:
            context: ActionContext = given[CONTEXT]
            there = {id(entry.value) for entry in context.visible}
            services = [value for name, value in given.items() if name in objects and id(value) not in there]
            return await self._decide(given[_AI], context, services, given.get(_TURN))

        done = Optional[Annotated[list[WorkDone], All]]  # noqa: UP045 - read at run time
        own = {_AI: Ai, CONTEXT: ActionContext, _REQUEST: str | None, _TURN: Turn | None, _DONE: done}
        objects = optional_inputs(given_only(self.desk.members), own)
        made: StepAction = step(
            "hub", with_inputs(decide, {**own, **objects}), name=self.desk.speaker,
            returns=Union[Turn, returning],  # noqa: UP007
            options={"description": "Decides who works next.", "rerun": "always", "idempotent": True},
        )  # fmt: skip
        return made

    async def _decide(self, ai: Ai, context: ActionContext, services: Sequence[object], turn: Turn | None) -> Any:
        number = 1 if turn is None else turn.number + 1
        there = as_handed_out(context.visible)  # the input `done` holds what was done in the order in which it came
        done = [entry.value for entry in there if isinstance(entry.value, WorkDone)]
        if self.sharing.output == "typed":
            history = opening(context)  # nothing of it is on the board, so it is told anew each time
        elif turn is None:
            history = begin_history(context)
        else:
            history = [entry.value for entry in there if isinstance(entry.value, Message)]
        now = Situation(there, self._barred(context), _denied(done), services)
        choice = await self._choose(ai, history, now, turn, done)
        if choice.hand_offs:
            for hand_off in choice.hand_offs:
                tell_of(hand_off, self._on_handoff)
            return Turn(
                number=number,
                by=self.desk.speaker,
                hand_offs=choice.hand_offs,
                then=self._then,
                refused=choice.refused,
            )
        if self.sharing.output != "typed":
            context.add(Message(author=self.desk.speaker, content=choice.text))
        if choice.result is not None:
            return choice.result
        known = [*(str(message) for message in history), *(work.text for work in done), choice.text]
        return await result_of(self._returning, choice.text, now.there, known, ai)

    async def _choose(
        self, ai: Ai, history: Sequence[Message], now: Situation, turn: Turn | None, done: Sequence[WorkDone]
    ) -> Choice:
        if self._function is None:
            standing = self._standing(now, turn, done)
            told = (ModelMessage("system", self._prompt), *self._spoken(history), *standing)
            return await self.desk.ask(ai, told, now, temperature=self._temperature, parallel=self._parallel)
        found = self._function(list(history), list(done)) if self._looks_at_work else self._function(list(history))
        decided: Any = await found if isawaitable(found) else found
        if isinstance(decided, str):
            return Choice(decided)
        if self._returning is not str and satisfies(decided, None, self._returning):
            return Choice(as_data(decided), result=decided)
        hand_offs = [decided] if isinstance(decided, HandOff) else decided
        if not isinstance(hand_offs, list | tuple) or not hand_offs:
            message = (
                f"{self.desk.speaker!r} has decided {brief(decided)}. Return a HandOff, several of them, or the answer."
            )
            raise ActionError(self.desk.speaker, message)
        return Choice(hand_offs=tuple(self._checked(hand_off, now) for hand_off in hand_offs))

    def _barred(self, context: ActionContext) -> dict[str, str]:
        denied = {one.action: one.reason or "a person did not agree" for one in context.all(Denied)}
        return {name: denied[name] for name in self.desk.members if name in denied}

    def _spoken(self, history: Sequence[Message]) -> Iterator[ModelMessage]:
        """Tell the history: work that was handed out as the calls that it was, and what came of it as their results.

        A model that sees tasks among what was said goes on by writing one.
        """
        place = 0
        while place < len(history):
            message = history[place]
            place += 1
            if message.kind != "hand_off":
                yield from as_spoken([message], self.desk.speaker)
            elif message.to is not None and message.to in self.desk.members:
                call = self.desk.call_for(message.to, message.content, f"call_{place}")
                brought = takewhile(partial(_is_said_by, message.to), islice(history, place, None))
                said = [spoken.content for spoken in as_spoken(brought, self.desk.speaker)]
                place += len(said)
                yield ModelMessage("assistant", "", (call,))
                yield ModelMessage("tool", "\n".join(said) or "done", call_id=call.id)

    def _checked(self, hand_off: Any, now: Situation) -> HandOff:
        speaker, wanted = self.desk.speaker, hand_off.to if isinstance(hand_off, HandOff) else brief(hand_off)
        known = [name for name in self.desk.members if name not in now.barred]
        if not isinstance(hand_off, HandOff) or wanted not in known:
            why = now.barred.get(wanted)
            more = f"It was not agreed to: {why}." if why is not None else suggest(wanted, known)
            message = f"{speaker!r} gives work to {wanted!r}, which is no worker that can be given any. {more}"
            raise ActionError(speaker, message)
        return hand_off.model_copy(update={"by": speaker})

    def _standing(self, now: Situation, turn: Turn | None, done: Sequence[WorkDone]) -> list[ModelMessage]:
        """Tell what was done so far: in each mode the supervisor knows who has finished, and with what."""
        lines: list[str] = []
        if self.sharing.output == "typed":
            lines += [f"- {entry}: {as_data(entry.value, _ARTEFACT)}" for entry in artefacts_on(now.there)]
        lines += [f"- {_line(work, self.sharing)}" for work in done]
        lines += [f"- {name} was not agreed to and cannot be given work: {why}" for name, why in now.barred.items()]
        lines += [f"- not done: {refusal}" for refusal in (turn.refused if turn is not None else ())]
        return [ModelMessage("user", "\n".join(["So far:", *lines]))] if lines else []


async def result_of(returning: TypeForm, said: str, entries: Sequence[Entry], known: Sequence[str], ai: Ai) -> Any:
    """Return the result of a team: its last words, or the newest object of a type, or one that a model makes.

    Args:
        returning: What the run is for.
        said: The last words.
        entries: The team's board, as work was handed out.
        known: What a model makes an object of, if no member has made one.
        ai: The model.

    Raises:
        ModelError: It makes none.
    """
    if returning is str:
        return said
    found = newest(returning, entries)
    if found is not None:
        return found.value
    return await ai.create(f"Give the result as an object.\n{ai.data(known)}", returning)


def opening(context: ActionContext) -> list[Message]:
    """Return what the team was given as the first messages of its history.

    Messages of an earlier talk come first, as they are: so a talk goes on. What else was given is said by the user.
    """
    return [*_given_messages(context), *_given_words(context)]


def begin_history(context: ActionContext) -> list[Message]:
    """Put what the team was given on its board, as messages, and return all of them."""
    for message in _given_words(context):
        context.add(message)
    return opening(context)


def _given_messages(context: ActionContext) -> list[Message]:
    return [entry.value for entry in _given(context) if isinstance(entry.value, Message)]


def _given_words(context: ActionContext) -> list[Message]:
    """Return what was given that is no message by itself."""
    found: list[Message] = []
    for entry in _given(context):
        if is_talk(entry.value):
            found += entry.value
        elif not isinstance(entry.value, CONTROL):
            text = entry.value if isinstance(entry.value, str) else f"{entry}: {as_data(entry.value)}"
            found.append(Message(author=USER, content=text))
    return found


def _given(context: ActionContext) -> list[Entry]:
    return [entry for entry in context.visible if entry.producer == INPUT]


def _denied(done: Sequence[WorkDone]) -> dict[tuple[str, str], str]:
    return {(work.member, task): work.text for work in done for task in work.denied}


def _is_said_by(member: str, message: Message) -> bool:
    return message.author == member and message.kind != "hand_off"


def _takes_two(function: Decide) -> bool:
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters) > 1


def _line(work: WorkDone, sharing: Sharing) -> str:
    """Return what came of a piece of work, without what the history tells already."""
    typed = sharing.output == "typed"
    ended = "done" if work.ok else "failed"
    task = f" ({cut(work.task, _TASK)})" if work.task and (typed or not sharing.hand_offs) else ""
    made = f", made {', '.join(work.artefacts)}" if work.artefacts else ""
    said = f": {cut(work.text, _ARTEFACT)}" if typed and work.text and not work.artefacts else ""
    return f"{work.member}{task} {ended}{made}{said}"


def answer_goal(team: str, returning: TypeForm, by: Sequence[str]) -> Goal:
    """Return the goal of a team: its answer, given by one of those who may say the last word."""
    goal = Goal.achieved_by(by[0], returning, Achievement("What the team was asked for", name=team))
    goal.producers = tuple(by)
    return goal


def types_of(members: Iterable[Member]) -> tuple[TypeForm, ...]:
    """Return the types that may stand on the board of a team."""
    made = [form for member in members for way in member.part.outputs for form in way]
    return (Message, HandOff, Turn, WorkDone, *made)
