"""Which entries satisfy which types.

Two questions are answered here. At run time: does this value, declared as that type, satisfy a query? At planning
time: will an output declared as one type satisfy a query for another: always, perhaps or never?
"""

import types
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, NewType, TypeVar, Union, get_args

from pydantic import BaseModel
from typing_extensions import TypeAliasType, is_protocol, is_typeddict

from planboard.blackboard.schema import structural_problem
from planboard.types import TypeForm, origin_of

Chance = Literal["always", "perhaps", "never"]
_ANYTHING = (Any, object)


def normal(form: TypeForm) -> TypeForm:
    """Return a type without alias names: `type Text = str` becomes `str`."""
    while isinstance(form, TypeAliasType):
        form = form.__value__
    return type(None) if form is None else form


def members(form: TypeForm) -> tuple[TypeForm, ...]:
    """Return the alternatives of a union, or the type itself."""
    form = normal(form)
    if origin_of(form) in (Union, types.UnionType):
        return tuple(member for arg in get_args(form) for member in members(arg))
    return (form,)


def satisfies(value: object, declared: TypeForm | None, wanted: TypeForm) -> bool:
    """Tell whether a value, declared as a type or not at all, satisfies the type that is wanted."""
    wanted = normal(wanted)
    if declared is not None:
        chance = prospect(declared, wanted)
        if chance != "perhaps":
            return chance == "always"
    return _fits(value, wanted)


def conforms(value: object, form: TypeForm) -> bool:
    """Tell whether a value may be declared as a type: an empty list as `list[Item]`, a str as a `NewType` of str."""
    return _fits(value, form, declaring=True)


def _fits(value: object, wanted: TypeForm, *, declaring: bool = False) -> bool:
    wanted = normal(wanted)
    if wanted in _ANYTHING:
        return True
    if isinstance(wanted, NewType):  # only a declaration tells a UserId from any other str
        return declaring and _fits(value, wanted.__supertype__, declaring=True)
    origin = origin_of(wanted)
    if origin is Annotated:
        return _fits_annotated(value, wanted, declaring=declaring)
    if origin in (Union, types.UnionType):
        return any(_fits(value, member, declaring=declaring) for member in get_args(wanted))
    if origin is Literal:
        return any(value == choice and type(value) is type(choice) for choice in get_args(wanted))
    if is_typeddict(wanted):
        return isinstance(value, dict) and structural_problem(wanted, value) is None
    if origin is not None:
        return _fits_parametrised(value, origin, get_args(wanted), declaring=declaring)
    return isinstance(wanted, type) and _is_instance(value, wanted)


def _is_instance(value: object, wanted: Any) -> bool:
    if wanted is int and isinstance(value, bool):
        return False  # True is an int to Python, not to a person
    if isinstance(value, wanted):
        return True
    if _generic_origin(wanted) is None:
        return False
    chance = _generic_model_chance(type(value), wanted)
    if chance == "perhaps" and isinstance(value, BaseModel):
        return all(_fits(getattr(value, name), field.annotation) for name, field in wanted.model_fields.items())
    return chance == "always"


def _fits_annotated(value: object, wanted: TypeForm, *, declaring: bool) -> bool:
    base, *metadata = get_args(wanted)
    if not declaring and not all(_constrains(mark) for mark in metadata):
        return False  # a tag is a matter of declaration, as a NewType is
    return _fits(value, base, declaring=declaring) and structural_problem(wanted, value) is None


def _constrains(mark: object) -> bool:
    """Tell whether `Annotated` metadata limits the value, which can be checked, or is only a tag."""
    module = type(mark).__module__
    return module.startswith(("annotated_types", "pydantic")) or hasattr(mark, "__get_pydantic_core_schema__")


def _fits_parametrised(value: object, origin: type, args: tuple[Any, ...], *, declaring: bool) -> bool:
    if not isinstance(value, origin):
        return False
    made_as = getattr(value, "__orig_class__", None)
    if made_as is not None:
        return _is_subtype(made_as, origin[args])  # type: ignore[index]
    if isinstance(value, tuple) and not (len(args) == 2 and args[1] is ...):  # noqa: PLR2004
        return len(value) == len(args) and all(
            _fits(item, arg, declaring=declaring) for item, arg in zip(value, args, strict=True)
        )
    if isinstance(value, Mapping):
        key, item = (*args, Any, Any)[:2]
        pairs = value.items()
        fits = all(_fits(k, key, declaring=declaring) and _fits(v, item, declaring=declaring) for k, v in pairs)
        return fits and (declaring or bool(pairs))
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        fits = all(_fits(item, args[0], declaring=declaring) for item in value)
        return fits and (declaring or len(value) > 0)  # an empty list says nothing about what it is a list of
    return declaring or all(arg in _ANYTHING or isinstance(arg, TypeVar) for arg in args)


@lru_cache(maxsize=65536)
def prospect(declared: TypeForm, wanted: TypeForm) -> Chance:
    """Tell whether a value declared as one type will satisfy another: always, perhaps or never.

    "perhaps" is for a producer of `Base` and a consumer of `Child`, a bare `list` and `list[Item]`, a class and a
    protocol that only its instances can answer for.
    """
    if is_ordinary_class(declared) and is_ordinary_class(wanted):
        return _plain_prospect(declared, wanted)
    alternatives = members(declared)
    if len(alternatives) > 1:
        chances = {prospect(member, wanted) for member in alternatives if member is not type(None)}
        return chances.pop() if len(chances) == 1 and type(None) not in alternatives else (
            "never" if chances == {"never"} else "perhaps"
        )  # fmt: skip
    declared = alternatives[0]
    if _is_subtype(declared, wanted):
        return "always"
    return "perhaps" if any(_may_hold(declared, member) for member in members(wanted)) else "never"


def _plain_prospect(declared: type, wanted: type) -> Chance:
    """Compare two ordinary classes: the common case, and an agent of n types has n² of them."""
    if {declared, wanted} == {int, bool}:
        return "never"  # True is an int to Python, not to a person
    if issubclass(declared, wanted):
        return "always"
    return "perhaps" if issubclass(wanted, declared) else "never"


@lru_cache(maxsize=4096)
def is_ordinary_class(form: Any) -> bool:
    """Tell whether a type is a class that its own instances and those of its subclasses satisfy, and nothing else."""
    return (
        isinstance(form, type)
        and origin_of(form) is None
        and form is not object
        and not is_protocol(form)
        and not is_typeddict(form)
        and _generic_origin(form) is None
        and (issubclass(form, BaseModel) or _is_satisfied_by_inheritance_only(type(form)))
    )


def _is_satisfied_by_inheritance_only(meta: Any) -> bool:
    """Tell whether classes of a metaclass, unlike those of `ABCMeta`, cannot take in others that do not inherit."""
    return meta.__subclasscheck__ is type.__subclasscheck__ and meta.__instancecheck__ is type.__instancecheck__


def _may_hold(declared: TypeForm, wanted: TypeForm) -> bool:
    if isinstance(wanted, NewType):
        return False
    if origin_of(wanted) is Annotated:
        base, *metadata = get_args(wanted)
        return all(_constrains(mark) for mark in metadata) and prospect(declared, base) != "never"
    if _is_subtype(wanted, declared):
        return True
    if is_protocol(wanted) and isinstance(declared, type):
        return not getattr(declared, "__final__", False) and _lacks_nothing(declared, wanted)
    origin, args = origin_of(wanted), get_args(wanted)
    if origin is Literal:
        return any(_is_subtype(type(choice), declared) for choice in args)
    if origin is not None and isinstance(declared, type):
        return issubclass(declared, origin)  # a bare list may hold Items
    if isinstance(declared, type) and isinstance(wanted, type) and _generic_origin(wanted):
        return _generic_model_chance(declared, wanted) == "perhaps"
    return False


def _lacks_nothing(cls: type, protocol: TypeForm) -> bool:
    wanted = set(getattr(protocol, "__protocol_attrs__", ()))
    known = set(dir(cls)) | set(getattr(cls, "model_fields", ())) | set(getattr(cls, "__annotations__", ()))
    return wanted <= known


def _is_subtype(left: TypeForm, right: TypeForm) -> bool:
    left, right = normal(left), normal(right)
    if right in _ANYTHING or left == right:
        return True
    if isinstance(right, NewType) or origin_of(right) is Annotated:
        return False
    if isinstance(left, NewType):
        return _is_subtype(left.__supertype__, right)
    if origin_of(left) is Annotated:
        return _is_subtype(get_args(left)[0], right)
    if len(members(left)) > 1:
        return all(_is_subtype(member, right) for member in members(left))
    if len(members(right)) > 1:
        return any(_is_subtype(left, member) for member in members(right))
    if origin_of(left) is Literal:
        choices = get_args(left)
        if origin_of(right) is Literal:
            return set(choices) <= set(get_args(right))
        return all(_is_subtype(type(choice), right) for choice in choices)
    return _is_subclass(left, right)


def _is_subclass(left: TypeForm, right: TypeForm) -> bool:
    left_class, right_class = origin_of(left) or left, origin_of(right) or right
    if is_typeddict(right_class) or is_typeddict(left_class):
        return right_class is dict and is_typeddict(left_class)
    if not isinstance(left_class, type) or not isinstance(right_class, type):
        return False
    if right_class is int and issubclass(left_class, bool):
        return False
    if _generic_origin(right_class):
        return _generic_model_chance(left_class, right_class) == "always"
    try:
        if not issubclass(left_class, right_class):
            return False
    except TypeError:  # a protocol with data members; only instances can be asked
        return False
    right_args = get_args(right)
    left_args = get_args(left)
    if not right_args:
        return True
    if not left_args:
        return all(arg in _ANYTHING for arg in right_args)
    return len(left_args) == len(right_args) and all(
        a == b or (... not in (a, b) and _is_subtype(a, b)) for a, b in zip(left_args, right_args, strict=True)
    )


def _generic_origin(cls: Any) -> Any:
    metadata = getattr(cls, "__pydantic_generic_metadata__", None)
    return metadata["origin"] if metadata else None


def _generic_args(cls: Any) -> tuple[Any, ...]:
    found: tuple[Any, ...] = cls.__pydantic_generic_metadata__["args"]
    return found


def _generic_model_chance(left: Any, right: Any) -> Chance:
    """Compare pydantic models of one generic class.

    `Box[Any]` takes a `Box[Item]`; of a bare `Box` only what it holds can tell.
    """
    if not isinstance(left, type) or not issubclass(left, BaseModel):
        return "never"
    if issubclass(left, right):
        return "always"
    origin = _generic_origin(right)
    wanted = _generic_args(right)
    for base in left.__mro__:
        if _generic_origin(base) is origin:
            fits = all(_is_subtype(a, b) for a, b in zip(_generic_args(base), wanted, strict=True))
            return "always" if fits else "never"
    return "perhaps" if origin is not None and issubclass(left, origin) else "never"
