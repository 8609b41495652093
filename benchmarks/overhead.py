"""What a step costs that does nothing: CPU microseconds per typed step, in memory.

Each system runs the same chain, see `chains.py`; building it is not timed. Planning is: one row of Planboard plans in
every run, the other finds the plan that an earlier run of the agent has made, as a server would. What is printed is the
least of several runs, by `time.process_time`. The machine may be noisy, so the systems take turns: a slow moment hits
all of them. The garbage collector is on, as it is for users; before each run it is emptied, and what was built
beforehand is frozen, for all systems alike.

Run it with `python benchmarks/overhead.py [--quick] [--only NAME ...]`.
"""

import argparse
import asyncio
import gc
import time
from itertools import product

from chains import BURR, LANGGRAPH, PLANBOARD, PLANBOARD_ANEW, SYSTEMS, AsyncRun, Run, System

ROUNDS = {10: 60, 100: 25, 1000: 8}
QUICK_ROUNDS = {10: 15, 100: 5, 1000: 2}

Figures = dict[tuple[System, str, int], float]
"""CPU microseconds per step, by system, "sync" or "async", and number of steps."""


def timed(run: Run, steps: int) -> float:
    gc.collect()
    begun = time.process_time()
    reached = run()
    spent = time.process_time() - begun
    assert reached == steps, f"counted to {reached} in {steps} steps"
    return spent / steps * 1e6


async def timed_async(run: AsyncRun, steps: int) -> float:
    gc.collect()
    begun = time.process_time()
    reached = await run()
    spent = time.process_time() - begun
    assert reached == steps, f"counted to {reached} in {steps} steps"
    return spent / steps * 1e6


def measure(systems: list[System], steps: int, rounds: int) -> Figures:
    sync = {system: system.chain(steps) for system in systems}
    asynchronous = {system: system.async_chain(steps, 0) for system in systems}
    figures: Figures = {}
    gc.collect()
    gc.freeze()
    with asyncio.Runner() as loop:
        for _ in range(rounds):
            for system in systems:
                for kind in ("sync", "async"):
                    if kind == "sync":
                        figure = timed(sync[system](), steps)
                    else:
                        figure = loop.run(timed_async(asynchronous[system](), steps))
                    key = (system, kind, steps)
                    figures[key] = min(figure, figures.get(key, figure))
    gc.unfreeze()
    return figures


def print_table(systems: list[System], figures: Figures, sizes: list[int]) -> None:
    print(f"CPU microseconds per no-op step, chains of {' / '.join(map(str, sizes))} steps\n")
    print("| | sync | async |\n|---|---|---|")
    for system in SYSTEMS:
        if system in systems:
            cells = (" / ".join(f"{figures[system, kind, steps]:.1f}" for steps in sizes) for kind in ("sync", "async"))
            print(f"| {system.label} | {' | '.join(cells)} |")
        else:
            print(f"| {system.label} | not installed | |")


def print_bars(systems: list[System], figures: Figures, sizes: list[int]) -> None:
    for subject, kind in product((PLANBOARD, PLANBOARD_ANEW), ("sync", "async")):
        own = {steps: figures[subject, kind, steps] for steps in sizes}
        print(f"\n{subject.name}, {kind}")
        for peer, bar in ((LANGGRAPH, 0.1), (BURR, 1.0)):
            if peer in systems:
                ratios = [own[steps] / figures[peer, kind, steps] for steps in sizes]
                shown = " / ".join(f"{ratio:.3f}" for ratio in ratios)
                print(
                    f"- part of {peer.name}: {shown}; at most {bar:g} in 100 steps and more: {verdict(ratios[1:], bar)}"
                )
        growth = own[1000] / own[100]
        print(f"- 1,000 steps in relation to 100 steps: {growth:.2f}; at most 1.5: {verdict([growth], 1.5)}")


def verdict(ratios: list[float], bar: float) -> str:
    return "holds" if max(ratios) <= bar else "MISSED"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only systems whose name contains one of these")
    chosen = parser.parse_args()
    systems = [system for system in SYSTEMS if system.installed]
    if chosen.only:
        systems = [system for system in systems if any(part in system.name for part in (*chosen.only, "planboard"))]
    figures: Figures = {}
    rounds = QUICK_ROUNDS if chosen.quick else ROUNDS
    for steps, count in rounds.items():
        figures |= measure(systems, steps, count)
    print_table(systems, figures, list(rounds))
    print_bars(systems, figures, list(rounds))


if __name__ == "__main__":
    main()
