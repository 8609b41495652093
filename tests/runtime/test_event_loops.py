"""Promises about event loops, threads and context variables.

- `run` works without a loop, in any thread, and inside a running loop where nothing is awaited; else it says at once why not.
- Asynchronous and plain actions mix, and context variables set before a run are seen inside.
"""

import asyncio
import contextvars
import threading
from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import Agent, ProcessFailedError, ProcessOptions, RunningLoopError, action, arun, run

user = contextvars.ContextVar("user", default="nobody")


class Topic(BaseModel):
    text: str = "tides"


class Draft(BaseModel):
    by: str = ""


class Review(BaseModel):
    by: str = ""


class Report(BaseModel):
    by: list[str] = []


@action
def draft(topic: Topic) -> Draft:
    return Draft(by=user.get())


@action
async def review(topic: Topic) -> Review:
    await asyncio.sleep(0)
    return Review(by=user.get())


@action
def combine(draft: Draft, review: Review) -> Report:
    return Report(by=[draft.by, review.by, user.get()])


@action
def short(topic: Topic) -> Report:
    return Report(by=[threading.current_thread().name])


mixed = Agent("mixed", [draft, review, combine])
plain = Agent("plain", [short])


@pytest.fixture
def ada():
    token = user.set("ada")
    yield
    user.reset(token)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_context_variables_are_seen_in_every_kind_of_action(ada, concurrency):
    """Cases 150 and 168."""
    options = ProcessOptions(concurrency=concurrency)

    assert run(mixed, Topic(), returning=Report, options=options).by == ["ada"] * 3
    assert wait(arun(mixed, Topic(), returning=Report, options=options)).by == ["ada"] * 3


def test_a_run_works_in_any_thread():
    """Case 168."""
    found = []
    thread = threading.Thread(target=lambda: found.append(run(mixed, Topic(), returning=Report)))

    thread.start()
    thread.join()

    assert found == [Report(by=["nobody"] * 3)]


def test_many_threads_run_one_agent_at_once():
    found = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(run(plain, Topic(text=str(n)), returning=Report)))
        for n in range(8)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 8


def test_plain_actions_run_inside_a_running_loop():
    async def inside():
        return run(plain, Topic(), returning=Report)

    assert wait(inside()).by == [threading.current_thread().name]


def test_what_needs_a_loop_of_its_own_says_so_at_once():
    """Case 168."""
    started = []

    async def inside():
        run(mixed, Topic(), returning=Report, options=ProcessOptions(listeners=(started.append,)))

    with pytest.raises(RunningLoopError, match="await arun"):
        wait(inside())

    assert all(event.kind in ("process_started", "entry_added") for event in started)


def test_a_forgotten_await_is_loud():
    """Case 169."""
    with pytest.warns(RuntimeWarning, match="never awaited"):
        arun(plain, Topic())


def test_the_loop_stays_free_while_a_plain_action_runs():
    release = threading.Event()

    @action
    def block(topic: Topic) -> Report:
        assert release.wait(10)
        return Report()

    async def both():
        async with asyncio.TaskGroup() as group:
            task = group.create_task(arun(Agent("blocker", [block]), Topic(), returning=Report))
            await asyncio.sleep(0)
            release.set()
        return task.result()

    assert wait(both()) == Report()


def test_a_plain_function_that_returns_a_coroutine_is_told_apart():
    async def inner() -> Report: ...

    @action
    def sly(topic: Topic) -> Report:
        return inner()

    with pytest.raises(ProcessFailedError, match=r"returned a coroutine.*async def"):
        run(Agent("sly", [sly]), Topic(), returning=Report)


def test_thousands_of_processes_share_one_loop():
    async def many():
        return await asyncio.gather(*(arun(mixed_async, Topic(text=str(n)), returning=Review) for n in range(1_000)))

    mixed_async = Agent("mixed", [review])

    assert len(wait(many())) == 1_000
