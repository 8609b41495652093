"""The one workflow: a process that decides here, and whose actions, models and conditions are activities.

All that comes from outside is put into an inbox; one loop does everything, so that a replay does the same.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception
from temporalio.worker import (
    ExecuteWorkflowInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

from planboard.durable.temporal.calling import WORKFLOW, Calls, WorkflowClock, is_by_a_limit, is_child
from planboard.durable.temporal.home import Home
from planboard.durable.temporal.payloads import answer_from
from planboard.durable.temporal.planning import RecordedPlanner, _Unplanned
from planboard.durable.temporal.standing import MEMO, standing_of
from planboard.errors import AlreadyAnsweredError, EntryTypeError, PlanboardError
from planboard.events import ProcessStatus
from planboard.events.codec import EventCodec
from planboard.runtime.open_calls import OpenCall
from planboard.runtime.outcome import ActionCall, Command, Outcome
from planboard.runtime.process import Process
from planboard.runtime.requests import Decision

_AT_ONCE = timedelta(milliseconds=1)


class AtHome(Interceptor):
    """Lets the workflows of a worker know where they are."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002, ARG002 - the name is Temporal's
    ) -> type[WorkflowInboundInterceptor]:
        """Return what stands around each workflow."""
        home = self.home

        class Bringing(WorkflowInboundInterceptor):
            async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:  # noqa: A002
                workflow.instance().home = home
                return await super().execute_workflow(input)

        return Bringing


@workflow.defn(name=WORKFLOW, sandboxed=False)
class ProcessWorkflow:
    """One process."""

    def __init__(self) -> None:
        self.home: Home
        self.process: Process | None = None
        self.luggage: dict[str, Any] = {}
        self.inbox: list[tuple[str, Any, float]] = []
        self.children: dict[int, tuple[ActionCall, asyncio.Task[Outcome | None]]] = {}
        self.told: dict[str, Any] = {}

    @workflow.run
    async def run(self, luggage: dict[str, Any]) -> dict[str, Any]:
        """Run the process to its end, and return it as it stands then."""
        self.luggage = luggage
        self.told = dict(workflow.memo()).get(MEMO, {})
        agent = self.home.agent(luggage["run"]["agent"])
        self.planner = RecordedPlanner(self.home.planner(luggage["planner"], agent))
        process = self.process = self.home.unpack(luggage, clock=WorkflowClock(), planner=self.planner)
        self.codec = EventCodec(self.home.codec(agent))
        self.calls = Calls(process, self.home, luggage["planner"], self.codec)
        self.planner.world = process._core.state.world  # noqa: SLF001 - within the package
        process._core.run_child = self.calls.run_child  # noqa: SLF001
        process._core.around.has_news = self._has_news  # noqa: SLF001
        try:
            await self._drive(process)
        except BaseException as error:
            if not is_cancelled_exception(error):
                raise
            process._core.cancel("cancelled")  # noqa: SLF001
            process._core.end_cancelled()  # noqa: SLF001
        self._tell(process)
        try:
            return self.home.repack(luggage, process)
        except EntryTypeError as error:
            raise ApplicationError(str(error), type=type(error).__name__, non_retryable=True) from error

    # From outside

    @workflow.update(name="planboard.answer")
    async def answer(self, request_id: str, told: dict[str, Any]) -> None:
        """Take an answer to a request."""
        if self.process is None:  # it has come with the first task of a workflow that goes on with a run
            await workflow.wait_condition(lambda: self.process is not None)
            try:
                self.look_at(request_id, told)
            except (PlanboardError, ValueError) as error:
                raise ApplicationError(str(error), type=type(error).__name__, non_retryable=True) from error
        self.inbox.append((request_id, told, workflow.time()))

    @answer.validator
    def look_at(self, request_id: str, told: dict[str, Any]) -> None:
        """Refuse an answer that does not fit, or to something that is not asked."""
        if self.process is None:
            return
        self._read(request_id, told, workflow.time())
        if any(earlier[0] == request_id and self._fits(earlier) for earlier in self.inbox):
            message = f"Request {request_id!r} was answered already; that answer stands."
            raise AlreadyAnsweredError(request_id, message)

    @workflow.signal(name="planboard.answer_later")
    async def answer_later(self, request_id: str, told: dict[str, Any], sent: float | None = None) -> None:
        """Take an answer that was left while no worker was there; one that does not fit is dropped."""
        self.inbox.append((request_id, told, workflow.time() if sent is None else sent))

    @workflow.query(name="planboard.process")
    def show(self) -> dict[str, Any]:
        """Return the process as it stands."""
        return self.luggage if self.process is None else self.home.repack(self.luggage, self.process)

    def _read(self, request_id: str, told: Any, sent: float) -> tuple[OpenCall, Decision]:
        assert self.process is not None  # noqa: S101 - both callers see to that
        people = self.process._core.people  # noqa: SLF001
        call = people.find(request_id, in_time=True)
        if call.until is not None and call.until <= sent:
            call = people.find(request_id)  # which says that it has expired
        return call, people.read(call, answer_from(self.codec.values, told))

    def _fits(self, answer: tuple[str, Any, float]) -> bool:
        try:
            self._read(*answer)
        except (PlanboardError, ValueError):
            return False
        return True

    def _listen(self, process: Process) -> None:
        while self.inbox:
            request_id, told, sent = self.inbox.pop(0)
            try:
                call, decision = self._read(request_id, told, sent)
            except (PlanboardError, ValueError) as error:
                workflow.logger.warning("An answer to %s was dropped: %s", request_id, error)
                continue
            process._core.people.decide(call, decision)  # noqa: SLF001

    # The loop

    async def _drive(self, process: Process) -> None:
        core = process._core  # noqa: SLF001
        core.ledger.open(workflow.time())
        core.begin(process.agent.name, process.planner.name)
        core.held.take_up()
        while True:
            self._listen(process)
            if process.status is ProcessStatus.WAITING:
                core.resume()
            calls = await self._decide(process)
            if calls:
                self._tell(process)
                await self._carry_out(process, calls)
            elif process.status is ProcessStatus.WAITING:
                self._tell(process)
                core.ledger.close(workflow.time())
                await self._until_something_happens(process)
                core.ledger.open(workflow.time())
            else:
                return
            self._begin_anew_if_long(process)

    async def _decide(self, process: Process) -> Sequence[Command]:
        core = process._core  # noqa: SLF001
        while True:
            try:
                calls = core.decide(workflow.time())
            except _Unplanned as asked:
                core.ticks -= 1
                world = core.state.world
                before = world.true, world.unknown
                self.planner.answers[asked.key] = await self._planned(asked)
                world.true, world.unknown = before
                continue
            self.planner.answers.clear()
            return calls

    async def _planned(self, asked: _Unplanned) -> dict[str, Any]:
        try:
            found: dict[str, Any] = await workflow.execute_local_activity(
                "planboard.plan",
                asked.question.number,
                start_to_close_timeout=timedelta(minutes=10),
                retry_policy=RetryPolicy(maximum_attempts=3),
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            message = f"The planner {self.planner.name!r} raised: {error.cause}"
            raise RuntimeError(message) from error  # not the end of the run: mend the planner, and it goes on
        return found

    async def _until_something_happens(self, process: Process) -> None:
        until = process.wakes_at
        wait = None if until is None else max(timedelta(seconds=until - workflow.time()), _AT_ONCE)
        try:
            await workflow.wait_condition(lambda: bool(self.inbox) or self._any_news(), timeout=wait)
        except asyncio.TimeoutError:  # noqa: UP041 - what Temporal says it raises
            return

    def _has_news(self, call: int) -> bool:
        return call not in self.children or self.children[call][1].done()

    def _any_news(self) -> bool:
        return any(task.done() for _, task in self.children.values())

    def _begin_anew_if_long(self, process: Process) -> None:
        info = workflow.info()
        if process.status.is_final or self.children or self.inbox or not workflow.all_handlers_finished():
            return
        if info.is_continue_as_new_suggested() or info.get_current_history_length() > self.home.longest:
            try:
                luggage = self.home.repack(self.luggage, process)
            except EntryTypeError as error:  # it may still come to its end in this one
                workflow.logger.warning("No new workflow could be begun: %s", error)
                return
            workflow.continue_as_new(luggage, memo=dict(workflow.memo()))

    def _tell(self, process: Process) -> None:
        """Write where the process stands to where it can be read when no worker is there."""
        standing = standing_of(process)
        if standing != self.told:
            self.told = standing
            workflow.upsert_memo({MEMO: standing})

    # Carrying out

    async def _carry_out(self, process: Process, calls: Sequence[Command]) -> None:
        core = process._core  # noqa: SLF001
        tasks = [self._begin(call) for call in calls]
        here = [task for call, task in zip(calls, tasks, strict=True) if not is_child(call)]
        if here:
            await workflow.wait(here)
        finished = [(call, task.result()) for call, task in zip(calls, tasks, strict=True) if task.done()]
        known = [(call, outcome) for call, outcome in finished if outcome is not None]
        if any(is_by_a_limit(outcome) for _, outcome in known):
            core.ledger.objection(0.0, workflow.time())  # it takes note of limits of this run that were reached there
            core.ledger.objection_to_models(workflow.time())
            core.ledger.exhausted = core.ledger.exhausted or self.calls.exhausted
        if known:
            core.deliver([call for call, _ in known], [outcome for _, outcome in known])
        for call, task in zip(calls, tasks, strict=True):
            if not core.awaits(call) or not isinstance(call, ActionCall):
                continue
            del core.running[call.number]
            core.charged.add(call.number)
            core.plan = None
            if task.done():
                core.people.doubt(core.state.open[call.number], call.action)
            else:
                self.children[call.number] = (call, task)
                core.results.suspended(call)

    def _begin(self, call: Command) -> "asyncio.Task[Outcome | None]":
        if is_child(call):
            assert isinstance(call, ActionCall)  # noqa: S101 - nothing else is
            if call.number in self.children:
                earlier, task = self.children.pop(call.number)
                call.effects = earlier.effects
                return task
            return asyncio.create_task(self.calls.below(call))
        return asyncio.create_task(self.calls.elsewhere(call))
