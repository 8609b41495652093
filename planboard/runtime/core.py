"""The process as a pure state machine: it decides what to run, and takes what came of it.

There is no I/O here, no clock and no waiting. A driver asks `decide` for the next calls, carries them out, and hands
the outcomes to `deliver`. All state is in `ProcessState` and changes only by recorded events.
"""

from collections.abc import Callable, Sequence
from typing import cast

from planboard.actions.context import ChildRunner
from planboard.blackboard.schema import describe_error
from planboard.errors import BlackboardError, PlanningError
from planboard.events import (
    ActionReadmitted,
    ActionRetried,
    PlanMade,
    ProcessEnded,
    ProcessResumed,
    ProcessStarted,
    ProcessStatus,
)
from planboard.planners.ask import Ask, AskingPlanner, PlannerAnswer
from planboard.planners.base import Planner
from planboard.planners.operator import NIRVANA, Operator, PlanGoal
from planboard.planners.plan import NoPlan, Plan
from planboard.planners.world import _Unsettled
from planboard.runtime.batch import independent_steps
from planboard.runtime.expectations import compare
from planboard.runtime.held import Held
from planboard.runtime.hushing import hushed
from planboard.runtime.judging import question_of, take_answer
from planboard.runtime.ledger import Ledger
from planboard.runtime.log import EventLog
from planboard.runtime.models import Models
from planboard.runtime.options import ProcessOptions
from planboard.runtime.outcome import (
    ActionCall,
    AskedReplan,
    Command,
    ConditionCall,
    Failed,
    ModelCall,
    Outcome,
    Succeeded,
)
from planboard.runtime.people import People
from planboard.runtime.policies import as_policies
from planboard.runtime.results import Results
from planboard.runtime.starting import Starter
from planboard.runtime.stuck import action_in_the_way, why_stuck
from planboard.runtime.surroundings import Surroundings
from planboard.runtime.turns import Turns


class ProcessCore:
    """Decides and records; see the module."""

    __slots__ = (
        "around",
        "cancelled",
        "charged",
        "clock",
        "errors",
        "failure",
        "goals",
        "held",
        "ledger",
        "models",
        "now",
        "options",
        "parent",
        "people",
        "plan",
        "planner",
        "process_id",
        "record",
        "results",
        "run_child",
        "running",
        "start",
        "state",
        "ticks",
        "turns",
    )  # fmt: skip

    def __init__(
        self,
        log: EventLog,
        planner: Planner,
        goals: tuple[PlanGoal, ...],
        options: ProcessOptions,
        *,
        ledger: Ledger,
        run_child: ChildRunner,
        clock: Callable[[], float],
        parent: "ProcessCore | None" = None,
    ) -> None:
        self.process_id = log.process_id
        self.state = log.state
        self.record = log.record
        self.options = options
        self.goals = (*goals, NIRVANA) if planner.nirvana else goals
        self.ledger = ledger
        self.run_child = run_child
        self.parent = parent
        """The process that started this one, and whose cancellation it shares."""
        self.plan: PlannerAnswer | None = None
        """What the planner answered last; while a plan goes as predicted, what is left of it."""
        self.errors: dict[str, Exception] = {}
        """What actions failed with, by name; the last one of each."""
        self.failure: Exception | None = None
        """The root cause, once the process has failed."""
        self.cancelled: str | None = None
        """Why the process shall stop at the next safe point."""
        self.ticks = 0
        self.planner = planner
        self.clock = clock
        self.now = 0.0
        """The time of the current decision, in seconds since 1970."""
        self.around = Surroundings()
        """What it is told by whoever holds it."""
        self.running: dict[int, Command] = {}
        self.charged: set[int] = set()
        self.held = Held(self)
        self.people = People(self, as_policies(options.approvals))
        self.start = Starter(self)
        self.results = Results(self)
        self.models = Models(self, clock)
        self.turns = Turns(self, cast("AskingPlanner", planner)) if planner.asks else None

    # Beginning

    def begin(self, agent: str, planner: str) -> None:
        """Record the beginning of the run, unless it has ended already."""
        if self.state.status is not ProcessStatus.NOT_STARTED:
            return
        self.record(
            ProcessStarted,
            agent=agent,
            planner=planner,
            goals=tuple(goal.name for goal in self.goals if goal is not NIRVANA),
            parent_id=self.parent.process_id if self.parent is not None else None,
            label=self.around.label,
        )

    def resume(self) -> None:
        """Go on with a process that is stuck or was terminated, or completed before something came from outside."""
        state = self.state
        goes_on = state.status is ProcessStatus.COMPLETED and state.touched
        waits_no_more = state.status is ProcessStatus.WAITING and self.held.has_come()
        if goes_on or waits_no_more or state.status in (ProcessStatus.STUCK, ProcessStatus.TERMINATED):
            self.plan = None
            self.failure = None
            self.record(ProcessResumed)

    # Deciding

    def decide(self, now: float) -> Sequence[Command]:
        """Return the calls to carry out now; none when the process has come to an end.

        Args:
            now: What the clock of the driver says, in seconds since 1970.
        """
        self.now = now
        if self.state.open:
            self.people.look_at_the_clock()
        try:
            return self._choose(now)
        except _Unsettled as question:
            return self._started(question_of(self, question.condition))
        except (PlanningError, BlackboardError) as error:
            return self.fail(error)

    def _choose(self, now: float) -> Sequence[Command]:
        while self.state.status is ProcessStatus.RUNNING:
            cancelled = self._why_cancelled()
            if cancelled is not None:
                return self.end(ProcessStatus.CANCELLED, cancelled)
            limit = self.people.why_hopeless()
            if self.ticks >= self.options.max_ticks:
                limit = f"max_ticks: {self.ticks} decisions were made without an end"
            if limit is not None:
                return self.end(ProcessStatus.TERMINATED, limit)
            self.ticks += 1
            settled = self.people.settled
            calls = self._look_for_calls(now)
            if calls or self.state.status is not ProcessStatus.RUNNING:
                return calls
            if self.people.settled == settled:
                return self.held.wait()
            self.plan = None  # what was chosen came to nothing at once, or somebody who listens has decided about it
        return ()

    def _look_for_calls(self, now: float) -> Sequence[Command]:
        if self.state.open:
            self.plan = None  # it says nothing of what is done while something waits
            released = self.held.released(now)
            if released or self.state.status is not ProcessStatus.RUNNING:
                return released
        if self.turns is not None:
            calls = self.turns.next_calls(now)
            if calls or self.state.status is not ProcessStatus.RUNNING or self.state.open:
                return calls
        answer = self._next_plan()
        if isinstance(answer, Ask):
            if self.turns is None:
                message = f"Planner {self.planner.name!r} asks a model, but does not say so with `asks = True`."
                raise PlanningError(message)
            return self._started(self.turns.ask(answer, now))
        if isinstance(answer, NoPlan):
            return () if self.state.open else self._without_plan(answer)
        if answer.complete:
            return self.end(ProcessStatus.COMPLETED, f"goal {answer.goal.name!r} is met", goal=answer.goal.name)
        return self._start_calls(answer, now)

    def _started(self, call: Command | None) -> Sequence[Command]:
        """Take note that something other than an action was started, if it was."""
        if call is None:
            return ()
        self.running[call.number] = call
        return (call,)

    def _next_plan(self) -> PlannerAnswer:
        if isinstance(self.plan, Plan):
            return self.plan  # `deliver` has found that it goes as predicted
        world = self.state.world
        found = self.planner.plan(world.problem(self.goals))
        if isinstance(found, NoPlan) and self.state.asked_replan:
            self.readmit()
            found = self.planner.plan(world.problem(self.goals))
        if isinstance(found, NoPlan) and found.best is not None:
            found = found.best
        self.plan = found
        if isinstance(found, Plan):
            self.record(
                PlanMade,
                goal=found.goal.name,
                steps=found.steps,
                cost=found.cost,
                net_value=found.net_value,
                assumptions=found.assumptions,
            )
        return found

    def readmit(self) -> None:
        """Record that actions which asked for another plan may be planned again."""
        for name in tuple(self.state.asked_replan):
            self.record(ActionReadmitted, action=name)

    def _start_calls(self, plan: Plan, now: float) -> Sequence[Command]:
        concurrency, waiting = max(self.options.concurrency, self.planner.at_once), self.state.open
        if len(waiting) >= concurrency:
            return ()
        if concurrency == 1:
            operators: Sequence[Operator] = (plan.first,) if plan.first is not None else ()
        else:
            busy = tuple(self.start.operator_of(call.action) for call in waiting.values())
            operators = independent_steps(plan, self.state.world, self.planner, self.goals, concurrency, busy)
        calls: list[ActionCall] = []
        for operator in operators:
            action = self.state.world.compilation.catalogue.actions[operator.name]
            cost, value = self.start.price(operator)
            may_ask = action.body.may_ask or self.turns is None  # a decision that is paid for is carried out
            objection = self.ledger.objection(cost, now, may_ask=may_ask)
            if objection is not None:
                if calls:
                    break
                return self.end(ProcessStatus.TERMINATED, f"budget: {objection}")
            call = self.start.action(action, cost, value)
            if call is not None:
                calls.append(call)
        return calls

    @property
    def goes_as_planned(self) -> bool:
        """Whether the next decision needs no thought: a plan is remembered."""
        return isinstance(self.plan, Plan) and not self.state.open

    # Taking outcomes

    def deliver(self, calls: Sequence[Command], outcomes: Sequence[Outcome]) -> None:
        """Take what came of the calls, in the order of the plan, whatever order they finished in."""
        plan = self.plan if isinstance(self.plan, Plan) else None
        followed: Plan | None = None
        broken: Exception | None = None
        for call, outcome in zip(calls, outcomes, strict=True):
            self.running.pop(call.number, None)
            if isinstance(call, ModelCall):
                assert self.turns is not None  # noqa: S101 - nobody else asks a model
                self.turns.take(call, outcome)
                return
            if isinstance(call, ConditionCall):
                take_answer(self, call, outcome)
                return
            match outcome:
                case Succeeded(value):
                    if self.results.succeeded(call, value):
                        try:
                            followed = compare(call, plan, self.state.world, self.record)
                        except (PlanningError, BlackboardError) as error:
                            broken = broken or error  # the others of the batch have finished too
                case Failed(error) if self.results.goes_on_with_a_child(error):
                    self.charged.add(call.number)
                    self.results.suspended(call)
                    continue
                case Failed(error):
                    self.results.raised(call, error)
                case AskedReplan():
                    self.results.asked_replan(call, outcome)
            self.around.let_go(call.number)
        self.plan = followed if len(calls) == 1 else None
        if broken is not None:
            self.fail(broken)
        elif any(self.results.stopped_below(outcome.error) for outcome in outcomes if isinstance(outcome, Failed)):
            self.end(ProcessStatus.TERMINATED, f"budget: {self.ledger.exhaustion()}")

    def note_retry(self, call: ActionCall, attempt: int, error: Exception, wait: float) -> None:
        """Record that a call is tried again."""
        self.record(
            ActionRetried,
            call=call.number,
            action=call.action.name,
            attempt=attempt,
            error=hushed(describe_error(error), call.bound.entries),
            wait=wait,
        )
        self.around.keep()

    # Ending

    def cancel(self, reason: str) -> None:
        """Stop at the next safe point: nothing more is started. An ended process stays as it is."""
        if not self.state.status.is_final:
            self.cancelled = self.cancelled or reason
            if self.state.status not in (ProcessStatus.NOT_STARTED, ProcessStatus.RUNNING):
                self.end(ProcessStatus.CANCELLED, self.cancelled)

    def _why_cancelled(self) -> str | None:
        core: ProcessCore | None = self
        while core is not None:
            if core.cancelled is not None:
                return core.cancelled
            core = core.parent
        return None

    def end_cancelled(self) -> None:
        """Record that the process stopped because it was cancelled, or because whatever ran it was."""
        if not self.state.status.is_final:
            self.end(ProcessStatus.CANCELLED, self._why_cancelled() or "the task that ran it was cancelled")

    def awaits(self, call: Command) -> bool:
        """Tell whether a call was started and its outcome is not in yet."""
        return call.number in self.running

    def abandon(self) -> None:
        """Record that calls which were started will bring no outcome: nothing of them reaches the board."""
        for call in tuple(self.running.values()):
            del self.running[call.number]
            if isinstance(call, ActionCall):
                self.results.stopped(call)
                self.around.let_go(call.number)
            elif isinstance(call, ModelCall) and self.turns is not None:
                self.turns.stopped(call)

    def end(
        self, status: ProcessStatus, reason: str, *, goal: str | None = None, error: str | None = None
    ) -> Sequence[Command]:
        """Record that the run has come to an end, for now or for good; nothing is left to be done."""
        self.abandon()
        if status.is_final and self.state.open:
            self.people.withdraw()
        self.record(ProcessEnded, status=status, reason=reason, goal=goal, error=error)
        return ()

    def fail(self, error: Exception, reason: str | None = None) -> Sequence[Command]:
        """Record that the run has failed, and with what."""
        self.failure = error
        return self.end(ProcessStatus.FAILED, reason or str(error), error=describe_error(error))

    def _without_plan(self, found: NoPlan) -> Sequence[Command]:
        if found.halt is not None:
            return self.end(ProcessStatus.TERMINATED, f"{self.planner.name}: {found.halt}")
        if all(goal is NIRVANA for goal in self.goals):
            status = ProcessStatus.TERMINATED if self.options.terminate_when_stuck else ProcessStatus.COMPLETED
            return self.end(status, "no action is left to run, and the agent has no goal")
        culprit = action_in_the_way(self.state, self.planner, self.goals)
        if culprit is not None:
            told = self.state.excluded[culprit]
            reason = f"action {culprit!r} failed and there is no way around it: {told}"
            return self.fail(self.errors[culprit], reason)
        status = ProcessStatus.TERMINATED if self.options.terminate_when_stuck else ProcessStatus.STUCK
        return self.end(status, why_stuck(found, self.state))
