"""Makes operators of actions whose objects are known: one for each way it may come about.

A condition with alternatives, and effects under a condition, split an action into several operators with the same
meaning in the original. A fact that nothing can ever change is left out of all of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from planboard.errors import TranslationError
from planboard.interop.pddl.formula import (
    ALTERNATIVES,
    Atom,
    Facts,
    alternatives,
    choices,
    together,
)
from planboard.interop.pddl.lifted import Schema, Task
from planboard.interop.pddl.reachability import Reachable


@dataclass(frozen=True, slots=True)
class Ground:
    """One way an action with certain objects comes about."""

    action: str
    objects: tuple[str, ...]
    number: int
    """1, 2, ... among the ways it comes about."""
    pre: Facts
    effects: Facts
    cost: Fraction


@dataclass(frozen=True, slots=True)
class _Change:
    """Effects with one condition."""

    when: list[Facts]
    unless: list[Facts]
    effects: Facts


class Grounder:
    """Makes the operators of a task, once it is known what can be reached."""

    def __init__(self, task: Task, reachable: Reachable) -> None:
        self._task = task
        self._reachable = reachable
        self._static = frozenset(task.fluents) - task.changing
        self._deleted = frozenset(self._deletes())

    def known(self, atom: Atom) -> bool | None:
        """Return the value of a fact that never changes."""
        if atom not in self._reachable.facts:
            return False
        if atom in self._task.init and (atom[0] in self._static or atom not in self._deleted):
            return True
        return None

    def operators(self, stop: Callable[[], None]) -> Iterator[Ground]:
        """Yield them by action and objects; `stop` is called now and then, and may raise."""
        for schema, objects in self._instances():
            stop()
            yield from self._ways(schema, objects)

    def _instances(self) -> Iterator[tuple[Schema, tuple[str, ...]]]:
        for schema in sorted(self._task.schemas, key=lambda schema: schema.name):
            for objects in self._reachable.instances[schema.name]:
                yield schema, objects

    def _deletes(self) -> Iterator[Atom]:
        for schema, objects in self._instances():
            for effect in schema.effects:
                if not effect.truth:
                    for choice in choices(effect.slots, _binding(schema, objects)):
                        yield effect.atom(choice)

    def _ways(self, schema: Schema, objects: tuple[str, ...]) -> Iterator[Ground]:
        binding = _binding(schema, objects)
        where = f"Action {schema.name}({', '.join(objects)})"
        ways = [(facts, dict[Atom, bool]()) for facts in alternatives(schema.pre, binding, self.known, where)]
        for change in self._changes(schema, binding, where) if ways else ():
            ways = [
                (facts, _with(effects, change.effects) if happens else effects)
                for before, effects in ways
                for happens, conditions in ((True, change.when), (False, change.unless))
                for condition in conditions
                if (facts := together(before, condition)) is not None
            ]
            if len(ways) > ALTERNATIVES:
                raise TranslationError(
                    f"{where}: its conditional effects may turn out in more than {ALTERNATIVES} ways. Split the action."
                )
        number = 0
        for pre, effects in ways:
            told = {atom: value for atom, value in sorted(effects.items()) if self._tells(atom, pre, value=value)}
            if told:
                number += 1
                yield Ground(schema.name, objects, number, pre, told, self._cost(schema, binding, where))

    def _tells(self, atom: Atom, pre: Facts, *, value: bool) -> bool:
        """Whether an effect can make a difference."""
        return self.known(atom) is not value and pre.get(atom) is not value

    def _changes(self, schema: Schema, binding: list[str], where: str) -> list[_Change]:
        """Return the effects by condition: first those without, then the others as they are declared."""
        changes: dict[frozenset[frozenset[tuple[Atom, bool]]], _Change] = {}
        changes[frozenset((frozenset(),))] = _Change([{}], [], {})
        for effect in schema.effects:
            for choice in choices(effect.slots, binding):
                when = alternatives(effect.when, choice, self.known, where)
                if not when:
                    continue
                key = frozenset(frozenset(facts.items()) for facts in when)
                if key not in changes:
                    unless = alternatives(effect.unless, choice, self.known, where)
                    changes[key] = _Change(when, unless, {})
                atom = effect.atom(choice)
                effects = changes[key].effects
                effects[atom] = effects.get(atom, False) or effect.truth
        return list(changes.values())

    def _cost(self, schema: Schema, binding: list[str], where: str) -> Fraction:
        cost = schema.cost(binding)
        if cost < 0:
            raise TranslationError(
                f"{where} costs {cost}; with a negative cost there is no cheapest plan.", feature="a negative cost"
            )
        return cost


def _binding(schema: Schema, objects: tuple[str, ...]) -> list[str]:
    return [*objects, *[""] * (len(schema.domains) - len(objects))]


def _with(effects: Facts, more: Facts) -> Facts:
    """Return both; a fact that is made true and false is true, as PDDL has it."""
    merged = dict(effects)
    for atom, value in more.items():
        merged[atom] = merged.get(atom, False) or value
    return merged
