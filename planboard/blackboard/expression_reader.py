"""Reads a text condition as far as names go: its chains, its macros and what their variables stand for.

Operators only separate operands here, since precedence does not change what is read. CEL has accepted the text
before, so this is no second parser: what it does not understand it leaves to CEL.
"""

import re
from typing import Final

from planboard._text import suggest
from planboard.blackboard.expression_paths import ELEMENT, Chain, Macro, Reading, Refuse, Role, Token, Use

MAX_MACRO_NESTING: Final = 2
MAX_MAPS: Final = 2
MAX_CHAIN: Final = 20
MAX_PATTERN_WEIGHT: Final = 60

MACROS: Final = frozenset({"all", "exists", "existsOne", "exists_one", "filter", "map"})
TYPE_NAMES: Final = frozenset({"bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"})
FUNCTIONS: Final = frozenset(
    {"bytes", "double", "duration", "dyn", "has", "int", "size", "string", "timestamp", "type", "uint"}
)
METHODS: Final = frozenset(
    {"contains", "endsWith", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear"}
    | {"getHours", "getMilliseconds", "getMinutes", "getMonth", "getSeconds", "matches", "size", "startsWith"}
)

_EQUALITY: Final = frozenset({"==", "!="})
_NEEDS_VALUE: Final = frozenset({"<", "<=", ">", ">=", "+", "-", "*", "/", "%", "in", "!"})
_OPERATORS: Final = _EQUALITY | _NEEDS_VALUE | {"&&", "||", "?", ":"}
_PYTHON_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
_ESCAPE: Final = re.compile(r"\\(?:x(..)|u(.{4})|U(.{8})|([0-7]{3})|(.))", re.DOTALL)
_END: Final = Token("end", "", 0)

_Scope = dict[str, Chain | None]


def read_tokens(text: str, tokens: list[Token], refuse: Refuse) -> Reading:
    """Return what a text reads.

    Refused are functions that do not exist here (so a method of a Python object is no way in), macros nested deeper
    than `MAX_MACRO_NESTING`, more than `MAX_MAPS` uses of `map`, and patterns that are not literal or too heavy.
    """
    reader = _Reader(text, tokens, refuse)
    reader.read()
    return reader.reading


class _Reader:
    """One pass over the tokens."""

    def __init__(self, text: str, tokens: list[Token], refuse: Refuse) -> None:
        self.reading = Reading()
        self._text = text
        self._tokens = tokens
        self._refuse = refuse
        self._at = 0
        self._macro: int | None = None

    def read(self) -> None:
        self._value({}, "")
        self.reading.pluses = sum(token.is_symbol("+") for token in self._tokens)
        self.reading.commas = sum(token.is_symbol(",") for token in self._tokens)

    def _peek(self, ahead: int = 0) -> Token:
        at = self._at + ahead
        return self._tokens[at] if 0 <= at < len(self._tokens) else _END

    def _next(self) -> Token:
        self._at += 1
        return self._peek(-1)

    def _use(self, chain: Chain | None, role: Role) -> None:
        if chain is not None:
            self.reading.uses.append(Use(chain, role, self._macro))

    def _value(self, scope: _Scope, *until: str, role: Role = Role.VALUE) -> None:
        """Read up to one of `until`, and note what is read there."""
        self._use(self._sequence(scope, until), role)

    def _sequence(self, scope: _Scope, until: tuple[str, ...]) -> Chain | None:
        """Read operands and operators up to one of `until`.

        A chain that stands there alone is returned and not noted, since only the caller knows its role.
        """
        found: list[tuple[Chain | None, Role]] = []
        operators = 0
        while self._at < len(self._tokens) and not self._peek().is_symbol(*until):
            if self._peek().kind in {"symbol", "name"} and self._peek().text in _OPERATORS:
                operators += 1
                self._next()
                continue
            before = (self._peek(-2).text, self._peek(-1).text)
            chain = self._operand(scope)
            found.append((chain, _role_between(before, (self._peek(1).text, self._peek().text))))
        if len(found) == 1 and not operators:
            return found[0][0]
        for chain, role in found:
            self._use(chain, role)
        return None

    def _operand(self, scope: _Scope) -> Chain | None:
        token = self._next()
        chain: Chain | None = None
        if token.is_symbol("("):
            chain = self._sequence(scope, (")",))
            self._next()
        elif token.is_symbol("[", "{"):
            self._arguments(scope, "]" if token.text == "[" else "}")
        elif token.is_symbol("."):
            self._refuse(f"'.' at column {token.start + 1} has nothing before it")
        elif token.kind == "name":
            chain = self._name(token, scope)
        return self._steps(chain, scope)

    def _arguments(self, scope: _Scope, closing: str, role: Role = Role.VALUE) -> None:
        while not self._peek().is_symbol(closing):
            self._value(scope, ",", ":", closing, role=role)
            if self._peek().is_symbol(",", ":"):
                self._next()
        self._next()

    def _name(self, token: Token, scope: _Scope) -> Chain | None:
        following = self._peek()
        if following.is_symbol("("):
            self._function(token, scope)
            return None
        if token.text in _PYTHON_WORDS:
            self._refuse(f"{token.text!r} at column {token.start + 1} is written {_PYTHON_WORDS[token.text]!r}")
        if token.text in scope:
            return scope[token.text]
        is_type = token.text in TYPE_NAMES and not following.is_symbol(".", "[")
        return None if is_type or token.text in {"true", "false", "null"} else Chain(token.text)

    def _function(self, token: Token, scope: _Scope) -> None:
        if token.text not in FUNCTIONS:
            self._refuse(f"no function named {token.text!r}. {suggest(token.text, FUNCTIONS)}")
        self._next()
        if token.text == "has":
            self._presence(token, scope)
        else:
            self._arguments(scope, ")", Role.SIZE if token.text == "size" else Role.VALUE)

    def _presence(self, token: Token, scope: _Scope) -> None:
        """Read the argument of `has()`, and note every step of it that has to be there."""
        start = self._peek().start
        ends: list[int] = []
        ahead = 0
        while not self._peek(ahead).is_symbol(")"):
            word = self._peek(ahead)
            is_step = word.kind == "name" and self._peek(ahead - 1).is_symbol(".")
            if ahead and not (is_step or word.kind in {"number", "string"} or word.is_symbol(".", "[", "]")):
                self._refuse("has() asks about a chain of fields, as has(issue.owner.name) does")
            if is_step:
                ends.append(word.end)
            ahead += 1
        self._value(scope, ")", role=Role.PRESENCE)
        closing = self._next()
        self.reading.presence.append((token.start, closing.end, tuple(self._text[start:end] for end in ends)))

    def _steps(self, chain: Chain | None, scope: _Scope) -> Chain | None:
        """Follow `.field`, `[index]` and calls after an operand."""
        while True:
            if self._peek().is_symbol(".") and self._peek(2).is_symbol("("):
                self._next()
                chain = self._call(chain, scope)
            elif self._peek().is_symbol("."):
                self._next()
                chain = self._then(chain, self._next().text)
            elif self._peek().is_symbol("["):
                self._next()
                chain = self._indexed(chain, scope)
            elif self._peek().is_symbol("{"):
                self._refuse("messages such as 'Issue{...}' cannot be built here")
            else:
                return chain

    def _then(self, chain: Chain | None, part: str | int) -> Chain | None:
        if chain is not None and len(chain.parts) >= MAX_CHAIN:
            self._refuse(f"{chain.root!r} is followed by more than {MAX_CHAIN} steps")
        return chain and chain.then(part)

    def _indexed(self, chain: Chain | None, scope: _Scope) -> Chain | None:
        token = self._peek()
        alone = self._peek(1).is_symbol("]")
        if alone and token.kind == "string" and "\\" not in token.text and token.text[0] in "'\"":
            self._at += 2
            return self._then(chain, token.text.strip(token.text[0]))
        if alone and token.kind == "number" and token.text.isdigit():
            self._at += 2
            self.reading.computed_index |= chain is None or chain.filtered
            return self._then(chain, int(token.text))
        self.reading.computed_index = True
        self._value(scope, "]")
        self._next()
        return chain and chain.then(ELEMENT)

    def _call(self, chain: Chain | None, scope: _Scope) -> Chain | None:
        name = self._next().text
        self._next()
        if name in MACROS and self._peek().kind == "name" and self._peek(1).is_symbol(","):
            return self._walk(name, chain, scope)
        if name not in METHODS:
            self._refuse(f"no function named {name!r}. {suggest(name, METHODS | MACROS)}")
        self._use(chain, Role.SIZE if name == "size" else Role.VALUE)
        if name == "matches":
            self._pattern()
        self._arguments(scope, ")")
        return None

    def _walk(self, kind: str, chain: Chain | None, scope: _Scope) -> Chain | None:
        """Read a macro; its variable stands for every element of what is walked over."""
        outer = self._macro
        if outer is not None and self._depth(outer) >= MAX_MACRO_NESTING:
            self._refuse(f"macros nest at most {MAX_MACRO_NESTING} deep")
        if kind == "map" and sum(macro.kind == "map" for macro in self.reading.macros) >= MAX_MAPS:
            self._refuse(f"map() occurs at most {MAX_MAPS} times")
        self._use(chain, Role.SIZE)
        self.reading.macros.append(Macro(kind, chain, outer))
        self._macro = len(self.reading.macros) - 1
        variable = self._next().text
        self._next()
        self._arguments({**scope, variable: chain and chain.then(ELEMENT)}, ")")
        self._macro = outer
        return Chain(chain.root, chain.parts, filtered=True) if kind == "filter" and chain else None

    def _depth(self, macro: int) -> int:
        outer = self.reading.macros[macro].outer
        return 1 if outer is None else 1 + self._depth(outer)

    def _pattern(self) -> None:
        """Weigh the pattern of `matches()`: CEL compiles it anew each time."""
        if self._peek().kind != "string" or not self._peek(1).is_symbol(")"):
            self._refuse("the pattern of matches() must be a literal text")
        weight = _pattern_weight(self._peek().text)
        if weight > MAX_PATTERN_WEIGHT:
            self._refuse(f"the pattern {self._peek().text} is too heavy: repeat less in it")
        if self._macro is not None:
            self.reading.macros[self._macro].pattern_weight += weight


def _role_between(before: tuple[str, str], after: tuple[str, str]) -> Role:
    """Return the role of a chain between two words on either side, the farther one first."""
    operators = {before[1], after[1]}
    if operators & _NEEDS_VALUE or not operators & _EQUALITY:
        return Role.VALUE
    against_null = any(far == "null" and near in _EQUALITY for far, near in (before, after))
    return Role.NULLNESS if against_null else Role.EQUALITY


def _pattern_weight(literal: str) -> int:
    """Return how heavy a pattern is: its Unicode classes, times all its repetition counts."""
    raw = literal[0] in "rR"
    pattern = literal if raw else _ESCAPE.sub(_unescaped, literal)
    if re.search(r"\(\?[a-zA-Z-]*x", pattern):
        return MAX_PATTERN_WEIGHT + 1
    weight = 1 + len(re.findall(r"\\[wdspPWDSbB]", pattern)) + len(pattern) // 100
    for least, most in re.findall(r"\{(\d+)(?:,(\d*))?\}", pattern):
        weight *= max(1, int(least), int(most or 0))
    return weight


def _unescaped(match: re.Match[str]) -> str:
    two, four, eight, octal, simple = match.groups()
    if simple is not None:
        return {"n": "\n", "t": "\t", "r": "\r"}.get(simple, simple)
    code = int(octal, 8) if octal else int(two or four or eight, 16)
    return chr(code) if code < 0x110000 else ""  # noqa: PLR2004 - the last code point of Unicode
