"""Requests as text and as data, with the commands that answer them."""

import json
import shlex
from collections.abc import Sequence
from typing import Any

from planboard._text import brief
from planboard.cli.samples import sample_text
from planboard.observe.progress import one_line
from planboard.observe.waiting import moment
from planboard.runtime.requests import Request

_PURPOSES = {"answer": "asks for an answer", "approval": "needs consent", "in_doubt": "is in doubt"}
_ARGUMENT = 400
"""Characters of an argument that are shown."""


def request_lines(request: Request, words: Sequence[str], *, schema: bool = False) -> list[str]:
    """Return a request as lines, with the commands that answer it.

    Args:
        request: The request.
        words: The options that name the place where it is kept.
        schema: Whether the JSON schema of the answer is shown.
    """
    until = "" if request.expires_at is None else f", until {moment(request.expires_at.timestamp())}"
    lines = [f"{request.id}  {request.action} {_PURPOSES[request.purpose]}{until}"]
    lines += [f"  {line}" for line in request.prompt.splitlines()]
    lines += [f"  {name}: {_shown(value)}" for name, value in request.arguments.items()]
    lines += [f"  $ {command}" for command in commands(request, words)]
    if schema:
        text = json.dumps(request.schema, indent=2, ensure_ascii=False, default=repr)
        lines += ["  schema of the answer:", *(f"    {line}" for line in text.splitlines())]
    return lines


def commands(request: Request, words: Sequence[str]) -> list[str]:
    """Return the commands that answer a request."""
    answer = command("answer", request.id, sample_text(request.schema), words=words)
    approve, deny = (command(word, request.id, words=words) for word in ("approve", "deny"))
    if request.purpose == "answer":
        return [answer, deny]
    if request.purpose == "approval":
        return [approve, deny]
    return [approve, deny, command("answer", request.id, "RESULT", words=words)]


def how_to_go_on(run_id: str, words: Sequence[str]) -> str:
    """Return the command that goes on with a run."""
    return command("resume", run_id, words=words)


def command(name: str, *arguments: str, words: Sequence[str]) -> str:
    """Return a command as it is typed."""
    return shlex.join(["planboard", name, *arguments, *words])


def request_document(request: Request, *, schema: bool = False) -> dict[str, Any]:
    """Return a request as JSON data; the same keys in the same order every time."""
    document = {
        "id": request.id,
        "run": request.process_id,
        "action": request.action,
        "purpose": request.purpose,
        "prompt": request.prompt,
        "arguments": dict(request.arguments),
        "expires_at": None if request.expires_at is None else request.expires_at.isoformat(),
    }
    return {**document, "schema": dict(request.schema)} if schema else document


def _shown(value: Any) -> str:
    try:
        return one_line(json.dumps(value, ensure_ascii=False), _ARGUMENT)
    except (TypeError, ValueError):
        return brief(value, _ARGUMENT)
