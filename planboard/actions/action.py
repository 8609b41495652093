"""Actions and conditions as an agent knows them: bound, resolved and ready to be planned and run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planboard.actions.declarations import Rerun, Retry
from planboard.actions.goal import Achievement
from planboard.actions.waiting import Consent, Wait
from planboard.blackboard.board import Blackboard
from planboard.blackboard.entry import Entry
from planboard.blackboard.expressions import Expression
from planboard.blackboard.index import Query
from planboard.types import Location, TypeForm, snake_case, type_name


@dataclass(frozen=True, slots=True, eq=False)
class BoundInput:
    """A parameter and the query that fills it."""

    parameter: str
    query: Query
    collects: bool = False
    optional: bool = False
    has_default: bool = False
    positional_only: bool = False

    def __str__(self) -> str:
        return f"list of {self.query}" if self.collects else str(self.query)


Given: TypeAlias = Mapping[str, Entry | tuple[Entry, ...] | None]
"""Entries for parameters that are not filled by what is newest on the board; `None` leaves one out."""

_NONE_GIVEN: Given = {}


@dataclass(slots=True)
class Call:
    """The arguments for one call, and the entries they came from."""

    entries: tuple[Entry, ...]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class TypedFunction:
    """A function whose parameters are filled from the board, or injected."""

    function: Callable[..., Any]
    inputs: tuple[BoundInput, ...]
    services: Mapping[str, TypeForm] = field(default_factory=dict)
    """The parameters that are filled by services, with their types."""
    context: str | None = None
    """The parameter that wants an `ActionContext`."""
    ai: str | None = None
    """The parameter that wants an `Ai`."""
    where: Location | None = None

    def bind(self, board: Blackboard, given: Given = _NONE_GIVEN) -> Call | None:
        """Return the arguments from the newest visible matches; `None` when a needed one is missing.

        Args:
            board: Where to look.
            given: Entries that are used instead, by parameter.
        """
        entries: list[Entry] = []
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for item in self.inputs:
            value: Any
            if given and item.parameter in given:
                chosen = given[item.parameter]
                found = [] if chosen is None else list(chosen) if isinstance(chosen, tuple) else [chosen]
                entries.extend(found)
                values = [entry.value for entry in found]
                value = values if item.collects else values[0] if values else None
                missing = not found
            elif item.collects:
                found = board.matches(item.query)
                entries.extend(found)
                value = [entry.value for entry in found]
                missing = not found
            else:
                entry = board.newest(item.query)
                missing = entry is None
                value = None
                if entry is not None:
                    entries.append(entry)
                    value = entry.value
            if missing:
                if not item.optional:
                    return None
                if item.has_default and not item.positional_only:
                    continue
            if item.positional_only:
                args.append(value)
            else:
                kwargs[item.parameter] = value
        return Call(tuple(entries), tuple(args), kwargs)

    def given_by(self, entries: Sequence[Entry]) -> dict[str, Entry | tuple[Entry, ...] | None]:
        """Return by parameter the entries that a call was made with, from their order."""
        given: dict[str, Entry | tuple[Entry, ...] | None] = {}
        left = list(entries)
        for place, item in enumerate(self.inputs, 1):
            taken: list[Entry] = []
            needed = sum(not later.optional for later in self.inputs[place:])
            while left and item.query.admits(left[0]) and (item.collects or not taken):
                if taken and (left[0].position <= taken[-1].position or len(left) <= needed):
                    break  # what is collected is in the order of the board, so this belongs to the next parameter
                taken.append(left.pop(0))
            given[item.parameter] = tuple(taken) if item.collects else taken[0] if taken else None
        return given

    def inject(self, call: Call, services: Iterable[object]) -> None:
        """Add the services to the arguments."""
        for parameter, form in self.services.items():
            call.kwargs[parameter] = service_for(form, services)

    @property
    def may_ask(self) -> bool:
        """Whether it is given anything by which it could ask a model, or tell that it did."""
        return self.ai is not None or self.context is not None

    @property
    def required(self) -> tuple[BoundInput, ...]:
        """The inputs it cannot do without."""
        return tuple(item for item in self.inputs if not item.optional)


def service_for(form: TypeForm, services: Iterable[object]) -> object:
    """Return the first service that is an instance of a type."""
    return next(service for service in services if isinstance(service, form))


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A named predicate over entries: a typed function, a text expression, or a free one that is only set."""

    name: str
    predicate: TypedFunction | None = None
    expression: Expression | None = None
    roots: Mapping[str, tuple[Query, ...]] = field(default_factory=dict)
    """For an expression: the queries that answer for each root, the first that finds something wins."""
    root_types: Mapping[str, TypeForm] = field(default_factory=dict)
    """For an expression: the declared types of its roots."""
    where: Location | None = None
    waits: bool = False
    """Whether its answer has to be waited for: it is asynchronous, or asks a model. Planning never waits."""

    @property
    def is_free(self) -> bool:
        """Whether it has no definition and is only set with `set_condition`."""
        return self.predicate is None and self.expression is None

    @property
    def queries(self) -> tuple[Query, ...]:
        """Everything whose arrival on the board can change the answer."""
        if self.predicate is not None:
            return tuple(item.query for item in self.predicate.inputs)
        return tuple(query for queries in self.roots.values() for query in queries)

    @property
    def required(self) -> tuple[tuple[Query, ...], ...]:
        """What must be there for an answer: one of each group."""
        if self.predicate is not None:
            return tuple((item.query,) for item in self.predicate.required)
        return tuple(self.roots.values())


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """One thing that can be done, as an agent knows it."""

    name: str
    description: str
    body: TypedFunction
    outputs: tuple[tuple[TypeForm, ...], ...]
    """The alternatives of what it puts on the board, each a tuple of types."""
    output_names: tuple[str, ...]
    cost: float | TypedFunction
    value: float | TypedFunction
    pre: tuple[tuple[str, bool], ...]
    """The conditions that must hold: name, and whether it must be true or false."""
    post: tuple[tuple[str, bool], ...]
    rerun: Rerun
    trigger: Query | None
    consumes: tuple[Query, ...]
    clear_board: bool
    read_only: bool
    idempotent: bool
    retry: Retry | None
    timeout: float | None
    approval: bool | Consent
    achieves: Achievement | None
    is_async: bool
    state: type | None = None
    """The `@state` class whose method it is."""
    only_output: TypeForm | None = None
    """The type of its output, if it always has exactly one."""
    has_tuple: bool = False
    """Whether it returns its outputs as a tuple."""
    agents: tuple[Any, ...] = ()
    """The agents that it runs, if that is all it does."""
    wait: Wait | None = None
    """What the process does itself instead of running the function, which only words it."""

    @property
    def where(self) -> Location | None:
        """Where the function is defined."""
        return self.body.where

    @property
    def output_types(self) -> tuple[TypeForm, ...]:
        """Every type it may put on the board."""
        return tuple(dict.fromkeys(form for alternative in self.outputs for form in alternative))

    def binding_name(self, position: int) -> str | None:
        """Return the name that the output at a position is bound to."""
        return (self.output_names[position] or None) if position < len(self.output_names) else None

    def __str__(self) -> str:
        inputs = ", ".join(str(item) for item in self.body.inputs)
        ways = " | ".join(", ".join(type_name(form) for form in way) or "nothing" for way in self.outputs)
        return f"{self.name}({inputs}) -> {ways}"


def root_name(form: TypeForm) -> str:
    """Return the name by which text conditions know entries of a type."""
    return snake_case(type_name(form))
