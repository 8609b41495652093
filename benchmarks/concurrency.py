"""What many processes at once cost: 10 steps each, every step waiting 10 ms, in wall seconds and memory.

Each system and size runs in an interpreter of its own, three times in turn with the others; the best is printed. What
a framework has to set up for each run, an application or a process, is part of it. Memory is the growth of the peak
resident set over what it was before, with everything imported and warm, divided by the number of processes; the plain
loop shows the floor.

Run it with `python benchmarks/concurrency.py [--full] [--only NAME ...]`; `--full` runs 10,000 with the peers too.
"""

import argparse
import asyncio
import gc
import resource
import subprocess
import sys
import time

from chains import BURR, PLAIN, PLANBOARD, SYSTEMS

STEPS = 10
WAIT = 0.01
SIZES = (1_000, 10_000)
ROUNDS = 3


def peak_kilobytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(name: str, processes: int) -> tuple[float, float]:
    """Return the wall seconds and the kilobytes per process, of this interpreter."""
    system = next(system for system in SYSTEMS if system.name == name)
    fresh = system.async_chain(STEPS, WAIT)

    async def warm_up() -> None:
        await asyncio.gather(*(fresh()() for _ in range(10)))

    async def many() -> float:
        begun = time.perf_counter()
        reached = await asyncio.gather(*(fresh()() for _ in range(processes)))
        assert reached == [STEPS] * processes
        return time.perf_counter() - begun

    asyncio.run(warm_up())
    gc.collect()
    before = peak_kilobytes()
    seconds = asyncio.run(many())
    return seconds, (peak_kilobytes() - before) / processes


def in_a_fresh_interpreter(name: str, processes: int) -> tuple[float, float]:
    command = [sys.executable, __file__, "--one", name, str(processes)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, kilobytes = printed.split()
    return float(seconds), float(kilobytes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="run 10,000 with the peers too")
    parser.add_argument("--only", nargs="*", help="systems by name")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(*measure(given.one[0], int(given.one[1])))
        return
    print(f"{STEPS} steps that each wait {WAIT * 1000:g} ms\n")
    print("| system | processes | wall s | KB a process |\n|---|---:|---:|---:|")
    chosen = [system for system in SYSTEMS if not given.only or system.name in given.only]
    cases = [
        (system, size)
        for system in chosen
        for size in SIZES
        if system.installed and (size == SIZES[0] or given.full or system in (PLANBOARD, PLAIN))
    ]
    figures: dict[tuple[str, int], tuple[float, float]] = {}
    for _ in range(ROUNDS):
        for system, size in cases:
            seconds, kilobytes = in_a_fresh_interpreter(system.name, size)
            best = figures.get((system.name, size), (seconds, kilobytes))
            figures[system.name, size] = min(best[0], seconds), min(best[1], kilobytes)
    for system, size in cases:
        seconds, kilobytes = figures[system.name, size]
        print(f"| {system.label} | {size:,} | {seconds:.2f} | {kilobytes:.1f} |")
    for system in chosen:
        if not system.installed:
            print(f"| {system.name} | not installed | | |")
    ours, burr = figures.get((PLANBOARD.name, SIZES[0])), figures.get((BURR.name, SIZES[0]))
    if ours and burr:
        print(f"\nBar, wall not above Burr's: {'holds' if ours[0] <= burr[0] else 'MISSED'}")
    if ours:
        print(f"Bar, at most 20 KB a process: {'holds' if ours[1] <= 20 else 'MISSED'}")


if __name__ == "__main__":
    main()
