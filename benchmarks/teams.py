"""What a crew's routing costs: Planboard's `Crew` beside langgraph-supervisor, with each knob of both.

All models are scripted and say the same on both sides, so what is counted is what goes over the wire and what is kept:
calls, messages and characters of the shared history, characters of prompts and tools. Run it with
`python benchmarks/teams.py`; the peer is measured in the same run if it is installed
(`pip install langgraph-supervisor langchain`), here or for `--python PATH`.
"""

import argparse
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from planboard import Crew, Message, ScriptedModel, call, chat_agent

PEERS = Path(__file__).with_name("supervisor_peers.py")
TASK = "How many kilometres are 26.2 miles?"
PROMPT = "You manage a researcher and a coder."
TRACE = ["supervisor", "researcher", "supervisor", "coder", "supervisor"]
TASKS = {"researcher": "How long is a mile?", "coder": "26.2 miles in kilometres"}
RESULT = "x" * 400


def lookup(query: str) -> str:  # noqa: ARG001 - the script knows
    """Look up a fact."""
    return "A mile is 1.609344 kilometres."


def run_python(code: str) -> str:  # noqa: ARG001 - the script knows
    """Run Python code."""
    return "42.16"


def measured(name: str, **options: Any) -> dict[str, Any]:
    """Measure the task; each worker makes two calls of its own, one for a tool and one for the answer."""
    finds = ScriptedModel(call("lookup", query="mile"), "A mile is 1.609344 kilometres.")
    codes = ScriptedModel(call("run_python", code="print(26.2 * 1.609344)"), "42.16 kilometres.")
    single = options.get("tools") == "task"
    calls = [
        call("task", agent=worker, description=task) if single else call(f"transfer_to_{worker}", task=task)
        for worker, task in TASKS.items()
    ]
    boss = ScriptedModel(*calls, "It is 42.16 kilometres.")
    workers = [
        chat_agent("researcher", "You look up facts.", tools=[lookup], llm=finds),
        chat_agent("coder", "You write code.", tools=[run_python], llm=codes),
    ]
    process = Crew("team", workers, llm=boss, prompt=PROMPT, **options).run(TASK)
    assert [done.action for done in process.history] == TRACE
    messages = process.board.all(Message)
    models = (boss, finds, codes)
    return {
        "variant": f"planboard, {name}",
        "supervisor_calls": len(boss.requests),
        "all_calls": sum(len(model.requests) for model in models),
        "messages": len(messages),
        "characters": sum(len(message.content) for message in messages),
        "sent_to_supervisor": boss.sent,
        "sent_in_all": sum(model.sent for model in models),
    }


def one_after_another(count: int, **options: Any) -> dict[str, Any]:
    """Measure workers that are given work one after another, each leaving 400 characters."""
    names = [f"worker_{index:02}" for index in range(count)]
    single = options.get("tools") == "task"
    calls = [
        call("task", agent=name, description="Go on.") if single else call(f"transfer_to_{name}", task="Go on.")
        for name in names
    ]
    boss = ScriptedModel(*calls, "Done.")
    workers = [chat_agent(name, llm=ScriptedModel(RESULT)) for name in names]
    Crew("team", workers, llm=boss, prompt=PROMPT, handoff_messages=False, **options).run(TASK)
    return {"workers": count, "sent_in_all": boss.sent}


def peers(python: str) -> dict[str, Any] | None:
    """Return what the peer takes, or nothing if it is not installed."""
    if python == sys.executable and find_spec("langgraph_supervisor") is None:
        return None
    done = subprocess.run([python, str(PEERS)], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return None
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def table(rows: list[dict[str, Any]]) -> None:
    """Print rows as a Markdown table."""
    print(f"| {' | '.join(rows[0]).replace('_', ' ')} |")
    print("|---" * len(rows[0]) + "|")
    for row in rows:
        print(f"| {' | '.join(f'{value:,}' if isinstance(value, int) else str(value) for value in row.values())} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has langgraph-supervisor")
    other = peers(parser.parse_args().python)
    print(f"Trace: {', '.join(TRACE)}.\n")
    rows = [
        measured(f'output="{output}"{"" if tells else ", no hand-off messages"}', output=output, handoff_messages=tells)
        for tells in (True, False)
        for output in ("full", "last", "typed")
    ]
    rows.append(measured('tools="task", no hand-off messages', tools="task", handoff_messages=False))
    table(rows + (other["task"] if other else []))
    print("\nWorkers one after another, each leaving 400 characters: characters sent to the supervisor in all\n")
    variants = {
        "planboard": {},
        'planboard, output="typed"': {"output": "typed"},
        'planboard, tools="task"': {"tools": "task"},
    }
    long = [
        {"workers": count}
        | {name: one_after_another(count, **options)["sent_in_all"] for name, options in variants.items()}
        for count in (5, 10, 20)
    ]
    for row, theirs in zip(long, other["long"] if other else [], strict=False):
        row["langgraph-supervisor, leanest"] = sum(theirs["sent_each"])
    table(long)
    if other is None:
        print("\nlanggraph-supervisor is not installed here: pip install langgraph-supervisor langchain.")


if __name__ == "__main__":
    main()
