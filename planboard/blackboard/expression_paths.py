"""What a text condition is made of: its words, the chains of attributes in it, and its limits.

The CEL binding shows no syntax tree, so the words are told apart here. The promise: a text that CEL's lexer would
read differently is refused before CEL sees it, so the limit on nesting holds for CEL's parser too, which overflows
a small stack at some thirty open brackets.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NoReturn, TypeAlias

MAX_LENGTH: Final = 500
MAX_NESTING: Final = 12

_ESC: Final = r"""\\(?:[abfnrtv\\'"`?]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})"""
_TOKEN: Final = re.compile(
    rf"""
      (?P<space> [ \t\r\n]+ | //[^\n]* )
    | (?P<string> [bB]? (?:
          [rR] (?: '{{3}} .*? '{{3}} | "{{3}} .*? "{{3}} | '[^'\n\r]*' | "[^"\n\r]*" )
        | '{{3}} (?: {_ESC} | [^\\] )*? '{{3}} | "{{3}} (?: {_ESC} | [^\\] )*? "{{3}}
        | ' (?: {_ESC} | [^\\'\n\r] )* ' | " (?: {_ESC} | [^\\"\n\r] )* " ) )
    | (?P<number> 0x[0-9a-fA-F]+[uU]? | \d*\.\d+(?:[eE][+-]?\d+)? | \d+[eE][+-]?\d+ | \d+[uU]? )
    | (?P<name> [A-Za-z_][A-Za-z0-9_]* )
    | (?P<symbol> && | \|\| | [=!<>]= | [-+*/%!<>?:,.()\[\]{{}}] )
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}
_HINTS: Final = {
    "=": "equality is written '=='",
    "&": "'and' is written '&&'",
    "|": "'or' is written '||'",
    "'": "the text that starts here does not end, or holds an escape that CEL does not know",
    '"': "the text that starts here does not end, or holds an escape that CEL does not know",
}


class Each(Enum):
    """The part of a chain that stands for every element."""

    ELEMENT = "*"


ELEMENT: Final = Each.ELEMENT
Part: TypeAlias = str | int | Each
"""One step of a chain: a field or key, a position, or every element."""
Refuse: TypeAlias = Callable[[str], NoReturn]
"""Raises the error that says why the text is not accepted."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A root and the way from it: `issue.labels[0].text`."""

    root: str
    parts: tuple[Part, ...] = ()
    filtered: bool = False
    """The chain goes through `filter`, so a position in it is not one of the original list."""

    def then(self, part: Part) -> "Chain":
        """Return the chain one step further."""
        step = ELEMENT if self.filtered and isinstance(part, int) else part
        return Chain(self.root, (*self.parts, step), self.filtered)

    def __str__(self) -> str:
        return self.root + "".join(f".{part}" if isinstance(part, str) else _index(part) for part in self.parts)


def _index(part: int | Each) -> str:
    return "[*]" if part is ELEMENT else f"[{part}]"


class Role(Enum):
    """What is done with the value at the end of a chain."""

    VALUE = "value"
    """It is worked with, so it must not be `None`."""
    EQUALITY = "equality"
    """It is only compared by `==` or `!=`, for which `None` is a value like any other."""
    NULLNESS = "nullness"
    """It is only compared with `null`."""
    PRESENCE = "presence"
    """`has()` asks whether it is there."""
    SIZE = "size"
    """Only the number of elements counts, or a macro walks over them."""


@dataclass(frozen=True, slots=True)
class Use:
    """A chain as it occurs in the text."""

    chain: Chain
    role: Role
    macro: int | None = None
    """The macro in whose body it occurs, as an index of `Reading.macros`."""


@dataclass(slots=True)
class Macro:
    """A walk over a list: `issue.labels.exists(label, ...)`."""

    kind: str
    over: Chain | None
    """`None` when it walks over something computed."""
    outer: int | None
    """The macro in whose body it occurs."""
    pattern_weight: int = 0
    """How heavy the patterns are that its body matches for each element; 0 when there are none."""


@dataclass(slots=True)
class Reading:
    """All that a text reads, in the order of the text."""

    uses: list[Use] = field(default_factory=list)
    macros: list[Macro] = field(default_factory=list)
    presence: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)
    """Each `has(...)`: where it starts and ends, and the ever longer chains that have to be there."""
    computed_index: bool = False
    """Some element is picked by a computed position, or out of a computed list."""
    pluses: int = 0
    commas: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the text."""

    kind: str
    """`"string"`, `"number"`, `"name"`, `"symbol"` or, after the last one, `"end"`."""
    text: str
    start: int

    @property
    def end(self) -> int:
        """The position after it."""
        return self.start + len(self.text)

    def is_symbol(self, *texts: str) -> bool:
        """Whether it is one of these symbols, and not a string that holds one."""
        return self.kind == "symbol" and self.text in texts


def tokenize(text: str, refuse: Refuse) -> list[Token]:
    """Return the words of a text, without spaces and comments.

    Refused are characters that CEL has no use for, names with two leading underscores, and brackets that nest
    deeper than `MAX_NESTING` or do not match.
    """
    tokens = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            hint = _HINTS.get(text[at])
            refuse(f"unexpected {text[at]!r} at column {at + 1}{f' ({hint})' if hint else ''}")
        at = match.end()
        if match.lastgroup != "space":
            tokens.append(Token(match.lastgroup or "", match.group(), match.start()))
    for token in tokens:
        if token.kind == "name" and token.text.startswith("__"):
            refuse(f"{token.text!r} at column {token.start + 1}: names with two leading underscores are not readable")
    _check_brackets(tokens, refuse)
    return tokens


def _check_brackets(tokens: list[Token], refuse: Refuse) -> None:
    expected: list[str] = []
    choices = 0
    for token in tokens:
        if token.is_symbol(*_CLOSES):
            expected.append(_CLOSES[token.text])
        elif token.is_symbol(*_CLOSES.values()) and (not expected or expected.pop() != token.text):
            refuse(f"{token.text!r} at column {token.start + 1} closes nothing")
        choices += token.is_symbol("?")
        if len(expected) > MAX_NESTING or choices > MAX_NESTING:
            refuse(f"nested too deeply: at most {MAX_NESTING} open brackets and {MAX_NESTING} choices by '?'")
    if expected:
        refuse(f"{expected[-1]!r} is missing at the end")
