"""Promises about traces: heard live, read from a journal, or after a pause in another program, they are the same."""

import json
import subprocess
import sys
from asyncio import run as wait
from pathlib import Path

from pydantic import BaseModel
from traced import TEAM, Consent, Report, Topic, begin, outline, parents_are_complete

import planboard
from planboard import (
    Agent,
    Process,
    SqliteJournal,
    Tracer,
    achieves_goal,
    action,
    map_each,
    trace_of,
)
from planboard.observe.spans import trace_id_of


@action
def look(topic: Topic) -> Report:
    return Report(text=topic.text)


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


def finished_team(**options) -> Process:
    process = begin(TEAM, Topic(), **options)
    process.respond(process.pending[0].id, Consent())
    wait(process.run())
    return process


def test_with_neither_all_is_known_but_the_times(file):
    journal = SqliteJournal(file)
    process = finished_team()

    trace = trace_of(process)

    assert outline(trace) == outline(trace_of(finished_team(journal=journal)))
    assert trace.root.total == process.usage
    assert trace.root.seconds is None
    journal.close()


def test_of_very_many_children_the_first_are_known(monkeypatch):
    looking = map_each(list[Topic], look)
    whole, cut = (
        Agent("many", [looking]).process([Topic(text=str(n)) for n in range(9)], planner="utility") for _ in range(2)
    )
    wait(whole.run())
    monkeypatch.setattr("planboard.runtime.children._TOLD", sum(len(one.events) for one in whole._children.ended[:4]))
    wait(cut.run())

    labels = [[span.label for span in trace_of(process).spans() if span.kind == "agent"] for process in (whole, cut)]

    assert labels[0] == ["", *(f"item {n}" for n in range(9))]
    assert labels[1] == labels[0][:5]


def test_what_a_journal_has_is_not_kept_in_memory_too(file):
    journal = SqliteJournal(file)

    assert finished_team(journal=journal)._children.ended == []
    journal.close()


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


def test_the_children_of_a_fork_that_wait_are_in_its_trace_when_it_is_read_from_the_journal(file):
    journal = SqliteJournal(file)
    process = begin(TEAM, Topic(), journal=journal)

    fork = process.fork(id="run-2")

    assert trace_of(journal, "run-2") == trace_of(fork)
    assert outline(trace_of(journal, "run-2")) == outline(trace_of(process))
    journal.close()


_PROGRAM = """
import sys; sys.path.insert(0, {folder!r})
import json
from traced import TEAM, Topic, begin
from planboard import Tracer
from planboard.testing import FakeClock
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
