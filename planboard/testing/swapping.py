"""Can one planner stand in for another? An agent runs under each of them, alone and with all of them interleaved."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NoReturn

from planboard._text import listed
from planboard.actions.action import Action
from planboard.blackboard.board import Blackboard
from planboard.errors import DefinitionError
from planboard.events import ProcessStatus
from planboard.planners.base import Planner
from planboard.planners.operator import NIRVANA
from planboard.runtime.agent import Agent, as_planner
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.runtime.runner import run_process
from planboard.testing.asking import Start, found, process_on, start_of
from planboard.testing.written import written_board
from planboard.types import TypeForm, type_name

_UNENDED = (ProcessStatus.NOT_STARTED, ProcessStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How a run ended, in what is compared and shown."""

    planner: str
    status: ProcessStatus
    goal: str | None
    actions: tuple[str, ...]
    board: Blackboard

    def __str__(self) -> str:
        goal = f", goal {self.goal!r}" if self.goal else ""
        return f"{self.status}{goal}, ran {' → '.join(self.actions) or 'nothing'}; board: {written_board(self.board)}"

    def agrees_with(self, other: "_Outcome") -> bool:
        same = (self.status, self.goal, self.actions) == (other.status, other.goal, other.actions)
        return same and self.board == other.board


def check_swap(
    agent: Agent | str,
    planners: Iterable[Planner | str],
    *given: object,
    returning: TypeForm = None,
    run: bool = True,
    max_ticks: int = 1_000,
    **bindings: object,
) -> None:
    """Check that an agent can change its planner without anything else changing.

    Under every planner the actions and goals that are planned with are the same, and so are the agent's declarations
    afterwards. Each run ends with a status, not with an exception; a run that is COMPLETED with a goal has what the
    goal is about on its board. Then all of them run once more, one tick each in turn: every one must end as it did
    alone, with the same actions, goal and board.

    Which actions run, and which goal is met, is up to the planner. Actions that depend on the clock, on chance or on
    what other runs did end differently by themselves, and so fail here; for such agents pass `run=False`.

    Args:
        agent: The agent (also as "module:name" or "file.py:name").
        planners: Planners, or names of planners; at least one.
        given: A `Blackboard`, or inputs.
        returning: The type wanted; then every run that is COMPLETED must have it.
        run: Whether actions are run; if not, it is only planned.
        max_ticks: Where an endless run ends, TERMINATED.
        bindings: Named inputs.

    Raises:
        AssertionError: Something differs; the message says under which planner, and how.
        RunningLoopError: It was called where an event loop is running already.
    """
    subject = found(agent) if not isinstance(agent, Agent) else agent
    chosen = [as_planner(planner) for planner in planners]
    if not isinstance(subject, Agent) or not chosen:
        message = "check_swap takes an agent, then planners: check_swap(agent, [Goap(), Utility()], Topic(...))."
        raise DefinitionError(message)
    start = start_of(subject, given, bindings, None, returning)
    before = _declarations(subject)
    _check_same_question(start, chosen)
    if run:
        options = ProcessOptions(max_ticks=max_ticks)
        alone = [_alone(start, planner, options) for planner in chosen]
        for planner, outcome in zip(chosen, alone, strict=True):
            _check_untouched(start, before, planner)
            _check_ended(start, outcome)
        for one, other in zip(alone, _interleaved(start, chosen, options), strict=True):
            if not one.agrees_with(other):
                claim = f"Runs influence one another: under {one.planner} the run beside others ends differently"
                _fail(claim, start, f"alone:  {one}", f"beside: {other}")
    _check_untouched(start, before, chosen[-1])


def _check_same_question(start: Start, planners: Sequence[Planner]) -> None:
    """Check that every planner is told the same actions and goals."""
    first: tuple[object, ...] | None = None
    for planner in planners:
        problem = Start(start.agent, start.board, planner, start.returning).question().problem
        goals = tuple(goal for goal in problem.goals if goal is not NIRVANA)
        asked = (problem.operators, goals)
        if first is None:
            first = asked
        elif asked != first:
            what = "actions" if asked[0] != first[0] else "goals"
            _fail(f"Swapping planners changes the {what}: under {planner!r} they differ", start)


def _alone(start: Start, planner: Planner, options: ProcessOptions) -> _Outcome:
    process = process_on(start.agent, start.board, planner=planner, returning=start.returning, options=options)
    run_process(process)
    return _outcome(process)


def _interleaved(start: Start, planners: Sequence[Planner], options: ProcessOptions) -> list[_Outcome]:
    processes = [
        process_on(start.agent, start.board, planner=planner, returning=start.returning, options=options)
        for planner in planners
    ]

    async def take_turns() -> None:
        going = list(processes)
        while going:
            for process in going:
                await process.tick()
            going = [process for process in going if process.status in _UNENDED]

    asyncio.run(take_turns())
    return [_outcome(process) for process in processes]


def _outcome(process: Process) -> _Outcome:
    actions = tuple(str(event) for event in process.history)
    return _Outcome(repr(process.planner), process.status, process.goal, actions, process.board)


def _check_ended(start: Start, outcome: _Outcome) -> None:
    agent, board = start.agent, outcome.board
    if outcome.status in _UNENDED:
        _fail(f"A run under {outcome.planner} does not end: it is {outcome.status}", start, str(outcome))
    if outcome.status is not ProcessStatus.COMPLETED:
        return
    wanted = start.returning
    if wanted is not None and board.last(wanted) is None:
        claim = f"A run under {outcome.planner} is COMPLETED, but there is no {type_name(wanted)} on its board"
        _fail(claim, start, str(outcome))
    goal = next((goal for goal in agent.goals if goal.name == outcome.goal), None)
    if goal is not None and goal.form is not None:
        query = agent.matcher.query(goal.form, None, goal.producers)
        if board.newest(query) is None:
            claim = f"A run under {outcome.planner} is COMPLETED by {goal.name!r}, which its board does not meet"
            _fail(claim, start, str(outcome))


Declarations = Mapping[str, Mapping[str, object]]


def _declarations(agent: Agent) -> Declarations:
    """Return all that is declared of an agent's actions and goals."""
    names = [field.name for field in fields(Action)]
    actions = {name: {key: getattr(action, key) for key in names} for name, action in agent.actions.items()}
    goals = {f"goal {goal.name}": {"form": goal.form, "pre": goal.pre, "value": goal.value} for goal in agent.goals}
    return {**actions, **goals}


def _check_untouched(start: Start, before: Declarations, planner: Planner) -> None:
    now = _declarations(start.agent)
    changed: list[Any] = [
        f"{name} ({key}: {told.get(key)!r} became {now.get(name, {}).get(key)!r})"
        for name, told in before.items()
        for key in told
        if now.get(name, {}).get(key) != told[key]
    ]
    changed += sorted(now.keys() - before.keys())
    if changed:
        _fail(f"Swapping planners changes declarations: {planner!r} changed {listed(changed)}", start)


def _fail(claim: str, start: Start, *facts: str) -> NoReturn:
    raise AssertionError("\n".join([f"{claim}.", *(f"  {fact}" for fact in facts), start.shown]))
