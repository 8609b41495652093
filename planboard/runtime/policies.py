"""Policies of a run: which actions need a person's consent, and which must not run at all."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from inspect import iscoroutine
from typing import Any, TypeAlias

from planboard._text import brief
from planboard.blackboard.schema import describe_error
from planboard.errors import DefinitionError, PlanningError
from planboard.runtime.requests import Deny

Opinion: TypeAlias = bool | str | Deny | None
"""`True`, or the words of the question: ask a person. `Deny(reason)`: it must not run. `None` or `False`: no
objection. Anything else is a mistake, and nothing runs."""

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
        """Return what this policy says to an action with these arguments.

        Raises:
            PlanningError: Its function raised, or said something that means nothing.
        """
        if isinstance(self.match, str):
            return (self.prompt or True) if fnmatchcase(action, self.match) else None
        try:
            found: Any = self.match(action, arguments)
        except Exception as error:
            message = f"{self._named} raised {describe_error(error)} about action {action!r}, so that does not run."
            raise PlanningError(message) from error
        if found is not None and not isinstance(found, bool | str | Deny):
            if iscoroutine(found):
                found.close()
            message = (
                f"{self._named} said {brief(found)} about action {action!r}, so that does not run. A policy is a plain "
                "function that returns True, a question, Deny(reason) or None."
            )
            raise PlanningError(message)
        return (self.prompt or True) if found is True or found == "" else found

    @property
    def _named(self) -> str:
        return f"The policy {getattr(self.match, '__qualname__', type(self.match).__name__)!r}"

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
