"""Facts as relations, and the joins that find which objects fill in a rule."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from planboard.interop.pddl.formula import Atom, Formula, Known, Literal, Term, Terms, free_slots, truth
from planboard.interop.pddl.lifted import Domains

_Index: TypeAlias = dict[tuple[str, ...], list[Atom]]


class Relation:
    """The facts of one fluent, found by any of their parts."""

    def __init__(self) -> None:
        self._rows: list[Atom] = []
        self._indexes: dict[tuple[int, ...], _Index] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, atom: Atom) -> None:
        """Add a fact that is not there yet."""
        self._rows.append(atom)
        for positions, index in self._indexes.items():
            index.setdefault(tuple([atom[position] for position in positions]), []).append(atom)

    def index(self, positions: tuple[int, ...]) -> _Index:
        """Return the facts by what they have at some positions; the index grows with the relation."""
        known = self._indexes.get(positions)
        if known is None:
            known = self._indexes[positions] = {}
            for atom in self._rows:
                known.setdefault(tuple([atom[position] for position in positions]), []).append(atom)
        return known


@dataclass(frozen=True, slots=True)
class Rule:
    """What must be found together: facts, and what else can be told from the objects alone."""

    domains: Domains
    """The objects of each variable, by position."""
    wanted: tuple[int, ...]
    """The variables to be filled in."""
    body: tuple[Literal, ...]
    """Facts that must be there."""
    checks: tuple[Formula, ...]
    """Conditions; what is known to make one false is left out."""


@dataclass(frozen=True, slots=True)
class Store:
    """The facts so far, what is known for good, and what the arguments of a fluent may be."""

    relations: Mapping[str, Relation]
    fluents: Mapping[str, Domains]
    static: frozenset[str]
    """Fluents whose relations are complete."""
    known: Known

    def fits(self, fluent: str, position: int, domain: tuple[str, ...]) -> frozenset[str] | None:
        """Return which objects of a fluent's facts suit a variable; `None` if all do."""
        allowed = frozenset(domain)
        return None if allowed.issuperset(self.fluents[fluent][position - 1]) else allowed


@dataclass(frozen=True, slots=True)
class _Step:
    """One more fact on the way to a whole binding, or one more variable where no fact says what it is."""

    index: _Index | None = None
    key: Terms = ()
    """What to look up in the index."""
    rows: tuple[Atom, ...] = ()
    """What to go through if there is no index."""
    constants: tuple[tuple[int, str], ...] = ()
    """Positions of the fact, with the objects that must be there."""
    equal: tuple[tuple[int, int], ...] = ()
    """Positions of the fact that must be alike."""
    binds: tuple[tuple[int, int, frozenset[str] | None], ...] = ()
    """Positions of the fact, with the variables that take what is there, and which objects suit them."""
    checks: tuple[Formula, ...] = ()


class Join:
    """Finds the bindings of a rule, beginning with one of its facts (the trigger) or with nothing."""

    def __init__(self, rule: Rule, trigger: int | None, store: Store) -> None:
        self._size = len(rule.domains)
        self._known = store.known
        self._steps = _Order(rule, store).steps(trigger)

    def bindings(self, trigger: Atom = ()) -> Iterator[list[str]]:
        """Yield the bindings in which the trigger is this fact; it is one list, filled in again and again."""
        binding = [""] * self._size
        if self._binds(self._steps[0], trigger, binding):
            yield from self._extended(binding, 1)

    def _extended(self, binding: list[str], number: int) -> Iterator[list[str]]:
        if number == len(self._steps):
            yield binding
            return
        step = self._steps[number]
        rows: Sequence[Atom] = step.rows
        if step.index is not None:
            rows = step.index.get(tuple([binding[term] if isinstance(term, int) else term for term in step.key]), ())
        for atom in rows:
            if self._binds(step, atom, binding):
                yield from self._extended(binding, number + 1)

    def _binds(self, step: _Step, atom: Atom, binding: list[str]) -> bool:
        for position, thing in step.constants:
            if atom[position] != thing:
                return False
        for one, other in step.equal:
            if atom[one] != atom[other]:
                return False
        for position, slot, allowed in step.binds:
            thing = atom[position]
            if allowed is not None and thing not in allowed:
                return False
            binding[slot] = thing
        return not step.checks or all(truth(check, binding, self._known) is not False for check in step.checks)


class _Order:
    """Decides in which order a rule is filled in: what is tied to something first, then what leaves least open."""

    def __init__(self, rule: Rule, store: Store) -> None:
        self._rule = rule
        self._store = store
        self._bound: set[int] = set()
        self._checks = [(free_slots(check), check) for check in rule.checks]
        self._steps: list[_Step] = []

    def steps(self, trigger: int | None) -> tuple[_Step, ...]:
        left = list(self._rule.body)
        if trigger is None:
            self._add((), ())
        else:
            self._add_fact(left.pop(trigger), first=True)
        while left:
            following = min(range(len(left)), key=lambda number: self._rank(left[number]))
            self._add_fact(left.pop(following))
        for slot in self._rule.wanted:
            if slot not in self._bound:
                self._add((), ((0, slot, None),), rows=tuple((thing,) for thing in self._rule.domains[slot]))
        return tuple(self._steps)

    def _rank(self, literal: Literal) -> tuple[bool, int, bool, int]:
        variables = {term for term in literal.terms if isinstance(term, int)}
        open_ones = len(variables - self._bound)
        loose = open_ones == len(literal.terms) > 0
        static = literal.fluent in self._store.static
        return loose, open_ones, not static, len(self._store.relations[literal.fluent]) if static else 0

    def _add_fact(self, literal: Literal, *, first: bool = False) -> None:
        places: dict[int, int] = {}
        equal: list[tuple[int, int]] = []
        given: list[tuple[int, Term]] = []
        for position, term in enumerate(literal.terms, 1):
            if not isinstance(term, int) or term in self._bound:
                given.append((position, term))
            elif term in places:
                equal.append((places[term], position))
            else:
                places[term] = position
        domains = self._rule.domains
        binds = tuple(
            (position, slot, self._store.fits(literal.fluent, position, domains[slot]))
            for slot, position in places.items()
        )
        if first:
            constants = tuple((position, term) for position, term in given if isinstance(term, str))
            self._add(tuple(equal), binds, constants=constants)
        else:
            index = self._store.relations[literal.fluent].index(tuple(position for position, _ in given))
            self._add(tuple(equal), binds, index=index, key=tuple(term for _, term in given))

    def _add(
        self,
        equal: tuple[tuple[int, int], ...],
        binds: tuple[tuple[int, int, frozenset[str] | None], ...],
        *,
        index: _Index | None = None,
        key: Terms = (),
        rows: tuple[Atom, ...] = (),
        constants: tuple[tuple[int, str], ...] = (),
    ) -> None:
        self._bound.update(slot for _, slot, _ in binds)
        ready = tuple(check for slots, check in self._checks if slots <= self._bound)
        self._checks = [(slots, check) for slots, check in self._checks if not slots <= self._bound]
        self._steps.append(_Step(index, key, rows, constants, equal, binds, ready))
