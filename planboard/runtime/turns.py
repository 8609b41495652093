"""Turns of a model that chooses: it is asked, and its calls are carried out, each with exactly one result."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planboard.actions.action import Given
from planboard.blackboard.entry import Entry
from planboard.blackboard.integrity import watch
from planboard.blackboard.schema import describe_error
from planboard.errors import BudgetExceededError, ModelUnavailableError
from planboard.events import (
    ArgumentsBuilt,
    CallRefused,
    DecisionFailed,
    DecisionMade,
    ModelAsked,
    ModelCalled,
    ProcessStatus,
)
from planboard.llm.port import ModelReply, ModelUsage, ToolCall, size_of
from planboard.planners.ask import Ask, AskingPlanner, Chosen, Exposed, Refused
from planboard.planners.conversation import Exchange
from planboard.planners.operator import Operator
from planboard.planners.plan import spelled
from planboard.planners.problem import Problem
from planboard.planners.supervisor.calls import same_call
from planboard.planners.supervisor.outlook import SUPERVISOR, is_plain
from planboard.planners.world import _Unsettled
from planboard.runtime.batch import Look
from planboard.runtime.expectations import truth_of
from planboard.runtime.outcome import ActionCall, Failed, ModelCall, Outcome, Succeeded

if TYPE_CHECKING:
    from planboard.runtime.core import ProcessCore


class Turns:
    """Asks the model of one process, and carries out what it decides."""

    __slots__ = ("_core", "_planner")

    def __init__(self, core: "ProcessCore", planner: AskingPlanner) -> None:
        self._core = core
        self._planner = planner

    # Asking

    def ask(self, ask: Ask, now: float) -> ModelCall | None:
        """Record that the model is asked and return the command; end the process if a limit forbids it."""
        core = self._core
        if ask.over is not None:
            core.end(ProcessStatus.TERMINATED, f"{self._planner.name}: {ask.over}")
            return None
        objection = core.ledger.objection(0.0, now) or core.ledger.objection_to_models(now)
        if objection is not None:
            core.end(ProcessStatus.TERMINATED, f"budget: {objection}")
            return None
        model = core.models.for_decisions(self._planner.llm)
        core.record(
            ModelAsked,
            decision=ask.decision,
            model=model.name,
            goal=ask.goal.name,
            tools=tuple(ask.offers),
            prompt=ask.prompt,
            characters=size_of(ask.request),
            seen=ask.seen,
        )
        took: list[ModelUsage] = []
        meter = core.models.meter(took.append)
        return ModelCall(ask.decision, model, ask.request, self._planner.before_model, meter, took)

    def take(self, call: ModelCall, outcome: Outcome) -> None:
        """Record what the model has decided, or end the process if it has not."""
        core = self._core
        self._record_usage(call)
        if isinstance(outcome, Succeeded) and isinstance(outcome.value, ModelReply):
            reply = outcome.value
            text = reply.text or (f"declined: {reply.refusal}" if reply.refusal else "")
            core.record(DecisionMade, decision=call.number, calls=_numbered(call.number, reply.calls), text=text)
            core.plan = None
            return
        error = outcome.error if isinstance(outcome, Failed) else TypeError(f"{outcome!r} is no reply of a model")
        core.record(DecisionFailed, decision=call.number, error=describe_error(error))
        if isinstance(error, BudgetExceededError):
            core.end(ProcessStatus.TERMINATED, f"budget: {core.ledger.exhaustion()}")
        elif isinstance(error, ModelUnavailableError):
            core.failure = error
            core.end(ProcessStatus.TERMINATED, f"{describe_error(error)} Run the process again to go on.")
        else:
            core.fail(error, f"the model {call.model.name!r} could not decide: {describe_error(error)}")

    def stopped(self, call: ModelCall) -> None:
        """Record that a question was given up."""
        self._record_usage(call)
        self._core.record(DecisionFailed, decision=call.number, error="Cancelled: it was not waited for")

    def _record_usage(self, call: ModelCall) -> None:
        for usage in call.took:
            self._core.record(ModelCalled, **usage._asdict(), decision=call.number)

    def take_up(self) -> None:
        """Give up a question that was asked by a program which has ended: it is asked again."""
        talk = self._core.state.world.conversation
        if talk is not None and talk.turns and not talk.turns[-1].answered:
            decision = talk.turns[-1].decision
            self._core.record(DecisionFailed, decision=decision, error="Interrupted: the program ended meanwhile")

    # Carrying out

    def next_calls(self, now: float) -> Sequence[ActionCall]:
        """Return the calls of the last turn that can be carried out now and at once, in their order.

        A call that depends on an earlier one of its turn waits for that one's result, and is then looked at anew.
        Once a goal is met nothing more is started.
        """
        core = self._core
        talk = core.state.world.conversation
        waiting = talk.open if talk is not None else []
        started: list[ActionCall] = []
        for exchange in waiting:
            problem = core.state.world.problem(core.goals)
            try:
                objection = self._objection(exchange, problem, first=not started)
                if objection is not None:
                    self._refuse(exchange, objection)
                    continue
                chosen = self._planner.read(exchange.call, problem)
                if isinstance(chosen, Refused) and chosen.may_change and (started or core.state.open):
                    break  # models call what will be possible once the calls before it are done
                if isinstance(chosen, Refused):
                    self._refuse(exchange, chosen.reason)
                    continue
                if not self._may_run_beside(chosen.operator, started):
                    break
                call = self._start(exchange, chosen, now, first=not started)
            except _Unsettled:
                if not started:
                    raise
                break  # the condition is asked for once what was started is done
            if core.state.status is not ProcessStatus.RUNNING:
                return ()
            if call is None and exchange.fate == "open":
                break
            if call is not None:
                started.append(call)
        return started

    def _may_run_beside(self, operator: Operator, started: Sequence[ActionCall]) -> bool:
        look = Look(self._core.state.world)
        operators = self._core.state.world.domain.operators
        mine = [other for other in operators if other.name == operator.name]
        names = [call.action.name for call in started] + [call.action for call in self._core.state.open.values()]
        theirs = [other for name in dict.fromkeys(names) for other in operators if other.name == name]
        return all(look.are_independent(one, other) for one in mine for other in theirs)

    def _objection(self, exchange: Exchange, problem: Problem, *, first: bool) -> str | None:
        """Say why a call is not started whatever it means; `None` if it may be."""
        if first and self._planner.is_reached(problem):
            return "not started, for the goal is reached."
        turn = self._core.state.conversation.turns[-1]
        if self._planner.calls_per_turn <= turn.exchanges.index(exchange):
            return f"not started: at most {self._planner.calls_per_turn} calls in one turn."
        return self._denied_before(exchange)

    def _denied_before(self, exchange: Exchange) -> str | None:
        """Return what came of the very same call when a person did not agree to it."""
        talk = self._core.state.conversation
        earlier = (other for turn in talk.turns for other in turn.exchanges if other.fate == "denied")
        same = next((other for other in earlier if same_call(other.call) == same_call(exchange.call)), None)
        return None if same is None else f"{same.result}. Do something else."

    def _start(self, exchange: Exchange, chosen: Chosen, now: float, *, first: bool) -> ActionCall | None:
        """Start the action of a call; `None` if it was refused, or if a budget forbids it."""
        core = self._core
        action = core.state.world.compilation.catalogue.actions[chosen.operator.name]
        cost, value = core.start.price(chosen.operator)
        objection = core.ledger.objection(cost, now, may_ask=action.body.may_ask)
        if objection is not None:
            if first:
                core.end(ProcessStatus.TERMINATED, f"budget: {objection}")
            return None
        given, entries = self._entries(chosen)
        if entries:
            core.record(ArgumentsBuilt, tool_call=exchange.call.id, action=action.name, entries=entries)
            wrong = self._unmet(chosen.operator)
            if wrong:
                self._refuse(exchange, f"refused: {', '.join(wrong)} does not hold with these arguments.")
                return None
        return core.start.action(action, cost, value, given=given, tool_call=exchange.call.id)

    def _entries(self, chosen: Chosen) -> tuple[Given, tuple[Entry, ...]]:
        """Return what was built as entries, by parameter and in order."""
        position = self._core.state.board.next_position
        given: dict[str, Entry | tuple[Entry, ...] | None] = {}
        entries: list[Entry] = []
        for item, built in chosen.built:
            if built is None:
                given[item.parameter] = None
                continue
            new = [
                Entry(position + len(entries) + index, value, _declared(item, value), _name(item), SUPERVISOR,
                      watch=watch(value))
                for index, value in enumerate(built if item.collects else [built])
            ]  # fmt: skip
            entries += new
            given[item.parameter] = tuple(new) if item.collects else new[0]
        return given, tuple(entries)

    def _unmet(self, operator: Operator) -> list[str]:
        """Return the conditions that do not hold, now that what they look at is there."""
        world = self._core.state.world
        conditions = world.compilation.catalogue.conditions
        return [
            spelled(name, wanted)
            for name, wanted in operator.pre.items()
            if name in conditions and truth_of(world, name) is not wanted
        ]

    def _refuse(self, exchange: Exchange, reason: str) -> None:
        """Record that a call is not carried out; what was built for it is of no use to anybody."""
        hidden = exchange.entries
        self._core.record(
            CallRefused, tool_call=exchange.call.id, tool=exchange.call.name, reason=reason, hidden=hidden
        )


def _declared(item: Exposed, value: Any) -> Any:
    return None if type(value) is item.form else item.form


def _name(item: Exposed) -> str | None:
    """Return the binding of what was built; a plain value goes by what it was built for."""
    return item.name or (item.parameter if is_plain(item.form) else None)


def _numbered(decision: int, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Give calls ids of their own: those of servers may be missing, or the same twice."""
    return tuple(replace(call, id=f"call_{decision}_{index}") for index, call in enumerate(calls, 1))
