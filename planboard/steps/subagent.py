"""`subagent`: an action that runs another agent as a child process, and puts its result on the board."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from planboard.actions.context import ActionContext
from planboard.errors import DefinitionError
from planboard.steps.declare import StepAction, step, with_inputs
from planboard.types import TypeForm, is_type, snake_case, type_name

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent
    from planboard.runtime.options import ProcessOptions


def subagent(
    agent: "Agent",
    *,
    returning: TypeForm,
    needs: Iterable[TypeForm] | None = None,
    run: "ProcessOptions | None" = None,
    name: str | None = None,
    **options: Any,
) -> StepAction:
    """Return an action that runs another agent, on a board of its own, and yields what that is run for.

    If the child waits, so does the process, with the child's requests among its own. When it goes on, the child goes
    on where it was. Budgets, listeners, identities, policies and the journal are those of the process.

    Args:
        agent: What is run.
        returning: What it is run for.
        needs: What it is given; by default what its actions need and none of them makes.
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
    if not is_type(returning):
        message = f"subagent({agent.name!r}, returning={returning!r}): name the type that it is run for."
        raise DefinitionError(message)
    forms = [query.form for query in agent.needed_inputs] if needs is None else list(needs)
    inputs = {snake_case(type_name(form)): form for form in forms}

    async def run_agent(**given: Any) -> Any:
        context: ActionContext = given.pop(_CONTEXT)
        return await context.run(agent, *given.values(), returning=returning, options=run)

    function = with_inputs(run_agent, {**inputs, _CONTEXT: ActionContext})
    options.setdefault("description", agent.description or f"Runs {agent.name}.")
    options.setdefault("idempotent", True)  # running it again takes up the same child, so nothing is done twice
    return step("subagent step", function, name=name or agent.name, returns=returning, agent=agent, options=options)


_CONTEXT = "planboard_context"
