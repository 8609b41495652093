"""Finding entries by type without looking at all of them.

A `Query` is what an input asks for. A `Matcher` knows the queries of an agent and remembers, for each kind of entry
it has met, which of them it satisfies. It holds types only, never entries, so all boards of an agent share one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from planboard.blackboard.entry import Entry
from planboard.blackboard.matching import is_ordinary_class, members, prospect, satisfies
from planboard.types import TypeForm, origin_of, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """What is asked of the board. Queries are interned by their matcher and compared by identity."""

    serial: int
    """The number of queries that its matcher knew before it."""
    form: TypeForm
    """The type that an entry must satisfy; `None` for any."""
    name: str | None = None
    """The binding name that is demanded."""
    producers: frozenset[str] | None = None
    """The only actions whose entries count; `None` for all."""

    def admits(self, entry: Entry) -> bool:
        """Tell whether an entry answers this query."""
        if self.name is not None and entry.name != self.name:
            return False
        if self.producers is not None and entry.producer not in self.producers:
            return False
        return self.form is None or satisfies(entry.value, entry.type, self.form)

    def __str__(self) -> str:
        shown = "anything" if self.form is None else type_name(self.form)
        return f"{self.name}: {shown}" if self.name else shown


Shape = tuple[type, Any, str | None, str]
"""Class, declared type, binding name, producer."""


class Matcher:
    """The queries that are in use, and which kinds of entries answer them."""

    def __init__(self) -> None:
        self._queries: dict[tuple[Any, str | None, frozenset[str] | None], Query] = {}
        self._of_class: dict[type, list[Query]] = {}
        self._of_other: list[Query] = []
        self._names: set[str | None] = set()
        self._producers: set[str] = set()
        self._growing = Lock()
        self._answers: dict[Shape, tuple[tuple[Query, ...], tuple[Query, ...]]] = {}

    @property
    def queries(self) -> tuple[Query, ...]:
        """All queries that are known."""
        return tuple(self._queries.values())

    @property
    def known(self) -> int:
        """How many queries are known."""
        return len(self._queries)

    def query(self, form: TypeForm, name: str | None = None, producers: "Iterable[str] | None" = None) -> Query:
        """Return the query for a type, a name, or both; equal questions give the same object."""
        key = (form, name, None if producers is None else frozenset(producers))
        found = self._queries.get(key)
        if found is None:
            with self._growing:
                found = self._queries.get(key) or self._learn(*key)
        return found

    def _learn(self, form: TypeForm, name: str | None, producers: frozenset[str] | None) -> Query:
        query = Query(len(self._queries), form, name, producers)
        (self._of_class.setdefault(form, []) if is_ordinary_class(form) else self._of_other).append(query)
        self._names |= {name} - {None}
        self._producers |= producers or frozenset()
        self._queries[form, name, producers] = query
        self._answers = {}  # replaced, not cleared: another thread may be reading the old one
        return query

    def answered_by(self, entry: Entry) -> Iterator[Query]:
        """Yield the queries that an entry answers."""
        sure, unsure = self.answers(entry)
        yield from sure
        for query in unsure:
            if query.admits(entry):
                yield query

    def answers(self, entry: Entry) -> tuple[tuple[Query, ...], tuple[Query, ...]]:
        """Return the queries that every entry of this kind answers, and those that depend on its value."""
        shape = self.shape(entry)
        answers = self._answers  # taken before the queries are looked at, so a newer one is never filled with old news
        try:
            return answers[shape]
        except KeyError:
            found = answers[shape] = self._classify(entry)
            return found

    def shape(self, entry: Entry) -> "Shape":
        """Return all that queries can tell entries apart by, beside their values.

        Names and producers that no query asks for count as none, so that what is remembered stays small.
        """
        name, producer = entry.name, entry.producer
        return (
            entry.value.__class__,
            entry.type,
            name if name in self._names else None,
            producer if producer in self._producers else "",
        )

    def _classify(self, entry: Entry) -> tuple[tuple[Query, ...], tuple[Query, ...]]:
        sure: list[Query] = []
        unsure: list[Query] = []
        for query in self._candidates(entry):
            if _asks_for_content(query.form, entry):
                unsure.append(query)
            elif query.admits(entry):
                sure.append(query)
        return tuple(sure), tuple(unsure)

    def _candidates(self, entry: Entry) -> Iterator[Query]:
        """Yield the queries that an entry may answer; of those for ordinary classes only what its class inherits."""
        yield from tuple(self._of_other)
        for cls in entry.value.__class__.__mro__:
            yield from tuple(self._of_class.get(cls, ()))


def _asks_for_content(form: TypeForm, entry: Entry) -> bool:
    """Tell whether two entries of the same class and declared type may answer differently."""
    if form is None:
        return False
    declared = entry.type
    if declared is not None and prospect(declared, form) in ("always", "never"):
        return False
    return not all(_is_plain_class(member) for member in members(form))


def _is_plain_class(form: TypeForm) -> bool:
    return (
        isinstance(form, type)
        and origin_of(form) is None
        and not getattr(form, "_is_protocol", False)
        and not (getattr(form, "__pydantic_generic_metadata__", None) or {}).get("origin")
    )
