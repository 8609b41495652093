"""Promises about traces.

- An outermost run is one root span with one start and one end; children at any depth are spans below it.
- Heard live, read from the journal, or after a pause in another program: the same spans with the same ids.
- A pause is no error; denied, cancelled and failed are told apart; what spans have spent sums to what the run has.
"""

import asyncio
import json
import subprocess
import sys
from asyncio import run as wait
from contextvars import ContextVar
from pathlib import Path

import pytest
from pydantic import BaseModel

import planboard
from planboard import (
    ActionContext,
    Agent,
    Ai,
    Approval,
    Budget,
    CorruptJournalError,
    DefinitionError,
    Deny,
    MemoryJournal,
    Process,
    ProcessOptions,
    ProcessStatus,
    Replan,
    Retry,
    ScriptedModel,
    SqliteJournal,
    Supervisor,
    Tracer,
    UnknownRunError,
    achieves_goal,
    action,
    call,
    human,
    sleep,
    subagent,
    trace_of,
)
from planboard.journal.port import Record, Standing
from planboard.observe.spans import Trace, trace_id_of
from planboard.testing import FakeClock


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


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1_000.0)


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "runs.db"


def begin(agent: Agent, *inputs: object, **options) -> Process:
    process = agent.process(*inputs, id="run-1", options=ProcessOptions(**options))
    wait(process.run())
    return process


# One root


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


# The same however it is made


def test_heard_live_and_read_from_the_journal_are_the_same(clock, file):
    journal, tracer = SqliteJournal(file), Tracer(clock=clock)
    process = begin(TEAM, Topic(), journal=journal, listeners=[tracer], clock=clock)
    clock.advance(7)
    process.respond(process.pending[0].id, Consent())
    wait(process.run())

    assert trace_of(process) == tracer.trace() == trace_of(journal, "run-1")
    assert trace_of(process).root.seconds == 7.0
    journal.close()


def test_without_a_journal_a_tracer_among_the_listeners_is_used():
    tracer = Tracer()
    process = begin(TEAM, Topic(), listeners=[tracer])

    assert trace_of(process) == tracer.trace()


def test_with_neither_the_calls_are_known_and_what_they_spent():
    process = begin(TEAM, Topic())
    process.respond(process.pending[0].id, Consent())
    wait(process.run())

    trace = trace_of(process)

    assert outline(trace) == ["team agent completed", "  lead_the_work action completed", "  report action completed"]
    assert trace.root.total == process.usage
    assert trace.root.seconds is None


def test_a_pause_in_another_program_is_in_the_same_trace(clock, file):
    """Case 149."""
    first = SqliteJournal(file)
    before = trace_of(begin(TEAM, Topic(), journal=first, clock=clock))
    first.close()
    clock.advance(60)

    journal = SqliteJournal(file)
    tracer = Tracer(clock=clock, journal=journal)
    process = Process.restore(TEAM, journal, "run-1", clock=clock, listeners=[tracer])
    process.respond(process.pending[0].id, Consent())
    wait(process.run())

    after = trace_of(journal, "run-1")
    assert after == tracer.trace()
    assert (after.id, parents_are_complete(after)) == (before.id, True)
    assert {span.id for span in before.spans()} <= {span.id for span in after.spans()}
    assert (after.root.started, after.root.ended) == (1_000.0, 1_060.0)
    journal.close()


def test_a_tracer_that_hears_only_the_second_half_has_the_same_ids(file):
    first = SqliteJournal(file)
    begin(TEAM, Topic(), journal=first)
    first.close()
    journal, tracer = SqliteJournal(file), Tracer()
    process = Process.restore(TEAM, journal, "run-1", listeners=[tracer])
    process.respond(process.pending[0].id, Consent())
    wait(process.run())

    whole, half = trace_of(journal, "run-1"), tracer.trace("run-1")

    assert half.id == whole.id
    assert {span.id: span.parent_id for span in half.spans()}.items() <= {
        span.id: span.parent_id for span in whole.spans()
    }.items()
    journal.close()


def test_reading_a_journal_needs_no_agent_and_no_secret(file):
    class Login(BaseModel):
        api_key: str = "hush-hush"

    @achieves_goal("done")
    @action
    def use(login: Login) -> Report:
        return Report(text=login.api_key)

    journal = SqliteJournal(file)
    begin(Agent("it", [use]), Login(), journal=journal)

    told = json.dumps(trace_of(journal, "run-1").to_dict())

    assert "hush" not in told
    journal.close()


def test_a_fork_has_a_trace_of_its_own_that_names_its_origin(file):
    journal = SqliteJournal(file)
    process = begin(TEAM, Topic(), journal=journal)

    fork = trace_of(process.fork(id="run-2"))

    assert (fork.id, outline(fork)) == (trace_id_of("run-2"), outline(trace_of(process)))
    assert fork.root.attributes["forked_from"] == f"run-1@{len(process.events)}"
    journal.close()


_PROGRAM = """
import sys; sys.path.insert(0, {folder!r})
from test_traces import *
tracer = Tracer(clock=FakeClock(5.0))
begin(TEAM, Topic(), listeners=[tracer])
print(tracer.trace().text(marks=True), json.dumps(tracer.trace().to_dict()))
"""


def test_a_trace_does_not_depend_on_the_hash_seed():
    folder, root = str(Path(__file__).parent), str(Path(planboard.__file__).parents[1])
    told = {
        subprocess.run(
            [sys.executable, "-c", _PROGRAM.format(folder=folder)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": root},
            capture_output=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip

    assert len(told) == 1


# Pauses, and other ends


def test_a_pause_is_a_request_and_no_error():
    """Case 148."""
    process = begin(TEAM, Topic())

    trace = trace_of(process)

    asked = named(trace, "ask_consent", "request")
    assert (asked.status, asked.attributes["purpose"], asked.attributes["prompt"]) == ("waiting", "answer", "Fine?")
    assert [span.name for span in trace.spans() if span.is_error] == []
    assert {span.status for span in trace.spans() if span.is_open} == {"waiting"}


def test_a_failure_after_a_pause_is_an_error():
    """Case 148."""

    @achieves_goal("done")
    @action
    def break_down(consent: Consent) -> Report:
        raise OSError("no line")

    process = begin(Agent("it", [human(Consent), break_down]))
    process.respond(process.pending[0].id, Consent())
    wait(process.run())

    trace = trace_of(process)

    assert outline(trace) == [
        "it agent failed",
        "  ask_consent action completed",
        "    ask_consent request answered",
        "  break_down action failed",
    ]
    assert [span.name for span in trace.spans() if span.is_error] == ["it", "break_down"]
    assert named(trace, "break_down").attributes["error"] == "OSError: no line"


@achieves_goal("paid")
@action(approval=True, cost=0.4)
def pay(topic: Topic) -> Report:
    return Report()


def test_what_was_denied_is_told_as_not_executed():
    """Case 088."""
    process = begin(Agent("it", [pay]), Topic())
    process.respond(process.pending[0].id, Deny("too much"), by="ada")
    wait(process.run())

    paying = named(trace_of(process), "pay")

    assert (paying.status, paying.is_error, paying.attributes["executed"]) == ("denied", False, False)
    assert (paying.children[0].status, paying.children[0].attributes["by"]) == ("denied", "ada")
    assert paying.usage.actions == 0


def test_what_a_policy_forbids_is_denied():
    def never(name: str, arguments: object) -> Deny:
        return Deny("never")

    process = begin(Agent("it", [find]), Topic(), approvals=[never])

    assert named(trace_of(process), "find").status == "denied"


def test_what_expires_is_told_apart_from_what_is_denied(clock):
    process = begin(Agent("it", [pay]), Topic(), clock=clock, approvals=[Approval("pay", expires=60)])
    clock.advance(61)
    wait(process.run())

    assert outline(trace_of(process))[1:] == ["  pay action expired", "    pay request expired"]


def test_a_request_that_nobody_needs_any_more_is_withdrawn():
    process = begin(TEAM, Topic())
    process.cancel("enough")

    trace = trace_of(process)

    assert (trace.root.status, trace.root.attributes["reason"], trace.root.is_error) == ("cancelled", "enough", False)
    assert named(trace, "lead_the_work").status == "withdrawn"


def test_an_action_that_is_stopped_is_cancelled_and_has_not_failed():
    @achieves_goal("done")
    @action
    async def hang(topic: Topic) -> Report:
        process.cancel("enough")
        await asyncio.Event().wait()

    process = Agent("it", [hang]).process(Topic())
    wait(process.run())

    assert outline(trace_of(process)) == ["it agent cancelled", "  hang action cancelled"]


def test_a_sleep_is_a_span_of_its_length(clock):
    tracer = Tracer(clock=clock)
    begin(Agent("it", [sleep(90)], goals=[planboard.Slept]), clock=clock, listeners=[tracer])

    slept = named(tracer.trace(), "sleep", "sleep")

    assert (slept.status, slept.seconds, slept.attributes["until"]) == ("completed", 90.0, 1_090.0)


def test_a_run_that_is_taken_up_with_a_larger_budget_is_one_span():
    process = begin(Agent("it", [find]), Topic(), budget=Budget(actions=0))
    assert trace_of(process).root.is_error
    wait(process.run(budget=Budget(actions=1)))

    root = trace_of(process).root

    assert (root.status, root.is_error) == ("completed", False)
    assert [(mark.name, dict(mark.attributes)) for mark in root.marks if mark.name != "plan"] == [
        ("budget", {"actions": 1}),
        ("stopped", {"status": "terminated", "reason": "budget: actions: 0 of 0 were started"}),
        ("resumed", {}),
    ]


def test_a_stuck_run_that_goes_on_is_one_span(clock):
    tracer = Tracer(clock=clock)
    process = begin(Agent("it", [find]), listeners=[tracer], clock=clock)
    assert (tracer.trace().root.status, tracer.trace().root.is_error) == ("stuck", True)
    clock.advance(5)
    process.board.add(Topic())
    wait(process.run())

    root = tracer.trace().root

    assert (root.status, root.started, root.ended) == ("completed", 1_000.0, 1_005.0)
    assert [mark.at for mark in root.marks if mark.name in ("stopped", "resumed")] == [1_000.0, 1_005.0]


def test_what_was_running_when_the_program_ended_is_asked_about_below_its_call():
    agent, first, second = Agent("it", [find]), MemoryJournal(), MemoryJournal()
    begin(agent, Topic(), journal=first)
    records = first.read("run-1")
    started = next(record.seq for record in records if record.kind == "action_started")
    run = first.info("run-1")
    second.create(run, first.manifest(run.fingerprint), records[:started], Standing("RUNNING"))
    process = Process.restore(agent, second, "run-1")
    wait(process.run())
    process.respond(process.pending[0].id, True)
    wait(process.run())

    trace = trace_of(process)

    assert outline(trace) == ["it agent completed", "  find action completed", "    find request approved"]
    assert [mark.name for mark in named(trace, "find").marks] == ["resumed"]


# Retries, plans, decisions


def test_retries_and_new_plans_are_marks():
    tried: list[int] = []

    @action(retry=Retry(attempts=3, on=ConnectionError))
    def look_up(topic: Topic) -> Fact:
        tried.append(1)
        raise ConnectionError(f"noise {len(tried)}")

    @action(cost=0.9)
    def invent(topic: Topic) -> Fact:
        return Fact()

    @achieves_goal("reported")
    @action
    def tell(fact: Fact) -> Report:
        return Report()

    trace = trace_of(begin(Agent("it", [look_up, invent, tell]), Topic()))

    looked = named(trace, "look_up")
    assert (looked.status, looked.attributes["attempts"]) == ("failed", 3)
    assert [(mark.name, mark.attributes["error"]) for mark in looked.marks] == [
        ("retry", "ConnectionError: noise 1"),
        ("retry", "ConnectionError: noise 2"),
    ]
    plans = [mark.attributes["steps"] for mark in trace.root.marks if mark.name == "plan"]
    assert plans[:2] == [("look_up", "tell"), ("invent", "tell")]


def test_an_action_that_asks_for_another_plan_has_not_failed():
    @achieves_goal("done")
    @action
    def hesitate(topic: Topic) -> Report:
        raise Replan("not yet")

    @achieves_goal("done otherwise")
    @action(cost=0.5)
    def go_ahead(topic: Topic) -> Report:
        return Report()

    trace = trace_of(begin(Agent("it", [hesitate, go_ahead]), Topic()))

    assert (named(trace, "hesitate").status, named(trace, "hesitate").is_error) == ("replanned", False)
    assert [mark.attributes["reason"] for mark in trace.root.marks if mark.name == "replan"] == ["not yet"]


def test_decisions_of_a_model_are_spans_and_its_calls_say_which_decision_they_come_from():
    @action
    def guess(topic: Topic) -> Fact:
        return Fact()

    @achieves_goal("reported")
    @action
    def tell(fact: Fact) -> Report:
        return Report()

    agent = Agent("it", [gather, guess, tell])
    model = ScriptedModel(call("guess"))
    process = agent.process(Topic(), planner=Supervisor(llm=model))
    assert wait(process.run()) is ProcessStatus.COMPLETED, process.reason

    trace = trace_of(process)

    assert outline(trace) == [
        "it agent completed",
        "  scripted model completed",
        "  guess action completed",
        "  tell action completed",
    ]
    assert trace.root.children[0].attributes["calls"] == ("guess",)
    assert named(trace, "guess").attributes["tool_call"] == "call_1_1"
    assert trace.root.total == process.usage


# Usage


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
