"""A* (Hart, Nilsson & Raphael 1968): simpleai's loop, our open list and node class.

simpleai's `_search` takes the open list and the node class as arguments. Its own open list is scanned for every
node it generates and never reopens a state; ours finds duplicates by hashing, reopens a state that is reached more
cheaply, computes an estimate only when a node comes up, and breaks every tie the same way on every machine.
`test_simpleai_calls_only_what_we_provide` is the contract with that private function.
"""

from dataclasses import dataclass, replace
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any, cast

from simpleai.search.models import SearchNode
from simpleai.search.traditional import _search

from planboard.planners.search.engine import Allowance, Heuristic, Limit, Solution
from planboard.planners.search.heuristics import HAdd
from planboard.planners.search.lmcut import LMCut
from planboard.planners.search.space import Move, PlanProblem, _LimitReached
from planboard.planners.search.task import Task


@dataclass(frozen=True, slots=True)
class AStar:
    """Best-first by weight so far plus estimate; the first plan that comes up is an optimal one."""

    heuristic: Heuristic | None = None
    """The estimate; `None` for LM-cut. One that is not admissible gives up the proof."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return "astar"

    def solve(self, task: Task, limit: Limit) -> Solution:
        """Return a plan of least weight, or that there is none, or that the limit came first."""
        allowance = Allowance(limit)
        found = self.begin(task).go_on(allowance)
        if found.steps or found.status != "limit":
            return found
        return replace(found, steps=any_plan(task, limit, allowance), nodes=allowance.nodes)

    def begin(self, task: Task, *, states: int | None = None) -> "Search":
        """Return a search that can be interrupted, for so many different states at most."""
        return Search(task, self.heuristic or LMCut(), states)


class Search:
    """One search for a task's cheapest plan, which goes on where it was interrupted."""

    def __init__(self, task: Task, heuristic: Heuristic, states: int | None) -> None:
        self._task = task
        self._heuristic = heuristic
        self._problem = PlanProblem(task, heuristic)
        self._fringe = OpenList(self._problem, states=states)

    def go_on(self, allowance: Allowance) -> Solution:
        """Return the plan of least weight, or that there is none, or that the allowance is used up."""
        heuristic, fringe = self._heuristic, self._fringe
        answered = partial(Solution, engine="astar")
        self._problem.allowance = allowance
        try:
            found = _search(self._problem, fringe, graph_search=False, node_factory=PlanNode)
        except _LimitReached:
            fringe.put_back()
            bound = fringe.bound if heuristic.admissible else 0
            return answered("limit", fringe.best and fringe.best.steps(), bound=bound, nodes=allowance.nodes)
        if found is None:
            return answered("unsolvable", nodes=allowance.nodes)
        return answered(
            "solved",
            found.steps(),
            optimal=heuristic.admissible,
            bound=found.cost if heuristic.admissible else 0,
            proof=f"{'optimal' if heuristic.admissible else 'not proven optimal'}: A* with {heuristic.name}",
            nodes=allowance.nodes,
        )


def any_plan(task: Task, limit: Limit, allowance: Allowance) -> tuple[int, ...] | None:
    """Look for some plan when there was no time for the best: nearest to the goal first, for as many nodes again.

    This is greedy best-first search with h-add, which finds plans soon and says nothing about their cost.
    """
    problem = PlanProblem(task, HAdd())
    problem.allowance = allowance.more(limit.nodes)
    try:
        found = _search(problem, OpenList(problem, greedy=True), node_factory=PlanNode)
    except _LimitReached:
        return None
    return None if found is None else cast("PlanNode", found).steps()


class PlanNode(SearchNode):  # type: ignore[misc]  # simpleai is untyped
    """A state, the cheapest known way to it, and what is known of the way on."""

    cost: int
    state: int
    estimate: int

    def __init__(
        self,
        state: int,
        parent: "PlanNode | None" = None,
        action: Move | None = None,
        cost: int = 0,
        problem: Any = None,
        depth: int = 0,
    ) -> None:
        # As in `SearchNode`, whose own constructor costs as much again.
        self.state = state
        self.parent = parent
        self.action = action
        self.cost = cost
        self.problem = problem
        self.depth = depth
        self.estimate = 0
        """A lower bound on the weight to the goal: what follows from the parent's, until it is settled."""
        self.settled = False
        """Whether the heuristic has been asked."""

    def expand(self, local_search: bool = False) -> list["PlanNode"]:  # noqa: ARG002, FBT001, FBT002 - simpleai's
        """Return the successors. Overridden to make each state once, and only if it is not known to be cheaper."""
        problem: PlanProblem = self.problem
        weights, cheapest, spent, following = problem.task.weights, problem.cheapest, self.cost, self.depth + 1
        known, lowered = self.estimate, None
        if problem.incremental is not None:
            known, lowered = problem.incremental.inherited(self.state)
        children = []
        for move, state in problem.successors(self.state):
            weight = weights[move[0]] if len(move) == 1 else problem.task.weight_of(move)
            earlier = cheapest.get(state)
            if earlier is not None and earlier <= spent + weight:
                continue
            child = PlanNode(state, self, move, spent + weight, problem, following)
            # Pathmax (Mérő 1984): a step of weight w brings the goal nearer by w at most, whatever is estimated later.
            child.estimate = max(0, self.estimate - weight)
            if lowered is not None:
                child.estimate = max(child.estimate, known - sum([lowered.get(step, 0) for step in move]))
            children.append(child)
        return children

    def settle(self) -> None:
        """Ask the heuristic."""
        problem: PlanProblem = self.problem
        if self.parent is not None and problem.incremental is not None:
            found = problem.incremental.after(self.state, self.parent.state, self.action or ())
        else:
            found = problem.estimate(self.state)
        self.estimate = max(self.estimate, found)
        self.settled = True

    def steps(self) -> tuple[int, ...]:
        """Return the operators that lead here."""
        moves: list[Move] = []
        node: PlanNode | None = self
        while node is not None and node.action is not None:
            moves.append(node.action)
            node = node.parent
        return tuple(index for move in reversed(moves) for index in move)

    def __lt__(self, other: "PlanNode") -> bool:
        return self.cost + self.estimate < other.cost + other.estimate


class OpenList:
    """The fringe that simpleai's loop appends to, tests for truth and pops from.

    Args:
        problem: What is searched.
        greedy: Go by the estimate alone. A plan is found sooner, and proves nothing.
        states: How many different states may be reached; more end the search as a limit does.
    """

    def __init__(self, problem: PlanProblem, *, greedy: bool = False, states: int | None = None) -> None:
        self.best: PlanNode | None = None
        """The cheapest node met in which the goal holds."""
        self.bound = 0
        """The least weight a plan can have, as far as is known."""
        self._problem = problem
        self._greedy = greedy
        self._most = states
        self._cheapest = problem.cheapest
        self._queue: list[tuple[int, int, int, PlanNode]] = []
        self._ticket = count(0, -1)
        self._latest: PlanNode | None = None

    def append(self, node: PlanNode) -> None:
        """Add a node, unless its state has been reached as cheaply; a cheaper way reopens the state."""
        known = self._cheapest.get(node.state)
        if known is not None and known <= node.cost:
            return
        if known is None and self._most is not None and len(self._cheapest) >= self._most:
            raise _LimitReached
        self._cheapest[node.state] = node.cost
        if self._problem.is_goal(node.state) and (self.best is None or node.cost < self.best.cost):
            self.best = node
        self._push(node)

    def pop(self) -> PlanNode:
        """Take the node with the least weight plus estimate; among equals the nearest to the goal, then the newest."""
        self._latest = node = heappop(self._queue)[3]
        self.bound = max(self.bound, node.cost + node.estimate)
        return node

    def put_back(self) -> None:
        """Take back the node that was handed out last, for it has not been expanded."""
        if self._latest is not None:
            self._push(self._latest)
            self._latest = None

    def __bool__(self) -> bool:
        """Whether a node is left that leads anywhere. Settles which is next: only that one needs its estimate."""
        queue = self._queue
        while queue:
            node = queue[0][3]
            if self._cheapest[node.state] < node.cost:
                heappop(queue)
            elif node.settled:
                return True
            else:
                heappop(queue)
                node.settle()
                if node.estimate < self._problem.task.infinity:
                    self._push(node)
        return False

    def sorted(self) -> list[PlanNode]:
        """Return the nodes in order, for simpleai's viewers."""
        return [entry[3] for entry in sorted(self._queue, key=lambda entry: entry[:3])]

    def _push(self, node: PlanNode) -> None:
        spent = 0 if self._greedy else node.cost
        heappush(self._queue, (spent + node.estimate, node.estimate, next(self._ticket), node))

    def __iter__(self) -> Any:
        raise TypeError("simpleai's scan for duplicates is not used: call _search with graph_search=False")
