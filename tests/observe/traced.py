"""Agents whose runs are traced, and what is looked at of a trace, shared by the tests beside it."""

from asyncio import run as wait

from pydantic import BaseModel

from planboard import (
    Agent,
    Process,
    ProcessOptions,
    achieves_goal,
    action,
    human,
    subagent,
)
from planboard.observe.spans import Trace


class Topic(BaseModel):
    text: str = ""


class Fact(BaseModel):
    text: str = ""


class Consent(BaseModel):
    ok: bool = True


class Draft(BaseModel):
    text: str = ""


class Report(BaseModel):
    text: str = ""


def outline(trace: Trace) -> list[str]:
    """Say of each span what it is and how it stands, indented."""
    depth: dict[str, int] = {}
    lines = []
    for span in trace.spans():
        depth[span.id] = 0 if span.parent_id is None else depth[span.parent_id] + 1
        lines.append(f"{'  ' * depth[span.id]}{span.name} {span.kind} {span.status}")
    return lines


def named(trace: Trace, name: str, kind: str = "action"):
    return next(span for span in trace.spans() if (span.name, span.kind) == (name, kind))


def parents_are_complete(trace: Trace) -> bool:
    by_id = {span.id: span for span in trace.spans()}
    return all(
        span.trace_id == trace.id and (span is trace.root or span in by_id[span.parent_id].children)
        for span in trace.spans()
    )


def a_team(gather) -> Agent:
    """Three agents, each run by the one before it; the innermost asks a person."""

    @achieves_goal("drafted")
    @action(cost=0.2)
    def draft(fact: Fact, consent: Consent) -> Draft:
        return Draft(text=fact.text)

    worker = Agent("worker", [gather, human(Consent, prompt="Fine?", needs=[Fact]), draft])
    lead = Agent("lead", [subagent(worker, returning=Draft, name="delegate")])

    @achieves_goal("reported")
    @action(cost=0.3)
    def report(draft: Draft) -> Report:
        return Report(text=draft.text)

    return Agent("team", [subagent(lead, returning=Draft, name="lead_the_work"), report])


@action(cost=0.1)
def gather(topic: Topic) -> Fact:
    return Fact(text=topic.text)


@achieves_goal("found")
@action(cost=0.1)
def find(topic: Topic) -> Fact:
    return Fact(text=topic.text)


TEAM = a_team(gather)


def begin(agent: Agent, *inputs: object, **options) -> Process:
    process = agent.process(*inputs, id="run-1", options=ProcessOptions(**options))
    wait(process.run())
    return process


@achieves_goal("paid")
@action(approval=True, cost=0.4)
def pay(topic: Topic) -> Report:
    return Report()
