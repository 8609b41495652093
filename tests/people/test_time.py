"""Promises about time: sleeps and expiries are moments, so they survive restarts; tests drive the clock."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from expenses import Decision, effects, go
from pydantic import BaseModel

from planboard import (
    Agent,
    AlreadyAnsweredError,
    Approval,
    DefinitionError,
    Denied,
    Expired,
    ProcessOptions,
    ProcessStatus,
    Slept,
    achieves_goal,
    action,
    human,
    run,
    sleep,
)
from planboard.testing import FakeClock

START = datetime(2026, 3, 1, tzinfo=UTC)


class Note(BaseModel):
    text: str


class Delay(BaseModel):
    seconds: float


@achieves_goal("there is a note")
@action
def note(slept: Slept) -> Note:
    """Note it."""
    effects["note"] += 1
    return Note(text=f"{slept.step} until {slept.until:%d %H:%M}")


NAPPING = Agent("napping", [sleep(timedelta(days=3), name="nap"), note])


def test_a_sleep_ends_when_it_is_due():
    clock = FakeClock(START)
    process = NAPPING.process(options=ProcessOptions(clock=clock))
    assert go(process) is ProcessStatus.COMPLETED
    assert clock.slept_until == [(START + timedelta(days=3)).timestamp()]
    assert process.result(Note).text == "nap until 04 00:00"


def test_while_it_sleeps_it_waits_and_says_until_when(kept):
    clock = FakeClock(START, auto=False)
    process = NAPPING.process(options=kept(clock=clock))

    async def look() -> None:
        task = asyncio.create_task(process.run())
        while process.wakes_at is None:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert process.status is ProcessStatus.WAITING
        assert process.wakes_at == (START + timedelta(days=3)).timestamp()
        assert process.reason == "it waits for the end of 'nap'"
        clock.advance(timedelta(days=3))
        assert await task is ProcessStatus.COMPLETED

    asyncio.run(look())


def stopped_asleep(kept) -> str:
    """Begin a run and stop the program while it sleeps."""
    process = NAPPING.process(options=kept(clock=FakeClock(START)), id="nap")
    asyncio.run(process.tick())
    return "nap"


@pytest.mark.parametrize(("later", "slept"), [(timedelta(days=1), 1), (timedelta(days=30), 0)])
def test_a_sleep_survives_the_program_and_lasts_as_long_as_it_would_have(kept, elsewhere, later, slept):
    clock = FakeClock(START + later)
    process = elsewhere(NAPPING, stopped_asleep(kept), clock=clock)
    assert go(process) is ProcessStatus.COMPLETED
    assert process.board.last(Slept).until == START + timedelta(days=3)
    assert len(clock.slept_until) == slept


def test_a_sleep_may_look_at_the_board():
    def how_long(delay: Delay) -> float:
        return delay.seconds

    clock = FakeClock(START)
    agent = Agent("napping", [sleep(how_long), note])
    assert (
        run(agent, Delay(seconds=90), returning=Note, options=ProcessOptions(clock=clock)).text
        == "sleep until 01 00:01"
    )


def test_a_sleep_may_be_until_a_moment():
    clock = FakeClock(START)
    agent = Agent("napping", [sleep(datetime(2026, 3, 2, 8, tzinfo=UTC)), note])
    assert run(agent, returning=Note, options=ProcessOptions(clock=clock)).text == "sleep until 02 08:00"


def test_a_moment_that_is_past_is_no_wait():
    clock = FakeClock(START)
    agent = Agent("napping", [sleep(START - timedelta(days=1)), note])
    assert run(agent, returning=Note, options=ProcessOptions(clock=clock))
    assert clock.time() == START.timestamp()


@pytest.mark.parametrize("wrong", [-1, float("inf"), float("nan"), True, "soon", datetime(2026, 1, 1), None])  # noqa: DTZ001
def test_what_is_no_length_of_time_is_refused_at_once(wrong):
    with pytest.raises(DefinitionError, match="sleep"):
        sleep(wrong)


def test_what_is_no_length_of_time_when_it_is_known_fails_the_action():
    def how_long(delay: Delay) -> float:
        return delay.seconds

    process = Agent("napping", [sleep(how_long), note]).process(Delay(seconds=-5))
    assert go(process) is ProcessStatus.FAILED
    assert "-5" in process.reason


def test_a_question_beside_a_sleep_waits_for_the_person(kept):
    class Both(BaseModel):
        pass

    @achieves_goal("both")
    @action
    def both(slept: Slept, decision: Decision) -> Both:
        return Both()

    clock = FakeClock(START)
    agent = Agent("both", [sleep(60), human(Decision, prompt="?"), both])
    process = agent.process(options=kept(clock=clock, concurrency=2))
    assert go(process) is ProcessStatus.WAITING
    assert clock.slept_until == []
    process.respond(process.pending[0].id, {"approved": True})
    assert go(process) is ProcessStatus.COMPLETED


def test_what_is_done_beside_a_sleep_is_done_while_it_lasts(kept):
    class Work(BaseModel):
        pass

    class Both(BaseModel):
        pass

    order: list[str] = []

    @action
    async def work() -> Work:
        order.append(f"work at {clock.time() - START.timestamp():g}")
        return Work()

    @achieves_goal("both")
    @action
    async def both(slept: Slept, work: Work) -> Both:
        order.append(f"both at {clock.time() - START.timestamp():g}")
        return Both()

    clock = FakeClock(START)
    process = Agent("both", [sleep(60), work, both]).process(options=kept(clock=clock, concurrency=2))
    assert go(process) is ProcessStatus.COMPLETED
    assert order == ["work at 0", "both at 60"]


class Answered(BaseModel):
    text: str


@achieves_goal("settled")
@action
def given(decision: Decision) -> Answered:
    return Answered(text="answered")


@achieves_goal("settled")
@action
def too_late(expired: Expired) -> Answered:
    return Answered(text=expired.reason)


PATIENT = Agent("patient", [human(Decision, prompt="?", expires=timedelta(days=2)), given, too_late])


@pytest.mark.parametrize(("later", "text"), [(1, "answered"), (2, "nobody answered in time")])
def test_an_expiry_survives_the_program(kept, elsewhere, later, text):
    process = PATIENT.process(options=kept(clock=FakeClock(START)), id="p")
    go(process)
    clock = FakeClock(START + timedelta(days=later))
    other = elsewhere(PATIENT, "p", clock=clock)
    if later == 1:
        other.respond(other.pending[0].id, {"approved": True})
    assert go(other) is ProcessStatus.COMPLETED
    assert other.result(Answered).text == text


def test_an_answer_in_time_counts_although_it_is_heard_late(kept, elsewhere):
    clock = FakeClock(START)
    process = PATIENT.process(options=kept(clock=clock), id="p")
    go(process)
    clock.advance(timedelta(days=1))
    elsewhere(PATIENT, "p", clock=clock).respond("p:1", {"approved": True})
    clock.advance(timedelta(days=5))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Answered).text == "answered"


def test_an_expiry_of_consent_by_policy_survives(kept, elsewhere):
    class Paid(BaseModel):
        pass

    @achieves_goal("settled")
    @action
    def pay() -> Paid:
        effects["pay"] += 1
        return Paid()

    @achieves_goal("settled")
    @action
    def leave(denied: Denied) -> Paid:
        return Paid()

    agent = Agent("paying", [pay, leave])
    process = agent.process(options=kept(clock=FakeClock(START), approvals=(Approval("pay", expires=60),)), id="p")
    go(process)
    other = elsewhere(agent, "p", clock=FakeClock(START + timedelta(minutes=2)))
    assert go(other) is ProcessStatus.COMPLETED
    assert effects["pay"] == 0


def test_a_clock_of_tests_does_not_run_backwards():
    with pytest.raises(ValueError, match="backwards"):
        FakeClock().advance(-1)


def test_a_clock_of_tests_starts_at_a_moment_with_a_time_zone():
    with pytest.raises(DefinitionError, match="time zone"):
        FakeClock(datetime(2026, 1, 1))  # noqa: DTZ001


def test_ticks_end_sleeps_too(kept):
    clock = FakeClock(START)
    process = NAPPING.process(options=kept(clock=clock))
    asyncio.run(process.tick())
    assert process.status is ProcessStatus.WAITING
    clock.advance(timedelta(days=3))
    asyncio.run(process.tick())
    asyncio.run(process.tick())
    assert effects["note"] == 1


def test_a_stream_goes_on_over_a_sleep():
    clock = FakeClock(START)
    process = NAPPING.process(options=ProcessOptions(clock=clock))

    async def kinds() -> list[str]:
        return [event.kind async for event in process.stream()]

    found = asyncio.run(kinds())
    assert found[-1] == "process_ended"
    assert "sleep_started" in found
    assert process.status is ProcessStatus.COMPLETED


class _AnsweredMeanwhile:
    """A journal in which an answer arrives just when the owner looks at the clock."""

    def __init__(self, journal) -> None:
        self.journal = journal
        self.tries = 0

    def answer(self, run_id: str, request_id: str, body: str, at: float) -> None:
        self.tries += 1
        if self.tries == 1:
            self.journal.answer(run_id, request_id, '{"decision":"answer","value":{"approved":true}}', at)
        self.journal.answer(run_id, request_id, body, at)

    def __getattr__(self, name: str):
        return getattr(self.journal, name)


def test_an_answer_that_is_in_the_journal_first_beats_the_clock(journal):
    clock = FakeClock(START)
    process = PATIENT.process(options=ProcessOptions(journal=_AnsweredMeanwhile(journal), clock=clock), id="p")
    go(process)
    clock.advance(timedelta(days=2))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Answered).text == "answered"


def test_an_answer_after_the_expiry_is_refused_by_the_journal(kept, elsewhere, journal):
    clock = FakeClock(START)
    process = PATIENT.process(options=kept(clock=clock), id="p")
    go(process)
    clock.advance(timedelta(days=2))
    go(process)
    with pytest.raises(AlreadyAnsweredError):
        journal.answer("p", "p:1", "true", 0.0)


def test_an_expiry_that_was_claimed_before_the_program_ended_still_comes(kept, elsewhere, journal):
    process = PATIENT.process(options=kept(clock=FakeClock(START)), id="p")
    go(process)
    journal.answer("p", "p:1", '{"decision":"expired"}', 0.0)
    other = elsewhere(PATIENT, "p", clock=FakeClock(START + timedelta(days=2)))
    assert go(other) is ProcessStatus.COMPLETED
    assert other.result(Answered).text == "nobody answered in time"
