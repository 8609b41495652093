"""How a run ended, or what it waits for, and how that is told: the same for every command that runs something."""

import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer

from planboard.cli.asking import how_to_go_on, request_document, request_lines
from planboard.cli.reporting import ERROR, EXIT_CODES, say, write_json
from planboard.cli.results import pretty, result_of, run_document, text_of
from planboard.events import ProcessStatus
from planboard.observe.waiting import moment
from planboard.runtime.process import Process
from planboard.runtime.requests import Request
from planboard.types import TypeForm


@dataclass(frozen=True, slots=True)
class Ending:
    """What a run has come to, for now or for good."""

    run_id: str
    status: ProcessStatus
    reason: str
    document: dict[str, Any]
    """The run as JSON data."""
    text: str | None = None
    """The result, if it is a text."""
    data: str | None = None
    """The result as JSON, if it is not."""
    pending: tuple[Request, ...] = ()
    """What waits for an answer."""
    wakes_at: float | None = None
    """When a timer is due, in seconds since 1970."""
    failure: Exception | None = None
    idle: bool = False
    """Whether no action was run."""

    @property
    def code(self) -> int:
        """The exit code that tells it."""
        return EXIT_CODES.get(self.status, ERROR)


def ending_of(process: Process, returning: TypeForm = None, *, kept: bool) -> Ending:
    """Return what a process has come to.

    Args:
        process: The process.
        returning: The type wanted.
        kept: Whether it can be gone on with by its id.
    """
    result = result_of(process, returning) if process.status is ProcessStatus.COMPLETED else None
    text = None if result is None else text_of(result.value)
    document = run_document(process, result)
    pending = process.pending
    if kept:
        document = {"id": process.id, **document, "pending": [request_document(request) for request in pending]}
    return Ending(
        run_id=process.id,
        status=process.status,
        reason=process.reason,
        document=document,
        text=text,
        data=pretty(result.value) if result is not None and text is None else None,
        pending=pending,
        wakes_at=process.wakes_at,
        failure=process.failure,
        idle=not process.history,
    )


def tell_why(ending: Ending, *, hint: str = "", quiet: bool, debug: bool) -> None:
    """Tell why a run did not complete, or did nothing; the first line of it has been told as progress."""
    if ending.status is ProcessStatus.COMPLETED:
        if hint and ending.idle:
            say(hint)
        return
    _, more, rest = ending.reason.partition("\n")
    if quiet:
        say(f"{ending.status.capitalize()}: {ending.reason}")
    elif more:
        say(rest)
    if hint and ending.status is ProcessStatus.STUCK:
        say(hint)
    if ending.failure is not None and debug:
        say("".join(traceback.format_exception(ending.failure)).rstrip())
    elif ending.failure is not None:
        say("Use --debug for the traceback.")


def tell_what_waits(ending: Ending, words: Sequence[str] | None) -> None:
    """Tell what a run waits for, with the commands that answer it and go on.

    Args:
        ending: What it has come to.
        words: The options that name where it is kept; `None` if it is not.
    """
    if ending.status is not ProcessStatus.WAITING:
        return
    if words is None:
        say("Nobody can answer, for the run is not kept. Run it with --journal FILE to answer it from other commands.")
        return
    for request in ending.pending:
        say("\n".join(["", *request_lines(request, words)]))
    due = "" if ending.wakes_at is None else f", not before {moment(ending.wakes_at)} unless it is answered"
    say(f"\nTo go on{due}:\n  $ {how_to_go_on(ending.run_id, words)}")


def print_result(ending: Ending, *, as_json: bool) -> int:
    """Print the result, or the whole run as JSON, to standard output; return the exit code."""
    if as_json:
        write_json(ending.document)
    elif ending.text is not None:
        _print_text(ending.text)
    elif ending.data is not None:
        typer.echo(ending.data)
    return ending.code


def _print_text(text: str) -> None:
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console(file=sys.stdout).print(Markdown(text))
    else:
        typer.echo(text)
