"""Where a run meets people and time: what it asks them, what they decide, and what has to wait until a moment."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from planboard._text import suggest, without_secrets
from planboard.actions.action import Action, Call
from planboard.actions.context import NO_EFFECTS, Usage
from planboard.actions.waiting import AskPerson, Consent, Denied, Expired, Slept, moment_of
from planboard.blackboard.entry import PERSON, Entry
from planboard.blackboard.schema import describe_error
from planboard.errors import (
    ActionError,
    AlreadyAnsweredError,
    BlackboardError,
    ExecutionError,
    InvalidAnswerError,
    PlanningError,
    UnknownRequestError,
)
from planboard.events import (
    ActionFailed,
    ActionSucceeded,
    ProcessResumed,
    ProcessStatus,
    RequestAnswered,
    RequestMade,
    RequestWithdrawn,
    SleepStarted,
)
from planboard.planners.supervisor.outlook import SUPERVISOR
from planboard.planners.world import binding_of
from planboard.runtime.commit import new_entries, positions_hidden
from planboard.runtime.fitting import schema_for, schema_of_decision, shown_to_people
from planboard.runtime.given import as_entries, changed, for_outputs, forms_of
from planboard.runtime.hushing import hushed
from planboard.runtime.open_calls import OpenCall
from planboard.runtime.policies import Approval
from planboard.runtime.requests import Answer, Approve, Decision, Deny, Edit, Finished, Request, read_decision

if TYPE_CHECKING:
    from datetime import datetime

    from planboard.runtime.core import ProcessCore

_HOPELESS = 100
"""After so many calls in a row that policies refuse the run is ended: what is refused may be a reason to plan anew."""


class People:
    """Asks and listens, for one process."""

    __slots__ = ("_core", "_policies", "has_policies", "refused", "settled")

    def __init__(self, core: "ProcessCore", policies: tuple[Approval, ...]) -> None:
        self._core = core
        self._policies = policies
        self.has_policies: bool = bool(policies) or (core.parent is not None and core.parent.people.has_policies)
        """Whether policies of this process, or of one above it, have a say."""
        self.refused = 0
        """How many calls in a row policies have refused."""
        self.settled = 0
        """How many calls were decided about, or came to nothing before they had begun."""

    # Asking

    def waits(self, number: int, action: Action, bound: Call, tool_call: str | None) -> bool:
        """Begin what the process does itself, or ask for consent; tell whether the action must not run now."""
        if action.wait is not None:
            self._begin(number, action, bound, tool_call)
            return True
        found = self._objection(action, bound)
        self.refused = self.refused + 1 if found is not None and isinstance(found[0], Deny) else 0
        if found is None:
            return False
        prompt, expires = found
        arguments = _arguments(bound)
        inputs = binding_of(bound)
        if isinstance(prompt, Deny):
            self._core.record(
                RequestMade, call=number, action=action.name, inputs=inputs, purpose="approval",
                prompt="A policy forbids it.", schema={}, arguments=shown_to_people(arguments), tool_call=tool_call,
            )  # fmt: skip
            if number in self._core.state.open:  # unless somebody who heard of it was quicker
                self._deny(self._core.state.open[number], prompt.reason or "a policy forbids it")
            return True
        self._core.record(
            RequestMade,
            call=number,
            action=action.name,
            inputs=inputs,
            purpose="approval",
            prompt=hushed(prompt, bound.entries),
            schema=schema_of_decision(("approve", "edit", "deny"), forms_of(action)),
            arguments=shown_to_people(arguments),
            expires_at=None if expires is None else self._core.now + expires,
            tool_call=tool_call,
        )
        return True

    def why_hopeless(self) -> str | None:
        """Say why it is no use to go on: policies refuse whatever is planned; `None` if it may be of use."""
        if self.refused < _HOPELESS:
            return None
        self.refused = 0
        return f"policy: {_HOPELESS} calls in a row were refused by policies"

    def doubt(self, call: OpenCall, action: Action) -> None:
        """Ask what became of an action that was running when the program ended."""
        shown: dict[str, Any] = {}
        with suppress(PlanningError):  # the agent has changed, and that was allowed: nothing can be shown
            shown = shown_to_people(_arguments(self._core.held.bound(call, action)))
        self._core.record(
            RequestMade,
            call=call.number,
            action=call.action,
            inputs=call.inputs,
            purpose="in_doubt",
            prompt=(
                f"The program ended while {call.action!r} was running, and nobody knows how far it got. "
                "Approve to run it again, deny to go on without it, or give what it returned if it has finished."
            ),
            schema=schema_of_decision(("approve", "edit", "deny", "finished"), forms_of(action)),
            arguments=shown,
            tool_call=call.tool_call,
            nth=1 if call.request is None else call.request.nth + 1,
        )

    def _objection(self, action: Action, bound: Call) -> tuple[str | Deny, float | None] | None:
        """Return the question that has to be asked before an action runs, or the refusal; the strictest holds."""
        question: tuple[str, float | None] | None = None
        default = f"May {action.name!r} run?"
        arguments = _arguments(bound)
        if action.approval:
            question = _asked(action, default, arguments)
        asked_below = any(list(agent.actions) == [action.name] for agent in action.agents)  # with its own arguments
        for policy in () if asked_below else self._in_force():
            opinion = policy.opinion(action.name, arguments)
            if isinstance(opinion, Deny):
                return opinion, None
            if opinion is True or isinstance(opinion, str):
                asked = (default if opinion is True else opinion, policy.seconds)
                question = asked if question is None or question == (default, None) else question
        return question

    def objection_to_tool(self, tool: str, arguments: Mapping[str, Any]) -> str | None:
        """Say why a function must not be called as a tool: nobody can be asked in the middle of a conversation."""
        for policy in self._in_force() if self.has_policies else ():
            opinion = policy.opinion(tool, arguments)
            if isinstance(opinion, Deny):
                return f"a policy forbids it{f': {opinion.reason}' if opinion.reason else ''}."
            if opinion is True or isinstance(opinion, str):
                return (
                    "a person has to agree first, and cannot be asked here. The developer can make it an agent, "
                    "Agent(name, [action]).as_tool(): then the run waits for the answer."
                )
        return None

    def _in_force(self) -> Iterator[Approval]:
        core: ProcessCore | None = self._core
        while core is not None:
            yield from core.people._policies  # noqa: SLF001 - its own class
            core = core.parent

    def _begin(self, number: int, action: Action, bound: Call, tool_call: str | None) -> None:
        """Ask a person, or begin to sleep; the function of the action says the words, or how long."""
        core, inputs = self._core, binding_of(bound)
        action.body.inject(bound, core.state.world.services)
        try:
            said = action.body.function(*bound.args, **bound.kwargs)
            if isinstance(action.wait, AskPerson):
                expires = action.wait.expires
                core.record(
                    RequestMade,
                    call=number,
                    action=action.name,
                    inputs=inputs,
                    purpose="answer",
                    prompt=hushed(_words(said), bound.entries),
                    schema=schema_for(action.wait.form),
                    expires_at=None if expires is None else core.now + expires.total_seconds(),
                    tool_call=tool_call,
                )
                return
            until = moment_of(said, core.now)
            core.record(SleepStarted, call=number, action=action.name, inputs=inputs, until=until, tool_call=tool_call)
        except BlackboardError:
            raise
        except Exception as error:  # noqa: BLE001 - the words are the user's code; its failure is the action's
            message = f"Action {action.name!r} raised {describe_error(error)} ({action.where})"
            wrapped = ActionError(action.name, message)
            wrapped.__cause__ = error
            core.errors[action.name] = wrapped
            self.settled += 1
            core.record(ActionFailed, call=number, action=action.name, error=describe_error(error))

    # Listening

    def pending(self) -> tuple[Request, ...]:
        """Return what waits for an answer in this process, in the order it was asked."""
        known = self._core.state.world.compilation.catalogue.actions
        calls = sorted(self._core.state.open.values(), key=lambda call: call.number)
        asked = [call for call in calls if call.phase == "asked" and call.action in known]
        if any(call.until is not None for call in asked):
            now = self._core.clock()
            asked = [call for call in asked if call.until is None or call.until > now]
        return tuple(Request.of(call.request) for call in asked if call.request is not None)

    def find(self, request_id: str, *, in_time: bool = False) -> OpenCall:
        """Return the call that a request is about.

        Args:
            request_id: Which request.
            in_time: It is known that the answer came in time.

        Raises:
            AlreadyAnsweredError: It was answered before.
            UnknownRequestError: There is no such request.
        """
        core = self._core
        for call in tuple(core.state.open.values()):  # they may change while another thread runs the process
            known = call.action in core.state.world.compilation.catalogue.actions
            if call.request is not None and call.request.id == request_id and call.phase == "asked" and known:
                if not in_time and call.until is not None and call.until <= core.clock():
                    message = f"Request {request_id!r} has expired, so it cannot be answered any more."
                    raise UnknownRequestError(request_id, message)
                return call
        if request_id in core.state.answered:
            message = f"Request {request_id!r} was answered already: {core.state.answered[request_id]}."
            raise AlreadyAnsweredError(request_id, message)
        pending = [request.id for request in self.pending()]
        message = f"No request {request_id!r} is pending. {suggest(request_id, pending)}"
        raise UnknownRequestError(request_id, message)

    def read(self, call: OpenCall, given: Any) -> Decision:
        """Return what an answer means, with objects of the types that were asked for; nothing is changed yet.

        Raises:
            InvalidAnswerError: It does not fit; the message names the field.
        """
        request = call.request
        assert request is not None  # noqa: S101 - only calls that were asked about are found
        decision = read_decision(request.id, request.purpose, given)
        action = self._action(call)
        try:
            if isinstance(decision, Answer) and isinstance(action.wait, AskPerson):
                return Answer(for_outputs(action, decision.value, action.wait.form))
            if isinstance(decision, Finished):
                return Finished(for_outputs(action, decision.value, action.only_output))
            if isinstance(decision, Edit):
                return Edit(**changed(action, decision.arguments))
        except (ValueError, ExecutionError) as error:
            message = f"That does not answer {request.id!r}: {error}"
            raise InvalidAnswerError(request.id, message) from error
        return decision

    def decide(self, call: OpenCall, decision: Decision, by: str = "") -> None:
        """Record what was decided, by whom, and what follows from it."""
        self._core.plan = None  # it was made before this was known
        self.settled += 1
        match decision:
            case Answer(value):
                self._record(call, "answered", by=by)
                self._finish(call, value)
            case Finished(value):
                self._record(call, "finished", by=by)
                self._finish(call, value)
            case Approve():
                self._record(call, "approved", by=by)
            case Edit():
                action, position = self._action(call), self._core.state.board.next_position
                entries, arguments = as_entries(action, decision.arguments, PERSON, position)
                self._record(call, "edited", by=by, entries=entries, arguments=arguments)
            case Deny(reason):
                self._deny(call, reason, by=by)

    def look_at_the_clock(self) -> None:
        """Let what is due happen: requests expire, sleeps end."""
        core = self._core
        due = [call for call in core.state.open.values() if call.until is not None and call.until <= core.now]
        for call in sorted(due, key=lambda call: (call.until, call.number)):
            core.plan = None
            if call.number not in core.state.open:
                continue  # somebody who heard of another one has ended the run
            if call.phase == "asked":
                if call.request is None or core.around.may_expire(call.request.id):
                    self._deny(call, "nobody answered in time", expired=True)
            elif call.phase == "asleep":
                if core.state.status is ProcessStatus.WAITING:
                    core.record(ProcessResumed)
                self._wake(call)

    def withdraw(self) -> None:
        """Take back all requests and sleeps, for the run has ended for good."""
        for call in sorted(self._core.state.open.values(), key=lambda call: call.number):
            self.take_back(call)
            self._core.around.let_go(call.number)

    def take_back(self, call: OpenCall) -> None:
        """Record that nothing will come of a call."""
        self._core.record(RequestWithdrawn, call=call.number, action=call.action, usage=self._core.held.spent_on(call))

    # What follows

    def _record(self, call: OpenCall, verdict: str, **more: Any) -> None:
        self._core.record(RequestAnswered, call=call.number, action=call.action, verdict=verdict, **more)

    def _finish(self, call: OpenCall, value: object) -> None:
        """Record that an action has its result without having been run here."""
        core, action = self._core, self._action(call)
        if call.number not in core.state.open:
            return  # somebody who heard that it was decided has ended the run
        position = core.state.board.next_position
        producer = action.name
        outputs = new_entries(action, value, NO_EFFECTS, position)
        inputs = call.given or call.inputs
        hidden = positions_hidden(action, core.held.entries_of(call), NO_EFFECTS, core.state.board, outputs)
        operator = core.start.operator_of(producer)
        cost, worth = core.start.price(operator)
        usage = core.held.spent_on(call)
        if not call.started:
            usage = Usage(1, cost)
            core.ledger.charge(usage)
        core.record(
            ActionSucceeded, call=call.number, action=producer, inputs=inputs, outputs=outputs, hidden=hidden,
            cost=cost, value=worth, usage=usage,
        )  # fmt: skip
        core.around.let_go(call.number)

    def _wake(self, call: OpenCall) -> None:
        assert call.until is not None  # noqa: S101 - it sleeps
        self._finish(call, Slept(step=call.action, until=_moment(call.until)))

    def _deny(self, call: OpenCall, reason: str, *, by: str = "", expired: bool = False) -> None:
        board = self._core.state.board
        cls = Expired if expired else Denied
        request = call.request
        assert request is not None  # noqa: S101 - it was asked about
        reason = without_secrets(reason)
        value = cls(action=call.action, reason=reason, request_id=request.id)
        built = [place for place in call.inputs if board.entries[place].producer == SUPERVISOR]
        self.settled += 1
        self._record(
            call,
            "expired" if expired else "denied",
            entries=(Entry(board.next_position, value, None, None, PERSON),),
            hidden=tuple(built) if call.tool_call is not None else (),
            reason=reason,
            by=by,
            usage=self._core.held.spent_on(call),
        )
        self._core.around.let_go(call.number)

    def _action(self, call: OpenCall) -> Action:
        return self._core.state.world.compilation.catalogue.actions[call.action]


def _arguments(bound: Call) -> dict[str, Any]:
    named = dict(bound.kwargs)
    if bound.args:
        named["self"] = bound.args[0]
    return named


def _asked(action: Action, default: str, arguments: dict[str, Any]) -> tuple[str, float | None]:
    """Return the question that an action's own wish for consent comes to, and for how many seconds it stands."""
    approval = action.approval
    if not isinstance(approval, Consent):
        return default, None
    try:
        question = approval.question.format(**arguments)
    except (KeyError, IndexError, AttributeError, ValueError):
        question = approval.question  # braces that mean nothing are words too
    return question, None if approval.expires is None else approval.expires.total_seconds()


def _words(said: object) -> str:
    if not isinstance(said, str):
        message = f"the prompt is {type(said).__name__}, not a text"
        raise TypeError(message)
    return said


def _moment(seconds: float) -> "datetime":
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC)
