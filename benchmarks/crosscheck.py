"""Random small problems, every engine, against brute force; shuffles, hash seeds, remembered against fresh plans.

The reference is `planboard.testing.reference`: dictionaries, all states, no engine. Exit code 1 on any difference.
"""

import argparse
import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from random import Random

from planboard.planners import Goap, Limit, NoPlan, Operator, Plan, PlanGoal, PlanResult, Problem, Utility
from planboard.planners.base import standing
from planboard.testing.reference import best_plan, key_of, smallest_order
from planboard.testing.written import written

STYLES = (
    "mixed",
    "delete-free",
    "embabel",
    "zero costs",
    "unknown",
    "outcomes",
    "conflicts",
    "tangled",
    "repeats",
    "several goals",
)
EXACT = ("auto", "astar", "simpleai:astar", "simpleai:uniform_cost")
HEURISTICS = (None, "blind", "goalcount", "hmax", "lmcut")
PRICES = (0, 0.1, 0.1, 0.2, 0.3, 1.5)


def literals(random: Random, facts: str, most: int, values: tuple[bool | None, ...], least: int = 0) -> dict:
    chosen = random.sample(facts, min(len(facts), random.randint(least, most)))
    return {fact: random.choice(values) for fact in chosen}


def problem_of(style: str, random: Random) -> Problem:
    """Return a random problem of a style."""
    if style == "tangled":
        return tangled(random)
    facts = "abcdefg"[: random.randint(3, 7)]
    deletes = style not in ("delete-free", "embabel")
    effects = (True, True, False, None) if style == "mixed" else (True, True, False) if deletes else (True,)
    operators = []
    for number in range(random.randint(2, 6 if style == "several goals" else 8)):
        pre = literals(random, facts, 2, (True,) if style in ("delete-free", "conflicts") else (True, True, False))
        gives = literals(random, facts, 2, effects, least=1)
        if style == "embabel":
            gives = dict.fromkeys(random.sample(facts, 1), True)
            pre = {**pre, **dict.fromkeys(gives, False), f"ran {number}": False}
        if style == "conflicts":
            used = {fact: False for fact in pre if random.random() < 0.5}
            gives = {**used, **dict.fromkeys(gives, True)}
            pre[f"ran {number}"] = False
        if style in ("embabel", "conflicts"):
            gives[f"ran {number}"] = True
        if style == "repeats":
            gives = {**dict.fromkeys(pre, False), **gives}
        cost = 0 if style == "zero costs" and random.random() < 0.7 else random.choice(PRICES)
        value = random.choice((0, 0, 0.2)) if style == "several goals" else 0
        often = {"mixed": 0.15, "outcomes": 0.6}.get(style, 0)
        outcomes = ("X", "Y") if random.random() < often else ("",)
        operators += [
            Operator(
                f"o{number}",
                pre,
                gives if outcome != "Y" else {random.choice(facts): True},
                cost,
                value,
                outcome=outcome,
            )
            for outcome in outcomes
        ]
    truths = (True, False, None) if style in ("mixed", "unknown") else (True, False)
    goals = [
        PlanGoal(f"g{n}", literals(random, facts, 3, (True, True, False), least=1), random.choice((0, 0.1, 0.2, 1)))
        for n in range(random.randint(2, 4) if style == "several goals" else 1)
    ]
    truth = {fact: random.choice((True, False, None)) for fact in facts}
    return Problem(
        {**dict.fromkeys(facts, False), **literals(random, facts, 3, truths)},
        operators,
        goals,
        truth.__getitem__ if style == "unknown" else None,
    )


def tangled(random: Random) -> Problem:
    """Return a problem in which most things have to be done, once each, and the question is in which order."""
    facts, operators = "abcd"[: random.randint(2, 4)], []
    count = random.randint(2, 6)
    for number in range(count):
        pre = dict.fromkeys(random.sample(facts, random.randint(1, 2)), True)
        gives = {**literals(random, facts, 2, (False,), least=1), **literals(random, facts, 2, (True,), least=1)}
        ran = f"ran {number}"
        operators.append(Operator(f"o{number}", {**pre, ran: False}, {**gives, ran: True}, random.choice(PRICES)))
    for number in range(random.randint(0, 3)):
        once = f"mended {number}"
        operators.append(Operator(f"m{number}", {once: False}, {once: True, random.choice(facts): True}, 1))
    wanted = [f"ran {number}" for number in range(count) if random.random() < 0.8] or ["ran 0"]
    start = literals(random, facts, 2, (True,))
    return Problem({**dict.fromkeys(facts, False), **start}, operators, [PlanGoal("g", wanted)])


@dataclass
class Tally:
    """What was looked at, and what was wrong."""

    checks: Counter = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def claim(self, what: str, problem: Problem, *, holds: bool) -> None:
        self.checks[what] += 1
        if not holds:
            self.wrong.append(f"{what}\n{written(problem)}")

    def add(self, other: "Tally") -> None:
        self.checks.update(other.checks)
        self.wrong += other.wrong


def agrees(result: PlanResult, problem: Problem, goal: PlanGoal) -> bool:
    """Whether an answer is the one that brute force finds, down to the order of the steps."""
    best = best_plan(problem, goal)
    if best is None or isinstance(result, NoPlan):
        return best is None and isinstance(result, NoPlan) and result.reason == "unreachable"
    key = key_of(result.operators, len(result.assumptions), problem)
    if key[0] != best.key[0] or key != best.key:
        return False
    several = Counter(operator.name for operator in problem.operators)
    if len(result) > 7 or any(several[operator.name] > 1 for operator in result.operators):
        return True
    return smallest_order(problem, goal, result.operators, len(result.assumptions)) == result.operators


def within_bounds(result: PlanResult, problem: Problem, goal: PlanGoal) -> bool:
    """Whether what a limited search says is true: its plan the best, its failure real, its bounds on both sides."""
    if isinstance(result, Plan) or result.reason != "limit":
        return agrees(result, problem, goal)
    best = best_plan(problem, goal)
    if best is None or result.bound is None:
        return best is None and result.best is None
    cost = best.key[0]
    return result.bound <= float(cost) and (result.best is None or result.best.exact_cost >= cost)


def check(style: str, seed: int) -> Tally:
    """Check one problem in every way."""
    random, tally = Random(f"{style} {seed}"), Tally()
    problem = problem_of(style, random)
    goal = problem.goals[0]
    for engine in EXACT:
        heuristic = random.choice(HEURISTICS) if engine == "astar" else None
        result = Goap(engine, heuristic=heuristic).plan_to(problem, goal)
        tally.claim(f"{engine} is as brute force", problem, holds=agrees(result, problem, goal))
    settled = Goap("relaxed").plan_to(problem, goal)
    if not (isinstance(settled, NoPlan) and settled.reason == "limit"):
        tally.claim("relaxed is as brute force, where it settles", problem, holds=agrees(settled, problem, goal))
    limited = Goap(limit=Limit(nodes=random.randint(0, 6))).plan_to(problem, goal)
    tally.claim("a limit is a limit, with true bounds", problem, holds=within_bounds(limited, problem, goal))
    bold = Goap("astar", heuristic="hadd").plan_to(problem, goal)
    if isinstance(bold, Plan) and not bold.complete:
        tally.claim("h-add proves nothing", problem, holds=not bold.proof.optimal)
    plan = Goap().plan(problem)
    each = [one for one in Goap().plans(problem) if isinstance(one, Plan)]
    best = min(each, key=standing, default=None)
    tally.claim(
        "the best of all goals is chosen", problem, holds=plan == best or (best is None and isinstance(plan, NoPlan))
    )
    while isinstance(plan, Plan) and not plan.complete and problem.resolve is None:
        observed = plan.predicted
        afresh = Goap().plan(Problem(dict(observed), problem.operators, problem.goals))
        kept = Goap().plan(Problem(observed, plan.domain, problem.goals))
        tally.claim("a remembered plan is the plan made afresh", problem, holds=told(kept) == told(afresh))
        rest = plan.rest(observed)
        if rest is None:
            break
        tally.claim("the rest of a plan is the plan made afresh", problem, holds=told(rest) == told(afresh))
        plan = rest
    return tally


def told(result: PlanResult) -> str:
    if isinstance(result, NoPlan):
        return f"{result.goal} {result.reason} {result.missing}"
    return f"{result.goal} {result.steps} {result.cost} {result.fingerprint}"


def shuffled(problem: Problem, random: Random, idle: int) -> Problem:
    """Return the same problem in another order, with actions that lead nowhere."""

    def mixed(items: dict) -> dict:
        return dict(random.sample(list(items.items()), len(items)))

    operators = [
        Operator(o.name, mixed(dict(o.pre)), mixed(dict(o.effects)), o.cost, o.value, outcome=o.outcome)
        for o in problem.operators
    ]
    operators += [Operator(f"{random.choice('amz')}{n} idle", ["a"], [f"nowhere {n}"]) for n in range(idle)]
    goals = random.sample(problem.goals, len(problem.goals))
    return Problem(mixed(dict(problem.state)), random.sample(operators, len(operators)), goals, problem.resolve)


def check_shuffle(seed: int) -> Tally:
    random, tally = Random(f"shuffle {seed}"), Tally()
    problem = problem_of(STYLES[seed % len(STYLES)], random)
    for planner, idle in ((Goap(), 3), (Utility(), 0)):  # Utility does what is idle too, if it is worth it
        one, other = planner.plan(problem), planner.plan(shuffled(problem, random, idle))
        same = told(one) == told(other) or (isinstance(one, NoPlan) and isinstance(other, NoPlan))
        tally.claim("shuffled, among actions that lead nowhere: the same", problem, holds=same)
    return tally


def digest(count: int) -> str:
    """Return a digest of the answers to so many problems."""
    found = hashlib.sha256()
    for seed in range(count):
        found.update(told(Goap().plan(problem_of(STYLES[seed % len(STYLES)], Random(f"digest {seed}")))).encode())
    return found.hexdigest()


def digests(count: int, seeds: int) -> Iterator[str]:
    for seed in range(seeds):
        command = [sys.executable, __file__, "--digest", str(count)]
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        yield subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def work(part: tuple[str, range]) -> Tally:
    style, seeds = part
    tally = Tally()
    for seed in seeds:
        tally.add(check_shuffle(seed) if style == "shuffles" else check(style, seed))
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=int, default=20_000, help="how many random problems (default %(default)s)")
    parser.add_argument("--shuffles", type=int, default=2_000, help="how many shuffled ones (default %(default)s)")
    parser.add_argument("--hash-seeds", type=int, default=6, help="how many hash seeds (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="where to begin (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: one per core)")
    parser.add_argument("--digest", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.digest is not None:
        print(digest(given.digest))
        return 0
    each, chunk = given.problems // len(STYLES), 100
    parts = [
        (style, range(begin, min(begin + chunk, given.seed + each)))
        for style in STYLES
        for begin in range(given.seed, given.seed + each, chunk)
    ]
    parts += [("shuffles", range(n, min(n + chunk, given.shuffles))) for n in range(0, given.shuffles, chunk)]
    tally = Tally()
    with ProcessPoolExecutor(given.jobs) as pool:
        for number, part in enumerate(pool.map(work, parts), start=1):
            tally.add(part)
            print(f"\r{number} of {len(parts)} parts, {len(tally.wrong)} differences", end="", file=sys.stderr)
    print(file=sys.stderr)
    found = set(digests(200, given.hash_seeds)) if given.hash_seeds else {""}
    print("| claim | checked |\n|---|---|")
    for what, count in sorted(tally.checks.items()):
        print(f"| {what} | {count:,} |")
    print(f"| one digest of 200 answers | {given.hash_seeds} hash seeds, {len(found)} digest |")
    print(f"\n{len(tally.wrong)} differences over {each * len(STYLES):,} problems of {len(STYLES)} styles.")
    for text in tally.wrong[:5]:
        print(f"\n{text}")
    return 1 if tally.wrong or len(found) > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
