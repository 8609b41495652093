"""langgraph-supervisor's side of `turns.py`: prints JSON. Run it with an interpreter that has langgraph-supervisor."""

import json
import sys
import time

from langchain.agents import create_agent
from langgraph_supervisor import create_supervisor
from supervisor_peers import Scripted, call


def timed(count: int, task: str, result: str) -> tuple[float, float]:
    begun = time.process_time()
    names = [f"worker_{index:02}" for index in range(count)]
    replies = [*(call(f"transfer_to_{name}", index) for index, name in enumerate(names)), "Done."]
    graph = create_supervisor(
        [create_agent(Scripted(replies=[result], role=name), [], name=name) for name in names],
        model=Scripted(replies=replies, role="boss"),
        output_mode="last_message",
        add_handoff_messages=False,
        add_handoff_back_messages=False,
    ).compile()
    built = time.process_time()
    state = graph.invoke({"messages": [("user", task)]}, {"recursion_limit": 10 * count + 20})
    ended = time.process_time()
    assert sum(message.content == result for message in state["messages"]) == count
    return (built - begun) * 1e3, (ended - built) * 1e3 / count


def main() -> None:
    rounds, task, result, *sizes = sys.argv[1:]
    timed(2, task, result)
    figures = {}
    for size in sizes:
        building, turns = zip(*(timed(int(size), task, result) for _ in range(int(rounds))), strict=True)
        figures[size] = min(building), min(turns)
    json.dump(figures, sys.stdout)


if __name__ == "__main__":
    main()
