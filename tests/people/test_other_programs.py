"""Promises about what happens while a run is under way: kills between outcomes of a batch, and word from elsewhere."""

import asyncio
from threading import Thread

import pytest
from expenses import effects, go
from pydantic import BaseModel

from planboard import ActionContext, Agent, ProcessOptions, ProcessStatus, achieves_goal, action, sleep
from planboard.runtime import running


class Start(BaseModel):
    pass


class Quick(BaseModel):
    by: str = ""


class Slow(BaseModel):
    pass


class Both(BaseModel):
    by: str


class Died(BaseException):
    """Stands for the end of the program."""


class Mortal:
    """A journal of a program that has ended once it is told so: a dead program writes nothing."""

    def __init__(self, journal) -> None:
        self.journal = journal
        self.dead = False

    def append(self, *given) -> None:
        if not self.dead:
            self.journal.append(*given)

    def answer(self, *given) -> None:
        self.journal.answer(*given)
        self.dead = given[1].startswith("outcome:")

    def __getattr__(self, name: str):
        return getattr(self.journal, name)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    effects.clear()
    monkeypatch.setattr(running, "_LISTENS_EVERY", 0.01)


@action
async def quick(start: Start, context: ActionContext) -> Quick:
    """Be done at once."""
    effects["quick"] += 1
    context.record_usage(tokens=7)
    context.set_condition("warm", True)
    return Quick(by="the first program")


@achieves_goal("there are both")
@action
def both(quick: Quick, slow: Slow) -> Both:
    """Join them."""
    return Both(by=quick.by)


def batch(mortal: Mortal | None = None) -> Agent:
    @action(idempotent=True)
    async def slow(start: Start) -> Slow:
        """Take long; the first program does not survive it."""
        effects["slow"] += 1
        while mortal is not None:
            if mortal.dead:
                raise Died
            await asyncio.sleep(0)
        return Slow()

    return Agent("batch", [quick, slow, both])


@pytest.fixture
def killed_in_a_batch(journal, elsewhere):
    mortal = Mortal(journal)
    process = batch(mortal).process(Start(), options=ProcessOptions(journal=mortal, concurrency=2), id="run")
    with pytest.raises(BaseExceptionGroup):
        go(process)
    journal.release("run")
    return elsewhere(batch(), "run")


def test_what_was_done_while_others_of_its_batch_ran_is_not_done_again(killed_in_a_batch):
    assert go(killed_in_a_batch) is ProcessStatus.COMPLETED
    assert killed_in_a_batch.result(Both).by == "the first program"
    assert effects == {"quick": 1, "slow": 2}


def test_what_it_did_through_its_context_is_not_lost(killed_in_a_batch):
    go(killed_in_a_batch)
    assert killed_in_a_batch.usage.tokens == 7
    assert killed_in_a_batch.usage.actions == 3
    assert killed_in_a_batch.board.conditions["warm"] is True


def test_an_action_is_cancelled_by_word_of_another_program(kept, elsewhere):
    began = asyncio.Event()

    @achieves_goal("never")
    @action
    async def endless(start: Start) -> Both:
        """Never end."""
        began.set()
        await asyncio.Event().wait()
        return Both(by="")

    agent = Agent("endless", [endless])
    process = agent.process(Start(), options=kept(), id="run")

    async def cancel_elsewhere() -> None:
        running_task = asyncio.create_task(process.run())
        await began.wait()
        other = elsewhere(agent, "run")
        thread = Thread(target=lambda: other.cancel("no longer needed"))
        thread.start()
        thread.join()
        assert await running_task is ProcessStatus.CANCELLED

    asyncio.run(cancel_elsewhere())
    assert process.reason == "no longer needed"


def test_a_sleep_is_cancelled_by_word_of_another_program(kept, elsewhere):
    agent = Agent("napping", [sleep(3600, output="slept")], goals=[])
    process = agent.process(options=kept(), planner="utility", id="run")

    async def cancel_elsewhere() -> None:
        running_task = asyncio.create_task(process.run())
        while process.status is not ProcessStatus.WAITING:
            await asyncio.sleep(0)
        elsewhere(agent, "run").cancel("enough")
        assert await running_task is ProcessStatus.CANCELLED

    asyncio.run(cancel_elsewhere())
    assert process.reason == "enough"


def test_word_that_comes_after_the_end_does_not_stop_what_goes_on_later(journal, kept, elsewhere):
    @action(rerun=True)
    def count(start: Start) -> Quick:
        """Count."""
        effects["count"] += 1
        return Quick()

    agent = Agent("counting", [count])
    process = agent.process(Start(), options=kept(), returning=Quick, id="run")
    go(process)
    journal.answer("run", "cancel", '{"reason": "too late"}', 0.0)
    other = elsewhere(agent, "run")
    other.board.add(Start())
    assert go(other) is ProcessStatus.COMPLETED
