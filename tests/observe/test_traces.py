"""Promises about traces: an outermost run is one root span with one start and one end, and what it runs is below it.

Children at any depth are spans below whatever has started them; a trace is found by its run, and told as text.
"""

import asyncio
from asyncio import run as wait
from contextvars import ContextVar

import pytest
from traced import (
    TEAM,
    Consent,
    Fact,
    Report,
    Topic,
    begin,
    find,
    named,
    outline,
    parents_are_complete,
    pay,
)

from planboard import (
    ActionContext,
    Agent,
    CorruptJournalError,
    DefinitionError,
    MemoryJournal,
    ProcessOptions,
    SqliteJournal,
    Tracer,
    UnknownRunError,
    achieves_goal,
    action,
    trace_of,
)
from planboard.journal.port import Record
from planboard.observe.spans import trace_id_of


def test_a_team_is_one_span_from_outside_with_its_children_below():
    """Cases 150 and 153: what happens at any depth is under whatever has started it."""
    tracer = Tracer()
    process = begin(TEAM, Topic(), listeners=[tracer])
    process.respond(process.pending[0].id, Consent())
    wait(process.run())

    trace = tracer.trace()

    assert outline(trace) == [
        "team agent completed",
        "  lead_the_work action completed",
        "    lead agent completed",
        "      delegate action completed",
        "        worker agent completed",
        "          gather action completed",
        "          ask_consent action completed",
        "            ask_consent request answered",
        "          draft action completed",
        "  report action completed",
    ]
    assert parents_are_complete(trace)
    assert (tracer.run_ids, trace.id) == (("run-1",), trace_id_of("run-1"))


def test_ids_have_the_sizes_of_the_w3c_trace_context_and_are_unique():
    trace = trace_of(begin(TEAM, Topic()))

    assert len(trace.id) == 32
    assert {len(span.id) for span in trace.spans()} == {16}
    assert len({span.id for span in trace.spans()}) == len(list(trace.spans()))
    int(trace.id, 16)


def test_a_trace_of_a_child_is_the_trace_of_the_outermost_run(file):
    journal = SqliteJournal(file)
    process = begin(TEAM, Topic(), journal=journal)

    assert trace_of(journal, "run-1.1.1") == trace_of(process)
    journal.close()


def test_ten_children_at_once_are_in_the_order_of_their_ids():
    leaf = Agent("leaf", [find])

    @achieves_goal("merged")
    @action
    async def fan_out(topic: Topic, context: ActionContext) -> Report:
        await asyncio.gather(*(context.run(leaf, Topic(text=str(n)), returning=Fact) for n in range(11)))
        return Report()

    tracer = Tracer()
    begin(Agent("many", [fan_out]), Topic(), listeners=[tracer])

    agents = named(tracer.trace(), "fan_out").children
    assert [agent.process_id for agent in agents] == ["run-1.1", *(f"run-1.1-{n}" for n in range(2, 12))]


def test_what_runs_in_threads_and_tasks_at_once_is_under_its_own_step():
    """Case 150: the context of whoever runs it is there, and each child is under the call that has started it."""
    user = ContextVar("user", default="nobody")
    seen = []

    @achieves_goal("found")
    @action
    def look(topic: Topic) -> Fact:
        seen.append(user.get())
        return Fact(text=topic.text)

    leaf = Agent("leaf", [look])

    @action
    async def ask_leaf(topic: Topic, context: ActionContext) -> Fact:
        return await context.run(leaf, topic, returning=Fact)

    @action
    def ask_nobody(topic: Topic) -> Consent:
        seen.append(user.get())
        return Consent()

    @achieves_goal("reported")
    @action
    def report(fact: Fact, consent: Consent) -> Report:
        return Report()

    user.set("ada")
    tracer = Tracer()
    begin(Agent("it", [ask_leaf, ask_nobody, report]), Topic(), listeners=[tracer], concurrency=3)

    assert outline(tracer.trace()) == [
        "it agent completed",
        "  ask_leaf action completed",
        "    leaf agent completed",
        "      look action completed",
        "  ask_nobody action completed",
        "  report action completed",
    ]
    assert seen == ["ada", "ada"]


# Looking


def test_the_text_is_an_outline(clock):
    tracer = Tracer(clock=clock)
    process = begin(TEAM, Topic(), listeners=[tracer], clock=clock)
    clock.advance(8)
    process.respond(process.pending[0].id, Consent())
    wait(process.run())

    assert tracer.trace().text() == (
        "[team] agent 8.0s completed\n"
        "  [lead_the_work] action 8.0s completed\n"
        "    [lead] agent 8.0s completed\n"
        "      [delegate] action 8.0s completed\n"
        "        [worker] agent 8.0s completed\n"
        "          [gather] action 0.0s completed (cost 0.1)\n"
        "          [ask_consent] action 8.0s completed\n"
        "            [ask_consent] request 8.0s answered\n"
        "          [draft] action 0.0s completed (cost 0.2)\n"
        "  [report] action 0.0s completed (cost 0.3)\n"
    )


def test_the_text_can_show_what_happened_inside_the_spans():
    text = trace_of(begin(Agent("it", [find]), Topic())).text(marks=True)

    assert "  · plan: goal=find, steps=find, cost=0.1\n" in text


def test_a_process_that_has_not_run_has_a_span_that_has_not_started():
    root = trace_of(Agent("it", [pay]).process(Topic())).root

    assert (root.status, root.started, root.is_open, root.children) == ("not_started", None, True, ())


def test_a_span_is_found_by_its_id():
    trace = trace_of(begin(TEAM, Topic()))

    assert [trace.span(span.id) for span in trace.spans()] == list(trace.spans())
    with pytest.raises(KeyError):
        trace.span("0" * 16)


def test_one_tracer_traces_many_runs():
    tracer = Tracer()
    for name in ("a", "b"):
        wait(Agent("it", [pay]).process(Topic(), id=name, options=ProcessOptions(listeners=[tracer])).run())

    assert tracer.run_ids == ("a", "b")
    assert [tracer.trace(name).id for name in tracer.run_ids] == [trace_id_of("a"), trace_id_of("b")]


def test_a_run_whose_trace_was_handed_on_can_be_forgotten():
    tracer = Tracer()
    for name in ("a", "b"):
        wait(TEAM.process(Topic(), id=name, options=ProcessOptions(listeners=[tracer])).run())

    tracer.forget("a.1")
    tracer.forget("nobody")

    assert tracer.run_ids == ("b",)
    assert len(list(tracer.trace("b").spans())) == 8


def test_ids_of_runs_may_have_dots_and_such():
    tracer = Tracer()
    for name in ("2025.1", "2026", "2025.1.2-r"):
        process = TEAM.process(Topic(), id=name, options=ProcessOptions(listeners=[tracer]))
        wait(process.run())

    assert tracer.run_ids == ("2025.1", "2026", "2025.1.2-r")
    assert [len(list(tracer.trace(name).spans())) for name in tracer.run_ids] == [8, 8, 8]


# What cannot be


def test_a_run_that_was_not_heard_of_has_no_trace():
    tracer = Tracer()
    with pytest.raises(UnknownRunError, match="Nothing was heard of any run"):
        tracer.trace()
    begin(Agent("it", [pay]), Topic(), listeners=[tracer])
    with pytest.raises(UnknownRunError, match="Did you mean 'run-1'"):
        tracer.trace("run-2")


def test_a_run_that_is_not_kept_has_no_trace():
    with pytest.raises(UnknownRunError, match="No run 'nope' is kept"):
        trace_of(MemoryJournal(), "nope")


def test_what_cannot_be_read_is_named():
    journal = MemoryJournal()
    begin(Agent("it", [pay]), Topic(), journal=journal)
    journal._records["run-1"][1] = Record(2, "entry_added", 0.0, "{}")

    with pytest.raises(CorruptJournalError, match=r"Event 2 \(entry_added\) of run 'run-1' cannot be read"):
        trace_of(journal, "run-1")


@pytest.mark.parametrize("given", [(5,), (5, "run"), (None,)], ids=["number", "number_and_run", "none"])
def test_only_processes_and_journals_have_traces(given):
    with pytest.raises(DefinitionError, match="give it a Process, or a journal and the id of a run"):
        trace_of(*given)
