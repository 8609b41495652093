"""What Planboard has set itself in planning, and whether it holds in this run."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from planning_families import Instance, chain
from planning_peers import OURS, PLAIN, RUN, SEARCH, Runner
from planning_report import Report, milliseconds

PATIENCE = 120
"""CPU seconds for the hardest family, where the bar asks only how long the proof takes."""

Bar = tuple[str, bool | None, str]
"""What is asked, whether it holds (`None`: not measured), and the figures."""


def bars(report: Report, runner: Runner) -> str:
    """Return the section on the bars."""
    rows = [
        *costs(report),
        *times(report),
        *against_downward(report),
        *over_a_run(report, runner),
        *proof(report, runner),
    ]
    lines = ["\n## Bars\n", "| bar | | measured |", "|---|---|---|"]
    verdicts = {True: "holds", False: "**MISSED**", None: "not measured"}
    lines += [f"| {asked} | {verdicts[held]} | {figures} |" for asked, held, figures in rows]
    return "\n".join(lines) + "\n"


def costs(report: Report) -> Iterator[Bar]:
    late, dear = [], []
    for problem in report.problems:
        outcome = report.outcome(OURS, problem.name)
        if outcome is None or outcome.status != "solved":
            late.append(problem.name)
        elif report.excess(outcome):
            dear.append(problem.name)
    said = f"{len(report.problems) - len(late) - len(dear)} of {len(report.problems)} problems"
    said += f"; no proven plan in {report.seconds:g} s: {', '.join(late)}" if late else ""
    said += f"; dearer: {', '.join(dear)}" if dear else ""
    yield "1. the cost of the optimum on every problem", not (late or dear), said


def times(report: Report) -> Iterator[Bar]:
    ours, plain = report.figure(OURS, "indep12"), report.outcome(PLAIN, "indep12")
    asked = "2. 1,000 times faster than simpleai's plain A* on 12 independent subgoals"
    if ours is None or plain is None or plain.status not in ("solved", "limit"):
        yield asked, None, ""
    else:
        theirs = plain.figures.get("cold", report.seconds)
        more = "" if plain.figures else "more than "
        yield asked, theirs / ours >= 1000, f"{more}{theirs / ours:,.0f} times, cold"
    within = partial(ceiling, report)
    yield within("3. 30 independent subgoals within 3 ms, cold", "indep30", "cold", 3)
    yield within("4. 50 steps among 2,000 unrelated actions within 15 ms, cold", "chain50+2000", "cold", 15)
    yield within("4. the same within 3 ms, warm", "chain50+2000", "warm", 3)


def ceiling(report: Report, asked: str, problem: str, which: str, most: float) -> Bar:
    figure = report.figure(OURS, problem, which)
    return (asked, None, "") if figure is None else (asked, figure * 1e3 <= most, f"{milliseconds(figure)} ms")


def against_downward(report: Report) -> Iterator[Bar]:
    free = [problem for problem in report.problems if problem.delete_free]
    small = [problem for problem in free if len(problem.operators) <= 250]
    large = [problem for problem in free if 250 < len(problem.operators) <= 1000]
    asked = "5. faster than the search of Fast Downward on {}, delete-free, up to 250 actions"
    for family in dict.fromkeys(problem.family for problem in small):
        yield compared(report, asked.format(family), [p for p in small if p.family == family], 1.0)
    for family in dict.fromkeys(problem.family for problem in large):
        asked = f"5. level with it on {family} of up to 500 actions (1.25)"
        yield compared(report, asked, [p for p in large if p.family == family], 1.25)
    for family in ("gripper", "logistics", "blocks"):
        chosen = [problem for problem in report.problems if problem.family == family]
        if chosen:
            yield compared(report, f"6. within a factor 3 of it on {family}", chosen, 3.0)


def compared(report: Report, asked: str, problems: list[Instance], most: float) -> Bar:
    """Compare, cold, on each problem; a planner that ran out of time is counted as having taken the limit."""
    ratios: dict[str, float] = {}
    for problem in problems:
        ours, theirs = (report.outcome(peer, problem.name) for peer in (OURS, SEARCH))
        if ours is None or theirs is None or {ours.status, theirs.status} - {"solved", "limit", "gave up"}:
            return asked, None, ""
        if ours.figures or theirs.figures:
            limit = report.seconds
            ratios[problem.name] = ours.figures.get("cold", limit) / theirs.figures.get("cold", limit)
    if not ratios:
        return asked, None, "neither ended in time"
    told = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
    return asked, max(ratios.values()) <= most, f"our time / its time: {told}"


def over_a_run(report: Report, runner: Runner) -> Iterator[Bar]:
    outcome = runner.run(RUN, chain(200))
    asked = "7. planning in a whole run of 200 steps under 5 ms"
    if outcome.status == "solved":
        rest, anew = outcome.figures["cold"], outcome.figures["anew"]
        yield f"{asked}, cold, going on by `plan.rest`", rest * 1e3 < 5, f"{milliseconds(rest)} ms"
        yield f"{asked}, cold, by `planner.plan` after each step", anew * 1e3 < 5, f"{milliseconds(anew)} ms"
    else:
        yield asked, None, outcome.why
    cached = [figure for p in report.problems if (figure := report.figure(OURS, p.name, "cached")) is not None]
    worst = max(cached, default=None)
    asked = "8. answered from memory in under 30 µs, on every problem"
    yield asked, None if worst is None else worst * 1e6 < 30, "" if worst is None else f"{worst * 1e6:.1f} µs at most"


def proof(report: Report, runner: Runner) -> Iterator[Bar]:
    asked = "9. (no limit) proven optimum of 500 actions with deletes"
    patient = replace(runner, seconds=PATIENCE)
    chosen = [p for p in report.problems if p.family == "blackboard_deletes" and len(p.operators) >= 500]
    for problem in chosen:
        outcome = report.outcome(OURS, problem.name)
        if outcome is None or outcome.status != "solved":
            outcome = patient.run(OURS, problem)
        told = outcome.why or (f"not within {PATIENCE} s" if outcome.status == "limit" else outcome.status)
        if outcome.status == "solved":
            told = f"{outcome.figures['cold']:.2f} s, cost {float(outcome.cost or 0):g}"
        yield f"{asked}, {problem.name}", outcome.status == "solved", told
    if not chosen:
        yield asked, None, ""
