"""An agent as an action: it is run as a child, and what it is run for is put on the board."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

from planboard.actions.context import ActionContext
from planboard.actions.making import StepAction, parameters_of, step, with_inputs
from planboard.blackboard.matching import members
from planboard.errors import DefinitionError
from planboard.planners.goap import Goap
from planboard.runtime.brief import Brief, state_of_board
from planboard.runtime.handing import CONTEXT, handed_over, inputs_of_step, needed_by, parameters_for
from planboard.runtime.options import ProcessOptions
from planboard.types import TypeForm, is_type

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent

Context: TypeAlias = Literal["state", "typed", "isolated"]
"""What a child is given of what its parent knows: all of it as JSON beside its typed inputs, these only, or nothing."""


def agent_as_action(  # noqa: PLR0913 - a child has so many sides
    agent: "Agent",
    *,
    instruction: str | None = None,
    returning: TypeForm = None,
    ref: str | None = None,
    context: Context = "state",
    needs: Iterable[TypeForm] | None = None,
    run: "ProcessOptions | None" = None,
    name: str | None = None,
    options: Mapping[str, Any],
) -> StepAction:
    """Return an action that runs an agent; see `planboard.steps.subagent`."""
    called = name or agent.name
    yields = _wanted_of(agent, returning)
    if context not in ("state", "typed", "isolated"):
        message = f'subagent({agent.name!r}, context={context!r}): it is "state", "typed" or "isolated".'
        raise DefinitionError(message)
    if instruction is not None and not isinstance(instruction, str):
        message = f"subagent({agent.name!r}, instruction={instruction!r}): it is a text."
        raise DefinitionError(message)
    if run is not None and not isinstance(run, ProcessOptions):
        message = f"subagent({agent.name!r}, run={run!r}): it takes ProcessOptions."
        raise DefinitionError(message)
    inputs = _typed_inputs(agent, needs, context, instructed=instruction is not None)
    asked = [item for action in agent.actions.values() for item in action.body.inputs]
    reads = {form for item in asked for form in members(item.query.form)}
    wants_text = str in reads and str not in inputs.values()
    told = instruction is not None or Brief in reads or wants_text or _is_asked_of_a_model(agent, run)
    shares = told and context == "state"
    if told:
        agent._learn(Brief)  # noqa: SLF001 - within the package

    async def run_agent(**given: Any) -> Any:
        here: ActionContext = given.pop(CONTEXT)
        handed: list[object] = [*handed_over(given, inputs_of_step(made))]
        brief = Brief(instruction=instruction or "", state=state_of_board(here.visible) if shares else "")
        if told and brief.text:
            handed += [brief, brief.text] if wants_text else [brief]
        return await here.run(agent, *handed, returning=yields, options=run)

    function = with_inputs(run_agent, {**inputs, CONTEXT: ActionContext})
    more = {"description": agent.description or f"Runs {agent.name}.", **options}
    more.setdefault("idempotent", True)  # running it again takes up the same child, so nothing is done twice
    if ref is not None:
        if more.get("output") not in (None, ref):
            message = (
                f"subagent({agent.name!r}) has ref={ref!r} and output={more['output']!r}, which is the same thing."
            )
            raise DefinitionError(message)
        more["output"] = ref
    made = step("subagent step", function, name=called, returns=yields, agents=(agent,), options=more)
    made.reads_board = shares
    return made


def _is_asked_of_a_model(agent: "Agent", run: "ProcessOptions | None") -> bool:
    """Tell whether a model chooses what the child does, and so sees what is on its board."""
    planner = (run.planner if run is not None else None) or agent.planner
    return planner == "supervisor" if isinstance(planner, str) else planner is not None and planner.asks


def _wanted_of(agent: "Agent", returning: TypeForm) -> TypeForm:
    """Return the type that an agent is run for: the given one, else that of its goals.

    Raises:
        DefinitionError: It is no type, or nothing yields it; or the agent has no goal with a type.
    """
    if returning is not None:
        if not is_type(returning):
            message = f"subagent({agent.name!r}, returning={returning!r}): name the type that it is run for."
            raise DefinitionError(message)
        agent._goals_for(returning, Goap())  # noqa: SLF001 - what it cannot be run for is said now, not when it is run
        return returning
    forms = tuple(dict.fromkeys(goal.form for goal in agent.goals if goal.form is not None))
    if not forms:
        message = f"Agent {agent.name!r} has no goal with a type, so say what it is run for: returning=Report."
        raise DefinitionError(message)
    return Union[forms]  # noqa: UP007 - made at run time


def _typed_inputs(
    agent: "Agent", needs: Iterable[TypeForm] | None, context: Context, *, instructed: bool
) -> dict[str, TypeForm]:
    if needs is not None:
        return parameters_of(needs)
    if context == "isolated":
        return {}
    told = (str, Brief) if context == "state" or instructed else ()
    return parameters_for(item for item in needed_by(agent) if item.query.form not in told)
