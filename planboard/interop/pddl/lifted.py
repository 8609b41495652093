"""A classical planning problem before its parameters are filled in, in terms of our own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from planboard.interop.pddl.formula import Atom, Binding, Formula, Literal, Terms

Domains: TypeAlias = tuple[tuple[str, ...], ...]
"""For each variable, by its position in a binding, the objects it may stand for."""

Cost: TypeAlias = Callable[[Binding], Fraction]
"""What an action costs with these objects."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A fluent becomes true or false, if a condition holds before the action."""

    fluent: str
    terms: Terms
    truth: bool
    when: Formula
    """The condition; `TRUE` if there is none."""
    unless: Formula
    """The condition, negated."""
    slots: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """Variables of its own: it takes place for every choice of objects."""

    def atom(self, binding: Binding) -> Atom:
        """Return the fact that becomes true or false."""
        return Literal(self.fluent, self.terms).atom(binding)


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with parameters."""

    name: str
    arity: int
    """Parameters come first in a binding; what follows are variables of quantifiers and effects."""
    domains: Domains
    """Of all variables."""
    pre: Formula
    effects: tuple[Effect, ...]
    cost: Cost


@dataclass(frozen=True, slots=True)
class Task:
    """A problem: what is true at the start, what can be done, what is wanted."""

    init: frozenset[Atom]
    """The facts that are true; all others are false."""
    fluents: Mapping[str, Domains]
    """The fluents with the objects that their arguments may be."""
    schemas: tuple[Schema, ...]
    goal: Formula
    goal_slots: int
    """How many variables the goal's quantifiers have."""

    @property
    def changing(self) -> frozenset[str]:
        """The fluents that some action affects; the others are as they are at the start."""
        return frozenset(effect.fluent for schema in self.schemas for effect in schema.effects)
