"""Telling whoever listens to a process. What a listener raises is logged once and harms nobody."""

import logging
from typing import Any

from planboard.events import Event, Listener

_log = logging.getLogger("planboard")


class Audience:
    """The listeners of one process."""

    __slots__ = ("_listeners", "_muted", "_process_id")

    def __init__(self, process_id: str, listeners: tuple[Listener, ...]) -> None:
        self._process_id = process_id
        self._listeners = listeners
        self._muted: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def tell(self, event: Event) -> None:
        """Tell all of them of an event, in their order."""
        for position, listener in enumerate(self._listeners):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - one failing listener harms nobody; it is logged
                self._log_once(position, listener)

    def _log_once(self, position: int, listener: Any) -> None:
        if position in self._muted:
            return
        self._muted.add(position)
        name = getattr(listener, "__qualname__", None) or type(listener).__qualname__
        _log.exception("Listener %s of process %s raised; the run goes on", name, self._process_id)
