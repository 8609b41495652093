"""The commands that look at kept runs: `runs`, `show`, `pending`, `events`, `trace`. None of them loads an agent."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from planboard._text import suggest
from planboard.cli.asking import request_document, request_lines
from planboard.cli.reporting import harmless, reporting, say, write_json
from planboard.cli.runs import run_words, standing
from planboard.cli.runs.places import opened
from planboard.cli.words import DEBUG, JSON
from planboard.events import ProcessStatus, event_to_dict
from planboard.observe.progress import Progress
from planboard.observe.waiting import moment

app = typer.Typer()

Journal = Annotated[Path | None, typer.Option("--journal", metavar="FILE", help=run_words.JOURNAL)]
Temporal = Annotated[str | None, typer.Option("--temporal", metavar="ADDRESS", help=run_words.TEMPORAL)]
Namespace = Annotated[str | None, typer.Option("--namespace", metavar="NAME", help=run_words.NAMESPACE)]
RunId = Annotated[str, typer.Argument(metavar="ID", help=run_words.ID, show_default=False)]
Json = Annotated[bool, typer.Option("--json", help=JSON)]
Debug = Annotated[bool, typer.Option("--debug", help=DEBUG)]


@app.command(help=run_words.RUNS, rich_help_panel=run_words.PANEL)
@reporting
def runs(
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    status: Annotated[str | None, typer.Option("--status", metavar="STATUS", help=run_words.STATUS)] = None,
    *,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """List the runs."""
    wanted = None if status is None else _status(status)
    with opened(journal, temporal, namespace) as place:
        found = [run for run in place.runs() if wanted in (None, run.standing.status)]
    if as_json:
        write_json([standing.run_document(run) for run in found])
    elif sys.stdout.isatty() and found:
        _print_table(standing.rows(found))
    else:
        _print(standing.lines(found))
    if not found and not as_json:
        say("There are no such runs." if wanted else "There are no runs.")
    return 0


@app.command(help=run_words.SHOW, rich_help_panel=run_words.PANEL)
@reporting
def show(
    run_id: RunId,
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    *,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """Show one run."""
    with opened(journal, temporal, namespace) as place:
        outline = place.outline(place.find(run_id))
        if as_json:
            write_json(standing.outline_document(outline))
        else:
            _print(standing.outline_lines(outline, place.words, place.how_to_go_on(outline.run.id)))
    return 0


@app.command(help=run_words.PENDING, rich_help_panel=run_words.PANEL)
@reporting
def pending(
    run_id: Annotated[str | None, typer.Argument(metavar="ID", help=run_words.ID, show_default=False)] = None,
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    *,
    schema: Annotated[bool, typer.Option("--schema", help=run_words.SCHEMA)] = False,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """List what waits for an answer."""
    with opened(journal, temporal, namespace) as place:
        requests = place.pending(None if run_id is None else place.find(run_id))
        if as_json:
            write_json([request_document(request, schema=schema) for request in requests])
        for number, request in enumerate(() if as_json else requests):
            _print([*([""] if number else []), *request_lines(request, place.words, schema=schema)])
    if not requests and not as_json:
        say("Nothing waits for an answer.")
    return 0


@app.command(help=run_words.EVENTS, rich_help_panel=run_words.PANEL)
@reporting
def events(
    run_id: RunId,
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    after: Annotated[int, typer.Option("--after", min=0, metavar="N", help=run_words.AFTER)] = 0,
    *,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """List what has happened in a run."""
    with opened(journal, temporal, namespace) as place:
        all_of_them = list(place.happened(place.find(run_id)))
    if as_json:
        wanted = [item for item in all_of_them if item.event.seq > after]
        write_json([{"at": item.at, **event_to_dict(item.event)} for item in wanted])
        return 0
    progress = Progress()
    width = len(str(len(all_of_them)))
    for item in all_of_them:
        line = progress.line(item.event)  # also of those that are left out: later ones name entries of theirs
        if item.event.seq > after:
            when = "" if item.at is None else f"{moment(item.at)}  "
            _print([f"{item.event.seq:>{width}}  {when}{line}"])
    return 0


@app.command(help=run_words.TRACE, rich_help_panel=run_words.PANEL)
@reporting
def trace(
    run_id: RunId,
    journal: Journal = None,
    *,
    marks: Annotated[bool, typer.Option("--marks", help=run_words.MARKS)] = False,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """Show a run as one tree of spans."""
    with opened(journal, None, None) as place:
        found = place.trace(place.find(run_id))
    if as_json:
        write_json(found.to_dict())
    else:
        _print(found.text(marks=marks).splitlines())
    return 0


def _status(text: str) -> str:
    known = [status.value for status in ProcessStatus]
    if text.upper() not in known:
        message = f"No run has the status {text!r}. {suggest(text, known)}"
        raise typer.BadParameter(message)
    return text.upper()


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(harmless(line))


def _print_table(rows: list[tuple[str, ...]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*standing.COLUMNS, box=box.SIMPLE)
    for row in rows:
        table.add_row(*map(Text, row))
    Console(file=sys.stdout).print(table)
