"""Carries out one call: asynchronous or not, within its timeout, again after transient errors.

Whatever an action raises becomes a typed outcome; only cancellation and exits of the interpreter pass through.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import get_ident
from typing import cast

from planboard.actions.context import Effects
from planboard.actions.declarations import Retry
from planboard.blackboard.schema import describe_error
from planboard.errors import ActionError, ActionTimeoutError, ProcessWaitingError, Replan
from planboard.runtime.asking import answer_of
from planboard.runtime.hushing import hushed
from planboard.runtime.outcome import ActionCall, AskedReplan, Command, Failed, NoteRetry, Outcome, Succeeded, leaves


class Executor:
    """Runs calls, one implementation for every planner and driver.

    Args:
        threads: Run plain functions in worker threads, so that they do not block the event loop of others.
    """

    __slots__ = ("_threads", "thread")

    def __init__(self, *, threads: bool) -> None:
        self._threads = threads
        self.thread = get_ident()
        """The thread in which the process is run."""

    async def run(self, call: Command, note_retry: NoteRetry) -> Outcome:
        """Return what came of a call; it never raises for what the action, the model or the condition did."""
        if not isinstance(call, ActionCall):
            return await answer_of(call)
        try:
            if call.action.retry is not None:
                return Succeeded(await self._with_retries(call, call.action.retry, note_retry))
            if call.action.timeout is not None:
                return Succeeded(await self._once(call))
            function, bound = call.action.body.function, call.bound
            if call.action.is_async:  # the common cases without a coroutine of their own: thousands may be waiting
                return Succeeded(await function(*bound.args, **bound.kwargs))
            if not self._threads:
                return Succeeded(function(*bound.args, **bound.kwargs))
            return Succeeded(await self._invoke(call))
        except Replan as signal:
            return AskedReplan(signal)
        except ActionTimeoutError as error:
            return Failed(error)
        except Exception as error:  # noqa: BLE001 - whatever it is becomes a typed outcome
            return Failed(_wrapped(call, error))

    async def _once(self, call: ActionCall) -> object:
        timeout = call.action.timeout
        if timeout is None:
            return await self._invoke(call)
        import anyio

        with anyio.move_on_after(timeout) as scope:
            return await self._invoke(call)
        if scope.cancelled_caught:
            message = f"Action {call.action.name!r} took longer than its timeout of {timeout:g} s."
            raise ActionTimeoutError(call.action.name, message)
        return None  # pragma: no cover - the scope either returned or was cancelled

    async def _invoke(self, call: ActionCall) -> object:
        function, bound = call.action.body.function, call.bound
        if call.action.is_async:
            return cast("object", await function(*bound.args, **bound.kwargs))
        work = partial(function, *bound.args, **bound.kwargs)
        if call.action.timeout is not None:
            return await _in_a_thread_that_may_be_left(work)
        if not self._threads:
            return cast("object", work())
        import anyio.to_thread

        return cast("object", await anyio.to_thread.run_sync(work))

    async def _with_retries(self, call: ActionCall, retry: Retry, note_retry: NoteRetry) -> object:
        import anyio

        while True:  # tenacity keeps count by thread, and a workflow of Temporal goes on in another one
            try:
                return await self._once(call)
            except Exception as error:
                waits = any(isinstance(leaf, Replan | ProcessWaitingError) for leaf in leaves(error))
                if waits or call.attempt >= retry.attempts or not retry.covers(error):
                    raise
                seconds = retry.wait_before(call.attempt + 1)
                note_retry(call, call.attempt, error, seconds)
                _start_afresh(call)
            await anyio.sleep(seconds)


def _start_afresh(call: ActionCall) -> None:
    """Drop what a failed attempt added; what it spent stays spent.

    The next attempt writes to effects of its own: a thread that a timeout left behind may still write to the old ones.
    """
    call.attempt += 1
    call.effects = Effects(usage=call.effects.usage, charged=call.effects.charged, model_calls=call.effects.model_calls)
    parameter = call.action.body.context
    if call.context is not None and parameter is not None:
        call.context = call.context.again(call.effects)
        call.bound.kwargs[parameter] = call.context


async def _in_a_thread_that_may_be_left(work: Callable[[], object]) -> object:
    """Run a function that may hang. A thread cannot be stopped: past its timeout it is left behind.

    The thread is a daemon, unlike those of anyio, so that one that hangs does not keep the program from ending.
    """
    import asyncio
    import contextvars
    import threading

    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[object, BaseException | None]] = loop.create_future()

    def report(result: object, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((result, error))  # as a value, for a future refuses some errors, such as StopIteration

    def body() -> None:
        result: object = None
        raised: BaseException | None = None
        try:
            result = context.run(work)
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            raised = error
        with suppress(RuntimeError):  # the loop is gone, and so is whoever waited
            loop.call_soon_threadsafe(report, result, raised)

    context = contextvars.copy_context()
    threading.Thread(target=body, daemon=True, name="planboard-timed-action").start()
    result, raised = await done
    if raised is not None:
        raise raised
    return result


def _wrapped(call: ActionCall, error: Exception) -> ActionError:
    told = hushed(describe_error(error), call.bound.entries)
    message = f"Action {call.action.name!r} raised {told} ({call.action.where})"
    wrapped = ActionError(call.action.name, message)
    wrapped.__cause__ = error
    return wrapped
