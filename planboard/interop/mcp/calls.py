"""Calls of tools as runs of an agent: begun, gone on with when people have answered, and told as a result.

In the protocol of 2026 a call that needs a person ends, and comes again with what was filled in; before, the person
is asked while the call stands. Both are here; what differs is only how the question travels.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from planboard._text import suggest, without_secrets
from planboard.errors import AlreadyAnsweredError, InvalidAnswerError, PlanboardError
from planboard.events import ProcessStatus
from planboard.interop.mcp.forms import Form, form_of
from planboard.interop.mcp.goals import GoalTool
from planboard.interop.mcp.kept import KeptRuns
from planboard.interop.mcp.outputs import readable
from planboard.interop.mcp.telling import Teller
from planboard.planners.base import Planner
from planboard.runtime.agent import Agent
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.runtime.requests import Deny, Request

_log = logging.getLogger("planboard.interop.mcp")

_HELD = 100
"""So many runs may wait for people at once; the one that has waited longest makes room."""
_TRIES = 3
"""How often a person is asked again after an answer that will not do."""
_BY = "MCP client"

Context = ServerRequestContext[Any, Any]


@dataclass(slots=True)
class _Run:
    """A run of a tool, as long as a client may still come back to it."""

    called: str
    """The tool that was called."""
    tool: GoalTool
    """The tool that says what the result is."""
    process: Process
    teller: Teller
    faults: dict[str, str]
    """What was wrong with the last answers, by request."""
    tries: int = 0


class Calls:
    """Answers calls of the tools of one agent."""

    def __init__(
        self,
        agent: Agent,
        tools: Mapping[str, GoalTool],
        planner: Planner | str | None,
        options: ProcessOptions,
        how_to_answer: Callable[[Process], str] | None,
        kept: KeptRuns | None,
    ) -> None:
        self._agent = agent
        self._tools = tools
        self._planner = planner
        self._options = options
        self._how_to_answer = how_to_answer
        self._kept = kept
        self._held: OrderedDict[str, _Run] = OrderedDict()

    async def answer(self, context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        """Return what came of a call, or what a person has to be asked first.

        Raises:
            MCPError: There is no such tool.
        """
        try:
            if self._kept is not None and params.name == self._kept.names.listing:
                return self._kept.listing(params.arguments or {})
            if params.request_state is None:
                run = self._begun(params.name, params.arguments or {})
            else:
                run = self._taken_up(params.name, params.request_state)
        except (ValueError, PlanboardError) as error:
            return _failed(f"Not called: {_clean(str(error))}")
        try:
            if params.request_state is not None:
                ended = self._hear_all(run, params.input_responses or {})
                if ended is not None:
                    return ended
            return await self._go_on(context, run)
        except PlanboardError as error:
            return _failed(_clean(str(error)))
        except Exception:  # noqa: BLE001 - it is logged here, and nobody else shall see the inside of this program
            _log.exception("Tool %s of agent %s broke", params.name, self._agent.name)
            run.process.cancel("an internal error")
            return _failed("The call broke by an internal error; the log of the server has it.")
        except BaseException:  # the client has cancelled the call, or is gone
            run.process.cancel("the client cancelled the call")
            raise

    def _begun(self, name: str, given: Mapping[str, Any]) -> _Run:
        """Return the run that a call is about: a new one, or one that was kept.

        Raises:
            MCPError: There is no such tool.
            ValueError: The arguments do not fit.
            PlanboardError: The run cannot be begun, or taken up.
        """
        teller = Teller()
        names = None if self._kept is None else self._kept.names
        if self._kept is not None and names is not None and name == names.resuming:
            return _Run(name, *self._kept.taken_up(given, teller), teller, {})
        if self._kept is not None and names is not None and name == names.answering:
            return _Run(name, *self._kept.answered(given, teller, _BY), teller, {})
        tool = self._tools.get(name)
        if tool is None:
            message = f"There is no tool {name!r}. {suggest(name, self._tools)}"
            raise MCPError(INVALID_PARAMS, message)
        return _Run(name, tool, self._new(tool, given, teller), teller, {})

    def _new(self, tool: GoalTool, arguments: Mapping[str, Any], teller: Teller) -> Process:
        """Return a run with its inputs on the board.

        Raises:
            ValueError: They do not fit.
            PlanboardError: They cannot be put on the board, or kept.
        """
        given = tool.read(arguments)
        options = replace(self._options, listeners=(*self._options.listeners, teller))
        process = self._agent.process(returning=tool.form, planner=self._planner, options=options)
        try:
            for name, value in given.items():
                tool.arguments[name].put_on(process.board, value)
        except PlanboardError as error:
            process.cancel(f"its inputs are refused: {error}")
            raise
        return process

    def _taken_up(self, called: str, run_id: str) -> _Run:
        """Return a run that waits, which nobody else gets then; one that is kept, as it is kept.

        Raises:
            ValueError: It does not wait here any more.
            PlanboardError: It cannot be taken up.
        """
        run = self._held.pop(run_id, None)
        if run is not None and run.called == called:
            return run
        if self._kept is not None:
            teller = Teller()
            return _Run(called, *self._kept.taken_up({"run": run_id}, teller), teller, {})
        message = "what this goes on with does not wait here any more. Call the tool anew."
        raise ValueError(message)

    async def _go_on(self, context: Context, run: _Run) -> CallToolResult | InputRequiredResult:
        """Run until there is a result, or a person has to be asked and cannot be here."""
        modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS

        async def tell(number: float, words: str) -> None:
            await context.session.report_progress(number, message=words)

        while True:
            async with run.teller.telling(tell):
                await run.process.run()
            pending = run.process.pending
            if run.process.status is not ProcessStatus.WAITING:
                return self._result(run)
            forms = {request.id: form_of(request, run.faults.get(request.id, "")) for request in pending}
            if not _can_ask(context):
                return self._nobody_answers(run, "The client cannot ask a person (elicitation).")
            if run.tries > _TRIES:
                faults = "; ".join(run.faults.values())
                return self._nobody_answers(run, f"What was filled in did not fit, {run.tries} times: {faults}")
            asked = {name: form for name, form in forms.items() if form is not None}
            if not asked:
                return self._nobody_answers(run, "What is asked for is secret, which clients must not be asked for.")
            if modern:
                return self._ask_and_hold(run, asked)
            request = next(request for request in pending if request.id in asked)
            ended = await self._ask(context, run, request, asked[request.id])
            if ended is not None:
                return ended

    # Asking

    def _ask_and_hold(self, run: _Run, forms: Mapping[str, Form]) -> InputRequiredResult:
        while len(self._held) >= _HELD:
            _, oldest = self._held.popitem(last=False)
            self._give_up(oldest, "others wait as well, and it has waited longest")
        self._held[run.process.id] = run
        asked = {name: ElicitRequest(params=_params(form)) for name, form in forms.items()}
        return InputRequiredResult(input_requests=dict(asked), request_state=run.process.id)

    async def _ask(self, context: Context, run: _Run, request: Request, form: Form) -> CallToolResult | None:
        """Ask while the call stands; return its result if that is the end of it."""
        import anyio

        until = None
        if request.expires_at is not None:
            until = max(request.expires_at.timestamp() - run.process.options.clock.time(), 0.0)
        with anyio.move_on_after(until):
            try:
                filled = await context.session.elicit_form(form.message, form.schema, context.request_id)
            except (MCPError, ValidationError) as error:
                why = error.message if isinstance(error, MCPError) else "its answer is not of the protocol"
                return self._nobody_answers(run, f"The client could not ask a person: {why}")
            return self._hear(run, request, form, filled)
        return None  # it has expired, which the run takes for a no

    def _hear_all(self, run: _Run, responses: Mapping[str, Any]) -> CallToolResult | None:
        run.faults.clear()
        for request in run.process.pending:
            filled = responses.get(request.id)
            form = form_of(request)
            if form is not None and isinstance(filled, ElicitResult):
                ended = self._hear(run, request, form, filled)
                if ended is not None:
                    return ended
        return None

    def _hear(self, run: _Run, request: Request, form: Form, filled: ElicitResult) -> CallToolResult | None:
        """Take an answer. One that does not fit is noted, so that the person is asked again."""
        if filled.action == "cancel":
            return self._nobody_answers(run, "The person has put the question aside.")
        run.faults.pop(request.id, None)
        try:
            answer = Deny("declined") if filled.action == "decline" else form.read(filled.content)
            run.process.respond(request.id, answer, by=_BY)
        except AlreadyAnsweredError:
            pass  # from elsewhere: what was said first stands, and the run goes on with it
        except (ValueError, InvalidAnswerError) as error:
            run.faults[request.id] = _clean(str(error))
            run.tries += 1
        return None

    def _nobody_answers(self, run: _Run, why: str) -> CallToolResult:
        """Say what a run waits for; it is given up unless it is kept, for nobody could find it again."""
        process = run.process
        asks = [f"- {request.action}: {request.prompt}" for request in process.pending]
        if self._kept is None:
            self._give_up(run, "nobody can answer")
            lines = ["A person has to be asked, and the run has been given up.", why, *asks]
            lines.append("Use a client that supports elicitation, or start the server with a journal (--journal FILE).")
            return _failed("\n".join(lines))
        how = self._how_to_answer(process) if self._how_to_answer is not None else ""
        lines = [f"Not done yet: run {process.id} waits for a person, and is kept.", why, *asks]
        lines += [how, *self._kept.how_to_go_on(process)]
        return _failed("\n".join(filter(None, lines)))

    @staticmethod
    def _give_up(run: _Run, reason: str) -> None:
        if run.process.options.journal is None:
            run.process.cancel(reason)

    # Telling

    def _result(self, run: _Run) -> CallToolResult:
        process, output = run.process, run.tool.output
        if process.status is not ProcessStatus.COMPLETED:
            return _failed(f"{process.status.capitalize()}: {self._reason(process)}")
        value = process.result(run.tool.form)
        try:
            structured = output.structured(value)
        except ValueError as error:
            return _failed(f"It is done, but {error}.\n{without_secrets(readable(value, None))}")
        return CallToolResult(content=[TextContent(text=readable(value, structured))], structured_content=structured)

    def _reason(self, process: Process) -> str:
        """Return why a run ended, without where things are on this machine."""
        text = process.reason or "it has not run to its end"
        agents = [self._agent]
        for agent in agents:
            for action in agent.actions.values():
                text = text.replace(f" ({action.where})", "").replace(f"{action.where}", action.name)
            agents += [child for child in agent.agents.values() if child not in agents]
        return _clean(text)


def _can_ask(context: Context) -> bool:
    """Tell whether the client has people who fill in forms."""
    capabilities = context.session.client_capabilities
    offered = capabilities.elicitation if capabilities is not None else None
    if offered is None or (offered.form is None and offered.url is not None):
        return False
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS or context.session.can_send_request


def _params(form: Form) -> ElicitRequestFormParams:
    return ElicitRequestFormParams(message=form.message, requested_schema=form.schema)


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


def _clean(text: str) -> str:
    return without_secrets("".join(char if char.isprintable() or char in "\n\t" else " " for char in text))
