"""Which types stored data may become, and what they are called there.

Data can name a type only if somebody registered it: the types of an agent's signatures, the types of their fields, and
subclasses of those. Nothing is ever imported because data names it.
"""

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NewType, get_args

from pydantic import BaseModel
from typing_extensions import TypeAliasType, is_typeddict

from planboard._text import suggest
from planboard.errors import DefinitionError, EntryTypeError
from planboard.types import TypeForm, origin_of, type_name


def _unchanged(fields: dict[str, Any]) -> dict[str, Any]:
    return fields


@dataclass(frozen=True, slots=True)
class Migration:
    """How values of a type that were stored before it changed are brought up to date.

    Example:
        >>> Migration("Order", Order, lambda fields: {**fields, "currency": "EUR"})  # `currency` is new
        Migration('Order' -> Order)
    """

    stored: str
    """What the type was called when the values were stored."""
    to: type
    """What it is now."""
    change: Callable[[dict[str, Any]], dict[str, Any]] = _unchanged
    """Makes of the fields that were stored those of now."""

    def __post_init__(self) -> None:
        if not isinstance(self.to, type) or not callable(self.change):
            message = f"Migration({self.stored!r}, {self.to!r}, ...): name a class, and a function of a dict of fields."
            raise DefinitionError(message)

    def __repr__(self) -> str:
        return f"Migration({self.stored!r} -> {self.to.__name__})"


class TypeRegistry:
    """The types that are known, by the names they have in stored data.

    A class goes by its qualified name, without its module as long as that is unique: so a class that has moved, or a
    script that was run by itself and is now imported, finds its own data.

    Args:
        forms: Types; those of their fields and arguments are registered with them.
        migrations: For values that were stored before a type changed.
    """

    def __init__(self, forms: Iterable[TypeForm] = (), *, migrations: Iterable[Migration] = ()) -> None:
        self._classes: dict[type, None] = {}
        self._forms: dict[str, TypeForm] = {}
        self._seen: set[int] = set()
        self._keep: list[TypeForm] = []
        self._names: dict[type, str] | None = None
        self.migrations: Mapping[str, Migration] = {item.stored: item for item in migrations}
        for item in self.migrations.values():
            self.register(item.to)
        for form in forms:
            self.register(form)

    @property
    def migrated(self) -> frozenset[str]:
        """The names of stored types that can be brought up to date."""
        return frozenset(self.migrations)

    def register(self, form: TypeForm) -> None:
        """Make a type known, with all that its values may be made of."""
        if isinstance(form, type | NewType | TypeAliasType) or origin_of(form) is not None:
            self._forms.setdefault(type_name(form), form)
        self._close(form)

    def name_of(self, cls: type) -> str:
        """Return the name of a class.

        Raises:
            EntryTypeError: It is not registered, and neither is a class it is derived from.
        """
        name = self._by_class.get(cls)
        if name is None:
            self._names = None  # it may be a subclass that was defined since
            name = self._by_class.get(cls)
        if name is None and issubclass(cls, types.FunctionType | types.BuiltinFunctionType | types.ModuleType):
            message = f"a {cls.__name__} is no data"
            raise EntryTypeError(message)
        if name is None:
            message = (
                f"{cls.__qualname__} is not among the types that are registered. Name it in a signature of the agent, "
                f"or pass it in `types=`. {suggest(cls.__qualname__, self._by_class.values())}"
            )
            raise EntryTypeError(message)
        return name

    def named(self, name: str) -> type:
        """Return the class of a name.

        Raises:
            EntryTypeError: There is none, or several.
        """
        found: list[type] = []
        for fresh in (False, True):
            if fresh:
                self._names = None
            found = [cls for cls, known in self._by_class.items() if known == name]
            if not found:  # its name was longer, or shorter, when there were other types
                plain = name.rpartition(":")[2]
                found = [cls for cls in self._by_class if cls.__qualname__ == plain]
            if len(found) == 1:
                return found[0]
        message = f"The stored type {name!r} is not registered. {suggest(name, self._by_class.values())}"
        if found:
            message = f"The stored type {name!r} may be any of several classes of that name; rename the others."
        raise EntryTypeError(message)

    def is_registered(self, cls: type) -> bool:
        """Tell whether somebody has named a class, rather than one that it is derived from."""
        return cls in self._classes

    def is_known(self, form: TypeForm) -> bool:
        """Tell whether values that are declared to be of a type can be stored as that."""
        return bool(self._forms.get(type_name(form)) == form)

    def form_name(self, form: TypeForm) -> str:
        """Return the name of a type as it stands in a signature, such as `list[Item]`.

        Raises:
            EntryTypeError: It is not registered.
        """
        name = type_name(form)
        if self._forms.get(name) != form:
            known = name in self._forms
            message = (
                f"{name} is not among the types that are registered{', another of that name is' if known else ''}."
            )
            raise EntryTypeError(message)
        return name

    def form_named(self, name: str) -> TypeForm:
        """Return the type of a name.

        Raises:
            EntryTypeError: It is not registered.
        """
        if name not in self._forms:
            migration = self.migrations.get(name)
            if migration is not None:
                return migration.to
            message = f"The stored type {name!r} is not registered. {suggest(name, self._forms)}"
            raise EntryTypeError(message)
        return self._forms[name]

    def manifest(self) -> dict[str, dict[str, str]]:
        """Return what the registered classes are made of: by class, each field with its type.

        Subclasses that nobody has named are not in it, so it is the same in every program.
        """
        return {
            name: fields_of(cls)
            for cls, name in sorted(self._by_class.items(), key=lambda item: item[1])
            if cls in self._classes
        }

    @property
    def _by_class(self) -> dict[type, str]:
        if self._names is None:
            classes = dict(self._classes)
            for cls in list(classes):
                classes.update(dict.fromkeys(_subclasses(cls)))
            classes = _one_of_each(classes, self._classes)
            count: dict[str, int] = {}
            for cls in classes:
                count[cls.__qualname__] = count.get(cls.__qualname__, 0) + 1
            self._names = {
                cls: cls.__qualname__ if count[cls.__qualname__] == 1 else f"{cls.__module__}:{cls.__qualname__}"
                for cls in classes
            }
        return self._names

    def _close(self, form: TypeForm) -> None:
        pending = [form]
        while pending:
            form = pending.pop()
            if id(form) in self._seen:
                continue
            self._seen.add(id(form))
            self._keep.append(form)  # an id is its own only while the object lives
            if isinstance(form, type) and not isinstance(form, types.GenericAlias):
                if not _is_plain(form):
                    self._classes[form] = None
                    self._names = None
                pending += _parts_of_class(form)
            elif isinstance(form, NewType):
                pending.append(form.__supertype__)
            elif isinstance(form, TypeAliasType):
                pending.append(form.__value__)
            elif origin_of(form) is not Literal:
                origin = origin_of(form)
                pending += [arg for arg in get_args(form) if arg is not ...]
                if isinstance(origin, type):
                    pending.append(origin)


def fields_of(cls: type) -> dict[str, str]:
    """Return the fields of a class with their types as text; of an enumeration, its members with their values."""
    if issubclass(cls, enum.Enum):
        return {name: repr(member.value) for name, member in sorted(cls.__members__.items())}
    if issubclass(cls, BaseModel):
        return {name: _told(field.annotation) for name, field in sorted(cls.model_fields.items())}
    return {name: _told(form) for name, form in sorted(_hints(cls).items())}


def _told(form: TypeForm) -> str:
    """Return a type as text, without the modules of what is in it."""
    return "Any" if form is None else type_name(form)


def _parts_of_class(cls: type) -> Iterator[TypeForm]:
    if issubclass(cls, BaseModel):
        for field in cls.model_fields.values():
            yield field.annotation
            yield from field.metadata
        metadata: Any = getattr(cls, "__pydantic_generic_metadata__", None) or {}
        yield from metadata.get("args", ())
        if metadata.get("origin") is not None:
            yield metadata["origin"]
    elif not issubclass(cls, enum.Enum) and not _is_plain(cls):
        yield from _hints(cls).values()


def _hints(cls: type) -> dict[str, Any]:
    """Return the annotations of the fields of a class that is no model."""
    is_record = dataclasses.is_dataclass(cls) or is_typeddict(cls) or hasattr(cls, "_fields")
    if not is_record:
        return {}
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except (NameError, TypeError, AttributeError):  # types that are local to a function
        hints = dict(getattr(cls, "__annotations__", {}))
    if dataclasses.is_dataclass(cls):
        return {field.name: hints.get(field.name, field.type) for field in dataclasses.fields(cls)}
    return hints


def _is_plain(cls: type) -> bool:
    """Tell whether a class says nothing of its own about what values are made of."""
    return cls.__module__ in _PLAIN_MODULES or cls is BaseModel or getattr(cls, "_is_protocol", False)


_PLAIN_MODULES = frozenset(
    {"builtins", "typing", "typing_extensions", "collections", "collections.abc", "abc", "datetime", "decimal", "enum",
     "fractions", "uuid", "pathlib", "pathlib._local", "ipaddress", "zoneinfo", "types", "re", "numbers"}
)  # fmt: skip


def _one_of_each(classes: Iterable[type], registered: Iterable[type]) -> dict[type, None]:
    """Leave out what a class was before it was made anew, as `dataclass(slots=True)` does."""
    place: dict[tuple[str, str], type] = {(cls.__module__, cls.__qualname__): cls for cls in classes}
    place.update({(cls.__module__, cls.__qualname__): cls for cls in registered})
    kept = dict.fromkeys(registered)
    return {**kept, **dict.fromkeys(place.values())}


def _subclasses(cls: type) -> Iterator[type]:
    derived: list[type] = type.__subclasses__(cls)
    for found in derived:
        yield found
        yield from _subclasses(found)
