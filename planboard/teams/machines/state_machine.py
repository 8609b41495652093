"""A declarative state machine: an agent made of `@state` classes, whose graph is checked before anything runs.

The graph is what the methods say: one that returns another state enters it. When the machine is built, every state
must be reachable and lead to an end; when it runs, an action can only enter a state that it declares.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from itertools import product
from typing import TYPE_CHECKING, Any, Union

from planboard._text import listed
from planboard.actions.action import Action
from planboard.actions.context import ActionContext
from planboard.actions.decorators import action as declare
from planboard.actions.goal import Goal
from planboard.actions.parts import find_parts
from planboard.actions.state import state_of, state_of_value
from planboard.blackboard.index import Query
from planboard.errors import DefinitionError, OutputError, Replan
from planboard.llm.ai import Ai
from planboard.planners.base import Planner
from planboard.runtime.agent import Agent
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.teams.machines.state_checks import disagreements, problems_of
from planboard.teams.machines.state_diagram import state_dot, state_mermaid
from planboard.teams.machines.state_graph import (
    StateName,
    States,
    Transition,
    entries_outside,
    is_in_a_state,
    read_graph,
    strangers,
)
from planboard.types import TypeForm, is_type, type_name

if TYPE_CHECKING:
    from planboard.runtime.check import Finding

_MOST_STEPS = 1_000
"""How many actions a run may start unless the machine says otherwise."""


class StateMachine(Agent):
    """An agent that is in one state at a time, from a first one to a final one.

    Entering a state hides what is on the board, but for what the state keeps. Which of the actions of a state runs is
    chosen as in any agent: guards (`pre=`, `@method.when`) say what may run, and the planner takes the cheapest way to
    a final state; of several final states the one that is worth most.

    Args:
        name: What it is called.
        states: `@state` classes. A base class stands for its subclasses in the same module, unless some are given too.
        initial: The states that a run is given to begin with. By default runs begin with actions among `parts` that
            return a state and take none.
        final: What ends a run: states, or types of results that actions of states return. Of several, a mapping says
            what each is worth. Results of `@achieves_goal` actions end a run anyway.
        parts: More actions and components, beside the methods of the states.
        transitions: By state, the states that may follow, to be compared with what the actions say.
        max_steps: How many actions a run may start, those of agents that it runs included; then it is TERMINATED.
            `None` for no limit.
        llm: The model of its actions and of agents that it runs; by default that of the process or of the environment.
        services: Objects that are injected into parameters of their types.
        planner: The planner of its processes unless told otherwise.
        description: What it is for.
        **more: What an `Agent` takes beside: `types`, `migrations`, `agents`.

    Example:
        >>> order = StateMachine("order", [Placed, Paid, Shipped], initial=Placed, final=Shipped)
        >>> run(order, Placed(item="book"), returning=Shipped)

    Raises:
        DefinitionError: The graph cannot work: a state that is not among the states, cannot be reached, or leads to no
            end; a final state with an action of its own; `transitions=` that say other than the actions. All that is
            wrong is in the message, with places.
    """

    def __init__(  # noqa: PLR0913 - a machine is made of so much
        self,
        name: str,
        states: Iterable[type] | type,
        *,
        initial: StateName | Iterable[StateName] | None = None,
        final: TypeForm | Iterable[TypeForm] | Mapping[TypeForm, float] = (),
        parts: Iterable[Any] = (),
        transitions: Mapping[StateName, Any] | None = None,
        max_steps: int | None = _MOST_STEPS,
        llm: Any = None,
        services: Iterable[object] = (),
        planner: Planner | str = "goap",
        description: str = "",
        **more: Any,
    ) -> None:
        if max_steps is not None and (isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1):
            message = f"State machine {name!r}: max_steps={max_steps!r} is no whole number of at least 1, nor None."
            raise DefinitionError(message)
        if "goals" in more:
            message = f"State machine {name!r}: what ends a run is said by final=, not by goals=."
            raise DefinitionError(message)
        services = (*services, *(() if llm is None else (Ai(llm),)))
        self._states = States(name, states)
        self.max_steps = max_steps
        """How many actions a run may start; `None` for any number."""
        everything = (*self._states.given, *parts)
        self._given: dict[str, Any] = {
            "states": self._states.given, "initial": initial, "final": final, "parts": tuple(parts),
            "transitions": transitions, "max_steps": max_steps, "planner": planner, "description": description, **more,
        }  # fmt: skip
        worth = self._worth(final)
        achieved = _achieved(everything)
        goals = [Goal(form, value=value) for form, value in worth.items() if form not in achieved]
        super().__init__(
            name, everything, goals=goals, services=services, planner=planner, description=description, **more
        )
        given = () if initial is None else _as_names(initial)
        begun = tuple(dict.fromkeys(leaf for one in given for leaf in self._states.named(one, "initial=")))
        self._given_initial = begun
        ended = tuple(dict.fromkeys(leaf for form in worth for leaf in (self._states.under(form) or (form,))))
        actions = tuple(self.actions.values())
        self._graph = read_graph(self._states, actions, begun, tuple(dict.fromkeys((*ended, *achieved))))
        problems = [*strangers(actions, self._states), *entries_outside(actions, begun, self._states)]
        problems = problems or problems_of(self._graph)
        if transitions is not None:
            problems += disagreements(self._graph, transitions)
        self._refuse(problems)

    # Looking

    @property
    def transitions(self) -> tuple[Transition, ...]:
        """The arrows of the graph, in the order in which a run can come to their states, then of their actions."""
        return self._graph.transitions

    @property
    def initial(self) -> tuple[type, ...]:
        """The states in which a run may begin."""
        return self._graph.initial

    @property
    def final(self) -> tuple[TypeForm, ...]:
        """The states, and the types of results, that end a run."""
        return self._graph.final

    @property
    def needed_inputs(self) -> tuple[Query, ...]:
        """What has to be given from outside; the first state, unless an action makes it."""
        needed = super().needed_inputs
        if not self._given_initial or any(
            not is_in_a_state(one) and self._enters(one) for one in self.actions.values()
        ):
            return needed
        first: Any = Union[self._given_initial]  # noqa: UP007 - made at run time
        query = self.matcher.query(first)
        others = [
            one for one in needed if not any(leaf in self._given_initial for leaf in self._states.under(one.form))
        ]
        return tuple(sorted((query, *others), key=str))

    def mermaid(self) -> str:
        """Return the machine as a Mermaid `stateDiagram-v2`, with the actions on the arrows."""
        return state_mermaid(self.transitions)

    def dot(self) -> str:
        """Return the machine as a DOT digraph for Graphviz, with the actions on the arrows."""
        return state_dot(self.transitions, self.name)

    def check(self) -> "list[Finding]":
        """Return what is suspicious about the machine beside its graph; see `planboard check`."""
        begins = [] if not self._given_initial else [_beginning(self._given_initial)]
        parts = (*self.parts, *begins)
        return Agent(self.name, parts, goals=self.stated_goals, services=self.services).check()

    # Building

    def _worth(self, final: Any) -> dict[TypeForm, float]:
        """Return what each final state or type of result is worth."""
        items = final.items() if isinstance(final, Mapping) else ((form, 0.0) for form in _as_names(final))
        found: dict[TypeForm, float] = {}
        for form, value in items:
            if isinstance(form, str) or (is_type(form) and state_of(form) is not None):
                found.update(dict.fromkeys(self._states.named(form, "final="), value))
            elif is_type(form):
                found[form] = value
            else:
                message = f"State machine {self._states.machine!r}: {form!r} in final= is neither a state nor a type."
                raise DefinitionError(message)
        return found

    def _refuse(self, problems: list[str]) -> None:
        if len(problems) == 1:
            raise DefinitionError(f"State machine {self.name!r}: {problems[0]}")
        if problems:
            lines = "\n".join(f"- {problem}" for problem in problems)
            raise DefinitionError(f"State machine {self.name!r} cannot work:\n{lines}")

    def _enters(self, action: Action) -> bool:
        return any(self._states.under(form) for form in action.output_types)

    def _action(self, item: Any, signature: Any) -> Action:
        """Return an action that declares the states it may enter, instead of base classes that stand for them."""
        found = super()._action(item, signature)
        ways = tuple(
            dict.fromkeys(
                one for way in found.outputs for one in product(*(self._states.under(form) or (form,) for form in way))
            )
        )
        allowed = tuple(
            form for form in dict.fromkeys(form for way in ways for form in way) if state_of(form) is not None
        )
        body = replace(found.body, function=_only_entering(allowed, found))
        only = ways[0][0] if len(ways) == 1 and len(ways[0]) == 1 else None
        return replace(found, outputs=ways, only_output=only, body=body)

    # Running

    def _prepare(self, *args: Any, options: ProcessOptions, **more: Any) -> Process:
        if self.max_steps is not None:
            limits = [limit for limit in (options.budget.actions, self.max_steps) if limit is not None]
            options = replace(options, budget=replace(options.budget, actions=min(limits)))
        return super()._prepare(*args, options=options, **more)

    def _serving(self, services: tuple[object, ...]) -> Agent:
        types = tuple(type(service) for service in services)
        if types not in self._for_services:
            self._for_services[types] = StateMachine(self.name, services=(*self.services, *services), **self._given)
        return self._for_services[types]

    def __repr__(self) -> str:
        return f"<StateMachine {self.name!r}: {len(self._states.leaves)} states, {len(self.actions)} actions>"


def current_state(process: Process) -> Any:
    """Return the state that a run is in, as the object on its board; `None` before the first and without states."""
    return next((entry.value for entry in reversed(process.board.visible) if state_of_value(entry.value)), None)


def _achieved(parts: tuple[Any, ...]) -> tuple[TypeForm, ...]:
    """Return the types of results that `@achieves_goal` actions return."""
    found: dict[TypeForm, None] = {}
    for item in find_parts(parts).actions:
        if item.declaration.achieves is not None:
            outputs = item.declaration.reader.read().outputs
            found.update(dict.fromkeys(form for way in outputs for form in way))
    return tuple(found)


def _as_names(given: Any) -> tuple[Any, ...]:
    return (given,) if isinstance(given, str) or is_type(given) or not isinstance(given, Iterable) else tuple(given)


def _beginning(states: tuple[type, ...]) -> Any:
    """Return an action that stands for whoever gives a run its first state."""

    def given_from_outside() -> Any: ...

    given_from_outside.__annotations__["return"] = Union[states]  # noqa: UP007 - made at run time
    return declare(given_from_outside)


def _only_entering(allowed: tuple[Any, ...], action: Action) -> Callable[..., Any]:
    """Return the function of an action, which enters no other state by its context or in asking for another plan."""
    function = action.body.function

    def look_at(values: Iterable[object]) -> None:
        for value in values:
            if state_of_value(value) is not None and not isinstance(value, allowed):
                declares = listed(map(type_name, allowed), conjunction="or") or "none"
                message = (
                    f"Action {action.name!r} would enter the state {type(value).__name__}, but declares {declares} "
                    f"({action.where}). The board is unchanged."
                )
                raise OutputError(action.name, message)

    def look_at_context(arguments: Mapping[str, Any]) -> None:
        context = arguments.get(action.body.context or "")
        if isinstance(context, ActionContext):
            look_at(addition.value for addition in context._effects.additions)  # noqa: SLF001 - what it is about to do

    if action.is_async:

        @wraps(function)
        async def enter_later(*args: Any, **arguments: Any) -> Any:
            try:
                value = await function(*args, **arguments)
            except Replan as signal:
                look_at(signal.bindings.values())
                raise
            look_at_context(arguments)
            return value

        return enter_later

    @wraps(function)
    def enter(*args: Any, **arguments: Any) -> Any:
        try:
            value = function(*args, **arguments)
        except Replan as signal:
            look_at(signal.bindings.values())
            raise
        look_at_context(arguments)
        return value

    return enter
