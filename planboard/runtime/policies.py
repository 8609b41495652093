"""Policies of a run: which actions need a person's consent, and which must not run at all."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from planboard.errors import DefinitionError
from planboard.runtime.requests import Deny

Opinion: TypeAlias = bool | str | Deny | None
"""`True`, or the words of the question: ask a person. `Deny(reason)`: it must not run. Anything else: no objection."""

Rule: TypeAlias = Callable[[str, Mapping[str, Any]], Opinion]
"""Looks at the name of an action and its arguments, by parameter."""


@dataclass(frozen=True, slots=True)
class Approval:
    """Ask a person before an action runs, for a whole process and all its children.

    Where several have an opinion the strictest holds: not to run, then to ask.

    Example:
        >>> spending = Approval("pay_*", prompt="Is this payment in order?", expires=timedelta(days=2))
        >>> spending.opinion("pay_invoice", {})
        'Is this payment in order?'
    """

    match: str | Rule = "*"
    """Names of actions, with `*` and `?`; or a function of an action's name and arguments."""
    prompt: str | None = None
    """The question, if the function gives none."""
    expires: timedelta | float | None = None
    """How long the question stands, as a length of time or in seconds; after that it counts as denied."""

    def __post_init__(self) -> None:
        if not (isinstance(self.match, str) or callable(self.match)):
            message = f"Approval(match={self.match!r}): it is a pattern such as 'pay_*', or a function."
            raise DefinitionError(message)
        if self.expires is not None and not _is_length(self.expires):
            message = f"Approval(expires={self.expires!r}): it is a timedelta or a number of seconds above 0."
            raise DefinitionError(message)

    def opinion(self, action: str, arguments: Mapping[str, Any]) -> Opinion:
        """Return what this policy says to an action with these arguments."""
        if isinstance(self.match, str):
            return (self.prompt or True) if fnmatchcase(action, self.match) else None
        found = self.match(action, arguments)
        return self.prompt or True if found is True else found

    @property
    def seconds(self) -> float | None:
        """How long the question stands, in seconds."""
        return self.expires.total_seconds() if isinstance(self.expires, timedelta) else self.expires

    def to_data(self) -> dict[str, Any]:
        """Return the policy as data. A function cannot be stored, so it is named and has to be given again."""
        rule = None if isinstance(self.match, str) else getattr(self.match, "__qualname__", type(self.match).__name__)
        pattern = self.match if rule is None else None
        return {"match": pattern, "function": rule, "prompt": self.prompt, "expires": self.seconds}


def as_policies(given: Any) -> tuple[Approval, ...]:
    """Return policies that were given as such, as patterns or as functions; one or several.

    Raises:
        DefinitionError: Something is none of these.
    """
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    return tuple(item if isinstance(item, Approval) else Approval(item) for item in several)


def _is_length(expires: Any) -> bool:
    seconds = expires.total_seconds() if isinstance(expires, timedelta) else expires
    return isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds < float("inf")
