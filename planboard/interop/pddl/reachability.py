"""Which actions, with which objects, can ever run: forward reachability if nothing ever became false.

The objects of an action are not enumerated. They are found from the facts that its precondition names, each time
such a fact is reached for the first time, so what is out of reach costs nothing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from planboard.interop.pddl.formula import Atom, Formula, Junction, Literal, Quantified, Same, Test, choices, conjuncts
from planboard.interop.pddl.lifted import Effect, Schema, Task
from planboard.interop.pddl.relations import Join, Relation, Rule, Store


@dataclass(frozen=True, slots=True)
class Reachable:
    """What can be reached."""

    facts: frozenset[Atom]
    """All facts that may ever be true, those that are true at the start included."""
    instances: dict[str, list[tuple[str, ...]]]
    """By action, the objects with which it may ever run, sorted."""


def reach(task: Task, stop: Callable[[], None]) -> Reachable:
    """Return what can be reached; `stop` is called now and then, and may raise."""
    return _Reaching(task).run(stop)


class _Firing:
    """A rule with the fact that sets it off: yields what is reached by it, and notes the objects it ran with."""

    def __init__(
        self, join: Join, schema: Schema, effects: list[Effect], instances: set[tuple[str, ...]] | None
    ) -> None:
        self._join = join
        self._arity = schema.arity
        self._heads = [
            (Literal(effect.fluent, effect.terms), () if instances is None else effect.slots) for effect in effects
        ]
        self._instances = instances
        """Where to note the objects; `None` for an effect with a condition, whose objects are not all the action's."""

    def of(self, atom: Atom = ()) -> Iterator[Atom]:
        """Yield the facts reached once `atom` is."""
        for binding in self._join.bindings(atom):
            if self._instances is not None:
                objects = tuple(binding[: self._arity])
                if objects in self._instances:
                    continue
                self._instances.add(objects)
            for head, slots in self._heads:
                if slots:
                    yield from (head.atom(choice) for choice in choices(slots, binding))
                else:
                    yield head.atom(binding)


class _Reaching:
    """Semi-naive evaluation: each new fact is joined with the facts before it."""

    def __init__(self, task: Task) -> None:
        self._task = task
        changing = task.changing
        self._relations = {name: Relation() for name in task.fluents}
        self._reached: set[Atom] = set(task.init)
        self._queue: list[Atom] = []
        for atom in sorted(task.init):
            if atom[0] in changing:
                self._queue.append(atom)
            else:
                self._relations[atom[0]].add(atom)
        self._static = frozenset(task.fluents) - changing
        self._store = Store(self._relations, task.fluents, self._static, self._known)
        self._instances: dict[str, set[tuple[str, ...]]] = {schema.name: set() for schema in task.schemas}
        self._triggers: dict[str, list[_Firing]] = {}
        self._at_once: list[_Firing] = []
        for schema in task.schemas:
            self._add_rules(schema)

    def run(self, stop: Callable[[], None]) -> Reachable:
        for firing in self._at_once:
            for atom in firing.of():
                self._meet(atom)
        done = 0
        while done < len(self._queue):
            stop()
            atom = self._queue[done]
            done += 1
            self._relations[atom[0]].add(atom)
            for firing in self._triggers.get(atom[0], ()):
                for reached in firing.of(atom):
                    self._meet(reached)
        return Reachable(frozenset(self._reached), {name: sorted(found) for name, found in self._instances.items()})

    def _meet(self, atom: Atom) -> None:
        if atom not in self._reached:
            self._reached.add(atom)
            self._queue.append(atom)

    def _known(self, atom: Atom) -> bool | None:
        return atom in self._task.init if atom[0] in self._static else None

    def _add_rules(self, schema: Schema) -> None:
        parts = conjuncts(schema.pre)
        plain = [effect for effect in schema.effects if effect.truth and not conjuncts(effect.when)]
        self._add_rule(schema, parts, plain)
        for effect in schema.effects:
            if effect.truth and conjuncts(effect.when):
                self._add_rule(schema, parts + conjuncts(effect.when), [effect], conditional=True)

    def _add_rule(
        self, schema: Schema, parts: list[Formula], effects: list[Effect], *, conditional: bool = False
    ) -> None:
        wanted = (*range(schema.arity), *(slot for effect in effects for slot, _ in effect.slots if conditional))
        body = tuple(part for part in parts if isinstance(part, Literal) and part.truth)
        checks = tuple(part for part in parts if not (isinstance(part, Literal) and part.truth) and self._tells(part))
        rule = Rule(schema.domains, wanted, body, checks)
        triggers = [number for number, literal in enumerate(body) if literal.fluent not in self._static]
        for trigger in triggers or (None,):
            firing = _Firing(
                Join(rule, trigger, self._store), schema, effects, None if conditional else self._instances[schema.name]
            )
            if trigger is None:
                self._at_once.append(firing)
            else:
                self._triggers.setdefault(body[trigger].fluent, []).append(firing)

    def _tells(self, formula: Formula) -> bool:
        """Whether a condition can be known to be false before any action has run."""
        match formula:
            case Same() | Test():
                return True
            case Literal(fluent):
                return fluent in self._static
            case Junction(parts):
                return not parts or any(self._tells(part) for part in parts)
            case Quantified(_, body):
                return self._tells(body)
