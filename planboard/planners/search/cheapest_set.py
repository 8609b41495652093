"""The cheapest set of operators that reaches the goal if nothing is ever deleted (h+), by branch and bound.

Without deletes neither the order nor the repetition of operators matters, so what is searched are sets. Every plan
contains such a set, so none costs less; and if the set can be put into an order that works with deletes as well, that
order is an optimal plan, without any search through states.

Each node of the search has operators that are in and operators that are out. LM-cut bounds what is still to be paid
from below, a relaxed plan of the operators that the cuts have made free from above. An operator whose remaining
weight would lift the bound above the best known set is out (*reduced-cost fixing*): with bounds that are close, this
leaves little to decide. The search branches on a landmark with few operators that would cost nothing more: its first
operator is in; or that is out and its second is in; and so on, so that no set is looked at twice. What is independent
is decided separately.

h+ is due to Hoffmann & Nebel (2001); hitting all landmarks optimally to Haslum, Slaney & Thiébaux (2012).
`test_the_cheapest_set_is_found` guards it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from planboard.planners.domain import bits_of
from planboard.planners.search.cuts import Landmark, cuts
from planboard.planners.search.engine import Allowance
from planboard.planners.search.relaxation import mask_of_operators, relaxation_of
from planboard.planners.search.small_set import small_set
from planboard.planners.search.task import Task

_CYCLE, _DIVES = 256, 12
"""Of so many nodes so many go straight for a good set; the others go where the bound is least."""


@dataclass(slots=True)
class Node:
    """Some operators are in, some are out, the rest is open."""

    included: int
    """Operators that are in, as a mask."""
    excluded: int
    """Operators that are out, as a mask."""
    bound: int = 0
    """No set that agrees with this weighs less."""
    landmarks: list[Landmark] = field(default_factory=list)
    """Landmarks that the operators that are in do not hit; the bound counts them."""
    refined: bool = False
    """Whether the bound is as high as LM-cut makes it."""


class CheapestSet:
    """Branch and bound over sets of operators.

    Args:
        task: What is to be reached with what.
        start: The literals that hold.
        root: What is in and out from the beginning.
        allowance: How many nodes may be looked into.
    """

    splits: bool = True
    """Whether parts that share no literal can be decided apart."""

    def __init__(self, task: Task, start: int, root: Node, allowance: Allowance) -> None:
        self.best: int | None = None
        """The cheapest set known, as a mask."""
        self.best_weight: int = task.infinity
        """Its weight."""
        self.bound: int = 0
        """No set weighs less."""
        self.abandoned: bool = False
        """Whether the search gave up, because something could not be decided."""
        self._task = task
        self._relaxation = relaxation_of(task)
        self._weights = [*task.set_weights, 0]
        self._tie_bits = task.shift(repeats=1)
        self._start = start
        self._goal = task.goal
        self._root = root
        self._allowance = allowance

    @property
    def proven(self) -> bool:
        """Whether the best set is known to be the cheapest; or, if there is none, that there is none."""
        return self.bound >= self.best_weight

    def run(self) -> None:
        """Search until the best set is proven or the nodes are used up."""
        root = self._root
        self._allowance.spend()  # the first node is looked into whatever is left: without it nothing would be known
        self._refine(root, dives=True)
        if self.abandoned:
            return
        self.bound = min(root.bound, self.best_weight)
        if root.bound >= self.best_weight:
            return
        parts = self._components(root) if self.splits else []
        if len(parts) > 1:
            self._solve_apart(root, parts)
        else:
            self._branch_and_bound(root)

    def _branch_and_bound(self, root: Node) -> None:
        tickets = count()
        queue: list[tuple[int, int, Node]] = []
        node: Node | None = root
        while True:
            if node is None:
                if not queue:
                    break
                self.bound = max(self.bound, queue[0][0])
                if self.bound >= self.best_weight:
                    break
                node = heappop(queue)[2]
            children: list[Node] = []
            dives = self._allowance.nodes % _CYCLE < _DIVES
            if not node.refined:
                if not self._allowance.spend():
                    return
                self._refine(node, dives=dives)
            if self.abandoned:
                return
            if node.bound < self.best_weight:
                if queue and node.bound > queue[0][0] and not dives:
                    heappush(queue, (node.bound, next(tickets), node))
                else:
                    children = self._branches(node)
            node = children.pop(0) if children and dives else None
            for child in children:
                heappush(queue, (child.bound, next(tickets), child))
        self.bound = self.best_weight

    def _branches(self, node: Node) -> list[Node]:
        decided = node.included | node.excluded
        shift, left = self._tie_bits, self._left(node)
        choices: list[tuple[int, int, int, list[int]]] = []
        for weight, operators in node.landmarks:
            open_ones = [operator for operator in operators if not decided >> operator & 1]
            if not open_ones:
                return []  # what could hit it is out, so nothing here beats the best set
            free = sum([not left[operator] >> shift for operator in open_ones])
            choices.append((free, len(open_ones), weight, open_ones))
        operators = sorted(min(choices)[3], key=lambda operator: (left[operator], operator))
        children = []
        excluded = node.excluded
        for operator in operators:
            bound = node.bound + left[operator]
            if bound >= self.best_weight:
                break
            landmarks = [landmark for landmark in node.landmarks if operator not in landmark[1]]
            children.append(Node(node.included | 1 << operator, excluded, bound, landmarks))
            excluded |= 1 << operator
        return children

    def _refine(self, node: Node, *, dives: bool) -> None:
        """Raise the bound of a node, find a set on the way, and decide what follows from both."""
        node.refined = True
        relaxation = self._relaxation
        while self._propagate(node):
            included, excluded = bits_of(node.included), bits_of(node.excluded)
            reached = relaxation.closure(self._start, included)
            spent = self.weight_of(included)
            # What is in must be able to run, so its preconditions are goals as well.
            goal = self._goal
            for operator in included:
                goal |= relaxation.pre[operator]
            if not goal & ~reached:
                self._complete(node, included, spent)
                return
            inside = set(included)
            landmarks = [landmark for landmark in node.landmarks if inside.isdisjoint(landmark[1])]
            spent += sum([weight for weight, _ in landmarks])
            node.landmarks = landmarks
            left = self._left(node)
            for operators in self._implied(node):
                share = min([left[operator] for operator in operators])
                spent += share
                landmarks.append((share, operators))
                for operator in operators:
                    left[operator] -= share
            for landmark in cuts(relaxation.towards(goal & ~reached), reached, left, excluded):
                if landmark is None:
                    node.bound = relaxation.infinity
                    return
                landmarks.append(landmark)
                spent += landmark[0]
            node.bound = spent
            if node.bound >= self.best_weight:
                return
            if dives:
                self._offer(
                    small_set(relaxation, self._weights, self._start, paid=node.included, excluded=node.excluded)
                )
            if not self._decide(node, left):
                return
        node.bound = relaxation.infinity

    def _left(self, node: Node) -> list[int]:
        """Return what is left of the weights once the landmarks have their share; what is in is paid for."""
        left = self._weights.copy()
        for weight, operators in node.landmarks:
            for operator in operators:
                left[operator] -= weight
        for operator in bits_of(node.included):
            left[operator] = 0
        return left

    def _implied(self, node: Node) -> list[list[int]]:  # noqa: ARG002 - for those who know more
        """Return further sets of operators of which one must be added to those that are in."""
        return []

    def _complete(self, node: Node, included: list[int], spent: int) -> None:
        """Take a node whose operators reach the goal for what it is: a set."""
        self._offer(included)
        node.bound = spent

    def _decide(self, node: Node, left: list[int]) -> bool:
        """Rule out what would lift the bound to the best known set; say whether that puts something in."""
        slack = self.best_weight - node.bound
        for operator, weight in enumerate(left):
            if weight >= slack:
                node.excluded |= 1 << operator
        node.excluded &= ~node.included
        before = node.included
        for _, operators in node.landmarks:
            open_ones = [operator for operator in operators if not node.excluded >> operator & 1]
            if len(open_ones) == 1:
                node.included |= 1 << open_ones[0]
        return not self._propagate(node) or node.included != before

    def _propagate(self, node: Node) -> bool:
        """Include whatever alone can provide what is needed; false if nothing can."""
        relaxation = self._relaxation
        needed = self._goal
        provided = self._start
        for operator in bits_of(node.included):
            needed |= relaxation.pre[operator]
            provided |= relaxation.add[operator]
        pending = bits_of(needed & ~provided)
        while pending:
            literal = pending.pop()
            if provided >> literal & 1:
                continue
            givers = [giver for giver in relaxation.givers[literal] if not node.excluded >> giver & 1]
            if not givers:
                return False
            if len(givers) == 1:
                node.included |= 1 << givers[0]
                provided |= relaxation.add[givers[0]]
                pending.extend(bits_of(relaxation.pre[givers[0]] & ~provided))
        return True

    def weight_of(self, operators: Iterable[int]) -> int:
        """Return what operators weigh together."""
        return sum([self._weights[operator] for operator in operators])

    def _offer(self, operators: list[int]) -> None:
        weight = self.weight_of(operators)
        if weight < self.best_weight:
            self.best_weight = weight
            self.best = mask_of_operators(operators)

    def _components(self, node: Node) -> list[tuple[int, int]]:
        """Return the open operators and goal literals in groups that have nothing to do with each other, as masks."""
        relaxation = self._relaxation
        reached = relaxation.closure(self._start, bits_of(node.included))
        groups: list[tuple[int, int]] = []  # literals, operators
        goals = self._goal & ~reached
        groups += [(1 << literal, 0) for literal in bits_of(goals)]
        for operator in range(len(relaxation.pre) - 1):
            if node.excluded >> operator & 1:
                continue
            literals = (relaxation.pre[operator] | relaxation.add[operator]) & ~reached
            if not relaxation.add[operator] & ~reached:
                continue
            operators = 1 << operator
            apart = []
            for group in groups:
                if group[0] & literals:
                    literals |= group[0]
                    operators |= group[1]
                else:
                    apart.append(group)
            groups = [*apart, (literals, operators)]
        return [group for group in groups if group[0] & goals]

    def _solve_apart(self, root: Node, parts: list[tuple[int, int]]) -> None:
        relaxation = self._relaxation
        done = bits_of(root.included)
        reached = relaxation.closure(self._start, done)
        every = (1 << len(relaxation.pre) - 1) - 1
        total, chosen, bound = 0, 0, 0
        spread = [operator for operator in done if not relaxation.pre[operator] & ~reached]
        applied = mask_of_operators(spread)
        base = self.weight_of(spread)
        proven = True
        for literals, operators in parts:
            part = type(self)(
                self._task,
                reached | self._goal & ~literals,  # what the other parts see to is as good as there
                Node(root.included & operators & ~applied, every & ~operators),
                self._allowance,
            )
            part.run()
            bound += part.bound
            total += part.best_weight
            chosen |= part.best or 0
            proven = proven and part.proven
        self.bound = base + bound
        if base + total < self.best_weight:
            self.best_weight, self.best = base + total, applied | chosen
        if proven:
            self.bound = self.best_weight
