"""A team that works through a plan: it has one made, hands the steps out to workers, and plans anew after a setback."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, get_args

from planboard._text import listed, suggest
from planboard.actions.goal import Goal
from planboard.actions.waiting import Denied
from planboard.blackboard.index import Query
from planboard.blackboard.matching import members, prospect
from planboard.blackboard.registry import Migration
from planboard.errors import DefinitionError
from planboard.llm.ai import Ai
from planboard.planners.base import Planner
from planboard.runtime.agent import Agent
from planboard.steps.part import Part, agents_of, as_part, as_parts
from planboard.teams.plans.dispatch import Dispatch, Execution, Sight
from planboard.teams.plans.plan_work import PlanWork
from planboard.teams.plans.planning import ModelPlanning, PartPlanning
from planboard.teams.plans.reporting import ModelReport, judge_by
from planboard.teams.plans.routing import Route, Routing
from planboard.teams.plans.step_results import Assignment, PlanOutcome, PlanSetback, StepResult, Verdict
from planboard.teams.plans.task_plan import TaskPlan, TaskStep
from planboard.types import TypeForm, is_type, type_name


class PlanTree(Agent):
    """An agent that works through a typed plan.

    It has a `TaskPlan` made, gives each step to the worker that its tags name, as soon as what the step depends on is
    finished, and puts each `StepResult` on the board under the id of the step. A step that fails, or whose result a
    review objects to, is a setback: the plan is made anew, with all that is known, and what is finished stays. At last
    a report is made of all results.

    Example:
        >>> def look_up(step: TaskStep) -> str:
        ...     return f"all about {step.task}"
        >>> tree = PlanTree("encyclopedia", [look_up], planned_by=None)
        >>> plan = TaskPlan(goal="Know it", steps=[TaskStep(id="tides", task="tides")])
        >>> tree.run(plan, returning=PlanOutcome).value("tides")
        'all about tides'

    Args:
        name: What it is called.
        workers: Those who do the steps: agents, decorated actions, steps, and functions with types; or a mapping that
            names them.
        planned_by: Who makes the plan: "model", for the model of the injected `Ai`; an agent, action, function or
            step that yields a `TaskPlan`, such as `human(TaskPlan)`; `None` where the plan is an input.
        replanned_by: Who makes it anew after a setback; by default the same, if it takes a `PlanSetback`.
        needs: The types of what it is run on; planner, workers and report are given what they ask for of it. By
            default what the planner needs; for a model a text.
        route: Who does a step: a function of the step that names a worker, or the workers by tag. By default a tag
            that is the name of a worker names it.
        default: The worker of steps that the route says nothing of.
        execution: When steps begin: "dependencies", "sequential" (one by one, in the plan's order) or "parallel"
            (all at once, each without any results of the others).
        sees: Which results a worker is given: "needed", those that the step directly depends on, or "upstream", all
            that it depends on.
        concurrency: How many steps may run at once; by default all that can.
        on_error: What becomes of other steps when one fails: "stop", nothing else is begun, or "collect", what does
            not depend on it is done first. What has begun comes to its end, also if it waits for a person.
        review: Looks at each result: a function, action or agent that yields a `Verdict` or a `bool`, or a question
            that a model answers.
        max_replans: How many times the plan may be made anew.
        partial: Report what there is when a setback cannot be got over; otherwise the run ends FAILED.
        approval: Let a person agree to each plan, or edit it, before it is carried out.
        report: Makes the result of all results: an agent, action or function. By default the `PlanOutcome` is the
            result; where `returning` is given a model writes it.
        returning: The type of the result.
        max_steps: How many steps a model may plan.
        llm: The model that plans, reviews and reports, where a model does, and that of workers without one of their
            own; by default that of the process or of the environment.
        services: Objects that are injected into actions, those of the workers included.
        planner: The planner of its processes.
        description: What it is for.
        types: More types that may stand on the board of runs that are kept.
        migrations: How values of types that have changed since are brought up to date.

    Raises:
        DefinitionError: Something about it cannot work.
    """

    def __init__(  # noqa: PLR0913 - a team is made of so much
        self,
        name: str,
        workers: Iterable[Any] | Mapping[str, Any],
        *,
        planned_by: Any = "model",
        replanned_by: Any = None,
        needs: Iterable[TypeForm] | None = None,
        route: Route | None = None,
        default: str | None = None,
        execution: Execution = "dependencies",
        sees: Sight = "needed",
        concurrency: int | None = None,
        on_error: Literal["stop", "collect"] = "stop",
        review: Any = None,
        max_replans: int = 2,
        partial: bool = False,
        approval: bool = False,
        report: Any = None,
        returning: TypeForm = None,
        max_steps: int = 30,
        llm: Any = None,
        services: Iterable[object] = (),
        planner: Planner | str | None = None,
        description: str = "",
        types: Iterable[TypeForm] = (),
        migrations: Iterable[Migration] = (),
    ) -> None:
        _refuse_unknown(name, "execution", execution, get_args(Execution))
        _refuse_unknown(name, "sees", sees, get_args(Sight))
        _refuse_unknown(name, "on_error", on_error, ("stop", "collect"))
        _refuse_number(name, "concurrency", 1 if concurrency is None else concurrency, least=1)
        _refuse_number(name, "max_replans", max_replans, least=0)
        _refuse_number(name, "max_steps", max_steps, least=1)
        team = _workers(name, workers)
        routing = Routing(team, route, default)
        planning = _planning(f"{name}.make_plan", planned_by, routing, max_steps)
        replanning = _planning(f"{name}.replan", replanned_by or planned_by, routing, max_steps)
        if replanned_by is None and isinstance(replanning, PartPlanning) and not replanning.part.takes(PlanSetback):
            replanning = None
        reviewer = None if review is None else _reviewer(f"{name}.review", review)
        reporter = _reporter(f"{name}.report", report, returning)
        forms = _needed_by(planning) if needs is None else tuple(needs)
        objects, more = (*services, *(() if llm is None else (Ai(llm),))), tuple(types)
        _refuse_unmet(name, team.values(), (*forms, *map(type, objects)))
        work = PlanWork(
            needs=forms,
            planning=planning,
            replanning=replanning,
            dispatch=Dispatch(routing, execution, sees, concurrency, on_error == "collect", reviewer),
            reporter=reporter,
            max_replans=max_replans,
            max_steps=max_steps,
            partial=partial,
        )
        others = (planning, replanning, reviewer, reporter)
        parts = [*team.values(), *(part for part in map(_part_of, others) if part is not None)]
        yielded = [form for part in team.values() for form in _made_by(part)]
        for part in parts:  # what one has made may be handed to another, and is kept there
            part.agent._learn(*yielded, *forms, *more, *_HANDED_ON)  # noqa: SLF001 - within the package
        super().__init__(
            name,
            work.actions(agents_of(parts), approval=approval),
            goals=[] if reporter is not None else [Goal(PlanOutcome, description="The plan is carried out")],
            services=objects,
            planner=planner,
            description=description or f"Plans what is wanted, and has it done by {listed(team)}.",
            types=(TaskPlan, StepResult, PlanOutcome, PlanSetback, *yielded, *more),
            migrations=migrations,
            agents=agents_of(parts),
        )
        self._given_plans = planning is None

    @cached_property
    def from_outside(self) -> frozenset[Query]:
        """The queries of inputs that nobody makes; of the plan, too, where the first one is given."""
        plan = {self.matcher.query(TaskPlan)} if self._given_plans else set()
        return super().from_outside | plan

    @property
    def needed_inputs(self) -> tuple[Query, ...]:
        """What has to be given to it: what is planned from, or the plan itself."""
        plan = (self.matcher.query(TaskPlan),) if self._given_plans else ()
        return tuple(dict.fromkeys(sorted((*super().needed_inputs, *plan), key=str)))


_HANDED_ON = (TaskPlan, TaskStep, Assignment, StepResult, PlanOutcome, PlanSetback)
"""What workers, planners and reviewers may be given, whether they take it or not."""


def _made_by(part: Part) -> tuple[TypeForm, ...]:
    """Return the types of what a worker makes, and of what may stand in it."""
    return (part.returning, *part.agent._more_types)  # noqa: SLF001 - within the package


def _part_of(item: ModelPlanning | PartPlanning | Part | ModelReport | None) -> Part | None:
    """Return what is run as a child; what asks a model is not."""
    if isinstance(item, PartPlanning):
        return item.part
    return item if isinstance(item, Part) else None


def _workers(name: str, given: Iterable[Any] | Mapping[str, Any]) -> dict[str, Part]:
    if isinstance(given, Mapping):
        parts = tuple(as_part(thing, within=name, name=called) for called, thing in given.items())
        as_parts(parts, within=name)
    else:
        parts = as_parts(given, within=name)
    found: dict[str, Part] = {}
    for part in parts:
        if part.name in found:
            message = (
                f"Two workers of {name!r} are named {part.name!r}. Name them by a mapping: workers={{name: worker}}."
            )
            raise DefinitionError(message)
        if part.returning is None:
            message = (
                f"Worker {part.name!r} of {name!r} yields nothing, so nothing would come of its steps. Let it return "
                "something, if only a text."
            )
            raise DefinitionError(message)
        found[part.name] = part
    return found


def _planning(name: str, given: Any, routing: Routing, limit: int) -> ModelPlanning | PartPlanning | None:
    if given is None:
        return None
    if isinstance(given, str):
        if given != "model":
            message = f"{name}: who plans is {given!r}. Write 'model', or give what yields a TaskPlan."
            raise DefinitionError(message)
        return ModelPlanning(routing, limit)
    if isinstance(given, TaskPlan):
        message = f"{name}: a TaskPlan plans nothing. Write planned_by=None, and give the plan as an input of the run."
        raise DefinitionError(message)
    return PartPlanning(_yielding(name, given, TaskPlan))


def _yielding(name: str, given: Any, form: TypeForm) -> Part:
    """Return a part that yields a type, and is run for that."""
    part = as_part(given, within=name)
    if part.returning is None or not any(prospect(member, form) != "never" for member in members(part.returning)):
        message = f"{name}: {part.name!r} yields {type_name(part.returning)}, and no {type_name(form)}."
        raise DefinitionError(message)
    return part if part.action is not None else replace(part, returning=form)


def _reviewer(name: str, given: Any) -> Part:
    part = as_part(judge_by(given) if isinstance(given, str) else given, within=name)
    yields = [member for member in members(part.returning) if member is not Denied] if part.returning else []
    if not yields or any(member not in (bool, Verdict) for member in yields):
        message = f"{name}: {part.name!r} yields {type_name(part.returning)}; a review yields a Verdict or a bool."
        raise DefinitionError(message)
    return part


def _reporter(name: str, given: Any, returning: TypeForm) -> Part | ModelReport | None:
    if returning is not None and not is_type(returning):
        message = f"{name}: returning={returning!r} is no type. Name the type that is wanted, as in returning=Report."
        raise DefinitionError(message)
    if given is None:
        return None if returning in (None, PlanOutcome) else ModelReport(returning)
    if returning is not None:
        return _yielding(name, given, returning)
    part = as_part(given, within=name)
    if part.returning is None:
        message = f"{name}: {part.name!r} yields nothing, so there would be no report."
        raise DefinitionError(message)
    return part


def _needed_by(planning: ModelPlanning | PartPlanning | None) -> tuple[TypeForm, ...]:
    """Return what a planner needs to make a plan."""
    if not isinstance(planning, PartPlanning):
        return () if planning is None else (str,)
    asked = [item.query.form for item in planning.part.inputs if not item.optional]
    return tuple(dict.fromkeys(form for form in asked if form not in (None, PlanSetback, TaskPlan)))


def _refuse_unmet(name: str, workers: Iterable[Part], others: Iterable[TypeForm]) -> None:
    """Refuse workers that need what neither a step gives them nor anything else."""
    known = tuple(workers)
    given = [TaskStep, Assignment, StepResult, str, *others]
    given += [member for part in known for way in part.outputs for form in way for member in members(form)]
    for part in known:
        for item in part.inputs:
            form = item.query.form
            if not item.optional and not any(prospect(there, form) != "never" for there in given):
                message = (
                    f"Worker {part.name!r} of {name!r} needs {item.query}, which no step gives it: a worker is given "
                    "the TaskStep, its text, results it depends on, services, and what `needs=` names. Name it there."
                )
                raise DefinitionError(message)


def _refuse_unknown(name: str, option: str, given: object, known: Iterable[str]) -> None:
    if given not in tuple(known):
        message = f"PlanTree({name!r}, {option}={given!r}): there is no such way. {suggest(str(given), known)}"
        raise DefinitionError(message)


def _refuse_number(name: str, option: str, given: object, *, least: int) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        message = f"PlanTree({name!r}, {option}={given!r}): it is a whole number of at least {least}."
        raise DefinitionError(message)
