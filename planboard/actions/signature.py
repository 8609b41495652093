"""What a function takes from the board and puts on it, read from its annotations.

Annotations may be postponed, refer forward, or name types that are defined inside a function. A signature that
cannot be read is refused with the parameter's name; it never silently has no inputs.
"""

import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from types import FrameType, SimpleNamespace, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args

from typing_extensions import is_protocol

from planboard._text import listed, suggest
from planboard.blackboard.matching import members, normal
from planboard.errors import DefinitionError
from planboard.types import All, Location, Named, TypeForm, location_of, origin_of, type_name

_MAX_FRAMES = 6


@dataclass(frozen=True, slots=True)
class Input:
    """One parameter that is filled from the board, or injected."""

    parameter: str
    form: TypeForm
    """The type that an entry must satisfy."""
    name: str | None = None
    """The binding that is demanded with `Named`."""
    collects: bool = False
    """Whether all matches are wanted (`All`) instead of the newest."""
    optional: bool = False
    """Whether the function can do without: `T | None`, or a default."""
    has_default: bool = False

    def __str__(self) -> str:
        shown = f"list[{type_name(self.form)}]" if self.collects else type_name(self.form)
        return f"{self.name}: {shown}" if self.name else shown


@dataclass(frozen=True, slots=True)
class Signature:
    """The inputs of a function and what it returns."""

    inputs: tuple[Input, ...]
    returns: TypeForm
    """The return annotation; `None` when the function returns nothing."""

    @property
    def outputs(self) -> tuple[tuple[TypeForm, ...], ...]:
        """The alternatives of what is put on the board, each a tuple of types: `A | None` is `((A,), ())`."""
        return alternatives(self.returns)


class SignatureReader:
    """Reads a function's signature as soon as the names in it can be resolved.

    At the decorator, names may not exist yet; then it is read again when the agent is built. Until then the frames
    in which the function was defined are kept, since only they know types that are local to a function.

    Names may also be those of classes that are about to be defined again, as when a cell of a notebook is run twice.
    So what was read is read anew once a module has another class under the same name: the second replaces the first.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        kind: str,
        skip_first: bool,
        needs_return: bool = True,
        returns: TypeForm = None,
        like: "SignatureReader | None" = None,
    ) -> None:
        self._function = function
        self._needs_return = needs_return
        self._returns = returns
        self._like = like
        self.skip_first = skip_first
        """Whether the first parameter is `self`."""
        self._kind = kind
        self._frames = _enclosing_frames(function)
        self._locals: Mapping[str, Any] = {}
        self._signature: Signature | None = None
        try:
            self._signature = self._read()
        except _UnresolvedError:
            return
        self._let_frames_go()

    def read(self) -> Signature:
        """Return the signature.

        Raises:
            DefinitionError: A parameter cannot be understood, or names a type that does not exist.
        """
        if self._signature is None:
            try:
                self._signature = self._read()
            except _UnresolvedError as error:
                raise self._error(str(error)) from None
            self._let_frames_go()
        elif self._is_outdated(self._signature):
            with suppress(_UnresolvedError):
                self._signature = self._read()
        return self._signature

    def _let_frames_go(self) -> None:
        """Keep of the frames what the annotations name, should they be read again."""
        names = self._namespace() if self._frames else {}
        words = {word for text in self._annotations().values() for word in re.findall(r"\w+", str(text))}
        self._locals = {name: value for name, value in names.items() if name in words}
        self._frames = ()

    def _is_outdated(self, signature: Signature) -> bool:
        """Tell whether a class of the function's module that was read is another one by now, under the same name."""
        names = self._globals()
        forms = [*(item.form for item in signature.inputs), signature.returns]
        return any(_is_replaced(cls, names) for form in forms for cls in _classes_in(form))

    def _read(self) -> Signature:
        parameters = list(inspect.signature(self._function).parameters.values())
        if self.skip_first:
            parameters = parameters[1:]
        namespace = self._namespace()
        annotations = self._annotations()
        # What has a default and no type can be no input; it stays its default.
        taken = [item for item in parameters if item.name in annotations or item.default is inspect.Parameter.empty]
        inputs = tuple(self._input(parameter, namespace) for parameter in taken)
        if not self._needs_return:
            return Signature(inputs, None)
        if self._returns is not None:
            return Signature(inputs, self._checked_return(normal(self._returns)))
        if "return" not in annotations:
            raise self._error(f"{self._what} has no return type. Annotate it, with `-> None` if it returns nothing.")
        returns = self._resolve("return", annotations["return"], namespace)
        return Signature(inputs, self._checked_return(returns))

    def _input(self, parameter: inspect.Parameter, namespace: Mapping[str, Any]) -> Input:
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise self._error(
                f"{self._what} takes *{parameter.name}, but every parameter must have its own name and type."
            )
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            raise self._error(
                f"Parameter {parameter.name!r} of {self._what} is positional only, but inputs are passed by name. "
                "Leave out the `/`."
            )
        annotations = self._annotations()
        if parameter.name not in annotations:
            known = self._known_elsewhere(parameter.name)
            if known is not None:
                return known
            raise self._error(
                f"Parameter {parameter.name!r} of {self._what} has no type. "
                "Annotate it: inputs are found on the board by their type."
            )
        form = self._resolve(parameter.name, annotations[parameter.name], namespace)
        return self._as_input(parameter, form)

    def _known_elsewhere(self, name: str) -> Input | None:
        """Return the input of the same name of the action it belongs to: a lambda cannot say its types."""
        if self._like is None:
            return None
        if self._like._signature is None:  # noqa: SLF001 - of its own kind
            raise _UnresolvedError(f"the types of {self._what} are not known yet")
        inputs = self._like._signature.inputs  # noqa: SLF001
        return next((item for item in inputs if item.parameter == name), None)

    def _as_input(self, parameter: inspect.Parameter, form: TypeForm) -> Input:
        optional, marks, form = _take_apart(form)
        collects = any(mark is All or isinstance(mark, All) for mark in marks)
        names = [mark.name for mark in marks if isinstance(mark, Named)]
        if len(names) > 1:
            raise self._error(f"Parameter {parameter.name!r} of {self._what} has two names: {listed(names)}.")
        if collects:
            if origin_of(form) is not list or len(get_args(form)) != 1:
                raise self._error(
                    f"Parameter {parameter.name!r} of {self._what} collects with All, "
                    f"so its type must be a list, as in Annotated[list[Person], All]; it is {type_name(form)}."
                )
            form = normal(get_args(form)[0])
        self._check_form(parameter.name, form)
        has_default = parameter.default is not inspect.Parameter.empty
        return Input(
            parameter.name,
            form,
            name=names[0] if names else None,
            collects=collects,
            optional=optional or has_default,
            has_default=has_default,
        )

    def _check_form(self, parameter: str, form: TypeForm) -> None:
        for member in members(form):
            if member in (Any, object):
                raise self._error(
                    f"Parameter {parameter!r} of {self._what} is typed {type_name(member)}, which everything on the "
                    "board satisfies. Name the type that is meant."
                )
            if isinstance(member, TypeVar):
                raise self._error(f"Parameter {parameter!r} of {self._what} has the open type variable {member}.")
            if is_protocol(member) and not getattr(member, "_is_runtime_protocol", False):
                raise self._error(
                    f"Parameter {parameter!r} of {self._what} is the protocol {type_name(member)}, which cannot be "
                    "checked at run time. Decorate it with @typing.runtime_checkable."
                )
            try:
                hash(member)
            except TypeError:
                raise self._error(
                    f"Parameter {parameter!r} of {self._what}: the metadata of {type_name(member)} is not hashable."
                ) from None

    def _checked_return(self, form: TypeForm) -> TypeForm:
        for alternative in alternatives(form):
            for output in alternative:
                if output in (Any, object) or isinstance(output, TypeVar):
                    raise self._error(
                        f"{self._what} returns {type_name(output)}. Name the type that it puts on the board, "
                        "so that others can ask for it."
                    )
        if origin_of(form) in _STREAMS:
            raise self._error(f"{self._what} is a generator; an action returns its outputs.")
        return form

    def _resolve(self, name: str, annotation: Any, namespace: Mapping[str, Any]) -> TypeForm:
        holder = SimpleNamespace(__annotations__={name: annotation})
        try:
            hints = typing.get_type_hints(holder, dict(self._globals()), dict(namespace), include_extras=True)
        except NameError as error:
            missing = getattr(error, "name", None) or str(error)
            place = "The return type" if name == "return" else f"Parameter {name!r}"
            known = [key for key, value in {**self._globals(), **namespace}.items() if isinstance(value, type)]
            message = f"{place} of {self._what} names {missing!r}, which does not exist. {suggest(missing, known)}"
            raise _UnresolvedError(message) from None
        except (TypeError, SyntaxError, AttributeError) as error:
            place = "The return type" if name == "return" else f"Parameter {name!r}"
            raise self._error(f"{place} of {self._what} cannot be read: {error}") from error
        return normal(hints[name])

    def _annotations(self) -> Mapping[str, Any]:
        try:
            return inspect.get_annotations(inspect.unwrap(self._function))
        except NameError as error:
            message = f"{self._what} names {error.name!r}, which does not exist"
            raise _UnresolvedError(message) from None

    def _globals(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = getattr(inspect.unwrap(self._function), "__globals__", {})
        return found

    def _namespace(self) -> dict[str, Any]:
        names: dict[str, Any] = dict(self._locals)
        for frame in reversed(self._frames):
            names.update(frame.f_locals)
        return names

    @property
    def _what(self) -> str:
        return f"{self._kind} {getattr(self._function, '__name__', repr(self._function))!r}"

    def _error(self, message: str) -> DefinitionError:
        return DefinitionError(message, where=self.where)

    @property
    def where(self) -> Location | None:
        """Where the function is defined."""
        return location_of(self._function)


_STREAMS = (
    typing.get_origin(typing.AsyncIterator[int]),
    typing.get_origin(typing.Iterator[int]),
    typing.get_origin(typing.Generator[int, None, None]),
    typing.get_origin(typing.AsyncGenerator[int, None]),
)


class _UnresolvedError(Exception):
    """A name in an annotation does not exist yet."""


def _classes_in(form: TypeForm) -> Iterator[type]:
    """Yield the classes that a type is made of."""
    generic = getattr(form, "__pydantic_generic_metadata__", None) or {}
    if isinstance(form, type):
        yield generic.get("origin") or form
    for part in (*get_args(form), *generic.get("args", ())):
        yield from _classes_in(part)


def _is_replaced(cls: type, names: Mapping[str, Any]) -> bool:
    """Tell whether the names of a module mean another class by the name of one that was defined there."""
    found = names.get(cls.__qualname__) if cls.__module__ == names.get("__name__") else cls
    return (
        isinstance(found, type)
        and found is not cls
        and (found.__module__, found.__qualname__) == (cls.__module__, cls.__qualname__)
    )


def is_method(function: Callable[..., Any]) -> bool:
    """Tell whether a function is defined in a class body and takes `self`."""
    outer = getattr(function, "__qualname__", "").rpartition(".")[0]
    if not outer or outer.endswith("<locals>"):
        return False
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and (first.annotation is inspect.Parameter.empty or first.name == "self")


def alternatives(form: TypeForm) -> tuple[tuple[TypeForm, ...], ...]:
    """Return what may be put on the board: one tuple of types for each way a call can turn out."""
    found: list[tuple[TypeForm, ...]] = []
    for member in members(form):
        if member is type(None):
            found.append(())
        elif origin_of(member) is tuple and ... not in get_args(member):
            parts = [alternatives(part) for part in get_args(member)]
            found.extend(tuple(form for chosen in choice for form in chosen) for choice in product(*parts))
        else:
            found.append((member,))
    return tuple(dict.fromkeys(found))


def _take_apart(form: TypeForm) -> tuple[bool, list[Any], TypeForm]:
    """Split a parameter's type into: may it be absent, our markers, and the type itself."""
    optional = False
    marks: list[Any] = []
    while True:
        form = normal(form)
        if origin_of(form) in (Union, UnionType):
            rest = [arg for arg in get_args(form) if arg is not type(None)]
            if len(rest) == len(get_args(form)):
                return optional, marks, form
            optional = True
            form = Union[tuple(rest)]  # noqa: UP007 - made at run time
            continue
        if origin_of(form) is not Annotated:
            return optional, marks, form
        base, *metadata = get_args(form)
        ours = [mark for mark in metadata if mark is All or isinstance(mark, All | Named)]
        if not ours:
            return optional, marks, form
        marks.extend(ours)
        others = tuple(mark for mark in metadata if mark not in ours)
        form = Annotated[(base, *others)] if others else base


def _enclosing_frames(function: Callable[..., Any]) -> tuple[FrameType, ...]:
    """Return the functions and class bodies around a definition, innermost first."""
    frames: list[FrameType] = []
    module = getattr(inspect.unwrap(function), "__globals__", None)
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - types that are local to a function live there only
    while frame is not None and frame.f_globals is not module:
        frame = frame.f_back
    while frame is not None and frame.f_globals is module and len(frames) < _MAX_FRAMES:
        if frame.f_code.co_name == "<module>":
            break
        frames.append(frame)
        frame = frame.f_back
    return tuple(frames)
