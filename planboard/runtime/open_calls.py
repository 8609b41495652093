"""Calls that were begun and have no result yet: running, waiting for a person, for time, or for a child."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from planboard.events.waits import RequestMade

Phase: TypeAlias = Literal["running", "asked", "released", "asleep", "suspended"]
"""Running; waiting for an answer; ready to run, with consent; sleeping; stopped while a child waits."""


@dataclass(slots=True)
class OpenCall:
    """One call, as far as it has got."""

    number: int
    action: str
    inputs: tuple[int, ...]
    """The positions of the entries it was first given."""
    tool_call: str | None = None
    phase: Phase = "running"
    request: RequestMade | None = None
    """What is asked about it, or was asked last."""
    changed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Arguments that a person has changed: the positions of the entries, by parameter."""
    given: tuple[int, ...] | None = None
    """The positions of the entries it was given when it was run last, if they may be others than at first."""
    until: float | None = None
    """When its sleep, or its request, is over."""
    attempt: int = 1
    """Which attempt runs."""
    started: bool = False
    """Whether it has begun to run, and was paid for."""
    consented: bool = False
    """Whether a person has agreed to it, so that nobody is asked twice."""
