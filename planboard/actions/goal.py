"""What a run is for."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planboard.errors import DefinitionError
from planboard.types import TypeForm, is_type, type_name


class Goal:
    """Something that must hold for success.

    `Goal(Report)` is met once a `Report` is on the board; `Goal(pre=[approved])` once conditions hold; both
    together once both do. For "a `Report` from an action that is meant to make the final one" use `@achieves_goal`.

    Example:
        >>> Goal(str, value=0.5)
        Goal(str, value=0.5)
    """

    __slots__ = ("description", "form", "name", "pre", "producers", "value")

    def __init__(
        self,
        form: TypeForm = None,
        *,
        pre: Iterable[Any] = (),
        value: float = 0.0,
        name: str | None = None,
        description: str = "",
    ) -> None:
        if form is not None and not is_type(form):
            message = f"Goal({form!r}): a goal is about a type, or about conditions with `pre=`."
            raise DefinitionError(message)
        self.form = form
        """The type that must be on the board, or `None`."""
        self.pre = tuple(pre) if not isinstance(pre, str) else (pre,)
        """Conditions that must hold, written as in `@action(pre=...)`."""
        self.value = checked_share("value", value, f"Goal {name or form!r}", limit=None)
        """What reaching it is worth."""
        self.name = name or (type_name(form) if form is not None else "goal")
        self.description = description
        self.producers: tuple[str, ...] | None = None
        """The actions that can achieve it; `None` when it does not matter who does."""
        if form is None and not self.pre:
            message = "A Goal needs a type, conditions (`pre=`) or both."
            raise DefinitionError(message)

    @classmethod
    def achieved_by(cls, action: str, form: TypeForm, achievement: "Achievement") -> "Goal":
        """Return the goal that `@achieves_goal` makes of an action's output."""
        goal = cls(form, value=achievement.value, name=achievement.name or action, description=achievement.description)
        goal.producers = (action,)
        return goal

    def __repr__(self) -> str:
        parts = [type_name(self.form)] if self.form is not None else []
        parts += [f"pre={list(self.pre)!r}"] if self.pre else []
        parts += [f"value={self.value}"] if self.value else []
        parts += [f"name={self.name!r}"] if self.form is None or self.name != type_name(self.form) else []
        return f"Goal({', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class Achievement:
    """What `@achieves_goal` says of an action."""

    description: str
    value: float = 0.0
    name: str | None = None


def is_seconds(number: object) -> bool:
    """Tell whether something is a span of time in seconds: a finite number, 0 or more."""
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number < float("inf")


def checked_share(what: str, number: Any, of: str, *, limit: float | None = 1.0) -> float:
    """Return a static cost or value as a float.

    Raises:
        DefinitionError: It is no number between 0 and `limit` (no finite number, without a limit).
    """
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    finite = is_number and number == number and abs(number) != float("inf")  # noqa: PLR0124 - NaN
    if not finite or (limit is not None and not 0 <= number <= limit):
        allowed = "a finite number" if limit is None else f"a number from 0 to {limit:g}"
        message = f"{of} has {what}={number!r}; it must be {allowed}."
        raise DefinitionError(message)
    return float(number)
