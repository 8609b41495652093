"""Prompts from templates: Jinja2 in a sandbox, in which what is filled in is data and never a template."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from planboard._text import is_secret, suggest
from planboard.errors import DefinitionError, UnknownNameError
from planboard.llm.showing import as_data

_HIDDEN = "***"


class Templates:
    """Templates by name: the files of a folder, or the texts of a mapping.

    Args:
        source: A folder, or a mapping from names to templates.
    """

    def __init__(self, source: str | Path | Mapping[str, str] | None) -> None:
        self._source = source

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        """Return a template with values filled in.

        A text is filled in as it is, and looked at no further: braces in it mean nothing. Other objects are filled in
        as JSON. What is secret, by its type or by its name, is hidden.

        Raises:
            UnknownNameError: There is no such template.
            DefinitionError: It cannot be rendered: a variable is missing, or something is not allowed in it.
        """
        import jinja2

        try:
            template = self._environment.get_template(name)
            return str(template.render(dict(values)))
        except jinja2.TemplateNotFound as error:
            raise UnknownNameError("template", str(error.name or name), self._names) from None
        except jinja2.TemplateSyntaxError as error:
            message = f"Template {error.name or name!r}, line {error.lineno}: {error.message}"
            raise DefinitionError(message) from error
        except jinja2.UndefinedError as error:
            hint = suggest(str(error.message).partition("'")[2].partition("'")[0], values)
            message = f"Template {name!r}: {error.message}. {hint}"
            raise DefinitionError(message) from error
        except jinja2.exceptions.SecurityError as error:
            message = f"Template {name!r} does what templates must not do: {error.message}"
            raise DefinitionError(message) from error

    @property
    def _names(self) -> list[str]:
        return sorted(self._environment.list_templates())

    @cached_property
    def _environment(self) -> Any:
        import jinja2
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        class Environment(ImmutableSandboxedEnvironment):
            """Hides what is secret by its name."""

            def getattr(self, obj: Any, attribute: str) -> Any:
                return _HIDDEN if is_secret(attribute) else super().getattr(obj, attribute)

            def getitem(self, obj: Any, argument: Any) -> Any:
                hidden = isinstance(argument, str) and is_secret(argument)
                return _HIDDEN if hidden else super().getitem(obj, argument)

        if self._source is None:
            message = "There are no templates. Say where they are: Ai(templates='a/folder')."
            raise DefinitionError(message)
        if isinstance(self._source, Mapping):
            loader: jinja2.BaseLoader = jinja2.DictLoader(dict(self._source))
        else:
            loader = jinja2.FileSystemLoader(self._source)
        return Environment(
            loader=loader,
            undefined=jinja2.StrictUndefined,
            finalize=_shown,
            autoescape=False,
            keep_trailing_newline=False,
        )


def _shown(value: Any) -> Any:
    """Return what stands in a prompt for a value: texts and numbers as they are, other objects as data."""
    return value if value is None or isinstance(value, str | int | float) or _is_undefined(value) else as_data(value)


def _is_undefined(value: Any) -> bool:
    from jinja2 import Undefined

    return isinstance(value, Undefined)
