"""Carries out questions: to the model that decides, and to conditions that have to be waited for."""

from functools import partial
from inspect import isawaitable, iscoroutinefunction

from planboard.llm.port import ModelRequest
from planboard.runtime.outcome import ConditionCall, Failed, ModelCall, Outcome, Succeeded


async def answer_of(call: ModelCall | ConditionCall) -> Outcome:
    """Return what came of a question; it never raises for what the model, the hook or the condition did."""
    try:
        if isinstance(call, ModelCall):
            request = await _prepared(call)
            return Succeeded(await call.model.complete(request, meter=call.meter))
        return Succeeded(await _answered(call))
    except Exception as error:  # noqa: BLE001 - whatever it is becomes a typed outcome
        return Failed(error)


async def _prepared(call: ModelCall) -> ModelRequest:
    if call.before is None:
        return call.request
    changed = call.before(call.request)
    request = await changed if isawaitable(changed) else changed
    if not isinstance(request, ModelRequest):
        message = f"before_model returned {type(request).__name__} instead of a ModelRequest."
        raise TypeError(message)
    return request


async def _answered(call: ConditionCall) -> object:
    predicate = call.condition.predicate
    assert predicate is not None  # noqa: S101 - only a predicate can be waited for
    work = partial(predicate.function, *call.bound.args, **call.bound.kwargs)
    if iscoroutinefunction(predicate.function):
        return await work()
    import anyio.to_thread

    return await anyio.to_thread.run_sync(work)  # it asks a model with the blocking form
