"""Running agents as children of a process: each with a board of its own, and the parent's budgets and listeners.

A child is known by the call that started it. So a call that is made again, because a child had to wait or the program
ended, finds the children it has had, and what they have done is not done again.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planboard.actions.context import ChildOrder
from planboard.errors import DefinitionError, UnknownRunError
from planboard.events import ProcessStatus
from planboard.runtime.executor import Executor
from planboard.runtime.options import ProcessOptions
from planboard.runtime.requests import Request

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent
    from planboard.runtime.process import Process


class Children:
    """The children of one process."""

    __slots__ = ("_busy", "_live", "_process", "_quiet", "_started")

    def __init__(self, process: "Process") -> None:
        self._process = process
        self._live: dict[str, Process] = {}
        self._started: dict[tuple[int, int], int] = {}
        self._busy: dict[int, int] = {}
        self._quiet: dict[int, Any] = {}

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
        self._busy[order.call] = self._busy.get(order.call, 0) + 1
        try:
            await child._run(executor, alone=False)  # noqa: SLF001 - within the package
        finally:
            order.effects.charged += child.usage
            self._leave(order.call)
        if child.status is ProcessStatus.WAITING:
            await self._until_quiet(order.call)
            self._started.pop((order.call, order.attempt), None)
        else:
            del self._live[child.id]
        child.raise_for_status()
        return child.result(order.returning) if order.returning is not None else child

    def load(self) -> None:
        """Take up the children of a process that was restored, as far as their agents are known."""
        from planboard.runtime.restoring import restore

        keeper = self._process._keeper  # noqa: SLF001
        if keeper is None:
            return
        agents = self._process.agent.agents
        for run in keeper.journal.runs(parent_id=self._process.id):
            call = _call_in(run.id, self._process.id)
            if call in self._process._core.state.open and run.agent in agents:  # noqa: SLF001
                child = restore(agents[run.agent], keeper.journal, run.id, parent=self._process)
                child.started_by = call
                if not child.status.is_final:
                    self._live[child.id] = child

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
        for child in self._in_order():
            found = child if child.id == owner else child._children.asking(request_id)  # noqa: SLF001
            if found is not None:
                return found
        return None

    def have_news(self, call: int) -> bool:
        """Tell whether a child of a suspended call can go on, or is not known here."""
        mine = [child for child in self._in_order() if child.started_by == call]
        return not mine or any(child._can_go_on() for child in mine)  # noqa: SLF001

    def cancel(self, reason: str) -> None:
        """Cancel the children that wait."""
        for child in self._in_order():
            child.cancel(reason)

    def of_call(self, call: int) -> "list[Process]":
        """Return the live children of a call."""
        return [child for child in self._in_order() if child.started_by == call]

    def adopt(self, child: "Process") -> None:
        """Take a child that was made elsewhere: by a fork."""
        self._live[child.id] = child

    def _in_order(self) -> "list[Process]":
        return sorted(self._live.values(), key=lambda child: (child.started_by, child.id))

    # Beginning

    def _child(self, order: ChildOrder, agent: "Agent") -> "Process":
        key = (order.call, order.attempt)
        number = self._started[key] = self._started.get(key, 0) + 1
        parent = self._process
        again = "" if order.attempt == 1 else f"r{order.attempt}"
        child_id = f"{parent.id}.{order.call}{again}" + ("" if number == 1 else f"-{number}")
        child = self._live.get(child_id) or self._kept(child_id, agent)
        if child is None:
            child = agent._prepare(  # noqa: SLF001 - within the package
                order.inputs, dict(order.bindings), returning=order.returning, options=self._options(order, agent),
                parent=parent, process_id=child_id,
            )  # fmt: skip
        child.started_by = order.call
        return child

    def _kept(self, child_id: str, agent: "Agent") -> "Process | None":
        from planboard.runtime.restoring import restore

        keeper = self._process._keeper  # noqa: SLF001
        if keeper is None:
            return None
        try:
            keeper.journal.info(child_id)
        except UnknownRunError:
            return None
        return restore(agent, keeper.journal, child_id, parent=self._process)

    def _options(self, order: ChildOrder, agent: "Agent") -> ProcessOptions:
        mine = self._process.options
        inherited = ProcessOptions(
            concurrency=mine.concurrency, terminate_when_stuck=mine.terminate_when_stuck, max_ticks=mine.max_ticks
        )
        chosen = order.options or inherited
        return replace(
            chosen,
            planner=chosen.planner or agent.planner or self._process.planner,
            journal=mine.journal,
            clock=mine.clock,
            identities={**mine.identities, **chosen.identities},
        )

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


def _call_in(child_id: str, parent_id: str) -> int:
    """Return the number of the call that started a child, from the child's id."""
    digits = ""
    for char in child_id.removeprefix(f"{parent_id}."):
        if not char.isdigit():
            break
        digits += char
    return int(digits or 0)
