"""What can still help a goal, and what would put it out of reach: by what may flow into what.

Both leave out of account what actions take away, unless it is what the question is about. So nothing that is needed
is ever taken for useless, and nothing that leaves a way is taken for a dead end.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from planboard.planners.domain import Masks
from planboard.planners.operator import NIRVANA
from planboard.planners.supervisor.outlook import Outlook, union


@dataclass(frozen=True, slots=True)
class Reach:
    """What may come about sooner or later."""

    operators: tuple[int, ...]
    """The operators that may be run, by their position in the domain."""
    true: int
    """The facts that may be true."""
    false: int
    """The facts that may be false."""

    def covers(self, wanted: Masks) -> bool:
        """Tell whether facts may come to be as they are wanted."""
        return not (wanted.pre_true & ~self.true or wanted.pre_false & ~self.false)


class Relevance:
    """What the moves of one outlook have to do with its goals."""

    def __init__(self, outlook: Outlook) -> None:
        self._outlook = outlook
        self._domain = outlook.domain
        self._known = outlook.known
        self._demands = [self._domain.demands(goal) for goal in outlook.goals if goal is not NIRVANA]
        self._forgiven = union(outlook.forgiven(name, outlook.exposed(name) or ()) for name in outlook.ways)
        kinds = self._domain.kinds
        self._bookkeeping = union(self._domain.bit(name) for name in kinds if kinds[name] == "bookkeeping")

    def helpful(self) -> set[str]:
        """Return the actions that can still help one of the goals.

        An action helps if what it brings about can flow into a goal: through typed inputs, optional ones too, and
        conditions; through the model, when something on a way to the goal is still to be built by it; or through an
        action on the way that may look at the whole board. What is there already needs no bringing about, and nothing
        helps a goal that is out of reach.
        """
        reach = self._reach(self._known.true, self._known.unknown)
        names = self._names(self._leading_to([wanted for wanted in self._demands if reach.covers(wanted)], reach))
        return self._names(reach.operators) if any(map(self._outlook.is_open, names)) else names

    def is_dead_end(self, name: str) -> bool:
        """Tell whether no goal is in reach any more once an action has run, however it turns out.

        Only an action that takes something away can be one.
        """
        for index in self._outlook.ways[name]:
            masks = self._domain.masks[index]
            if not masks.false & ~self._bookkeeping:
                return False
            supplied = self._known.true | self._outlook.buildable & masks.pre_true
            reach = self._reach(*masks.after(supplied, self._known.unknown))
            if any(map(reach.covers, self._demands)):
                return False
        return True

    def _names(self, indices: Iterable[int]) -> set[str]:
        return {self._domain.operators[index].name for index in indices}

    def _reach(self, true: int, unknown: int) -> Reach:
        """Return what may come about from some facts, if nothing is ever taken away."""
        false = ~true | self._forgiven
        true |= unknown | self._outlook.buildable
        left = list(enumerate(self._domain.masks))
        found: list[int] = []
        while True:
            waiting: list[tuple[int, Masks]] = []
            for index, masks in left:
                if masks.pre_true & ~true or masks.pre_false & ~false:
                    waiting.append((index, masks))
                    continue
                true |= masks.true | masks.unknown
                false |= masks.false | masks.unknown
                found.append(index)
            if len(waiting) == len(left):
                return Reach(tuple(sorted(found)), true, false)
            left = waiting

    def _leading_to(self, demands: Iterable[Masks], reach: Reach) -> list[int]:
        """Return the operators that bring about what is needed: by a goal, or by one of them.

        A fact is needed if it does not hold, or if one of them takes it away. What an action can do without, and
        would use, is needed too.
        """
        known = self._known
        needed_true = needed_false = undone = redone = 0
        for wanted in demands:
            needed_true |= wanted.pre_true
            needed_false |= wanted.pre_false
        left = [(index, self._domain.masks[index]) for index in reversed(reach.operators)]
        chosen: list[int] = []
        while True:
            waiting: list[tuple[int, Masks]] = []
            for index, masks in left:
                true = needed_true & (~known.true | undone)
                false = needed_false & (known.true | known.unknown | redone)
                if not ((masks.true | masks.unknown) & true or (masks.false | masks.unknown) & false):
                    waiting.append((index, masks))
                    continue
                chosen.append(index)
                needed_true |= masks.pre_true | self._outlook.optional(self._domain.operators[index].name)
                needed_false |= masks.pre_false
                undone |= masks.false | masks.unknown
                redone |= (masks.true | masks.unknown) & ~self._bookkeeping
            if len(waiting) == len(left):
                return chosen
            left = waiting
