"""What workers do beside the workflows: actions, questions to models, and conditions that have to be waited for.

Each is an activity. What comes of it, errors too, is returned as data; an activity fails only if the worker could not
even begin, so that Temporal may hand it to another one without anything being done twice.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import anyio.to_thread
from temporalio import activity
from temporalio.exceptions import ApplicationError

from planboard.actions.action import Action
from planboard.actions.context import NO_EFFECTS, ChildOrder, Effects
from planboard.blackboard.entry import Entry
from planboard.durable.temporal.home import Home
from planboard.durable.temporal.orders import REPLY, REQUEST
from planboard.durable.temporal.payloads import error_data, fits
from planboard.durable.temporal.planning import answer
from planboard.errors import DefinitionError, EntryTypeError, ExecutionError
from planboard.events.codec import EventCodec
from planboard.llm.port import ModelReply, ModelUsage
from planboard.runtime.asking import answer_of
from planboard.runtime.commit import new_entries
from planboard.runtime.effects_data import effects_data, effects_into, took_data
from planboard.runtime.executor import Executor
from planboard.runtime.options import Budget, ProcessOptions
from planboard.runtime.outcome import (
    ActionCall,
    AskedReplan,
    ConditionCall,
    Failed,
    ModelCall,
    Outcome,
    Succeeded,
)
from planboard.runtime.policies import Approval
from planboard.runtime.process import Process
from planboard.runtime.state import ProcessState

_AT_ONCE = timedelta(milliseconds=1)


class Acting:
    """The activities of a worker."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.all = (self.plan, self.act, self.ask, self.judge)
        """The activities."""

    @activity.defn(name="planboard.plan")
    async def plan(self, number: int) -> dict[str, Any]:
        """Ask a planner."""
        try:
            return await asyncio.to_thread(answer, number)
        except LookupError:
            message = "Nobody waits for this plan any more."
            raise ApplicationError(message, non_retryable=True) from None

    @activity.defn(name="planboard.action")
    async def act(self, order: dict[str, Any]) -> dict[str, Any]:
        """Run an action, once; if it may be tried again Temporal does so."""
        agent = self.home.agent(order["agent"])
        codec = EventCodec(self.home.codec(agent))
        process = self._stand_in(order)
        action = agent.actions[order["action"]]
        entries = _placed(process, order, codec)
        positions = {id(entry.value): place for place, entry in entries.items()}
        call = _bound(process, action, order, entries)
        _take_over(process, call, codec)
        again = order["again"]
        threads = anyio.to_thread.current_default_thread_limiter()
        threads.total_tokens = max(threads.total_tokens, self.home.actions)  # so that none is begun that has to wait
        try:
            async with _beating():
                outcome = await Executor(threads=True).run(call, _never)
        except asyncio.CancelledError:
            if again:
                raise
            return {"kind": "lost"}
        if isinstance(outcome, Failed) and _may_be_tried_again(action, outcome.error):
            retry = action.retry
            assert retry is not None  # noqa: S101 - only declared errors are tried again
            activity.heartbeat(effects_data(_spent(call), codec.values, {}))
            wait = max(timedelta(seconds=retry.wait_before(activity.info().attempt + 1)), _AT_ONCE)
            raise ApplicationError(str(outcome.error), type=type(outcome.error).__name__, next_retry_delay=wait)
        return _result(process, call, outcome, codec, positions)

    @activity.defn(name="planboard.model")
    async def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Ask the model of a planner for its turn."""
        process = self._stand_in(order)
        core = process._core  # noqa: SLF001 - within the package
        request = REQUEST.validate_python(order["request"], strict=False)
        took: list[ModelUsage] = []
        model = core.models.for_decisions(getattr(process.planner, "llm", None))
        before = getattr(process.planner, "before_model", None)
        async with _beating():
            outcome = await answer_of(
                ModelCall(order["call"], model, request, before, core.models.meter(took.append), took)
            )
        return _answered(outcome, took)

    @activity.defn(name="planboard.condition")
    async def judge(self, order: dict[str, Any]) -> dict[str, Any]:
        """Wait for the answer of a condition."""
        agent = self.home.agent(order["agent"])
        codec = EventCodec(self.home.codec(agent))
        process = self._stand_in(order)
        _placed(process, order, codec)
        condition = agent.conditions[order["condition"]]
        predicate = condition.predicate
        bound = None if predicate is None else predicate.bind(process.board)
        if predicate is None or bound is None:
            message = f"Condition {condition.name!r} was asked for, but what it looks at was not sent."
            raise DefinitionError(message)
        predicate.inject(bound, agent.services)
        call = ConditionCall(order["call"], condition, bound, ())
        bound.kwargs.update(process._core.models.for_condition(condition, call.took))  # noqa: SLF001
        async with _beating():
            outcome = await answer_of(call)
        return _answered(outcome, call.took)

    def _stand_in(self, order: Mapping[str, Any]) -> Process:
        """Return a process that stands for the one in the workflow: the same agent, and what is left of its budget."""
        agent = self.home.agent(order["agent"])
        compilation, bits = agent._compiled(agent.goals)  # noqa: SLF001 - within the package
        planner = self.home.planner(order["planner"], agent)
        policies = tuple(Approval(item["match"], item["prompt"], item["expires"]) for item in order["approvals"])
        options = ProcessOptions(budget=Budget(**order["budget"]), identities=order["identities"], approvals=policies)
        state = partial(ProcessState, compilation, bits, services=agent.services)
        process = Process(agent, order["run"], state, compilation.plan_goals, planner, options)
        process._core.run_child = _refuse_children  # noqa: SLF001
        process._core.models.inherited = self.home.models.get(agent.name)  # noqa: SLF001
        return process


def _placed(process: Process, order: Mapping[str, Any], codec: EventCodec) -> dict[int, Entry]:
    """Put what was sent on the board, and return it by the positions that it has in the workflow."""
    entries: dict[int, Entry] = {}
    for stored in order["entries"]:
        entry = codec._entry(stored)  # noqa: SLF001 - as the codec of events reads it
        entries[entry.position] = replace(entry, position=process.board.next_position)
        process.board.append(entries[entry.position])
    return entries


def _bound(process: Process, action: Action, order: Mapping[str, Any], entries: Mapping[int, Entry]) -> ActionCall:
    """Return the call with the very arguments that it has in the workflow."""
    given = {
        parameter: tuple(entries[place] for place in places) if isinstance(places, list)
        else None if places is None else entries[places]
        for parameter, places in order["given"].items()
    }  # fmt: skip
    bound = action.body.bind(process.board, given)
    if bound is None:
        message = f"Action {action.name!r} of agent {process.agent.name!r} needs more here than in the workflow."
        raise DefinitionError(message)
    core = process._core  # noqa: SLF001 - within the package
    call = core.start.call(order["call"], action, bound, order["cost"], order["value"], None)
    tried = activity.info().attempt
    if call.context is not None:
        call.context.attempt = tried
    call.attempt = max(tried, action.retry.attempts if action.retry is not None else 1)  # no other attempt in here
    return call


def _spent(call: ActionCall) -> Effects:
    """Return what an attempt has spent, whatever came of it."""
    effects = call.effects
    return Effects(usage=effects.usage, charged=effects.charged, model_calls=effects.model_calls)


def _take_over(process: Process, call: ActionCall, codec: EventCodec) -> None:
    """Charge what earlier attempts have spent; they have left it with their last sign of life."""
    details = activity.info().heartbeat_details
    if details and call.effects is not NO_EFFECTS:
        effects_into(call.effects, details[0], codec.values, ())
        process._core.ledger.charge(call.effects.charged)  # noqa: SLF001 - within the package


def _may_be_tried_again(action: Action, error: Exception) -> bool:
    retry = action.retry
    if retry is None or activity.info().attempt >= retry.attempts:
        return False
    cause = error.__cause__ if isinstance(error, ExecutionError) and error.__cause__ is not None else error
    return isinstance(cause, Exception) and retry.covers(cause)


def _result(
    process: Process, call: ActionCall, outcome: Outcome, codec: EventCodec, positions: Mapping[int, int]
) -> dict[str, Any]:
    """Return what came of an action as data. Whatever goes wrong here is told, for the action has been run."""
    action = call.action
    try:
        data = _outcome(process, call, outcome, codec)
        data["effects"] = effects_data(call.effects, codec.values, positions)
        return fits(data, f"What action {action.name!r} did")
    except Exception as error:  # noqa: BLE001 - see above
        known = error if isinstance(error, ExecutionError | EntryTypeError) else None
        wrong = known or ExecutionError(action.name, f"What action {action.name!r} did cannot be told: {error}")
        return {"kind": "failed", "error": error_data(wrong)}


def _outcome(process: Process, call: ActionCall, outcome: Outcome, codec: EventCodec) -> dict[str, Any]:
    read = call.context.entries_read if call.context is not None else ()
    match outcome:
        case Succeeded(value):
            try:
                process.board.verify((*call.bound.entries, *read), action=call.action.name)
                for entry in new_entries(call.action, value, call.effects, 0):
                    codec.check(entry)
            except Exception as error:  # noqa: BLE001 - the value's own code may raise
                return {"kind": "failed", "error": error_data(error)}
            return {"kind": "done", "value": codec.values.encode(value)}
        case AskedReplan(signal):
            bindings = {name: codec.values.encode(value) for name, value in signal.bindings.items()}
            return {"kind": "replan", "reason": signal.reason, "bindings": bindings}
        case Failed(error):
            return {"kind": "failed", "error": error_data(error, call.bound.entries)}


def _answered(outcome: Outcome, took: Sequence[ModelUsage]) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": "done"}
    match outcome:
        case Succeeded(ModelReply() as reply):
            data["reply"] = REPLY.dump_python(reply, mode="json")
        case Succeeded(bool() as truth):
            data["value"] = truth
        case Failed(error):
            data = {"kind": "failed", "error": error_data(error)}
        case other:
            wrong = other.value if isinstance(other, Succeeded) else other
            data = {"kind": "failed", "error": error_data(TypeError(f"{type(wrong).__name__} is no answer"))}
    data["took"] = took_data(took)
    try:
        return fits(data, "The answer of a model")
    except EntryTypeError as error:
        return {"kind": "failed", "error": error_data(error), "took": data["took"]}


async def _refuse_children(order: ChildOrder) -> Any:
    message = (
        "On Temporal an action cannot run another agent by itself, for that run has to outlive this machine. "
        f"Make it a step: subagent({order.agent.name}, returning=...)."
    )
    raise DefinitionError(message)


def _never(call: ActionCall, attempt: int, error: Exception, wait: float) -> None:
    """Take no note: Temporal tries again, not the executor."""


@asynccontextmanager
async def _beating() -> AsyncIterator[None]:
    """Let Temporal know that this worker lives."""
    lost_after = activity.info().heartbeat_timeout
    if lost_after is None:
        yield
        return

    async def beat() -> None:
        while True:
            activity.heartbeat(*activity.info().heartbeat_details)
            await asyncio.sleep(lost_after.total_seconds() / 3)

    task = asyncio.get_running_loop().create_task(beat())
    try:
        yield
    finally:
        task.cancel()
