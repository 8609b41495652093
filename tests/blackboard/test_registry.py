"""Promises about which types stored data may become.

- Types of signatures, of their fields, and subclasses are known, by names that do not depend on the program.
- A class that has moved finds its data; one that has changed is refused, or brought up to date by a `Migration`.
"""

import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, Protocol, TypedDict, TypeVar

import pytest
from pydantic import BaseModel, Field, create_model

from planboard import Agent, DefinitionError, EntryTypeError, Migration, achieves_goal, action
from planboard.blackboard.codec import Codec, from_text, to_text
from planboard.blackboard.registry import TypeRegistry

T = TypeVar("T")


class Leaf(BaseModel):
    n: int = 1


class Mark(Enum):
    GOOD = 1


class Half(NamedTuple):
    leaf: Leaf


class Told(TypedDict):
    mark: Mark


@dataclass
class Record:
    half: Half


class Base(BaseModel):
    pass


class Child(Base):
    pass


class Box(BaseModel, Generic[T]):
    item: T


UserId = NewType("UserId", int)


class Readable(Protocol):
    def read(self) -> str: ...


def known(*forms: Any) -> set[str]:
    return set(TypeRegistry(forms).manifest())


@pytest.mark.parametrize(
    ("form", "names"),
    [
        (Record, {"Record", "Half", "Leaf"}),
        (list[Leaf], {"Leaf"}),
        (dict[Mark, list[Leaf | None]], {"Mark", "Leaf"}),
        (Optional[Leaf], {"Leaf"}),  # noqa: UP045 - both forms have to work
        (Annotated[Leaf, Field(description="x")], {"Leaf"}),
        (Mapping[str, Leaf], {"Leaf"}),
        (tuple[Leaf, ...], {"Leaf"}),
        (Told, {"Told", "Mark"}),
        (Box[Leaf], {"Box[Leaf]", "Box", "Leaf"}),
        (Literal["a"], set()),
        (int, set()),
        (UserId, set()),
        (Any, set()),
        (Readable, set()),
        (None, set()),
    ],
    ids=lambda given: " ".join(sorted(given)) if isinstance(given, set) else str(given),
)
def test_all_that_values_of_a_type_are_made_of_is_known(form, names):
    assert known(form) == names


def test_a_type_that_refers_to_itself_is_known_once():
    class Tree(BaseModel):
        parts: "list[Tree]" = []

    assert len(known(Tree)) == 1


def test_subclasses_are_known_but_not_in_the_manifest():
    registry = TypeRegistry([Base])

    assert registry.named("Child") is Child
    assert registry.name_of(Child) == "Child"
    assert set(registry.manifest()) == {"Base"}


def test_classes_go_by_their_names_without_their_modules():
    assert TypeRegistry([Leaf]).name_of(Leaf) == "Leaf"


def in_module(name: str, **fields: Any) -> Any:
    """Return a model called Order in a module of that name."""
    made = create_model("Order", __module__=name, **fields)
    made.__qualname__ = "Order"
    return made


def test_classes_of_one_name_are_told_apart_by_their_modules():
    sales, stock = in_module("sales", n=(int, 1)), in_module("stock", n=(int, 1))
    registry = TypeRegistry([sales, stock])
    codec = Codec(registry)

    assert {registry.name_of(sales), registry.name_of(stock)} == {"sales:Order", "stock:Order"}
    assert [type(codec.decode(codec.encode(cls()))) for cls in (sales, stock)] == [sales, stock]


def test_data_that_may_be_of_several_classes_is_refused():
    """It was written when there was one class of that name."""
    registry = TypeRegistry([in_module("sales"), in_module("stock")])

    with pytest.raises(EntryTypeError, match="'Order' may be any of several classes of that name"):
        Codec(registry).decode({"$": "Order", "v": {}})


def test_data_that_was_written_when_there_were_two_classes_of_a_name_finds_the_one_that_is_left():
    sales = in_module("sales")

    assert type(Codec(TypeRegistry([sales])).decode({"$": "sales:Order", "v": {}})) is sales


def test_a_class_that_has_moved_finds_its_data():
    """Case 056."""
    old, new = in_module("old", n=(int, 1)), in_module("new", n=(int, 1))
    data = Codec(TypeRegistry([old])).encode(old(n=2))

    restored = Codec(TypeRegistry([new])).decode(data)

    assert (type(restored), restored.n) == (new, 2)


def test_names_do_not_depend_on_the_order_of_registration():
    assert TypeRegistry([Record, Base]).manifest() == TypeRegistry([Base, Record]).manifest()


def test_a_class_that_is_not_registered_is_refused_with_what_to_do():
    with pytest.raises(EntryTypeError, match=r"Leaf is not among the types .* or pass it in `types=`"):
        TypeRegistry([Base]).name_of(Leaf)


def test_a_type_that_is_not_registered_is_refused_with_the_closest():
    with pytest.raises(EntryTypeError, match=r"'Baze' is not registered. Did you mean 'Base'"):
        TypeRegistry([Base]).form_named("Baze")


@pytest.mark.parametrize("form", [list[Leaf], Leaf, UserId, Leaf | None, dict[str, Leaf], Box[Leaf]], ids=str)
def test_types_of_signatures_come_back_by_their_names(form):
    registry = TypeRegistry([form])

    assert registry.form_named(registry.form_name(form)) == form


def test_another_type_of_the_same_name_is_refused():
    registry = TypeRegistry([in_module("sales")])

    with pytest.raises(EntryTypeError, match="another of that name is"):
        registry.form_name(in_module("stock"))


def test_a_dataclass_with_slots_is_one_class():
    @dataclass(slots=True)
    class Slotted:
        n: int = 1

    codec = Codec(TypeRegistry([Slotted]))

    assert codec.decode(codec.encode(Slotted(2))) == Slotted(2)


def test_types_of_agents_are_known_by_their_signatures():
    @achieves_goal("Made")
    @action
    def make(record: Record) -> Box[Leaf]: ...

    names = set(Agent("it", [make], types=[Base]).types.manifest())

    assert {"Record", "Half", "Leaf", "Box[Leaf]", "Base"} <= names


# Changed classes (case 056)


def stored(**fields: Any) -> Any:
    cls = in_module("shop", **fields)
    return from_text(to_text(Codec(TypeRegistry([cls])).encode(cls())))


V1 = {"sum": (int, 3), "note": (str, "x")}


def read(data: Any, cls: type, *migrations: Migration, **given: Any) -> Any:
    return Codec(TypeRegistry([cls], migrations=migrations), **given).decode(data)


def test_a_new_field_is_refused_with_model_and_field_though_it_has_a_default():
    """Case 056."""
    changed = in_module("shop", **V1, currency=(str, "EUR"))

    with pytest.raises(EntryTypeError, match="a stored Order lacks 'currency'; register a Migration for Order"):
        read(stored(**V1), changed)


def test_a_field_that_is_gone_is_refused_with_model_and_field():
    """Case 056."""
    with pytest.raises(EntryTypeError, match="a stored Order has 'note', which is gone; register a Migration"):
        read(stored(**V1), in_module("shop", sum=(int, 3)))


def test_a_field_of_another_type_is_refused_with_the_field():
    """Case 056."""
    with pytest.raises(EntryTypeError, match="no Order: sum"):
        read(stored(**V1), in_module("shop", sum=(str, "3"), note=(str, "x")))


def test_a_class_that_is_gone_is_refused_by_name():
    """Case 056."""
    with pytest.raises(EntryTypeError, match="'Order' is not registered"):
        read(stored(**V1), Leaf)


def test_a_member_that_is_gone_is_refused():
    """Case 056."""
    with pytest.raises(EntryTypeError, match="Mark has no member 'BAD'"):
        read({"$": "Mark", "v": "BAD"}, Mark)


def test_a_migration_brings_fields_up_to_date():
    """Case 056."""
    changed = in_module("shop", total=(int, ...), currency=(str, ...))
    migration = Migration("Order", changed, lambda old: {"total": old["sum"], "currency": "EUR"})

    assert read(stored(**V1), changed, migration) == changed(total=3, currency="EUR")


def test_a_migration_gives_a_class_another_name():
    """Case 056."""
    assert read({"$": "Foliage", "v": {"n": 4}}, Leaf, Migration("Foliage", Leaf)) == Leaf(n=4)


def test_a_migration_gives_an_enum_another_name():
    """Case 056."""
    assert read({"$": "Grade", "v": "GOOD"}, Mark, Migration("Grade", Mark)) is Mark.GOOD


def test_a_migration_works_on_what_is_inside():
    """Case 056."""
    data = {"$": "Record", "v": {"half": {"$": "Half", "v": {"leaf": {"$": "Leaf", "v": {"m": 4}}}}}}
    migration = Migration("Leaf", Leaf, lambda old: {"n": old["m"]})

    assert read(data, Record, migration) == Record(Half(Leaf(n=4)))


def test_a_migration_that_leaves_a_field_out_is_refused():
    changed = in_module("shop", total=(int, ...))

    with pytest.raises(EntryTypeError, match="lacks 'total'"):
        read(stored(**V1), changed, Migration("Order", changed, lambda _: {}))


def test_a_migration_that_makes_what_does_not_fit_is_refused():
    changed = in_module("shop", total=(int, ...))

    with pytest.raises(EntryTypeError, match="no Order: total"):
        read(stored(**V1), changed, Migration("Order", changed, lambda _: {"total": "3"}))


def test_a_migration_that_fails_says_so():
    migration = Migration("Leaf", Leaf, lambda old: {"n": old["missing"]})

    with pytest.raises(EntryTypeError, match="the migration of 'Leaf' raised KeyError: 'missing'"):
        read({"$": "Leaf", "v": {}}, Leaf, migration)


def test_a_migration_that_returns_no_fields_says_so():
    with pytest.raises(EntryTypeError, match="the migration of 'Leaf' returned NoneType instead of a dict"):
        read({"$": "Leaf", "v": {}}, Leaf, Migration("Leaf", Leaf, lambda _: None))


def test_a_migration_cannot_change_what_is_stored():
    data = {"$": "Leaf", "v": {"m": 4}}
    read(data, Leaf, Migration("Leaf", Leaf, lambda old: {"n": old.pop("m")}))

    assert data == {"$": "Leaf", "v": {"m": 4}}


@pytest.mark.parametrize(("to", "change"), [("Leaf", dict), (list[Leaf], dict), (Leaf, None)])
def test_a_migration_names_a_class_and_a_function(to, change):
    with pytest.raises(DefinitionError, match="name a class, and a function"):
        Migration("Leaf", to, change)


def test_whoever_allows_changes_gets_defaults_and_loses_what_is_gone():
    changed = in_module("shop", sum=(int, 0), currency=(str, "EUR"))

    assert read(stored(**V1), changed, lenient=True) == changed(sum=3, currency="EUR")


def test_whoever_allows_changes_is_still_told_of_a_field_without_a_default():
    with pytest.raises(EntryTypeError, match="lacks 'currency', which has no default"):
        read(stored(**V1), in_module("shop", sum=(int, 0), currency=(str, ...)), lenient=True)


def test_the_manifest_tells_fields_and_members():
    assert TypeRegistry([Record, Mark]).manifest() == {
        "Record": {"half": "Half"},
        "Half": {"leaf": "Leaf"},
        "Leaf": {"n": "int"},
        "Mark": {"GOOD": "1"},
    }


def test_a_script_that_is_now_imported_finds_its_own_data():
    """Case 056."""
    text = stored(**V1)
    moved = in_module("__main__", **V1)

    assert type(read(text, moved)) is moved


def test_nothing_is_imported_for_a_name_with_a_module():
    sys.modules.pop("colorsys", None)

    with pytest.raises(EntryTypeError):
        TypeRegistry([Leaf]).named("colorsys:rgb_to_hsv")

    assert not isinstance(sys.modules.get("colorsys"), types.ModuleType)
