"""Runs that a journal keeps, as further tools: which there are, going on with one for its result, and answering one.

The protocol of 2025-11 has tasks for this, which that of 2026-07 has taken out again and the SDK does not serve; tools
are what every client has. Who answers is a question of its own: a client is used by a model as much as by a person, and
a model must not consent to what it asks for itself. So a client may answer only where whoever serves has said so.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from mcp.types import CallToolResult, TextContent, Tool, ToolAnnotations

from planboard._text import masked, suggest, without_secrets
from planboard.errors import JournalError, PlanboardError, UnknownRunError
from planboard.events import Listener, ProcessCreated, ProcessStatus
from planboard.interop.mcp.forms import form_of
from planboard.interop.mcp.goals import GoalTool
from planboard.journal.port import Journal, RunInfo
from planboard.llm.port import compact_json
from planboard.planners.base import Planner
from planboard.runtime.agent import Agent
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.runtime.requests import Deny, Request

_LISTED = 50
"""So many runs are listed, the newest."""
_ENDED = frozenset(set(ProcessStatus) - {ProcessStatus.NOT_STARTED, ProcessStatus.RUNNING, ProcessStatus.WAITING})
_KINDS: Mapping[type, str] = {str: "text", bool: "truth value"}
_RUN = {"type": "string", "description": "The id of a run"}


@dataclass(frozen=True, slots=True)
class Names:
    """What the tools are called: as they are, unless a goal of the agent is called so."""

    listing: str
    resuming: str
    answering: str | None
    """`None` if clients do not answer."""

    @classmethod
    def beside(cls, others: Iterable[str], *, clients_answer: bool) -> "Names":
        """Return names that no other tool has."""
        taken = frozenset(others)

        def free(name: str) -> str:
            numbered = (name if number == 1 else f"{name}_{number}" for number in range(1, len(taken) + 2))
            return next(name for name in numbered if name not in taken)

        return cls(free("list_runs"), free("resume_run"), free("answer_request") if clients_answer else None)


class KeptRuns:
    """The runs of an agent's tools that are kept in the journal of the options, which must have one."""

    def __init__(
        self,
        agent: Agent,
        tools: Mapping[str, GoalTool],
        planner: Planner | str | None,
        options: ProcessOptions,
        *,
        clients_answer: bool,
    ) -> None:
        assert options.journal is not None  # noqa: S101 - as promised
        self._agent = agent
        self._tools = tools
        self._planner = planner
        self._options = options
        self._journal: Journal = options.journal
        self.names = Names.beside(tools, clients_answer=clients_answer)

    # Being listed

    def tools(self) -> list[Tool]:
        """Return the tools for the list of the server."""
        name, names = self._agent.name, self.names
        answer = f", or answer it with {names.answering}" if names.answering else ""
        found = [
            Tool(
                name=names.listing,
                description=f"Lists the runs of {name} that have not ended, with what they ask; the newest last.",
                input_schema=_takes({"ended": {"type": "boolean", "default": False, "description": "Those that have"}}),
                annotations=ToolAnnotations(read_only_hint=True),
            ),
            Tool(
                name=names.resuming,
                description=(
                    f"Goes on with a run of {name} that waited or was interrupted, and gives its result; of one that "
                    f"has ended, only gives it. Where it waits for a person, that person is asked, if you can{answer}."
                ),
                input_schema=_takes({"run": _RUN}, "run"),
            ),
        ]
        if names.answering is not None:
            properties = {
                "request": {"type": "string", "description": "The id of what is asked"},
                "answer": {"description": "What fits the schema of the request"},
                "deny": {"type": "string", "description": "Instead of an answer: why it is refused"},
            }
            words = f"Answers what a run of {name} asks, and goes on with it. Give only what a person has decided."
            found.append(Tool(name=names.answering, description=words, input_schema=_takes(properties, "request")))
        return found

    # Being called

    def listing(self, given: Mapping[str, Any]) -> CallToolResult:
        """Return which runs there are.

        Raises:
            ValueError: The arguments do not fit.
        """
        ended = _read(given, {"ended": bool}).get("ended", False)
        mine = filter(self._is_served, self._journal.runs())
        runs = [run for run in mine if (run.standing.status in _ENDED) == ended]
        found: dict[str, Any] = {"runs": [told for run in runs[-_LISTED:] if (told := self._told(run)) is not None]}
        if len(runs) > _LISTED:
            found["older"] = len(runs) - _LISTED
        return CallToolResult(content=[TextContent(text=compact_json(found))], structured_content=found)

    def taken_up(self, given: Mapping[str, Any], listener: Listener) -> tuple[GoalTool, Process]:
        """Return the run that is to go on, and the tool it was begun with.

        Raises:
            ValueError: The arguments do not fit.
            PlanboardError: There is no such run here, or it cannot be taken up.
        """
        run_id = _read(given, {"run": str}, "run")["run"]
        return self._served(self._root(run_id, f"run {run_id!r}"), listener)

    def answered(self, given: Mapping[str, Any], listener: Listener, by: str) -> tuple[GoalTool, Process]:
        """Answer a request, and return the run that is to go on.

        Raises:
            ValueError: The arguments do not fit, or the request asks for a secret.
            PlanboardError: There is no such run here, or it does not take that answer.
        """
        read = _read(given, {"request": str, "answer": object, "deny": str}, "request")
        if ("answer" in read) == ("deny" in read):
            message = "answer: either it is given, or deny with a reason"
            raise ValueError(message)
        request_id = read["request"]
        root = self._root(request_id.rpartition(":")[0], f"request {request_id!r}")
        tool, process = self._served(root, listener)
        if any(request.id == request_id and form_of(request) is None for request in process.pending):
            message = "what is asked for is secret, which clients must not give"
            raise ValueError(message)
        process.respond(request_id, Deny(read["deny"]) if "deny" in read else read["answer"], by=by)
        return tool, process

    def how_to_go_on(self, process: Process) -> list[str]:
        """Return what a client can do about a run that waits, a line each."""
        lines = [f"For its result, when it has been answered: {self.names.resuming} with run {process.id!r}."]
        for request in process.pending if self.names.answering is not None else ():
            if form_of(request) is not None:
                schema = compact_json(request.schema)
                lines.append(f"To answer: {self.names.answering} with request {request.id!r}, and what fits {schema}")
        return lines

    # Looking

    def _root(self, run_id: str, what: str) -> RunInfo:
        """Return the run that was begun from outside, of which a run is a part; only of this agent.

        Raises:
            UnknownRunError: There is none.
        """
        try:
            run = self._journal.info(run_id)
            while run.parent_id is not None:
                run = self._journal.info(run.parent_id)
            if self._is_served(run):
                return run
        except UnknownRunError:
            pass
        message = f"There is no {what} of {self._agent.name} here. {self.names.listing} tells which there are."
        raise UnknownRunError(run_id, message)

    def _is_served(self, run: RunInfo) -> bool:
        return run.agent == self._agent.name and run.parent_id is None

    def _served(self, run: RunInfo, listener: Listener) -> tuple[GoalTool, Process]:
        process = self._restored(run, *self._options.listeners, listener)
        tool = self._tool_of(process)
        if tool is None:
            message = f"Run {run.id!r} was begun for something else than what is served here."
            raise UnknownRunError(run.id, message)
        return tool, process

    def _restored(self, run: RunInfo, *listeners: Listener) -> Process:
        """Return a run as it stands, under its own policies and those of this server."""
        restore = partial(
            Process.restore, self._agent, self._journal, run.id, planner=self._planner, clock=self._options.clock
        )  # fmt: skip
        own = self._options.approvals
        try:
            process = restore(listeners=listeners)
        except JournalError:
            if all(policy.to_data()["function"] is None for policy in own):
                raise
            return restore(options=replace(self._options, listeners=listeners))  # functions are not kept with a run
        more = [policy for policy in own if policy not in process.options.approvals]
        if not more:
            return process
        return restore(options=replace(process.options, approvals=(*process.options.approvals, *more)))

    def _tool_of(self, process: Process) -> GoalTool | None:
        created = process.events[0]
        if not isinstance(created, ProcessCreated) or created.returning is None:
            return None
        form = self._agent.types.form_named(created.returning)
        return next((tool for tool in self._tools.values() if tool.form == form), None)

    def _told(self, run: RunInfo) -> dict[str, Any] | None:
        """Return a run as JSON data; `None` if it was begun for something else than a tool."""
        told = {"run": run.id, "status": run.standing.status, "begun": _moment(run.created_at)}
        try:
            process = self._restored(run)
        except PlanboardError as error:
            return {**told, "broken": without_secrets(str(error))}
        tool = self._tool_of(process)
        if tool is None:
            return None
        told["tool"] = tool.name
        return told if run.standing.status in _ENDED else {**told, "asks": [_asked(each) for each in process.pending]}


def _takes(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def _read(given: Mapping[str, Any], kinds: Mapping[str, type], *needed: str) -> dict[str, Any]:
    """Return arguments of some kinds.

    Raises:
        ValueError: They do not fit; the text names each fault.
    """
    faults = [
        f"{name}: there is no such argument ({suggest(name, kinds).rstrip('.')})" for name in given if name not in kinds
    ]
    faults += [f"{name}: it is needed" for name in needed if name not in given]
    faults += [
        f"{name}: it is no {_KINDS[kind]}"
        for name, kind in kinds.items()
        if name in given and not isinstance(given[name], kind)
    ]
    if faults:
        raise ValueError("; ".join(faults))
    return dict(given)


def _asked(request: Request) -> dict[str, Any]:
    told = {
        "request": request.id,
        "action": request.action,
        "purpose": request.purpose,
        "prompt": without_secrets(request.prompt),
        "arguments": masked(dict(request.arguments)),
        "schema": dict(request.schema),
    }
    return told if request.expires_at is None else {**told, "expires": request.expires_at.isoformat()}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
