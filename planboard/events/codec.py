"""Events as text and back: versioned JSON, values through the codec of an agent, everything checked when it is read."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache
from math import isfinite
from typing import Any

from planboard._text import is_secret, masked
from planboard.blackboard.codec import Codec, from_text, to_text
from planboard.blackboard.entry import Entry
from planboard.blackboard.integrity import watch
from planboard.errors import EntryTypeError
from planboard.events import Event
from planboard.events.reading import _Misfit, read_event, without_infinities
from planboard.llm.port import ToolCall

VERSION = 1
"""The version that is written. Older ones are brought up to it when they are read."""

_UPGRADES: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""How to bring an event of a version up to the next one."""


class EventCodec:
    """Writes and reads the events of one agent.

    Args:
        codec: Writes and reads the values in them.
    """

    __slots__ = ("_written", "values")

    def __init__(self, codec: Codec) -> None:
        self.values = codec
        """Writes and reads the values."""
        self._written: dict[Entry, dict[str, Any]] = {}

    def check(self, entry: Entry) -> None:
        """See whether an entry can be written; if so, it is not looked at again when it is.

        Raises:
            EntryTypeError: It cannot; the message says what in it, and why.
        """
        self._written[entry] = self._written.get(entry) or self._stored(entry)

    def encode(self, event: Event) -> str:
        """Return an event as a JSON object.

        Raises:
            EntryTypeError: A value in it cannot be written without loss.
        """
        kind: Any = type(event)
        plain = {name: self._plain(getattr(event, name)) for name in _names(kind)}
        try:
            return to_text({"v": VERSION, **plain})
        except (ValueError, TypeError, RecursionError) as error:
            message = f"what happened ({event.kind}) cannot be written as JSON: {error}"
            raise EntryTypeError(message) from error

    def decode(self, text: str) -> Event:
        """Return the event that a text tells of.

        Raises:
            EntryTypeError: The text is no event, or a value in it does not fit its type.
        """
        try:
            data = from_text(text)
        except ValueError as error:
            message = f"this is no event, for it is no JSON: {error}"
            raise EntryTypeError(message) from None
        if not isinstance(data, dict) or type(data.get("v")) is not int:
            message = "this is no event, for it says no version"
            raise EntryTypeError(message)
        version = data.pop("v")
        if version > VERSION:
            message = f"the event is of version {version}; this Planboard knows versions up to {VERSION}. Update it."
            raise EntryTypeError(message)
        if version < 1:
            message = f"the event is of version {version}, which never was"
            raise EntryTypeError(message)
        for older in range(version, VERSION):
            data = _UPGRADES[older](data)
        try:
            return read_event(data, self._entry)
        except _Misfit as error:
            raise EntryTypeError(str(error)) from None
        except RecursionError:
            message = "it is nested too deeply"
            raise EntryTypeError(message) from None

    def _plain(self, value: Any) -> Any:
        if isinstance(value, Entry):
            return self._written.pop(value, None) or self._stored(value)
        if isinstance(value, tuple):
            return [self._plain(item) for item in value]
        if isinstance(value, ToolCall):
            return {"id": value.id, "name": value.name, "arguments": _without_secrets(value.arguments)}
        if isinstance(value, dict):
            return without_infinities(value)
        return str(value) if isinstance(value, float) and not isfinite(value) else value

    def _stored(self, entry: Entry) -> dict[str, Any]:
        try:
            value = self.values.encode(entry.value, name=entry.name)
            form = None if entry.type is None else self.values.registry.form_name(entry.type)
        except EntryTypeError as error:
            message = f"the {entry} from {entry.producer!r} cannot be kept in the journal: {error}"
            raise EntryTypeError(message) from error
        return {
            "position": entry.position,
            "value": value,
            "type": form,
            "name": entry.name,
            "producer": entry.producer,
            "protected": entry.protected,
        }

    def _entry(self, stored: Any) -> Entry:
        kinds = {"position": int, "type": str | None, "name": str | None, "producer": str, "protected": bool}
        if not isinstance(stored, dict) or set(stored) != {*kinds, "value"}:
            message = "an entry has position, value, type, name, producer and protected"
            raise EntryTypeError(message)
        for name, kind in kinds.items():
            if not isinstance(stored[name], kind) or stored["position"] is True or stored["position"] is False:
                message = f"the {name} of an entry is {stored[name]!r}"
                raise EntryTypeError(message)
        form = None if stored["type"] is None else self.values.registry.form_named(stored["type"])
        value = self.values.decode(stored["value"], form)
        position, name, producer = stored["position"], stored["name"], stored["producer"]
        return Entry(position, value, form, name, producer, stored["protected"], watch(value))


@lru_cache(maxsize=64)
def _names(kind: Any) -> tuple[str, ...]:
    cls: Any = kind
    return tuple(field.name for field in fields(cls))


def _without_secrets(arguments: str) -> str:
    """Return a call's arguments as they are, unless something in them is secret by its name."""
    if not is_secret(arguments):
        return arguments
    try:
        return json.dumps(masked(json.loads(arguments)), ensure_ascii=False)
    except (ValueError, RecursionError):
        return "{}"
