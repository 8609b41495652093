"""Promises about traces that hold whatever a run does: found out with trees of agents made at random.

They ask models, fail, are tried again, need consent, ask people, run at once or in turn, hit budgets, and are taken up
by other programs in between.
"""

import asyncio
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Ai,
    Budget,
    Deny,
    MemoryJournal,
    Process,
    ProcessOptions,
    ProcessStatus,
    Retry,
    ScriptedModel,
    Tracer,
    Usage,
    achieves_goal,
    action,
    human,
    trace_of,
)
from planboard.testing import FakeClock

MOST_PAUSES = 60


class Topic(BaseModel):
    n: int = 0


class Report(BaseModel):
    n: int = 0


class Consent(BaseModel):
    ok: bool = True


def tree(random: Random, depth: int, path: str = "") -> Agent:
    """Make an agent whose action runs others, in which this and that happens."""
    below = [tree(random, depth - 1, f"{path}{n}") for n in range(random.randint(0, 3))] if depth else []
    retry = Retry(attempts=2, on=ConnectionError) if random.random() < 0.4 else None
    asks_model, at_once, fails = random.random() < 0.5, random.random() < 0.5, random.random() < 0.15
    tried = []

    @achieves_goal(f"reported {path}")
    @action(
        name=f"work{path}", cost=round(random.random(), 2), retry=retry, approval=random.random() < 0.3, idempotent=True
    )
    async def work(topic: Topic, context: ActionContext, ai: Ai) -> Report:
        tried.append(1)
        if asks_model:
            await ai.text("?")
        context.record_usage(tokens=3)
        if retry and len(tried) == 1:
            raise ConnectionError
        jobs = [context.run(agent, Topic(n=n), returning=Report) for n, agent in enumerate(below)]
        if at_once:
            await asyncio.gather(*jobs)
        else:
            await one_after_the_other(jobs)
        if fails:
            raise OSError
        return Report()

    @achieves_goal(f"approved {path}")
    @action(name=f"approve{path}", cost=0.02)
    def approve(topic: Topic, consent: Consent) -> Report:
        return Report(n=1)

    ask = human(Consent, name=f"ask{path}")
    parts = [work, ask, approve] if random.random() < 0.4 else [work]
    return Agent(f"agent{path}", parts, agents=below, services=[Ai(ScriptedModel(rules={str: "yes"}))])


async def one_after_the_other(jobs):
    left = list(jobs)
    try:
        while left:
            await left.pop(0)
    finally:
        for job in left:
            job.close()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 100_000))
def test_a_trace_is_one_tree_the_same_live_and_kept_that_only_grows_and_adds_up(seed):
    """Cases 148, 149, 150, 153 and 154."""
    asyncio.run(live(Random(seed)))


async def live(random: Random) -> None:
    agent, clock, journal = tree(random, 2), FakeClock(10.0), MemoryJournal()
    tracer = Tracer(clock=clock, journal=journal)
    budget = Budget(actions=random.randint(1, 6)) if random.random() < 0.3 else Budget()
    process = agent.process(
        Topic(),
        id="run",
        options=ProcessOptions(
            journal=journal, listeners=[tracer], clock=clock, budget=budget, concurrency=random.choice([1, 3])
        ),
    )
    known: set[str] = set()
    for _ in range(MOST_PAUSES):
        await process.run()
        clock.advance(3)
        known = look_at(process, tracer, journal, known)
        if process.status is ProcessStatus.WAITING:
            if random.random() < 0.5:
                tracer = Tracer(clock=clock, journal=journal)
                process = Process.restore(agent, journal, "run", clock=clock, listeners=[tracer])
            request = random.choice(process.pending)
            said = Deny("no") if random.random() < 0.3 else True
            process.respond(request.id, Consent() if request.purpose == "answer" else said)
        elif process.status is ProcessStatus.TERMINATED:
            await process.run(budget=Budget())
        else:
            break
    trace = trace_of(process)
    assert trace.root.total == process.usage
    assert trace.root.status == process.status.lower()


def look_at(process: Process, tracer: Tracer, journal: MemoryJournal, known: set[str]) -> set[str]:
    trace = trace_of(process)
    assert trace == tracer.trace("run") == trace_of(journal, "run")
    spans = {span.id: span for span in trace.spans()}
    assert known <= spans.keys()
    for span in spans.values():
        parent = spans.get(span.parent_id or "")
        assert span.trace_id == trace.id
        assert (span is trace.root) if parent is None else span in parent.children
        assert min(span.usage) >= 0
        assert not (span.kind in ("request", "sleep") and span.is_error)
    assert sum((span.usage for span in spans.values()), Usage()) == trace.root.total
    assert len(spans) == len(list(trace.spans()))
    return set(spans)
