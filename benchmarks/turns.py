"""What a turn of a team costs: CPU time of a crew with scripted models, beside langgraph-supervisor.

A supervisor gives work to each of its workers, one after the other; each answers with 400 characters. A turn is what
the supervisor decides, what one worker does, and all that is kept of both. Building the team is timed by itself. What
is printed is the least of several runs, by `time.process_time`.

Run it with `python benchmarks/turns.py [--python PATH]`; the peer is measured in the same run if it is installed
(`pip install langgraph-supervisor langchain`), here or for `--python PATH`.
"""

import argparse
import json
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from planboard import Crew, ScriptedModel, call, chat_agent

PEER = Path(__file__).with_name("turns_peer.py")
SIZES = (5, 20, 80)
ROUNDS = 5
RESULT = "x" * 400
TASK = "How many kilometres are 26.2 miles?"

Figures = dict[str, tuple[float, float]]
"""CPU milliseconds of building a team, and of a turn, by the number of its workers as text, which JSON keeps."""


def timed(count: int) -> tuple[float, float]:
    """Return the CPU milliseconds of building a crew, and of one of its turns."""
    begun = time.process_time()
    names = [f"worker_{index:02}" for index in range(count)]
    boss = ScriptedModel(*(call(f"transfer_to_{name}", task="Go on.") for name in names), "Done.")
    workers = [chat_agent(name, llm=ScriptedModel(RESULT)) for name in names]
    crew = Crew("team", workers, llm=boss, handoff_messages=False, recursion_limit=count + 1)
    built = time.process_time()
    process = crew.run(TASK)
    ended = time.process_time()
    assert len(process.history) == 2 * count + 1
    return (built - begun) * 1e3, (ended - built) * 1e3 / count


def measured() -> Figures:
    timed(2)
    figures: Figures = {}
    for size in SIZES:
        building, turns = zip(*(timed(size) for _ in range(ROUNDS)), strict=True)
        figures[str(size)] = min(building), min(turns)
    return figures


def peer(python: str) -> Figures | None:
    """Return what the peer takes, or nothing if it is not installed."""
    if python == sys.executable and find_spec("langgraph_supervisor") is None:
        return None
    sizes = [str(size) for size in SIZES]
    done = subprocess.run(
        [python, str(PEER), str(ROUNDS), TASK, RESULT, *sizes], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return None
    found: Figures = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has langgraph-supervisor")
    rows = {"planboard, Crew": measured(), "langgraph-supervisor": peer(parser.parse_args().python)}
    print(f"CPU milliseconds, crews of {' / '.join(map(str, SIZES))} workers\n")
    print("| | to build | a turn |\n|---|---|---|")
    for name, figures in rows.items():
        if figures is None:
            print(f"| {name} | not installed | |")
            continue
        cells = (" / ".join(f"{figures[str(size)][which]:.1f}" for size in SIZES) for which in (0, 1))
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
