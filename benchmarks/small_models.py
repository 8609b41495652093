"""How often a small model gets a task done: Planboard's Supervisor beside a LangGraph agent.

Both have the same functions, the same model and the same limit of questions; see `small_model_tasks.py`. It needs an
OpenAI-compatible server: `python benchmarks/small_models.py --base-url http://localhost:8080/v1 --model NAME`, or
`OPENAI_BASE_URL` and `PLANBOARD_MODEL`. LangGraph is measured if it is installed (`pip install langchain langgraph
langchain-openai`), here or for `--python PATH`. A run counts if it ends by itself with the right object.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import small_model_tasks as tasks
from pydantic import BaseModel, Field

from planboard import Agent, OpenAIModel, ProcessStatus, Supervisor, achieves_goal, action

PEERS = Path(__file__).with_name("small_model_peers.py")


class UserInput(BaseModel):
    content: str


class Cook(BaseModel):
    name: str


class Order(BaseModel):
    dish: str
    quantity: int
    guest: str


class Meal(BaseModel):
    dish: str
    quantity: int
    ordered_by: str
    cooked_by: str


@action
def choose_cook(user_input: UserInput) -> Cook:
    """Choose a cook for what the guest says."""
    return Cook(**tasks.choose_cook(user_input.content))


@action
def take_order(user_input: UserInput) -> Order:
    """Take the order from what the guest says."""
    return Order(**tasks.take_order(user_input.content))


@achieves_goal("Prepare the meal that the guest orders.")
@action
def prepare_meal(cook: Cook, order: Order) -> Meal:
    """Cook the meal according to the order."""
    return Meal(**tasks.prepare_meal(cook.name, order.dish, order.quantity, order.guest))


class MarketDataRequest(BaseModel):
    topic: str


class MarketData(BaseModel):
    topic: str
    market: str


class CompetitorRequest(BaseModel):
    companies: list[str] = Field(min_length=1)


class Competitors(BaseModel):
    revenues: dict[str, str]


class ReportRequest(BaseModel):
    title: str


class Report(BaseModel):
    title: str
    sections: list[str]


@action
def gather_market_data(request: MarketDataRequest) -> MarketData:
    """Gather market data."""
    return MarketData(**tasks.gather_market_data(request.topic))


@action
def analyze_competitors(request: CompetitorRequest) -> Competitors:
    """Analyze competitors: their revenues."""
    return Competitors(**tasks.analyze_competitors(request.companies))


@achieves_goal("Compile a market report.")
@action
def compile_report(request: ReportRequest, data: MarketData, competitors: Competitors) -> Report:
    """Compile the final report from the market and the revenues."""
    return Report(**tasks.compile_report(request.title, data.market, competitors.revenues))


class CountryRequest(BaseModel):
    country: str


class Area(BaseModel):
    country: str
    area_km2: int


class Operation(BaseModel):
    operation: Literal["double", "halve", "square"]


class Figure(BaseModel):
    result: int


@action
def research(request: CountryRequest) -> Area:
    """Find the area of a country."""
    return Area(**tasks.research(request.country))


@achieves_goal("Find the figure and compute the result.")
@action
def compute(area: Area, operation: Operation) -> Figure:
    """Compute the result."""
    return Figure(**tasks.compute(area.area_km2, operation.operation))


AGENTS = {
    "meal": (Agent("meal", [choose_cook, take_order, prepare_meal]), Meal),
    "research": (Agent("research", [gather_market_data, analyze_competitors, compile_report]), Report),
    "workers": (Agent("workers", [research, compute]), Figure),
}


def ours(name: str, case: tasks.Case, model: OpenAIModel) -> dict[str, Any]:
    """Run one case; a request that the process itself forces is no question to the model."""
    agent, wanted = AGENTS[name]
    planner = Supervisor(llm=model, decisions=tasks.LIMIT)
    process = agent.process(UserInput(content=case.request), planner=planner, returning=wanted)
    began = time.monotonic()
    asyncio.run(process.run())
    done = process.status is ProcessStatus.COMPLETED
    found = process.result(wanted).model_dump() if done else None
    calls = sum(event.kind == "model_asked" for event in process.events)
    ended = "finished" if done else f"{process.status}: {process.reason}"[:200]
    ok = done and tasks.TASKS[name].judge(found, case.expected)
    return {"task": name, "ok": ok, "ended": ended, "calls": calls, "seconds": time.monotonic() - began, "found": found}


def theirs(python: str, given: argparse.Namespace, names: list[str]) -> list[dict[str, Any]]:
    command = [python, str(PEERS), given.base_url, given.model, str(given.runs), *names]
    rows: list[dict[str, Any]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            rows.append(json.loads(line))
            tell("langgraph", rows[-1])
    if running.returncode:
        sys.exit("LangGraph could not be measured; see above.")
    return rows


def tell(side: str, row: dict[str, Any]) -> None:
    wrong = "" if row["ok"] else row["found"]
    what = (
        f"{side:<10} {row['task']:<9} {'ok' if row['ok'] else '-':<3} {row['calls']:>2} calls {row['seconds']:>6.1f} s"
    )
    print(f"{what}  {row['ended']} {wrong}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", default=os.environ.get("OPENAI_BASE_URL"))
    parser.add_argument("--model", default=os.environ.get("PLANBOARD_MODEL"))
    parser.add_argument("--runs", type=int, default=10, help="inputs of each task, at most 10")
    parser.add_argument("--only", choices=sorted(AGENTS), action="append", help="a task; all by default")
    parser.add_argument("--python", metavar="PATH", help="an interpreter that has langgraph and langchain-openai")
    parser.add_argument("--without-peer", action="store_true")
    given = parser.parse_args()
    if not given.base_url or not given.model:
        parser.error("a server is needed: --base-url and --model")
    names = given.only or sorted(AGENTS)
    sides: dict[str, list[dict[str, Any]]] = {"planboard": []}
    model = OpenAIModel(given.model, given.base_url, "x", timeout=300.0, retries=0)
    for name in names:
        for case in tasks.TASKS[name].cases[: given.runs]:
            sides["planboard"].append(ours(name, case, model))
            tell("planboard", sides["planboard"][-1])
    if not given.without_peer and (given.python or find_spec("langchain_openai")):
        sides["langgraph"] = theirs(given.python or sys.executable, given, names)
    print(f"| task | {' | '.join(f'{side}: right | questions | s' for side in sides)} |")
    print(f"|---|{'---|---|---|' * len(sides)}")
    for name in names:
        cells = []
        for rows in sides.values():
            mine = [row for row in rows if row["task"] == name]
            calls, seconds = (sum(row[key] for row in mine) / max(1, len(mine)) for key in ("calls", "seconds"))
            cells.append(f"{sum(row['ok'] for row in mine)} of {len(mine)} | {calls:.1f} | {seconds:.0f}")
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
