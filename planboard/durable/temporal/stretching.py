"""How what a process hands down to its calls and children reaches other machines: budgets, policies, planners."""

from dataclasses import asdict, replace
from typing import Any

from planboard.actions.context import NOTHING, ChildOrder
from planboard.durable.temporal.home import OF_AGENT, Home
from planboard.durable.temporal.planning import RecordedPlanner
from planboard.errors import DefinitionError
from planboard.journal.memory import MemoryJournal
from planboard.runtime.agent import Agent
from planboard.runtime.kinship import id_of_child, with_services
from planboard.runtime.options import Budget
from planboard.runtime.outcome import ActionCall, Command
from planboard.runtime.process import Process


def remaining(process: Process, call: Command | None = None) -> dict[str, Any]:
    """Return what is left of the budget of a process, as data.

    Args:
        process: The process.
        call: What has been paid for already, and is going to be paid for again.
    """
    ledger = process._core.ledger  # noqa: SLF001 - within the package
    spent = ledger.spent - (call.usage if isinstance(call, ActionCall) else NOTHING)
    left = {
        name: None if limit is None else max(limit - getattr(spent, name, 0), 0)
        for name, limit in asdict(ledger.budget).items()
    }
    if left["seconds"] is not None:
        left["seconds"] = max(left["seconds"] - ledger.seconds(process.options.clock.time()), 0)
    return left


OF_BUDGET = "budget: "
"""Before the limit, in the reason of a run that was terminated by one."""


def child_of(
    process: Process, order: ChildOrder, home: Home, planner: str | None, number: int
) -> tuple[Process, str | None, list[str]]:
    """Return the child that is asked for, not run yet, how its planner is told of, and which limits are its parent's.

    Those are told as the beginnings of the reasons that they give.

    Args:
        process: The parent.
        order: What is asked for.
        home: Where it is looked up.
        planner: How the parent's planner is told of.
        number: Which child of its call it is, counted from 1.

    Raises:
        DefinitionError: It is no agent that every worker has, or has a planner that cannot be sent.
    """
    asked = order.agent
    if not isinstance(asked, Agent):
        message = f"{asked!r} is no Agent, so it cannot be run as a child process."
        raise DefinitionError(message)
    agent, services, order = with_services(asked, order, process.agent.services)
    if home.agents.get(agent.name) is not agent:
        message = f"{agent!r} is not among the agents of the worker, so it cannot be run as a child."
        raise DefinitionError(message)
    options = process._children._options(order, agent)  # noqa: SLF001 - within the package
    chosen = options.planner
    if isinstance(chosen, RecordedPlanner):
        own = "goap" if process.agent.planner is None else f"{OF_AGENT}{process.agent.name}"
        named: str | None = planner or own
        options = replace(options, planner=chosen.real)
    else:
        named = home.name_of(chosen, agent)
    above = remaining(process)
    limits: dict[str, Any] = {name: _least(limit, above[name]) for name, limit in asdict(options.budget).items()}
    policies = tuple(process._core.people._in_force())  # noqa: SLF001
    options = replace(
        options,
        journal=MemoryJournal(),
        budget=Budget(**limits),
        approvals=(*options.approvals, *policies),
        listeners=(),
    )
    child = agent._prepare(  # noqa: SLF001
        order.inputs, dict(order.bindings), returning=order.returning, options=options,
        process_id=id_of_child(process.id, order.call, order.attempt, number), services=(*services, *agent.services),
    )  # fmt: skip
    inherited = [name for name, limit in limits.items() if limit is not None and limit == above[name]]
    return child, named, [f"{OF_BUDGET}{name}: " for name in inherited]


def _least(one: float | None, other: float | None) -> float | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)
