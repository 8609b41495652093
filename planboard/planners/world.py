"""What a run's board means for planning, kept up to date entry by entry.

A `World` is a planning state that follows a board: each entry that comes, goes or is used changes a few bits. What
conditions say is found out only when a planner asks.
"""

from collections.abc import Iterable, Mapping, Sequence

from planboard._text import brief
from planboard.actions.action import Action, Call, Condition, TypedFunction
from planboard.blackboard.board import Blackboard
from planboard.blackboard.changes import Added, Change, ConditionSet, Hidden
from planboard.blackboard.entry import Entry
from planboard.blackboard.index import Query, Shape
from planboard.blackboard.schema import describe_error
from planboard.errors import ConditionError, CostError, PlanboardError
from planboard.planners.compile import Compilation, has_run, is_excluded, is_idle
from planboard.planners.conversation import Conversation
from planboard.planners.domain import State
from planboard.planners.operator import PlanGoal
from planboard.planners.problem import Problem

_Delta = tuple[int, int, int, int]
Binding = tuple[int, ...]
"""The positions of the entries that a call used."""


class Bits:
    """The masks of a compilation, computed once and shared by all its worlds."""

    def __init__(self, compilation: Compilation) -> None:
        domain = compilation.domain
        catalogue = compilation.catalogue
        self.fact = {query: domain.bit(name) for query, name in compilation.fact_of.items()}
        self.newest = {query: domain.bit(name) for query, name in compilation.newest_of.items()}
        self.any_newest = sum(self.newest.values())
        self.ran = {name: domain.bit(has_run(name)) for name in catalogue.actions}
        self.idle = {name: domain.bit(is_idle(name)) for name in catalogue.actions}
        self.excluded = {name: domain.bit(is_excluded(name)) for name in catalogue.actions}
        self.condition = {name: domain.bit(name) for name in catalogue.conditions}
        actions = catalogue.actions.values()
        self.reads = {action.name: self._read_bits(action, catalogue.conditions) for action in actions}
        self.asked_of: dict[Query, int] = {}
        self.refreshed: dict[Query, int] = {}
        self.always_asked = 0
        self.askable = 0
        for condition in catalogue.conditions.values():
            if condition.is_free:
                continue
            bit = self.condition[condition.name]
            self.askable |= bit
            if not condition.queries:
                self.always_asked |= bit
            for query in condition.queries:
                self.asked_of[query] = self.asked_of.get(query, 0) | bit
        for action in catalogue.actions.values():
            fresh = self._fresh_bits(action, catalogue.conditions)
            for query, bit in fresh:
                self.refreshed[query] = self.refreshed.get(query, 0) | bit
        self.deltas: dict[Shape, tuple[_Delta, tuple[Query, ...]]] = {}

    def _read_bits(self, action: Action, conditions: Mapping[str, Condition]) -> int:
        queries = [item.query for item in action.body.inputs]
        bits = 0
        for name, _ in action.pre:
            queries.extend(conditions[name].queries)
            bits |= self.condition[name]
        if action.trigger is not None:
            bits |= self.newest[action.trigger]
        for query in queries:
            bits |= self.fact[query]
        return bits

    def _fresh_bits(self, action: Action, conditions: Mapping[str, Condition]) -> list[tuple[Query, int]]:
        if action.rerun == "never":
            return []
        queries = [item.query for item in action.body.inputs]
        if action.rerun == "new_inputs":
            return [(query, self.ran[action.name] | self.excluded[action.name]) for query in queries]
        for name, _ in action.pre:
            queries.extend(conditions[name].queries)
        return [(query, self.idle[action.name] | self.excluded[action.name]) for query in queries]

    def delta_of(self, query: Query) -> _Delta:
        """Return what an answer to a query makes true, newest, unknown and fresh."""
        return (
            self.fact.get(query, 0),
            self.newest.get(query, 0),
            self.asked_of.get(query, 0),
            self.refreshed.get(query, 0),
        )

    def delta(self, board: Blackboard, entry: Entry) -> _Delta:
        """Return what an entry makes true, newest, unknown and fresh."""
        shape = board.matcher.shape(entry)
        found = self.deltas.get(shape)
        if found is None:
            sure, unsure = board.matcher.answers(entry)
            known = tuple(query for query in unsure if any(self.delta_of(query)))
            found = self.deltas[shape] = (_merged(self.delta_of(query) for query in sure), known)
        delta, unsure = found
        if unsure:
            delta = _merged((delta, *(self.delta_of(query) for query in unsure if query.admits(entry))))
        return delta


class _Unsettled(Exception):  # noqa: N818 - a signal to the process, never seen by users
    """Planning depends on a condition that has to be waited for."""

    def __init__(self, condition: str) -> None:
        self.condition = condition
        super().__init__(condition)


class World(State):
    """The planning state of a run."""

    def __init__(
        self,
        compilation: Compilation,
        bits: Bits,
        board: Blackboard,
        *,
        greedy: bool,
        services: tuple[object, ...] = (),
    ) -> None:
        super().__init__(compilation.domain, 0, bits.askable)
        self.compilation = compilation
        self.board = board
        self.greedy = greedy
        """Whether the planner takes whatever can be done; then an `always` action waits for something new."""
        self.services = services
        """The objects that are injected."""
        self._bits = bits
        self._used: dict[str, set[Binding]] = {}
        self._last: dict[str, Binding] = {}
        self._denied: dict[str, set[Binding]] = {}
        self._kept_out: set[str] = set()
        self._lasting: frozenset[Query] = frozenset()
        self._judged: dict[tuple[str, Binding], bool] = {}
        self.conversation: Conversation | None = None
        """What a model was asked and answered, once it was asked at all."""

    # Following the board

    def follow(self, change: Change) -> None:
        """Take note of a change that the board has just made."""
        match change:
            case Added(entry):
                self.added(entry)
            case Hidden(positions):
                history = self.board.entries
                self.hidden([history[position] for position in positions])
            case ConditionSet(name, value):
                bit = self._bits.condition.get(name, 0)
                self.true = self.true | bit if value else self.true & ~bit

    def added(self, entry: Entry) -> None:
        """Take note of a new entry."""
        fact, newest, unknown, fresh = self._bits.delta(self.board, entry)
        self.unknown |= unknown
        self.true = self.true & ~(self._bits.any_newest | unknown | fresh) | fact | newest
        if entry.protected:
            self._stays(entry)
        if entry.protected or self.compilation.consumed:
            self._choose_domain()
        if self._denied:
            self._keep_out_what_was_denied()

    def hidden(self, entries: Sequence[Entry]) -> None:
        """Take note of entries that became invisible."""
        gone = {query for entry in entries for query in self.board.matcher.answered_by(entry)}
        for query in gone:
            fact, _, unknown, fresh = self._bits.delta_of(query)
            self.unknown |= unknown
            self.true &= ~unknown
            if fact and self.board.newest(query) is None:
                self.true &= ~fact
            if fresh:
                self._recall(fresh)
        if self._bits.any_newest:
            self.true &= ~self._bits.any_newest
            newest = self.board.newest_entry
            if newest is not None:
                self.true |= self._bits.delta(self.board, newest)[1]
        if any(entry.protected for entry in entries):
            self._lasting = frozenset()
            for entry in self.board.visible:
                if entry.protected:
                    self._stays(entry)
        self._choose_domain()
        if self._denied:
            self._keep_out_what_was_denied()

    def _choose_domain(self) -> None:
        plenty = frozenset(query for query in self.compilation.consumed if len(self.board.matches(query)) > 1)
        self.domain = self.compilation.domain_where(self._lasting, plenty)

    def _stays(self, entry: Entry) -> None:
        answered = {query for query in self.board.matcher.answered_by(entry) if query in self._bits.fact}
        self._lasting |= answered

    def _recall(self, fresh: int) -> None:
        """With other inputs than before, tell anew which actions have run with them."""
        for name, bit in self._bits.ran.items():
            if bit & fresh:
                call = self.compilation.catalogue.actions[name].body.bind(self.board)
                used = call is not None and binding_of(call) in self._used.get(name, ())
                self.true = self.true | bit if used else self.true & ~bit
        for name, bit in self._bits.idle.items():
            if bit & fresh & self.true:
                call = self.compilation.catalogue.actions[name].body.bind(self.board)
                if call is None or binding_of(call) != self._last.get(name):
                    self.true &= ~bit

    # Following the run

    def ran(self, action: Action, binding: Binding) -> None:
        """Take note that an action has run; call it before its outputs are added."""
        name = action.name
        if action.rerun == "new_inputs":
            self._used.setdefault(name, set()).add(binding)
        if action.rerun != "always":
            self.true |= self._bits.ran[name]
            return
        self._last[name] = binding
        if self.greedy:
            self.true |= self._bits.idle[name]

    def disappointed(self, action: Action, binding: Binding) -> None:
        """Take note that an assumption about an action proved wrong: with the same inputs it is not tried again."""
        call = action.body.bind(self.board)
        if action.rerun == "always" and call is not None and binding_of(call) == binding:
            self.true |= self._bits.idle[action.name]

    def forgot(self) -> None:
        """Take note that what has run is forgotten."""
        self._used.clear()
        for bit in (*self._bits.ran.values(), *self._bits.idle.values()):
            self.true &= ~bit

    def exclude(self, action: str) -> None:
        """Leave an action out of plans."""
        self._kept_out.add(action)
        self.true |= self._bits.excluded.get(action, 0)

    def readmit(self, action: str) -> None:
        """Let an action be planned again."""
        self._kept_out.discard(action)
        self.true &= ~self._bits.excluded.get(action, 0)

    def deny(self, action: str, binding: Binding) -> None:
        """Leave an action out of plans for as long as it would be given the same entries."""
        if action in self._bits.excluded:  # it is gone when a run goes on with a changed agent
            self._denied.setdefault(action, set()).add(binding)
            self._keep_out_what_was_denied()

    def _keep_out_what_was_denied(self) -> None:
        for name, denied in self._denied.items():
            call = self.compilation.catalogue.actions[name].body.bind(self.board)
            if call is not None and binding_of(call) in denied:
                self.true |= self._bits.excluded[name]
            elif name not in self._kept_out:
                self.true &= ~self._bits.excluded[name]

    def at(self, true: int, unknown: int) -> "World":
        """Return a world over the same board in which other facts hold, to look ahead with."""
        other = World(self.compilation, self._bits, self.board, greedy=self.greedy, services=self.services)
        other.domain, other.true, other.unknown = self.domain, true, unknown
        other.conversation, other._judged = self.conversation, self._judged
        return other

    def without_exclusions(self) -> "World":
        """Return the world in which nothing is left out."""
        return self.at(self.true & ~sum(self._bits.excluded.values()), self.unknown)

    def reads(self, action: str) -> int:
        """Return the facts that an action looks at, optional inputs included."""
        return self._bits.reads[action]

    # For planners

    def problem(self, goals: tuple[PlanGoal, ...]) -> Problem:
        """Return the problem of reaching one of the goals from here."""
        self.unknown |= self._bits.always_asked
        self.true &= ~self._bits.always_asked
        return Problem(self, self.domain, goals, self.resolve if self.unknown else None)

    def resolve(self, name: str) -> bool | None:
        """Find out what a condition says; `None` while one of its inputs is missing.

        Raises:
            ConditionError: It raised, or did not answer with True or False.
            _Unsettled: It has to be waited for, and whoever runs the process has not done so yet.
        """
        condition = self.compilation.catalogue.conditions[name]
        answer = self._recorded(condition) if condition.waits else evaluate(condition, self.board, self.services)
        bit = self._bits.condition[name]
        if answer is not None:
            self.unknown &= ~bit
            self.true = self.true | bit if answer else self.true & ~bit
        return answer

    def _recorded(self, condition: Condition) -> bool | None:
        """Return the answer that was waited for with the inputs of now."""
        call = condition.predicate.bind(self.board) if condition.predicate is not None else None
        if call is None:
            return None
        answer = self._judged.get((condition.name, binding_of(call)))
        if answer is None:
            raise _Unsettled(condition.name)
        return answer

    def judged(self, condition: str, binding: Binding, value: bool) -> None:  # noqa: FBT001 - the value is the point
        """Take note of the answer of a condition that was waited for."""
        self._judged[condition, binding] = value

    def estimate(self, function: TypedFunction) -> float:
        """Return what a cost or value function says now; 0 while an input that it insists on is missing.

        Raises:
            CostError: It raised.
        """
        call = function.bind(self.board)
        if call is None:
            return 0.0
        function.inject(call, self.services)
        try:
            number: float = function.function(*call.args, **call.kwargs)
        except PlanboardError:
            raise
        except Exception as error:
            message = f"A cost or value function raised {describe_error(error)} ({function.where})"
            raise CostError(message) from error
        self.board.verify(call.entries)
        return number

    def describe(self, name: str) -> str | None:
        """Say which values make a condition what it is, or what a fact about the run means."""
        condition = self.compilation.catalogue.conditions.get(name)
        if condition is None:
            return self.compilation.meaning.get(name)
        if condition.is_free:
            return "only set_condition changes it"
        values = values_of(condition, self.board)
        if values is None:
            return "an input of it is not on the board"
        return ", ".join(f"{label}={brief(value)}" for label, value in values.items()) or None


def binding_of(call: Call) -> Binding:
    """Return the positions of the entries that a call uses."""
    return tuple([entry.position for entry in call.entries])


def values_of(condition: Condition, board: Blackboard) -> dict[str, object] | None:
    """Return the values that a condition looks at, by parameter or root; `None` when one is missing."""
    if condition.predicate is not None:
        call = condition.predicate.bind(board)
        return None if call is None else dict(sorted(call.kwargs.items()))
    values: dict[str, object] = {}
    for root, queries in condition.roots.items():
        found = next((entry for entry in map(board.newest, queries) if entry is not None), None)
        if found is None:
            return None
        values[root] = found.value
    return values


def evaluate(condition: Condition, board: Blackboard, services: Iterable[object]) -> bool | None:
    """Return what a condition says of a board; `None` while one of its inputs is missing.

    Raises:
        ConditionError: It raised, or did not answer with True or False. An error is never read as false.
    """
    if condition.is_free:
        return board.conditions.get(condition.name, False)
    if condition.expression is not None:
        values = values_of(condition, board)
        return None if values is None else condition.expression.evaluate(values, types=condition.root_types)
    predicate = condition.predicate
    assert predicate is not None  # noqa: S101 - a condition is free, an expression or a predicate
    call = predicate.bind(board)
    if call is None:
        return None
    predicate.inject(call, services)
    try:
        answer = predicate.function(*call.args, **call.kwargs)
    except Exception as error:
        message = (
            f"Condition {condition.name!r} raised {describe_error(error)} ({condition.where}). "
            "A condition answers True or False; an error is not taken for False."
        )
        raise ConditionError(condition.name, message) from error
    if not isinstance(answer, bool):
        message = f"Condition {condition.name!r} answered {brief(answer)} instead of True or False ({condition.where})."
        raise ConditionError(condition.name, message)
    board.verify(call.entries)
    return answer


def _merged(deltas: Iterable[_Delta]) -> _Delta:
    fact = newest = unknown = fresh = 0
    for one in deltas:
        fact, newest, unknown, fresh = fact | one[0], newest | one[1], unknown | one[2], fresh | one[3]
    return fact, newest, unknown, fresh
