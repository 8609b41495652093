"""What a run waits for somebody to say, and what they may say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias

from planboard._text import brief, suggest
from planboard.errors import InvalidAnswerError
from planboard.events.waits import Purpose, RequestMade


@dataclass(frozen=True, slots=True)
class Request:
    """Something that waits for an answer; see `Process.pending` and `Process.respond`."""

    id: str
    """What it is answered by."""
    process_id: str
    """The run that waits: this one, or a child of it."""
    action: str
    purpose: Purpose
    """`"answer"`: a `human` step; `"approval"`: consent to an action; `"in_doubt"`: the program ended while the action
    was running, and nobody knows how far it got."""
    prompt: str
    schema: Mapping[str, Any]
    """The JSON schema of the answer."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What the action would be given, as data; what is secret is hidden."""
    expires_at: datetime | None = None
    """Until when it can be answered; after that it counts as denied."""

    @classmethod
    def of(cls, event: RequestMade) -> "Request":
        """Return the request that an event tells of."""
        expires = None if event.expires_at is None else datetime.fromtimestamp(event.expires_at, UTC)
        return cls(
            event.id,
            event.process_id,
            event.action,
            event.purpose,
            event.prompt,
            event.schema,
            event.arguments,
            expires,
        )


@dataclass(frozen=True, slots=True)
class Approve:
    """Let the action run with exactly these arguments; if it is in doubt, let it run again."""


@dataclass(frozen=True, slots=True, init=False)
class Edit:
    """Let the action run with other arguments: `Edit(order=Order(...))`. Those not named stay as they are."""

    arguments: Mapping[str, Any]

    def __init__(self, /, **arguments: Any) -> None:
        object.__setattr__(self, "arguments", arguments)


@dataclass(frozen=True, slots=True)
class Deny:
    """Do not let the action run. A `Denied` with the reason is put on the board, and the planner goes on."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """The action that is in doubt has run to its end, and this is what it returned."""

    value: Any = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person gave to a `human` step."""

    value: Any


Decision: TypeAlias = Answer | Approve | Edit | Deny | Finished
"""What may be said to a request."""

_WORDS = ("approve", "deny", "edit", "finished")


def read_decision(request_id: str, purpose: Purpose, given: Any) -> Decision:
    """Return what an answer means.

    Consent may be given as `True` or `"approve"`, refused as `False` or `"deny"`, or as data such as
    `{"decision": "edit", "arguments": {...}}`. What answers a `human` step is taken as it is, unless it is a `Deny`.

    Raises:
        InvalidAnswerError: It means nothing.
    """
    if isinstance(given, Deny):
        return given
    if purpose == "answer":
        return Answer(given.value) if isinstance(given, Answer) else Answer(given)
    if isinstance(given, Approve | Edit | Finished):
        decision: Decision = given
    elif isinstance(given, bool):
        decision = Approve() if given else Deny()
    else:
        decision = _from_words(request_id, given)
    if isinstance(decision, Finished) and purpose != "in_doubt":
        message = f"Request {request_id!r} asks for consent to an action that has not run, so it cannot have finished."
        raise InvalidAnswerError(request_id, message)
    return decision


def _from_words(request_id: str, given: Any) -> Decision:
    told = {"decision": given} if isinstance(given, str) else given
    if not isinstance(told, Mapping) or not isinstance(told.get("decision"), str):
        message = (
            f"{brief(given)} is no answer to {request_id!r}. Answer Approve(), Deny(reason), Edit(argument=...), or as "
            'data: {"decision": "approve"}.'
        )
        raise InvalidAnswerError(request_id, message)
    word, rest = told["decision"], {key: value for key, value in told.items() if key != "decision"}
    allowed = {"approve": (), "deny": ("reason",), "edit": ("arguments",), "finished": ("value",)}
    if word not in allowed:
        message = f"{word!r} is no decision about {request_id!r}. {suggest(word, _WORDS)}"
        raise InvalidAnswerError(request_id, message)
    unknown = sorted(set(rest) - set(allowed[word]))
    if unknown:
        message = (
            f"A decision {word!r} about {request_id!r} has no {unknown[0]!r}. {suggest(unknown[0], allowed[word])}"
        )
        raise InvalidAnswerError(request_id, message)
    reason, arguments = rest.get("reason", ""), rest.get("arguments", {})
    if not (isinstance(reason, str) and isinstance(arguments, Mapping) and all(map(_is_name, arguments))):
        message = f"The decision {word!r} about {request_id!r}: a reason is a text, and arguments are an object."
        raise InvalidAnswerError(request_id, message)
    if word == "edit":
        return Edit(**arguments)
    if word == "finished":
        return Finished(rest.get("value"))
    return Deny(reason) if word == "deny" else Approve()


def _is_name(key: Any) -> bool:
    return isinstance(key, str) and key.isidentifier()
