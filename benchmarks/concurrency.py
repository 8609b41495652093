"""What many runs at once cost: wall time, and memory of a run that is under way.

Each system runs 1,000 (and Planboard and the floor also 10,000) chains of 10 steps, see `chains.py`, in one event
loop; each step waits 10 ms. Every measurement is a fresh interpreter that has imported the system, built the chain and
run it a few times. The peak of its memory above that, as the kernel reports it, is divided by the number of runs.
Setting up what a framework needs for each run counts here, for it is memory that the run holds.

Run it with `python benchmarks/concurrency.py [--quick] [--full] [--only NAME ...]`.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import time

from chains import BURR, PLAIN, PLANBOARD, SYSTEMS, System

STEPS = 10
SECONDS = 0.01
SIZES = (1_000, 10_000)
ROUNDS = 3
BAR_KB = 20

Measured = tuple[float, float]
"""Wall seconds, and KB of memory per run."""


def peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def measure(system: System, runs: int) -> Measured:
    """Measure in this process; `main` calls it in a fresh one."""
    fresh = system.async_chain(STEPS, SECONDS)
    for _ in range(3):
        await fresh()()
    before = peak_kb()
    begun = time.perf_counter()
    reached = await asyncio.gather(*(fresh()() for _ in range(runs)))
    seconds = time.perf_counter() - begun
    assert set(reached) == {STEPS}
    return seconds, (peak_kb() - before) / runs


def measure_apart(system: System, runs: int) -> Measured:
    command = [sys.executable, __file__, "--measure", system.name, str(runs)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, kilobytes = json.loads(done.stdout)
    return seconds, kilobytes


def all_measured(systems: list[System], sizes: tuple[int, ...], rounds: int, *, full: bool) -> dict[str, Measured]:
    """Return the best of several rounds, the systems taking turns."""
    found: dict[str, Measured] = {}
    for size in sizes:
        for _ in range(rounds):
            for system in systems:
                if size == SIZES[0] or full or system in (PLAIN, PLANBOARD):
                    seconds, kilobytes = measure_apart(system, size)
                    key = f"{system.name} {size}"
                    best = found.get(key, (seconds, kilobytes))
                    found[key] = (min(best[0], seconds), min(best[1], kilobytes))
    return found


def print_table(systems: list[System], found: dict[str, Measured], sizes: tuple[int, ...]) -> None:
    print(f"Runs of {STEPS} steps that each wait {SECONDS * 1000:g} ms, all at once\n")
    heads = [f"{size:,} runs: wall s | KB per run" for size in sizes]
    print(f"| | {' | '.join(heads)} |\n|---|{'---|---|' * len(sizes)}")
    for system in SYSTEMS:
        cells = []
        for size in sizes:
            seconds, kilobytes = found.get(f"{system.name} {size}", (None, None))
            cells += ["", ""] if seconds is None else [f"{seconds:.2f}", f"{kilobytes:.1f}"]
        name = "bare asyncio, pydantic model (the floor)" if system is PLAIN else system.label
        print(f"| {name} | {' | '.join(cells if system in systems else ['not installed', *cells[1:]])} |")


def print_bars(found: dict[str, Measured], sizes: tuple[int, ...]) -> None:
    print("\nBars:")
    burr = found.get(f"{BURR.name} {SIZES[0]}")
    if burr is not None:
        own = found[f"{PLANBOARD.name} {SIZES[0]}"][0]
        print(f"- wall time not above burr's: {'holds' if own <= burr[0] else 'MISSED'}, {own / burr[0]:.2f} of it")
    for size in sizes:
        kilobytes = found[f"{PLANBOARD.name} {size}"][1]
        verdict = "holds" if kilobytes <= BAR_KB else "MISSED"
        print(f"- at most {BAR_KB} KB per run with {size:,} runs: {verdict}, {kilobytes:.1f} KB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1,000 runs only, one round")
    parser.add_argument("--full", action="store_true", help="10,000 runs of the peers as well")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only systems whose name contains one of these")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        name, runs = chosen.measure
        system = next(system for system in SYSTEMS if system.name == name)
        print(json.dumps(asyncio.run(measure(system, int(runs)))))
        return
    systems = [system for system in SYSTEMS if system.installed]
    if chosen.only:
        systems = [system for system in systems if any(part in system.name for part in (*chosen.only, "planboard"))]
    sizes = SIZES[:1] if chosen.quick else SIZES
    found = all_measured(systems, sizes, 1 if chosen.quick else ROUNDS, full=chosen.full)
    print_table(systems, found, sizes)
    print_bars(found, sizes)


if __name__ == "__main__":
    main()
