"""The commands of `planboard`; each returns its exit code, and `reporting` tells errors in words."""

import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from planboard.cli import listing, mcp, words
from planboard.cli.complaints import complaints
from planboard.cli.ending import ending_of, print_result, tell_what_waits, tell_why
from planboard.cli.locking import Comparison, Lock
from planboard.cli.preparing import prepared
from planboard.cli.recording import Situation
from planboard.cli.reporting import ERROR, EXIT_CODES, reporting, say, stdout_reserved, usage_errors, write_json
from planboard.cli.results import jsonable, plan_document
from planboard.cli.running import model_named, run_to_end
from planboard.cli.runs import deciding, distributing, looking, run_words
from planboard.cli.runs.places import JOURNAL, journal_to_keep
from planboard.cli.target import loaded
from planboard.cli.telling import counted, document, show
from planboard.cli.watching import stopping_told
from planboard.events import ProcessStatus
from planboard.observe.console import console_progress
from planboard.planners.plan import NoPlan, Plan
from planboard.runtime.options import Budget, ProcessOptions
from planboard.runtime.policies import as_policies

app = typer.Typer(
    help=words.APP,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Target = Annotated[str, typer.Argument(metavar="TARGET", help=words.TARGET, show_default=False)]
_Inputs = Annotated[list[str] | None, typer.Option("--input", "-i", metavar="INPUT", help=words.INPUT)]
_Planner = Annotated[str | None, typer.Option("--planner", "-p", metavar="NAME", help=words.PLANNER)]
_Returning = Annotated[str | None, typer.Option("--returning", "-r", metavar="TYPE", help=words.RETURNING)]
_Json = Annotated[bool, typer.Option("--json", help=words.JSON)]
_Debug = Annotated[bool, typer.Option("--debug", help=words.DEBUG)]


def _show_version(given: bool) -> None:  # noqa: FBT001 - typer hands it over by position
    if given:
        typer.echo(f"planboard {import_module('planboard').__version__}")
        raise typer.Exit


@app.callback()
def planboard_command(
    *,
    version: Annotated[
        bool, typer.Option("--version", help=words.VERSION, is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Take the options before the command's name; `--version` ends it there."""


@app.command(help=words.RUN)
@reporting
def run(  # noqa: PLR0913, PLR0917 - one for each option
    target: _Target,
    inputs: _Inputs = None,
    planner: _Planner = None,
    returning: _Returning = None,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1, help=words.CONCURRENCY)] = 1,
    max_actions: Annotated[int | None, typer.Option("--max-actions", min=0, help=words.MAX_ACTIONS)] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0.0, help=words.MAX_COST)] = None,
    max_calls: Annotated[int | None, typer.Option("--max-llm-calls", min=0, help=words.MAX_CALLS)] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help=words.MODEL)] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help=words.BASE_URL)] = None,
    journal: Annotated[
        Path | None, typer.Option("--journal", metavar="FILE", envvar=JOURNAL, help=run_words.RUN_JOURNAL)
    ] = None,
    run_id: Annotated[str | None, typer.Option("--id", metavar="ID", help=run_words.RUN_ID)] = None,
    approve: Annotated[
        list[str] | None, typer.Option("--approve", metavar="PATTERN", help=run_words.RUN_APPROVE)
    ] = None,
    *,
    as_json: _Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help=words.QUIET)] = False,
    debug: _Debug = False,
) -> int:
    """Run an agent and print what it was run for."""
    with usage_errors():
        budget = Budget(actions=max_actions, cost=max_cost, llm_calls=max_calls)
    if run_id is not None and journal is None:
        message = "--id names a run that is kept; add --journal FILE."
        raise typer.BadParameter(message)
    progress = None if quiet else console_progress()
    listeners = () if progress is None else (progress,)
    with journal_to_keep(journal) as keeping:
        options = ProcessOptions(
            budget=budget, concurrency=concurrency, listeners=listeners, approvals=as_policies(approve or ()),
            journal=keeping.journal, target=keeping.target_of(target),
        )  # fmt: skip
        with (
            complaints(),
            model_named(model, base_url),
            prepared(target, inputs, planner, returning, options, run_id=run_id) as ready,
        ):
            try:
                run_to_end(ready.process, stopping_told(progress))
            finally:
                if progress is not None:
                    progress.close()
            ending = ending_of(ready.process, ready.returning, kept=journal is not None)
        tell_why(ending, hint=ready.hint, quiet=quiet, debug=debug)
        tell_what_waits(ending, keeping.words)
    return print_result(ending, as_json=as_json)


@app.command(help=words.PLAN)
@reporting
def plan(
    target: Annotated[str | None, typer.Argument(metavar="TARGET", help=words.TARGET, show_default=False)] = None,
    inputs: _Inputs = None,
    planner: _Planner = None,
    returning: _Returning = None,
    lock: Annotated[Path | None, typer.Option("--lock", metavar="FILE", help=words.LOCK)] = None,
    check: Annotated[Path | None, typer.Option("--check", metavar="FILE", help=words.CHECK_LOCK)] = None,
    *,
    as_json: _Json = False,
    debug: _Debug = False,
) -> int:
    """Show the plan for some inputs, without running anything; or lock it, or compare it with what is locked."""
    file = lock or check
    if lock is not None and check is not None:
        message = "--lock writes and --check compares; give one of them."
        raise typer.BadParameter(message)
    if target is None and (file is None or inputs or planner or returning):
        message = "TARGET is missing." if file is None else "TARGET is missing; without it all that is locked is meant."
        raise typer.BadParameter(message)
    if file is None:
        return _show_plan(target or "", inputs, planner, returning, alternatives=False, as_json=as_json)
    situation = None if target is None else Situation(target, tuple(inputs or ()), planner, returning)
    compared = _locked(file, situation, writing=lock is not None, debug=debug)
    if as_json:
        write_json(document(compared))
    else:
        show(compared)
    return _say_how_it_compares(file, compared, writing=lock is not None)


@app.command(help=words.EXPLAIN)
@reporting
def explain(
    target: _Target,
    inputs: _Inputs = None,
    planner: _Planner = None,
    returning: _Returning = None,
    *,
    as_json: _Json = False,
    debug: _Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """Explain a plan and its alternatives, or why there is none."""
    return _show_plan(target, inputs, planner, returning, alternatives=True, as_json=as_json)


@app.command(help=words.CHECK)
@reporting
def check(target: _Target, *, as_json: _Json = False, debug: _Debug = False) -> int:  # noqa: ARG001
    """Look for mistakes in an agent."""
    with stdout_reserved(), loaded(target) as found:
        findings = found.agent.check()
    errors = sum(finding.severity == "error" for finding in findings)
    if as_json:
        write_json([
            {
                "severity": finding.severity,
                "code": finding.code,
                "message": finding.message,
                "remedy": finding.remedy,
                "where": None if finding.where is None else str(finding.where),
            }
            for finding in findings
        ])  # fmt: skip
    else:
        for finding in findings:
            typer.echo(str(finding))
        warnings = len(findings) - errors
        say(f"{found.agent.name}: {_count(errors, 'error')}, {_count(warnings, 'warning')}.")
    return ERROR if errors else 0


@app.command(help=words.GRAPH)
@reporting
def graph(
    target: _Target,
    inputs: _Inputs = None,
    planner: _Planner = None,
    returning: _Returning = None,
    *,
    with_plan: Annotated[bool, typer.Option("--plan", help=words.WITH_PLAN)] = False,
    debug: _Debug = False,  # noqa: ARG001 - `reporting` heeds it
) -> int:
    """Print an agent, or a plan, as a Mermaid flowchart."""
    if not with_plan:
        if inputs or planner or returning:
            message = "--input, --planner and --returning are for the graph of a plan; add --plan."
            raise typer.BadParameter(message)
        with stdout_reserved(), loaded(target) as found:
            drawing = found.agent.mermaid()
        typer.echo(drawing, nl=False)
        return 0
    with prepared(target, inputs, planner, returning, ProcessOptions()) as ready:
        result = ready.plan()
        text = result.mermaid() if isinstance(result, Plan) else ready.explain(result, alternatives=False)
    if isinstance(result, NoPlan):
        say(text)
        return EXIT_CODES[ProcessStatus.STUCK]
    typer.echo(text, nl=False)
    return 0


@app.command(help=words.ACTIONS)
@reporting
def actions(target: _Target, *, as_json: _Json = False, debug: _Debug = False) -> int:  # noqa: ARG001
    """List the actions of an agent."""
    with stdout_reserved(), loaded(target) as found:
        agent = found.agent
        document = jsonable(listing.documents(agent))
    if as_json:
        write_json(document)
    elif sys.stdout.isatty():
        _print_table(listing.rows(agent))
    else:
        for line in listing.lines(agent):
            typer.echo(line)
    return 0


def _show_plan(
    target: str,
    inputs: list[str] | None,
    planner: str | None,
    returning: str | None,
    *,
    alternatives: bool,
    as_json: bool,
) -> int:
    with prepared(target, inputs, planner, returning, ProcessOptions()) as ready:
        result = ready.plan()
        text = ready.explain(result, alternatives=alternatives)
        process = ready.process
        document = plan_document(process.agent.name, process.planner.name, result, text)
    if as_json:
        write_json(document)
    else:
        typer.echo(text)
    return 0 if isinstance(result, Plan) else EXIT_CODES[ProcessStatus.STUCK]


def _locked(file: Path, situation: Situation | None, *, writing: bool, debug: bool) -> list[Comparison]:
    def on_failure(error: BaseException) -> None:
        if debug:
            say("".join(traceback.format_exception(error)).rstrip())

    book = Lock(file, on_failure)
    if situation is None:
        return book.renew() if writing else book.check()
    return [book.add(situation) if writing else book.check_one(situation)]


def _say_how_it_compares(file: Path, compared: list[Comparison], *, writing: bool) -> int:
    """Sum up, and return the exit code."""
    failed = any(item.status == "failed" for item in compared)
    different = failed or any(item.status != "same" for item in compared)
    say(f"{file}: {counted(compared)}.")
    if not writing and any(item.status in ("changed", "new") for item in compared):
        say("If that is meant, run the same command with --lock instead of --check.")
    if failed:
        left = " is left as it was" if writing else ""
        say(f"What cannot be planned{left}: mend it or, if it is gone for good, delete it from the file.")
    return ERROR if failed or (different and not writing) else 0


def _print_table(rows: list[tuple[str, ...]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*listing.COLUMNS, box=box.SIMPLE, caption="* achieves a goal", caption_justify="left")
    for row in rows:
        table.add_row(*map(Text, row))
    Console(file=sys.stdout).print(table)


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


app.add_typer(looking.app)
app.add_typer(deciding.app)
app.add_typer(distributing.app)
app.add_typer(mcp.app)
