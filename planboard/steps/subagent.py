"""`subagent`: an action that runs another agent as a child process, and puts its result on the board."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from planboard.actions.making import StepAction
from planboard.errors import DefinitionError
from planboard.runtime.delegating import Context, agent_as_action
from planboard.types import TypeForm

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent
    from planboard.runtime.options import ProcessOptions


def subagent(
    agent: "Agent",
    instruction: str | None = None,
    *,
    returning: TypeForm = None,
    ref: str | None = None,
    context: Context = "state",
    needs: Iterable[TypeForm] | None = None,
    run: "ProcessOptions | None" = None,
    name: str | None = None,
    **options: Any,
) -> StepAction:
    """Return an action that runs another agent, on a board of its own, and yields what that is run for.

    If the child waits, so does the process, with the child's requests among its own. When it goes on, the child goes
    on where it was. Budgets, listeners, identities, policies and the journal are those of the process. What the child
    does on its way stays on its own board.

    Args:
        agent: What is run.
        instruction: What it shall do, in words. A child that takes a `Brief` or a `str` is given the instruction,
            followed by what is on the board as JSON; without an instruction, that JSON alone.
        returning: What it is run for; the type of its goals by default.
        ref: The name that its result is bound to on the board.
        context: `"state"`: as said. `"typed"`: the child is given its typed inputs, and the instruction if there is
            one. `"isolated"`: it is given the instruction only.
        needs: The typed inputs it is given; by default what its actions need and none of them makes.
        run: Options of its own: a planner, a smaller budget.
        name: The name of the action; the agent's by default.
        **options: What `@action` takes: `cost`, `value`, `pre`, `post`, `output`, `rerun`, `approval` and so on.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    from planboard.runtime.agent import Agent

    if not isinstance(agent, Agent):
        message = f"subagent({agent!r}): it is no Agent."
        raise DefinitionError(message)
    return agent_as_action(
        agent, instruction=instruction, returning=returning, ref=ref, context=context, needs=needs, run=run, name=name,
        options=options,
    )  # fmt: skip
