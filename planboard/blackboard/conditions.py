"""How conditions are named in `pre=` and `post=`."""

from dataclasses import dataclass
from typing import Generic, TypeVar

ConditionT = TypeVar("ConditionT")


@dataclass(frozen=True, slots=True)
class Not(Generic[ConditionT]):
    """The negation of a condition: `pre=[Not(has_owner)]`, `post=[Not("draft")]`.

    A condition that is UNKNOWN satisfies neither itself nor its negation.
    """

    condition: ConditionT
    """A `@condition`, a condition's name, or a text expression."""
