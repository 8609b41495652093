"""A book that is drafted, bound and printed, and how agents are run here and on Temporal."""

from pydantic import BaseModel
from scenes import Scene

from planboard import Agent, Process, ProcessOptions, achieves_goal, action


class Topic(BaseModel):
    text: str


class Draft(BaseModel):
    text: str


class Book(BaseModel):
    text: str


class Printed(BaseModel):
    text: str


class Verdict(BaseModel):
    good: bool


@action
def draft(topic: Topic) -> Draft:
    return Draft(text=topic.text)


@achieves_goal("a book")
@action
def bind(draft: Draft) -> Book:
    return Book(text=draft.text)


@achieves_goal("printed")
@action
def print_book(book: Book) -> Printed:
    return Printed(text=book.text)


async def run_here(agent: Agent, *inputs: object, options: ProcessOptions | None = None) -> Process:
    process = agent.process(*inputs, options=options)
    await process.run()
    return process


async def run_there(scene: Scene, agent: Agent, *inputs: object, options: ProcessOptions | None = None) -> Process:
    return await scene.runs.wait(await scene.runs.submit(agent, *inputs, options=options))
