"""`values(T)`: all that is drawn is valid, comes back equal, and needs no luck."""

import abc
import collections
import dataclasses
import datetime as dt
import enum
import ipaddress
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypeVar

import pytest
import typing_extensions
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Discriminator,
    Field,
    FutureDate,
    HttpUrl,
    InstanceOf,
    Json,
    NaiveDatetime,
    PastDatetime,
    PositiveInt,
    PostgresDsn,
    RootModel,
    SecretStr,
    StringConstraints,
    Tag,
    TypeAdapter,
    conlist,
    constr,
    field_validator,
    model_validator,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass

from planboard import DefinitionError
from planboard.testing import values

T = TypeVar("T")
FEW = settings(max_examples=8, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
"""Health checks are on: a strategy that wastes its draws fails."""


class Colour(enum.Enum):
    RED = "red"
    BLUE = 3


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Sku(BaseModel):
    model_config = ConfigDict(frozen=True)
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}-\d{3}$")]
    grams: float = Field(gt=0, le=50)


class Line(BaseModel):
    sku: Sku
    amount: int = Field(ge=1, le=99, multiple_of=3)
    price: Decimal = Field(ge=0, max_digits=6, decimal_places=2)
    note: str | None = Field(None, min_length=2, max_length=8)


class Order(BaseModel):
    id: uuid.UUID
    at: dt.datetime
    lines: list[Line] = Field(min_length=1, max_length=3)
    colour: Colour = Colour.RED
    tags: frozenset[Literal["a", "b"]] = frozenset()
    prices: dict[str, Decimal] = {}


class Tree(BaseModel):
    label: str
    left: Optional["Tree"] = None
    children: list["Tree"] = []


class Even(BaseModel):
    first: int
    second: int

    @field_validator("first", "second")
    @classmethod
    def must_be_even(cls, value):
        if value % 2:
            raise ValueError("odd")
        return value


class Span(BaseModel):
    start: int
    end: int

    @model_validator(mode="after")
    def must_be_in_order(self):
        if self.start >= self.end:
            raise ValueError("ends before it starts")
        return self


class Dependent(BaseModel):
    low: int
    high: int

    @field_validator("high")
    @classmethod
    def must_exceed(cls, value, info):
        if value <= info.data.get("low", 0):
            raise ValueError("too low")
        return value


class Prepared(BaseModel):
    text: str

    @model_validator(mode="before")
    @classmethod
    def from_mapping(cls, data):
        return {"text": data["text"]}  # takes mappings only


class Aliased(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(alias="fullName")
    age: int = Field(validation_alias="years", ge=0)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]
    x: int


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, revalidate_instances="always")
    when: dt.date
    kind: Colour
    inner: Sku


class Box(BaseModel, Generic[T]):
    content: T
    spare: list[T] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: PositiveInt


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


class Home(BaseModel):
    pet: Cat | Dog = Field(discriminator="kind")
    guest: Annotated[
        Annotated[Cat, Tag("c")] | Annotated[Dog, Tag("d")],
        Discriminator(lambda value: "c" if getattr(value, "kind", None) == "cat" else "d"),
    ]


class Names(RootModel[list[Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, to_lower=True)]]]):
    pass


class Upper(BaseModel):
    word: Annotated[str, AfterValidator(str.upper)]
    words: list[Annotated[str, BeforeValidator(str)]]
    packed: Json[list[int]]


class Stubborn(BaseModel):
    number: Annotated[int, Field(ge=0, le=9)]

    @model_validator(mode="after")
    def must_be_seven(self):
        if self.number != 7:
            raise ValueError("not seven")
        return self


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: Annotated[float, Field(ge=-1, lt=1)] = 0.0
    seen: list[int] = dataclasses.field(default_factory=list)
    sum: float = dataclasses.field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "sum", self.x + self.y)


@pydantic_dataclass(config=ConfigDict(strict=True))
class Checked:
    name: Annotated[str, Field(min_length=1, alias="theName")]
    at: dt.time
    point: Point


class Pair(NamedTuple):
    left: int
    right: Annotated[str, Field(max_length=3)] = "x"


class Options(typing_extensions.TypedDict, total=False):
    depth: typing_extensions.Required[Annotated[int, Field(ge=0)]]
    name: str


class Number(BaseModel):
    kind: Literal["number"] = "number"
    value: float


class Sum(BaseModel):
    kind: Literal["sum"] = "sum"
    left: "Expression"
    right: "Expression"


Expression = Annotated[Number | Sum, Field(discriminator="kind")]
Sum.model_rebuild()


class GenericTree(BaseModel, Generic[T]):
    value: T
    children: list["GenericTree[T]"] = []


class Shape(BaseModel, abc.ABC):
    @abc.abstractmethod
    def area(self): ...


class Square(Shape):
    side: int = Field(ge=1)

    def area(self):
        return self.side**2


class Drawing(BaseModel):
    shape: Shape
    sku: InstanceOf[Sku]


class Node(typing_extensions.TypedDict):
    next: Optional["Node"]


Json_ = typing_extensions.TypeAliasType("Json_", "None | int | str | list[Json_] | dict[str, Json_]")
UserId = NewType("UserId", int)

BROAD = [
    int, str, float, bool, bytes, complex, Decimal, Fraction, uuid.UUID, dt.date, dt.datetime, dt.time, dt.timedelta,
    Path, SecretStr, ByteSize, HttpUrl, PostgresDsn, ipaddress.IPv4Address, re.Pattern, type(None), Any,
    PastDatetime, FutureDate, AwareDatetime, NaiveDatetime, PositiveInt, UserId,
    Annotated[int, Field(gt=3, lt=9, multiple_of=5)],
    Annotated[float, Field(multiple_of=0.5, gt=0)],
    Annotated[float, Field(gt=0, allow_inf_nan=False)],
    Annotated[Decimal, Field(multiple_of=Decimal("0.25"), gt=0)],
    Annotated[Decimal, Field(max_digits=3)],
    Annotated[str, Field(min_length=2, max_length=4)],
    constr(pattern=r"^(foo|ba+r)$"), constr(pattern="x", max_length=10),
    Annotated[dt.date, Field(gt=dt.date(2020, 1, 1), lt=dt.date(2020, 1, 4))],
    Annotated[dt.datetime, Field(ge=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))],
    Annotated[dt.timedelta, Field(gt=dt.timedelta(0))],
    Annotated[str, AfterValidator(str.strip)],
    Literal["a", 1, Colour.RED], Colour, Rights,
    int | None, int | str | None, list[int | str], Annotated[int | str, Field(union_mode="left_to_right")],
    list[Annotated[int, Field(ge=0)]], conlist(bool, min_length=2, max_length=3), set[int], frozenset[str],
    tuple[int, str], tuple[int, ...],
    Annotated[tuple[int, ...], Field(min_length=2)],
    dict[str, list[int]], Annotated[dict[Colour, bool], Field(min_length=1)], collections.deque[int],
    collections.OrderedDict[str, int], collections.defaultdict[str, list[int]], collections.Counter[str],
    Sequence[int], Mapping[str, int], Json_,
    Sku, Line, Order, Tree, list[Tree], Even, Span, Dependent, Prepared, Aliased, Open, Strict, Box[int], Box[Box[str]],
    Cat | Dog, Home, Names, Upper, Stubborn, Expression,
    GenericTree[Sku], Drawing, Annotated[list[int], AfterValidator(sorted)], set[Decimal], Point, Checked, Pair, Options, Node,
]  # fmt: skip


@pytest.mark.parametrize("form", BROAD, ids=str)
def test_values_are_valid_and_come_back_equal(form):
    validate = TypeAdapter(form).validate_python if form is not Prepared else Prepared.model_validate

    @FEW
    @given(values(form))
    def holds(value):
        back = validate(value if form is not Prepared else value.model_dump())
        assert back == value
        assert type(back) is type(value)

    holds()


class Engine:
    """A class that pydantic knows nothing of."""

    def __init__(self, power):
        self.power = power


class Car(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    engine: Engine


class Garage(BaseModel):
    cars: dict[str, list[Car]]


class Caller(BaseModel):
    callback: Callable[[int], int]


class Dispensable(BaseModel):
    callback: Callable[[str], int] = len
    size: int


class Endless(BaseModel):
    next: "Endless"


class Fussy(BaseModel):
    text: str

    @field_validator("text")
    @classmethod
    def refuse(cls, value):
        raise ValueError("never good enough")


def found(form, condition, *phases):
    phases = [Phase.generate, *phases]
    options = settings(max_examples=2000, report_multiple_bugs=False, database=None, derandomize=True, phases=phases)
    return find(values(form), condition, settings=options)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        (Garage, ["values(Garage)", "Engine", "Garage.cars[][].engine", "register_type_strategy(Engine"]),
        (Caller, ["Callable", "Caller.callback", "register_type_strategy"]),
        (list[Iterable[int]], ["list[Iterable[int]][]", "generator"]),
        (Endless, ["Endless", "infinite"]),
        (Annotated[str, Field(pattern="(?P<")], ["pydantic cannot validate"]),
    ],
)
def test_what_cannot_be_drawn_is_refused_at_once_with_type_and_path(form, says):
    with pytest.raises(DefinitionError) as refused:
        values(form)

    assert [word for word in says if word not in str(refused.value)] == []


def test_validators_that_refuse_everything_are_reported_with_what_they_say():
    @settings(max_examples=500, database=None)
    @given(values(Fussy))
    def holds(value):
        pass

    with pytest.raises(DefinitionError, match="(?s)drawn for Fussy.text was accepted.*never good enough"):
        holds()


def test_a_registered_strategy_is_used_wherever_its_type_stands(monkeypatch):
    from hypothesis.strategies._internal import types

    monkeypatch.setattr(types, "_global_type_lookup", dict(types._global_type_lookup))  # forgotten afterwards
    strong = Engine(100)
    st.register_type_strategy(Engine, st.just(strong))
    st.register_type_strategy(UserId, st.just(UserId(7)))
    st.register_type_strategy(Sku, st.just(Sku(code="AA-000", grams=1)))

    assert found(Garage, lambda garage: garage.cars and any(garage.cars.values())).cars.popitem()[1][0].engine is strong
    assert found(tuple[UserId, Sku | None], lambda pair: pair[1]) == (7, Sku(code="AA-000", grams=1))


def test_a_field_of_unknown_type_is_left_to_its_default():
    assert found(Dispensable, lambda value: value.size > 3, Phase.shrink) == Dispensable(size=4)


def test_values_shrink_to_the_simplest_that_is_valid():
    line = found(Line, lambda line: line.amount > 3, Phase.shrink)

    assert line == Line(sku=Sku(code="AA-000", grams=1), amount=6, price=0)


@pytest.mark.parametrize(
    ("form", "condition"),
    [
        (Line, lambda line: line.note is not None and line.amount > 90),
        (Tree, lambda tree: tree.left and tree.left.children),
        (Home, lambda home: home.pet.kind == "dog" and home.guest.kind == "cat"),
        (Json_, lambda value: isinstance(value, dict) and any(isinstance(item, list) for item in value.values())),
        (Open, lambda value: value.model_extra),
        (Point, lambda point: point.y < 0 and point.seen),
        (AwareDatetime, lambda at: at.utcoffset()),
        (Annotated[float, Field(gt=0)], lambda number: 0 < number < 1),
        (Options, lambda options: "name" in options),
        (Annotated[set[bool], Field(min_length=2)], lambda both: len(both) == 2),
    ],
)
def test_what_is_allowed_is_drawn(form, condition):
    assert found(form, condition) is not None


def test_what_is_not_allowed_is_not_drawn():
    with pytest.raises(NoSuchExample):
        find(values(Line), lambda line: line.amount % 3, settings=settings(max_examples=50, database=None))
