"""JSON text of stored data: valid everywhere, readable, and with nothing in it that is secret by its name."""

import enum
import json
from typing import Any

from planboard._text import is_secret

_READABLE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ESCAPED = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def to_text(data: Any) -> str:
    """Return data as JSON text that is valid everywhere, and readable."""
    text = _READABLE.encode(data)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:  # half of a character; JSON can write that, UTF-8 cannot
            return _ESCAPED.encode(data)
    return text


def from_text(text: str) -> Any:
    """Return the data of a JSON text.

    Raises:
        ValueError: It is no JSON, or is nested too deeply.
    """
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        message = "it is nested too deeply"
        raise ValueError(message) from None


def _no_constant(name: str) -> Any:
    message = f"{name} is no JSON"
    raise ValueError(message)


def hides(name: str, value: object) -> bool:
    """Tell whether a value is never written because of the name it goes by."""
    return is_secret(name) and is_hidden(value)


def is_hidden(value: object) -> bool:
    """Tell whether a value under a secret name is what is secret: a text or something that holds texts, not a count."""
    return isinstance(value, str | bytes | list | tuple | dict | set | frozenset) and not isinstance(value, enum.Enum)
