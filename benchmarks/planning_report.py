"""What `planning.py` found, as a table and as a plot."""

import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from planning_families import Instance
from planning_peers import OURS, Outcome, Peer

LEGEND = """\
CPU milliseconds, the least of a few runs where a run is short. Planboard: *cold*, with operators it has never seen;
*warm*, with the domain known and what earlier searches have learned, but no answer remembered; *cached*, with the
answer remembered, in microseconds. What the others need to take a task in is not counted, except for "FD from PDDL",
the driver of Fast Downward. "FD search" is its search program alone, A* with LM-cut, given the task in its own format;
starting the program is counted.
goapauto's cap on iterations is lifted.

- A bare figure: the plan costs what the column "optimum" says. **+0.35**: dearer by that. **!**: no right answer.
- TO: over {seconds:g} CPU seconds. (TO): not tried, after the same on a smaller problem of the family.
  "Gave up": the planner's own limit came first, and it says so.
- *: pyperplan does not look at costs here, and they differ. ?: the least cost found; no exact planner ended.
"""


@dataclass(frozen=True)
class Report:
    """All outcomes, by problem and planner."""

    outcomes: list[Outcome]
    versions: dict[Peer, str | None]
    seconds: float

    @cached_property
    def problems(self) -> list[Instance]:
        return list({outcome.problem.name: outcome.problem for outcome in self.outcomes}.values())

    @cached_property
    def peers(self) -> list[Peer]:
        return [peer for peer, version in self.versions.items() if version]

    @cached_property
    def _found(self) -> dict[tuple[Peer, str], Outcome]:
        return {(outcome.peer, outcome.problem.name): outcome for outcome in self.outcomes}

    def outcome(self, peer: Peer, problem: str) -> Outcome | None:
        return self._found.get((peer, problem))

    def figure(self, peer: Peer, problem: str, which: str = "cold") -> float | None:
        """Return the CPU seconds of a planner that found a plan."""
        outcome = self.outcome(peer, problem)
        return outcome.figures[which] if outcome and outcome.status == "solved" else None

    def optimum(self, problem: Instance) -> tuple[Fraction | None, bool]:
        """Return the least cost found, and whether a planner that is exact has found a plan."""
        solved = [o for o in self.outcomes if o.problem is problem and o.cost is not None]
        return min((o.cost for o in solved), default=None), any(o.peer.exact for o in solved)

    def excess(self, outcome: Outcome) -> Fraction:
        """Return how much dearer a plan is than the best."""
        best, _ = self.optimum(outcome.problem)
        return Fraction() if outcome.cost is None or best is None else outcome.cost - best

    def cell(self, outcome: Outcome | None, which: str = "cold") -> str:
        if outcome is None:
            return ""
        if outcome.status != "solved":
            short = {
                "limit": "TO",
                "gave up": "gave up",
                "not tried": "(TO)",
                "no plan": "**! no plan**",
                "wrong": "**! wrong plan**",
            }
            return short.get(outcome.status, f"**! {outcome.status}**")
        if which == "cached":
            return f"{outcome.figures[which] * 1e6:.1f} µs"
        blind = "" if outcome.peer.weighs or outcome.problem.unit_cost else "\\*"
        excess = self.excess(outcome)
        return milliseconds(outcome.figures[which]) + blind + (f" **+{float(excess):g}**" if excess else "")

    def _rows(self) -> Iterator[str]:
        others = [peer for peer in self.peers if peer is not OURS]
        head = ["problem", "actions", "optimum", "Planboard cold", "warm", "cached", *(peer.label for peer in others)]
        yield f"| {' | '.join(head)} |"
        yield f"|---|{'---:|' * (len(head) - 1)}"
        for problem in self.problems:
            best, proven = self.optimum(problem)
            ours = self.outcome(OURS, problem.name)
            cells = [problem.name, str(len(problem.operators)), "" if best is None else f"{float(best):g}"]
            cells[2] += "" if proven else " ?"
            cells += [self.cell(ours, which) for which in ("cold", "warm", "cached")]
            cells += [self.cell(self.outcome(peer, problem.name)) for peer in others]
            yield f"| {' | '.join(cells)} |"

    def _summary(self) -> Iterator[str]:
        yield "| planner | version | optimal | dearer | no right answer | out of time, or not tried |"
        yield "|---|---|---:|---:|---:|---:|"
        for peer, version in self.versions.items():
            if version is None:
                yield f"| {peer.label} | not installed (`pip install {peer.package}`) | | | | |"
                continue
            mine = [outcome for outcome in self.outcomes if outcome.peer is peer]
            solved = [outcome for outcome in mine if outcome.status == "solved"]
            late = sum(outcome.status in ("limit", "gave up", "not tried") for outcome in mine)
            best = sum(not self.excess(outcome) for outcome in solved)
            counts = (best, len(solved) - best, len(mine) - len(solved) - late, late)
            yield f"| {peer.label} | {version} | {' | '.join(map(str, counts))} |"

    def _complaints(self) -> Iterator[str]:
        for outcome in self.outcomes:
            if outcome.why:
                yield f"- {outcome.peer.label} on {outcome.problem.name}: {outcome.status}, {outcome.why[:200]}"

    def text(self) -> str:
        """Return the report in Markdown, without the bars."""
        python = platform.python_version()
        parts = [
            "# Planning: time and cost\n",
            f"Python {python}; made by `benchmarks/planning.py`.\n",
            LEGEND.format(seconds=self.seconds),
            *self._rows(),
            "\n## Planners\n",
            *self._summary(),
        ]
        complaints = list(self._complaints())
        return "\n".join(parts + (["", *complaints] if complaints else [])) + "\n"


def milliseconds(seconds: float) -> str:
    """Return a time with three digits or so."""
    figure = seconds * 1e3
    return f"{figure:.2f}" if figure < 10 else f"{figure:.1f}" if figure < 100 else f"{figure:,.0f}"


def plot(report: Report, path: Path) -> None:
    """Draw the times on a logarithmic scale, one column a problem; a plan dearer than the best has a hollow mark."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("No plot: `pip install matplotlib`.", file=sys.stderr)
        return
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    names = [problem.name for problem in report.problems]
    figure, axes = plt.subplots(figsize=(4 + 0.32 * len(names), 7))
    top, missing = report.seconds * 1e3, float("nan")
    for peer, marker in zip(report.peers, "o^v<>sPD*X", strict=False):
        times = [(report.figure(peer, name) or missing) * 1e3 for name in names]
        best = [not report.excess(outcome) for name in names if (outcome := report.outcome(peer, name))]
        (marks,) = axes.plot(
            range(len(names)),
            [at if good else missing for at, good in zip(times, best, strict=True)],
            marker,
            label=peer.label + (", cold" if peer is OURS else ""),
            color="black" if peer is OURS else None,
            alpha=0.8,
        )
        dearer = [missing if good else at for at, good in zip(times, best, strict=True)]
        axes.plot(range(len(names)), dearer, marker, color=marks.get_color(), fillstyle="none")
    axes.axhline(
        top,
        color="grey",
        linestyle=":",
        label=f"limit, {report.seconds:g} s (no mark: no plan in time; hollow: dearer)",
    )
    axes.set_yscale("log")
    axes.set_ylabel("CPU milliseconds")
    axes.set_xticks(range(len(names)), names, rotation=75, ha="right", fontsize=7)
    axes.grid(visible=True, alpha=0.25)
    axes.set_title("Planning: CPU time to a plan")
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
