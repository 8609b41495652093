"""What a workflow tells the worker that carries out a call, and what it makes of the result."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from planboard.actions.action import Action, Call
from planboard.actions.context import NO_EFFECTS
from planboard.durable.temporal.payloads import error_from, fits
from planboard.errors import Replan
from planboard.events.codec import EventCodec
from planboard.llm.port import ModelReply, ModelRequest, ModelUsage, ToolCall
from planboard.runtime.effects_data import effects_into, took_from
from planboard.runtime.outcome import (
    ActionCall,
    AskedReplan,
    Command,
    ConditionCall,
    Failed,
    ModelCall,
    Outcome,
    Succeeded,
)
from planboard.runtime.process import Process

REQUEST = TypeAdapter(ModelRequest)
REPLY = TypeAdapter(ModelReply)


def order_for(call: Command, process: Process, codec: EventCodec) -> dict[str, Any]:
    """Return what a worker has to know to carry out a call.

    Raises:
        EntryTypeError: It cannot be written, or is too large.
    """
    if isinstance(call, ModelCall):
        request = {"request": REQUEST.dump_python(call.request, mode="json"), "call": call.number}
        return fits(request, "What the model is asked")
    entries = {entry.position: entry for entry in call.bound.entries}
    if isinstance(call, ConditionCall):
        stored = [codec._stored(entries[place]) for place in sorted(entries)]  # noqa: SLF001
        judged = {"condition": call.condition.name, "call": call.number, "entries": stored}
        return fits(judged, f"What condition {call.condition.name!r} looks at")
    action = call.action
    if action.body.may_ask:  # it may look at all that is on the board
        entries |= {entry.position: entry for entry in process.board.visible}
    stored = [codec._stored(entries[place]) for place in sorted(entries)]  # noqa: SLF001
    data = {
        "action": action.name,
        "call": call.number,
        "cost": call.cost,
        "value": call.value,
        "entries": stored,
        "given": _given(action, call.bound),
        "again": action.idempotent or action.read_only,
    }
    return fits(data, f"What action {action.name!r} is given")


def outcome_of(call: Command, data: Mapping[str, Any], codec: EventCodec, process: Process) -> Outcome:
    """Return what came of a call elsewhere, and note what it took."""
    if not isinstance(call, ActionCall):
        call.took.extend(took_from(data["took"]))
        for usage in call.took:
            process._core.ledger.charge(usage.as_usage())  # noqa: SLF001 - within the package
    elif "effects" in data and call.effects is not NO_EFFECTS:
        effects_into(call.effects, data["effects"], codec.values, process.board.entries)
        process._core.ledger.charge(call.effects.charged)  # noqa: SLF001
    if data["kind"] == "failed":
        return Failed(error_from(data["error"]))
    if data["kind"] == "replan":
        bindings = {name: codec.values.decode(value) for name, value in data["bindings"].items()}
        return AskedReplan(Replan(data["reason"], **bindings))
    if isinstance(call, ModelCall):
        reply = dict(data["reply"])
        calls = tuple(ToolCall(**called) for called in reply.pop("calls"))
        return Succeeded(ModelReply(**{**reply, "calls": calls, "usage": ModelUsage(*reply["usage"])}))
    return Succeeded(codec.values.decode(data["value"]))


def _given(action: Action, bound: Call) -> dict[str, Any]:
    """Return the positions of a call's arguments by parameter: several for one that collects."""
    entries = iter(bound.entries)
    args = iter(bound.args)
    given: dict[str, Any] = {}
    for item in action.body.inputs:
        if not item.positional_only and item.parameter not in bound.kwargs:
            given[item.parameter] = None
            continue
        value = next(args) if item.positional_only else bound.kwargs[item.parameter]
        if item.collects:
            given[item.parameter] = [next(entries).position for _ in value or ()]
        else:
            given[item.parameter] = None if value is None else next(entries).position
    return given
