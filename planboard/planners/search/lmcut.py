"""LM-cut: landmarks of the delete relaxation, cut out of it one by one (Helmert & Domshlak 2009).

A *landmark* here is a set of operators of which every plan contains one. Each round finds a cut through the
justification graph, in which every operator hangs from its dearest precondition by hmax; the operators of the cut are
a landmark. Their cheapest weight is added to the bound and taken off all of them, until the goal costs nothing. So
the bound is a sum over landmarks among which weights are shared out, and never overestimates.

A successor keeps the landmarks of its parent that do not contain the step taken, for the rest of the plan must still
hit them; only what is left of the weights is cut again (*incremental* LM-cut, Pommerening & Helmert 2013).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias

from planboard.planners.domain import bits_of
from planboard.planners.search.engine import Estimate
from planboard.planners.search.task import Task

Landmark: TypeAlias = tuple[int, tuple[int, ...]]
"""A weight, and the operators that have it in common."""

_MEMORY = 200_000
"""States whose landmarks are remembered for the next search over the same operators."""


class Relaxation:
    """A task without deletes, as flat lists; made once and kept with the task.

    Fact `count` holds from the start, and fact `count + 1` is the goal, which the last operator adds.
    """

    def __init__(self, task: Task) -> None:
        mask = task.goal
        for pre, add in zip(task.pre, task.add, strict=True):
            mask |= pre | add
        count = mask.bit_length()
        self.given: int = count
        """The fact that always holds: what operators without open preconditions hang from."""
        self.pre: list[int] = [*task.pre, task.goal]
        """Literals needed, as masks; the goal comes last."""
        self.add: list[int] = [*task.add, 1 << (count + 1)]
        """Literals added, as masks."""
        self.needs: list[tuple[int, ...]] = [*task.pre_ids, tuple(bits_of(task.goal))]
        """Literals needed, by position."""
        self.gives: list[tuple[int, ...]] = [tuple(bits_of(add)) for add in self.add]
        """Literals added, by position."""
        self.needers: list[tuple[int, ...]] = _transposed(self.needs, count + 2)
        """For each literal the operators that need it."""
        self.givers: list[tuple[int, ...]] = _transposed(self.gives, count + 2)
        """For each literal the operators that add it."""
        self.weights: list[int] = [*task.weights, 0]
        """What each operator weighs."""
        self.infinity: int = task.infinity
        """The value of what cannot be reached."""


def relaxation_of(task: Task) -> Relaxation:
    """Return the relaxation of a task, made the first time it is asked for."""
    made: Relaxation | None = task.learned.get("relaxation")
    if made is None:
        made = task.learned["relaxation"] = Relaxation(task)
    return made


@dataclass(frozen=True, slots=True)
class LMCut:
    """The sum of landmark weights: of the estimates here the closest, and worth its price wherever goals interact."""

    name: str = "lmcut"
    """What it is called in messages."""
    admissible: bool = True
    """It never overestimates."""

    def bind(self, task: Task) -> Estimate:
        """Prepare for one task."""
        known: _Landmarks | None = task.learned.get(self.name)
        if known is None or len(known.found) > _MEMORY:
            known = task.learned[self.name] = _Landmarks(relaxation_of(task))
        return known


class _Landmarks:
    """The estimate, with the landmarks of every state it was asked for."""

    def __init__(self, relaxation: Relaxation) -> None:
        self.found: dict[int, tuple[int, tuple[Landmark, ...], dict[int, int]]] = {}
        """For each state the estimate, its landmarks, and each operator's part in them."""
        self._relaxation = relaxation

    def __call__(self, state: int, /) -> int:
        return self._known(state, ())

    def inherited(self, parent: int, steps: Iterable[int]) -> int:
        """Return a bound for the state after the steps from what is known of the one before: no search."""
        known = self.found.get(parent)
        if known is None:
            return 0
        estimate, _, parts = known
        for step in steps:
            estimate -= parts.get(step, 0)
        return estimate

    def after(self, state: int, parent: int, steps: Iterable[int]) -> int:
        """Return the estimate of the state that the steps lead to, from the landmarks of the one before."""
        known = self.found.get(parent)
        if known is None:
            return self._known(state, ())
        taken = set(steps)
        return self._known(state, (landmark for landmark in known[1] if taken.isdisjoint(landmark[1])))

    def _known(self, state: int, kept: Iterable[Landmark]) -> int:
        known = self.found.get(state)
        if known is not None:
            return known[0]
        weights = self._relaxation.weights.copy()
        landmarks = list(kept)
        total = 0
        for weight, operators in landmarks:
            total += weight
            for operator in operators:
                weights[operator] -= weight
        for landmark in cuts(self._relaxation, state, weights):
            if landmark is None:
                total = self._relaxation.infinity
                break
            total += landmark[0]
            landmarks.append(landmark)
        parts: dict[int, int] = {}
        for weight, operators in landmarks:
            for operator in operators:
                parts[operator] = parts.get(operator, 0) + weight
        self.found[state] = total, tuple(landmarks), parts
        return total


def cuts(
    relaxation: Relaxation, state: int, weights: list[int], excluded: Iterable[int] = ()
) -> Iterator[Landmark | None]:
    """Yield landmarks until those found explain all of hmax; `None` if the goal cannot be reached.

    Args:
        relaxation: What is searched.
        state: The literals that hold.
        weights: What is left of the weights; the landmarks' are taken off.
        excluded: Operators that must not be used.
    """
    needers, givers, needs, gives, add = (
        relaxation.needers,
        relaxation.givers,
        relaxation.needs,
        relaxation.gives,
        relaxation.add,
    )
    given, goal = relaxation.given, len(add) - 1
    missing = ~state
    unmet = [(pre & missing).bit_count() for pre in relaxation.pre]
    for operator in excluded:
        unmet[operator] = -1
    value = [relaxation.infinity] * (given + 2)
    value[given] = 0
    for literal in bits_of(state):
        value[literal] = 0
    hangs = [given] * len(add)  # the dearest precondition of each operator that can run
    level = [0] * len(add)  # and its value

    first = [operator for operator, count in enumerate(unmet) if not count]
    queue: list[tuple[int, int]] = []
    for operator in first:
        weight = weights[operator]
        for literal in gives[operator]:
            if weight < value[literal]:
                value[literal] = weight
                heappush(queue, (weight, literal))
    while queue:
        reached, literal = heappop(queue)
        if reached > value[literal]:
            continue
        for operator in needers[literal]:
            unmet[operator] -= 1
            if not unmet[operator]:
                hangs[operator] = literal
                level[operator] = reached
                weight = reached + weights[operator]
                for effect in gives[operator]:
                    if weight < value[effect]:
                        value[effect] = weight
                        heappush(queue, (weight, effect))
    if unmet[goal]:
        yield None
        return

    while level[goal]:
        # The goal zone: from where the goal costs nothing more.
        zone = 1 << hangs[goal] | 1 << (given + 1)
        pending = [hangs[goal]]
        while pending:
            for operator in givers[pending.pop()]:
                if not weights[operator] and not unmet[operator]:
                    source = hangs[operator]
                    if not zone >> source & 1:
                        zone |= 1 << source
                        pending.append(source)
        # The cut: what leads into the zone from where one can get without it.
        cut: list[int] = []
        seen = state
        for operator in first:
            if add[operator] & zone:
                cut.append(operator)
            else:
                fresh = add[operator] & ~seen
                if fresh:
                    seen |= fresh
                    pending.extend(bits_of(fresh))
        while pending:
            literal = pending.pop()
            for operator in needers[literal]:
                if hangs[operator] == literal and not unmet[operator]:
                    if add[operator] & zone:
                        cut.append(operator)
                    else:
                        fresh = add[operator] & ~seen
                        if fresh:
                            seen |= fresh
                            pending.extend(bits_of(fresh))
        share = min([weights[operator] for operator in cut])
        for operator in cut:
            weights[operator] -= share
        yield share, tuple(cut)
        # What is cheaper now, and what is cheaper because of it.
        for operator in cut:
            weight = level[operator] + weights[operator]
            for effect in gives[operator]:
                if weight < value[effect]:
                    value[effect] = weight
                    heappush(queue, (weight, effect))
        while queue:
            reached, literal = heappop(queue)
            if reached > value[literal]:
                continue
            for operator in needers[literal]:
                if hangs[operator] == literal and level[operator] > reached:
                    dearest = -1
                    for need in needs[operator]:
                        if value[need] > dearest:
                            dearest = value[need]
                            hangs[operator] = need
                    if dearest < level[operator]:
                        level[operator] = dearest
                        weight = dearest + weights[operator]
                        for effect in gives[operator]:
                            if weight < value[effect]:
                                value[effect] = weight
                                heappush(queue, (weight, effect))


def _transposed(rows: Sequence[tuple[int, ...]], count: int) -> list[tuple[int, ...]]:
    columns: list[list[int]] = [[] for _ in range(count)]
    for position, row in enumerate(rows):
        for entry in row:
            columns[entry].append(position)
    return [tuple(column) for column in columns]
