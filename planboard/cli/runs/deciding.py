"""The commands that change kept runs: `answer`, `approve`, `deny`, `resume`, `cancel`, `fork`."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from planboard.cli import words
from planboard.cli.ending import print_result, tell_what_waits, tell_why
from planboard.cli.fitting import read_json
from planboard.cli.reporting import ERROR, INTERRUPTED, harmless, reporting, say, write_json
from planboard.cli.running import REASON
from planboard.cli.runs import run_words
from planboard.cli.runs.looking import Debug, Journal, Json, Namespace, RunId, Temporal
from planboard.cli.runs.places import Means, Place, Watching, opened, request_named, secrets_given
from planboard.cli.samples import sample_text, wants_text
from planboard.cli.watching import stopping_told
from planboard.errors import InvalidAnswerError, PlanboardError, RunClaimedError
from planboard.events import ProcessStatus
from planboard.journal.port import RunInfo
from planboard.observe.console import console_progress
from planboard.observe.progress import one_line
from planboard.runtime.requests import Approve, Deny, Edit, Finished, Request

app = typer.Typer()

_Request = Annotated[str, typer.Argument(metavar="REQUEST", help=run_words.REQUEST, show_default=False)]
_Target = Annotated[str | None, typer.Option("--target", metavar="TARGET", help=run_words.OTHER_TARGET)]
_Planner = Annotated[str | None, typer.Option("--planner", "-p", metavar="NAME", help=run_words.OTHER_PLANNER)]
_Secrets = Annotated[list[str] | None, typer.Option("--secret", metavar="NAME=VARIABLE", help=run_words.SECRET)]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help=run_words.BY)]
_Changes = Annotated[bool, typer.Option("--allow-changes", help=run_words.ALLOW_CHANGES)]
_GoOn = Annotated[bool, typer.Option("--resume", help=run_words.GO_ON)]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help=words.QUIET)]


@app.command(help=run_words.ANSWER, rich_help_panel=run_words.PANEL)
@reporting
def answer(  # noqa: PLR0913, PLR0917 - one for each option
    request: _Request,
    value: Annotated[str, typer.Argument(metavar="VALUE", help=run_words.VALUE, show_default=False)],
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    by: _By = "",
    target: _Target = None,
    planner: _Planner = None,
    secrets: _Secrets = None,
    *,
    go_on: _GoOn = False,
    allow_changes: _Changes = False,
    as_json: Json = False,
    quiet: _Quiet = False,
    debug: Debug = False,
) -> int:
    """Answer a request."""
    means = Means(target, planner, secrets_given(secrets or ()), allow_changes, by)
    manner = _Manner(means, go_on, as_json, quiet, debug)
    text = _content(value)
    with opened(journal, temporal, namespace, only_journals=run_words.NO_GOING_ON if go_on else "") as place:
        request_id = request_named(place, request)
        asked = _open(place, request_id)
        readings: Sequence[Any] = _readings(text, {} if asked is None else asked.schema)
        if asked is not None and asked.purpose == "in_doubt":
            readings = [Finished(reading) for reading in readings]
        try:
            run_id = place.respond(request_id, readings, means)
        except InvalidAnswerError as error:
            message = str(error)
            if asked is not None and asked.purpose == "answer":
                message += f"\nAn answer looks like this: {shlex.quote(sample_text(asked.schema))}"
            raise InvalidAnswerError(request_id, message) from error
        return _said(place, run_id, request_id, "answered", manner)


@app.command(help=run_words.APPROVE, rich_help_panel=run_words.PANEL)
@reporting
def approve(  # noqa: PLR0913, PLR0917 - one for each option
    request: _Request,
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    edits: Annotated[list[str] | None, typer.Option("--edit", metavar="NAME=JSON", help=run_words.EDIT)] = None,
    by: _By = "",
    target: _Target = None,
    planner: _Planner = None,
    secrets: _Secrets = None,
    *,
    go_on: _GoOn = False,
    allow_changes: _Changes = False,
    as_json: Json = False,
    quiet: _Quiet = False,
    debug: Debug = False,
) -> int:
    """Let an action run."""
    means = Means(target, planner, secrets_given(secrets or ()), allow_changes, by)
    manner = _Manner(means, go_on, as_json, quiet, debug)
    with opened(journal, temporal, namespace, only_journals=run_words.NO_GOING_ON if go_on else "") as place:
        request_id = request_named(place, request)
        asked = _open(place, request_id)
        if asked is not None and asked.purpose == "answer":
            message = f"{request_id} asks for an answer, not for consent: planboard answer {request_id} VALUE"
            raise typer.BadParameter(message)
        decision = Edit(**_arguments(edits, {} if asked is None else asked.schema)) if edits else Approve()
        run_id = place.respond(request_id, [decision], means)
        return _said(place, run_id, request_id, "approved", manner)


@app.command(help=run_words.DENY, rich_help_panel=run_words.PANEL)
@reporting
def deny(  # noqa: PLR0913, PLR0917 - one for each option
    request: _Request,
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help=run_words.DENIAL)] = "",
    by: _By = "",
    target: _Target = None,
    planner: _Planner = None,
    secrets: _Secrets = None,
    *,
    go_on: _GoOn = False,
    allow_changes: _Changes = False,
    as_json: Json = False,
    quiet: _Quiet = False,
    debug: Debug = False,
) -> int:
    """Do not let an action run."""
    means = Means(target, planner, secrets_given(secrets or ()), allow_changes, by)
    manner = _Manner(means, go_on, as_json, quiet, debug)
    with opened(journal, temporal, namespace, only_journals=run_words.NO_GOING_ON if go_on else "") as place:
        request_id = request_named(place, request)
        run_id = place.respond(request_id, [Deny(reason)], means)
        return _said(place, run_id, request_id, "denied", manner)


@app.command(help=run_words.RESUME, rich_help_panel=run_words.PANEL)
@reporting
def resume(  # noqa: PLR0913, PLR0917 - one for each option
    run_id: Annotated[str | None, typer.Argument(metavar="ID", help=run_words.ID, show_default=False)] = None,
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    target: _Target = None,
    planner: _Planner = None,
    secrets: _Secrets = None,
    max_actions: Annotated[int | None, typer.Option("--max-actions", min=0, help=run_words.MORE_ACTIONS)] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0.0, help=run_words.MORE_COST)] = None,
    max_calls: Annotated[int | None, typer.Option("--max-llm-calls", min=0, help=run_words.MORE_CALLS)] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help=run_words.ALL)] = False,
    allow_changes: _Changes = False,
    as_json: Json = False,
    quiet: _Quiet = False,
    debug: Debug = False,
) -> int:
    """Go on with a run, or with all that can."""
    if every == (run_id is not None):
        message = "Name a run, or give --all; not both." if every else "ID is missing; --all goes on with every run."
        raise typer.BadParameter(message)
    given = {"actions": max_actions, "cost": max_cost, "llm_calls": max_calls}
    limits = {name: limit for name, limit in given.items() if limit is not None}
    means = Means(target, planner, secrets_given(secrets or ()), allow_changes)
    with opened(journal, temporal, namespace, only_journals=run_words.NO_RESUME) as place:
        if run_id is not None:
            found = place.find(run_id)
            return _go_on(place, found, means, limits, as_json=as_json, quiet=quiet, debug=debug)
        return _go_on_with_all(place, means, limits, as_json=as_json, quiet=quiet)


@app.command(help=run_words.CANCEL, rich_help_panel=run_words.PANEL)
@reporting
def cancel(  # noqa: PLR0913 - one for each option
    run_id: RunId,
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help=run_words.CANCELLATION)] = "cancelled",
    target: _Target = None,
    planner: _Planner = None,
    secrets: _Secrets = None,
    *,
    allow_changes: _Changes = False,
    debug: Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """Cancel a run."""
    means = Means(target, planner, secrets_given(secrets or ()), allow_changes)
    with opened(journal, temporal, namespace) as place:
        run = place.find(run_id)
        if ProcessStatus(run.standing.status).is_final:
            message = f"Run {run.id!r} is {run.standing.status} already, so it cannot be cancelled."
            raise typer.BadParameter(message)
        say(place.cancel(run, reason, means))
    return 0


@app.command(help=run_words.FORK, rich_help_panel=run_words.PANEL)
@reporting
def fork(  # noqa: PLR0913, PLR0917 - one for each option
    run_id: RunId,
    journal: Journal = None,
    temporal: Temporal = None,
    namespace: Namespace = None,
    at: Annotated[int | None, typer.Option("--at", metavar="N", min=0, help=run_words.AT)] = None,
    new_id: Annotated[str | None, typer.Option("--id", metavar="ID", help=run_words.NEW_ID)] = None,
    target: _Target = None,
    planner: _Planner = None,
    secrets: _Secrets = None,
    *,
    allow_changes: _Changes = False,
    debug: Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """Make another run with the same past."""
    means = Means(target, planner, secrets_given(secrets or ()), allow_changes)
    with opened(journal, temporal, namespace, only_journals=run_words.NO_FORK) as place:
        made = place.fork(place.find(run_id), at, new_id, means)
        typer.echo(made)
        say(f"To go on with it:\n  $ {place.how_to_go_on(made)}")
    return 0


# What follows an answer


@dataclass(frozen=True, slots=True)
class _Manner:
    """How a command shall do its work."""

    means: Means
    go_on: bool
    as_json: bool
    quiet: bool
    debug: bool


def _said(place: Place, run_id: str, request_id: str, verb: str, manner: _Manner) -> int:
    """Tell that an answer was taken, and go on with the run if that is wanted."""
    if not manner.quiet:
        say(f"{request_id} is {verb}.")
    run = place.find(run_id)
    if manner.go_on:
        return _go_on(
            place, run, manner.means, {}, as_json=manner.as_json, quiet=manner.quiet, debug=manner.debug
        )  # fmt: skip
    left = [request.id for request in place.pending(run) if request.id != request_id]  # a server may lag behind
    if manner.as_json:
        write_json({"run": run_id, "pending": left})
    elif not manner.quiet:
        if left:
            say(f"Still to be answered: {', '.join(left)}.")
        command = place.how_to_go_on(run_id)
        if command is not None:
            say(f"To go on, if no program does so already:\n  $ {command}")
    return 0


def _go_on(
    place: Place,
    run: RunInfo,
    means: Means,
    limits: Mapping[str, Any],
    *,
    as_json: bool,
    quiet: bool,
    debug: bool,
) -> int:
    progress = None if quiet else console_progress()
    try:
        ending = place.resume(run, means, Watching(progress, stopping_told(progress), limits))
    finally:
        if progress is not None:
            progress.close()
    if ending.run_id != run.id and not quiet:
        say(f"Run {run.id} is a part of {ending.run_id}, which has gone on.")
    tell_why(ending, quiet=quiet, debug=debug)
    tell_what_waits(ending, place.words)
    return print_result(ending, as_json=as_json)


def _go_on_with_all(place: Place, means: Means, limits: Mapping[str, Any], *, as_json: bool, quiet: bool) -> int:
    """Go on with every run that can; one that cannot be taken up keeps no other from it."""
    documents: list[dict[str, Any]] = []
    code = 0
    for run in place.runs():
        if run.parent_id is not None or not place.can_go_on(run):
            continue
        progress = None if quiet else console_progress()
        try:
            ending = place.resume(run, means, Watching(progress, stopping_told(progress), limits, sleeps=False))
        except RunClaimedError:
            say(f"Run {run.id} is left to the program that goes on with it.")
            continue
        except (PlanboardError, typer.BadParameter) as error:
            message = error.message if isinstance(error, typer.BadParameter) else str(error)
            say(f"Run {run.id} cannot go on: {message}")
            documents.append({"id": run.id, "error": {"kind": type(error).__name__, "message": message}})
            code = ERROR
            continue
        finally:
            if progress is not None:
                progress.close()
        documents.append(ending.document)
        if not as_json:
            typer.echo(harmless(f"{run.id}  {ending.status}  {one_line(ending.reason)}".rstrip()))
        if ending.status is ProcessStatus.CANCELLED and ending.reason == REASON:
            code = INTERRUPTED
            break
        if ending.status not in (ProcessStatus.COMPLETED, ProcessStatus.WAITING):
            code = ERROR
    if as_json:
        write_json(documents)
    elif not documents:
        say("No run can go on now.")
    return code


# What was typed


def _open(place: Place, request_id: str) -> Request | None:
    """Return a request that can be answered; `None` for others, about which the run itself will complain."""
    owner = request_id.rpartition(":")[0]
    return next((request for request in place.pending(beginning=owner) if request.id == request_id), None)


def _content(value: str) -> str:
    """Return what was typed, or what the file or standard input holds that it names."""
    if value in ("-", "@-"):
        return sys.stdin.read().removesuffix("\n")
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        message = f"The file {value[1:]!r} cannot be read: {reason}."
        raise typer.BadParameter(message) from error


def _readings(text: str, schema: Mapping[str, Any]) -> Sequence[Any]:
    """Return the ways to read what was typed, the likelier first."""
    read = read_json(text)
    if read == text and isinstance(read, str):
        return [text]
    return [text, read] if wants_text(schema) else [read, text]


def _arguments(edits: Sequence[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    known = schema.get("properties", {}).get("arguments", {}).get("properties", {})
    found: dict[str, Any] = {}
    for word in edits:
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier() or name in found:
            why = "it is given twice" if name in found else "write NAME=JSON, such as order='{\"amount\": 10}'"
            message = f"--edit {word!r}: {why}."
            raise typer.BadParameter(message)
        found[name] = _readings(_content(value), known.get(name, {}))[0]
    return found
