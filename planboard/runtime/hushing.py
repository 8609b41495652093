"""Texts that are kept and shown, without the secrets that an action was given.

What a text says under a secret name is hidden wherever texts are made. Here it is about a secret that stands in the
middle of one, as in "no such account: hunter2", which only those can find who know what the action was given.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass

from pydantic import BaseModel, Secret, SecretBytes, SecretStr

from planboard._text import is_secret, without_secrets
from planboard.blackboard.entry import Entry

_SHORTEST = 4
"""Shorter texts stand in others by chance."""
_DEPTH = 8
_HIDDEN = "***"
_LABEL = 80
"""Characters of a label that are kept."""
_LOOKED_AT = 2_000
"""Characters of a label that are looked at for what is secret by its name."""


def hushed(text: str, given: Iterable[Entry]) -> str:
    """Return a text without the secrets in some entries: values of secret types, and texts under secret names."""
    return without(secrets_in(given), text)


def secrets_in(given: Iterable[Entry]) -> tuple[str, ...]:
    """Return the secrets in some entries, the longest first: one may be the beginning of another."""
    found = {secret for entry in given for secret in _secrets(entry.value, is_secret(entry.name or ""), _DEPTH)}
    return tuple(sorted(found, key=lambda one: (-len(one), one)))


def without(secrets: Iterable[str], text: str) -> str:
    """Return a text without some secrets, of which the longest are first."""
    for secret in secrets:
        text = text.replace(secret, _HIDDEN)
    return text


def short_label(label: str, secrets: Iterable[str]) -> str:
    """Return a label as it is kept: on one line, short, and without secrets."""
    text = without_secrets(without(secrets, label)[:_LOOKED_AT])  # before it is cut, for half a secret looks like none
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= _LABEL else f"{line[: _LABEL - 1]}…"


def _secrets(value: object, hidden: bool, depth: int) -> Iterator[str]:  # noqa: FBT001 - handed down
    if isinstance(value, Secret | SecretStr | SecretBytes):
        value, hidden = value.get_secret_value(), True
    if isinstance(value, bytes) and hidden:
        value = value.decode(errors="replace")
    if isinstance(value, str):
        if hidden and len(value) >= _SHORTEST:
            yield value
        return
    if depth == 0:
        return
    for name, part in _parts(value):
        yield from _secrets(part, hidden or is_secret(name), depth - 1)


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, BaseModel):
        yield from value.__dict__.items()
        yield from (value.__pydantic_extra__ or {}).items()
    elif is_dataclass(value) and not isinstance(value, type):
        yield from ((item.name, getattr(value, item.name, None)) for item in fields(value))
    elif isinstance(value, Mapping):
        yield from ((str(key), part) for key, part in value.items())
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (("", part) for part in value)
