"""Patterns that deserve a second look: Python is parsed, other languages and secrets are matched line by line.

What is reported is the kind and the place, never the text: it may be a secret.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from typing import ClassVar

from planboard import action
from repo_brief_parts.evidence import Check, Evidence, FileTree, Finding, SourceFile, count, is_test
from repo_brief_parts.survey import language_of

_PYTHON = {
    "eval": "eval of text as code", "exec": "exec of text as code", "os.system": "shell command by os.system",
    "os.popen": "shell command by os.popen", "pickle.load": "unpickling, which can run code",
    "pickle.loads": "unpickling, which can run code", "marshal.loads": "marshal of untrusted data",
    "shelve.open": "shelve, which unpickles", "dill.loads": "unpickling, which can run code",
    "tempfile.mktemp": "tempfile.mktemp, which can be raced", "yaml.unsafe_load": "yaml that can run code",
}  # fmt: skip
_WORTH_PARSING = re.compile(
    r"\b(?:(?:eval|exec)\s*\(|(?:system|popen|pickle|marshal|shelve|dill|mktemp|yaml)\b)|\b(?:shell\s*=\s*True|verify\s*=\s*False)"
)
"""Parsing is the slow part; files without any of these words have nothing to find."""
_LINES = {
    "JavaScript": (
        ("eval of text as code", re.compile(r"(?<![\w.])eval\(")),
        ("new Function from text", re.compile(r"\bnew Function\(")),
        ("innerHTML is assigned", re.compile(r"\.innerHTML\s*\+?=[^=]")),
        ("dangerouslySetInnerHTML", re.compile(r"\bdangerouslySetInnerHTML\b")),
    ),
    "Shell": (("download piped to a shell", re.compile(r"\b(?:curl|wget)\b[^|#]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b")),),
    "PHP": (("eval of text as code", re.compile(r"(?<![\w>:])eval\(")),),
    "Ruby": (("eval of text as code", re.compile(r"(?<![\w.])eval[ (]")),),
}  # fmt: skip
_LINES["TypeScript"] = _LINES["JavaScript"]
_SECRETS = (
    ("private key", re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----")),
    ("AWS access key", re.compile(r"\bAKIA[0-9A-Z]{16}\b")),
    ("GitHub token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}\b")),
    ("Slack token", re.compile(r"\bxox[abprs]-[\w-]{10,}")),
    ("API key", re.compile(r"(?<![\w=+/.-])sk-(?:proj-|ant-)?[A-Za-z0-9_-]{20,}")),
    ("Google API key", re.compile(r"\bAIza[\w-]{35}\b")),
    (
        "hard-coded password or key",
        re.compile(r"""(?i)\b\w*(?:password|passwd|secret|api_?key|access_?token|auth_?token)['"]?\s*[:=]\s*(["'])([^"'\s]{8,})\1"""),
    ),
)  # fmt: skip
_PLACEHOLDER = re.compile(
    r"(?i)example|change.?me|placeholder|your|dummy|redacted|xxx|\*\*\*|<|\$\{|\{\{|%\(|^(.)\1+$|password|secret"
)
_MAX_LINE = 2_000
_KEPT = 200
_QUOTED = 2
"""The group that holds the value, in the one pattern that has groups."""


class Risks(Evidence):
    """All places that were found."""

    topic: ClassVar[str] = "risky patterns"
    rank: ClassVar[int] = 55

    places: tuple[Finding, ...]
    total: int
    unparsed: tuple[str, ...] = ()
    """Python files with syntax that this Python does not know."""

    def checks(self) -> tuple[Check, ...]:
        ours = [place for place in self.places if not place.in_tests]
        secrets = [place for place in ours if place.what.startswith("possible secret")]
        return (
            Check(name="No secrets in the code", passed=not secrets, evidence=_told(len(secrets))),
            Check(name="No risky patterns", passed=len(ours) == len(secrets), evidence=_told(len(ours) - len(secrets))),
        )

    def findings(self) -> tuple[Finding, ...]:
        return self.places

    def gaps(self) -> tuple[str, ...]:
        files = (
            f"{count(len(self.unparsed), 'Python file')} that cannot be parsed, so only secrets were looked for in them"
        )
        more = f"{self.total - len(self.places)} more risky places, beyond the first {_KEPT}"
        return (*([files] if self.unparsed else []), *([more] if self.total > len(self.places) else []))


@action(cost=0.2, value=0.9)
def find_risks(tree: FileTree) -> Risks:
    """Look for code that runs text, unpickles, starts shells, or holds secrets."""
    places: list[Finding] = []
    unparsed: list[str] = []
    for file in tree.readable():
        text = tree.text(file)
        found = list(_secrets(text))
        language = language_of(file)
        if language == "Python":
            try:
                found += _in_python(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                unparsed.append(file.path)
        found += _in_lines(text, language)
        places += (_finding(file, line, what) for line, what in sorted(set(found)))
    places.sort(key=lambda place: place.in_tests)  # the code itself first; sorting keeps the order otherwise
    return Risks(places=tuple(places[:_KEPT]), total=len(places), unparsed=tuple(unparsed))


def _finding(file: SourceFile, line: int, what: str) -> Finding:
    return Finding(what=what, path=file.path, line=line, in_tests=is_test(file))


def _secrets(text: str) -> Iterator[tuple[int, str]]:
    patterns = [(what, pattern) for what, pattern in _SECRETS if pattern.search(text)]  # most files have none
    for number, line in enumerate(text.splitlines() if patterns else (), 1):
        for what, pattern in patterns:
            match = pattern.search(line[:_MAX_LINE])
            if match and not (pattern.groups and _PLACEHOLDER.search(match[_QUOTED])):
                yield number, f"possible secret: {what}"
                break


def _in_lines(text: str, language: str) -> Iterator[tuple[int, str]]:
    patterns = _LINES.get(language, ())
    for number, line in enumerate(text.splitlines() if patterns else (), 1):
        if not line.lstrip().startswith(("//", "#", "*")):
            yield from ((number, what) for what, pattern in patterns if pattern.search(line[:_MAX_LINE]))


def _in_python(text: str) -> list[tuple[int, str]]:
    if not _WORTH_PARSING.search(text):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the code that is read, not of ours
        parsed = ast.parse(text)
    nodes = [node for node in ast.walk(parsed) if isinstance(node, ast.Call | ast.Import | ast.ImportFrom)]
    names = _imported(nodes)
    return [(node.lineno, what) for node in nodes if isinstance(node, ast.Call) and (what := _risk_of(node, names))]


def _imported(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Return what local names stand for, so that `from pickle import loads` is seen through."""
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _risk_of(call: ast.Call, names: dict[str, str]) -> str:
    name = _dotted(call.func, names)
    options = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in _PYTHON:
        return _PYTHON[name]
    if _is(options.get("shell"), constant=True):
        return "subprocess through a shell"
    if _is(options.get("verify"), constant=False):
        return "certificates are not verified"
    if name == "yaml.load" and "Safe" not in ast.dump(
        options.get("Loader") or (call.args[1] if len(call.args) > 1 else call)
    ):
        return "yaml that can run code"
    return ""


def _dotted(function: ast.expr, names: dict[str, str]) -> str:
    if isinstance(function, ast.Name):
        return names.get(function.id, function.id)
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{names.get(function.value.id, function.value.id)}.{function.attr}"
    return ""


def _is(node: ast.expr | None, *, constant: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is constant


def _told(number: int) -> str:
    return f"{count(number, 'place')}, see below" if number else "none found outside the tests"
