"""Solves one problem with one planner, in a process of its own: a task as JSON on stdin, figures as JSON on stdout.

Started by `planning_peers.py`. Nothing but the planner that is asked for is imported, so each may live in an
interpreter of its own. What is timed is the planning, by CPU, with that of child processes: turning the task into a
planner's own objects is not, unless the planner does that itself at every call. Short ones are repeated, and the
least is reported.
"""

import contextlib
import gc
import json
import logging
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planning_sas import sas

REPEAT_FOR = 0.5
"""CPU seconds spent on repetitions."""
REPEATS = 40
MEMORY = 6 << 30
Task = dict[str, Any]
"""`facts`, `start`, `goal` (lists of names), `operators` (name, pre, effects, cost), `seconds`, the limit, and
`scale`, which makes costs whole numbers."""
Steps = list[str] | None
Solve = Callable[[], Steps]


class OutOfTime(BaseException):
    """The limit came first. Not an `Exception`, so that no planner takes it for one of its own."""


def used() -> float:
    """Return the CPU seconds of this thread and of the children it has waited for.

    Of the thread, for all planners use one: while a CPU limit is set, Linux counts a process in ticks of 4 ms only.
    """
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + children.ru_utime + children.ru_stime


def allow(seconds: float) -> None:
    """Let this process, or each child from now on, run that much longer."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds + 1), hard))


class GaveUp(Exception):  # noqa: N818 - as its brother
    """The planner's own limit came first; says what it knows."""


def out_of_time(*_: object) -> None:
    allow(5)  # to say so
    raise OutOfTime


def timed(solve: Solve, seconds: float) -> tuple[float, Steps]:
    """Return the least CPU seconds of several runs, and the steps found."""
    least, spent = float("inf"), 0.0
    for _ in range(REPEATS):
        gc.collect()
        allow(seconds)
        begun = used()
        steps = solve()
        figure = used() - begun
        least, spent = min(least, figure), spent + figure
        if figure > seconds:
            raise OutOfTime
        if spent > REPEAT_FOR:
            break
    return least, steps


# Ours -----------------------------------------------------------------------------------------------------------------


def planboard_problem(task: Task) -> Any:
    from planboard.planners import Operator, PlanGoal, Problem

    operators = [Operator(name, pre, effects, cost) for name, pre, effects, cost in task["operators"]]
    goals = (PlanGoal("goal", task["goal"]),)
    state = dict.fromkeys(task["start"], True)
    return lambda: Problem(state, operators, goals)


def answered(result: Any) -> Steps:
    from planboard.planners import Plan

    if isinstance(result, Plan):
        return list(result.steps)
    if result.reason == "limit":
        best = "no plan" if result.best is None else f"a plan of {result.best.cost:g}"
        raise GaveUp(f"its own limit of nodes came first, with {best}, and none can be below {result.bound:g}")
    return None


def warm_up() -> None:
    """Import what a search imports when it is first needed."""
    from planboard.planners import Goap, Operator, PlanGoal, Problem

    there = Operator("there", ["a"], {"a": False, "b": True, "seen": True}, 1)
    back = Operator("back", ["b"], {"b": False, "a": True}, 1)
    Goap().plan(Problem({"a": True}, [there, back], [PlanGoal("goal", ["a", "seen"])]))


def planboard(task: Task) -> dict[str, Any]:
    """Plan over a new domain, over a known one, and once more with the answer remembered."""
    from planboard.planners import Goap, Problem

    warm_up()
    planner, fresh = Goap(), planboard_problem(task)
    cold, steps = timed(lambda: answered(planner.plan(fresh())), task["seconds"])
    known = fresh()
    planner.plan(known)

    def again() -> Problem:
        return Problem(known.state, known.domain, known.goals)

    def forgetful() -> Steps:
        known.domain.answers.clear()
        return answered(planner.plan(again()))

    warm, _ = timed(forgetful, task["seconds"])

    def remembered() -> None:
        for _ in range(100):
            planner.plan(again())

    cached, _ = timed(remembered, task["seconds"])
    return {"cold": cold, "warm": warm, "cached": cached / 100, "steps": steps}


def planboard_simpleai(task: Task) -> dict[str, Any]:
    from planboard.planners import Goap

    warm_up()
    fresh = planboard_problem(task)
    cold, steps = timed(lambda: answered(Goap("simpleai:astar").plan(fresh())), task["seconds"])
    return {"cold": cold, "steps": steps}


def planboard_run(task: Task) -> dict[str, Any]:
    """Plan, then after each step ask for the rest; and, beside it, plan again after each step."""
    from planboard.planners import Goap, Plan, Problem

    warm_up()
    planner, fresh = Goap(), planboard_problem(task)

    def following(plan: Plan) -> list[str]:
        steps = []
        while plan.first is not None:
            steps.append(plan.first.name)
            rest = plan.rest(plan.predicted)
            assert rest is not None, "the world did what was predicted, yet the plan does not go on"
            plan = rest
        return steps

    def replanning(plan: Plan) -> list[str]:
        problem, steps = fresh(), []
        while plan.first is not None:
            steps.append(plan.first.name)
            plan = planner.plan(Problem(plan.predicted, problem.domain, problem.goals))
        return steps

    rest, steps = timed(lambda: following(planner.plan(fresh())), task["seconds"])
    anew, _ = timed(lambda: replanning(planner.plan(fresh())), task["seconds"])
    return {"cold": rest, "anew": anew, "steps": steps}


# Peers in Python ------------------------------------------------------------------------------------------------------


def sides(pairs: dict[str, bool]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that go with True, and those that go with False."""
    return frozenset(n for n, true in pairs.items() if true), frozenset(n for n, true in pairs.items() if not true)


def simpleai(task: Task, *, goal_count: bool) -> dict[str, Any]:
    """Plain A* as its manual has it; the goal count is scaled down so that it never overestimates."""
    from simpleai.search import SearchProblem, astar

    goal = frozenset(task["goal"])
    operators = [(name, *sides(pre), *sides(effects), cost) for name, pre, effects, cost in task["operators"]]
    after = {name: (add, delete, cost) for name, _, _, add, delete, cost in operators}
    gain = max(len(goal & add) for add, _, _ in after.values())
    cheapest = min(cost for _, _, cost in after.values())

    class Blackboard(SearchProblem):
        def actions(self, state):
            return [name for name, yes, no, *_ in operators if yes <= state and no.isdisjoint(state)]

        def result(self, state, action):
            add, delete, _ = after[action]
            return state - delete | add

        def cost(self, _state, action, _result):
            return after[action][2]

        def is_goal(self, state):
            return goal <= state

        def heuristic(self, state):
            return len(goal - state) * cheapest / gain if goal_count else 0

    def solve() -> Steps:
        node = astar(Blackboard(frozenset(task["start"])), graph_search=True)
        return None if node is None else [action for action, _ in node.path() if action is not None]

    cold, steps = timed(solve, task["seconds"])
    return {"cold": cold, "steps": steps}


def pyperplan(task: Task) -> dict[str, Any]:
    """A* with LM-cut on its own task objects; a demand for False becomes a fact of its own, for it knows none."""
    logging.disable()
    from pyperplan.heuristics.lm_cut import LmCutHeuristic
    from pyperplan.search import astar_search
    from pyperplan.task import Operator
    from pyperplan.task import Task as Strips

    negated = {name for _, pre, _, _ in task["operators"] for name, true in pre.items() if not true}

    def literals(same: frozenset[str], opposite: frozenset[str]) -> set[str]:
        return {*same, *(f"not {name}" for name in opposite & negated)}

    operators = []
    for name, pre, effects, _ in task["operators"]:
        add, delete = sides(effects)
        operators.append(Operator(name, literals(*sides(pre)), literals(add, delete), literals(delete, add)))
    start = frozenset([*task["start"], *(f"not {name}" for name in negated.difference(task["start"]))])
    facts = {*task["facts"], *(f"not {name}" for name in negated)}
    strips = Strips("task", facts, start, frozenset(task["goal"]), operators)

    def solve() -> Steps:
        found = astar_search(strips, LmCutHeuristic(strips))
        return None if found is None else [operator.name for operator in found]

    cold, steps = timed(solve, task["seconds"])
    return {"cold": cold, "steps": steps}


def langgoap(task: Task) -> dict[str, Any]:
    logging.disable()
    from langgoap import ActionSpec, GoalSpec, plan

    actions = [ActionSpec(name, pre, effects, cost=cost) for name, pre, effects, cost in task["operators"]]
    start = dict.fromkeys(task["facts"], False) | dict.fromkeys(task["start"], True)
    goal = GoalSpec(dict.fromkeys(task["goal"], True))

    def solve() -> Steps:
        found = plan(start, goal, actions)
        return None if found is None else [action.name for action in found.actions]

    cold, steps = timed(solve, task["seconds"])
    return {"cold": cold, "steps": steps}


def goapauto(task: Task) -> dict[str, Any]:
    """Its cap of 1,000 iterations, which it reports as "no plan", is lifted."""
    logging.disable()
    from goapauto import Goal, Planner, WorldState

    actions = [tuple(operator) for operator in task["operators"]]
    start = WorldState(**(dict.fromkeys(task["facts"], False) | dict.fromkeys(task["start"], True)))
    goal = Goal(target_state=dict.fromkeys(task["goal"], True))
    planner = Planner(actions_list=actions, max_iterations=10**9, verbose=False)
    cold, steps = timed(lambda: planner.generate_plan(start, goal).plan, task["seconds"])
    return {"cold": cold, "steps": steps}


# Fast Downward --------------------------------------------------------------------------------------------------------


def downward(task: Task) -> dict[str, Any]:
    """The search program alone, A* with LM-cut, on the task as it is; its start is part of the figure."""
    import up_fast_downward

    home = Path(up_fast_downward.__file__).parent
    program = str(home / "downward/builds/release/bin/downward")
    with tempfile.TemporaryDirectory() as folder:
        given, plan = Path(folder, "output.sas"), Path(folder, "plan")
        given.write_text(sas(task), encoding="utf-8")

        def solve() -> Steps:
            plan.unlink(missing_ok=True)
            child = os.posix_spawn(
                program,
                [program, "--search", "astar(lmcut())", "--internal-plan-file", str(plan)],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, str(given), os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
            )
            _, status = os.waitpid(child, 0)
            if plan.exists():
                lines = plan.read_text(encoding="utf-8").splitlines()
                return [line.strip("()") for line in lines if not line.startswith(";")]
            if os.waitstatus_to_exitcode(status) in (11, 12):  # proven unsolvable, and exhausted without a plan
                return None
            raise OutOfTime

        cold, steps = timed(solve, task["seconds"])
    return {"cold": cold, "steps": steps}


def downward_pddl(task: Task) -> dict[str, Any]:
    """Its driver, which translates PDDL that unified-planning writes."""
    from unified_planning import shortcuts as up

    up.get_environment().credits_stream = None
    problem = up.Problem("task")
    facts = {name: up.Fluent(name) for name in task["facts"]}
    for name, fluent in facts.items():
        problem.add_fluent(fluent, default_initial_value=name in task["start"])
    costs = {}
    for name, pre, effects, cost in task["operators"]:
        action = up.InstantaneousAction(name)
        for fact, true in pre.items():
            action.add_precondition(facts[fact] if true else up.Not(facts[fact]))
        for fact, true in effects.items():
            action.add_effect(facts[fact], true)
        problem.add_action(action)
        costs[action] = up.Int(round(cost * task["scale"]))
    for name in task["goal"]:
        problem.add_goal(facts[name])
    problem.add_quality_metric(up.MinimizeActionCosts(costs))

    def solve() -> Steps:
        with up.OneshotPlanner(name="fast-downward-opt") as planner:
            found = planner.solve(problem)
        if found.plan is not None:
            return [step.action.name for step in found.plan.actions]
        if "UNSOLVABLE" in found.status.name:
            return None
        raise OutOfTime

    cold, steps = timed(solve, task["seconds"])
    return {"cold": cold, "steps": steps}


WORKERS: dict[str, Callable[[Task], dict[str, Any]]] = {
    "planboard": planboard,
    "planboard-run": planboard_run,
    "planboard-simpleai": planboard_simpleai,
    "simpleai": lambda task: simpleai(task, goal_count=False),
    "simpleai-goalcount": lambda task: simpleai(task, goal_count=True),
    "pyperplan": pyperplan,
    "langgoap": langgoap,
    "goapauto": goapauto,
    "downward": downward,
    "downward-pddl": downward_pddl,
}


def main() -> None:
    name = sys.argv[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGXCPU, out_of_time)
    answer: dict[str, Any]
    with contextlib.redirect_stdout(sys.stderr):
        try:
            answer = WORKERS[name](json.load(sys.stdin))
            answer["status"] = "solved" if answer["steps"] is not None else "no plan"
        except OutOfTime:
            answer = {"status": "limit"}
        except MemoryError:
            answer = {"status": "limit", "why": f"over {MEMORY >> 30} GB"}
        except GaveUp as error:
            answer = {"status": "gave up", "why": str(error)}
        except ImportError as error:
            answer = {"status": "not installed", "why": str(error)}
        except Exception as error:
            answer = {"status": "error", "why": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
