"""The process as a pure state machine: it decides what to run, and takes what came of it.

There is no I/O here, no clock and no waiting. A driver asks `decide` for the next calls, carries them out, and hands
the outcomes to `deliver`. All state is in `ProcessState` and changes only by recorded events.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from planboard.actions.action import Action
from planboard.actions.context import NO_EFFECTS, NOTHING, ActionContext, ChildRunner, Effects, Usage
from planboard.blackboard.board import check_value
from planboard.blackboard.entry import Entry
from planboard.blackboard.integrity import watch
from planboard.blackboard.schema import describe_error
from planboard.errors import (
    BlackboardError,
    ExecutionError,
    MutatedEntryError,
    OutputError,
    PlanningError,
    ProcessTerminatedError,
)
from planboard.events import (
    ActionFailed,
    ActionReadmitted,
    ActionRetried,
    ActionStarted,
    ActionSucceeded,
    PlanMade,
    ProcessEnded,
    ProcessResumed,
    ProcessStarted,
    ProcessStatus,
    ReplanRequested,
)
from planboard.planners.base import Planner
from planboard.planners.operator import NIRVANA, Operator, PlanGoal
from planboard.planners.plan import NoPlan, Plan, PlanResult
from planboard.planners.world import binding_of
from planboard.runtime.batch import independent_steps
from planboard.runtime.commit import check_conditions, new_entries, positions_hidden
from planboard.runtime.expectations import compare
from planboard.runtime.ledger import Ledger
from planboard.runtime.log import EventLog
from planboard.runtime.options import ProcessOptions
from planboard.runtime.outcome import ActionCall, AskedReplan, Failed, Outcome, Succeeded, spent
from planboard.runtime.stuck import action_in_the_way, why_stuck

_STUBBORN = 10
"""How often in a row a new plan may be asked for before that counts as a failure."""


@lru_cache(maxsize=1024)
def _one_action(cost: float) -> Usage:
    """Return what starting an action spends, one object for all calls of that cost."""
    return Usage(1, cost)


class ProcessCore:
    """Decides and records; see the module."""

    __slots__ = (
        "_planner", "_running", "cancelled", "errors", "failure", "goals", "ledger", "options", "parent", "plan",
        "process_id", "record", "run_child", "state", "ticks",
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
        self.plan: PlanResult | None = None
        """What the planner answered last; while a plan goes as predicted, what is left of it."""
        self.errors: dict[str, Exception] = {}
        """What actions failed with, by name; the last one of each."""
        self.failure: Exception | None = None
        """The root cause, once the process has failed."""
        self.cancelled: str | None = None
        """Why the process shall stop at the next safe point."""
        self.ticks = 0
        self._planner = planner
        self._running: dict[int, ActionCall] = {}

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
            self.record(ProcessResumed)

    # Deciding

    def decide(self, now: float) -> Sequence[ActionCall]:
        """Return the calls to carry out now; none when the process has come to an end.

        Args:
            now: What the clock of the driver says, in seconds.
        """
        if self.state.status is not ProcessStatus.RUNNING:
            return ()
        cancelled = self._why_cancelled()
        if cancelled is not None:
            return self._end(ProcessStatus.CANCELLED, cancelled)
        if self.ticks >= self.options.max_ticks:
            return self._end(ProcessStatus.TERMINATED, f"max_ticks: {self.ticks} decisions were made without an end")
        self.ticks += 1
        try:
            plan = self._next_plan()
            if isinstance(plan, NoPlan):
                return self._without_plan(plan)
            if plan.complete:
                return self._end(ProcessStatus.COMPLETED, f"goal {plan.goal.name!r} is met", goal=plan.goal.name)
            return self._start_calls(plan, now)
        except (PlanningError, BlackboardError) as error:
            return self._fail(error)

    def _next_plan(self) -> PlanResult:
        if isinstance(self.plan, Plan):
            return self.plan  # `deliver` has found that it goes as predicted
        world = self.state.world
        found = self._planner.plan(world.problem(self.goals))
        if isinstance(found, NoPlan) and self.state.asked_replan:
            self._readmit()
            found = self._planner.plan(world.problem(self.goals))
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

    def _readmit(self) -> None:
        for name in tuple(self.state.asked_replan):
            self.record(ActionReadmitted, action=name)

    def _start_calls(self, plan: Plan, now: float) -> Sequence[ActionCall]:
        if self.options.concurrency == 1:
            operators: Sequence[Operator] = (plan.first,) if plan.first is not None else ()
        else:
            operators = independent_steps(plan, self.state.world, self._planner, self.goals, self.options.concurrency)
        calls: list[ActionCall] = []
        for operator in operators:
            action = self.state.world.compilation.catalogue.actions[operator.name]
            cost, value = self._price(operator)
            objection = self.ledger.objection(cost, now)
            if objection is not None:
                if calls:
                    break
                return self._end(ProcessStatus.TERMINATED, f"budget: {objection}")
            calls.append(self._start(action, cost, value))
        return calls

    def _price(self, operator: Operator) -> tuple[float, float]:
        cost, value = operator.cost, operator.value
        world = self.state.world
        return float(cost(world) if callable(cost) else cost), float(value(world) if callable(value) else value)

    def _start(self, action: Action, cost: float, value: float) -> ActionCall:
        board = self.state.board
        bound = action.body.bind(board)
        if bound is None:
            message = f"Action {action.name!r} was planned, but one of its inputs is not on the board."
            raise PlanningError(message)
        board.verify(bound.entries)
        effects = NO_EFFECTS if action.body.context is None else Effects()
        call = ActionCall(
            self.state.calls + 1, action, bound, cost, value, _one_action(cost), effects, binding_of(bound)
        )
        if action.body.services:
            action.body.inject(bound, self.state.world.services)
        if action.body.context is not None:
            call.context = ActionContext(
                action.name, self.process_id, board, call.effects, run_child=self.run_child,
                identities=self.options.identities,
            )  # fmt: skip
            bound.kwargs[action.body.context] = call.context
        self.ledger.charge(call.usage)
        self._running[call.number] = call
        self.record(ActionStarted, call=call.number, action=action.name, inputs=call.inputs)
        return call

    # Taking outcomes

    def deliver(self, calls: Sequence[ActionCall], outcomes: Sequence[Outcome]) -> None:
        """Take what came of the calls, in the order of the plan, whatever order they finished in."""
        plan = self.plan if isinstance(self.plan, Plan) else None
        followed: Plan | None = None
        broken: Exception | None = None
        for call, outcome in zip(calls, outcomes, strict=True):
            self._running.pop(call.number, None)
            match outcome:
                case Succeeded(value):
                    if self._succeeded(call, value):
                        try:
                            followed = compare(call, plan, self.state.world, self.record)
                        except (PlanningError, BlackboardError) as error:
                            broken = broken or error  # the others of the batch have finished too
                case Failed(error):
                    with suppress(MutatedEntryError):  # the board holds what was stored; the failure is the cause
                        self._verify(call)
                    self._failed(call, error)
                case AskedReplan():
                    self._asked_replan(call, outcome)
        self.plan = followed if len(calls) == 1 else None
        if broken is not None:
            self._fail(broken)
        elif any(self._stopped_below(outcome.error) for outcome in outcomes if isinstance(outcome, Failed)):
            self._end(ProcessStatus.TERMINATED, f"budget: {self.ledger.exhaustion()}")

    def _verify(self, call: ActionCall) -> None:
        board = self.state.board
        read = call.context.entries_read if call.context is not None else ()
        board.verify((*call.bound.entries, *read), action=call.action.name)

    def _succeeded(self, call: ActionCall, value: object) -> bool:
        """Commit what an action brought about; tell whether it was in order."""
        action, board, effects = call.action, self.state.board, call.effects
        try:
            self._verify(call)
            outputs = new_entries(action, value, effects, board.next_position)
            if effects.conditions:
                check_conditions(action, effects, self.state.world.compilation.catalogue.conditions)
        except (BlackboardError, ExecutionError) as error:
            self._failed(call, error)
            return False
        except Exception as error:  # noqa: BLE001 - the value's own code raised while it was looked at
            message = f"What action {action.name!r} returned cannot be looked at: {describe_error(error)}."
            self._failed(call, OutputError(action.name, message))
            return False
        if self.state.asked_replan:
            self._readmit()
        hidden = positions_hidden(action, call.bound, effects, board, outputs)
        if effects.usage is not NOTHING:
            self.ledger.charge(effects.usage)
        self.record(
            ActionSucceeded,
            call=call.number,
            action=action.name,
            inputs=call.inputs,
            outputs=outputs,
            hidden=hidden,
            conditions=tuple(sorted(effects.conditions.items())),
            cost=call.cost,
            value=call.value,
            usage=spent(call),
        )
        return True

    def _failed(self, call: ActionCall, error: Exception) -> None:
        if call.effects.usage is not NOTHING:
            self.ledger.charge(call.effects.usage)
        cause = error.__cause__ if isinstance(error, ExecutionError) and error.__cause__ is not None else error
        self.errors[call.action.name] = error
        self.record(
            ActionFailed,
            call=call.number,
            action=call.action.name,
            error=describe_error(cause),
            excluded=not self._stopped_below(error),
            usage=spent(call),
        )

    def _stopped_below(self, error: Exception) -> bool:
        """Tell whether an action failed because a child hit a limit that is this process's too."""
        by_child = isinstance(error.__cause__ or error, ProcessTerminatedError)
        return by_child and self.ledger.exhaustion() is not None

    def _asked_replan(self, call: ActionCall, outcome: AskedReplan) -> None:
        signal = outcome.signal
        try:
            self._verify(call)
            for value in signal.bindings.values():
                check_value(value, None)
        except BlackboardError as error:
            self._failed(call, error)
            return
        if self.state.stubborn >= _STUBBORN:
            message = f"Action {call.action.name!r} asked for another plan {_STUBBORN + 1} times in a row."
            self._failed(call, ExecutionError(call.action.name, message))
            return
        position = self.state.board.next_position
        bindings = tuple(
            Entry(position + index, value, None, name, call.action.name, watch=watch(value))
            for index, (name, value) in enumerate(sorted(signal.bindings.items()))
        )
        if call.effects.usage is not NOTHING:
            self.ledger.charge(call.effects.usage)
        self.record(
            ReplanRequested,
            call=call.number,
            action=call.action.name,
            reason=signal.reason,
            bindings=bindings,
            usage=spent(call),
        )

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
                self._end(ProcessStatus.CANCELLED, self.cancelled)

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
            self._end(ProcessStatus.CANCELLED, self._why_cancelled() or "the task that ran it was cancelled")

    def awaits(self, call: ActionCall) -> bool:
        """Tell whether a call was started and its outcome is not in yet."""
        return call.number in self._running

    def abandon(self) -> None:
        """Record that calls which were started will bring no outcome: nothing of them reaches the board."""
        for call in tuple(self._running.values()):
            del self._running[call.number]
            if call.effects.usage is not NOTHING:
                self.ledger.charge(call.effects.usage)
            self.record(
                ActionFailed,
                call=call.number,
                action=call.action.name,
                error="Cancelled: it was stopped before it had finished",
                excluded=False,
                usage=spent(call),
            )

    def _end(
        self, status: ProcessStatus, reason: str, *, goal: str | None = None, error: str | None = None
    ) -> Sequence[ActionCall]:
        self.abandon()
        self.record(ProcessEnded, status=status, reason=reason, goal=goal, error=error)
        return ()

    def _fail(self, error: Exception, reason: str | None = None) -> Sequence[ActionCall]:
        self.failure = error
        return self._end(ProcessStatus.FAILED, reason or str(error), error=describe_error(error))

    def _without_plan(self, found: NoPlan) -> Sequence[ActionCall]:
        if all(goal is NIRVANA for goal in self.goals):
            status = ProcessStatus.TERMINATED if self.options.terminate_when_stuck else ProcessStatus.COMPLETED
            return self._end(status, "no action is left to run, and the agent has no goal")
        culprit = action_in_the_way(self.state, self._planner, self.goals)
        if culprit is not None:
            told = self.state.excluded[culprit]
            reason = f"action {culprit!r} failed and there is no way around it: {told}"
            return self._fail(self.errors[culprit], reason)
        status = ProcessStatus.TERMINATED if self.options.terminate_when_stuck else ProcessStatus.STUCK
        return self._end(status, why_stuck(found, self.state))
