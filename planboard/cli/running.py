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
from planboard.runtime.process import Process

REASON = "interrupted by Ctrl-C"


def run_to_end(process: Process, on_interrupt: Callable[[str], object]) -> ProcessStatus:
    """Run a process until it has come to an end, and return its status.

    Args:
        process: What to run.
        on_interrupt: Called with a message when Ctrl-C is pressed, from the signal handler.
    """
    with _interruptible(process, on_interrupt):
        try:
            return asyncio.run(process.run())
        except KeyboardInterrupt:  # an action raised it, or there was no handler to turn it into a cancellation
            process.cancel(REASON)
            return asyncio.run(process.run())


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
