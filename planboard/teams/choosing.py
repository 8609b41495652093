"""Letting a model hand out work: members are its tools, and whom it calls has the turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from planboard._text import listed
from planboard.actions.action import BoundInput
from planboard.blackboard.entry import INPUT, Entry
from planboard.blackboard.matching import conforms
from planboard.errors import ModelOutputError, ModelRefusedError
from planboard.llm.ai import Ai
from planboard.llm.names import find_tool, tool_name
from planboard.llm.port import Message as ModelMessage
from planboard.llm.port import ModelReply, ModelRequest, Tool, ToolCall, compact_json
from planboard.llm.reading import read_arguments, read_value
from planboard.llm.schemas import Parameter, arguments_schema
from planboard.teams.artefacts import artefacts_on, form_to_build, is_made_by, is_there
from planboard.teams.hand_offs import HandOff
from planboard.teams.members import TASK, Member

Tools: TypeAlias = Literal["per_worker", "task"]
"""One tool for each member, or a single one that names the member."""

_ATTEMPTS = 3
_TASK = "What to do, with all that it has to know."
_WORDS = {"type": "object", "properties": {TASK: {"type": "string"}}, "required": [TASK]}
"""The arguments of who takes words only: not strict, for they are read with leave, and small models do better so."""
_CALLS = 32


@dataclass(frozen=True, slots=True)
class Choice:
    """What a model has decided: who goes on, or what it says itself."""

    text: str = ""
    hand_offs: tuple[HandOff, ...] = ()
    refused: tuple[str, ...] = ()
    """Its calls that cannot be carried out, and why."""
    result: Any = None
    """The object that it answers with, where one is wanted."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What bears on who can be given work."""

    there: Sequence[Entry] = ()
    """The visible entries of the board."""
    barred: Mapping[str, str] = field(default_factory=dict)
    """Members that cannot be given work any more, and why."""
    denied: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Work that a person did not agree to, by member and task, and why."""
    services: Sequence[object] = ()
    """Objects that members are given without their being on the board."""

    def gives(self, item: BoundInput, *, made: bool = True) -> bool:
        """Tell whether an input of a member can be filled without a model.

        Args:
            item: The input.
            made: Whether what the team has made counts too, or only what it was given.
        """
        known = artefacts_on(self.there, made=False)
        entries = known if made else [entry for entry in known if entry.producer == INPUT]
        return is_there(item, entries) or any(conforms(service, item.query.form) for service in self.services)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where work is handed out.

    Args:
        speaker: Whom the model speaks for.
        members: Who can be given work, by name.
        tools: How they are offered.
        prefix: What the name of a tool begins with, before the name of the member.
        word: What a member is called in messages.
    """

    speaker: str
    members: Mapping[str, Member]
    tools: Tools = "per_worker"
    prefix: str = "transfer_to_"
    word: str = "worker"

    async def ask(
        self,
        ai: Ai,
        messages: Sequence[ModelMessage],
        now: Situation,
        *,
        temperature: float | None,
        parallel: bool,
    ) -> Choice:
        """Return what a model decides. Calls that mean nothing go back to it with the reason, a few times.

        Args:
            ai: The model.
            messages: What it is told.
            now: What bears on who can be given work.
            temperature: For the model.
            parallel: Whether it may give work to several members at once.

        Raises:
            ModelOutputError: It only makes calls that mean nothing.
            ModelRefusedError: It declines.
            ModelError: It does not answer.
        """
        offered = self.offered(now)
        said = list(messages)
        wrong: list[str] = []
        for _ in range(_ATTEMPTS):
            request = ModelRequest(tuple(said), self._tools(offered, now), parallel=parallel, temperature=temperature)
            reply = await ai.model.complete(request, meter=ai.meter)
            if reply.refusal:
                message = f"The model {ai.model.name!r} declined: {reply.refusal}"
                raise ModelRefusedError(ai.model.name, message, attempts=1, last_output=reply.refusal)
            choice = self._read(reply, offered, now, parallel=parallel)
            if choice.hand_offs or (choice.text.strip() and not reply.calls):
                return choice
            wrong = list(choice.refused) or ["an empty answer"]
            said += self._told(reply, choice.refused)
        message = f"The model {ai.model.name!r} decided nothing in {_ATTEMPTS} answers: {'; '.join(wrong)}"
        raise ModelOutputError(ai.model.name, message, attempts=_ATTEMPTS, last_output="; ".join(wrong))

    def offered(self, now: Situation) -> dict[str, Member]:
        """Return the members that can be given work now: all that they take is there, or can be built or said."""
        return {
            name: member
            for name, member in self.members.items()
            if name not in now.barred
            and all(
                item.optional or now.gives(item) or not self._is_made(member, parameter)
                for parameter, item in member.artefacts.items()
            )
        }

    def _is_made(self, member: Member, parameter: str) -> bool:
        others = [other for other in self.members.values() if other is not member]
        return is_made_by(member.artefacts[parameter], others)

    # Tools

    def _tools(self, offered: Mapping[str, Member], now: Situation) -> tuple[Tool, ...]:
        if not offered:
            return ()
        if self.tools == "task":
            return (self._single(offered),)
        return tuple(self._tool(member, now) for member in offered.values())

    def _tool(self, member: Member, now: Situation) -> Tool:
        name, description = self.tool_name(member), member.description or f"Gives work to {member.name}."
        parameters = dict(self._exposed(member, now))
        if not parameters and member.takes_words:
            return Tool(name, description, _WORDS)
        if member.takes_words:
            parameters = {TASK: Parameter(str), **parameters}  # what a task is, the prompt says once
        return Tool(name, description, *arguments_schema(parameters))

    def _single(self, offered: Mapping[str, Member]) -> Tool:
        names = tuple(offered)
        known = "; ".join(f"{name}: {member.description}" for name, member in offered.items() if member.description)
        parameters = {"agent": Parameter(Literal[names]), "description": Parameter(str, description=_TASK)}
        schema, strict = arguments_schema(parameters)
        return Tool("task", f"Gives a task to an agent. {known}".rstrip(), schema, strict)

    def tool_name(self, member: Member) -> str:
        """Return the name of the tool by which work is given to a member."""
        return tool_name(f"{self.prefix}{member.name}")

    def call_for(self, member: str, argument: str, call_id: str) -> ToolCall:
        """Return the call by which work was given to a member, as the model has made it.

        Args:
            member: The name of the member.
            argument: What was handed over, as one text.
            call_id: The id of the call.
        """
        known = self.members[member]
        if self.tools == "task":
            return ToolCall(call_id, "task", compact_json({"agent": member, "description": argument}))
        arguments = compact_json({TASK: argument}) if known.takes_words else argument or "{}"
        return ToolCall(call_id, self.tool_name(known), arguments)

    def _exposed(self, member: Member, now: Situation) -> dict[str, Parameter]:
        """Return what the model has to build for a member, or may: objects that nobody makes and that were not given.

        One that it has built before is there, and need not be built again.
        """
        return {
            name: Parameter(form_to_build(item), required=not item.optional and not now.gives(item))
            for name, item in member.artefacts.items()
            if not now.gives(item, made=False) and not self._is_made(member, name)
        }

    # Reading

    def _read(self, reply: ModelReply, offered: Mapping[str, Member], now: Situation, *, parallel: bool) -> Choice:
        most = _CALLS if parallel else 1
        hand_offs: list[HandOff] = []
        refused: list[str] = []
        for position, call in enumerate(reply.calls):
            try:
                if position >= most:
                    message = f"not called, for at most {most} may be at once"
                    raise ValueError(message)
                hand_offs.append(self._agreed(self._hand_off(call, offered, now), now))
            except ValueError as error:
                refused.append(f"{call.name[:64]}: {error}")
        return Choice(reply.text, tuple(hand_offs), tuple(refused))

    def _agreed(self, hand_off: HandOff, now: Situation) -> HandOff:
        """Return a hand-off, unless a person did not agree to the very same before."""
        why = now.denied.get((hand_off.to, hand_off.argument))
        if why is not None:
            message = f"a person did not agree to this: {why}. Do something else."
            raise ValueError(message)
        return hand_off

    def _hand_off(self, call: ToolCall, offered: Mapping[str, Member], now: Situation) -> HandOff:
        arguments = read_arguments(call.arguments)
        if self.tools == "task":
            if find_tool(call.name, ["task"]) is None:
                message = "there is no such tool. The only one is task(agent, description)."
                raise ValueError(message)
            name = self._member(str(arguments.get("agent", "")), offered, now)
            task = str(arguments.get("description") or "")
            if not task and offered[name].takes_words:
                message = "description: it is needed"
                raise ValueError(message)
            return HandOff(to=name, task=task, by=self.speaker)
        by_tool = {self.tool_name(member): name for name, member in self.members.items()}
        found = find_tool(call.name, by_tool)
        name = self._member(by_tool[found] if found is not None else call.name, offered, now)
        member = offered[name]
        exposed = self._exposed(member, now)
        said = arguments.pop(TASK, None) if TASK not in exposed else None
        task = str(said or "")  # where none is asked for, one that is given does no harm
        unknown = sorted(key for key, value in arguments.items() if key not in exposed and value is not None)
        if unknown and not task and not exposed and member.takes_words:
            task, unknown = _words_of(arguments), []  # the words, under another name
        built = {key: arguments[key] for key in exposed if arguments.get(key) is not None}
        faults = [f"{key}: there is no such argument" for key in unknown]
        faults += [f"{TASK}: it is needed" for _ in [TASK] if member.takes_words and not task]
        faults += [f"{key}: it is needed" for key, item in exposed.items() if item.required and key not in built]
        for key, value in built.items():
            try:
                read_value(exposed[key].form, value, path=key)
            except ValueError as error:
                faults.append(str(error))
        if faults:
            raise ValueError("; ".join(faults))
        return HandOff(to=name, task=task, arguments=built, by=self.speaker)

    def _member(self, called: str, offered: Mapping[str, Member], now: Situation) -> str:
        """Return the member that a model means.

        Raises:
            ValueError: There is none, or it cannot be given work now; the text says why.
        """
        name = find_tool(called, offered)
        if name is not None:
            return name
        kept_out = find_tool(called, now.barred)
        if kept_out is not None:
            message = f"it cannot be given work any more: {now.barred[kept_out]}"
            raise ValueError(message)
        waits = find_tool(called, self.members)
        if waits is not None:
            lacking = [str(item) for item in self.members[waits].artefacts.values() if not item.optional]
            message = f"it cannot begin yet, for it takes {listed(lacking)}, which another {self.word} makes first"
            raise ValueError(message)
        shown = called.removeprefix(self.prefix)[:64]
        message = f"there is no {self.word} {shown!r}. These can be given work: {', '.join(offered) or 'none'}."
        raise ValueError(message)

    def _told(self, reply: ModelReply, refused: Sequence[str]) -> list[ModelMessage]:
        """Return what a model is told that has called nothing which can be done."""
        if not reply.calls:
            return [ModelMessage("user", f"Give work to a {self.word}, or answer in words.")]
        calls = tuple(
            ToolCall(call.id or f"call_{index}", call.name, call.arguments) for index, call in enumerate(reply.calls)
        )
        answers = [ModelMessage("tool", reason, call_id=call.id) for call, reason in zip(calls, refused, strict=True)]
        return [ModelMessage("assistant", reply.text, calls), *answers]


def _words_of(arguments: Mapping[str, Any]) -> str:
    words = [value for value in arguments.values() if isinstance(value, str)]
    return "\n".join(words)
