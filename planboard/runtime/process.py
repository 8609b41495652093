"""One run of an agent, as users hold it."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar, cast

from planboard.actions.context import ChildOrder, Usage
from planboard.blackboard.board import Blackboard
from planboard.blackboard.changes import Change
from planboard.events import ActionSucceeded, BudgetReplaced, Event, Listener, ProcessStatus
from planboard.journal.port import Journal, Standing
from planboard.planners.ask import PlannerAnswer
from planboard.planners.base import Planner
from planboard.planners.operator import PlanGoal
from planboard.runtime.arrivals import Arrivals
from planboard.runtime.audience import Audience
from planboard.runtime.children import Children
from planboard.runtime.clock import Clock
from planboard.runtime.core import ProcessCore
from planboard.runtime.driver import Driving, drive
from planboard.runtime.endings import raise_unless_completed, result_of
from planboard.runtime.exclusive import Exclusively, at_hand
from planboard.runtime.executor import Executor
from planboard.runtime.foresight import foreseen
from planboard.runtime.keeping import Keeper
from planboard.runtime.kinship import goes_on_later
from planboard.runtime.ledger import Ledger
from planboard.runtime.listening import Ear
from planboard.runtime.log import EventLog
from planboard.runtime.options import Budget, ProcessOptions
from planboard.runtime.requests import Request
from planboard.runtime.running import cancel, cancellably, drive_heeding_cancellation, stream, tick
from planboard.runtime.state import ProcessState

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent

T = TypeVar("T")


class Process:
    """One run of an agent: a board, a planner, options, and the events so far.

    A process never raises for the way it ends; look at `status`, `reason` and `failure`, or let
    `raise_for_status` do it.
    """

    __slots__ = (
        "__weakref__", "_arrivals", "_audience", "_children", "_core", "_ear", "_executor", "_keeper", "_log", "_scope",
        "agent", "id", "options", "parent", "planner", "started_by",
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
        self.started_by = 0
        """The number of the call of `parent` that started it."""
        self._audience = Audience(process_id, options.listeners)
        self._executor: Executor | None = None
        self._scope: Any = None
        self._keeper: Keeper | None = None
        self._children = Children(self)
        started_with = state(greedy=not planner.plans_ahead, recorder=self._record_change)
        self._log = EventLog(process_id, started_with, self._publish)
        self._core: ProcessCore = ProcessCore(
            self._log,
            planner,
            goals,
            options,
            ledger=Ledger(options.budget, parent._core.ledger if parent is not None else None),  # noqa: SLF001
            run_child=self._run_child,
            clock=options.clock.time,
            parent=parent._core if parent is not None else None,  # noqa: SLF001
        )
        self._core.around.has_news = self._children.have_news
        self._core.around.let_go = self._children.let_go
        self._core.around.spent_below = self._children.spent_by
        self._core.around.begun = self._children.begun
        self._ear = Ear(self)
        self._core.around.may_expire = self._ear.may_expire
        self._arrivals = Arrivals(self)
        self._core.around.arrived = self._arrivals.of

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
    def events(self) -> list[Event]:
        """All events so far, in order."""
        return self._log.events

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
    def pending(self) -> tuple[Request, ...]:
        """What waits for an answer from outside, here and in children, in the order it was asked."""
        said = self._ear.said()
        mine = [request for request in self._core.people.pending() if request.id not in said]
        return (*mine, *self._children.pending())

    @property
    def wakes_at(self) -> float | None:
        """When the next timer is due here or in a child, in seconds since 1970; `None` when there is none."""
        own = [call.until for call in self._core.state.open.values() if call.until is not None]
        return min((*own, *self._children.wake_at()), default=None)

    def next_plan(self) -> PlannerAnswer:
        """Return what the planner would do now, without doing it.

        Raises:
            PlanningError: It depends on a condition that has to be waited for.
        """
        return foreseen(self, self.planner.plan)

    def next_plans(self) -> tuple[PlannerAnswer, ...]:
        """Return what the planner would do for each goal by itself, without doing it, in the order of the goals.

        Raises:
            PlanningError: It depends on a condition that has to be waited for.
        """
        return foreseen(self, self.planner.plans)

    def result(self, form: type[T]) -> T:
        """Return what the run was for: the newest entry of a type that met a goal, else the newest of the type.

        Raises:
            ProcessNotCompletedError: The run did not complete.
            EntryNotFoundError: It did, but there is nothing of that type.
        """
        return cast("T", result_of(self, form))

    def raise_for_status(self) -> None:
        """Raise the error that fits the status, unless the process is COMPLETED.

        Raises:
            ProcessNotCompletedError: Of the kind that fits; its cause is the root cause.
        """
        raise_unless_completed(self)

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
        await tick(self)
        return self.status

    def stream(self) -> AsyncIterator[Event]:
        """Run the process and yield each event; those of an action that runs come before it is waited for.

        Raises:
            ConcurrentRunError: It is already being run.
        """
        return stream(self)

    def cancel(self, reason: str = "cancelled") -> None:
        """Stop at the next safe point. What is running is cancelled, and no later action starts.

        It may be called from an action, a listener, or another thread. An ended process stays as it is. If another
        program goes on with the run just now, it is told through the journal.
        """
        cancel(self, reason)

    def respond(self, request_id: str, answer: object, *, by: str = "") -> None:
        """Answer a request in `pending`, of this process or of a child at any depth. Run the process to go on.

        A `human` step is answered by an object of its type, or by data that makes one. An approval is answered by
        `Approve()`, `Edit(argument=...)` or `Deny(reason)`, or in short by `True` or `False`. Every request takes one
        answer, from whatever program it comes; what is falsy is an answer like any other.

        Args:
            request_id: Which request.
            answer: The answer.
            by: Who answers, for the record.

        Raises:
            UnknownRequestError: No such request is pending.
            AlreadyAnsweredError: It was answered before.
            InvalidAnswerError: The answer does not fit; the message names the field. The request waits on.
        """
        asked = self._children.asking(request_id) or self
        asked._ear.respond(request_id, answer, by)  # noqa: SLF001 - its own class

    @classmethod
    def restore(  # noqa: PLR0913 - what a run may be given anew
        cls,
        agent: "Agent",
        journal: Journal,
        id: str,  # noqa: A002 - it becomes Process.id
        *,
        planner: Planner | str | None = None,
        options: ProcessOptions | None = None,
        listeners: Iterable[Listener] = (),
        clock: Clock | None = None,
        services: Iterable[object] = (),
        secrets: Mapping[str, object] | None = None,
        allow_changes: bool = False,
    ) -> "Process":
        """Return a run that is kept in a journal, as it stands; run it to go on. What is done is not done again.

        Args:
            agent: What it is a run of.
            journal: Where it is kept.
            id: Which run.
            planner: Goes on with it; by default the one it was begun with.
            options: Replace all those it was begun with.
            listeners: Called with every event from now on; those it was begun with are not kept.
            clock: Tells the time; the system's by default.
            services: Objects to inject, beside those of the agent.
            secrets: What was never written, such as `{"Login.password": "..."}`.
            allow_changes: Take it up although the agent has changed in a way that matters to it.

        Raises:
            UnknownRunError: There is no such run.
            AgentChangedError: The agent has changed since; the message says how.
            SecretNotKeptError: Secrets have to be given.
            CorruptJournalError: What is kept cannot be read.
            JournalError: The planner or a policy cannot be made from data, so it has to be given.
        """
        from planboard.runtime.restoring import restore

        return restore(
            agent, journal, id, planner=planner, options=options, listeners=tuple(listeners), clock=clock,
            services=tuple(services), secrets=secrets or {}, allow_changes=allow_changes,
        )  # fmt: skip

    def fork(self, at: int | None = None, *, id: str | None = None) -> "Process":  # noqa: A002
        """Return another process with the same past, which goes its own way from there; this one is left as it is.

        What was running at that moment is in doubt in the fork, as after a crash.

        Args:
            at: The number of the last event they share; the latest by default.
            id: The id of the fork; a random one by default.

        Raises:
            ValueError: There is no such event.
        """
        from planboard.runtime.restoring import fork

        return fork(self, at, id)

    def board_at(self, event: int) -> Blackboard:
        """Return the board as it was after an event, by the event's number.

        Raises:
            ValueError: There is no such event.
        """
        from planboard.runtime.restoring import state_at

        return state_at(self, event).board

    async def _run(self, executor: Executor, *, alone: bool, budget: Budget | None = None) -> ProcessStatus:
        with Exclusively(self, executor):
            if budget is not None and budget != self._core.ledger.budget and not self.status.is_final:
                self._log.record(BudgetReplaced, budget=asdict(budget))
                self._core.ledger.budget = budget
            self._begin()
            if alone:
                await drive(self._core, executor, self.options.clock, self._driving())
            else:
                await cancellably(self, drive_heeding_cancellation(self, executor))
        return self.status

    @property
    def _goes_on_later(self) -> bool:
        return goes_on_later(self)

    def _can_go_on(self) -> bool:
        """Tell whether something has come that lets a child which waits go on."""
        self._ear.catch_up()
        self._ear.listen()
        if self.status is not ProcessStatus.WAITING:
            return True
        due = self.wakes_at
        return self._core.held.has_come() or (due is not None and due <= self.options.clock.time())

    def _driving(self, before_each: Callable[[], None] | None = None) -> Driving:
        kept = self._keeper is not None
        if not kept:
            return Driving(self._sleeps_until, before_each=before_each)
        return Driving(self._sleeps_until, self._flush, self._ear.listen, self._arrivals.note, before_each)

    def _sleeps_until(self) -> float | None:
        """Return until when to wait if time is all that is waited for."""
        return self.wakes_at if self.status is ProcessStatus.WAITING and not self.pending else None

    def _begin(self) -> Executor:
        core = self._core
        core.ledger.open(self.options.clock.time())
        core.begin(self.agent.name, self.planner.name)
        core.abandon()  # what an earlier run had started when its driver went away
        core.held.take_up()
        self._ear.listen()
        core.resume()
        executor = self._executor
        assert executor is not None  # noqa: S101 - only called while it is run
        return executor

    # Keeping

    def _keep_in(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._log.keep = keeper.take
        self._core.around.keep = self._flush
        self._core.results.check_entry = keeper.codec.check

    def _standing(self) -> Standing:
        if self.status is ProcessStatus.RUNNING and not self._core.state.open:
            return Standing(ProcessStatus.RUNNING, seconds=self._core.ledger.ran)
        waits_for = tuple(request.id for request in self._core.people.pending())
        ledger = self._core.ledger
        running = self.status is ProcessStatus.RUNNING
        seconds = ledger.ran if running else ledger.seconds(self.options.clock.time())
        return Standing(self.status, self.reason.partition("\n")[0][:500], self.wakes_at, waits_for, seconds)

    def _flush(self) -> None:
        if self._keeper is not None:
            self._keeper.flush(self._standing)

    def _catch_up(self, news: Sequence[Event]) -> None:
        if news:
            self._log.replay(news)
            self._core.held.look_back()
            self._core.ledger.settle(self._core.held.spent() + self._children.reload())

    # What the core needs

    def _record_change(self, change: Change) -> None:
        with at_hand(self):
            self._log.record_change(change)

    def _publish(self, event: Event) -> None:
        process: Process | None = self
        while process is not None:
            process._audience.tell(event)  # noqa: SLF001
            process = process.parent

    async def _run_child(self, order: ChildOrder) -> Any:
        return await self._children.run(order, self._executor or Executor(threads=True))

    def __repr__(self) -> str:
        return f"<Process {self.id} of {self.agent.name!r}: {self.status}, {len(self._core.state.history)} actions run>"
