"""The process as a pure state machine: it decides what to run, and takes what came of it.

There is no I/O here, no clock and no waiting. A driver asks `decide` for the next calls, carries them out, and hands
the outcomes to `deliver`. All state is in `ProcessState` and changes only by recorded events.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast

from planboard.actions.action import _NONE_GIVEN, Action, Given
from planboard.actions.context import NO_EFFECTS, ActionContext, ChildRunner, Effects, Usage
from planboard.blackboard.schema import describe_error
from planboard.errors import BlackboardError, PlanningError
from planboard.events import (
    ActionReadmitted,
    ActionRetried,
    ActionStarted,
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
from planboard.planners.world import _Unsettled, binding_of
from planboard.runtime.batch import independent_steps
from planboard.runtime.expectations import compare
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
from planboard.runtime.results import Results
from planboard.runtime.stuck import action_in_the_way, why_stuck
from planboard.runtime.turns import Turns


@lru_cache(maxsize=1024)
def _one_action(cost: float) -> Usage:
    """Return what starting an action spends, one object for all calls of that cost."""
    return Usage(1, cost)


class ProcessCore:
    """Decides and records; see the module."""

    __slots__ = (
        "_running", "_turns", "cancelled", "errors", "failure", "goals", "ledger", "models", "options",
        "parent", "plan", "planner", "process_id", "record", "results", "run_child", "state", "ticks",
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
        self._running: dict[int, Command] = {}
        self.results = Results(self)
        self.models = Models(self, clock)
        self._turns = Turns(self, cast("AskingPlanner", planner)) if planner.asks else None

    # Beginning

    def start(self, agent: str, planner: str) -> None:
        """Record the beginning of the run, unless it has ended already."""
        if self.state.status is not ProcessStatus.NOT_STARTED:
            return
        self.record(
            ProcessStarted,
            agent=agent,
            planner=planner,
            goals=tuple(goal.name for goal in self.goals if goal is not NIRVANA),
            parent_id=self.parent.process_id if self.parent is not None else None,
        )

    def resume(self) -> None:
        """Go on with a process that is stuck or was terminated, or completed before something came from outside."""
        state = self.state
        goes_on = state.status is ProcessStatus.COMPLETED and state.touched
        if goes_on or state.status in (ProcessStatus.STUCK, ProcessStatus.TERMINATED):
            self.plan = None
            self.failure = None
            self.record(ProcessResumed)

    # Deciding

    def decide(self, now: float) -> Sequence[Command]:
        """Return the calls to carry out now; none when the process has come to an end.

        Args:
            now: What the clock of the driver says, in seconds.
        """
        if self.state.status is not ProcessStatus.RUNNING:
            return ()
        cancelled = self._why_cancelled()
        if cancelled is not None:
            return self.end(ProcessStatus.CANCELLED, cancelled)
        if self.ticks >= self.options.max_ticks:
            return self.end(ProcessStatus.TERMINATED, f"max_ticks: {self.ticks} decisions were made without an end")
        self.ticks += 1
        try:
            return self._choose(now)
        except _Unsettled as question:
            return self._started(question_of(self, question.condition))
        except (PlanningError, BlackboardError) as error:
            return self.fail(error)

    def _choose(self, now: float) -> Sequence[Command]:
        if self._turns is not None:
            calls = self._turns.next_calls(now)
            if calls or self.state.status is not ProcessStatus.RUNNING:
                return calls
        answer = self._next_plan()
        if isinstance(answer, Ask):
            if self._turns is None:
                message = f"Planner {self.planner.name!r} asks a model, but does not say so with `asks = True`."
                raise PlanningError(message)
            return self._started(self._turns.ask(answer, now))
        if isinstance(answer, NoPlan):
            return self._without_plan(answer)
        if answer.complete:
            return self.end(ProcessStatus.COMPLETED, f"goal {answer.goal.name!r} is met", goal=answer.goal.name)
        return self._start_calls(answer, now)

    def _started(self, call: Command | None) -> Sequence[Command]:
        """Take note that something other than an action was started, if it was."""
        if call is None:
            return ()
        self._running[call.number] = call
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
        if self.options.concurrency == 1:
            operators: Sequence[Operator] = (plan.first,) if plan.first is not None else ()
        else:
            operators = independent_steps(plan, self.state.world, self.planner, self.goals, self.options.concurrency)
        calls: list[ActionCall] = []
        for operator in operators:
            action = self.state.world.compilation.catalogue.actions[operator.name]
            cost, value = self.price(operator)
            may_ask = action.body.may_ask or self._turns is None  # a decision that is paid for is carried out
            objection = self.ledger.objection(cost, now, may_ask=may_ask)
            if objection is not None:
                if calls:
                    break
                return self.end(ProcessStatus.TERMINATED, f"budget: {objection}")
            calls.append(self.start_action(action, cost, value))
        return calls

    def price(self, operator: Operator) -> tuple[float, float]:
        """Return what an operator costs and is worth, as of now."""
        cost, value = operator.cost, operator.value
        world = self.state.world
        return float(cost(world) if callable(cost) else cost), float(value(world) if callable(value) else value)

    def start_action(
        self, action: Action, cost: float, value: float, *, given: Given = _NONE_GIVEN, tool_call: str | None = None
    ) -> ActionCall:
        """Record that an action is started, and return the command to run it.

        Args:
            action: What is run.
            cost: What it costs, as of now.
            value: What it is worth.
            given: Entries that are used instead of the newest ones, by parameter.
            tool_call: The call of a model that it answers.
        """
        board = self.state.board
        body = action.body
        bound = body.bind(board, given)
        if bound is None:
            message = f"Action {action.name!r} was planned, but one of its inputs is not on the board."
            raise PlanningError(message)
        board.verify(bound.entries)
        effects = NO_EFFECTS if body.context is None and body.ai is None else Effects()
        call = ActionCall(
            self.state.calls + 1, action, bound, cost, value, _one_action(cost), effects, binding_of(bound)
        )
        if body.services:
            body.inject(bound, self.state.world.services)
        if body.context is not None:
            call.context = ActionContext(
                action.name, self.process_id, board, call.effects, run_child=self.run_child,
                identities=self.options.identities,
            )  # fmt: skip
            bound.kwargs[body.context] = call.context
        if body.ai is not None:
            bound.kwargs[body.ai] = self.models.for_action(call)
        self.ledger.charge(call.usage)
        self._running[call.number] = call
        self.record(ActionStarted, call=call.number, action=action.name, inputs=call.inputs, tool_call=tool_call)
        return call

    # Taking outcomes

    def deliver(self, calls: Sequence[Command], outcomes: Sequence[Outcome]) -> None:
        """Take what came of the calls, in the order of the plan, whatever order they finished in."""
        plan = self.plan if isinstance(self.plan, Plan) else None
        followed: Plan | None = None
        broken: Exception | None = None
        for call, outcome in zip(calls, outcomes, strict=True):
            self._running.pop(call.number, None)
            if isinstance(call, ModelCall):
                assert self._turns is not None  # noqa: S101 - nobody else asks a model
                self._turns.take(call, outcome)
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
                case Failed(error):
                    self.results.raised(call, error)
                case AskedReplan():
                    self.results.asked_replan(call, outcome)
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
            error=describe_error(error),
            wait=wait,
        )

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
        return call.number in self._running

    def abandon(self) -> None:
        """Record that calls which were started will bring no outcome: nothing of them reaches the board."""
        for call in tuple(self._running.values()):
            del self._running[call.number]
            if isinstance(call, ActionCall):
                self.results.stopped(call)
            elif isinstance(call, ModelCall) and self._turns is not None:
                self._turns.stopped(call)

    def end(
        self, status: ProcessStatus, reason: str, *, goal: str | None = None, error: str | None = None
    ) -> Sequence[Command]:
        """Record that the run has come to an end, for now or for good; nothing is left to be done."""
        self.abandon()
        self.record(ProcessEnded, status=status, reason=reason, goal=goal, error=error)
        return ()

    def fail(self, error: Exception, reason: str | None = None) -> Sequence[Command]:
        """Record that the run has failed, and with what."""
        self.failure = error
        return self.end(ProcessStatus.FAILED, reason or str(error), error=describe_error(error))

    def _without_plan(self, found: NoPlan) -> Sequence[Command]:
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
