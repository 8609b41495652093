"""Taking up a run: its state is the fold of the events that a journal has kept, or that another process has had."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from planboard.blackboard.codec import Codec
from planboard.errors import AgentChangedError, CorruptJournalError, DefinitionError, JournalError
from planboard.events import BudgetReplaced, Event, Listener, ProcessCreated, ProcessStarted
from planboard.events.codec import EventCodec
from planboard.journal.port import Journal, RunInfo
from planboard.llm.models import as_model
from planboard.planners.base import Planner
from planboard.planners.named import planner_named
from planboard.runtime.clock import Clock
from planboard.runtime.drift import definition, differences, fingerprint
from planboard.runtime.keeping import Keeper
from planboard.runtime.options import Budget, ProcessOptions
from planboard.runtime.policies import Approval
from planboard.runtime.state import ProcessState, fold

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent
    from planboard.runtime.process import Process


def begin_to_keep(process: "Process", returning: str | None, *, forked_from: str | None = None) -> None:
    """Let a new process be kept in the journal of its options, from its first event on."""
    options = process.options
    assert options.journal is not None  # noqa: S101 - only called with one
    text = definition(process.agent)
    parent = process.parent
    run = RunInfo(
        id=process.id,
        agent=process.agent.name,
        fingerprint=fingerprint(text),
        created_at=options.clock.time(),
        parent_id=None if parent is None else parent.id,
        target=options.target,
    )
    codec = EventCodec(Codec(process.agent.types))
    process._keep_in(Keeper(options.journal, run, text, codec, options.clock, claims=parent is None))  # noqa: SLF001
    process._log.record(  # noqa: SLF001
        ProcessCreated,
        agent=process.agent.name,
        planner=told(process.planner),
        returning=returning,
        options=_as_data(options),
        parent_id=run.parent_id,
        forked_from=forked_from,
    )


def restore(  # noqa: PLR0913 - what a run may be given anew
    agent: "Agent",
    journal: Journal,
    run_id: str,
    *,
    planner: Planner | str | None = None,
    options: ProcessOptions | None = None,
    services: tuple[object, ...] = (),
    secrets: Mapping[str, object] | None = None,
    allow_changes: bool = False,
    parent: "Process | None" = None,
    listeners: tuple[Listener, ...] = (),
    clock: Clock | None = None,
) -> "Process":
    """Return a run as it stands; see `Process.restore`."""
    from planboard.runtime.agent import Agent

    if not isinstance(agent, Agent) or not isinstance(options, ProcessOptions | None):
        message = f"Process.restore({agent!r}, ..., options={options!r}): it takes an Agent, and ProcessOptions if any."
        raise DefinitionError(message)
    run = journal.info(run_id)
    if run.parent_id is not None and parent is None:
        message = (
            f"Run {run_id!r} is a child of {run.parent_id!r}, so it goes on with that one. Restore {run.parent_id!r}."
        )
        raise JournalError(run_id, message)
    text = definition(agent)
    if run.fingerprint != fingerprint(text) and not allow_changes:
        _refuse_changes(journal, run, text, agent)
    codec = EventCodec(Codec(agent.types, secrets=secrets or {}, lenient=allow_changes))
    events = Keeper.read(journal, run_id, codec)
    created = events[0] if events else None
    if not isinstance(created, ProcessCreated):
        message = f"Run {run_id!r} does not begin with its creation, so it cannot be taken up."
        raise CorruptJournalError(run_id, message)
    from dataclasses import replace

    chosen = options or _options(created, events, run_id)
    chosen = replace(chosen, journal=journal, target=chosen.target or run.target)
    if parent is not None:
        chosen = replace(chosen, clock=parent.options.clock)
    chosen = replace(chosen, clock=clock or chosen.clock, listeners=(*chosen.listeners, *listeners))
    process = agent._prepare(  # noqa: SLF001 - within the package
        (),
        {},
        returning=None if created.returning is None else agent.types.form_named(created.returning),
        options=replace(chosen, journal=None),
        planner=_planner(created.planner, planner or chosen.planner, agent, run_id, parent),
        parent=parent,
        process_id=run_id,
        services=(*services, *agent.services),
    )
    process.options = chosen
    keeper = Keeper(journal, run, text, codec, chosen.clock, claims=parent is None)
    keeper.kept = len(events)
    process._core.ledger.ran = run.standing.seconds  # noqa: SLF001
    try:
        process._catch_up(events)  # noqa: SLF001
    except (KeyError, IndexError, AttributeError, TypeError, ValueError) as error:
        message = f"The events of run {run_id!r} do not fit together: {type(error).__name__}: {error}"
        raise CorruptJournalError(run_id, message) from error
    process._keep_in(keeper)  # noqa: SLF001
    process._children.reload()  # noqa: SLF001
    return process


def fork(process: "Process", at: int | None, run_id: str | None, parent: "Process | None" = None) -> "Process":
    """Return another process with the same past; see `Process.fork`."""
    events = _up_to(process, at)
    twin_id = run_id or str(uuid4())
    twin = _twin(process, twin_id, parent)
    mine = [event for event in events if not isinstance(event, ProcessCreated)]
    if process.options.journal is not None:
        created = next((event for event in events if isinstance(event, ProcessCreated)), None)
        returning = created.returning if created is not None else None
        begin_to_keep(twin, returning, forked_from=f"{process.id}@{len(events)}")
    from dataclasses import replace

    offset = len(twin._log.events)  # noqa: SLF001
    copies = [replace(event, process_id=twin_id, seq=offset + place) for place, event in enumerate(mine, 1)]
    above = None if twin.parent is None else twin.parent.id
    copies = [replace(copy, parent_id=above) if isinstance(copy, ProcessStarted) else copy for copy in copies]
    if twin._keeper is not None:  # noqa: SLF001
        for copy in copies:
            twin._keeper.take(copy)  # noqa: SLF001
    twin._catch_up(copies)  # noqa: SLF001
    twin._flush()  # noqa: SLF001
    process._children.reload()  # noqa: SLF001 - those that have finished are only in the journal
    for call in twin._core.state.open.values():  # noqa: SLF001
        for child in process._children.of_call(call.number):  # noqa: SLF001
            other = fork(child, None, f"{twin_id}{child.id.removeprefix(process.id)}", twin)
            other.started_by = call.number
            twin._children.adopt(other)  # noqa: SLF001
    return twin


def state_at(process: "Process", event: int) -> ProcessState:
    """Return the state that a process was in after an event."""
    world = process._core.state.world  # noqa: SLF001
    return fold(world.compilation, world._bits, _up_to(process, event), greedy=world.greedy)  # noqa: SLF001


def told(planner: Planner) -> str:
    """Return a planner with its settings as text. Where a model was given it is named, for it cannot be stored."""
    llm = getattr(planner, "llm", None)
    return repr(planner) if llm is None else f"{planner!r} with {as_model(llm).name}"


def _twin(process: "Process", process_id: str, parent: "Process | None") -> "Process":
    """Return a process like another one, without a past."""
    world = process._core.state.world  # noqa: SLF001

    def state(**given: Any) -> ProcessState:
        return ProcessState(world.compilation, world._bits, services=world.services, **given)  # noqa: SLF001

    goals = world.compilation.plan_goals
    return type(process)(
        process.agent, process_id, state, goals, process.planner, process.options, parent or process.parent
    )


def _up_to(process: "Process", at: int | None) -> list[Event]:
    events = process.events
    if at is None:
        return list(events)
    if not 0 <= at <= len(events):
        message = f"Process {process.id} has no event {at}; it has {len(events)}."
        raise ValueError(message)
    return events[:at]


def _refuse_changes(journal: Journal, run: RunInfo, text: str, agent: "Agent") -> None:
    found = differences(journal.manifest(run.fingerprint), text, agent.types.migrated)
    if not found:
        return
    message = (
        f"Run {run.id!r} was begun with another {run.agent!r}:\n"
        + "\n".join(f"- {line}" for line in found)
        + "\nRun it with the agent as it was, register a Migration for the types, or pass allow_changes=True."
    )
    raise AgentChangedError(run.id, message, differences=found)


def _planner(
    recorded: str, given: Planner | str | None, agent: "Agent", run_id: str, parent: "Process | None"
) -> Planner:
    from planboard.runtime.agent import as_planner

    if given is not None:
        return as_planner(given)
    if agent.planner is not None and not agent.planner.handed_down:
        return agent.planner  # it belongs to what the agent is; only its limits can have changed
    known = [agent.planner, None if parent is None else parent.planner]
    for candidate in known:
        if candidate is not None and told(candidate) == recorded:
            return candidate
    for name in ("goap", "utility", "hybrid", "supervisor"):
        if told(planner_named(name)) == recorded:
            return planner_named(name)
    message = (
        f"Run {run_id!r} was planned by {recorded}, which cannot be made from its name. "
        "Pass it, or another one, as `planner=`."
    )
    raise JournalError(run_id, message)


def _as_data(options: ProcessOptions) -> dict[str, Any]:
    return {
        "budget": asdict(options.budget),
        "concurrency": options.concurrency,
        "terminate_when_stuck": options.terminate_when_stuck,
        "max_ticks": options.max_ticks,
        "identities": dict(options.identities),
        "approvals": [policy.to_data() for policy in options.approvals],
    }


def _options(created: ProcessCreated, events: Sequence[Event], run_id: str) -> ProcessOptions:
    """Return the options that a run was begun with, and the last budget it was given."""
    try:
        data = dict(created.options)
        for event in events:
            if isinstance(event, BudgetReplaced):
                data["budget"] = event.budget
        functions = [policy["function"] for policy in data["approvals"] if policy["function"] is not None]
        if functions:
            message = (
                f"Run {run_id!r} has the policy {functions[0]!r}, a function that cannot be stored. "
                "Pass options=ProcessOptions(approvals=[...]) with it."
            )
            raise JournalError(run_id, message)
        approvals = tuple(Approval(item["match"], item["prompt"], item["expires"]) for item in data.pop("approvals"))
        return ProcessOptions(budget=Budget(**data.pop("budget")), approvals=approvals, **data)
    except (KeyError, TypeError, DefinitionError) as error:
        message = f"The options of run {run_id!r} cannot be read: {error}"
        raise CorruptJournalError(run_id, message) from error
