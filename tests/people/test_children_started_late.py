"""An action may start more children after one of them has begun to wait; run again, it finds them all."""

import asyncio
from collections import Counter

import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    MemoryJournal,
    ProcessOptions,
    ProcessWaitingError,
    achieves_goal,
    action,
    human,
)


class Order(BaseModel):
    name: str


class Word(BaseModel):
    text: str


class Done(BaseModel):
    text: str


did: Counter[str] = Counter()


@achieves_goal("Work is done")
@action
def work(order: Order) -> Done:
    did[order.name] += 1
    return Done(text=order.name)


@achieves_goal("A word is said")
@action
def say(order: Order, word: Word) -> Done:
    return Done(text=word.text)


worker = Agent("worker", [work])
speaker = Agent("speaker", [say, human(Word)])


@pytest.mark.parametrize("kept", [False, True], ids=["in memory", "in a journal"])
@pytest.mark.parametrize("names", [("a", "b"), ("a", "a")], ids=["others", "equals"])
def test_what_was_started_after_another_child_waited_is_found_again(kept, names):
    did.clear()

    @achieves_goal("All is done")
    @action(idempotent=True)
    async def lead(order: Order, context: ActionContext) -> Word:
        waits = None
        try:
            await context.run(speaker, order, returning=Done)
        except ProcessWaitingError as error:
            waits = error
        if waits is None:  # run again, it has more to do between
            await context.run(worker, Order(name="between"), returning=Done)
        for name in names:
            await context.run(worker, Order(name=name), returning=Done)
        if waits is not None:
            raise waits
        return Word(text="all")

    agent = Agent("lead", [lead], agents=[worker, speaker])
    process = agent.process(Order(name="x"), options=ProcessOptions(journal=MemoryJournal() if kept else None))
    asyncio.run(process.run())
    process.respond(process.pending[0].id, Word(text="hello"))
    asyncio.run(process.run())

    assert process.result(Word).text == "all"
    assert did == Counter({"between": 1, **Counter(names)})
