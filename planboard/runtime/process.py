"""One run of an agent, as users hold it."""

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from planboard._text import suggest
from planboard.actions.catalogue import Catalogue
from planboard.actions.context import Effects, Usage
from planboard.blackboard.board import Blackboard
from planboard.blackboard.changes import Change
from planboard.errors import (
    ConcurrentRunError,
    DefinitionError,
    EntryNotFoundError,
    PlanningError,
    ProcessCancelledError,
    ProcessFailedError,
    ProcessNotCompletedError,
    ProcessStuckError,
    ProcessTerminatedError,
    ProcessWaitingError,
)
from planboard.events import ActionSucceeded, Event, ProcessStatus
from planboard.planners.ask import PlannerAnswer
from planboard.planners.base import Planner
from planboard.planners.operator import PlanGoal
from planboard.planners.problem import Problem
from planboard.planners.world import _Unsettled
from planboard.runtime.core import ProcessCore
from planboard.runtime.driver import carry_out, drive
from planboard.runtime.executor import Executor
from planboard.runtime.ledger import Ledger
from planboard.runtime.log import EventLog
from planboard.runtime.options import Budget, ProcessOptions
from planboard.runtime.outcome import Command
from planboard.runtime.state import ProcessState
from planboard.types import TypeForm, type_name

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent

T = TypeVar("T")
_log = logging.getLogger("planboard")

_ERRORS: Mapping[ProcessStatus, type[ProcessNotCompletedError]] = {
    ProcessStatus.STUCK: ProcessStuckError,
    ProcessStatus.FAILED: ProcessFailedError,
    ProcessStatus.TERMINATED: ProcessTerminatedError,
    ProcessStatus.CANCELLED: ProcessCancelledError,
    ProcessStatus.WAITING: ProcessWaitingError,
}


class Process:
    """One run of an agent: a board, a planner, options, and the events so far.

    A process never raises for the way it ends; look at `status`, `reason` and `failure`, or let
    `raise_for_status` do it.
    """

    __slots__ = (
        "__weakref__", "_core", "_executor", "_listeners", "_log", "_muted", "_scope", "_started_children",
        "agent", "events", "id", "options", "parent", "planner",
    )  # fmt: skip

    def __init__(
        self,
        agent: "Agent",
        process_id: str,
        state: Callable[..., ProcessState],
        goals: tuple[PlanGoal, ...],
        planner: Planner,
        options: ProcessOptions,
        parent: "Process | None" = None,
    ) -> None:
        self.agent = agent
        """What is run."""
        self.id = process_id
        self.planner = planner
        """What chooses the actions."""
        self.options = options
        self.parent = parent
        """The process that started this one."""
        self.events: list[Event] = []
        """All events so far, in order."""
        self._listeners = options.listeners
        self._muted: set[int] = set()
        self._executor: Executor | None = None
        self._scope: Any = None
        self._started_children = 0
        started_with = state(greedy=not planner.plans_ahead, recorder=self._record_change)
        self._log: EventLog = EventLog(process_id, started_with, options.journal, self._publish)
        self._core: ProcessCore = ProcessCore(
            self._log,
            planner,
            goals,
            options,
            ledger=Ledger(options.budget, parent._core.ledger if parent is not None else None),  # noqa: SLF001
            run_child=self._run_child,
            clock=time.monotonic,
            parent=parent._core if parent is not None else None,  # noqa: SLF001
        )

    # Looking

    @property
    def status(self) -> ProcessStatus:
        """Where the process stands."""
        return self._core.state.status

    @property
    def reason(self) -> str:
        """Why it ended, in words; empty while it runs."""
        return self._core.state.reason

    @property
    def board(self) -> Blackboard:
        """The blackboard. What is put on it from outside becomes an event like all others."""
        return self._core.state.board

    @property
    def history(self) -> tuple[ActionSucceeded, ...]:
        """The actions that ran and succeeded, in order, as the events that say so."""
        return tuple(self._core.state.history)

    @property
    def plan(self) -> PlannerAnswer | None:
        """What the planner answered last, or what is left of it; `None` before the first decision."""
        return self._core.plan

    @property
    def usage(self) -> Usage:
        """What this process and its children have spent."""
        return self._core.ledger.spent

    @property
    def goal(self) -> str | None:
        """The name of the goal that is met, once it is."""
        return self._core.state.goal

    @property
    def failure(self) -> Exception | None:
        """The root cause, once the process has failed."""
        return self._core.failure

    @property
    def pending(self) -> tuple[()]:
        """The requests that wait for an answer from outside. Actions cannot ask yet, so there are none."""
        return ()

    def next_plan(self) -> PlannerAnswer:
        """Return what the planner would do now, without doing it.

        Raises:
            PlanningError: It depends on a condition that has to be waited for.
        """
        return self._foreseen(self.planner.plan)

    def next_plans(self) -> tuple[PlannerAnswer, ...]:
        """Return what the planner would do for each goal by itself, without doing it, in the order of the goals.

        Raises:
            PlanningError: It depends on a condition that has to be waited for.
        """
        return self._foreseen(self.planner.plans)

    def _foreseen(self, plan: Callable[[Problem], T]) -> T:
        try:
            return plan(self._core.state.world.problem(self._core.goals))
        except _Unsettled as question:
            message = (
                f"The plan depends on the condition {question.condition!r}, whose answer has to be waited for. "
                "Run the process instead of looking ahead."
            )
            raise PlanningError(message) from None

    def result(self, form: type[T]) -> T:
        """Return what the run was for: the newest entry of a type that met a goal, else the newest of the type.

        Raises:
            ProcessNotCompletedError: The run did not complete.
            EntryNotFoundError: It did, but there is nothing of that type.
        """
        self.raise_for_status()
        board = self.board
        wanted = board.matcher.query(form)
        met = self._core.state.world.compilation.goal_queries.get(self.goal or "")
        meeting = () if met is None else reversed(board.matches(met))
        found = next((entry for entry in meeting if wanted.admits(entry)), None) or board.newest(wanted)
        if found is None:
            known = {entry.type_name for entry in board.visible}
            message = f"The run left no {type_name(form)}. {suggest(type_name(form), known)}"
            raise EntryNotFoundError(message)
        return cast("T", found.value)

    def raise_for_status(self) -> None:
        """Raise the error that fits the status, unless the process is COMPLETED.

        Raises:
            ProcessNotCompletedError: Of the kind that fits; its cause is the root cause.
        """
        status = self.status
        if status is ProcessStatus.COMPLETED:
            return
        reason = self.reason or "it has not run to its end"
        kind = _ERRORS.get(status, ProcessNotCompletedError)
        raise kind(self, f"Process {self.agent.name!r} is {status}: {reason}") from self.failure

    # Running

    async def run(self, *, budget: Budget | None = None) -> ProcessStatus:
        """Run until the process has come to an end, and return its status.

        A process that is STUCK goes on if what was missing is on the board by now; one that is TERMINATED goes on
        with a larger budget; one that is COMPLETED goes on if something new came from outside since. One that is
        FAILED or CANCELLED stays as it is.

        Args:
            budget: Replaces the budget. What was spent before counts.

        Raises:
            ConcurrentRunError: It is already being run.
        """
        return await self._run(Executor(threads=True), alone=False, budget=budget)

    async def tick(self) -> ProcessStatus:
        """Make one decision and carry it out: one action, or several that are independent.

        Raises:
            ConcurrentRunError: It is already being run.
        """
        with self._exclusively(Executor(threads=True)):
            executor = self._begin()
            calls = self._core.decide(time.monotonic())
            if calls:
                await self._cancellably(self._carry_out(executor, calls))
        return self.status

    async def stream(self) -> AsyncIterator[Event]:
        """Run the process and yield each event; those of an action that runs come before it is waited for.

        Raises:
            ConcurrentRunError: It is already being run.
        """
        seen = 0
        executor = Executor(threads=True)
        while True:
            with self._exclusively(executor):  # not while an event is looked at, for the caller may leave there
                self._begin()
                calls = self._core.decide(time.monotonic())
            while seen < len(self.events):
                yield self.events[seen]
                seen += 1
            if not calls:
                return
            with self._exclusively(executor):
                if all(self._core.awaits(call) for call in calls):
                    await self._cancellably(self._carry_out(executor, calls))

    def cancel(self, reason: str = "cancelled") -> None:
        """Stop at the next safe point. What is running is cancelled, and no later action starts.

        It may be called from an action, a listener, or another thread. An ended process stays as it is.
        """
        self._core.cancel(reason)
        scope = self._scope
        if self._executor is None:
            self._core.end_cancelled()
        elif scope is not None:
            loop, cancel_scope = scope
            loop.call_soon_threadsafe(cancel_scope.cancel)

    def respond(self, request_id: str, answer: object) -> None:
        """Answer a request in `pending`.

        Raises:
            DefinitionError: There is no such request.
        """
        message = f"No request {request_id!r} is pending, so there is nothing that {answer!r} could answer."
        raise DefinitionError(message)

    async def _run(self, executor: Executor, *, alone: bool, budget: Budget | None = None) -> ProcessStatus:
        with self._exclusively(executor):
            if budget is not None:
                self._core.ledger.budget = budget
            self._begin()
            if alone:
                await drive(self._core, executor, time.monotonic)
            else:
                await self._cancellably(self._drive(executor))
        return self.status

    async def _drive(self, executor: Executor) -> None:
        import asyncio

        task = asyncio.current_task()
        asked_before = task.cancelling() if task is not None else 0

        def heed_cancellation() -> None:
            if task is not None and task.cancelling() > asked_before:  # an action may have swallowed the error
                self._core.cancel("the task that ran it was cancelled")

        await drive(self._core, executor, time.monotonic, before_each=heed_cancellation)

    async def _carry_out(self, executor: Executor, calls: Sequence[Command]) -> None:
        self._core.deliver(calls, await carry_out(self._core, executor, calls))

    async def _cancellably(self, work: Awaitable[None]) -> None:
        import asyncio

        import anyio

        try:
            with anyio.CancelScope() as scope:
                self._scope = (asyncio.get_running_loop(), scope)
                await work
            if scope.cancelled_caught:
                self._core.end_cancelled()
        except asyncio.CancelledError:
            self._core.end_cancelled()
            raise
        finally:
            self._scope = None

    def _begin(self) -> Executor:
        self._core.ledger.open(time.monotonic())
        self._core.start(self.agent.name, self.planner.name)
        self._core.abandon()  # what an earlier run had started when its driver went away
        self._core.resume()
        executor = self._executor
        assert executor is not None  # noqa: S101 - only called while it is run
        return executor

    def _exclusively(self, executor: Executor) -> "_Exclusively":
        return _Exclusively(self, executor)

    # What the core needs

    def _record_change(self, change: Change) -> None:
        self._log.record_change(change)

    def _publish(self, event: Event) -> None:
        self.events.append(event)
        if not self._listeners and self.parent is None:
            return
        process: Process | None = self
        while process is not None:
            process._tell(event)  # noqa: SLF001
            process = process.parent

    def _tell(self, event: Event) -> None:
        for position, listener in enumerate(self._listeners):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - one failing listener harms nobody; it is logged
                self._log_once(position, listener)

    def _log_once(self, position: int, listener: object) -> None:
        if position in self._muted:
            return
        self._muted.add(position)
        name = getattr(listener, "__qualname__", None) or type(listener).__qualname__
        _log.exception("Listener %s of process %s raised; the run goes on", name, self.id)

    async def _run_child(
        self,
        agent: Catalogue,
        inputs: tuple[object, ...],
        returning: TypeForm,
        bindings: dict[str, Any],
        effects: Effects,
        given: "ProcessOptions | None",
    ) -> Any:
        from planboard.runtime.children import run_child

        self._started_children += 1
        number = self._started_children
        executor = self._executor or Executor(threads=True)
        return await run_child(self, number, executor, agent, inputs, returning, bindings, effects, given)

    def __repr__(self) -> str:
        return f"<Process {self.id} of {self.agent.name!r}: {self.status}, {len(self._core.state.history)} actions run>"


class _Exclusively:
    """Lets one caller at a time run a process."""

    __slots__ = ("_executor", "_process")

    def __init__(self, process: Process, executor: Executor) -> None:
        self._process = process
        self._executor = executor

    def __enter__(self) -> None:
        if self._process._executor is not None:  # noqa: SLF001
            message = f"Process {self._process.id} is already being run. Wait for that run, or start another process."
            raise ConcurrentRunError(message)
        self._process._executor = self._executor  # noqa: SLF001

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._process._executor = None  # noqa: SLF001
        core = self._process._core  # noqa: SLF001
        core.ledger.close(time.monotonic())
        if kind is not None and not issubclass(kind, Exception):  # an exit, or something meant to stop everything
            core.cancel(kind.__name__)
            core.end_cancelled()
