"""The events of a kept run, read without its agent: values stay data, and nothing of a user's code is imported."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_jsonable_python

from planboard._text import is_secret
from planboard.blackboard.codec import Codec
from planboard.blackboard.entry import Entry
from planboard.blackboard.registry import TypeRegistry
from planboard.blackboard.scalars import SCALARS
from planboard.errors import CorruptJournalError, EntryTypeError
from planboard.events import Event
from planboard.events.codec import EventCodec
from planboard.journal.port import Record

_HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class Happened:
    """An event, and when it happened."""

    event: Event
    at: float | None
    """In seconds since 1970; `None` where that is not kept with the event."""


class _DataCodec(EventCodec):
    """Reads events and leaves the values in them as data."""

    def __init__(self) -> None:
        super().__init__(Codec(TypeRegistry(())))

    def _entry(self, stored: Any) -> Entry:
        try:
            value, form = stored["value"], stored["type"] or _type_of(stored["value"])
            position, name, producer = int(stored["position"]), stored["name"], str(stored["producer"])
            return Entry(position, plain(value), form, name, producer, bool(stored["protected"]))
        except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
            message = "an entry has position, value, type, name, producer and protected"
            raise EntryTypeError(message) from error


def happened(run_id: str, records: Iterable[Record]) -> Iterator[Happened]:
    """Yield the events of a run, in order; the values in them are data that people can read.

    Raises:
        CorruptJournalError: One of them cannot be read; the message says which.
    """
    codec = _DataCodec()
    for record in records:
        try:
            event = codec.decode(record.body)
        except EntryTypeError as error:
            message = f"Event {record.seq} ({record.kind}) of run {run_id!r} cannot be read: {error}"
            raise CorruptJournalError(run_id, message) from error
        yield Happened(event, record.at or None)


def plain(stored: Any) -> Any:
    """Return stored data as people read it: without the names of classes, and without what is secret."""
    if isinstance(stored, list):
        return [plain(item) for item in stored]
    if not isinstance(stored, dict):
        return stored
    if "$secret" in stored:
        return _HIDDEN
    if "$t" in stored:
        return _standard(stored["$t"], stored.get("v"))
    if "$" in stored:
        value, extra = plain(stored.get("v")), plain(stored.get("extra") or {})
        return {**value, **extra} if isinstance(value, dict) and isinstance(extra, dict) else value
    return {name: _HIDDEN if is_secret(name) else plain(value) for name, value in stored.items()}


def _standard(kind: Any, value: Any) -> Any:
    """Return a value of a standard class as people read it."""
    if kind == "dict":
        pairs = [(str(plain(key)), plain(item)) for key, item in value]
        return {key: _HIDDEN if is_secret(key) else item for key, item in pairs}
    scalar = _SCALARS.get(kind)
    if scalar is not None:
        return to_jsonable_python(scalar.read(value), fallback=str, bytes_mode="base64")
    return int(value, 16) if kind == "int" else plain(value)


_SCALARS = {scalar.name: scalar for scalar in SCALARS.values()}


def _type_of(stored: Any) -> str:
    """Return the class of a stored value, by name."""
    if isinstance(stored, dict):
        return str(stored.get("$") or stored.get("$t") or "dict")
    return "None" if stored is None else type(stored).__name__
