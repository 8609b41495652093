"""Promises about calls with several children, of which one waits and one was stopped by a limit of the whole tree."""

import asyncio
from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import ActionContext, Agent, Budget, ProcessOptions, ProcessStatus, action, human


class Topic(BaseModel):
    pass


class Consent(BaseModel):
    ok: bool = True


class Found(BaseModel):
    pass


class Report(BaseModel):
    pass


@action
def look(topic: Topic) -> Found:
    return Found()


@action
def tell(found: Found) -> Report:
    return Report()


ASKS, WORKS = Agent("asks", [human(Consent)]), Agent("works", [look, tell])


@action(idempotent=True)
async def do_both(topic: Topic, context: ActionContext) -> Report:
    await asyncio.gather(context.run(ASKS, topic, returning=Consent), context.run(WORKS, topic, returning=Report))
    return Report()


BOTH = Agent("both", [do_both], agents=[ASKS, WORKS])


@action(idempotent=True)
async def delegate(topic: Topic, context: ActionContext) -> Report:
    return await context.run(BOTH, topic, returning=Report)


@pytest.mark.parametrize(
    ("agent", "actions"), [(BOTH, 2), (Agent("top", [delegate], agents=[BOTH]), 3)], ids=["at_once", "one_deeper"]
)
def test_a_run_waits_for_the_child_that_waits_and_is_stopped_once_it_is_done(agent, actions):
    heard = []

    def stop_a_run_that_does_not_end(event):
        heard.append(event)
        if len(heard) > 500:
            process.cancel("it does not end")

    options = ProcessOptions(budget=Budget(actions=actions), listeners=[stop_a_run_that_does_not_end])
    process = agent.process(Topic(), returning=Report, options=options)

    assert wait(process.run()) is ProcessStatus.WAITING
    process.respond(process.pending[0].id, Consent())
    assert wait(process.run()) is ProcessStatus.TERMINATED
    assert wait(process.run(budget=Budget(actions=9))) is ProcessStatus.COMPLETED
