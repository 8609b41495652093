"""What a supervisor's routing costs: Planboard beside LangGraph, the researcher-and-coder task and long runs.

All models are scripted, so what is counted is what goes over the wire: calls of the supervisor's model, and the
characters of its prompts and tools. Run it with `python benchmarks/supervisor.py`; LangGraph is measured in the same
run if it is installed (`pip install langgraph-supervisor langchain`), here or for `--python PATH`.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from planboard import Agent, Ai, ScriptedModel, Supervisor, achieves_goal, action, call
from planboard.llm.scripted import wire_size

PEERS = Path(__file__).with_name("supervisor_peers.py")


class Task(BaseModel):
    question: str


class Fact(BaseModel):
    text: str


class Answer(BaseModel):
    text: str


TASK = Task(question="How many kilometres are 26.2 miles?")


def lookup(query: str) -> str:  # noqa: ARG001 - the script knows
    """Look up a fact."""
    return "A mile is 1.609344 kilometres."


def run_python(code: str) -> str:  # noqa: ARG001 - the script knows
    """Run Python code."""
    return "42.16"


@action
async def research(task: Task, ai: Ai) -> Fact:
    """Look up facts."""
    return Fact(text=await ai.agentic(f"You look up facts. {ai.data(task)}", tools=[lookup]))


@achieves_goal("The answer")
@action
async def compute(task: Task, fact: Fact, ai: Ai) -> Answer:
    """Write and run code."""
    return Answer(text=await ai.agentic(f"You write code. {ai.data(task)}{ai.data(fact)}", tools=[run_python]))


def ours(*, asks: bool) -> dict[str, Any]:
    """Measure the task; each worker makes two calls of its own, one for a tool and one for the answer."""
    workers = ScriptedModel(
        call("lookup", query="mile"),
        "A mile is 1.609344 kilometres.",
        call("run_python", code="print(26.2 * 1.609344)"),
        "42.16 kilometres.",
    )
    boss = ScriptedModel(call("research"), call("compute"))
    agent = Agent("team", [research, compute], services=[Ai(workers)])
    process = agent.process(TASK, planner=Supervisor(llm=boss, ask_when_forced=asks))
    asyncio.run(process.run())
    assert process.result(Answer).text == "42.16 kilometres."
    return {
        "variant": f"planboard, {'always asked' if asks else 'forced moves'}",
        "supervisor_calls": len(boss.requests),
        "all_calls": len(boss.requests) + len(workers.requests),
        "messages": 0,
        "characters": 0,
        "sent_to_supervisor": boss.sent,
        "sent_in_all": boss.sent + workers.sent,
    }


def chain(count: int, context: str) -> dict[str, Any]:
    """Measure workers that have to run one after another, each of which leaves 400 characters."""
    types = [type(f"Part{index:02}", (BaseModel,), {"__annotations__": {"text": str}}) for index in range(count + 1)]

    def worker(index: int) -> Any:
        after = types[index + 1]

        def work(before: Any) -> Any:  # noqa: ARG001 - it is only waited for
            return after(text="x" * 400)

        work.__annotations__ = {"before": types[index], "return": after}
        work.__name__ = f"worker_{index:02}"
        made = action(work)
        return achieves_goal("The end")(made) if index == count - 1 else made

    boss = ScriptedModel(rules=lambda request: call(request.tools[0]))
    agent = Agent("chain", [worker(index) for index in range(count)])
    planner = Supervisor(llm=boss, ask_when_forced=True, context=context)  # type: ignore[arg-type]
    process = agent.process(types[0](text="go"), planner=planner)
    asyncio.run(process.run())
    return {"workers": count, "sent_each": [wire_size(request) for request in boss.requests]}


def peers(python: str | None) -> dict[str, Any] | None:
    if python is None and find_spec("langgraph_supervisor") is None:
        return None
    done = subprocess.run([python or sys.executable, str(PEERS)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"LangGraph could not be measured:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def show(rows: list[dict[str, Any]]) -> None:
    print(f"| {'variant':<58} | routing calls | all calls | shared messages | sent to supervisor | sent in all |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['variant']:<58} | {row['supervisor_calls']:>13} | {row['all_calls']:>9} | {row['messages']:>15} "
            f"| {row['sent_to_supervisor']:>18,} | {row['sent_in_all']:>11,} |"
        )


def show_long(name: str, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        sent = row["sent_each"]
        print(f"| {name:<42} | {row['workers']:>7} | {sent[0]:>5,} | {max(sent):>7,} | {sum(sent):>9,} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", metavar="PATH", help="an interpreter that has langgraph-supervisor")
    given = parser.parse_args()
    theirs = peers(given.python)
    rows = [ours(asks=False), ours(asks=True)]
    print("## Researcher and coder\n")
    show([*rows, *(theirs["task"] if theirs else [])])
    if theirs:
        best = min(row["sent_to_supervisor"] for row in theirs["task"])
        shares = ", ".join(f"{row['variant']}: {row['sent_to_supervisor'] / best:.2f}" for row in rows)
        print(f"\nSent to the supervisor, as a share of the best variant of LangGraph ({best:,} characters): {shares}")
    print("\n## Workers one after another, always asked: characters sent to the supervisor\n")
    print(f"| {'variant':<42} | workers | first | longest | in all |\n|---|---|---|---|---|")
    for context in ("digest", "transcript"):
        show_long(f"planboard, {context}", [chain(count, context) for count in (5, 10, 20)])
    if theirs:
        show_long("langgraph-supervisor, no hand-off messages", theirs["long"])


if __name__ == "__main__":
    main()
