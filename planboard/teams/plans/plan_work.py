"""The actions of a plan tree: make a plan, carry it out, make it anew after a setback, report.

They hold nothing that changes. All that is known is on the board, so each can be run again from its beginning.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from planboard.actions.action import root_name
from planboard.actions.context import ActionContext, Addition
from planboard.actions.decorators import achieves_goal
from planboard.actions.making import StepAction, step, with_inputs
from planboard.actions.waiting import Denied
from planboard.blackboard.entry import Entry
from planboard.blackboard.matching import members, satisfies
from planboard.errors import ActionError
from planboard.llm.ai import Ai
from planboard.runtime.agent import Agent
from planboard.steps.part import Part
from planboard.teams.plans.dispatch import Dispatch, outcome_of
from planboard.teams.plans.planning import (
    Check,
    ModelPlanning,
    PartPlanning,
    changed_though_finished,
    fault_of,
    finished_in,
    keeping_what_is_finished,
)
from planboard.teams.plans.reporting import ModelReport
from planboard.teams.plans.step_results import PlanOutcome, PlanSetback, StepResult
from planboard.teams.plans.task_plan import TaskPlan
from planboard.types import TypeForm

_CONTEXT, _AI = "planboard_context", "planboard_ai"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWork:
    """What a plan tree does, and with whom."""

    needs: tuple[TypeForm, ...]
    """What it is run on."""
    planning: ModelPlanning | PartPlanning | None
    replanning: ModelPlanning | PartPlanning | None
    dispatch: Dispatch
    reporter: Part | ModelReport | None
    max_replans: int
    max_steps: int
    partial: bool

    def actions(self, agents: Iterable[Agent], *, approval: bool) -> list[StepAction]:
        """Return the actions.

        Args:
            agents: What they run as children.
            approval: Whether a person has to agree before a plan is carried out.
        """
        known = tuple(agents)
        shared = {root_name(form): form for form in self.needs}
        own: dict[str, TypeForm] = {_CONTEXT: ActionContext}
        made: list[StepAction] = []

        def add(
            function: Callable[..., Any], inputs: Mapping[str, TypeForm], returns: TypeForm, **options: Any
        ) -> None:
            name = function.__name__
            options = {"rerun": "new_inputs", "idempotent": True, "description": function.__doc__, **options}
            bound = with_inputs(function, {**inputs, **own})
            runs = () if _AI in inputs else known  # what asks a model itself runs no children
            made.append(step("plan tree", bound, name=name, returns=returns, agents=runs, options=options))

        def asking(asked: object) -> dict[str, TypeForm]:
            return {_AI: Ai} if isinstance(asked, ModelPlanning | ModelReport) else {}

        if self.planning is not None:

            async def make_plan(**given: Any) -> TaskPlan:
                """Make a plan."""
                return await self.make_plan(given[_CONTEXT], given.get(_AI))

            add(make_plan, {**shared, **asking(self.planning)}, TaskPlan, rerun="never")

        async def carry_out(plan: TaskPlan, **given: Any) -> PlanOutcome | PlanSetback:
            """Carry out the plan."""
            return await self.carry_out(plan, given[_CONTEXT])

        async def replan(setback: PlanSetback, **given: Any) -> TaskPlan:
            """Make the plan anew after a setback."""
            return await self.replan(setback, given[_CONTEXT], given.get(_AI))

        add(carry_out, {"plan": TaskPlan}, PlanOutcome | PlanSetback, approval=approval)
        add(replan, {"setback": PlanSetback, **asking(self.replanning)}, TaskPlan)
        reporter = self.reporter
        if reporter is not None:

            async def report(outcome: PlanOutcome, **given: Any) -> Any:
                """Report what came of the plan."""
                return await self.report(outcome, given[_CONTEXT], given.get(_AI))

            achieves_goal("What was wanted is reported", name="report")(report)
            add(report, {"outcome": PlanOutcome, **asking(reporter)}, _without_denied(reporter.returning))
        return made

    # What they do

    async def make_plan(self, context: ActionContext, ai: Any) -> TaskPlan:
        """Return a plan for what is on the board."""
        assert self.planning is not None  # noqa: S101 - else there is no such action
        return await self.planning(context, ai, self.shared(context), self._check())

    async def carry_out(self, plan: TaskPlan, context: ActionContext) -> PlanOutcome | PlanSetback:
        """Do what is left of a plan, put the results on the board, and say what came of it."""
        newest = {result.step: result for result in context.all(StepResult)}
        finished = finished_in(plan, newest)
        came = await self.dispatch.carry_out(context, plan, finished, self.shared(context))
        for result in came:
            context.bind(result.step, result)
        finished |= {result.step: result for result in came if result.ok}
        results = tuple(finished[step] for step in plan.order if step in finished)
        failures = tuple(result for result in came if not result.ok)
        before = len(context.all(PlanSetback))
        hopeless = self.replanning is None or before >= self.max_replans
        if not failures or (hopeless and self.partial):
            return PlanOutcome(plan=plan, results=results, failures=failures)
        return PlanSetback(plan=plan, results=results, failures=failures, replans=before)

    async def replan(self, setback: PlanSetback, context: ActionContext, ai: Any) -> TaskPlan:
        """Return what shall be done instead of a plan that cannot be carried out.

        Raises:
            ActionError: It was made anew too often, there is nobody to do it, or the new one will not do.
        """
        culprit = setback.failures[0].worker or setback.failures[0].step
        if self.replanning is None:
            message = f"{setback.reason} Nobody makes a new plan: pass `replanned_by=`."
            raise ActionError(culprit, message)
        if setback.replans >= self.max_replans:
            times = f"{setback.replans} {'time' if setback.replans == 1 else 'times'}"
            message = f"{setback.reason} The plan was made anew {times}, which is the limit."
            raise ActionError(culprit, message)
        given = [*self.shared(context), Addition(setback.plan), Addition(setback)]
        plan = await self.replanning(context, ai, given, self._check(setback))
        fault = changed_though_finished(plan, setback)
        if fault is not None:
            message = f"The new plan will not do: {fault}."
            raise ActionError("replan", message)
        return keeping_what_is_finished(plan, setback)

    async def report(self, outcome: PlanOutcome, context: ActionContext, ai: Any) -> Any:
        """Return what the results come to.

        Raises:
            ActionError: There is no report.
        """
        if isinstance(self.reporter, ModelReport):
            return await self.reporter.write(outcome, ai)
        assert self.reporter is not None  # noqa: S101 - else there is no such action
        results = self.dispatch.values(outcome.results)
        there = [*self.shared(context), *results, *map(Addition, outcome.results), Addition(outcome.plan)]
        given = self.reporter.chosen([*there, Addition(outcome)])
        value, fault = await outcome_of(self.reporter, context, given)
        if fault is not None:
            message = f"There is no report from {self.reporter.name!r}: {fault}"
            raise ActionError(self.reporter.name, message)
        return value

    def shared(self, context: ActionContext) -> list[Addition]:
        """Return what the tree was run on, oldest first."""
        return [Addition(entry.value, entry.type, entry.name) for entry in context.visible if self._is_needed(entry)]

    def _is_needed(self, entry: Entry) -> bool:
        return any(satisfies(entry.value, entry.type, form) for form in self.needs)

    def _check(self, setback: PlanSetback | None = None) -> Check:
        """Return what a plan that a model makes has to stand."""

        def check(plan: TaskPlan) -> None:
            changed = None if setback is None else changed_though_finished(plan, setback)
            faults = [fault for fault in (fault_of(plan, self.dispatch.routing, self.max_steps), changed) if fault]
            if faults:
                raise ValueError("; ".join(faults))

        return check


def _without_denied(form: TypeForm) -> TypeForm:
    """Return a type without the refusal by a person, which is no result."""
    from typing import Union

    kept = tuple(member for member in members(form) if member is not Denied)
    return Union[kept] if len(kept) > 1 else kept[0]  # noqa: UP007 - made at run time
