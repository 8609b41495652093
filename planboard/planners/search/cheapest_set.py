"""The cheapest set of operators that reaches the goal if nothing is ever deleted (h+), by branch and bound.

Without deletes neither the order nor the repetition of operators matters, so what is searched are sets. Every plan
contains such a set, so none costs less; and if the set can be put into an order that works with deletes as well, that
order is an optimal plan, without any search through states.

Each node of the search has operators that are in and operators that are out. LM-cut bounds what is still to be paid
from below, a relaxed plan of the operators that the cuts have made free from above. An operator whose remaining
weight would lift the bound above the best known set is out: with bounds that are close, this leaves little to
decide. The search branches on the smallest landmark: its first operator is in; or that is out and its second is in;
and so on, so that no set is looked at twice. What is independent is decided separately.

h+ is due to Hoffmann & Nebel (2001); hitting all landmarks optimally to Haslum, Slaney & Thiébaux (2012).
`test_the_cheapest_set_is_found` guards it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from planboard.planners.domain import bits_of
from planboard.planners.search.lmcut import Landmark, Relaxation, cuts


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
    left: list[int] = field(default_factory=list)
    """What is left of the operators' weights once the landmarks have their share."""


class CheapestSet:
    """Branch and bound over sets of operators.

    Args:
        relaxation: What is to be reached with what.
        start: The literals that hold.
        root: What is in and out from the beginning.
        nodes: How many nodes may be looked into.
    """

    def __init__(self, relaxation: Relaxation, start: int, root: Node, nodes: int) -> None:
        self.best: int | None = None
        """The cheapest set known, as a mask."""
        self.best_weight: int = relaxation.infinity
        """Its weight."""
        self.bound: int = 0
        """No set weighs less."""
        self.nodes: int = 0
        """Nodes looked into."""
        self._relaxation = relaxation
        self._start = start
        self._goal = relaxation.pre[-1]
        self._root = root
        self._allowed = nodes

    @property
    def proven(self) -> bool:
        """Whether the best set is known to be the cheapest; or, if there is none, that there is none."""
        return self.bound >= self.best_weight

    def run(self) -> None:
        """Search until the best set is proven or the nodes are used up."""
        root = self._root
        self._refine(root)
        self.nodes += 1
        if root.bound >= self.best_weight:
            self.bound = self.best_weight
            return
        parts = self._components(root)
        if len(parts) > 1:
            self._solve_apart(root, parts)
        else:
            self._branch_and_bound(root)

    def _branch_and_bound(self, root: Node) -> None:
        tickets = count()
        queue = [(root.bound, next(tickets), root)]
        while queue:
            bound, _, node = queue[0]
            self.bound = max(self.bound, bound)
            if bound >= self.best_weight:
                break
            if self.nodes >= self._allowed:
                return
            heappop(queue)
            if not node.left:
                self.nodes += 1
                self._refine(node)
                if queue and bound < node.bound < self.best_weight and node.bound > queue[0][0]:
                    heappush(queue, (node.bound, next(tickets), node))
                    continue
            if node.bound < self.best_weight:
                for child in self._branches(node):
                    heappush(queue, (child.bound, next(tickets), child))
        self.bound = self.best_weight

    def _branches(self, node: Node) -> list[Node]:
        decided = node.included | node.excluded
        open_parts = [
            ([operator for operator in operators if not decided >> operator & 1], -weight)
            for weight, operators in node.landmarks
        ]
        operators, _ = min((part for part in open_parts if part[0]), key=lambda part: (len(part[0]), part[1]))
        operators.sort(key=lambda operator: (node.left[operator], operator))
        children = []
        excluded = node.excluded
        for operator in operators:
            landmarks = [landmark for landmark in node.landmarks if operator not in landmark[1]]
            bound = node.bound + node.left[operator]
            children.append(Node(node.included | 1 << operator, excluded, bound, landmarks))
            excluded |= 1 << operator
        return [child for child in children if child.bound < self.best_weight]

    def _refine(self, node: Node) -> None:
        """Raise the bound of a node, find a set on the way, and decide what follows from both."""
        relaxation = self._relaxation
        while True:
            if not self._propagate(node):
                node.bound = relaxation.infinity
                return
            included = bits_of(node.included)
            reached = closure(relaxation, self._start, included)
            spent = sum(relaxation.weights[operator] for operator in included)
            if not self._goal & ~reached:
                self._offer(included)
                node.bound = spent
                return
            left = relaxation.weights.copy()
            for operator in included:
                left[operator] = 0
            landmarks = [
                landmark
                for landmark in node.landmarks
                if not any(node.included >> operator & 1 for operator in landmark[1])
            ]
            for weight, operators in landmarks:
                for operator in operators:
                    left[operator] -= weight
            for landmark in cuts(relaxation, reached, left, bits_of(node.excluded)):
                if landmark is None:
                    node.bound = relaxation.infinity
                    return
                landmarks.append(landmark)
            node.bound = spent + sum(weight for weight, _ in landmarks)
            node.landmarks, node.left = landmarks, left
            if node.bound >= self.best_weight:
                return
            free = [operator for operator in range(len(left) - 1) if not left[operator]]
            self._offer(self._plan_among(free, node.excluded))
            if not self._decide(node):
                return

    def _decide(self, node: Node) -> bool:
        """Rule out what would lift the bound to the best known set; say whether that settles something else."""
        slack = self.best_weight - node.bound
        for operator, weight in enumerate(node.left):
            if weight >= slack:
                node.excluded |= 1 << operator
        node.excluded &= ~node.included
        before = node.included
        for _, operators in node.landmarks:
            open_ones = [operator for operator in operators if not node.excluded >> operator & 1]
            if len(open_ones) == 1:
                node.included |= 1 << open_ones[0]
        return self._propagate(node) and node.included != before

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

    def _plan_among(self, operators: list[int], excluded: int) -> list[int]:
        """Return operators out of those given that reach the goal, none of them superfluous."""
        relaxation = self._relaxation
        order: list[int] = []
        usable = [operator for operator in operators if not excluded >> operator & 1]
        closure(relaxation, self._start, usable, order)
        needed, chosen = self._goal, []
        for operator in reversed(order):
            if relaxation.add[operator] & needed:
                needed = needed & ~relaxation.add[operator] | relaxation.pre[operator]
                chosen.append(operator)
        for operator in sorted(chosen, key=lambda one: (-relaxation.weights[one], one)):
            fewer = [other for other in chosen if other != operator]
            if not self._goal & ~closure(relaxation, self._start, fewer):
                chosen = fewer
        return chosen

    def _offer(self, operators: list[int]) -> None:
        weight = sum(self._relaxation.weights[operator] for operator in operators)
        if weight < self.best_weight:
            self.best_weight = weight
            self.best = mask_of_operators(operators)

    def _components(self, node: Node) -> list[tuple[int, int]]:
        """Return the open operators and goal literals in groups that have nothing to do with each other, as masks."""
        relaxation = self._relaxation
        reached = closure(relaxation, self._start, bits_of(node.included))
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
        reached = closure(relaxation, self._start, done)
        every = (1 << len(relaxation.pre) - 1) - 1
        total, chosen, bound = 0, 0, 0
        spread = [operator for operator in done if not relaxation.pre[operator] & ~reached]
        applied = mask_of_operators(spread)
        base = sum(relaxation.weights[operator] for operator in spread)
        proven = True
        for literals, operators in parts:
            part = CheapestSet(
                relaxation,
                reached | self._goal & ~literals,  # what the other parts see to is as good as there
                Node(root.included & operators & ~applied, every & ~operators),
                max(0, self._allowed - self.nodes),
            )
            part.run()
            self.nodes += part.nodes
            bound += part.bound
            total += part.best_weight
            chosen |= part.best or 0
            proven = proven and part.proven
        self.bound = base + bound
        if base + total < self.best_weight:
            self.best_weight, self.best = base + total, applied | chosen
        if proven:
            self.bound = self.best_weight


def closure(
    relaxation: Relaxation, reached: int, operators: Iterable[int], order: list[int] | None = None
) -> int:
    """Return the literals that the operators reach from those given; `order` receives them as they come to run."""
    pre, add, needers = relaxation.pre, relaxation.add, relaxation.needers
    unmet = {operator: (pre[operator] & ~reached).bit_count() for operator in operators}
    ready = [operator for operator, missing in unmet.items() if not missing]
    while ready:
        operator = ready.pop()
        if order is not None:
            order.append(operator)
        fresh = add[operator] & ~reached
        reached |= fresh
        for literal in bits_of(fresh):
            for needer in needers[literal]:
                if needer in unmet:
                    unmet[needer] -= 1
                    if not unmet[needer]:
                        ready.append(needer)
    return reached


def mask_of_operators(operators: Iterable[int]) -> int:
    """Return operators as a mask."""
    mask = 0
    for operator in operators:
        mask |= 1 << operator
    return mask
