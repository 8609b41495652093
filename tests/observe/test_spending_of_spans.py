"""Promises about spending: what the spans of a run have spent sums to what the run has."""

import asyncio
from asyncio import run as wait

import pytest
from traced import (
    TEAM,
    Consent,
    Draft,
    Fact,
    Report,
    Topic,
    begin,
    gather,
    outline,
)

import planboard
from planboard import (
    ActionContext,
    Agent,
    Ai,
    MemoryJournal,
    Process,
    ProcessStatus,
    Retry,
    ScriptedModel,
    SqliteJournal,
    Tracer,
    achieves_goal,
    action,
    subagent,
    trace_of,
)


def a_spender(attempts: int) -> Agent:
    """Asks a model itself, and in two children at once, each attempt anew."""
    tried: list[int] = []

    @achieves_goal("found")
    @action(cost=0.1)
    async def ask(topic: Topic, ai: Ai) -> Fact:
        return Fact(text=await ai.text(topic.text))

    leaf = Agent("leaf", [ask])

    @achieves_goal("reported")
    @action(cost=0.2, retry=Retry(attempts=attempts, on=ConnectionError))
    async def spend(topic: Topic, ai: Ai, context: ActionContext) -> Report:
        tried.append(1)
        await ai.text("first")
        context.record_usage(cost=0.05)
        await asyncio.gather(*(context.run(leaf, Topic(text=str(n)), returning=Fact) for n in range(2)))
        if len(tried) < attempts:
            raise ConnectionError
        return Report()

    return Agent("spender", [spend], services=[Ai(ScriptedModel(rules={str: "yes"}))], agents=[leaf])


@pytest.mark.parametrize("attempts", [1, 3])
@pytest.mark.parametrize("kept", [False, True], ids=["in_memory", "kept"])
def test_what_spans_have_spent_sums_to_what_the_run_has(attempts, kept):
    """Case 154: parallel and with retries, of which each counts."""
    tracer = Tracer()
    more = {"journal": MemoryJournal()} if kept else {}
    process = begin(a_spender(attempts), Topic(), listeners=[tracer], **more)

    spans = list(tracer.trace().spans())

    assert process.status is ProcessStatus.COMPLETED
    assert sum((span.usage for span in spans), planboard.Usage()) == process.usage
    assert sum(span.usage.tokens for span in spans if span.kind == "model") == process.usage.tokens > 0
    assert sum(span.kind == "model" for span in spans) == process.usage.llm_calls == 3 * attempts


def test_a_call_that_was_suspended_is_counted_once(file):
    """Case 154, over a pause in another program."""
    journal = SqliteJournal(file)
    process = begin(TEAM, Topic(), journal=journal)
    process = Process.restore(TEAM, journal, "run-1")
    process.respond(process.pending[0].id, Consent())
    wait(process.run())

    trace = trace_of(process)

    assert trace.root.total == process.usage
    assert min(value for span in trace.spans() for value in span.usage) >= 0
    journal.close()


def test_a_child_that_fails_has_spent_what_it_has(file):
    @achieves_goal("never")
    @action(cost=0.5)
    def fail(fact: Fact) -> Draft:
        raise OSError("broken")

    leaf = Agent("leaf", [gather, fail])
    process = begin(Agent("it", [subagent(leaf, returning=Draft)], goals=[Draft]), Topic(), journal=MemoryJournal())

    trace = trace_of(process)

    assert outline(trace) == [
        "it agent failed",
        "  leaf action failed",
        "    leaf agent failed",
        "      gather action completed",
        "      fail action failed",
    ]
    assert trace.root.total == process.usage
