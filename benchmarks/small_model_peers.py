"""LangGraph's side of `small_models.py`: prints a line of JSON for each run. Run it where langgraph is installed."""

import json
import sys
import time
import warnings
from typing import Any, Literal

from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.errors import GraphRecursionError
from small_model_tasks import LIMIT, TASKS
from small_model_tasks import analyze_competitors as analyze
from small_model_tasks import choose_cook as choose
from small_model_tasks import compile_report as compile_it
from small_model_tasks import compute as compute_it
from small_model_tasks import gather_market_data as gather
from small_model_tasks import prepare_meal as prepare
from small_model_tasks import research as research_it
from small_model_tasks import take_order as take

warnings.simplefilter("ignore")
results: list[Any] = []


def finished(value: Any) -> str:
    """Keep what the last tool gives: the goal object, however the model words it afterwards."""
    results.append(value)
    return json.dumps(value)


@wrap_tool_call
def tell_errors(request: Any, handler: Any) -> Any:
    """Tell the model what a tool raised, as Planboard does; without this the run ends with the error."""
    try:
        return handler(request)
    except Exception as error:
        return ToolMessage(content=f"Error: {error}", tool_call_id=request.tool_call["id"], status="error")


@tool
def choose_cook(request: str) -> str:
    """Choose a cook for what the guest says."""
    return json.dumps(choose(request))


@tool
def take_order(request: str) -> str:
    """Take the order from what the guest says."""
    return json.dumps(take(request))


@tool(return_direct=True)
def prepare_meal(cook: str, dish: str, quantity: int, guest: str) -> str:
    """Cook the meal according to the order."""
    return finished(prepare(cook, dish, quantity, guest))


@tool
def gather_market_data(topic: str) -> str:
    """Gather market data."""
    return json.dumps(gather(topic))


@tool
def analyze_competitors(companies: list[str]) -> str:
    """Analyze competitors: their revenues."""
    return json.dumps(analyze(companies))


@tool(return_direct=True)
def compile_report(title: str, market: str, revenues: dict[str, str]) -> str:
    """Compile the final report from the market and the revenues."""
    return finished(compile_it(title, market, revenues))


@tool
def research(country: str) -> str:
    """Find the area of a country."""
    return json.dumps(research_it(country))


@tool(return_direct=True)
def compute(number: int, operation: Literal["double", "halve", "square"]) -> str:
    """Compute the result."""
    return finished(compute_it(number, operation))


TOOLS = {
    "meal": [choose_cook, take_order, prepare_meal],
    "research": [gather_market_data, analyze_competitors, compile_report],
    "workers": [research, compute],
}


def main() -> None:
    base_url, model, runs, *names = sys.argv[1:]
    llm = ChatOpenAI(base_url=base_url, api_key="x", model=model, temperature=0, timeout=300, max_retries=0)
    for name in names:
        task = TASKS[name]
        for case in task.cases[: int(runs)]:
            results.clear()
            agent = create_agent(
                llm, TOOLS[name], system_prompt=f"{task.goal} Use the tools.", middleware=[tell_errors]
            )
            began, calls, ended = time.monotonic(), 0, "finished"
            try:
                state: Any = {}
                config = {"recursion_limit": 2 * LIMIT}
                for state in agent.stream({"messages": [("user", case.request)]}, config, stream_mode="values"):
                    calls = sum(message.type == "ai" for message in state["messages"])
            except GraphRecursionError:
                ended = "limit"
            except Exception as error:
                ended = f"{type(error).__name__}: {error}"[:200]
            found = results[-1] if results else None
            ok = ended == "finished" and task.judge(found, case.expected)
            row = {"task": name, "ok": ok, "ended": ended, "calls": calls, "seconds": time.monotonic() - began}
            print(json.dumps({**row, "found": found}), flush=True)


if __name__ == "__main__":
    main()
