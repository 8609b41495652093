"""Who may change a process: one at a time, here and, with a journal, among all programs."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import TYPE_CHECKING

from planboard.errors import ConcurrentRunError
from planboard.runtime.executor import Executor

if TYPE_CHECKING:
    from planboard.runtime.process import Process


class Exclusively:
    """Lets one caller at a time run a process."""

    __slots__ = ("_executor", "_process")

    def __init__(self, process: "Process", executor: Executor) -> None:
        self._process = process
        self._executor = executor

    def __enter__(self) -> None:
        with root_of(self._process)._ear.lock:  # noqa: SLF001
            self._enter()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with root_of(self._process)._ear.lock:  # noqa: SLF001
            self._exit(kind)

    def _enter(self) -> None:
        process = self._process
        if process._executor is not None:  # noqa: SLF001
            message = f"Process {process.id} is already being run. Wait for that run, or start another process."
            raise ConcurrentRunError(message)
        if process._keeper is not None:  # noqa: SLF001
            process._keeper.claim()  # noqa: SLF001
            try:
                process._catch_up(process._keeper.news())  # noqa: SLF001
            except BaseException:
                process._keeper.release()  # noqa: SLF001
                raise
        process._executor = self._executor  # noqa: SLF001

    def _exit(self, kind: type[BaseException] | None) -> None:
        process = self._process
        core = process._core  # noqa: SLF001
        core.ledger.close(process.options.clock.time())
        try:
            if kind is not None and not issubclass(kind, Exception):  # an exit, or something meant to stop everything
                core.cancel(kind.__name__)
                core.end_cancelled()
            elif core.cancelled is not None:  # by another thread, after the last decision
                core.end_cancelled()
            process._flush()  # noqa: SLF001
        finally:
            process._executor = None  # noqa: SLF001
            if process._keeper is not None:  # noqa: SLF001
                process._keeper.release()  # noqa: SLF001


@contextmanager
def at_hand(process: "Process") -> Iterator[None]:
    """Change a process from outside: not while somebody else goes on with it, and nothing is lost afterwards."""
    with root_of(process)._ear.lock:  # noqa: SLF001
        keeper = process._keeper  # noqa: SLF001
        if keeper is None or process._executor is not None or keeper.kept == 0:  # noqa: SLF001
            yield
            return
        keeper.claim()
        try:
            process._catch_up(keeper.news())  # noqa: SLF001
            yield
            process._flush()  # noqa: SLF001
        finally:
            keeper.release()


def root_of(process: "Process") -> "Process":
    """Return the process at the top of a tree."""
    while process.parent is not None:
        process = process.parent
    return process


def is_run_elsewhere(process: "Process") -> bool:
    """Tell whether the tree of a process is being run in another thread: nobody else may change it meanwhile."""
    executor = root_of(process)._executor  # noqa: SLF001
    return executor is not None and executor.thread != get_ident()
