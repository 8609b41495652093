"""Never run, only type-checked: what editors and type checkers know of the public API."""

from typing import assert_type

from pydantic import BaseModel

from planboard import Agent, Goap, Hybrid, Process, Utility, achieves_goal, action, arun, condition, run


class Topic(BaseModel):
    text: str


class Report(BaseModel):
    title: str


@action(cost=0.2)
def research(topic: Topic) -> Report:
    return Report(title=topic.text)


@achieves_goal("done", value=0.9)
@action
async def write(topic: Topic) -> Report:
    return Report(title=topic.text)


@research.when
def is_long(topic: Topic) -> bool:
    return len(topic.text) > 3


@research.cost
def price(topic: Topic | None) -> float:
    return 0.1 if topic else 0.5


@condition
def is_short(topic: Topic) -> bool:
    return not is_long(topic)


agent = Agent("reporter", [research, write, is_short], planner=Hybrid())
assert_type(research(Topic(text="tides")), Report)
assert_type(is_short(Topic(text="tides")), bool)
assert_type(run(agent, Topic(text="tides"), returning=Report), Report)
assert_type(run(agent, Topic(text="tides"), planner=Utility()), Process)
assert_type(agent.run(Topic(text="tides"), returning=Report, planner="goap"), Report)


async def main() -> None:
    assert_type(await write(Topic(text="tides")), Report)
    assert_type(await arun(agent, Topic(text="tides"), returning=Report, planner=Goap()), Report)
    assert_type(await agent.arun(Topic(text="tides"), returning=Report), Report)


research(Report(title="x"))  # type: ignore[arg-type]
