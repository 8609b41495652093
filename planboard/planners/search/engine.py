"""What a search engine is: a name, and a way to solve a task."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from time import monotonic
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

from planboard.errors import DefinitionError, UnknownNameError
from planboard.planners.search.task import Task

Status: TypeAlias = Literal["solved", "unsolvable", "limit"]

ALGORITHMS: Final[dict[str, bool]] = {
    "astar": True,
    "breadth_first": False,
    "depth_first": False,
    "greedy": False,
    "iterative_limited_depth_first": False,
    "limited_depth_first": False,
    "uniform_cost": True,
}
"""The algorithms of simpleai that follow a path to a goal, and whether that path is an optimal one."""

_SIMPLEAI = "simpleai:"


@dataclass(frozen=True, slots=True)
class Limit:
    """When to stop searching. A limit that is hit is reported as such, never as "no plan"."""

    nodes: int = 100_000
    """Search nodes expanded for one goal: the same on every machine."""
    seconds: float | None = None
    """An emergency stop by the clock. What it cuts off depends on the machine, so prefer `nodes`."""

    def __post_init__(self) -> None:
        if isinstance(self.nodes, bool) or not isinstance(self.nodes, int) or self.nodes < 0:
            raise DefinitionError(f"Limit: nodes must be a whole number of at least 0, not {self.nodes!r}.")
        if self.seconds is not None and not self.seconds > 0:
            raise DefinitionError(f"Limit: seconds must be above 0, or None for no limit, not {self.seconds!r}.")


class Allowance:
    """What is left of a limit while engines work, one after the other."""

    def __init__(self, limit: Limit) -> None:
        self._spent = [0]
        self._most = limit.nodes
        self._deadline = None if limit.seconds is None else monotonic() + limit.seconds

    @property
    def nodes(self) -> int:
        """Nodes spent."""
        return self._spent[0]

    def part(self, nodes: int) -> "Allowance":
        """Return an allowance of so many nodes at most, which are taken from this one."""
        part = copy(self)
        part._most = min(self._most, self.nodes + nodes)  # noqa: SLF001 - its own class
        return part

    def more(self, nodes: int) -> "Allowance":
        """Return an allowance of so many nodes on top of those spent, counted together with them."""
        more = copy(self)
        more._most = self.nodes + nodes  # noqa: SLF001 - its own class
        return more

    @property
    def used_up(self) -> bool:
        """Whether no node is left."""
        return self._spent[0] >= self._most

    def spend(self) -> bool:
        """Take one node; false, and nothing is taken, if the limit is reached."""
        if self._spent[0] >= self._most or (self._deadline is not None and monotonic() > self._deadline):
            return False
        self._spent[0] += 1
        return True


@dataclass(frozen=True, slots=True)
class Solution:
    """What an engine found."""

    status: Status
    """`"limit"` when it stopped before it knew; `steps` is then the best plan it met."""
    steps: tuple[int, ...] | None = None
    """Operators of the task in an executable order."""
    optimal: bool = False
    """Whether no plan weighs less."""
    bound: int = 0
    """No plan weighs less than this."""
    proof: str = ""
    """Why the steps are to be trusted, or what is not proven about them."""
    nodes: int = 0
    """Search nodes expanded."""
    ordered: bool = False
    """Whether the steps are in canonical order already."""
    engine: str = ""
    """Who answered, where an engine leaves the work to another; empty for the engine itself."""


@runtime_checkable
class Engine(Protocol):
    """Finds a plan for a task of integers. Engines keep no state between calls."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        ...

    def solve(self, task: Task, limit: Limit) -> Solution:
        """Return a plan, or that there is none, or that the limit came first."""
        ...


@runtime_checkable
class Heuristic(Protocol):
    """Estimates the weight from a state to the goal."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        ...

    @property
    def admissible(self) -> bool:
        """Whether it never overestimates; if it may, plans found with it are not proven optimal."""
        ...

    def bind(self, task: Task) -> "Estimate":
        """Prepare for one task."""
        ...


class Estimate(Protocol):
    """A heuristic bound to a task."""

    def __call__(self, state: int, /) -> int:
        """Return the estimate; `task.infinity` for a dead end."""
        ...


@runtime_checkable
class IncrementalEstimate(Protocol):
    """An estimate that learns from the state before; A* uses what more it can do."""

    def __call__(self, state: int, /) -> int:
        """Return the estimate; `task.infinity` for a dead end."""
        ...

    def inherited(self, parent: int, /) -> tuple[int, Mapping[int, int]]:
        """Return the estimate of a state that was asked for, and by how much each operator may lower it at most.

        Operators that are not listed do not lower it.
        """
        ...

    def after(self, state: int, parent: int, steps: tuple[int, ...], /) -> int:
        """Return the estimate of the state the steps lead to."""
        ...


def check_engine_name(name: str) -> None:
    """Refuse the name of an engine that does not exist; nothing heavy is imported to tell.

    Raises:
        UnknownNameError: With the closest name.
    """
    known = ["auto", "astar", "relaxed", *(_SIMPLEAI + algorithm for algorithm in ALGORITHMS)]
    if name not in known:
        raise UnknownNameError("engine", name, known)


def engine_named(name: str, heuristic: Heuristic | None) -> Engine:
    """Return a built-in engine. What needs simpleai is imported here, when a search is due, and not before."""
    check_engine_name(name)
    if name == "auto":
        from planboard.planners.search.auto import Auto

        return Auto(heuristic)
    if name == "astar":
        from planboard.planners.search.astar import AStar

        return AStar(heuristic)
    if name == "relaxed":
        from planboard.planners.search.relaxed import Relaxed

        return Relaxed()
    from planboard.planners.search.adapter import SimpleAI

    return SimpleAI(name.removeprefix(_SIMPLEAI), heuristic)
