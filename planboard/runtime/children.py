"""Running an agent as a child of a process: with a board of its own, and the parent's budgets and listeners."""

from dataclasses import replace
from typing import Any

from planboard.actions.catalogue import Catalogue
from planboard.actions.context import Effects
from planboard.errors import DefinitionError
from planboard.runtime.agent import Agent
from planboard.runtime.executor import Executor
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.types import TypeForm


async def run_child(  # noqa: PLR0913, PLR0917 - what a child is made of
    parent: Process,
    number: int,
    executor: Executor,
    agent: Catalogue,
    inputs: tuple[object, ...],
    returning: TypeForm,
    bindings: dict[str, Any],
    effects: Effects,
    given: ProcessOptions | None,
) -> Any:
    """Run a child to its end and return its result, or the child itself when no type is asked for.

    Args:
        parent: Whose action starts it.
        number: The how-manieth child of its parent it is.
        executor: Runs its actions.
        agent: What is run.
        inputs: Objects for its board, unnamed.
        returning: The type wanted.
        bindings: Objects for its board, by name.
        effects: Where what it spends is noted; it has charged that already.
        given: Options of its own; what they leave open is the parent's.

    Raises:
        ProcessNotCompletedError: It did not complete.
        DefinitionError: It is no agent.
    """
    if not isinstance(agent, Agent):
        message = f"{agent!r} is no Agent, so it cannot be run as a child process."
        raise DefinitionError(message)
    inherited = ProcessOptions(
        concurrency=parent.options.concurrency,
        terminate_when_stuck=parent.options.terminate_when_stuck,
        max_ticks=parent.options.max_ticks,
    )
    chosen = given or inherited
    options = replace(
        chosen,
        planner=chosen.planner or agent.planner or parent.planner,
        journal=chosen.journal or parent.options.journal,
        identities={**parent.options.identities, **chosen.identities},
    )
    child = agent._prepare(  # noqa: SLF001
        inputs, bindings, returning=returning, options=options, parent=parent, process_id=f"{parent.id}.{number}"
    )
    try:
        await child._run(executor, alone=False)  # noqa: SLF001
    finally:
        effects.charged += child.usage
    child.raise_for_status()
    return child.result(returning) if returning is not None else child
