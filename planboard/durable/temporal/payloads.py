"""What travels between workflows, activities and clients, as JSON data: values by the agent's codec, errors as text.

Nothing that arrives names a class which is then imported: values are made by the codec of an agent, errors only as
those of Planboard, or as an error that has the name and the words of what was raised elsewhere.
"""

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import planboard.errors
from planboard.blackboard.codec import Codec, from_text, to_text
from planboard.blackboard.entry import Entry
from planboard.blackboard.schema import describe_error
from planboard.errors import EntryTypeError, ExecutionError, InvalidAnswerError, PlanboardError, RequestError
from planboard.runtime.hushing import hushed
from planboard.runtime.requests import Answer, Approve, Deny, Edit, Finished

LIMIT = 1_900_000
"""How many bytes one payload may have: Temporal takes 2 MB, and refuses the whole task beyond that."""

MESSAGE = 2_000_000
"""How many bytes of orders are sent at once: Temporal takes 4 MB in one message, and ends the run beyond that."""

_READABLE = 200_000
"""Events of more characters than this travel compressed; below it people can read them in Temporal's own pages."""


def fits(data: dict[str, Any], what: str) -> dict[str, Any]:
    """Return data that is small enough for Temporal.

    Raises:
        EntryTypeError: It is too large; the message says what is, and what to do.
    """
    size = len(to_text(data).encode())
    if size > LIMIT:
        message = (
            f"{what}: {size / 1e6:.1f} MB, and Temporal takes {LIMIT / 1e6:.1f} MB at once. Put large things into a "
            "store of your own, and a reference to them on the board."
        )
        raise EntryTypeError(message)
    return data


def squeezed(bodies: Sequence[str]) -> Any:
    """Return JSON texts as data; compressed if there is much of it."""
    if sum(map(len, bodies)) <= _READABLE:
        return [from_text(body) for body in bodies]
    text = "[" + ",".join(bodies) + "]"
    return {"zlib": base64.b64encode(zlib.compress(text.encode())).decode()}


def expanded(data: Any) -> list[str]:
    """Return the JSON texts that `squeezed` was given."""
    if isinstance(data, Mapping):
        data = json.loads(zlib.decompress(base64.b64decode(data["zlib"])))
    return [to_text(item) for item in data]


# Errors


class _ElsewhereError(Exception):
    """Something was raised on another machine; a subclass has the name of what it was there."""


def error_data(error: BaseException, given: Sequence[Entry] = ()) -> dict[str, Any]:
    """Return an error as data: class, words and cause, without the secrets that were given."""
    kind, _, text = hushed(describe_error(error), given).partition(": ")
    data: dict[str, Any] = {"type": kind, "text": text}
    if isinstance(error, ExecutionError):
        data["action"] = error.action
    if isinstance(error, RequestError):
        data["request"] = error.request_id
    if error.__cause__ is not None:
        data["cause"] = error_data(error.__cause__, given)
    return data


def error_from(data: Mapping[str, Any]) -> Exception:
    """Return an error that says the same; of the same class if that is one of Planboard's."""
    known = getattr(planboard.errors, str(data["type"]), None)
    if isinstance(known, type) and issubclass(known, PlanboardError):
        error: Exception = known.__new__(known, data["text"])  # their makers ask for more than what travels
        vars(error).update(action=data.get("action", ""), request_id=data.get("request", ""))
    else:
        error = type(str(data["type"]), (_ElsewhereError,), {})(data["text"])
    if "cause" in data:
        error.__cause__ = error_from(data["cause"])
    return error


# Answers of people


def answer_data(codec: Codec, request_id: str, given: Any) -> dict[str, Any]:
    """Return what somebody says to a request as data.

    Raises:
        InvalidAnswerError: There is an object in it whose type is not known here.
    """
    try:
        match given:
            case Approve():
                return {"decision": "approve"}
            case Deny(reason):
                return {"decision": "deny", "reason": reason}
            case Edit():
                arguments = {name: codec.encode(value) for name, value in given.arguments.items()}
                return {"decision": "edit", "arguments": arguments}
            case Finished(value):
                return {"decision": "finished", "value": codec.encode(value)}
            case Answer(value):
                return {"decision": "answer", "value": codec.encode(value)}
        return {"given": codec.encode(given)}
    except EntryTypeError as error:
        message = f"The answer to {request_id!r} cannot be sent: {error} Name its agent, or answer with plain data."
        raise InvalidAnswerError(request_id, message) from error


def answer_from(codec: Codec, data: Any) -> Any:
    """Return what somebody has said.

    Raises:
        ValueError: It is not what `answer_data` makes.
        EntryTypeError: A value in it cannot be read.
    """
    match data:
        case {"given": value}:
            return codec.decode(value)
        case {"decision": "approve"}:
            return Approve()
        case {"decision": "deny", "reason": str(reason)}:
            return Deny(reason)
        case {"decision": "edit", "arguments": dict(arguments)}:
            return Edit(**{str(name): codec.decode(value) for name, value in arguments.items()})
        case {"decision": "finished", "value": value}:
            return Finished(codec.decode(value))
        case {"decision": "answer", "value": value}:
            return Answer(codec.decode(value))
    message = "it is no answer"
    raise ValueError(message)
