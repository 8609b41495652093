"""Running agents as children of a process: each with a board of its own, and the parent's budgets and listeners.

A child is known by the call that started it. So a call that is made again, because a child had to wait or the program
ended, finds the children it has had, and what they have done is not done again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from planboard.actions.context import NOTHING, ChildOrder, Effects, Usage
from planboard.errors import DefinitionError, UnknownRunError
from planboard.events import Event, ProcessStatus
from planboard.planners.base import Planner
from planboard.planners.goap import Goap
from planboard.runtime.drift import definition, fingerprint
from planboard.runtime.executor import Executor
from planboard.runtime.hushing import secrets_in, short_label
from planboard.runtime.kinship import Services, given_to, goes_on_later, id_of_child, is_for, with_services
from planboard.runtime.options import ProcessOptions
from planboard.runtime.outcome import ActionCall
from planboard.runtime.requests import Request

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent
    from planboard.runtime.process import Process

_TOLD = 10_000
"""How many events of children that have ended are kept in memory for a run, those of their children included."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What is left of a child that has come to its end and that no journal has: what happened in it."""

    id: str
    events: tuple[Event, ...]
    children: "tuple[Ended, ...]"

    @property
    def size(self) -> int:
        """How many events there are, with those of its children."""
        return len(self.events) + sum(child.size for child in self.children)


class Children:
    """The children of one process."""

    __slots__ = (
        "_begun", "_busy", "_driven", "_earlier", "_finished", "_live", "_over", "_process", "_quiet", "_started",
        "_told", "ended",
    )  # fmt: skip

    def __init__(self, process: "Process") -> None:
        self._process = process
        self._live: dict[str, Process] = {}
        self._finished: dict[int, dict[str, Usage]] = {}
        self._started: dict[tuple[int, int], _Started] = {}
        self._begun: dict[int, dict[str, tuple[object, ...]]] = {}
        self._earlier: set[int] = set()
        self._busy: dict[int, int] = {}
        self._driven: dict[str, Any] = {}
        self._quiet: dict[int, Any] = {}
        self._over: set[str] = set()
        """The live ones that were driven to an end of their own, which nothing but a new order changes."""
        self._told = 0
        self.ended: list[Ended] = []
        """Those that have come to their end, unless a journal has them; only the first ones of very many."""

    async def run(self, order: ChildOrder, executor: Executor) -> Any:
        """Run a child to its end and return its result, or the child itself when no type is asked for.

        Raises:
            ProcessNotCompletedError: It did not complete. If it waits, all other children of the call have come to
                their end, or wait too.
            DefinitionError: What shall be run is no agent.
        """
        from planboard.runtime.agent import Agent

        if not isinstance(order.agent, Agent):
            message = f"{order.agent!r} is no Agent, so it cannot be run as a child process."
            raise DefinitionError(message)
        child = self._child(order, order.agent)
        self._live[child.id] = child
        self._over.discard(child.id)
        await self._drive(child, executor)
        if goes_on_later(child):
            await self._let_others_go_on(order, executor)
            await self._until_quiet(order.call)
        elif self._process._keeper is not None:  # noqa: SLF001
            self._live.pop(child.id, None)  # the journal has it, should the call be made again
            self._finished.setdefault(order.call, {})[child.id] = child.usage
        else:
            self._over.add(child.id)
        child.raise_for_status()
        return child.result(order.returning) if order.returning is not None else child

    def reload(self) -> Usage:
        """Take up the children of calls that are under way, as far as their agents are known; drop all others.

        Returns:
            What they have spent.
        """
        under_way = self._process._core.state.open  # noqa: SLF001
        self._earlier |= under_way.keys()
        self._live = {name: child for name, child in self._live.items() if child.started_by in under_way}
        keeper = self._process._keeper  # noqa: SLF001
        agents = self._process.agent.agents
        runs = keeper.journal.runs(parent_id=self._process.id) if keeper is not None and under_way else ()
        for run in runs:
            call = _call_in(run.id, self._process.id)
            if call in under_way and run.agent in agents and run.id not in self._live:
                child = self._taken_up(agents[run.agent], run.id)
                self._noted(child, call)
                self._live[child.id] = child
        self._finished = {call: spent for call, spent in self._finished.items() if call in under_way}
        return sum((self.spent_by(call) for call in sorted(under_way)), NOTHING)

    # Looking

    def pending(self) -> tuple[Request, ...]:
        """Return what waits for an answer in children, in the order of their calls."""
        return tuple(request for child in self._in_order() for request in child.pending)

    def wake_at(self) -> Iterator[float]:
        """Return when timers of children are due."""
        for child in self._in_order():
            if child.wakes_at is not None:
                yield child.wakes_at

    def asking(self, request_id: str) -> "Process | None":
        """Return the child, at any depth, that made a request."""
        owner = request_id.rpartition(":")[0]
        process = self._process
        if owner.startswith(f"{process.id}."):
            process._ear.catch_up()  # noqa: SLF001 - another program may have begun it
        for child in self._in_order():
            if child.id == owner:
                return child
            found = child._children.asking(request_id) if owner.startswith(f"{child.id}.") else None  # noqa: SLF001
            if found is not None:
                return found
        return None

    def have_news(self, call: int) -> bool:
        """Tell whether a child of a suspended call can go on, or is not known here.

        While another one waits, one that a limit of the whole tree has stopped cannot, as long as that limit holds; nor
        can one that the call has not come to when it was made again after that.
        """
        passed = {name for key, started in self._started.items() if key[0] == call for name in started.passed}
        unfinished = [child for child in self.of_call(call) if not self._is_over(child) and child.id not in passed]
        held = self._process._core.ledger.exhaustion() is not None  # noqa: SLF001
        waiting = [child for child in unfinished if child.status is not ProcessStatus.TERMINATED] if held else []
        return not unfinished or any(child._can_go_on() for child in waiting or unfinished)  # noqa: SLF001

    def _is_over(self, child: "Process") -> bool:
        """Tell whether a child has come to an end from which it does not go on by itself."""
        stuck = child.status is ProcessStatus.STUCK and not child._core.state.touched  # noqa: SLF001
        return child.status.is_final or stuck or child.id in self._over

    def cancel(self, reason: str) -> None:
        """Cancel the children that wait."""
        for child in self._in_order():
            child.cancel(reason)

    def begun(self, call: int) -> tuple[tuple[object, ...], ...]:
        """Return what each child that a call has begun so far was given."""
        return tuple(self._begun.get(call, {}).values())

    def let_go(self, call: int) -> None:
        """Forget the children of a call that has ended. One that waits is cancelled: nobody would take its result."""
        self._finished.pop(call, None)
        self._begun.pop(call, None)
        for key in [key for key in self._started if key[0] == call]:
            del self._started[key]
        for child in self.of_call(call) if self._live else ():
            child.cancel("the action that started it has ended")
            del self._live[child.id]
            self._over.discard(child.id)
            if self._process._keeper is None:  # noqa: SLF001
                self._remember(child)

    def _remember(self, child: "Process") -> None:
        ended = Ended(child.id, tuple(child.events), tuple(child._children.ended))  # noqa: SLF001
        if self._told + ended.size <= _TOLD:
            self._told += ended.size
            self.ended.append(ended)

    def of_call(self, call: int) -> "list[Process]":
        """Return the live children of a call."""
        return [child for child in self._in_order() if child.started_by == call]

    def spent_by(self, call: int) -> Usage:
        """Return what the children of a call have spent."""
        if not self._live and not self._finished:
            return NOTHING
        finished = self._finished.get(call, {}).values()
        return sum((*finished, *(child.usage for child in self.of_call(call))), NOTHING)

    def adopt(self, child: "Process") -> None:
        """Take a child that was made elsewhere: by a fork."""
        self._live[child.id] = child

    def _in_order(self) -> "list[Process]":
        return sorted(self._live.values(), key=lambda child: (child.started_by, child.id))

    # Beginning

    def _child(self, order: ChildOrder, agent: "Agent") -> "Process":
        """Return the child that an earlier run of the call has started for the very same, else a new one."""
        serving, services, order = with_services(agent, order, self._services)
        started = self._started.get((order.call, order.attempt))
        if started is None or started.effects is not order.effects:  # the call is run again, from its beginning
            others = {child.id for child in self.of_call(order.call)} if self._live else set()
            started = self._started[order.call, order.attempt] = _Started(order.effects, others)
        for number in chain(tuple(started.left), count(started.last + 1)):
            child_id = id_of_child(self._process.id, order.call, order.attempt, number)
            known, child = self._known(child_id, order.call, agent)
            if not known:
                child = serving._prepare(  # noqa: SLF001 - within the package
                    order.inputs, dict(order.bindings), returning=order.returning,
                    options=self._options(order, agent), parent=self._process, process_id=child_id,
                    services=(*services, *serving.services),
                )  # fmt: skip
            if number > started.last:
                started.last = number
                started.left.append(number)
            if child is not None and (not known or is_for(child, order)):
                break  # else the call was run in another order before, or did something else
        started.left.remove(number)
        assert child is not None  # noqa: S101 - there is always another number
        started.others.discard(child.id)
        started.passed.discard(child.id)
        self._noted(child, order.call)
        if order.label and child.status is ProcessStatus.NOT_STARTED:
            child._core.around.label = short_label(order.label, self._secrets(order.call, started))  # noqa: SLF001
        return child

    def _secrets(self, call: int, started: "_Started") -> tuple[str, ...]:
        """Return the secrets that a call was given, which are looked for once."""
        if started.secrets is None:
            command = self._process._core.running.get(call)  # noqa: SLF001
            given = command.bound.entries if isinstance(command, ActionCall) else ()
            started.secrets = secrets_in(given)
        return started.secrets

    def _noted(self, child: "Process", call: int) -> None:
        """Take note of which call has begun a child, and with what."""
        child.started_by = call
        self._begun.setdefault(call, {}).setdefault(child.id, tuple(entry.value for entry in given_to(child)))

    @property
    def _services(self) -> Services:
        return self._process._core.state.world.services  # noqa: SLF001

    def _known(self, child_id: str, call: int, agent: "Agent") -> "tuple[bool, Process | None]":
        """Tell whether there is a child of an id already, and return it if it runs this agent."""
        live, keeper = self._live.get(child_id), self._process._keeper  # noqa: SLF001
        if live is not None:
            return True, live if live.agent is agent or live.agent.name == agent.name else None
        begun = call in self._earlier or child_id in self._begun.get(call, {})
        if keeper is None or not begun:
            return False, None  # the journal is not asked what nobody can have written
        try:
            run = keeper.journal.info(child_id)
        except UnknownRunError:
            return False, None
        return True, self._taken_up(agent, child_id) if run.agent == agent.name else None

    def _taken_up(self, agent: "Agent", child_id: str) -> "Process":
        from planboard.runtime.restoring import restore

        keeper = self._process._keeper  # noqa: SLF001
        assert keeper is not None  # noqa: S101 - it was found in a journal
        values = keeper.codec.values
        services = agent._lacking(self._services)  # noqa: SLF001
        serving = agent._serving(services) if services else agent  # noqa: SLF001
        if serving is not agent and fingerprint(definition(serving)) != keeper.journal.info(child_id).fingerprint:
            serving, services = agent, ()  # it was given something else of that type
        child = restore(
            serving, keeper.journal, child_id, services=services, secrets=values.secrets, allow_changes=values.lenient,
            parent=self._process,
        )  # fmt: skip
        counted = self._finished.get(_call_in(child_id, self._process.id), {}).pop(child_id, NOTHING)
        self._process._core.ledger.charge(NOTHING - counted)  # noqa: SLF001 - it counts for itself again
        return child

    def _options(self, order: ChildOrder, agent: "Agent") -> ProcessOptions:
        mine = self._process.options
        inherited = ProcessOptions(
            concurrency=mine.concurrency, terminate_when_stuck=mine.terminate_when_stuck, max_ticks=mine.max_ticks
        )
        chosen = order.options or inherited
        return replace(
            chosen,
            planner=chosen.planner or agent.planner or self._planner_for_all(),
            journal=mine.journal,
            clock=mine.clock,
            identities={**mine.identities, **chosen.identities},
        )

    def _planner_for_all(self) -> Planner:
        """Return the planner of the process, or of the nearest one above whose planner is meant for its children."""
        process: Process | None = self._process
        while process is not None and not process.planner.handed_down:
            process = process.parent
        return process.planner if process is not None else Goap()

    async def _drive(self, child: "Process", executor: Executor) -> None:
        """Run a child until it has come to its end or waits; if somebody does so already, wait for that."""
        import anyio

        if child.id in self._driven:
            await self._driven[child.id].wait()
            return
        call = child.started_by
        done = self._driven[child.id] = anyio.Event()
        self._busy[call] = self._busy.get(call, 0) + 1
        try:
            await child._run(executor, alone=False)  # noqa: SLF001 - within the package
        finally:
            del self._driven[child.id]
            done.set()
            self._leave(call)

    async def _let_others_go_on(self, order: ChildOrder, executor: Executor) -> None:
        """Run the children of a call that can go on and that it has not come to: it will stop before that."""
        import anyio.lowlevel

        await anyio.lowlevel.checkpoint()
        started = self._started.get((order.call, order.attempt))
        others = started.others if started is not None else set()
        going = (ProcessStatus.RUNNING, ProcessStatus.WAITING)
        for name in sorted(others):
            child = self._live.get(name)
            if child is None or name not in others:
                continue  # another one has seen to it meanwhile
            others.discard(name)
            if started is not None and child.status is ProcessStatus.TERMINATED:
                started.passed.add(name)
            if child.status in going and name not in self._driven and child._can_go_on():  # noqa: SLF001
                await self._drive(child, executor)

    def _leave(self, call: int) -> None:
        self._busy[call] -= 1
        if self._busy[call] == 0:
            del self._busy[call]
            quiet = self._quiet.pop(call, None)
            if quiet is not None:
                quiet.set()

    async def _until_quiet(self, call: int) -> None:
        """Wait until no other child of a call runs: what stops the call would stop them too."""
        import anyio

        if call in self._busy:
            quiet = self._quiet.setdefault(call, anyio.Event())
            await quiet.wait()


@dataclass(slots=True)
class _Started:
    """The numbers of the children that one run of a call has started."""

    effects: Effects
    """Those of that run; each has its own."""
    others: set[str]
    """The ids of the children of earlier runs of the call that it has not come to yet."""
    passed: set[str] = field(default_factory=set)
    """Those among them that a limit had stopped: were the call made again because of them, there would be no end."""
    secrets: tuple[str, ...] | None = None
    """Those that the call was given, once they have been looked for."""
    last: int = 0
    left: list[int] = field(default_factory=list)
    """Those that were passed over, for they are of something else."""


def _call_in(child_id: str, parent_id: str) -> int:
    """Return the number of the call that started a child, from the child's id."""
    digits = ""
    for char in child_id.removeprefix(f"{parent_id}."):
        if not char.isdigit():
            break
        digits += char
    return int(digits or 0)
