"""Text conditions, such as `"issue.urgency > 0.5 && issue.labels.exists(label, label.name == 'bug')"`, in CEL.

This is the only module that knows the CEL library, so that another engine can take its place. The promise: a text
is accepted, or refused with a reason, when it is parsed and checked; its evaluation gives true, false or unknown
(`None`), and whatever else happens is a `ConditionError`, never a silent false.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NoReturn

from planboard._text import brief, is_secret, suggest
from planboard.blackboard.expression_cost import check_cost, leaves
from planboard.blackboard.expression_paths import ELEMENT, MAX_LENGTH, Part, Reading, Role, Use, tokenize
from planboard.blackboard.expression_reader import read_tokens
from planboard.blackboard.expression_types import find_fault
from planboard.blackboard.expression_values import MASK, Converter, Need, needs_of
from planboard.errors import ConditionError, ExpressionError
from planboard.types import Location, TypeForm

if TYPE_CHECKING:
    import cel

_SHOWN: Final = 5
_PANIC: Final = ("pyo3_runtime", "PanicException")
_PYTHON_OPERATORS: Final = {"and": "&&", "or": "||", "not": "!", "is": "=="}


@dataclass(frozen=True, slots=True)
class Expression:
    """A text condition that CEL accepts. Two are equal when their texts are."""

    text: str
    roots: tuple[str, ...] = field(compare=False)
    """The names it reads from the board, sorted."""
    where: Location | None = field(compare=False, default=None)
    _reading: Reading = field(compare=False, repr=False, default_factory=Reading)
    _needs: dict[str, Need] = field(compare=False, repr=False, default_factory=dict)
    _source: str = field(compare=False, repr=False, default="")
    """The text as CEL gets it: a bare `has()` holds for a field that is `None`, ours does not."""

    def __str__(self) -> str:
        return self.text

    def check(self, types: Mapping[str, TypeForm]) -> None:
        """Check every chain of the text against the types of its roots.

        Args:
            types: The type of each name that the text may use. In a union a field must exist on one member; what
                is behind `Any`, a plain mapping or a class without declared fields is not checked.

        Raises:
            ExpressionError: A root or a field does not exist.
        """
        for root in self.roots:
            if root not in types:
                msg = f"No object named {root!r} (in {self.text!r}). {suggest(root, types)}"
                raise ExpressionError(msg, where=self.where)
        for use in self._reading.uses:
            fault = find_fault(types[use.chain.root], use.chain.parts)
            if fault is not None:
                raise ExpressionError(self._worded(fault), where=self.where)

    def evaluate(self, values: Mapping[str, object], *, types: Mapping[str, TypeForm] | None = None) -> bool | None:
        """Return whether the text holds for these objects, or `None` when that is unknown.

        Unknown is a root that is missing from `values`, and a chain that meets `None` or an element that is not
        there, when the answer depends on it.

        Args:
            values: The live object of each root.
            types: The declared types, where they are wider than those of the objects: a field that only another
                member of a union has is then unknown and not an error.

        Raises:
            ConditionError: The text cannot be evaluated for these objects, or its answer is not true or false.
        """
        if any(root not in values for root in self.roots):
            return None
        converted = self._converted(values)
        check_cost(self._reading, converted, self._refuse)
        try:
            answer = _compiled(self._source).execute(converted)
        except BaseException as error:
            if not _is_failure(error):
                raise
            self._raise_unless_absent(error, values, converted, types or {})
            return None
        if isinstance(answer, bool):
            return answer
        if answer is None and any(_meets_none(use, converted) for use in self._reading.uses):
            return None
        kind = type(answer).__name__
        raise self._error(f"its answer is {brief(answer, 40)}, of type {kind}, not true or false", converted)

    def _converted(self, values: Mapping[str, object]) -> dict[str, Any]:
        converter = Converter(self._refuse)
        converted = {}
        for root, need in self._needs.items():
            try:
                converted[root] = converter.convert(values[root], need, root)
            except ConditionError:
                raise
            except Exception as error:
                raise self._error(f"reading {root!r} raised {type(error).__name__}: {error}") from error
        return converted

    def _raise_unless_absent(
        self,
        error: BaseException,
        values: Mapping[str, object],
        converted: Mapping[str, Any],
        types: Mapping[str, TypeForm],
    ) -> None:
        """Raise a `ConditionError` for what CEL reported, unless that comes from something absent."""
        guarded = {use.chain for use in self._reading.uses if use.role is Role.PRESENCE}
        for use in self._reading.uses:
            root = use.chain.root
            fault = find_fault(types.get(root, type(values[root])), use.chain.parts)
            if fault is not None and use.chain not in guarded:
                raise ConditionError(self.text, self._worded(fault)) from error
        if _may_come_from_none(error):
            if any(_meets_none(use, converted) for use in self._reading.uses):
                return
            if isinstance(error, LookupError) and self._reading.computed_index:
                return
        raise self._error(_reason(error), converted) from error

    def _refuse(self, reason: str) -> NoReturn:
        raise self._error(reason)

    def _error(self, reason: str, converted: Mapping[str, Any] | None = None) -> ConditionError:
        shown = _shown(self._reading, converted or {})
        here = f" Here {shown}." if shown else ""
        return ConditionError(self.text, f"Cannot evaluate {self.text!r}: {reason}.{here}")

    def _worded(self, fault: str) -> str:
        sentence, hint = fault.split("\n")
        return f"{sentence} (in {self.text!r}). {hint}"


def parse_expression(text: str, *, where: Location | None = None) -> Expression:
    """Return a text as an expression.

    Args:
        text: A condition in CEL, at most 500 characters.
        where: Where it was written, for messages.

    Raises:
        ExpressionError: The text is no condition: empty, too long, too deeply nested, wrong in its syntax, or
            calling something that CEL has not.
    """

    def refuse(reason: str) -> NoReturn:
        end = "" if reason.endswith((".", "?")) else "."
        msg = f"Cannot read condition {brief(text, 120)}: {reason}{end}"
        raise ExpressionError(msg, where=where)

    if not isinstance(text, str):
        refuse(f"a text is needed, not an object of type {type(text).__name__}")
    if not text.strip():
        refuse("it is empty")
    if len(text) > MAX_LENGTH:
        refuse(f"it has {len(text):,} characters, more than {MAX_LENGTH}")
    strange = next((one for one in text if not one.isprintable() and one not in "\n\r\t"), None)
    if strange is not None:
        refuse(f"it has the unprintable character {strange!r}")
    tokens = tokenize(text, refuse)
    is_name = len(tokens) == 1 and tokens[0].kind == "name"
    if not is_name:  # a bare name is mostly the name of a condition: do not load CEL for it
        try:
            _compiled(text)
        except BaseException as error:
            if not _is_failure(error):
                raise
            msg = f"Cannot read condition {brief(text, 120)}: {_syntax_reason(str(error))}."
            raise ExpressionError(msg, where=where) from error
    reading = read_tokens(text, tokens, refuse)
    roots = tuple(sorted({use.chain.root for use in reading.uses}))
    return Expression(text, roots, where, reading, needs_of(reading.uses), _with_strict_has(text, reading))


@lru_cache(maxsize=1024)
def _compiled(source: str) -> "cel.Program":
    # CEL's package imports its command line, a quarter of a second, so it is imported at the first text only.
    import cel

    return cel.compile(source)


def _is_failure(error: BaseException) -> bool:
    """Whether an error is CEL's: an exception, or a panic of its Rust code, which is no `Exception`."""
    return isinstance(error, Exception) or (type(error).__module__, type(error).__name__) == _PANIC


def _with_strict_has(text: str, reading: Reading) -> str:
    """Return the text with every `has(a.b.c)` asking of each step that it is there and not null."""
    for start, end, steps in sorted(reading.presence, reverse=True):
        asked = " && ".join(f"has({step}) && {step} != null" for step in steps)
        text = f"{text[:start]}({asked}){text[end:]}"
    return text


def _meets_none(use: Use, converted: Mapping[str, Any]) -> bool:
    """Whether a chain meets `None`, or something that is not there, so that it has no value."""
    if use.role is Role.PRESENCE and all(isinstance(part, str) for part in use.chain.parts):
        return False
    tolerant = use.role in {Role.EQUALITY, Role.NULLNESS, Role.PRESENCE}
    return _is_broken(converted[use.chain.root], use.chain.parts, tolerant=tolerant)


def _is_broken(value: Any, parts: tuple[Part, ...], *, tolerant: bool) -> bool:
    if not parts:
        return value is None and not tolerant
    if value is None:
        return True
    part, rest = parts[0], parts[1:]
    if part is ELEMENT:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return any(_is_broken(one, rest, tolerant=tolerant) for one in inner)
    if isinstance(value, dict):
        return part not in value or _is_broken(value[part], rest, tolerant=tolerant)
    if isinstance(value, list) and isinstance(part, int):
        return part >= len(value) or _is_broken(value[part], rest, tolerant=tolerant)
    return False


def _may_come_from_none(error: BaseException) -> bool:
    # CEL says "undefined function" also of a function that it knows but that does not take this type.
    return isinstance(error, TypeError | LookupError) or "Undefined variable or function" in str(error)


def _shown(reading: Reading, converted: Mapping[str, Any]) -> str:
    """Return the values of the chains of a text, briefly, without secrets."""
    said = {}
    for use in reading.uses:
        chain = use.chain
        if chain.root not in converted or ELEMENT in chain.parts:
            continue
        found = next(leaves(converted[chain.root], chain.parts), _MISSING)
        secret = any(isinstance(part, str) and is_secret(part) for part in (chain.root, *chain.parts))
        if isinstance(found, list) and use.role is Role.SIZE:
            said[str(chain)] = f"{chain} has {len(found):,} elements"
        else:
            said[str(chain)] = f"{chain} is {MASK if secret else brief(found, 40)}"
    return ", ".join(list(said.values())[:_SHOWN])


class _Missing:
    def __repr__(self) -> str:
        return "missing"


_MISSING: Final = _Missing()


def _reason(error: BaseException) -> str:
    """Return what went wrong in words, without the advice CEL adds for its own users."""
    text = str(error)
    unknown = re.match(r"Undefined variable or function: '(\w+)'", text)
    if unknown:
        return f"{unknown[1]}() does not take values of these types"
    if text.startswith("No such overload"):
        return "an operator or function does not take values of these types"
    if isinstance(error, KeyError):
        return f"there is no key {text.strip(chr(34))}"
    if not isinstance(error, Exception) or "Internal" in text:
        return "CEL failed inside, a fault of the library or a value out of its range"
    return re.split(r"\. |\n", text, maxsplit=1)[0].rstrip(".")


def _syntax_reason(text: str) -> str:
    """Return the first complaint of CEL, with its place and without the list of all that it would have taken."""
    found = re.search(r"ERROR: <input>:(\d+):(\d+): ([^\n]*)", text)
    if found is None:
        return "CEL failed inside, a fault of the library"
    line, column, complaint = found.groups()
    complaint = complaint.removeprefix("Syntax error: ").split(" expecting {")[0]
    complaint = re.sub(r"^(mismatched|extraneous) input", "unexpected", complaint)
    complaint = complaint.replace("unexpected '<EOF>'", "unexpected end of the text").replace("'<EOF>'", "the end")
    word = re.search(r"'(\w+)'", complaint)
    hint = f" (CEL writes {_PYTHON_OPERATORS[word[1]]!r})" if word and word[1] in _PYTHON_OPERATORS else ""
    if complaint.startswith("reserved identifier"):
        hint = " (CEL keeps this word to itself; bind the object under another name)"
    return f"{complaint} at line {line}, column {column}{hint}"
