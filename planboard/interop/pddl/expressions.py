"""Reads unified-planning expressions: conditions become formulas, numbers become functions of the objects."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from operator import add, eq, le, lt, mul, sub, truediv
from typing import Any, Final, Protocol

from unified_planning.model.operators import OperatorKind

from planboard.errors import TranslationError
from planboard.interop.pddl.formula import (
    Atom,
    Binding,
    Formula,
    Junction,
    Literal,
    Quantified,
    Same,
    Term,
    Test,
)
from planboard.interop.pddl.lifted import Cost
from planboard.interop.pddl.names import spelled

_ARITHMETIC: Final[dict[Any, Callable[[Fraction, Fraction], Fraction]]] = {
    OperatorKind.PLUS: add,
    OperatorKind.MINUS: sub,
    OperatorKind.TIMES: mul,
    OperatorKind.DIV: truediv,
}
_COMPARISONS: Final[dict[Any, Callable[[Fraction, Fraction], bool]]] = {
    OperatorKind.LE: le,
    OperatorKind.LT: lt,
    OperatorKind.EQUALS: eq,
}


class Objects(Protocol):
    """Knows the objects of a type."""

    def of(self, kind: Any, where: str) -> tuple[str, ...]:
        """Return them by name."""
        ...


class Scope:
    """The variables in sight, each with its position in a binding. Copies share the positions."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._positions: dict[str, int] = {}
        self.domains: list[tuple[str, ...]] = []
        """The objects of every variable that was ever added, here or in a copy."""

    def add(self, name: str, kind: Any, where: str) -> tuple[int, tuple[str, ...]]:
        """Bring a variable into sight; return its position and its objects."""
        domain = self._objects.of(kind, where)
        self._positions[name] = len(self.domains)
        self.domains.append(domain)
        return self._positions[name], domain

    def copy(self) -> "Scope":
        """Return a scope for what is inside a quantifier."""
        inner = Scope(self._objects)
        inner._positions = dict(self._positions)
        inner.domains = self.domains
        return inner

    def __getitem__(self, name: str) -> int:
        return self._positions[name]


def unsupported(feature: str, where: str, advice: str = "") -> TranslationError:
    """Return the error for a construct that cannot be planned with."""
    text = f"{where[0].upper()}{where[1:]}: {feature} is not supported"
    return TranslationError(f"{text}; {advice}." if advice else f"{text}.", feature=feature)


class Expressions:
    """Reads the expressions of one problem.

    Args:
        numbers: Numbers at the start, those by default as `("", fluent)`.
        changing: Fluents that some effect mentions; a number among them cannot be read.
    """

    def __init__(self, numbers: Mapping[Atom, Fraction], changing: frozenset[str]) -> None:
        self._numbers = numbers
        self._changing = changing

    def formula(self, node: Any, scope: Scope, where: str, *, truth: bool = True) -> Formula:
        """Read a condition, or with `truth=False` its negation, in negation normal form."""
        kind = node.node_type
        if kind == OperatorKind.BOOL_CONSTANT:
            return Junction((), every=node.bool_constant_value() is truth)
        if kind == OperatorKind.NOT:
            return self.formula(node.arg(0), scope, where, truth=not truth)
        if kind in (OperatorKind.AND, OperatorKind.OR):
            parts = tuple(self.formula(part, scope, where, truth=truth) for part in node.args)
            return Junction(parts, every=(kind == OperatorKind.AND) is truth)
        if kind in (OperatorKind.IMPLIES, OperatorKind.IFF):
            return self._arrow(node, scope, where, truth=truth)
        if kind in (OperatorKind.EXISTS, OperatorKind.FORALL):
            inner = scope.copy()
            slots = tuple(inner.add(variable.name, variable.type, where) for variable in node.variables())
            body = self.formula(node.arg(0), inner, where, truth=truth)
            return Quantified(slots, body, every=(kind == OperatorKind.FORALL) is truth)
        if kind == OperatorKind.FLUENT_EXP:
            return Literal(node.fluent().name, tuple(self.term(part, scope, where) for part in node.args), truth)
        if kind in _COMPARISONS:
            return self._comparison(node, scope, where, truth=truth)
        raise unsupported(f"the expression {node}", where)

    def term(self, node: Any, scope: Scope, where: str) -> Term:
        """Read an argument."""
        if node.is_object_exp():
            return str(node.object().name)
        if node.is_parameter_exp():
            return scope[node.parameter().name]
        if node.is_variable_exp():
            return scope[node.variable().name]
        raise unsupported(f"{node} as an argument", where, "arguments are objects, parameters and variables")

    def number(self, node: Any, scope: Scope, where: str) -> Cost:
        """Read a number that depends on objects only."""
        kind = node.node_type
        if kind in (OperatorKind.INT_CONSTANT, OperatorKind.REAL_CONSTANT):
            constant = Fraction(node.constant_value())
            return lambda _: constant
        if kind in _ARITHMETIC:
            return _folded(
                _ARITHMETIC[kind], [self.number(part, scope, where) for part in node.args], f"{where}: {node}"
            )
        if kind == OperatorKind.FLUENT_EXP:
            return self._looked_up(node, scope, where)
        raise unsupported(f"the number {node}", where)

    def _looked_up(self, node: Any, scope: Scope, where: str) -> Cost:
        name, numbers = node.fluent().name, self._numbers
        if name in self._changing:
            raise unsupported(f"reading {name!r}, a number that actions change,", where)
        default = numbers.get(("", name))
        literal = Literal(name, tuple(self.term(part, scope, where) for part in node.args))

        def look_up(binding: Binding) -> Fraction:
            atom = literal.atom(binding)
            found = numbers.get(atom, default)
            if found is None:
                raise TranslationError(f"{where[0].upper()}{where[1:]}: {spelled(*atom)} has no initial value. Set it.")
            return found

        return look_up

    def _arrow(self, node: Any, scope: Scope, where: str, *, truth: bool) -> Formula:
        left, right = node.args
        no_left, yes_right = self.formula(left, scope, where, truth=False), self.formula(right, scope, where)
        yes_left, no_right = self.formula(left, scope, where), self.formula(right, scope, where, truth=False)
        if node.node_type == OperatorKind.IMPLIES:
            return Junction((no_left, yes_right), every=False) if truth else Junction((yes_left, no_right))
        same, other = (yes_right, no_right) if truth else (no_right, yes_right)
        return Junction((Junction((yes_left, same)), Junction((no_left, other))), every=False)

    def _comparison(self, node: Any, scope: Scope, where: str, *, truth: bool) -> Formula:
        left, right = node.args
        if left.type.is_user_type():
            return Same(self.term(left, scope, where), self.term(right, scope, where), truth)
        compare = _COMPARISONS[node.node_type]
        one, other = (self.number(side, scope, where) for side in (left, right))
        return Test(lambda binding: compare(one(binding), other(binding)), _slots(node, scope), truth)


def _folded(apply: Callable[[Fraction, Fraction], Fraction], parts: list[Cost], told: str) -> Cost:
    def fold(binding: Binding) -> Fraction:
        result = parts[0](binding)
        for part in parts[1:]:
            try:
                result = apply(result, part(binding))
            except ZeroDivisionError:
                raise TranslationError(f"{told[0].upper()}{told[1:]} divides by zero.") from None
        return result

    return fold


def _slots(node: Any, scope: Scope) -> frozenset[int]:
    if node.is_parameter_exp():
        return frozenset((scope[node.parameter().name],))
    if node.is_variable_exp():
        return frozenset((scope[node.variable().name],))
    return frozenset().union(*(_slots(part, scope) for part in node.args))
