"""What a step costs on one machine, without a server: in memory, and kept in a SQLite file; the rows of the scale page.

The agent is that of `benchmarks/temporal.py` whose five actions do nothing. Measured are a run by itself, 200 runs at
once on one event loop, taking a finished run up from its events, and how large the events of a long run are when they
travel to the next workflow of Temporal (extra `temporal`). The least of several rounds counts.

Run it with `python benchmarks/scale.py`.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel
from temporal_agents import E, Start, agents

from planboard import Agent, Journal, Process, ProcessOptions, SqliteJournal, achieves_goal, action
from planboard.durable.temporal.payloads import LIMIT, squeezed

AGENT = next(agent for agent in agents() if agent.name == "looks")
STEPS = 5
MANY = 200
ROUNDS = 5
LONG = 2000
"""Steps of the long run."""


class Count(BaseModel):
    n: int


@achieves_goal("counted")
@action(rerun=True, pre=[f"count.n < {LONG}"])
def tick(count: Count) -> Count:
    return Count(n=count.n + 1)


def process(journal: Journal | None) -> Process:
    return AGENT.process(Start(name="x"), returning=E, options=ProcessOptions(journal=journal))


async def alone(journal: Journal | None) -> None:
    await process(journal).run()


async def at_once(journal: Journal | None) -> None:
    await asyncio.gather(*(process(journal).run() for _ in range(MANY)))


def least(work: Callable[[], object]) -> tuple[float, float]:
    """Return the least wall and processor seconds of several rounds."""
    wall, busy = [], []
    for _ in range(ROUNDS):
        begun, used = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - begun)
        busy.append(time.process_time() - used)
    return min(wall), min(busy)


def report(name: str, journal: Journal | None) -> None:
    one, _ = least(lambda: asyncio.run(alone(journal)))
    many, busy = least(lambda: asyncio.run(at_once(journal)))
    steps = MANY * STEPS
    print(f"| {name} | {one / STEPS * 1e3:.2f} ms | {steps / many:,.0f} | {busy / steps * 1e3:.2f} ms |")


def main() -> None:
    print("| where runs are kept | a step alone | steps a second, many runs at once | CPU a step |\n|---|---|---|---|")
    report("in memory", None)
    with tempfile.TemporaryDirectory() as folder:
        journal = SqliteJournal(Path(folder, "runs.db"))
        report("SqliteJournal, one file", journal)
        kept = process(journal)
        asyncio.run(kept.run())
        taken, _ = least(lambda: Process.restore(AGENT, journal, kept.id))
        print(f"\nto take up a run of {STEPS} steps: {taken * 1e3:.2f} ms")
        counting = Agent("counting", [tick], planner="utility")
        long = counting.process(Count(n=0), options=ProcessOptions(journal=journal))
        asyncio.run(long.run())
        bodies = [record.body for record in journal.read(long.id)]
        size = len(squeezed(bodies)["zlib"])
        print(f"the events of {len(long.history):,} steps: {size / 1e3:.0f} kB in one payload, of {LIMIT / 1e6:.1f} MB")
        print(f"at that rate {len(long.history) * LIMIT / size:,.0f} steps fit")
        journal.close()


if __name__ == "__main__":
    main()
