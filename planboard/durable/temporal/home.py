"""What a worker is at home with: its agents, and how a run of theirs is packed up, sent, and taken up again."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any

from planboard._text import suggest
from planboard.blackboard.codec import Codec, from_text
from planboard.durable.temporal.payloads import expanded, fits, squeezed
from planboard.errors import DefinitionError
from planboard.events.codec import EventCodec
from planboard.journal.memory import MemoryJournal
from planboard.journal.port import Record, RunInfo, Standing
from planboard.llm.ai import Ai
from planboard.planners.base import Planner
from planboard.planners.named import planner_named
from planboard.runtime.agent import Agent, as_planner
from planboard.runtime.clock import SYSTEM_CLOCK, Clock
from planboard.runtime.process import Process
from planboard.runtime.restoring import restore, told

QUEUE = "planboard"
"""The task queue of workers and clients that name no other."""

OF_AGENT = "agent:"
"""Before the name of an agent: its planner."""
_NAMED = ("goap", "hybrid", "supervisor", "utility")


@dataclass(frozen=True)
class Home:
    """The agents of a worker or a client, by name, and what goes with them."""

    agents: Mapping[str, Agent]
    queue: str = QUEUE
    secrets: Mapping[str, object] = field(default_factory=dict)
    """What is never written, for values that hold some."""
    lost_after: timedelta = timedelta(seconds=30)
    """An action whose worker is silent for so long is taken for lost."""
    actions: int = 40
    """How many actions run at once."""
    longest: int = 2000
    """A workflow whose history has more events than this begins a new one."""
    models: Mapping[str, Ai] = field(default_factory=dict)
    """What agents ask models with that have nothing of their own: that of whoever runs them, by the agent's name."""

    @classmethod
    def of(cls, agents: Iterable[Agent], **more: Any) -> "Home":
        """Return the home of some agents and of all that they run as children.

        Raises:
            DefinitionError: Something is no agent, or two of them have one name.
        """
        found: dict[str, Agent] = {}
        models: dict[str, Ai] = {}
        waiting: list[tuple[Agent, Ai | None]] = [(agent, None) for agent in agents]
        while waiting:
            agent, above = waiting.pop(0)
            if not isinstance(agent, Agent):
                message = f"{agent!r} is no Agent, so it cannot be run by a worker."
                raise DefinitionError(message)
            if found.get(agent.name, agent) is not agent:
                message = f"Two agents of one worker are named {agent.name!r}; rename one of them."
                raise DefinitionError(message)
            own = next((service for service in agent.services if isinstance(service, Ai)), None)
            asks = agent.asks_models or (agent.planner is not None and agent.planner.asks)
            if own is None and above is not None and models.setdefault(agent.name, above) is not above and asks:
                message = (
                    f"Agent {agent.name!r} is run by agents that ask different models, and has none of its own. "
                    "Give it one: Agent(..., services=[Ai(...)])."
                )
                raise DefinitionError(message)
            if agent.name not in found:
                found[agent.name] = agent
                waiting.extend((child, own or above) for child in _with_services_of(agent))
        return cls(found, models=models, **more)

    def with_(self, agent: Agent) -> "Home":
        """Return the home of one more agent, and of all that it runs.

        Raises:
            DefinitionError: Another one has its name.
        """
        return Home.of([*self.agents.values(), agent], queue=self.queue, secrets=self.secrets)

    def agent(self, name: str) -> Agent:
        """Return an agent.

        Raises:
            DefinitionError: It is not known here; the message names the closest.
        """
        if name not in self.agents:
            message = f"No agent {name!r} is known here. {suggest(name, self.agents)} Pass it among `agents=`."
            raise DefinitionError(message)
        return self.agents[name]

    def codec(self, agent: Agent) -> Codec:
        """Return what writes and reads the values of an agent."""
        return Codec(agent.types, secrets=self.secrets)

    # Planners

    def planner(self, named: str | None, agent: Agent) -> Planner:
        """Return the planner that goes by a name in data; by default the agent's own, as it is today."""
        if named is None:
            return agent.planner or planner_named("goap")
        if named.startswith(OF_AGENT):
            return self.planner(None, self.agent(named.removeprefix(OF_AGENT)))
        return planner_named(named)

    def name_of(self, planner: Planner | str | None, agent: Agent) -> str | None:
        """Return how a planner is told of in data, so that every worker finds it.

        Raises:
            DefinitionError: It is neither the planner of an agent nor one with its default settings.
        """
        if planner is None:
            return None
        chosen = as_planner(planner)
        words = told(chosen)
        if words == told(self.planner(None, agent)):
            return None
        for name in _NAMED:
            if words == told(planner_named(name)):
                return name
        for other in self.agents.values():
            if other.planner is not None and words == told(other.planner):
                return f"{OF_AGENT}{other.name}"
        message = (
            f"{chosen!r} cannot be sent to other machines. Make it the planner of the agent, "
            f"Agent({agent.name!r}, ..., planner=...): every worker has that."
        )
        raise DefinitionError(message)

    # Packing

    def pack(self, process: Process, planner: str | None) -> dict[str, Any]:
        """Return a process that has not run yet, and is kept in a journal of its own, as data.

        Raises:
            EntryTypeError: It is too large to be sent.
        """
        journal = process.options.journal
        assert journal is not None  # noqa: S101 - only called with one
        run = asdict(journal.info(process.id))
        kept = {name: run[name] for name in ("id", "agent", "fingerprint", "created_at", "parent_id", "target")}
        bodies = [record.body for record in journal.read(process.id)]
        manifest = journal.manifest(run["fingerprint"])
        data = {"run": kept, "planner": planner, "manifest": manifest, "events": squeezed(bodies)}
        return fits(data, f"What the run of {process.agent.name!r} begins with is too large")

    def repack(self, luggage: Mapping[str, Any], process: Process) -> dict[str, Any]:
        """Return a process as it stands as data.

        Args:
            luggage: What it was taken up from.
            process: The process.

        Raises:
            EntryTypeError: It is too large, or something on its board cannot be written.
        """
        codec, core = EventCodec(self.codec(process.agent)), process._core  # noqa: SLF001 - within the package
        data = {
            **luggage,
            "events": squeezed([codec.encode(event) for event in process.events]),
            "seconds": core.ledger.seconds(process.options.clock.time()),
            "ticks": core.ticks,
        }
        return fits(data, f"The run {process.id!r} of {process.agent.name!r} has become too large")

    def unpack(
        self, luggage: Mapping[str, Any], *, clock: Clock = SYSTEM_CLOCK, planner: Planner | None = None
    ) -> Process:
        """Return the process that was packed up; it is kept in no journal any more, for Temporal keeps it.

        Raises:
            AgentChangedError: The agent has changed since in a way that matters to the run.
        """
        run = luggage["run"]
        agent = self.agent(run["agent"])
        bodies = expanded(luggage["events"])
        records = [Record(seq, str(from_text(body)["kind"]), 0.0, body) for seq, body in enumerate(bodies, 1)]
        journal = MemoryJournal()
        journal.create(RunInfo(**run), luggage["manifest"], records, Standing(""))
        process = restore(
            agent, journal, run["id"], planner=planner or self.planner(luggage["planner"], agent), clock=clock,
            secrets=self.secrets,
        )  # fmt: skip
        process._core.ledger.ran = luggage.get("seconds", 0.0)  # noqa: SLF001 - what events do not tell
        process._core.ticks = luggage.get("ticks", 0)  # noqa: SLF001
        process.options = replace(process.options, journal=None)
        process._keeper = process._log.keep = process._core.results.check_entry = None  # noqa: SLF001 - see above
        return process


def _with_services_of(agent: Agent) -> list[Agent]:
    """Return the agents that an agent runs as children, with those of its services that they need."""
    lacking = [(child, child._lacking(agent.services)) for child in agent.agents.values()]  # noqa: SLF001
    return [child._serving(services) if services else child for child, services in lacking]  # noqa: SLF001
