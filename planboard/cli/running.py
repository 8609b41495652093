"""Running a process from a command: Ctrl-C stops it at the next safe point, twice stops it at once."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from planboard.cli.reporting import INTERRUPTED
from planboard.events import ProcessStatus
from planboard.llm.openai_llm import close_models
from planboard.runtime.options import Budget
from planboard.runtime.process import Process

REASON = "interrupted by Ctrl-C"


def run_to_end(
    process: Process,
    on_interrupt: Callable[[str], object],
    *,
    budget: Budget | None = None,
    sleeps: bool = True,
) -> ProcessStatus:
    """Run a process until it has come to an end, and return its status.

    Args:
        process: What to run.
        on_interrupt: Called with a message when Ctrl-C is pressed, from the signal handler.
        budget: Replaces that of the process.
        sleeps: Whether to wait while the process does nothing but sleep.
    """
    with _interruptible(process, on_interrupt):
        try:
            return asyncio.run(_run(process, budget, sleeps=sleeps))
        except KeyboardInterrupt:  # an action raised it, or there was no handler to turn it into a cancellation
            process.cancel(REASON)
            return asyncio.run(_run(process, budget, sleeps=sleeps))


async def _run(process: Process, budget: Budget | None, *, sleeps: bool) -> ProcessStatus:
    """Run a process on an event loop of its own, and close what it has opened there."""
    try:
        if sleeps:
            return await process.run(budget=budget)
        while await process.tick() is ProcessStatus.RUNNING:
            pass
        return process.status
    finally:
        await close_models()


@contextmanager
def model_named(model: str | None, base_url: str | None) -> Iterator[None]:
    """Name the model and its server for as long as a command runs, where models are looked up by default."""
    given = {"PLANBOARD_MODEL": model, "OPENAI_BASE_URL": base_url}
    before = {name: os.environ.get(name) for name, value in given.items() if value is not None}
    os.environ.update({name: value for name, value in given.items() if value is not None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _interruptible(process: Process, on_interrupt: Callable[[str], object]) -> Iterator[None]:
    """Take the first Ctrl-C for a request to stop, and the second as an order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            if os.isatty(2):
                os.write(2, b"\x1b[?25h\n")  # the live view hides the cursor
            os._exit(INTERRUPTED)  # a plain function in a worker thread can be left behind in no other way
        pressed = True
        process.cancel(REASON)
        on_interrupt("Stopping as soon as the current action allows; press Ctrl-C again to stop at once.")

    previous = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
