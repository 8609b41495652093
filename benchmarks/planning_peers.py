"""The planners that `planning.py` compares, and how one of them is run on one problem.

Each attempt is a process of its own, `planning_worker.py`, so that a planner that is missing, slow, hungry or broken
takes nothing else down, and nothing one has cached helps another. Plans are not believed: their steps are carried out
here, and their cost is added up here.
"""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from planning_families import Instance

Status = Literal["solved", "no plan", "limit", "gave up", "not tried", "not installed", "wrong", "error"]

WORKER = Path(__file__).with_name("planning_worker.py")
WALL = 6
"""Wall seconds for each CPU second that is allowed, on a busy machine, before a process is ended."""


@dataclass(frozen=True)
class Peer:
    """A planner, in one of the ways to use it."""

    key: str
    """What the worker calls it."""
    label: str
    package: str
    """What to install."""
    module: str
    patient: bool = False
    """Whether it is tried on every problem, even after it ran out of time on a smaller one of the family."""
    weighs: bool = True
    """Whether it looks at costs."""
    exact: bool = False
    """Whether its plan, when it ends in time, is an optimal one."""


OURS = Peer("planboard", "Planboard", "planboard", "planboard", patient=True, exact=True)
RUN = Peer("planboard-run", "Planboard, whole run", "planboard", "planboard")
PLAIN = Peer("simpleai", "simpleai A*, h=0", "simpleai==0.8.3", "simpleai", exact=True)
SEARCH = Peer("downward", "FD search", "up-fast-downward", "up_fast_downward", patient=True, exact=True)
PEERS = (
    OURS,
    Peer("planboard-simpleai", "Goap(simpleai:astar)", "planboard", "planboard", exact=True),
    PLAIN,
    Peer("simpleai-goalcount", "simpleai A*, goal count", "simpleai==0.8.3", "simpleai", exact=True),
    Peer("pyperplan", "pyperplan A* LM-cut", "pyperplan", "pyperplan", weighs=False),
    Peer("goapauto", "goapauto", "goapauto", "goapauto"),
    Peer("langgoap", "langgoap", "langgoap", "langgoap"),
    SEARCH,
    Peer("downward-pddl", "FD from PDDL", "up-fast-downward unified-planning", "up_fast_downward", exact=True),
)


@dataclass(frozen=True)
class Outcome:
    """What came of one attempt."""

    peer: Peer
    problem: Instance
    status: Status
    figures: dict[str, float] = field(default_factory=dict)
    """CPU seconds: `cold`, and for Planboard `warm` and `cached` as well."""
    cost: Fraction | None = None
    """What the steps cost, if they lead to the goal."""
    steps: int = 0
    why: str = ""


@dataclass
class Runner:
    """Runs planners on problems, within limits."""

    seconds: float
    interpreters: dict[str, str] = field(default_factory=dict)
    """Other interpreters for some peers, where a package wants another Python."""

    def python(self, peer: Peer) -> str:
        return self.interpreters.get(peer.key, sys.executable)

    def version(self, peer: Peer) -> str | None:
        """Return the version of a peer that is installed."""
        distribution = peer.package.split()[0].split("==")[0]
        asked = (
            "import importlib.metadata as m, importlib.util as u, sys\n"
            f"sys.exit(1) if u.find_spec({peer.module!r}) is None else None\n"
            f"try: print(m.version({distribution!r}))\n"
            "except m.PackageNotFoundError: print('of this tree')"
        )
        command = [self.python(peer), "-c", asked]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        return told.stdout.strip() if told.returncode == 0 else None

    def run(self, peer: Peer, problem: Instance) -> Outcome:
        """Let a planner solve a problem, and check what it says."""
        command = [self.python(peer), str(WORKER), peer.key]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as child:
            try:
                said, complaint = child.communicate(json.dumps(task(problem, self.seconds)), WALL * self.seconds + 60)
            except BaseException as error:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
                if isinstance(error, subprocess.TimeoutExpired):
                    return Outcome(peer, problem, "limit")
                raise
        try:
            answer = json.loads(said)
        except ValueError:
            if child.returncode == -signal.SIGXCPU:
                return Outcome(peer, problem, "limit")
            return Outcome(peer, problem, "error", why=complaint.strip().rpartition("\n")[2])
        return judged(peer, problem, answer)


def task(problem: Instance, seconds: float) -> dict[str, Any]:
    """Return a problem as the worker takes it."""
    operators = [(o.name, dict(o.pre), dict(o.effects), o.cost) for o in problem.operators]
    costs = [Fraction(str(cost)) for *_, cost in operators]
    scale = next(10**digits for digits in range(20) if all((cost * 10**digits).denominator == 1 for cost in costs))
    return {
        "facts": list(problem.problem().domain.facts),
        "start": sorted(problem.facts),
        "goal": sorted(problem.goal.pre),
        "operators": operators,
        "seconds": seconds,
        "scale": scale,
    }


def judged(peer: Peer, problem: Instance, answer: dict[str, Any]) -> Outcome:
    """Return an outcome for what a planner says, once its steps have been carried out."""
    status, why, steps = answer["status"], answer.get("why", ""), answer.get("steps")
    if steps is None:
        return Outcome(peer, problem, status, why=why)
    figures = {key: figure for key, figure in answer.items() if isinstance(figure, float)}
    known = {operator.name: operator for operator in problem.operators}
    holds, cost = set(problem.facts), Fraction()
    for number, step in enumerate(steps):
        operator = known.get(step)
        if operator is None or any((name in holds) != wanted for name, wanted in operator.pre.items()):
            return Outcome(peer, problem, "wrong", figures, why=f"step {number + 1}, {step}, cannot be done")
        holds.difference_update(operator.effects)
        holds.update(name for name, true in operator.effects.items() if true)
        cost += Fraction(str(operator.cost))
    if not holds.issuperset(problem.goal.pre):
        return Outcome(peer, problem, "wrong", figures, why="the steps do not lead to the goal")
    return Outcome(peer, problem, "solved", figures, cost, len(steps))
