"""What a check is about: a planner and problems, or an agent and what is on its board.

An agent's board becomes a problem only inside a process. `process_on` starts one on a board; the problem that its
planner is asked is the one that is checked.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TypeAlias

from planboard._text import brief, suggest
from planboard.blackboard.board import Blackboard
from planboard.errors import DefinitionError
from planboard.planners.base import Planner
from planboard.planners.named import planner_named
from planboard.planners.operator import NIRVANA, PlanGoal
from planboard.planners.plan import NoPlan, PlanResult
from planboard.planners.problem import Problem
from planboard.runtime.agent import Agent
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.testing.written import indented, written, written_board
from planboard.types import TypeForm

Target: TypeAlias = Planner | Agent | str
"""A planner, an agent, a planner's name, or where an agent is: "package.module:name", "path/file.py:name"."""


@dataclass(frozen=True, slots=True)
class Question:
    """A problem, and the planner that is asked."""

    planner: Planner
    problem: Problem
    shown: str
    """The problem, or the agent and its board, in words."""


@dataclass(frozen=True, slots=True)
class Start:
    """An agent, and what it starts from."""

    agent: Agent
    board: Blackboard
    planner: Planner | str | None = None
    returning: TypeForm = None

    def process(self) -> Process:
        """Return a new process."""
        return process_on(self.agent, self.board, planner=self.planner, returning=self.returning)

    def question(self) -> Question:
        """Return what the planner of a new process would be asked."""
        planner = self.process().planner
        return Question(planner, _problem(self, planner), self.shown)

    @property
    def shown(self) -> str:
        """The agent and its board in words."""
        return f"  agent: {self.agent.name!r}\n  board: {written_board(self.board)}"


def process_on(
    agent: Agent,
    board: Blackboard,
    *,
    planner: Planner | str | None = None,
    returning: TypeForm = None,
    options: ProcessOptions | None = None,
    services: Iterable[object] = (),
) -> Process:
    """Return a process that has not run yet, with what is visible on a board, and its conditions.

    The board is only read, so any number of processes can start from one.
    """
    process = agent.process(planner=planner, returning=returning, options=options, services=services)
    for entry in board.visible:
        if entry.name is None:
            process.board.add(entry.value, type=entry.type, protected=entry.protected)
        else:
            process.board.bind(entry.name, entry.value, type=entry.type, protected=entry.protected)
    for name, value in board.conditions.items():
        process.board.set_condition(name, value)
    return process


def found(target: Target) -> Planner | Agent:
    """Return the planner or agent that is meant.

    Raises:
        DefinitionError: It is neither, or nothing is there.
    """
    if isinstance(target, str):
        return agent_at(target) if ":" in target else planner_named(target)
    if not isinstance(target, Planner | Agent):
        hint = f" Write {target.__name__}(), with parentheses." if isinstance(target, type) else ""
        message = f"{brief(target)} is neither a planner nor an agent.{hint}"
        raise DefinitionError(message)
    return target


def start_of(
    agent: Agent,
    given: tuple[object, ...],
    bindings: Mapping[str, object],
    planner: Planner | str | None,
    returning: TypeForm,
) -> Start:
    """Return where an agent starts: on a board that is given, or on one with the inputs."""
    boards = [item for item in given if isinstance(item, Blackboard)]
    if boards:
        if len(given) > 1 or bindings:
            message = "Pass one Blackboard, or inputs; put the inputs on the board to have both."
            raise DefinitionError(message)
        return Start(agent, boards[0], planner, returning)
    board = Blackboard()
    for value in given:
        board.add(value)
    for name, value in bindings.items():
        board.bind(name, value)
    return Start(agent, board, planner, returning)


def questions(
    target: Target,
    given: tuple[object, ...],
    bindings: Mapping[str, object],
    planner: Planner | str | None = None,
    returning: TypeForm = None,
) -> list[Question]:
    """Return what a check asks: one question for each problem, or one for an agent.

    Raises:
        DefinitionError: What is given does not fit the target.
    """
    subject = found(target)
    if isinstance(subject, Agent):
        return [start_of(subject, given, bindings, planner, returning).question()]
    if planner is not None or returning is not None or bindings:
        message = "`planner`, `returning` and named inputs are for agents; a planner is given problems only."
        raise DefinitionError(message)
    problems = [item for item in given if isinstance(item, Problem)]
    if not problems or len(problems) < len(given):
        message = f"A planner is asked problems, one or several; not {brief(given)}."
        raise DefinitionError(message)
    return [Question(subject, problem, indented(written(problem))) for problem in problems]


def agent_at(address: str) -> Agent:
    """Return the agent, or what a function without arguments returns, at "module:name" or "path/file.py:name".

    Raises:
        DefinitionError: There is none.
    """
    where, _, name = address.rpartition(":")
    with _importable(Path(where).resolve().parent) if where.endswith(".py") else _importable(Path.cwd()):
        module = _module_of_file(Path(where)) if where.endswith(".py") else import_module(where)
        value = getattr(module, name, None)
        if value is None:
            message = f"There is no {name!r} in {where!r}. {suggest(name, vars(module))}"
            raise DefinitionError(message)
        made = value() if callable(value) and not isinstance(value, Agent) else value
    if not isinstance(made, Agent):
        message = f"{address!r} is {brief(made)}, not an agent."
        raise DefinitionError(message)
    return made


def _module_of_file(path: Path) -> object:
    name = f"_planboard_testing_{path.stem}"
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path.resolve()):
        return known
    spec = spec_from_file_location(name, path.resolve()) if path.is_file() else None
    if spec is None or spec.loader is None:
        message = f"There is no Python file {str(path)!r}."
        raise DefinitionError(message)
    module = module_from_spec(spec)
    sys.modules[name] = module  # postponed annotations are looked up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))


def _problem(start: Start, planner: Planner) -> Problem:
    """Return the problem that a process asks its planner, by standing in for the planner."""
    seen: list[Problem] = []
    process = process_on(start.agent, start.board, planner=_witness(planner, seen.append), returning=start.returning)
    process.next_plan()
    return seen[0]


def _witness(planner: Planner, see: Callable[[Problem], None]) -> Planner:
    class Witness(Planner):
        plans_ahead = planner.plans_ahead
        nirvana = planner.nirvana

        @property
        def name(self) -> str:
            return planner.name

        def plan(self, problem: Problem) -> PlanResult:
            see(problem)
            return NoPlan(NIRVANA, "unreachable")

        def plan_to(self, problem: Problem, goal: PlanGoal) -> PlanResult:
            see(problem)
            return NoPlan(goal, "unreachable")

    return Witness()
