"""The form in which a model gives an object: one tool, whose arguments are the object, read leniently."""

from collections.abc import Iterable
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

from planboard.llm.names import tool_name
from planboard.llm.port import Check, compact_json
from planboard.llm.reading import json_in, read_arguments, read_value
from planboard.llm.schemas import Schema, schema_of, strict_schema
from planboard.types import TypeForm, type_name

_VALUE = "value"


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """What an answer must look like."""

    form: TypeForm
    name: str
    """The tool that stands for it."""
    description: str
    schema: Schema
    """Of an object; a type that is none is the `value` of one."""
    strict: bool
    wrapped: bool

    @classmethod
    def of(cls, form: TypeForm) -> "AnswerForm":
        """Return the form for a type.

        Raises:
            DefinitionError: Its values cannot be written in JSON.
        """
        schema = schema_of(form)
        description = schema.pop("description", "") or _doc(form) or f"Give the {type_name(form)}."
        wrapped = schema.get("type") != "object" or "properties" not in schema
        if wrapped:
            definitions = schema.pop("$defs", None)
            schema = {
                "type": "object",
                "properties": {_VALUE: schema},
                "required": [_VALUE],
                "additionalProperties": False,
                **({"$defs": definitions} if definitions else {}),
            }
        schema, strict = strict_schema(schema)
        return cls(form, tool_name(type_name(form)), cleandoc(description), schema, strict, wrapped)

    def arguments_in(self, text: str) -> str | None:
        """Return the arguments that a text without any call stands for, wherever in it they are; `None` if nowhere."""
        try:
            return compact_json(json_in(text))
        except ValueError:
            pass
        try:  # a plain value, as an enum's, may stand there as it is
            read_value(self.form, text.strip())
        except ValueError:
            return None
        return compact_json({_VALUE: text.strip()}) if self.wrapped else None

    def read(self, text: str, checks: Iterable[Check] = ()) -> Any:
        """Return the object that a model has written.

        Raises:
            ValueError: It does not fit, or a check objects; the text tells the model why.
        """
        arguments: Any = read_arguments(text)
        candidates = [arguments]
        if len(arguments) == 1:  # the object in a shell of its own: {"value": ...}, {"Person": {...}}
            inner = next(iter(arguments.values()))
            candidates = [inner, arguments] if self.wrapped else [arguments, inner]
        faults: list[str] = []
        for candidate in candidates:
            try:
                value = read_value(self.form, candidate)
            except ValueError as error:
                faults.append(str(error))
                continue
            _look_at(value, checks)
            return value
        raise ValueError(faults[0])


def _look_at(value: Any, checks: Iterable[Check]) -> None:
    for check in checks:
        try:
            check(value)
        except AssertionError as error:
            raise ValueError(str(error) or "a check failed") from error


def _doc(form: TypeForm) -> str:
    return "" if not isinstance(form, type) or form.__module__ == "builtins" else (vars(form).get("__doc__") or "")
