"""What the tests of teams share: a researcher and a coder, typed workers, counted effects."""

import asyncio
from collections import Counter
from typing import Any

from pydantic import BaseModel

from planboard import Agent, Crew, Message, Process, ProcessStatus, ScriptedModel, action, call, chat_agent

effects: Counter[str] = Counter()
"""How often something had its effect; each test begins with none."""

TASK = "How many kilometres are 26.2 miles?"
TRACE = ["supervisor", "researcher", "supervisor", "coder", "supervisor"]


class Topic(BaseModel):
    text: str


class Findings(BaseModel):
    notes: list[str]


class Report(BaseModel):
    title: str
    body: str


@action
def research(topic: Topic) -> Findings:
    """Collects notes on a topic."""
    effects["research"] += 1
    return Findings(notes=[topic.text])


@action
def write(topic: Topic, findings: Findings) -> Report:
    """Writes the report."""
    effects["write"] += 1
    return Report(title=topic.text, body="; ".join(findings.notes))


def look_up(task: str) -> str:
    """Looks something up."""
    effects["look_up"] += 1
    return f"looked up {task}"


def compute(task: str) -> str:
    """Computes something."""
    effects["compute"] += 1
    return f"computed {task}"


@action(approval="Pay {task}?")
def pay(task: str) -> str:
    """Pays somebody."""
    effects["pay"] += 1
    return f"paid {task}"


def lookup(query: str) -> str:
    """Look up a fact."""
    return "A mile is 1.609344 kilometres."


def run_python(code: str) -> str:
    """Run Python code."""
    return "42.16"


def to(worker: str, **arguments: Any):
    """Return the call that gives work to a worker."""
    return call(f"transfer_to_{worker}", **arguments)


def crew_of(workers, *replies: Any, **options: Any) -> tuple[Crew, ScriptedModel]:
    """Return a crew, and the model of its supervisor."""
    model = ScriptedModel(*replies)
    return Crew("crew", workers, llm=model, **options), model


def researchers(**options: Any) -> tuple[Crew, ScriptedModel, ScriptedModel, ScriptedModel]:
    """Return the crew that supervisors are usually shown with, and the models of all three."""
    finds = ScriptedModel(call("lookup", query="mile"), "A mile is 1.609344 kilometres.")
    codes = ScriptedModel(call("run_python", code="print(26.2 * 1.609344)"), "42.16 kilometres.")
    turns = [("researcher", "How long is a mile?"), ("coder", "26.2 miles in kilometres")]
    single = options.get("tools") == "task"
    calls = [call("task", agent=name, description=task) if single else to(name, task=task) for name, task in turns]
    boss = ScriptedModel(*calls, "It is 42.16 kilometres.")
    workers = [
        chat_agent("researcher", "You look up facts.", tools=[lookup], llm=finds, description="Looks up facts."),
        chat_agent("coder", "You write code.", tools=[run_python], llm=codes, description="Writes and runs code."),
    ]
    return Crew("crew", workers, llm=boss, **options), boss, finds, codes


def trace(process: Process) -> list[str]:
    """Return the actions of a run, in order."""
    return [done.action for done in process.history]


def said(process: Process) -> list[str]:
    """Return the shared history as lines."""
    return [str(message) for message in process.board.all(Message)]


def told(model: ScriptedModel, request: int = -1) -> list[str]:
    """Return the messages of a request, each with its role."""
    return [f"{message['role']}: {message['content']}" for message in model.requests[request]["messages"]]


def offered(model: ScriptedModel, request: int = -1) -> list[str]:
    """Return the names of the tools in a request."""
    return [tool["function"]["name"] for tool in model.requests[request].get("tools", ())]


def go(process: Process) -> ProcessStatus:
    """Run a process on until it ends or waits."""
    return asyncio.run(process.run())


def begun(agent: Agent, *inputs: object, **options: Any) -> Process:
    """Return a run that has ended or waits."""
    process = agent.process(*inputs, **options)
    go(process)
    return process


def paying(level: str, *more: Any) -> tuple[Crew, ScriptedModel]:
    """Return a crew whose worker, or a worker of whose worker, pays; and the model of the supervisor."""
    if level == "worker":
        return crew_of([pay, look_up], to("pay", task="Ada"), *more)
    inner = Crew("inner", [pay], llm=ScriptedModel(to("pay", task="Ada"), "it was paid or not"))
    return crew_of({"pay": inner, "look_up": look_up}, to("pay", task="pay Ada"), *more)


def waiting(level: str = "worker", *more: Any, **options: Any) -> tuple[Process, ScriptedModel]:
    """Return a run that waits for consent to a payment, and the model of the supervisor."""
    crew, model = paying(level, *(more or ("end",)))
    process = begun(crew, "q", **options)
    assert process.status is ProcessStatus.WAITING
    return process, model
