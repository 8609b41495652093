"""What can be done now, when a model may build what no action produces."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from planboard.actions.action import Action, BoundInput
from planboard.actions.state import state_of
from planboard.actions.waiting import COMES_OF_WAITING
from planboard.blackboard.entry import Entry
from planboard.blackboard.index import Query
from planboard.errors import DefinitionError
from planboard.llm.names import tool_name
from planboard.llm.schemas import schema_of
from planboard.planners.ask import Exposed
from planboard.planners.compile import has_run, is_idle
from planboard.planners.domain import State
from planboard.planners.operator import Operator, PlanGoal
from planboard.planners.plan import spelled
from planboard.planners.problem import Inquiry
from planboard.planners.problem import World as Known
from planboard.planners.world import World
from planboard.types import TypeForm, origin_of

SUPERVISOR = "supervisor"
"""The producer of entries that a model has built."""

_PLAIN = (str, int, float, bool, bytes, list, dict, tuple, set, frozenset)


@dataclass(frozen=True, slots=True)
class Move:
    """An action that can be done now, if the model builds what is exposed."""

    operator: Operator
    exposed: tuple[Exposed, ...]
    repeats: bool
    """Whether it has run already and nothing that it reads has changed since."""


class Outlook:
    """One look at the world: the moves, and what they take from the model."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry = inquiry
        self.domain = inquiry.domain
        """The operators, and their facts."""
        self.world = inquiry.problem.state if isinstance(inquiry.problem.state, World) else None
        """The run's world; `None` for a problem without one, in which nothing can be built."""
        self.ways: dict[str, list[int]] = {}
        """The operators of each action, one for each way it may turn out, by their position in the domain."""
        for index, operator in enumerate(self.domain.operators):
            self.ways.setdefault(operator.name, []).append(index)
        self.buildable = self._bits_buildable()
        """The facts that the model can make true by building something."""

    @property
    def known(self) -> Known:
        """What is known by now; unknown conditions are found out on the way."""
        return self._inquiry.world

    @property
    def goals(self) -> tuple[PlanGoal, ...]:
        """What is wanted."""
        return self._inquiry.problem.goals

    @property
    def state(self) -> State:
        """What holds, as far as it is known."""
        world = self._inquiry.world
        return State(self.domain, world.true, world.unknown)

    def actions_by_tool(self) -> dict[str, str]:
        """Return every action by the name of its tool, whether it can be done now or not."""
        return {tool_name(name): name for name in self.ways}

    def missing(self, name: str) -> list[str]:
        """Return what an action lacks that the model cannot build: types by name, then conditions."""
        state, operator = self.state, self.domain.operators[self.ways[name][0]]
        kinds = self.domain.kinds
        built = self._built_by(name, self.exposed(name) or ())
        given = set() if self.world is None else {self.world.compilation.fact_of[query] for query in built}
        lacking = [fact for fact, truth in operator.pre.items() if state[fact] is not truth and fact not in given]
        wanted = [fact for fact in lacking if kinds.get(fact) != "bookkeeping"]
        return [spelled(fact, operator.pre[fact]) for fact in wanted]

    # Moves

    def moves(self) -> list[Move]:
        """Return everything that can be done now, by name; unknown conditions that matter are found out."""
        found: list[Move] = []
        for name, ways in self.ways.items():
            exposed = self.exposed(name)
            if exposed is not None and self.is_possible(ways[0], exposed):
                found.append(Move(self.domain.operators[ways[0]], exposed, self._repeats(name)))
        return found

    def exposed(self, name: str) -> tuple[Exposed, ...] | None:
        """Return what the model must or may build for an action; `None` if something is missing that it cannot."""
        action = self._action(name)
        if action is None or self.world is None:
            return ()
        again = self._has_run(action)
        found: list[Exposed] = []
        for item in action.body.inputs:
            if self._is_filled(action, item, again=again):
                continue
            if self._can_build(item):
                found.append(
                    Exposed(
                        item.parameter, item.query.form, item.query.name, item.collects, item.optional, item.has_default
                    )
                )
            elif not item.optional:
                return None
        return tuple(found)

    def is_possible(self, index: int, exposed: Iterable[Exposed]) -> bool:
        """Tell whether what an action needs holds, but for what the model is to build."""
        masks, operator = self.domain.masks[index], self.domain.operators[index]
        built = self._built_by(operator.name, exposed)
        needed_true = masks.pre_true & ~self._supplied(built)
        needed_false = masks.pre_false & ~self.forgiven(operator.name, exposed)
        return self._holds(needed_true, built, truth=True) and self._holds(needed_false, built, truth=False)

    def _holds(self, mask: int, built: frozenset[Query], *, truth: bool) -> bool:
        known = self._inquiry.world
        certain = known.true if truth else ~(known.true | known.unknown)
        if mask & ~certain & ~known.unknown:
            return False
        for name in self.domain.names(mask & known.unknown):
            bit = self.domain.bit(name)
            if bit & self._inquiry.world.askable:
                self._inquiry.ask(name)
            world = self._inquiry.world
            if world.unknown & bit:
                if not self._waits_for(name, built):
                    return False
            elif bool(world.true & bit) is not truth:
                return False
        return True

    def _waits_for(self, condition: str, built: frozenset[Query]) -> bool:
        """Tell whether a condition is unknown only because it looks at something that the model is to build."""
        if self.world is None or not built:
            return False
        found = self.world.compilation.catalogue.conditions.get(condition)
        return found is not None and not built.isdisjoint(found.queries)

    def _built_by(self, name: str, exposed: Iterable[Exposed]) -> frozenset[Query]:
        action = self._action(name)
        if action is None:
            return frozenset()
        parameters = {item.parameter for item in exposed}
        return frozenset(item.query for item in action.body.inputs if item.parameter in parameters)

    def _supplied(self, built: frozenset[Query]) -> int:
        """Return the facts that hold once the model has built these, conditions about them being seen to later."""
        if self.world is None:
            return 0
        facts = self.world.compilation.fact_of
        return sum(self.domain.bit(facts[query]) for query in built)

    def forgiven(self, name: str, exposed: Iterable[Exposed]) -> int:
        """Return the facts about earlier runs that do not hold an action back: it is given new inputs."""
        action = self._action(name)
        if action is None or action.rerun == "never":
            return 0
        bit = self.domain.bit(is_idle(name)) if action.rerun == "always" else 0
        return bit | (self.domain.bit(has_run(name)) if any(exposed) else 0)

    # Parameters

    def _is_filled(self, action: Action, item: BoundInput, *, again: bool) -> bool:
        assert self.world is not None  # noqa: S101 - asked only in a run
        board = self.world.board
        if item.collects:
            return bool(board.matches(item.query))
        entry = board.newest(item.query)
        if entry is None:
            return False
        if entry.producer != SUPERVISOR:
            return True
        talk = self.world.conversation
        used = again and talk is not None and entry.position in talk.uses[action.name]
        return not used and not _is_anothers(entry, item)

    def _can_build(self, item: BoundInput) -> bool:
        world = self.world
        return (
            world is not None
            and not item.positional_only
            and item.query in world.compilation.catalogue.given_only
            and item.query.form not in COMES_OF_WAITING  # nobody but people, and policies, refuse
            and _has_schema(item.query.form)
        )

    def _has_run(self, action: Action) -> bool:
        talk = None if self.world is None else self.world.conversation
        return talk is not None and action.rerun != "never" and action.name in talk.uses

    def _repeats(self, name: str) -> bool:
        action = self._action(name)
        if action is None or action.rerun != "always":
            return False
        return bool(self._inquiry.world.true & self.domain.bit(is_idle(name)))

    def _action(self, name: str) -> Action | None:
        return None if self.world is None else self.world.compilation.catalogue.actions[name]

    # For relevance

    def is_open(self, name: str) -> bool:
        """Tell whether anything on the board may make a difference to what an action does."""
        action = self._action(name)
        if action is None:
            return False
        if action.body.context is not None:
            return True
        return any(self._can_build(item) and not self._is_filled(action, item, again=False) for item in
                   action.body.required)  # fmt: skip

    def optional(self, name: str) -> int:
        """Return the facts that an action can do without, and would use."""
        action = self._action(name)
        if action is None or self.world is None:
            return 0
        facts = self.world.compilation.fact_of
        return union(self.domain.bit(facts[item.query]) for item in action.body.inputs if item.optional)

    def _bits_buildable(self) -> int:
        if self.world is None:
            return 0
        compilation = self.world.compilation
        inputs = (item for action in compilation.catalogue.actions.values() for item in action.body.inputs)
        queries: Iterator[Query] = (item.query for item in inputs if self._can_build(item))
        return union(self.domain.bit(compilation.fact_of[query]) for query in queries)


def union(masks: Iterable[int]) -> int:
    """Return the facts that are in any of some masks."""
    found = 0
    for mask in masks:
        found |= mask
    return found


def _is_anothers(entry: Entry, item: BoundInput) -> bool:
    """Tell whether a plain value, such as a text, was built for a parameter of another name.

    A text says nothing about what it is for, so that one of them does not stand in for all others.
    """
    return type(entry.value) in _PLAIN and entry.name != (item.query.name or item.parameter)


def is_plain(form: TypeForm) -> bool:
    """Tell whether a type is that of plain values, which say nothing about what they are for."""
    return (origin_of(form) or form) in _PLAIN


@lru_cache(maxsize=4096)
def _has_schema(form: TypeForm) -> bool:
    """Tell whether a model can be told how to write a value of a type; a state is entered, never written."""
    if form is None or (isinstance(form, type) and origin_of(form) is None and state_of(form) is not None):
        return False
    try:
        schema_of(form)
    except DefinitionError:
        return False
    return True
