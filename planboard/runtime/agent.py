"""An agent: a catalogue that one can run."""

from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar, overload
from uuid import uuid4

from planboard._text import suggest
from planboard.actions.catalogue import Catalogue
from planboard.actions.goal import Goal
from planboard.actions.making import StepAction
from planboard.actions.waiting import Denied, Expired, Slept
from planboard.blackboard.board import check_value
from planboard.blackboard.matching import prospect
from planboard.blackboard.registry import Migration, TypeRegistry
from planboard.errors import DefinitionError
from planboard.llm.agent_tool import AgentTool
from planboard.planners.ask import PlannerAnswer
from planboard.planners.base import Planner
from planboard.planners.compile import Compilation
from planboard.planners.named import planner_named
from planboard.planners.operator import NIRVANA, PlanGoal
from planboard.planners.world import Bits
from planboard.runtime.delegating import Context, agent_as_action
from planboard.runtime.handing import brought_by
from planboard.runtime.inputs import inputs_of_run
from planboard.runtime.mixing import refuse_to_mix, services_of_all
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.runtime.restoring import begin_to_keep
from planboard.runtime.state import ProcessState
from planboard.types import TypeForm, is_type, type_name

if TYPE_CHECKING:
    from planboard.runtime.check import Finding

T = TypeVar("T")


class Agent(Catalogue):
    """A named set of actions, conditions, states and goals; the unit one runs.

    Args:
        name: What it is called.
        parts: Decorated functions, objects with decorated methods ("components"), `@state` classes, modules, and
            other agents, whose parts and services it takes over.
        goals: Goals, or types that must be produced, beside those of `@achieves_goal`.
        services: Objects that are injected into parameters of their types.
        planner: The planner its processes use unless told otherwise; `Goap()` by default.
        description: What it is for.
        types: More types that may stand on the boards of runs that are kept in a journal; those of its actions,
            and the types of their fields, are known anyway.
        migrations: How values of types that have changed since are brought up to date.
        agents: Agents that its actions run by `ActionContext.run`, so that runs of theirs can be taken up.

    Raises:
        DefinitionError: Something about a part cannot work; the message says what, where and what to do.
    """

    def __init__(  # noqa: PLR0913 - an agent is made of so much
        self,
        name: str,
        parts: Iterable[Any],
        *,
        goals: Iterable[Goal | PlanGoal | TypeForm] = (),
        services: Iterable[object] = (),
        planner: Planner | str | None = None,
        description: str = "",
        types: Iterable[TypeForm] = (),
        migrations: Iterable[Migration] = (),
        agents: "Iterable[Agent]" = (),
    ) -> None:
        real = [goal for goal in goals if goal is not NIRVANA]  # planners that want NIRVANA have it anyway
        parts = tuple(parts)
        others = [part for part in parts if isinstance(part, Agent)]
        refuse_to_mix(name, others)
        services = services_of_all(name, services, others)
        super().__init__(name, parts, goals=real, services=services, description=description)
        self.planner = None if planner is None else as_planner(planner)
        """The planner its processes use unless told otherwise."""
        self.agents: Mapping[str, Agent] = _by_name(
            (*agents, *(agent for action in self.actions.values() for agent in action.agents))
        )
        """The agents that its actions run as children, by name, as far as they are known."""
        self._more_types = tuple(types)
        self._migrations = tuple(migrations)
        self._for_services: dict[tuple[type, ...], Agent] = {}
        self._compilations: dict[tuple[Goal, ...], tuple[Compilation, Bits]] = {}

    # In the place of an action

    def as_action(
        self,
        instruction: str | None = None,
        *,
        returning: TypeForm = None,
        ref: str | None = None,
        context: Context = "state",
        name: str | None = None,
        **options: Any,
    ) -> StepAction:
        """Return this agent as an action of another one; see `planboard.steps.subagent`.

        Raises:
            DefinitionError: It has no goal with a type, and `returning` does not say what it is run for.
        """
        return agent_as_action(
            self, instruction=instruction, returning=returning, ref=ref, context=context, name=name, options=options
        )

    def as_tool(
        self, name: str | None = None, description: str | None = None, *, returning: TypeForm = None
    ) -> AgentTool:
        """Return this agent as a tool for `Ai.agentic`, under a name and with a description of its own.

        Each call runs it as a child of the action that asks, on a board of its own; the model is given what it
        returns and nothing of the way there.

        Args:
            name: What the model calls it; the agent's name by default.
            description: What the model is told that it is for; the agent's by default.
            returning: What it is run for; the type of its goals by default.
        """
        return AgentTool(self, name, description, returning)

    # Running

    @overload
    def run(self, *inputs: object, returning: type[T], **options: Any) -> T: ...
    @overload
    def run(self, *inputs: object, returning: None = None, **options: Any) -> Process: ...
    def run(self, *inputs: object, returning: Any = None, **options: Any) -> Any:
        """Run this agent to its end and return the result; see `planboard.run`."""
        from planboard.runtime.runner import run

        return run(self, *inputs, returning=returning, **options)

    @overload
    def arun(self, *inputs: object, returning: type[T], **options: Any) -> Coroutine[Any, Any, T]: ...
    @overload
    def arun(self, *inputs: object, returning: None = None, **options: Any) -> Coroutine[Any, Any, Process]: ...
    def arun(self, *inputs: object, returning: Any = None, **options: Any) -> Coroutine[Any, Any, Any]:
        """Run this agent to its end and return the result, once awaited; see `planboard.arun`."""
        from planboard.runtime.runner import arun

        return arun(self, *inputs, returning=returning, **options)

    def process(
        self,
        *inputs: object,
        returning: TypeForm = None,
        planner: Planner | str | None = None,
        options: ProcessOptions | None = None,
        services: Iterable[object] = (),
        id: str | None = None,  # noqa: A002 - it becomes Process.id
        **bindings: object,
    ) -> Process:
        """Return a process that has not run yet, with the inputs on its board.

        Args:
            inputs: Objects that are put on the board unnamed.
            returning: The type wanted; only goals that yield it are pursued.
            planner: Which planner chooses, instead of the options' or the agent's.
            options: Budget, concurrency, listeners and so on.
            services: More objects to inject, for this process only.
            id: The process's id; a random one by default.
            bindings: Objects that are put on the board under these names.

        Raises:
            DefinitionError: There is no goal to pursue, or nothing yields the type wanted.
            EntryTypeError: An input is `None`, or violates its own model.
        """
        extra = tuple(services)
        agent = self._serving(extra) if extra else self
        return agent._prepare(  # noqa: SLF001
            inputs,
            bindings,
            returning=returning,
            planner=planner,
            options=options or _DEFAULTS,
            process_id=id,
            services=(*extra, *self.services),
        )

    def plan(
        self, *inputs: object, returning: TypeForm = None, planner: Planner | str | None = None, **bindings: object
    ) -> PlannerAnswer:
        """Return what the planner would do with these inputs, without running anything."""
        options = ProcessOptions(planner=planner)
        process = self._prepare(inputs, bindings, returning=returning, options=options, process_id="plan")
        return process.next_plan()

    def _prepare(
        self,
        inputs: tuple[object, ...],
        bindings: dict[str, Any],
        *,
        returning: TypeForm,
        options: ProcessOptions,
        planner: Planner | str | None = None,
        parent: Process | None = None,
        process_id: str | None = None,
        services: tuple[object, ...] | None = None,
    ) -> Process:
        self._refuse_misspelt_options(bindings)
        chosen = self._chosen(planner or options.planner)
        goals = self._goals_for(returning, chosen)
        given = inputs_of_run(self, inputs, bindings)
        for item in given:
            check_value(item.value, item.type)
        compilation, bits = self._compiled(goals)
        process = Process(
            self,
            process_id or str(uuid4()),
            partial(ProcessState, compilation, bits, services=self.services if services is None else services),
            compilation.plan_goals,
            chosen,
            options,
            parent,
        )
        if options.journal is not None:
            begin_to_keep(process, None if returning is None else self._kept_form(returning))
        for item in given:
            if item.name is None:
                process.board.add(item.value, type=item.type)
            else:
                process.board.bind(item.name, item.value, type=item.type)
        process._flush()  # noqa: SLF001 - a run that was accepted is not lost
        return process

    def _chosen(self, given: Planner | str | None) -> Planner:
        """Return the planner of a process.

        Raises:
            DefinitionError: The agent works only with its own.
        """
        own = self.planner
        chosen = as_planner(given or own or "goap")
        if own is not None and not own.handed_down and chosen.name != own.name:
            message = (
                f"{self.name!r} works by {own.name!r} only: who or what comes next is settled by how it is made, so it "
                f"cannot be planned by {chosen.name!r}. Give planners to what it is made of instead."
            )
            raise DefinitionError(message)
        return chosen

    def _kept_form(self, form: TypeForm) -> str:
        self.types.register(form)
        return self.types.form_name(form)

    def _refuse_misspelt_options(self, bindings: Iterable[str]) -> None:
        """A keyword that is no option names an input, but hardly one that looks like an option."""
        named = {query.name for query in self.matcher.queries}
        named.update(item.parameter for action in self.actions.values() for item in action.body.inputs)
        for name in bindings:
            if name in _OPTIONS_OF_A_PROCESS and name not in named:
                message = f"Pass {name!r} as options=ProcessOptions({name}=...); no action takes an input of that name."
                raise DefinitionError(message)
            close = get_close_matches(name, _OPTIONS, n=1, cutoff=0.85)
            if close and name not in named:
                message = f"There is no option {name!r}. Did you mean {close[0]!r}?"
                raise DefinitionError(message)

    def _goals_for(self, returning: TypeForm, planner: Planner) -> tuple[Goal, ...]:
        if returning is None:
            if not self.goals and not planner.nirvana:
                message = (
                    f"Agent {self.name!r} has no goal for {planner.name} to plan for. Mark an action with "
                    "@achieves_goal, pass `goals=`, or ask for a result with `returning=`."
                )
                raise DefinitionError(message)
            return self.goals
        if not is_type(returning):
            message = f"returning={returning!r} is no type. Name the type that is wanted, as in returning=Report."
            raise DefinitionError(message)
        yielding = [goal for goal in self.goals if goal.form is not None]
        sure = tuple(goal for goal in yielding if prospect(goal.form, returning) == "always")
        if sure:
            return sure
        outputs = {form for action in self.actions.values() for form in action.output_types}
        if not any(prospect(form, returning) != "never" for form in outputs):
            names = [type_name(form) for form in outputs]
            hint = suggest(type_name(returning), names)
            message = f"No action of agent {self.name!r} yields {type_name(returning)}. {hint}"
            raise DefinitionError(message)
        return (self._wanted(returning),)

    def _wanted(self, form: TypeForm) -> Goal:
        """Return the goal for a type that no stated goal yields, the same one each time."""
        return self._wanted_goals.setdefault(form, Goal(form))

    @cached_property
    def _wanted_goals(self) -> dict[TypeForm, Goal]:
        return {}

    def _compiled(self, goals: tuple[Goal, ...]) -> tuple[Compilation, Bits]:
        found = self._compilations.get(goals)
        if found is None:
            compilation = Compilation(self, goals)
            found = self._compilations.setdefault(goals, (compilation, Bits(compilation)))
        return found

    def _serving(self, services: tuple[object, ...]) -> "Agent":
        """Return this agent for processes with more services; which parameters they fill depends on their types."""
        types = tuple(type(service) for service in services)
        if types not in self._for_services:
            self._for_services[types] = Agent(
                self.name,
                self.parts,
                goals=self.stated_goals,
                services=(*self.services, *services),
                planner=self.planner,
                description=self.description,
                types=self._more_types,
                migrations=self._migrations,
                agents=self.agents.values(),
            )
        return self._for_services[types]

    def _lacking(self, services: Iterable[object]) -> tuple[object, ...]:
        """Return which services of a process this agent needs as a child of it, since it has none of them itself."""
        needed = [query.form for query in self.needed_inputs if query.name is None and isinstance(query.form, type)]
        return tuple(service for service in services if any(isinstance(service, form) for form in needed))

    @cached_property
    def types(self) -> TypeRegistry:
        """The types whose values runs of this agent may keep."""
        forms: list[TypeForm] = [*self.states, *(goal.form for goal in self.goals if goal.form is not None)]
        for action in self.actions.values():
            forms += [item.query.form for item in action.body.inputs]
            forms += brought_by(action)
        for condition in self.conditions.values():
            forms += [query.form for query in condition.queries if query.form is not None]
        return TypeRegistry(
            (*(form for form in forms if form is not None), Denied, Expired, Slept, *self._more_types),
            migrations=self._migrations,
        )

    def _learn(self, *forms: TypeForm) -> None:
        """Let runs keep objects of more types: of those that whoever runs this agent puts on its board.

        The agents that it runs learn them too, since it may hand on what it was given.
        """
        new = tuple(form for form in forms if form not in self._more_types)
        if not new:
            return  # agents may run each other
        self._more_types += new
        for form in new:
            self.types.register(form)
        for agent in (*self._for_services.values(), *self.agents.values()):
            agent._learn(*new)  # noqa: SLF001 - its own class

    # Looking

    def check(self) -> "list[Finding]":
        """Return what is suspicious about this agent: each with place and remedy; see `planboard check`."""
        from planboard.runtime.check import check

        return check(self)

    def mermaid(self) -> str:
        """Return the agent as a Mermaid flowchart of types and actions."""
        from planboard.runtime.draw import draw

        return draw(self)

    def __repr__(self) -> str:
        return f"<Agent {self.name!r}: {len(self.actions)} actions, {len(self.goals)} goals>"


def _by_name(agents: Iterable[Any]) -> "dict[str, Agent]":
    found: dict[str, Agent] = {}
    for agent in agents:
        if found.setdefault(agent.name, agent) is not agent:
            message = f"Two agents that are run as children are named {agent.name!r}; rename one of them."
            raise DefinitionError(message)
    return dict(sorted(found.items()))


_DEFAULTS = ProcessOptions()
_OPTIONS_OF_A_PROCESS = frozenset(option.name for option in fields(ProcessOptions)) - {"planner"}
_OPTIONS = ("options", "planner", "returning", "services")


def as_planner(given: Planner | str) -> Planner:
    """Return a planner given as itself or by name.

    Raises:
        UnknownNameError: No planner has the name.
        DefinitionError: It is no planner.
    """
    if isinstance(given, str):
        return planner_named(given)
    if not isinstance(given, Planner):
        hint = f" Write {given.__name__}(), with parentheses." if isinstance(given, type) else ""
        message = f"{given!r} is no planner.{hint}"
        raise DefinitionError(message)
    return given
