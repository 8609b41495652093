"""Types of all sorts and values of them, for what is stored: read in the program that wrote them, and in another."""

import collections
import datetime as dt
import enum
import fractions
import ipaddress
import pathlib
import uuid
import zoneinfo
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, RootModel, computed_field, field_validator
from pydantic.dataclasses import dataclass as checked_dataclass

T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"
    BLUE = ("b", 1)


class Size(enum.StrEnum):
    SMALL = "small"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"


class Puppy(Dog):
    age: float = 0.5


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


class Home(BaseModel):
    pet: Pet = Dog()
    pets: list[Pet] = []
    deep: dict[str, list[Pet | None]] = {}


class Enums(BaseModel):
    colour: Colour = Colour.RED
    size: Size = Size.SMALL
    level: Level = Level.LOW
    rights: Rights = Rights.READ | Rights.WRITE
    by_colour: dict[Colour, Level] = {Colour.BLUE: Level.HIGH}
    colours: set[Colour] = {Colour.RED, Colour.BLUE}
    levels: frozenset[Level] = frozenset({Level.LOW})


class Scalars(BaseModel):
    id: uuid.UUID
    aware: dt.datetime
    naive: dt.datetime
    day: dt.date
    hour: dt.time
    span: dt.timedelta
    money: Decimal
    raw: bytes
    numbers: frozenset[int]
    pair: tuple[int, str]
    path: pathlib.PurePosixPath
    weight: float
    many: int


class Point(NamedTuple):
    x: int
    y: float = 0.0


@dataclass
class Plain:
    n: int
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Frozen:
    point: Point
    when: dt.date | None = None


@dataclass(kw_only=True)
class Derived:
    n: int
    twice: int = field(init=False)

    def __post_init__(self) -> None:
        self.twice = 2 * self.n


@checked_dataclass
class Checked:
    n: int


class Aliased(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: str = Field(alias="theText")
    other: int = Field(3, validation_alias="in", serialization_alias="out")

    @computed_field
    def size(self) -> int:
        return len(self.text)


class Doubling(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def double(cls, n: int) -> int:
        return n * 2


class Private(BaseModel):
    n: int = 1
    _count: int = PrivateAttr(default=0)


class Still(BaseModel):
    model_config = ConfigDict(frozen=True)
    n: int = 1


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    n: int = 1


class Numbers(RootModel[list[int]]):
    pass


class Box(BaseModel, Generic[T]):
    item: T


class Pair(BaseModel, Generic[T]):
    left: Box[T]
    right: Box[T]


class Zoo(BaseModel):
    star: Dog
    dogs: list[Dog] = []
    by_name: dict[str, Dog] = {}
    anything: Any = None


class Tree(BaseModel):
    name: str
    parts: list["Tree"] = []


class Outer:
    class Inner(BaseModel):
        n: int = 1


def opened() -> Private:
    made = Private(n=2)
    made._count = 5
    return made


def shortened() -> Home:
    """A model that knows which of its fields were set."""
    return Home.model_construct(_fields_set={"pets"}, pets=[Cat()], pet=Dog(), deep={})


TYPES = [
    Colour, Size, Level, Rights, Home, Puppy, Enums, Scalars, Point, Plain, Frozen, Derived, Checked, Aliased, Doubling,
    Private, Still, Open, Numbers, Box[int], Box[str], Pair[int], Zoo, Tree, Outer.Inner,
]  # fmt: skip

VALUES: dict[str, Any] = {
    "none": None,
    "union with a tag that is a default": Home(),
    "tags in lists and optionals": Home(pet=Cat(lives=1), pets=[Cat(), Dog()], deep={"x": [None, Cat()]}),
    "enums": Enums(),
    "an enum": Colour.BLUE,
    "a flag": Rights.READ | Rights.WRITE,
    "scalars": Scalars(
        id=uuid.UUID(int=7),
        aware=dt.datetime(2026, 1, 2, 3, 4, 5, 6, dt.timezone(dt.timedelta(hours=5, minutes=30))),
        naive=dt.datetime(2026, 1, 2, tzinfo=None, fold=1),  # noqa: DTZ001 - naive is the point
        day=dt.date(2026, 2, 28),
        hour=dt.time(23, 59, 59, 999_999, dt.UTC),
        span=dt.timedelta(days=-1, microseconds=1),
        money=Decimal("1.10"),
        raw=b"\x00\xff",
        numbers=frozenset({1, 2}),
        pair=(1, "a"),
        path=pathlib.PurePosixPath("a/b"),
        weight=float("-inf"),
        many=2**70,
    ),
    "a zone": dt.datetime(2026, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("UTC")),
    "utc": dt.datetime(2026, 7, 1, 12, tzinfo=dt.UTC),
    "money": Decimal("1.10"),
    "no money": Decimal("-0E-7"),
    "a path": pathlib.Path("a") / "b",
    "a path of Windows": pathlib.PureWindowsPath("C:\\a"),
    "bytes": bytearray(b"ab"),
    "a huge number": -(2**70),
    "a number of many digits": 7**9000,
    "minus nought": -0.0,
    "no number": float("nan"),
    "no complex number": complex(0.0, float("nan")),
    "no decimal": Decimal("NaN"),
    "no decimal, signalling": Decimal("sNaN"),
    "complex": complex(1, -0.0),
    "fraction": fractions.Fraction(1, 3),
    "range": range(1, 9, 2),
    "address": ipaddress.ip_interface("10.0.0.1/8"),
    "half a character": "\udcff",
    "letters": "漢字 عربى 🚀",
    "sets of tuples": {(1, "a"), (2, "b")},
    "frozen sets in sets": {frozenset({1}), frozenset()},
    "a queue": collections.deque([1, 2], maxlen=3),
    "keys of all sorts": {1: "a", "1": "b", (1, 2): "c", None: 3, 2.5: 4, Colour.RED: 5, dt.date(2026, 1, 1): 6},
    "our tags as data": {"$": "Cat", "v": {}},
    "our other tags": [{"$t": "set", "v": [1]}, {"$secret": 1}, {"$": {"$": {"$t": 1}}}, {"$$": 1}],
    "a named tuple": Point(1, 2.5),
    "a dataclass": Plain(1, ["a"], "note"),
    "a frozen dataclass": Frozen(Point(1), dt.date(2026, 1, 1)),
    "a dataclass with a field of its own making": Derived(n=2),
    "a dataclass of pydantic": Checked(3),
    "aliases": Aliased(**{"theText": "x", "in": 4}),
    "a validator that accepts no result of its own": Doubling(n=2),
    "private attributes": opened(),
    "a frozen model": Still(n=2),
    "fields beside those declared": Open(n=1, more={"a": Cat()}),
    "a root model": Numbers([1, 2]),
    "a generic": Box[int](item=3),
    "a generic of a generic": Pair[int](left=Box[int](item=1), right=Box[int](item=2)),
    "a generic that is made on the way": Box[Colour](item=Colour.RED),
    "a bare generic": Box(item="x"),
    "subclasses in fields of their base": Zoo(star=Puppy(), dogs=[Puppy(age=1), Dog()], by_name={"a": Puppy()}),
    "models where anything may be": Zoo(star=Dog(), anything=[Puppy(), {"x": (Colour.RED,)}]),
    "a tree": Tree(name="a", parts=[Tree(name="b", parts=[Tree(name="c")])]),
    "a class in a class": Outer.Inner(n=2),
    "which fields were set": shortened(),
}
