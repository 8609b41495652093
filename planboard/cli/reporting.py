"""How commands end: exit codes, and errors in words instead of tracebacks.

A wrong use of the command is a `typer.BadParameter`, wherever it is found; everything else that goes wrong keeps its
own type until it gets here.
"""

import functools
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, ParamSpec

import typer

from planboard.errors import PlanboardError
from planboard.events import ProcessStatus

P = ParamSpec("P")

ERROR, USAGE, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141

EXIT_CODES: Mapping[ProcessStatus, int] = {
    ProcessStatus.COMPLETED: 0,
    ProcessStatus.STUCK: 3,
    ProcessStatus.FAILED: 4,
    ProcessStatus.TERMINATED: 5,
    ProcessStatus.WAITING: 6,
    ProcessStatus.CANCELLED: INTERRUPTED,
}
"""The exit code for each way a run can end."""


def reporting(command: Callable[P, int]) -> Callable[P, None]:
    """Make a command of a function that returns an exit code: what it raises is told in words.

    The options `debug` and `as_json` of the command are heeded where it has them.
    """

    @functools.wraps(command)
    def reported(*args: P.args, **kwargs: P.kwargs) -> None:
        debug, as_json = bool(kwargs.get("debug")), bool(kwargs.get("as_json"))
        _accept_any_text()
        try:
            code = command(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            code = _abandon_stdout()
        except KeyboardInterrupt:
            sys.stderr.write("Interrupted.\n")
            code = INTERRUPTED
        except (Exception, SystemExit) as error:
            if isinstance(error, typer.Exit):
                raise
            code = _told(error, debug=debug, as_json=as_json)
        raise typer.Exit(code)

    return reported


@contextmanager
def usage_errors(*, but: type[PlanboardError] | tuple[type[PlanboardError], ...] = ()) -> Iterator[None]:
    """Take errors about what was asked for as wrong use of the command.

    Args:
        but: Errors that are no wrong use.
    """
    try:
        yield
    except but:
        raise
    except PlanboardError as error:
        raise typer.BadParameter(str(error)) from error


@contextmanager
def stdout_reserved() -> Iterator[None]:
    """Keep standard output for the result: what users' code prints goes to standard error."""
    with redirect_stdout(sys.stderr):
        yield


def write_json(document: Any) -> None:
    """Write one JSON document to standard output."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False, default=repr))


def say(text: str) -> None:
    """Write a message to standard error, without characters that would control a terminal."""
    typer.echo(harmless(text), err=True)


def harmless(text: str) -> str:
    """Return a text without the characters that would control a terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else " " for char in text)


def _told(error: BaseException, *, debug: bool, as_json: bool) -> int:
    is_usage = isinstance(error, typer.BadParameter)
    message = in_words(error)
    if as_json:
        kind = "usage" if is_usage else type(error).__name__
        write_json({"error": {"kind": kind, "message": message}})
    if debug:
        say("".join(traceback.format_exception(error)).rstrip())
    say(f"Error: {message}")
    if not is_usage and not debug and not isinstance(error, PlanboardError):
        say("Use --debug for the traceback.")
    return USAGE if is_usage else ERROR


def in_words(error: BaseException) -> str:
    """Return what went wrong, and where if that is not in the message."""
    if isinstance(error, typer.BadParameter):
        return error.message
    if isinstance(error, PlanboardError):
        return str(error)
    if isinstance(error, SystemExit):
        return f"sys.exit({error.code!r}) was called{_place(error)}."
    words = f"{type(error).__name__}: {error}".rstrip(": ")
    return f"{'Internal error: ' if _is_internal(error) else ''}{words}{_place(error)}"


def _is_internal(error: BaseException) -> bool:
    """Tell whether the error was raised by Planboard itself, not by what it called."""
    frames = traceback.extract_tb(error.__traceback__)
    home = Path(__file__).parents[1]
    return bool(frames) and home in Path(frames[-1].filename).parents


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f" (at {frames[-1].filename}:{frames[-1].lineno})" if frames else ""


def _accept_any_text() -> None:
    """Let no character that the terminal's encoding lacks end a run."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _abandon_stdout() -> int:
    """Nobody reads any more: drop what is left, as other commands do."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    return BROKEN_PIPE
