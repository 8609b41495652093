"""Keeping secrets out of files: which words of a command hold some, and the words without them.

Secret is what a `SecretStr` or its like holds, and what stands under a name such as `api_key`.
"""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from planboard._text import is_secret
from planboard.cli.fitting import read_json
from planboard.cli.inputs import PAIR

PLACEHOLDER = "***"
"""What stands where a secret was."""
_TELLING = 4
"""Secrets shorter than this are no sign of a leak where they occur in other text."""


def secrets_in(value: object, *, hidden: bool = False) -> Iterator[str]:
    """Yield the secrets that an object holds, at any depth.

    Args:
        value: The object.
        hidden: Whether all it holds is secret.
    """
    reveal = getattr(value, "get_secret_value", None)
    if callable(reveal):
        yield from secrets_in(reveal(), hidden=True)
    elif isinstance(value, BaseModel):
        named = {**{name: getattr(value, name, None) for name in type(value).model_fields}, **(value.model_extra or {})}
        yield from secrets_in(named, hidden=hidden)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = {item.name: getattr(value, item.name, None) for item in dataclasses.fields(value)}
        yield from secrets_in(named, hidden=hidden)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from secrets_in(item, hidden=hidden or is_secret(str(name)))
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from secrets_in(item, hidden=hidden)
    elif hidden and isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif hidden and value not in (None, "") and not isinstance(value, bool):
        yield str(value)


def redacted(word: str, secrets: Iterable[str]) -> str:
    """Return an input as typed, but with a placeholder for every secret in it."""
    known = frozenset(secrets)
    pair = PAIR.fullmatch(word)
    key, text = pair.groups() if pair else ("", word)
    hidden = any(map(is_secret, key.split(".")))
    data = read_json(text)
    if not isinstance(data, dict | list):
        is_hidden = bool(text) and (hidden or text in known or str(data) in known)
        clean = PLACEHOLDER if is_hidden else text
    else:
        without = _without(data, known, hidden=hidden)
        clean = text if without == data else json.dumps(without, ensure_ascii=False)
    return f"{key}={clean}" if pair else clean


def leaks(words: Iterable[str], secrets: Iterable[str]) -> bool:
    """Tell whether a secret is still to be read in some words."""
    telling = [secret for secret in secrets if len(secret) >= _TELLING and secret != PLACEHOLDER]
    return any(secret in word for word in words for secret in telling)


def _without(data: Any, known: frozenset[str], *, hidden: bool) -> Any:
    if isinstance(data, dict):
        return {name: _without(item, known, hidden=hidden or is_secret(name)) for name, item in data.items()}
    if isinstance(data, list):
        return [_without(item, known, hidden=hidden) for item in data]
    if data is None or isinstance(data, bool):
        return data
    return PLACEHOLDER if hidden or str(data) in known else data
