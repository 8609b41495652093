"""Promises about crews that go on in another program: nothing is decided, done or told twice."""

import pytest
from teamwork import begun, compute, crew_of, effects, go, look_up, pay, said, to, trace, waiting

from planboard import Approve, Budget, Crew, ProcessOptions, ProcessStatus, ScriptedModel, SqliteJournal, on_handoff


class Died(BaseException):
    """Stands for the end of the program."""


class Mortal:
    """A journal of a program that may end: a dead program writes nothing."""

    def __init__(self, journal: SqliteJournal) -> None:
        self.journal = journal
        self.dead = False

    def append(self, *given: object) -> None:
        if not self.dead:
            self.journal.append(*given)

    def __getattr__(self, name: str) -> object:
        return getattr(self.journal, name)


def test_a_run_goes_on_elsewhere_with_a_model_that_knows_the_rest_only(kept, elsewhere):
    process, _ = waiting(options=kept())
    crew, rest = crew_of([pay, look_up], "end")
    other = elsewhere(crew, process)
    other.respond(other.pending[0].id, Approve())
    assert go(other) is ProcessStatus.COMPLETED
    assert trace(other) == ["supervisor", "pay", "supervisor"]
    assert (effects["pay"], len(rest.requests)) == (1, 1)


def test_at_two_levels_nothing_is_decided_twice_elsewhere(kept, elsewhere):
    """Cases 086, 097."""
    process, _ = waiting("worker of a worker", options=kept())
    inner = Crew("inner", [pay], llm=ScriptedModel("it is paid"))
    crew, rest = crew_of({"pay": inner, "look_up": look_up}, "end")
    other = elsewhere(crew, process)
    other.respond(other.pending[0].id, Approve())
    assert go(other) is ProcessStatus.COMPLETED
    assert (effects["pay"], len(rest.requests), other.result(str)) == (1, 1, "end")


def test_the_next_question_is_the_same_word_for_word_elsewhere(kept, elsewhere):
    answers = []
    for place in ("here", "there"):
        effects.clear()
        process, model = waiting(options=kept())
        if place == "there":
            crew, model = crew_of([pay, look_up], "end")
            process = elsewhere(crew, process)
        process.respond(process.pending[0].id, Approve())
        go(process)
        answers.append(model.requests[-1])
    assert answers[0] == answers[1]


def test_a_run_that_is_over_can_be_read_elsewhere(kept, elsewhere):
    crew, _ = crew_of([look_up], to("look_up", task="a"), "end")
    process = begun(crew, "q", options=kept())
    other = elsewhere(crew_of([look_up])[0], process)
    assert said(other) == said(process)
    assert other.result(str) == "end"


def test_a_fork_decides_anew_from_where_it_was_made(kept):
    crew, model = crew_of([look_up, compute], to("look_up", task="a"), "end", to("compute", task="b"), "other end")
    process = begun(crew, "q", options=kept())
    after = next(
        event.seq for event in process.events if event.kind == "action_succeeded" and event.action == "look_up"
    )
    fork = process.fork(at=after)
    go(fork)
    assert trace(fork) == ["supervisor", "look_up", "supervisor", "compute", "supervisor"]
    assert effects == {"look_up": 1, "compute": 1}
    assert len(model.requests) == 4


def test_hand_offs_are_told_once_each_also_across_programs(kept, elsewhere):
    heard: list[tuple[str, str]] = []

    def hear(to: str, argument: str) -> None:
        heard.append((to, argument))

    crew, _ = crew_of([pay], to("pay", task="Ada"), "end", on_handoff=hear)
    process = begun(crew, "q", options=kept())
    other = elsewhere(crew_of([pay], to("pay", task="Bob"), "end", on_handoff=hear)[0], process)
    other.respond(other.pending[0].id, Approve())
    go(other)
    assert heard == [("pay", "Ada"), ("pay", "Bob")]


def test_a_listener_is_told_once_each_also_across_programs(kept, elsewhere):
    heard: list[str] = []
    listener = on_handoff(lambda to, argument: heard.append(f"{to} {argument}"))
    crew, _ = crew_of([pay], to("pay", task="Ada"), "end")
    process = begun(crew, "q", options=kept(listeners=(listener,)))
    other = elsewhere(crew_of([pay], to("pay", task="Bob"), "end")[0], process, listeners=(listener,))
    other.respond(other.pending[0].id, Approve())
    go(other)
    assert heard == ["pay Ada", "pay Bob"]


def test_a_program_that_ends_while_a_worker_works_decides_nothing_anew(kept, elsewhere):
    """Case 085."""
    journal = Mortal(kept().journal)

    def dies(task: str) -> str:
        effects["began"] += 1
        if effects["began"] == 1:
            journal.dead = True
            raise Died
        return "done"

    crew, _ = crew_of([look_up, dies], [to("look_up", task="a"), to("dies", task="a")], "end")
    process = crew.process("q", options=ProcessOptions(journal=journal))
    with pytest.raises(BaseExceptionGroup):
        go(process)
    rest_crew, rest = crew_of([look_up, dies], "end")
    other = elsewhere(rest_crew, process)
    assert go(other) is ProcessStatus.WAITING  # it was under way, and nobody has said that it may run twice
    other.respond(other.pending[0].id, Approve())
    assert go(other) is ProcessStatus.COMPLETED
    assert (len(rest.requests), effects["began"]) == (1, 2)


def test_a_listener_is_told_of_hand_offs_in_crews_within_crews():
    heard: list[tuple[str, str]] = []
    inner = Crew("inner", [look_up], llm=ScriptedModel(to("look_up", task="b"), "in"))
    crew, _ = crew_of([inner], to("inner", task="a"), "end")
    listeners = (on_handoff(lambda *given: heard.append(given)),)
    begun(crew, "q", options=ProcessOptions(listeners=listeners))
    assert heard == [("inner", "a"), ("look_up", "b")]


def test_a_run_that_a_budget_has_stopped_goes_on_with_a_larger_one(kept, elsewhere):
    """Case 158."""
    crew, _ = crew_of([look_up], to("look_up", task="a"), "end")
    process = begun(crew, "q", options=kept(budget=Budget(llm_calls=1)))
    assert process.status is ProcessStatus.TERMINATED
    other = elsewhere(crew_of([look_up], "end")[0], process, options=ProcessOptions(budget=Budget(llm_calls=9)))
    assert go(other) is ProcessStatus.COMPLETED
    assert effects == {"look_up": 1}


def test_a_run_that_a_limit_of_turns_has_stopped_goes_on_with_a_larger_one(kept, elsewhere):
    """Case 158."""
    crew, _ = crew_of([look_up], to("look_up", task="a"), to("look_up", task="b"), recursion_limit=1)
    process = begun(crew, "q", options=kept())
    assert process.status is ProcessStatus.TERMINATED
    other = elsewhere(crew_of([look_up], "end", recursion_limit=9)[0], process)
    assert go(other) is ProcessStatus.COMPLETED
    assert effects == {"look_up": 2}
