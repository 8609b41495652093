"""How long planning takes, and what the plans cost: Planboard beside the planners that are installed.

Every planner gets every problem of `planning_families.py`, in a process of its own with a limit of CPU time; after it
ran out of time it is spared the larger ones of that family (not Planboard, nor the search of Fast Downward). The table
goes to standard output and, with a plot, to a folder. The bars say what Planboard has set itself.

Run it with `python benchmarks/planning.py [--quick] [--families NAME,...] [--peers NAME,...] [--seconds N]`.
A peer that wants another Python is measured with `--python goapauto=/path/to/python`.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from planning_bars import bars
from planning_families import CATALOGUE, Instance, instances
from planning_peers import OURS, PEERS, Outcome, Peer, Runner
from planning_report import Report, plot

RESULTS = Path(__file__).with_name("results")


def names(known: list[str]):
    """Return a parser of comma-separated names, each of them known."""

    def parse(text: str) -> list[str]:
        chosen = [name.strip() for name in text.split(",") if name.strip()]
        for name in chosen:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; there are {', '.join(known)}")
        return chosen

    return parse


def interpreter(text: str) -> tuple[str, str]:
    peer, sign, path = text.partition("=")
    if not sign or peer not in {known.key for known in PEERS}:
        raise argparse.ArgumentTypeError(f"write PEER=PATH, not {text!r}")
    return peer, path


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    keys = [peer.key for peer in PEERS]
    parser.add_argument("--quick", action="store_true", help="the first problem of each family, 2 seconds")
    parser.add_argument("--families", type=names(list(CATALOGUE)), metavar="A,B", help=", ".join(CATALOGUE))
    parser.add_argument("--peers", type=names(keys), metavar="A,B", help=", ".join(keys))
    parser.add_argument("--seconds", type=float, help="CPU seconds for each planner and problem (default 8)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="families at a time (default 1, the quietest)")
    parser.add_argument("--python", type=interpreter, action="append", default=[], metavar="PEER=PATH")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR", help="where to write (default: results)")
    return parser.parse_args()


def chosen_problems(given: argparse.Namespace) -> list[Instance]:
    problems = instances(given.families or ())
    if not given.quick:
        return problems
    first: dict[str, Instance] = {}
    for problem in problems:
        first.setdefault(problem.family, problem)
    return list(first.values())


def measure(runner: Runner, peers: list[Peer], problems: list[Instance]) -> list[Outcome]:
    """Run all planners on the problems of a family; they take turns, so a slow moment hits all of them."""
    outcomes: list[Outcome] = []
    spared: set[Peer] = set()
    for problem in problems:
        for peer in peers:
            outcome = Outcome(peer, problem, "not tried") if peer in spared else runner.run(peer, problem)
            outcomes.append(outcome)
            if outcome.status == "limit" and not peer.patient:
                spared.add(peer)
        print(f"{problem.name} done", file=sys.stderr)
    return outcomes


def measure_all(runner: Runner, peers: list[Peer], problems: list[Instance], jobs: int) -> list[Outcome]:
    families: dict[str, list[Instance]] = {}
    for problem in problems:
        families.setdefault(problem.family, []).append(problem)
    with ThreadPoolExecutor(jobs) as pool:  # threads only wait for processes
        return [outcome for some in pool.map(partial(measure, runner, peers), families.values()) for outcome in some]


def main() -> None:
    given = options()
    runner = Runner(given.seconds or (2 if given.quick else 8), dict(given.python))
    peers = [peer for peer in PEERS if peer is OURS or not given.peers or peer.key in given.peers]
    versions = {peer: runner.version(peer) for peer in peers}
    installed = [peer for peer in peers if versions[peer]]
    outcomes = measure_all(runner, installed, chosen_problems(given), given.jobs)
    report = Report(outcomes, versions, runner.seconds)
    text = f"{report.text()}\n{bars(report, runner)}"
    print(text)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "planning.md").write_text(text, encoding="utf-8")
    plot(report, given.out / "planning.png")


if __name__ == "__main__":
    main()
