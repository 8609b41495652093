"""What a step is decided by: when a loop ends, which way a branch goes, which items there are.

A plain typed function is asked in place, since it must be pure. One that is asynchronous, or asks a model, is run as
a child, so that its answer is kept and is the same when the step is run again.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, Flag
from inspect import iscoroutinefunction
from typing import Annotated, Any, Literal, Union, get_args, get_type_hints

from planboard._text import brief, suggest
from planboard.actions.action import BoundInput, root_name
from planboard.actions.context import ActionContext, Addition, Injected
from planboard.actions.declarations import declaration_of
from planboard.actions.making import with_inputs
from planboard.actions.signature import Input, SignatureReader
from planboard.blackboard.entry import Entry
from planboard.blackboard.index import Matcher
from planboard.blackboard.matching import members, normal
from planboard.blackboard.schema import describe_error
from planboard.errors import ActionError, DefinitionError
from planboard.steps.part import Part, as_part, part_forms
from planboard.types import All, TypeForm, location_of, origin_of


class Decider:
    """A typed function over what is there.

    Args:
        function: The function.
        within: The step it belongs to, for messages.
        role: What it is there, such as "until".
        known: Types by the names that parameters without a type may have.
        returns: What it is taken to return, if it does not say so itself.
    """

    def __init__(
        self, function: Any, *, within: str, role: str, known: Mapping[str, TypeForm], returns: TypeForm = bool
    ) -> None:
        if not callable(function) or isinstance(function, type):
            message = (
                f"{within!r} has {role}={function!r}; it is a function over the board with types, such as "
                "`def good_enough(draft: Draft) -> bool`."
            )
            raise DefinitionError(message)
        self.name = f"{role}_{within}"
        self._within = within
        self._function: Callable[..., Any] = function
        typed = _typed(function, known, within, role)
        reader = SignatureReader(typed, kind=f"{role} of", skip_first=False, needs_return=False)
        given = reader.read().inputs
        asks = any(isinstance(item.form, type) and issubclass(item.form, Injected) for item in given)
        self.part: Part | None = None
        """What it is run as, unless it is asked in place."""
        if asks or iscoroutinefunction(function):
            self.part = as_part(_returning(typed, returns), within=within, name=self.name)
        self.answers = choices_of(return_of(function))
        """All that it may return, if its annotation says so: a `Literal` or an enum; else `None`."""
        matcher = Matcher()
        self.inputs: tuple[BoundInput, ...] = (
            self.part.inputs if self.part is not None else tuple(_bound(item, matcher) for item in given)
        )
        """What it looks at."""

    async def holds(self, context: ActionContext, there: Sequence[Addition]) -> bool:
        """Return what it says, which is yes or no.

        Raises:
            ActionError: It cannot be asked, raises, or answers something else.
        """
        answer = await self.decide(context, there)
        if not isinstance(answer, bool):
            message = f"{self.name!r} answered {brief(answer)} instead of True or False ({location_of(self._function)})"
            raise ActionError(self._within, message)
        return answer

    async def decide(self, context: ActionContext, there: Sequence[Addition]) -> Any:
        """Return what it says.

        Raises:
            ActionError: It cannot be asked, or raises.
        """
        if self.part is not None:
            return await self.part.run(context, *self.part.chosen(there))
        entries = [Entry(place, item.value, item.type, item.name) for place, item in enumerate(there)]
        arguments: dict[str, Any] = {}
        for item in self.inputs:
            found = [entry.value for entry in entries if item.query.admits(entry)]
            if found:
                arguments[item.parameter] = found if item.collects else found[-1]
            elif not item.optional:
                kinds = ", ".join(str(entry) for entry in entries) or "nothing"
                message = f"{self.name!r} needs {item}, and there is {kinds}."
                raise ActionError(self._within, message)
            elif not item.has_default:
                arguments[item.parameter] = None
        try:
            return self._function(**arguments)
        except Exception as error:
            message = f"{self.name!r} raised {describe_error(error)} ({location_of(self._function)})"
            raise ActionError(self._within, message) from error


def known_to(*parts: Part) -> dict[str, TypeForm]:
    """Return the types that a lambda beside parts may look at, by their names."""
    known: dict[str, TypeForm] = {}
    for part in parts:
        forms = [*(item.query.form for item in part.inputs), *part_forms(part)]
        known |= {root_name(form): form for form in forms if form is not None}
        known |= {item.query.name: item.query.form for item in part.inputs if item.query.name}
    return known


def _typed(function: Any, known: Mapping[str, TypeForm], within: str, role: str) -> Any:
    """Give types to parameters that have none, from their names: a lambda cannot say them."""
    parameters = inspect.signature(function).parameters
    bare = [name for name, item in parameters.items() if item.annotation is inspect.Parameter.empty]
    declared = declaration_of(function)
    if not bare or declared is not None:
        return function
    if len(bare) < len(parameters):
        return function  # what is half typed is refused with the parameter's name
    for name in bare:
        if name not in known:
            message = (
                f"Parameter {name!r} of {role} in {within!r} has no type, and nothing here is called so. "
                f"{suggest(name, known)}"
            )
            raise DefinitionError(message, where=location_of(function))

    def typed(**given: Any) -> Any:
        return function(**given)

    return with_inputs(typed, {name: known[name] for name in bare})


def _returning(function: Any, form: TypeForm) -> Any:
    if "return" in getattr(function, "__annotations__", {}):
        return function

    async def answering(**given: Any) -> Any:
        found = function(**given)
        return await found if inspect.isawaitable(found) else found

    hints = {name: item.annotation for name, item in inspect.signature(function).parameters.items()}
    made = with_inputs(answering, hints)
    made.__annotations__["return"] = form
    made.__signature__ = made.__signature__.replace(return_annotation=form)  # type: ignore[attr-defined]
    return made


def _bound(item: Input, matcher: Matcher) -> BoundInput:
    query = matcher.query(item.form, item.name)
    return BoundInput(item.parameter, query, item.collects, item.optional, item.has_default)


def return_of(function: Any) -> TypeForm:
    """Return what a function says that it returns; `None` if it does not, or cannot be understood yet."""
    target = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004 - its hints
    try:
        return get_type_hints(target).get("return")
    except (NameError, TypeError):  # the type is local to a function, or the object is no function
        found = getattr(target, "__annotations__", {}).get("return")
        return None if isinstance(found, str) else found


def choices_of(form: TypeForm) -> tuple[Any, ...] | None:
    """Return the values that a type has, if they can be counted: a `Literal`, an enum, yes or no; else `None`."""
    found: list[Any] = []
    for member in members(normal(form)) if form is not None else ():
        if origin_of(member) is Literal:
            found += get_args(member)
        elif isinstance(member, type) and issubclass(member, Enum) and not issubclass(member, Flag):
            found += member
        elif member is bool or member is type(None):
            found += (True, False) if member is bool else (None,)
        else:
            return None
    return tuple(found) or None


def element_of(form: TypeForm) -> TypeForm:
    """Return the type of the items of a collection, or `None` if it does not say."""
    marks = get_args(form)[1:] if origin_of(form) is Annotated else ()
    form = normal(get_args(form)[0] if marks else form)
    if any(mark is All or isinstance(mark, All) for mark in marks):
        return get_args(form)[0]
    several = [member for member in members(form) if member is not type(None)]
    if several != [form]:
        found = [element_of(member) for member in several]
        return None if not found or None in found else Union[tuple(found)]  # noqa: UP007 - made at run time
    origin, args = origin_of(form), get_args(form)
    if not isinstance(origin, type) or not issubclass(origin, Iterable) or issubclass(origin, Mapping) or not args:
        return None
    if origin is tuple:
        return Union[tuple(arg for arg in args if arg is not ...)]  # noqa: UP007 - made at run time
    return args[0]
