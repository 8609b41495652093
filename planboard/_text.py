"""Words for messages: the closest match to a name, and lists that read well."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

_SHOWN = 8
_SECRET_NAME = r"(?:password|passwd|secret|credential|(?:api|private)[-_]?key|(?:access|auth|bearer|refresh)[-_]?token)"  # noqa: S105 - names of fields
_FIELD = re.compile(r"""(?<!\w)['"]?(\w++)['"]?\s?[=:]\s?""")
"""The name of a field in the text of an object: `api_key=`, `'password': `. It takes time in proportion to the text."""
_BEARER = re.compile(r"(?<!\w)(bearer\s)(?=\S*\d)[\w.~+/=-]{8,}", re.IGNORECASE)
"""A token as a header of HTTP has it: `Authorization: Bearer 3fa9...`. It has a digit, which few words have."""
_VALUE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,)}\]]+""")


def suggest(name: str, known: Iterable[str]) -> str:
    """Return "Did you mean 'triage'?" or, with no close match, the known names.

    The known names are sorted, so a message never depends on the order of registration.
    """
    names = sorted(set(known))
    lowered = {known_name.lower(): known_name for known_name in reversed(names)}
    close = get_close_matches(name.lower(), list(lowered), n=1, cutoff=0.6)
    if close:
        return f"Did you mean {lowered[close[0]]!r}?"
    if not names:
        return "None are known."
    shown = ", ".join(repr(known_name) for known_name in names[:_SHOWN])
    rest = len(names) - _SHOWN
    return f"Known: {shown}{f' and {rest} more' if rest > 0 else ''}."


def listed(names: Iterable[str], *, conjunction: str = "and") -> str:
    """Join names as a person would: "a", "a and b", "a, b and c"."""
    items = list(names)
    if len(items) <= 1:
        return "".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"


def is_secret(name: str) -> bool:
    """Tell whether a field is secret by its name, such as `api_key`."""
    return re.search(_SECRET_NAME, name, re.IGNORECASE) is not None


def without_secrets(text: str) -> str:
    """Return a text without what stands in it under a name such as `api_key`: "api_key='x'" is "api_key=***"."""
    text = _BEARER.sub(r"\1***", text)
    pieces: list[str] = []
    done = 0
    for field in _FIELD.finditer(text):
        value = _VALUE.match(text, field.end()) if field.start() >= done and is_secret(field[1]) else None
        if value is not None:
            pieces += (text[done : field.end()], "***")
            done = value.end()
    return "".join((*pieces, text[done:]))


def masked(plain: Any) -> Any:
    """Return plain data without what is secret by its name; what is secret by its type is hidden already."""
    if isinstance(plain, list):
        return [masked(item) for item in plain]
    if isinstance(plain, dict):
        return {key: "***" if is_secret(str(key)) else masked(item) for key, item in plain.items()}
    return plain


def brief(value: object, limit: int = 80) -> str:
    """Return `repr(value)` on one line, cut to `limit` characters, without what fields called `api_key` and so on hold.

    A value whose `repr` raises is shown by its type: a message about a fault must not hide it behind another.
    """
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - the repr is the user's; its failure becomes part of the text
        text = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    text = without_secrets(" ".join(text.split()))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
