"""What it costs to keep a run in a file: Planboard's SQLite journal beside LangGraph's SQLite checkpointer.

A run has 10 or 100 entries of 1 KB on the board and takes 50 steps, each of which adds one small value. What is printed
is what keeping adds to a step: the time of the run with a file less that of the same run without one, and the size of
the file, counted when it is closed and its log is written back; each less that of a run of one step, so that writing
what the run is given, which happens once, is not counted as part of a step.

LangGraph has no board. Its state is made in two ways: a channel for each entry, of which a checkpoint holds all;
and one list of all entries. In both, a step's value goes to a channel of small numbers. `durability` is `sync`: like
Planboard it then writes before it goes on; `--durability async`, its default, writes while the next step runs.

How long a step takes depends above all on whether each write waits for the disk. By themselves LangGraph's do and
Planboard's do not: they survive the end of the program, not that of the machine (`power_safe=True` makes them). So
there are three tables: each as it is by itself, both waiting for the disk, and neither.

The two run in turns, several times; the least of each counts, for whatever else the machine does only adds to it.

Run it with `python benchmarks/journal.py [--quick]`, in an environment with `langgraph` and
`langgraph-checkpoint-sqlite`; without them Planboard is measured alone.
"""

import argparse
import gc
import operator
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, create_model

from planboard import Agent, Goal, ProcessOptions, SqliteJournal, action

STEPS = 50
SIZES = (10, 100)
ROUNDS = 7
BAR = 0.2
FLAT = 1.2
WAYS = (
    ("Each as it is by itself", None, False),
    ("Both wait for the disk at each write", "FULL", True),
    ("Neither waits for the disk", "NORMAL", False),
)
"""What it is called, LangGraph's `synchronous`, and whether Planboard is to be power-safe."""

Run = Callable[[Path | None], float]
"""Runs once, kept in a file or not at all, and returns the seconds it took; what is set up before is not timed."""


class Document(BaseModel):
    number: int
    text: str


class Start(BaseModel):
    x: int = 0


def text_of(number: int) -> str:
    """Return a different kilobyte for each number."""
    return f"{number:04}" + os.urandom(510).hex()


# Planboard


def planboard_chain(entries: int, steps: int, *, power_safe: bool) -> Run:
    values = [Start, *(create_model(f"Value{number}", x=(int, 0)) for number in range(1, steps + 1))]

    def step(number: int) -> Any:
        def work(state: Any) -> Any:
            return values[number](x=state.x + 1)

        work.__name__ = f"step{number}"
        work.__annotations__ = {"state": values[number - 1], "return": values[number]}
        return action(work)

    parts = [step(number) for number in range(1, steps + 1)]
    agent = Agent("chain", parts, goals=[Goal(values[-1])], types=[Document])
    documents = [Document(number=number, text=text_of(number)) for number in range(entries)]

    def run(file: Path | None) -> float:
        journal = None if file is None else SqliteJournal(file, power_safe=power_safe)
        gc.collect()
        begun = time.perf_counter()
        process = agent.process(*documents, Start(), returning=values[-1], options=ProcessOptions(journal=journal))
        agent_run(process)
        spent = time.perf_counter() - begun
        assert process.result(values[-1]).x == steps
        if journal is not None:
            journal.close()
        return spent

    return run


def agent_run(process: Any) -> None:
    import asyncio

    asyncio.run(process.run())


# LangGraph


@dataclass(frozen=True)
class Peers:
    """How LangGraph writes."""

    durability: str
    synchronous: str | None
    """What SQLite's setting of that name is made; `None` to leave it as it is."""


def langgraph_chain(entries: int, steps: int, *, channels: bool, peers: Peers) -> Run:
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph

    texts = [text_of(number) for number in range(entries)]
    start: dict[str, Any] = {"x": 0, "values": []}
    fields: dict[str, Any] = {"x": int, "values": Annotated[list[int], operator.add]}
    if channels:
        fields |= {f"document{number}": str for number in range(entries)}
        start |= {f"document{number}": text for number, text in enumerate(texts)}
    else:
        fields["documents"] = list[str]
        start["documents"] = texts
    from typing_extensions import TypedDict

    state: Any = TypedDict("State", fields)  # type: ignore[operator]

    def work(given: Any) -> Any:
        return {"x": given["x"] + 1, "values": [given["x"]]}

    graph: Any = StateGraph(state)
    names = [f"step{number}" for number in range(1, steps + 1)]
    for name in names:
        graph.add_node(name, work)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    bare = graph.compile()

    def run(file: Path | None) -> float:
        settings: dict[str, Any] = {"recursion_limit": steps + 5}
        connection = None
        app = bare
        if file is not None:
            connection = sqlite3.connect(file, check_same_thread=False)
            saver = SqliteSaver(connection)
            saver.setup()
            if peers.synchronous is not None:
                connection.execute(f"PRAGMA synchronous = {peers.synchronous}")
            app = graph.compile(checkpointer=saver)
            settings["configurable"] = {"thread_id": "r1"}
        given = {"durability": peers.durability} if file is not None else {}
        gc.collect()
        begun = time.perf_counter()
        reached = app.invoke(start, settings, **given)
        spent = time.perf_counter() - begun
        assert reached["x"] == steps
        if connection is not None:
            connection.close()
        return spent

    return run


# Measuring


@dataclass
class Figures:
    """Of one system and one size."""

    without: float = float("inf")
    """Seconds of a run that is not kept."""
    kept: float = float("inf")
    """Seconds of one that is."""
    began: float = float("inf")
    """Seconds of one of a single step that is not."""
    began_kept: float = float("inf")
    """Seconds of one of a single step that is."""
    bytes: int = 0
    """By which the file of a run is larger than that of a run of one step."""

    @property
    def time_per_step(self) -> float:
        """Microseconds that keeping adds to a step."""
        return ((self.kept - self.without) - (self.began_kept - self.began)) / (STEPS - 1) * 1e6

    @property
    def bytes_per_step(self) -> float:
        return self.bytes / (STEPS - 1)


def systems(peers: Peers, *, power_safe: bool) -> dict[str, Callable[[int, int], Run]]:
    found: dict[str, Callable[[int, int], Run]] = {
        f"planboard {version('planboard')}": partial(planboard_chain, power_safe=power_safe)
    }
    if find_spec("langgraph") is not None and find_spec("langgraph.checkpoint.sqlite") is not None:
        name = f"langgraph {version('langgraph')}"
        for told, channels in (("a channel for each entry", True), ("one list of entries", False)):
            found[f"{name}, {told}"] = partial(langgraph_chain, channels=channels, peers=peers)
    return found


def file_size(run: Run, folder: Path, name: str) -> int:
    file = folder / name
    run(file)
    return sum(path.stat().st_size for path in folder.glob(f"{name}*") if path.is_file())


def measure(found: dict[str, Callable[[int, int], Run]], rounds: int, folder: Path) -> dict[tuple[str, int], Figures]:
    figures: dict[tuple[str, int], Figures] = {}
    for entries in SIZES:
        runs = {name: chain(entries, STEPS) for name, chain in found.items()}
        begins = {name: chain(entries, 1) for name, chain in found.items()}
        for name in found:
            figure = figures[name, entries] = Figures()
            place = f"{len(figures)}-{entries}"
            long = file_size(runs[name], folder, f"long-{place}.db")
            figure.bytes = long - file_size(begins[name], folder, f"short-{place}.db")
        for turn in range(rounds):
            for place, (name, run) in enumerate(runs.items()):
                figure = figures[name, entries]
                figure.without = min(figure.without, run(None))
                figure.kept = min(figure.kept, run(folder / f"timed-{place}-{entries}-{turn}.db"))
                figure.began = min(figure.began, begins[name](None))
                figure.began_kept = min(figure.began_kept, begins[name](folder / f"begun-{place}-{entries}-{turn}.db"))
    return figures


def report(found: dict[str, Any], figures: dict[tuple[str, int], Figures]) -> None:
    print(f"{STEPS} steps; what keeping a run in a SQLite file adds to a step, by the entries of 1 KB on the board\n")
    print("| | entries | run without, ms | run kept, ms | µs a step | bytes a step |\n|---|---|---|---|---|---|")
    for name in found:
        for entries in SIZES:
            figure = figures[name, entries]
            cells = (f"{figure.without * 1e3:.1f}", f"{figure.kept * 1e3:.1f}", f"{figure.time_per_step:.0f}")
            print(f"| {name} | {entries} | {' | '.join(cells)} | {figure.bytes_per_step:.0f} |")
    own, *peers = found
    for what in ("time_per_step", "bytes_per_step"):
        told = what.replace("_", " ")
        ours = {entries: getattr(figures[own, entries], what) for entries in SIZES}
        print(f"\n{told}")
        for peer in peers:
            parts = [ours[entries] / getattr(figures[peer, entries], what) for entries in SIZES]
            shown = " / ".join(f"{part:.3f}" for part in parts)
            print(f"- part of {peer}: {shown}; at most {BAR:g}: {'holds' if max(parts) <= BAR else 'MISSED'}")
        growth = ours[SIZES[-1]] / ours[SIZES[0]]
        print(f"- {SIZES[-1]} entries in relation to {SIZES[0]}: {growth:.2f}; ", end="")
        print(f"at most {FLAT:g}: {'holds' if growth <= FLAT else 'MISSED'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--durability", default="sync", choices=["sync", "async"], help="LangGraph's")
    chosen = parser.parse_args()
    for told, synchronous, power_safe in WAYS:
        found = systems(Peers(chosen.durability, synchronous), power_safe=power_safe)
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(found, 2 if chosen.quick else ROUNDS, Path(folder))
        print(f"## {told}\n")
        report(found, figures)
        print()


if __name__ == "__main__":
    main()
