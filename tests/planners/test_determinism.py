"""The same plan in every process, whatever the hash seed; and planning loads no more than it needs."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
from planboard.planners import *
import sys
names = "abcdefgh"
operators = {Operator(f"{kind}{n}", {f"x{n}"}, {f"x{m}", f"y{n}"}, 0.1)
             for n in range(6) for kind, m in (("p", n + 1), ("q", (n * 3 + 2) % 7), ("r", n + 2))}
goals = {PlanGoal("end", {"x7", "y2"}), PlanGoal("other", {"y5", "y3"})}
problem = Problem({"x0": True}, operators, goals)
plan = Goap().plan(problem)
print(plan.fingerprint, plan.explain(alternatives=True))
print(Goap(limit=Limit(nodes=1)).plan_to(problem, plan.goal))
print(Utility().plan(problem), Hybrid().plan(problem))
print(Goap().plan(Problem({}, operators, goals)).explain())
"""


def run(script, seed="0"):
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_every_hash_seed_gives_the_same_plan_and_the_same_words():
    outputs = {run(SCRIPT, seed) for seed in ("0", "1", "4711")}

    assert len(outputs) == 1
    assert "Net value" in outputs.pop()


def test_importing_the_planners_loads_no_search_library():
    loaded = run("import sys, planboard.planners as p; p.Goap('astar'); print('simpleai' in sys.modules)")

    assert loaded.strip() == "False"


def test_what_is_forced_is_planned_without_a_search_library():
    script = (
        "import sys; from planboard.planners import *\n"
        "plan = Goap().plan(Problem({}, [Operator('a', (), ['x'])], [PlanGoal('g', ['x'])]))\n"
        "print(plan, 'simpleai' in sys.modules)"
    )

    assert run(script).strip() == "a (cost 0) False"
