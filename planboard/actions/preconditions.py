"""The conditions of a catalogue: how what is written in `pre=` and `post=` becomes a named condition.

A `@condition` is known by its name, a bare identifier is a name, and any other text is an expression, whose roots are
parameter names, binding names and type names in snake case.
"""

from collections.abc import Callable, Mapping
from typing import Any

from planboard.actions.action import Condition
from planboard.actions.declarations import ConditionDeclaration, declaration_of
from planboard.blackboard.conditions import Not
from planboard.blackboard.expressions import parse_expression
from planboard.blackboard.index import Matcher, Query
from planboard.errors import DefinitionError
from planboard.types import Location, TypeForm, type_name

Literal = tuple[str, bool]
"""A condition's name, and whether it must be true or false."""


class ConditionTable:
    """Collects the conditions that are declared and used, and checks that they fit together."""

    def __init__(
        self,
        matcher: Matcher,
        roots: Mapping[str, list[Query]],
        build: Callable[[ConditionDeclaration, object], Condition],
    ) -> None:
        self._matcher = matcher
        self._build = build
        self._declared: dict[tuple[int, int], str] = {}
        self._roots = roots
        self._conditions: dict[str, Condition] = {}
        self._wanted: dict[str, tuple[str, Location | None]] = {}
        self._promised: set[str] = set()

    @property
    def conditions(self) -> dict[str, Condition]:
        """All conditions, in order of their names."""
        return {name: self._conditions[name] for name in sorted(self._conditions)}

    def declare(self, condition: Condition) -> str:
        """Add a defined condition and return its name.

        Raises:
            DefinitionError: Another condition has the name.
        """
        known = self._conditions.get(condition.name)
        if known is not None and known is not condition:
            message = f"Two conditions are named {condition.name!r}, declared at {known.where} and {condition.where}."
            raise DefinitionError(message)
        self._conditions[condition.name] = condition
        return condition.name

    def adopt(self, declaration: ConditionDeclaration, owner: object) -> str:
        """Add the condition that a declaration makes, once, and return its name.

        Raises:
            DefinitionError: Another condition has the name.
        """
        owner = owner if declaration.method else None
        key = (id(declaration), id(owner))
        if key not in self._declared:
            self._declared[key] = self.declare(self._build(declaration, owner))
        return self._declared[key]

    def resolve(
        self,
        given: Any,
        of: str,
        where: Location | None,
        parameters: Mapping[str, tuple[Query, ...]],
        owner: object = None,
    ) -> Literal:
        """Return the literal that an item of `pre=` stands for.

        A `@condition` that is given as itself is part of the agent by that; its methods belong to `owner`.

        Raises:
            DefinitionError: It is no condition.
            ExpressionError: It is a text that is not accepted.
        """
        if isinstance(given, Not):
            name, wanted = self.resolve(given.condition, of, where, parameters, owner)
            return name, not wanted
        declaration = declaration_of(given)
        if isinstance(declaration, ConditionDeclaration):
            return self.adopt(declaration, getattr(given, "__self__", owner)), True
        if not isinstance(given, str):
            message = (
                f"{of} has the precondition {given!r}. "
                "Use a @condition, its name, a text expression, or Not(...) of one."
            )
            raise DefinitionError(message, where=where)
        if given.isidentifier():
            self._wanted.setdefault(given, (of, where))
            return given, True
        return self._expression(given, where, parameters), True

    def promise(self, given: Any, of: str, where: Location | None, owner: object = None) -> Literal:
        """Return the literal that an item of `post=` stands for.

        Raises:
            DefinitionError: It is no condition's name.
        """
        if isinstance(given, Not):
            name, wanted = self.promise(given.condition, of, where, owner)
            return name, not wanted
        declaration = declaration_of(given)
        if isinstance(declaration, ConditionDeclaration):
            given = self.adopt(declaration, getattr(given, "__self__", owner))
        if not isinstance(given, str) or not given.isidentifier():
            message = f"{of} promises {given!r}; a promise is a condition's name, a @condition, or Not(...) of one."
            raise DefinitionError(message, where=where)
        self._promised.add(given)
        return given, True

    def close(self) -> None:
        """Make free conditions of the names that nothing defines.

        Such a name may be set from outside at any time, so it is not an error here; `check` reports those that no
        action promises.

        Raises:
            DefinitionError: A condition has the name of a type, so that it could not be told what is meant.
        """
        for name in sorted({*self._wanted, *self._promised} - set(self._conditions)):
            self._conditions[name] = Condition(name)
        types = {type_name(query.form) for queries in self._roots.values() for query in queries}
        for name in sorted(types & set(self._conditions)):
            of, where = self._wanted.get(name, ("A condition", self._conditions[name].where))
            message = (
                f"{of} names the condition {name!r}, which is a type. To require a {name}, take it as a parameter; "
                "a condition needs a name of its own."
            )
            raise DefinitionError(message, where=where)

    @property
    def unpromised(self) -> dict[str, tuple[str, Location | None]]:
        """The free conditions that are required but never promised, with who requires them and where."""
        free = {name for name, condition in self._conditions.items() if condition.is_free}
        return {name: self._wanted[name] for name in sorted(self._wanted) if name in free - self._promised}

    def _expression(self, text: str, where: Location | None, parameters: Mapping[str, tuple[Query, ...]]) -> str:
        expression = parse_expression(text, where=where)
        queries: dict[str, tuple[Query, ...]] = {}
        types: dict[str, TypeForm] = {}
        for name in {**self._roots, **parameters}:
            queries[name] = parameters.get(name) or tuple(self._roots[name])
            forms = tuple(dict.fromkeys(query.form for query in queries[name]))
            types[name] = _union(forms)
        expression.check(types)
        roots = {root: queries[root] for root in expression.roots}
        name = text
        known = self._conditions.get(name)
        if known is not None and dict(known.roots) != roots:
            name = f"{text} [{', '.join(f'{root}: {query[0]}' for root, query in sorted(roots.items()))}]"
        if name not in self._conditions:
            root_types = {root: types[root] for root in expression.roots}
            self._conditions[name] = Condition(
                name, expression=expression, roots=roots, root_types=root_types, where=where
            )
        return name


def _union(forms: tuple[TypeForm, ...]) -> TypeForm:
    from typing import Union

    return forms[0] if len(forms) == 1 else Union[forms]  # noqa: UP007 - made at run time
