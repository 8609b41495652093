"""Telling what a run that goes on is doing, also from where hardly anything may be used."""

from collections.abc import Callable

from planboard.observe.console import ConsoleListener, notice


def stopping_told(progress: ConsoleListener | None) -> Callable[[str], None]:
    """Return a function that tells a message from a signal handler: in the live view, or on a line of its own."""

    def tell(message: str) -> None:
        if progress is not None and progress.is_live:
            progress.note = message
        else:
            notice(message)

    return tell
