"""Conditions over parameters, and what remains of them once the parameters are objects.

A formula is in negation normal form. Given objects for its variables and whatever is known about the facts, it is
rewritten to alternatives: sets of facts with the values they must have, any one of which satisfies the formula.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from planboard.errors import TranslationError

Term: TypeAlias = int | str
"""A variable, as its position in a binding, or an object by name."""

Terms: TypeAlias = tuple[Term, ...]

Binding: TypeAlias = Sequence[str]
"""The objects that variables stand for."""

Atom: TypeAlias = tuple[str, ...]
"""A fact: the name of a fluent, and objects."""

Facts: TypeAlias = dict[Atom, bool]
"""Facts with the values they must have, all of them."""

Known: TypeAlias = Callable[[Atom], bool | None]
"""What is known of a fact; `None` if it may be either."""

ALTERNATIVES = 4096
"""Ways to satisfy one condition, or outcomes of one action, beyond which a problem is refused."""

_COMPARED = 128
"""Alternatives up to which each is compared with each; beyond that only equal ones are dropped."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A fluent is true, or is false."""

    fluent: str
    terms: Terms
    truth: bool = True

    def atom(self, binding: Binding) -> Atom:
        """Return the fact it is about."""
        return (self.fluent, *[binding[term] if isinstance(term, int) else term for term in self.terms])


@dataclass(frozen=True, slots=True)
class Same:
    """Two terms are one object, or are not."""

    left: Term
    right: Term
    truth: bool = True


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of numbers that never change, which holds or does not."""

    test: Callable[[Binding], bool]
    slots: frozenset[int]
    truth: bool = True


@dataclass(frozen=True, slots=True)
class Junction:
    """All of its parts hold, or with `every=False` any of them. Without parts it is true, or false."""

    parts: tuple["Formula", ...]
    every: bool = True


@dataclass(frozen=True, slots=True)
class Quantified:
    """The body holds for every choice of objects for some variables, or for any."""

    slots: tuple[tuple[int, tuple[str, ...]], ...]
    """Positions in the binding, each with the objects to choose from."""
    body: "Formula"
    every: bool


Formula: TypeAlias = Literal | Same | Test | Junction | Quantified

TRUE = Junction(())


def conjuncts(formula: Formula) -> list[Formula]:
    """Return the parts that must all hold."""
    if isinstance(formula, Junction) and formula.every:
        return [part for inner in formula.parts for part in conjuncts(inner)]
    return [formula]


def free_slots(formula: Formula) -> frozenset[int]:
    """Return the variables whose objects decide about the formula."""
    match formula:
        case Literal(_, terms):
            return frozenset(term for term in terms if isinstance(term, int))
        case Same(left, right):
            return frozenset(term for term in (left, right) if isinstance(term, int))
        case Test(_, slots):
            return slots
        case Junction(parts):
            return frozenset().union(*(free_slots(part) for part in parts))
        case Quantified(slots, body):
            return free_slots(body) - {slot for slot, _ in slots}


def truth(formula: Formula, binding: list[str], known: Known) -> bool | None:
    """Return whether the formula holds by what is known; `None` if that does not settle it."""
    match formula:
        case Literal(_, _, wanted):
            value = known(formula.atom(binding))
            return None if value is None else value is wanted
        case Same(left, right, wanted):
            return (_object(left, binding) == _object(right, binding)) is wanted
        case Test(test, _, wanted):
            return test(binding) is wanted
        case Junction(parts, every):
            return _joined((truth(part, binding, known) for part in parts), every=every)
        case Quantified(slots, body, every):
            return _joined((truth(body, choice, known) for choice in choices(slots, binding)), every=every)


def alternatives(formula: Formula, binding: list[str], known: Known, where: str) -> list[Facts]:
    """Return the ways to satisfy a formula: none if it is false, one that demands nothing if it is true.

    Raises:
        TranslationError: If there are too many.
    """
    match formula:
        case Literal():
            return _all_literals([formula], binding, known)
        case Same() | Test():
            return [{}] if truth(formula, binding, known) else []
        case Junction(parts, every) if every:
            literals = [part for part in parts if isinstance(part, Literal)]
            found = _all_literals(literals, binding, known)
            if found and len(literals) < len(parts):
                others = (part for part in parts if not isinstance(part, Literal))
                found = all_of((found, *(alternatives(part, binding, known, where) for part in others)), where)
            return found
        case Junction(parts):
            return any_of((alternatives(part, binding, known, where) for part in parts), where)
        case Quantified(slots, body, every):
            ways = (alternatives(body, choice, known, where) for choice in choices(slots, binding))
            return all_of(ways, where) if every else any_of(ways, where)


def all_of(ways: Iterable[list[Facts]], where: str) -> list[Facts]:
    """Return the ways to satisfy several formulas at once."""
    found: list[Facts] = [{}]
    for choice in ways:
        merged = [union for one in found for other in choice if (union := together(one, other)) is not None]
        found = _smallest(_counted(merged, where))
        if not found:
            break
    return found


def any_of(ways: Iterable[list[Facts]], where: str) -> list[Facts]:
    """Return the ways to satisfy any of several formulas."""
    found: list[Facts] = []
    for choice in ways:
        found.extend(choice)
        if {} in choice:
            return [{}]
    return _smallest(_counted(found, where))


def together(one: Facts, other: Facts) -> Facts | None:
    """Return the demands of both; `None` if they contradict each other."""
    if len(one) < len(other):
        one, other = other, one
    for atom, value in other.items():
        if one.get(atom, value) is not value:
            return None
    return {**one, **other}


def choices(slots: tuple[tuple[int, tuple[str, ...]], ...], binding: list[str]) -> Iterator[list[str]]:
    """Yield the binding with every choice of objects for some variables."""
    if not slots:
        yield binding
        return
    for objects in product(*(domain for _, domain in slots)):
        choice = list(binding)
        for (slot, _), chosen in zip(slots, objects, strict=True):
            choice[slot] = chosen
        yield choice


def _all_literals(literals: list[Literal], binding: Binding, known: Known) -> list[Facts]:
    """Return the one way to satisfy all of them, if there is any; the usual case, and the fast one."""
    facts: Facts = {}
    for literal in literals:
        atom, wanted = literal.atom(binding), literal.truth
        value = known(atom)
        if value is None:
            value = facts.setdefault(atom, wanted)
        if value is not wanted:
            return []
    return [facts]


def _object(term: Term, binding: Binding) -> str:
    return binding[term] if isinstance(term, int) else term


def _joined(values: Iterable[bool | None], *, every: bool) -> bool | None:
    """Return the conjunction or disjunction of three-valued truths."""
    settled: bool | None = every
    for value in values:
        if value is (not every):
            return value
        if value is None:
            settled = None
    return settled


def _counted(found: list[Facts], where: str) -> list[Facts]:
    if len(found) > ALTERNATIVES:
        raise TranslationError(
            f"{where}: more than {ALTERNATIVES} ways to satisfy one condition. Split the action, or introduce a fluent "
            "for a part of the condition."
        )
    return found


def _smallest(found: list[Facts]) -> list[Facts]:
    """Drop what demands as much as another way and more; the first of equals stays."""
    if len(found) <= 1:
        return found
    distinct = list({frozenset(facts.items()): facts for facts in reversed(found)}.values())[::-1]
    if len(distinct) > _COMPARED:
        return distinct
    kept: list[Facts] = []
    for facts in sorted(distinct, key=len):
        if not any(other.items() <= facts.items() for other in kept):
            kept.append(facts)
    return kept
