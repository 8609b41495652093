"""From the words after `--input` to objects on the board.

Which type a word means is found from the agent: by the type's name, by a binding's name, or, when neither is said, by
trying what the agent starts from; exactly one type must fit. The rules are in docs/reference/cli.md.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from planboard._text import brief, listed, suggest
from planboard.blackboard.board import Blackboard
from planboard.cli.fitting import Fit, Misfit, Raw, fit
from planboard.cli.reporting import usage_errors
from planboard.cli.vocabulary import Need, Vocabulary, fields_of, signature_of
from planboard.types import TypeForm, origin_of, type_name

PAIR = re.compile(r"([^\W\d][\w.]*(?:\[[^=]*\])?)=(.*)", re.DOTALL)
"""`key=value`."""
_FORMS = "An input is JSON, @file with JSON, or key=value."


@dataclass(frozen=True, slots=True)
class Given:
    """An object for the board."""

    need: Need
    value: object

    def put_on(self, board: Blackboard) -> None:
        """Put it on a board under its name, declared as its type where the class does not tell.

        Raises:
            typer.BadParameter: The board refuses it.
        """
        form = self.need.form
        declared = None if isinstance(form, type) and origin_of(form) is None else form
        with usage_errors():
            if self.need.name is not None:
                board.bind(self.need.name, self.value, type=declared)
            else:
                board.add(self.value, type=declared)


@dataclass(slots=True)
class _Parts:
    """The fields of one object that are given one by one."""

    need: Need | None
    """What it shall be; `None` to find out."""
    data: dict[str, Any] = field(default_factory=dict)

    def set(self, path: list[str], value: str) -> None:
        at = self.data
        for part in path[:-1]:
            at = at.setdefault(part, {})
            if not isinstance(at, dict):
                message = f"{'.'.join(path)!r} is given both as a value and field by field."
                raise typer.BadParameter(message)
        if path[-1] in at:
            message = f"{'.'.join(path)!r} is given twice. For two objects give each as JSON."
            raise typer.BadParameter(message)
        at[path[-1]] = Raw(value)


class Reader:
    """Reads the inputs of one command.

    Args:
        vocabulary: What the words may stand for.
        folder: Where the files are that words name.
    """

    def __init__(self, vocabulary: Vocabulary, folder: Path | None = None) -> None:
        self.files: dict[str, str] = {}
        """The file that a word names, for those that name one; it is what the word ends with."""
        self._word = ""
        self._folder = folder or Path()
        self._vocabulary = vocabulary
        self._found: list[Given | _Parts] = []
        self._parts: dict[Need | None, _Parts] = {}

    def read(self, words: Iterable[str]) -> list[Given]:
        """Return the objects that the words stand for, in order.

        Raises:
            typer.BadParameter: A word stands for nothing, for several things, or for an invalid value.
        """
        for word in words:
            self._read_word(word)
        given: list[Given] = []
        for item in self._found:
            if isinstance(item, Given):
                given.append(item)
            else:
                given.append(self._any(item.data) if item.need is None else self._sure(item.need, item.data))
        return given

    def _read_word(self, word: str) -> None:
        self._word = word
        if word.startswith("@"):
            self._found += self._untyped(self._content(word), f"the content of {word[1:]!r}")
            return
        pair = PAIR.fullmatch(word)
        if pair is None:
            self._found += self._untyped(Raw(word), repr(word))
            return
        key, text = pair.groups()
        vocabulary = self._vocabulary
        if key in vocabulary.types:
            self._found += self._typed(vocabulary.type_named(key), self._content(text))
        elif key in vocabulary.bindings:
            self._found.append(self._bound(key, self._content(text)))
        else:
            self._read_field(key, text)

    def _read_field(self, key: str, text: str) -> None:
        """Take `key=value` for a field, or for a type by its name in snake case."""
        vocabulary = self._vocabulary
        head, *path = key.split(".")
        fields = {name for need in vocabulary.start for name in fields_of(need.form)}
        starting = [need for need in vocabulary.start if type_name(need.form) in vocabulary.types]
        named = [need for need in starting if need.form in set(vocabulary.snake_cased(head))]
        if path and head in vocabulary.types:
            self._part(Need(vocabulary.type_named(head)), path, text)
        elif path and head in vocabulary.bindings:
            self._part(self._binding(head), path, text)
        elif path and named:
            self._part(named[0], path, text)
        elif head in fields:
            self._part(None, [head, *path], text)
        elif next(vocabulary.snake_cased(head), None) is not None:
            form = vocabulary.type_named(head)
            if path:
                self._part(Need(form), path, text)
            else:
                self._found += self._typed(form, self._content(text))
        else:
            known = [*vocabulary.types, *vocabulary.bindings, *fields]
            message = (
                f"--input {key}=…: {head!r} is no type, binding or field of what the agent starts from "
                f"({self._start_types()}). {suggest(head, known)}"
            )
            raise typer.BadParameter(message)

    def _part(self, need: Need | None, path: list[str], text: str) -> None:
        if need not in self._parts:
            self._parts[need] = parts = _Parts(need)
            self._found.append(parts)
        self._parts[need].set(path, text)

    def _typed(self, form: TypeForm, data: object) -> list[Given]:
        """Take data for a type; the elements of an array, where the type is none, for one object each."""
        found = fit(form, data)
        if isinstance(found, Misfit):
            items = _json_list(data)
            if items and all(isinstance(item, Mapping) for item in items):
                return [self._sure(Need(form), item) for item in items]
            raise _refused(form, data, found)
        return [Given(Need(form), found.value)]

    def _bound(self, name: str, data: object) -> Given:
        forms = self._vocabulary.bindings[name]
        return self._one_of([Need(form, name) for form in forms], data, f"The value of {name!r}")

    def _binding(self, name: str) -> Need:
        forms = self._vocabulary.bindings[name]
        form, *others = forms
        if others:
            message = f"{name!r} may be {listed(map(type_name, forms), conjunction='or')}; give it as one JSON object."
            raise typer.BadParameter(message)
        return Need(form, name)

    def _sure(self, need: Need, data: object) -> Given:
        found = fit(need.form, data)
        if isinstance(found, Misfit):
            raise _refused(need.form, data, found)
        return Given(need, found.value)

    def _any(self, data: object, what: str | None = None) -> Given:
        if not self._vocabulary.start:
            shown = what or _shown(data)
            message = f"The agent starts from nothing, so it is not clear what {shown} is. Name its type: Type=…"
            raise typer.BadParameter(message)
        return self._one_of(list(self._vocabulary.start), data, what or _shown(data))

    def _one_of(self, needs: list[Need], data: object, what: str) -> Given:
        """Return the one need that data fits, or say why none or which several do."""
        results = [(need, fit(need.form, data)) for need in needs]
        fits = [Given(need, result.value) for need, result in results if isinstance(result, Fit)]
        if len(fits) == 1:
            return fits[0]
        if fits:
            keys = [given.need.key for given in fits]
            message = (
                f"{what} fits {listed(str(given.need) for given in fits)}. "
                f"Say which: {listed((f'--input {key}=…' for key in keys), conjunction='or')}."
            )
            raise typer.BadParameter(message)
        if len(results) == 1 and isinstance(results[0][1], Misfit):
            raise _refused(results[0][0].form, data, results[0][1])
        lines = [f"{what} fits nothing that the agent starts from:"]
        for need, result in results:
            if isinstance(result, Misfit):
                lines += [f"  {need.name + ': ' if need.name else ''}{signature_of(need.form)}"]
                lines += [f"    {problem}" for problem in result.problems]
        lines.append(f"Name the type to say what is meant, as in --input {results[0][0].key}=…")
        raise typer.BadParameter("\n".join(lines))

    def _untyped(self, text: Raw, what: str) -> list[Given]:
        try:
            data = json.loads(text)
        except ValueError as error:
            if any(need.form is str for need in self._vocabulary.start):
                return [self._any(str(text), what)]
            message = f"{what} is not JSON ({error}). {_FORMS} The agent starts from: {self._start_types()}."
            raise typer.BadParameter(message) from error
        if isinstance(data, dict) and self._is_keyed(data):
            return [given for key, value in data.items() for given in self._keyed(key, value)]
        if isinstance(data, list) and not self._is_whole(data):
            return [self._any(item) for item in data]
        return [self._any(data, _shown(data))]

    def _is_keyed(self, data: dict[str, object]) -> bool:
        """Tell whether the keys name types or bindings, not the fields of one object."""
        known = {*self._vocabulary.types, *self._vocabulary.bindings}
        if not data or not known.issuperset(data):
            return False
        return not any(set(fields_of(need.form)).issuperset(data) for need in self._vocabulary.start)

    def _keyed(self, key: str, data: object) -> list[Given]:
        if key in self._vocabulary.types:
            return self._typed(self._vocabulary.type_named(key), data)
        return [self._bound(key, data)]

    def _is_whole(self, data: list[object]) -> bool:
        return any(isinstance(fit(need.form, data), Fit) for need in self._vocabulary.start)

    def _content(self, text: str) -> Raw:
        """Return the text, or what the file holds that it names: `Topic=@topic.json`; "@-" is standard input."""
        if not text.startswith("@"):
            return Raw(text)
        name = self.files[self._word] = text[1:]
        try:
            return Raw(sys.stdin.read() if name == "-" else (self._folder / name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            message = f"The input file {name!r} cannot be read: {reason}."
            raise typer.BadParameter(message) from error

    def _start_types(self) -> str:
        return start_types(self._vocabulary) or "nothing"


def start_types(vocabulary: Vocabulary) -> str:
    """Return what an agent starts from, in words: `Topic(text: str), style: Style(name: str)`."""
    return ", ".join(f"{need.name + ': ' if need.name else ''}{signature_of(need.form)}" for need in vocabulary.start)


def _refused(form: TypeForm, data: object, found: Misfit) -> typer.BadParameter:
    problems = "\n".join(f"  {problem}" for problem in found.problems)
    return typer.BadParameter(
        f"{_shown(data)} is no valid {type_name(form)}:\n{problems}\nWhat it takes: {signature_of(form)}."
    )


def _shown(data: object) -> str:
    if isinstance(data, str):
        return brief(str(data))
    text = json.dumps(data, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004 - a line's worth


def _json_list(data: object) -> list[Any]:
    if isinstance(data, Raw):
        try:
            data = json.loads(data)
        except ValueError:
            return []
    return data if isinstance(data, list) else []
