"""The light way: actions and inputs, without an agent of one's own."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar, cast

from planboard.errors import DefinitionError
from planboard.llm.ai import Ai
from planboard.planners.greedy import Utility
from planboard.planners.supervisor.planner import Supervisor
from planboard.runtime.agent import Agent
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.runtime.runner import arun, run
from planboard.types import TypeForm, type_name

T = TypeVar("T")

_DEFAULTS = ProcessOptions()


def supervise(
    actions: Any,
    *inputs: object,
    returning: type[T],
    llm: Any = None,
    name: str | None = None,
    goal_description: str | None = None,
    options: ProcessOptions | None = None,
    **bindings: object,
) -> T:
    """Let a model choose among actions until there is a result of a type, and return it.

    Args:
        actions: Decorated functions, objects with decorated methods, modules; or one of these.
        inputs: Objects that are put on the board unnamed.
        returning: The type wanted.
        llm: The model: a `LanguageModel`, the name of one, or several to fall back on; by default the one that the
            environment names. Actions that take an `Ai` use it too.
        name: What the agent is called in events and messages; by default `"<type wanted>.supervisor"`.
        goal_description: What is wanted, in words, for the model; by default what `@achieves_goal` says.
        options: Budget, listeners and so on. A `Supervisor` in `options.planner` is used as it is, but for its model
            if `llm` is given.
        bindings: Objects that are put on the board under these names.

    Raises:
        ProcessNotCompletedError: The run did not complete; `.process` holds all there is to know.
        DefinitionError: No action yields the type wanted, or `options.planner` is no `Supervisor`.
        RunningLoopError: An event loop is running in this thread; use `await asupervise(...)`.
    """
    agent, chosen = _supervised(actions, returning, llm, name, goal_description, options)
    found: T = run(agent, *inputs, returning=returning, options=chosen, **cast("dict[str, Any]", bindings))
    return found


async def asupervise(
    actions: Any,
    *inputs: object,
    returning: type[T],
    llm: Any = None,
    name: str | None = None,
    goal_description: str | None = None,
    options: ProcessOptions | None = None,
    **bindings: object,
) -> T:
    """Do what `supervise` does, from asynchronous code.

    Raises:
        ProcessNotCompletedError: The run did not complete; `.process` holds all there is to know.
        DefinitionError: No action yields the type wanted, or `options.planner` is no `Supervisor`.
    """
    agent, chosen = _supervised(actions, returning, llm, name, goal_description, options)
    found: T = await arun(agent, *inputs, returning=returning, options=chosen, **cast("dict[str, Any]", bindings))
    return found


def act(
    actions: Any,
    *inputs: object,
    terminate_when_stuck: bool = False,
    name: str | None = None,
    options: ProcessOptions | None = None,
    **bindings: object,
) -> Process:
    """Run what is worth most, again and again, until nothing is left to do, and return the finished process.

    Args:
        actions: Decorated functions, objects with decorated methods, modules; or one of these.
        inputs: Objects that are put on the board unnamed.
        terminate_when_stuck: End TERMINATED instead of STUCK or COMPLETED when no action is left.
        name: What the agent is called in events and messages; by default `"utility"`.
        options: Budget, listeners and so on; `options.planner` is used if it is there, else `Utility()`.
        bindings: Objects that are put on the board under these names.

    Raises:
        ProcessNotCompletedError: The run did not complete; `.process` holds all there is to know.
        RunningLoopError: An event loop is running in this thread; use `await aact(...)`.
    """
    agent, chosen = _acting(actions, name, options, terminate_when_stuck=terminate_when_stuck)
    process: Process = run(agent, *inputs, options=chosen, **cast("dict[str, Any]", bindings))
    return process


async def aact(
    actions: Any,
    *inputs: object,
    terminate_when_stuck: bool = False,
    name: str | None = None,
    options: ProcessOptions | None = None,
    **bindings: object,
) -> Process:
    """Do what `act` does, from asynchronous code.

    Raises:
        ProcessNotCompletedError: The run did not complete; `.process` holds all there is to know.
    """
    agent, chosen = _acting(actions, name, options, terminate_when_stuck=terminate_when_stuck)
    return await arun(agent, *inputs, options=chosen, **cast("dict[str, Any]", bindings))


def _supervised(
    actions: Any,
    returning: TypeForm,
    llm: Any,
    name: str | None,
    description: str | None,
    options: ProcessOptions | None,
) -> tuple[Agent, ProcessOptions]:
    chosen = options or _DEFAULTS
    planner = Supervisor() if chosen.planner in (None, "supervisor") else chosen.planner
    if not isinstance(planner, Supervisor):
        message = f"supervise(options=...) has the planner {planner!r}; supervise needs a Supervisor, or none."
        raise DefinitionError(message)
    given = {"llm": llm, "goal_description": description}
    planner = replace(planner, **{field: value for field, value in given.items() if value is not None})
    agent = Agent(
        name or f"{type_name(returning)}.supervisor",
        _parts(actions),
        services=[] if planner.llm is None else [Ai(planner.llm)],
    )
    return agent, replace(chosen, planner=planner)


def _acting(
    actions: Any, name: str | None, options: ProcessOptions | None, *, terminate_when_stuck: bool
) -> tuple[Agent, ProcessOptions]:
    chosen = options or _DEFAULTS
    stuck = terminate_when_stuck or chosen.terminate_when_stuck
    planner = chosen.planner or Utility()
    return Agent(name or "utility", _parts(actions)), replace(chosen, planner=planner, terminate_when_stuck=stuck)


def _parts(actions: Any) -> Iterable[Any]:
    return actions if isinstance(actions, list | tuple) else [actions]
