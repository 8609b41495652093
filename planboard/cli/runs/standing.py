"""Runs as rows, as text and as data: where they stand, and what they have come to."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from planboard._text import masked
from planboard.blackboard.entry import Entry
from planboard.cli.asking import request_document, request_lines
from planboard.cli.runs.outline import Outline
from planboard.events import ProcessStatus
from planboard.journal.port import RunInfo
from planboard.observe.progress import amount, one_line, sequence
from planboard.observe.waiting import moment

COLUMNS = ("run", "agent", "status", "begun", "why")
_VALUE = 300
"""Characters of a value that are shown."""


def rows(runs: Sequence[RunInfo]) -> list[tuple[str, ...]]:
    """Return a row for each run, in the order of `COLUMNS`; children stand below the run that has started them."""
    return [
        (
            f"{'  ' * (depth - 1)}{'└ ' if depth else ''}{run.id}",
            run.agent,
            run.standing.status,
            moment(run.created_at),
            one_line(_why(run)),
        )
        for depth, run in _as_tree(runs)
    ]


def lines(runs: Sequence[RunInfo]) -> Iterator[str]:
    """Yield a line for each run, for pipes and for `grep`."""
    listed = rows(runs)
    widths = [max((len(row[column]) for row in listed), default=0) for column in range(len(COLUMNS))]
    for row in listed:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def run_document(run: RunInfo) -> dict[str, Any]:
    """Return where a run stands as JSON data; the same keys in the same order every time."""
    standing = run.standing
    return {
        "id": run.id,
        "agent": run.agent,
        "status": standing.status,
        "reason": standing.reason,
        "waits_for": list(standing.waits_for),
        "wakes_at": standing.wakes_at,
        "parent": run.parent_id,
        "target": run.target,
        "created_at": run.created_at,
        "updated_at": run.updated_at or None,
        "events": run.seq or None,
    }


def outline_lines(outline: Outline, words: Sequence[str], how_to_go_on: str | None) -> Iterator[str]:
    """Yield what a run has come to, line by line, with the commands that go on.

    Args:
        outline: What it has come to.
        words: The options that name where it is kept.
        how_to_go_on: The command that goes on with it, where one is needed.
    """
    run = outline.run
    yield f"{run.id}  {run.agent}  {outline.status}"
    yield from (f"  {line}" for line in outline.reason.splitlines())
    if outline.error is not None:
        yield f"  {outline.error}"
    yield f"begun    {moment(run.created_at)}"
    yield f"last     event {outline.events}{f', {moment(run.updated_at)}' if run.updated_at else ''}"
    yield f"planner  {outline.planner}"
    for name, value in (("target", run.target), ("parent", run.parent_id), ("fork of", outline.forked_from)):
        if value is not None:
            yield f"{name:<9}{value}"
    spent = outline.spent
    models = f", {spent.tokens} tokens in {spent.llm_calls} requests to models" if spent.llm_calls else ""
    yield f"spent    {spent.actions} action{'' if spent.actions == 1 else 's'}, cost {amount(spent.cost)}{models}"
    yield "history" if outline.history else "history  nothing yet"
    for done in outline.history:
        outputs = ", ".join(str(entry) for entry in done.outputs)
        yield f"  ✓ {done.action}{f': {outputs}' if outputs else ''} (cost {amount(done.cost)})"
    if outline.plan:
        yield f"then     {sequence(outline.plan)}"
    yield "board" if outline.board else "board    empty"
    for entry in outline.board:
        yield f"  {entry.position} {entry} ({entry.producer}): {one_line(_shown(entry), _VALUE)}"
    if outline.children:
        yield "children"
        yield from (f"  {line}" for line in lines([child.run for child in outline.children]))
    if outline.pending:
        yield "pending"
        for request in outline.pending:
            yield from (f"  {line}" for line in request_lines(request, words))
    if how_to_go_on is not None and outline.run.parent_id is None and outline.status in _UNFINISHED:
        yield "to go on"
        yield f"  $ {how_to_go_on}"


def outline_document(outline: Outline) -> dict[str, Any]:
    """Return what a run has come to as JSON data; the same keys in the same order every time."""
    run, spent = outline.run, outline.spent
    return {
        "id": run.id,
        "agent": run.agent,
        "planner": outline.planner,
        "status": outline.status.value,
        "reason": outline.reason,
        "goal": outline.goal,
        "error": outline.error,
        "parent": run.parent_id,
        "forked_from": outline.forked_from,
        "target": run.target,
        "created_at": run.created_at,
        "updated_at": run.updated_at or None,
        "wakes_at": outline.wakes_at if outline.status is ProcessStatus.WAITING else None,
        "plan": list(outline.plan),
        "history": [
            {
                "call": done.call,
                "action": done.action,
                "inputs": list(done.inputs),
                "outputs": [_entry(entry) for entry in done.outputs],
                "cost": done.cost,
                "value": done.value,
            }
            for done in outline.history
        ],
        "board": [{**_entry(entry), "value": masked(entry.value)} for entry in outline.board],
        "pending": [request_document(request) for request in outline.pending],
        "children": [run_document(child.run) for child in outline.children],
        "usage": {**spent._asdict(), "cost": round(spent.cost, 12)},
        "events": outline.events,
    }


_UNFINISHED = (ProcessStatus.NOT_STARTED, ProcessStatus.RUNNING, ProcessStatus.WAITING)


def _as_tree(runs: Iterable[RunInfo]) -> Iterator[tuple[int, RunInfo]]:
    """Yield runs with how deep they stand; those whose parent is left out stand at the top."""
    known = {run.id: run for run in runs}
    below: dict[str | None, list[RunInfo]] = {}
    for run in known.values():
        below.setdefault(run.parent_id if run.parent_id in known else None, []).append(run)
    stack = [(0, run) for run in reversed(below.get(None, []))]
    while stack:
        depth, run = stack.pop()
        yield depth, run
        stack += [(depth + 1, child) for child in reversed(below.get(run.id, []))]


def _why(run: RunInfo) -> str:
    standing = run.standing
    if standing.status == ProcessStatus.WAITING and standing.wakes_at is not None:
        return f"{standing.reason}, until {moment(standing.wakes_at)}"
    return standing.reason


def _shown(entry: Entry) -> str:
    import json

    return json.dumps(masked(entry.value), ensure_ascii=False, default=repr)


def _entry(entry: Entry) -> dict[str, Any]:
    return {"position": entry.position, "type": entry.type_name, "name": entry.name, "producer": entry.producer}
