"""Promises about how spans end: a pause is no error; denied, expired, cancelled and failed are told apart.

A run that goes on after an end is one span still, with marks that tell of it.
"""

import asyncio
from asyncio import run as wait

from traced import (
    TEAM,
    Consent,
    Report,
    Topic,
    begin,
    find,
    named,
    outline,
    pay,
)

import planboard
from planboard import (
    Agent,
    Approval,
    Budget,
    Deny,
    MemoryJournal,
    Process,
    Tracer,
    achieves_goal,
    action,
    human,
    sleep,
    trace_of,
)
from planboard.journal.port import Standing


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
