"""`run` and `arun`: the short way from an agent and inputs to a result."""

import sys
from collections.abc import Iterable
from typing import Any, TypeVar, overload

from planboard.errors import RunningLoopError
from planboard.events import ProcessStatus
from planboard.planners.base import Planner
from planboard.runtime.agent import Agent
from planboard.runtime.executor import Executor
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process

T = TypeVar("T")


@overload
def run(
    agent: Agent,
    *inputs: object,
    returning: type[T],
    planner: Planner | str | None = None,
    options: ProcessOptions | None = None,
    services: Iterable[object] = (),
    **bindings: object,
) -> T: ...
@overload
def run(
    agent: Agent,
    *inputs: object,
    returning: None = None,
    planner: Planner | str | None = None,
    options: ProcessOptions | None = None,
    services: Iterable[object] = (),
    **bindings: object,
) -> Process: ...
def run(agent: Agent, *inputs: object, returning: Any = None, **given: Any) -> Any:
    """Run an agent to its end from code that is not asynchronous.

    Args:
        agent: What to run.
        inputs: Objects that are put on the board unnamed.
        returning: The type wanted. The result is then of this type; without it the finished `Process` is returned.
        **given: `planner`, `options` and `services`, as for `Agent.process`; all else is put on the board by name.

    Raises:
        ProcessNotCompletedError: The run did not complete; `.process` holds all there is to know.
        RunningLoopError: An event loop is running in this thread, and the agent needs one of its own.
    """
    process = agent.process(*inputs, returning=returning, **given)
    run_process(process)
    return _result(process, returning)


def run_process(process: Process) -> ProcessStatus:
    """Run a process to its end from code that is not asynchronous, and return its status.

    It does what `run` does, but never raises for the way the process ends.

    Raises:
        RunningLoopError: An event loop is running in this thread, and the agent needs one of its own.
    """
    if _needs_loop(process):
        _refuse_running_loop()
        import asyncio

        return asyncio.run(_to_the_end(process))
    _finish(process._run(Executor(threads=False), alone=True))  # noqa: SLF001
    return process.status


@overload
async def arun(
    agent: Agent,
    *inputs: object,
    returning: type[T],
    planner: Planner | str | None = None,
    options: ProcessOptions | None = None,
    services: Iterable[object] = (),
    **bindings: object,
) -> T: ...
@overload
async def arun(
    agent: Agent,
    *inputs: object,
    returning: None = None,
    planner: Planner | str | None = None,
    options: ProcessOptions | None = None,
    services: Iterable[object] = (),
    **bindings: object,
) -> Process: ...
async def arun(agent: Agent, *inputs: object, returning: Any = None, **given: Any) -> Any:
    """Run an agent to its end. Plain functions run in worker threads, so the event loop stays free; see `run`.

    Raises:
        ProcessNotCompletedError: The run did not complete; `.process` holds all there is to know.
    """
    process = agent.process(*inputs, returning=returning, **given)
    await process.run()
    return _result(process, returning)


def _result(process: Process, returning: Any) -> Any:
    process.raise_for_status()
    return process if returning is None else process.result(returning)


def _needs_loop(process: Process) -> bool:
    """Tell whether anything will be waited for: then an event loop is needed, else the run is plain code."""
    return process.options.concurrency > 1 or process.planner.asks or process.agent.waits


async def _to_the_end(process: Process) -> ProcessStatus:
    """Run a process on an event loop that ends with it, and so do the connections to models that were opened on it."""
    try:
        return await process._run(Executor(threads=_needs_threads(process)), alone=False)  # noqa: SLF001
    finally:
        openai_llm = sys.modules.get("planboard.llm.openai_llm")
        if openai_llm is not None:
            await openai_llm.close_models()


def _needs_threads(process: Process) -> bool:
    """Tell whether plain functions must not run on the event loop: several at once, or while they ask models."""
    return process.options.concurrency > 1 or process.planner.asks or process.agent.asks_models


def _finish(coroutine: Any) -> None:
    """Run a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    coroutine.close()
    message = "An action waited for something, but none is declared to be asynchronous."
    raise RunningLoopError(message)


def _refuse_running_loop() -> None:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    message = (
        "run() was called inside a running event loop, where it would block everything else. "
        "Use `await arun(...)` with the same arguments."
    )
    raise RunningLoopError(message)
