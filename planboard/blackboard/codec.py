"""Values as JSON and back: the same value of the same classes, or a refusal that says what in it cannot be stored.

A value is taken apart by its classes, not by the types it was declared with, so a subclass in a field of its base
class stays what it is. It is put together again without running anybody's code: validators need not accept their own
results. Then it is checked against its type, for stored data may have been changed.

What JSON lacks is written as an object with a key that begins with `$`: `{"$": "Order", "v": {...}}` for a registered
class, `{"$t": "datetime", "v": [...]}` for a standard one, `{"$secret": "Login.password"}` for what is never written.
"""

from collections.abc import Mapping
from typing import Any

from planboard._text import listed
from planboard.blackboard.json_text import from_text, hides, to_text
from planboard.blackboard.layouts import Layouts, _Refused
from planboard.blackboard.matching import conforms
from planboard.blackboard.reader import Reader
from planboard.blackboard.registry import TypeRegistry
from planboard.blackboard.scalars import SCALARS
from planboard.blackboard.schema import structural_problem
from planboard.blackboard.writer import Writer
from planboard.errors import EntryTypeError, SecretMissingError
from planboard.types import TypeForm, type_name

__all__ = ["Codec", "from_text", "to_text"]


class Codec:
    """Writes and reads values of registered types.

    Args:
        registry: The types.
        secrets: Values that were never written, by the name they are missed under: "Login.password" or "password".
        lenient: Take defaults for fields that stored data lacks, and drop those that are gone.
    """

    def __init__(
        self, registry: TypeRegistry, *, secrets: Mapping[str, object] | None = None, lenient: bool = False
    ) -> None:
        self.registry = registry
        """The types."""
        self._layouts = Layouts(registry)
        self._writer = Writer(self._layouts)
        self.secrets: Mapping[str, object] = secrets or {}
        """Values that were never written."""
        self.lenient = lenient
        """Whether stored data may lack fields, or have too many."""

    def encode(self, value: object, *, name: str | None = None) -> Any:
        """Return a value as data for JSON.

        Args:
            value: What is written.
            name: What it goes by; under a name such as `api_key` it is not written.

        Raises:
            EntryTypeError: It cannot be stored without loss; the message says where in it, and why.
        """
        try:
            if name is not None and hides(name, value):
                return {"$secret": name}
            return self._writer.encode(value)
        except _Refused as error:
            raise EntryTypeError(_sentence(type(value).__name__, error, "be stored")) from error.__cause__
        except RecursionError:
            message = f"A {type(value).__name__} cannot be stored: it refers to itself, or is nested too deeply."
            raise EntryTypeError(message) from None

    def decode(self, data: Any, form: TypeForm = None) -> Any:
        """Return the value that data tells of.

        Args:
            data: What `encode` made, or something else.
            form: The type that it must be of; by default whatever it is, its fields are checked.

        Raises:
            EntryTypeError: The data is no value of a registered type, or the value does not fit its type.
            SecretMissingError: Secrets in it were not written, and not given.
        """
        reader = Reader(self._layouts, self.secrets, lenient=self.lenient)
        try:
            value = reader.decode(data)
        except _Refused as error:
            raise EntryTypeError(_sentence("value", error, "be read")) from error.__cause__
        except RecursionError:
            message = "A value cannot be read: it is nested too deeply."
            raise EntryTypeError(message) from None
        if reader.missing:
            names = tuple(sorted(reader.missing))
            message = f"The secrets {listed(names)} are never written; they have to be given."
            raise SecretMissingError(message, secrets=names)
        plain = form is None and type(value) in SCALARS  # made by us; pydantic would refuse Decimal("NaN")
        problem = None if plain else structural_problem(type(value) if form is None else form, value)
        if problem is None and form is not None and not conforms(value, form):
            problem = f"it is {type(value).__name__}"
        if problem is not None:
            message = f"What is stored is no {type_name(type(value) if form is None else form)}: {problem}."
            raise EntryTypeError(message)
        return value


def _sentence(what: str, error: _Refused, verb: str) -> str:
    path, reason = "".join(error.path), error.reason.rstrip(".")
    return f"A {what} cannot {verb}{f', at {path.removeprefix(chr(46))}' if path else ''}: {reason}."
