"""What backs a planner's answer: how good a plan is shown to be, and by what."""

from dataclasses import dataclass, replace
from fractions import Fraction

from planboard.planners.problem import rounded


@dataclass(frozen=True, slots=True)
class Proof:
    """How good a plan is, and who says so. `str(proof)` is the reason in words."""

    engine: str
    """The engine or planner that answered: "relaxed", "astar", "utility"."""
    optimal: bool
    """Whether no plan costs less."""
    reason: str
    """Why the plan is to be trusted, or what is not proven about it."""
    nodes: int = 0
    """Search nodes it took; the same on every machine."""
    exact_bound: Fraction = Fraction(0)
    """`bound` before rounding."""
    exact_gap: Fraction = Fraction(0)
    """`gap` before rounding."""

    @property
    def bound(self) -> float:
        """No plan costs less than this. With `objective="net"` costs are counted less values."""
        return rounded(self.exact_bound)

    @property
    def gap(self) -> float:
        """How much the plan costs above the bound: 0 for a plan of least cost."""
        return rounded(self.exact_gap)

    def after(self, paid: Fraction) -> "Proof":
        """Return the proof of the rest of the plan, once some of its cost is paid.

        The rest of a plan of least cost is a plan of least cost, and the gap of the whole is at least the gap of
        the rest, for the bound holds for what was paid and the rest together.
        """
        return replace(self, exact_bound=max(Fraction(0), self.exact_bound - paid))

    def __str__(self) -> str:
        return self.reason
