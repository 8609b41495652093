"""What backs a planner's answer: how good a plan is shown to be, or what shows that there is none."""

from dataclasses import dataclass, replace
from fractions import Fraction

from planboard.planners.operator import Truth
from planboard.planners.problem import rounded


@dataclass(frozen=True, slots=True)
class Proof:
    """How good a plan is, and who says so. `str(proof)` is the reason in words."""

    engine: str
    """The engine or planner that answered: "relaxed", "astar", "greedy"."""
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


@dataclass(frozen=True, slots=True)
class Producer:
    """An operator that could bring about a missing fact, if it could run."""

    operator: str
    """The name of the action, with the outcome if it has several."""
    lacks: tuple[str, ...]
    """What it needs and cannot have: "approved", "not draft". Empty if it could run, but not where it would help."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A fact that is needed and out of reach."""

    fact: str
    """As listed: "approved", "not draft"."""
    now: Truth
    """What the fact is at the start."""
    producers: tuple[Producer, ...]
    """Who could bring it about, by name; none if nothing ever does."""


@dataclass(frozen=True, slots=True)
class Disproof:
    """Why a goal cannot be reached."""

    facts: tuple[str, ...]
    """Facts that nothing can bring about and that would be enough: with them the goal is in reach, unless undoing
    prevents it. Empty where each part of the goal could come about, but no order of actions gives all of them."""
    smallest: bool
    """Whether no smaller set would do; else it is only minimal: none of them can be left out."""
    obstacles: tuple[Obstacle, ...]
    """What is missing, from the goal down: each fact, who could bring it about, and what those lack."""
    nodes: int = 0
    """Search nodes it took to exhaust all that can be done; 0 if reachability showed it."""
