"""Attempts to lose or double an answer, or a wish to cancel, on Temporal."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from books import Book, Draft, Printed, Topic, Verdict, bind, draft, print_book
from scenes import Scene, on, until
from temporalio.client import WorkflowUpdateFailedError

from planboard import (
    Agent,
    Denied,
    Deny,
    Edit,
    Expired,
    ProcessOptions,
    ProcessStatus,
    Slept,
    achieves_goal,
    action,
    human,
    sleep,
    subagent,
)
from planboard.durable.temporal.calling import WORKFLOW

# People


@achieves_goal("nobody came", value=0.1)
@action
def give_up(expired: Expired) -> Book:
    return Book(text="nobody came")


def nested(depth: int) -> Agent:
    """Return an agent in whose innermost child somebody has to agree."""
    agent = Agent("innermost", [draft, bind])
    for level in range(depth):
        agent = Agent(
            f"around-{level}", [subagent(agent, returning=Book, needs=[Topic], name=f"call{level}")], goals=[Book]
        )
    return agent


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_people_agree_change_and_refuse_at_any_depth(address, depth):
    """Case 086."""
    agent = nested(depth)
    said = {"yes": True, "edit": Edit(draft=Draft(text="edited")), "no": Deny("never")}

    async def act(scene: Scene) -> dict[str, Any]:
        options = ProcessOptions(approvals=["bind"])
        found = {}
        for name, answer in said.items():
            run_id = await scene.runs.submit(agent, Topic(text="x"), options=options, returning=Book)
            await scene.runs.respond((await scene.asked(run_id)).id, answer)
            process = await scene.runs.wait(run_id)
            book = process.board.last(Book)
            found[name] = book.text if book else process.status
        return found

    ended = ProcessStatus.STUCK if depth == 0 else ProcessStatus.FAILED
    assert on(address, agent)(act) == {"yes": "x", "edit": "edited", "no": ended}


@pytest.mark.parametrize("depth", [1, 2])
def test_what_is_refused_below_may_be_gone_on_from_above(address, depth):
    """Case 088."""

    @achieves_goal("told")
    @action
    def tell(denied: Denied) -> Printed:
        return Printed(text=f"{denied.action}: {denied.reason}")

    @achieves_goal("told")
    @action
    def show(book: Book) -> Printed:
        return Printed(text=book.text)

    agent = Agent("office", [subagent(nested(depth - 1), returning=Book, name="below"), tell, show])

    async def act(scene: Scene) -> Printed:
        options = ProcessOptions(approvals=["bind"])
        run_id = await scene.runs.submit(agent, Topic(text="x"), options=options, returning=Printed)
        await scene.runs.respond((await scene.asked(run_id)).id, Deny("no"))
        return await scene.runs.result(run_id, Printed)

    assert on(address, agent)(act) == Printed(text="below: no")


def test_several_requests_are_pending_at_once_and_are_answered_in_any_order(address):
    """Cases 081, 082, 103."""

    @achieves_goal("all")
    @action
    def all_of(draft: Draft, book: Book, verdict: Verdict) -> Printed:
        return Printed(text=f"{draft.text}{book.text}{verdict.good}")

    agent = Agent(
        "asking", [human(Draft, prompt="1"), human(Book, prompt="2"), human(Verdict, prompt="3"), all_of], types=[Topic]
    )

    async def act(scene: Scene) -> tuple[list[str], Printed]:
        run_id = await scene.runs.submit(agent, Topic(text="x"), options=ProcessOptions(concurrency=3))
        answers = {"1": {"text": "a"}, "2": {"text": "b"}, "3": {"good": False}}

        async def three() -> Any:
            pending = await scene.runs.pending(run_id)
            return pending if len(pending) == 3 else None

        pending = {request.prompt: request.id for request in await until(three)}
        await scene.runs.respond(pending["2"], answers["2"])

        async def two() -> Any:
            left = [request.prompt for request in await scene.runs.pending(run_id)]
            return left if len(left) == 2 else None

        left = await until(two)
        await asyncio.gather(*(scene.runs.respond(pending[name], answers[name]) for name in ("3", "1")))
        return sorted(left), await scene.runs.result(run_id, Printed)

    assert on(address, agent)(act) == (["1", "3"], Printed(text="abFalse"))


def asking(expires: timedelta | None = None) -> Agent:
    @achieves_goal("told", value=0.9)
    @action
    def tell(verdict: Verdict) -> Book:
        return Book(text=str(verdict.good))

    return Agent("asking", [human(Verdict, prompt="?", expires=expires), tell, give_up], types=[Topic])


def test_of_two_clients_who_answer_at_once_one_is_heard(address):
    agent = asking()

    async def act(scene: Scene) -> None:
        run_id = await scene.runs.submit(agent, Topic(text="x"))
        request = await scene.asked(run_id)
        other = await type(scene.runs).connect(address)

        said = await asyncio.gather(
            scene.runs.respond(request.id, {"good": True}),
            other.respond(request.id, {"good": False}),
            return_exceptions=True,
        )

        assert said.count(True) == 1
        assert (await scene.runs.result(run_id, Book)).text == str(said[0] is True)

    on(address, agent)(act)


def test_an_answer_that_was_left_in_time_counts_though_the_worker_came_late(address):
    agent = asking(expires=timedelta(seconds=1))

    async def act(scene: Scene) -> str:
        run_id = await scene.runs.submit(agent, Topic(text="x"))
        async with scene.worker():
            request = await scene.asked(run_id)
        await scene.runs.respond(request.id, {"good": True}, patience=timedelta(milliseconds=100))
        await asyncio.sleep(1)
        async with scene.worker():
            return (await scene.runs.result(run_id, Book)).text

    assert on(address, agent, worker=False)(act) == "True"


def test_a_right_answer_is_not_refused_because_of_a_wrong_one_that_was_left(address):
    agent = asking()

    async def act(scene: Scene) -> str:
        run_id = await scene.runs.submit(agent, Topic(text="x"))
        async with scene.worker():
            request = await scene.asked(run_id)
        await scene.runs.respond(request.id, {"bad": 1}, patience=timedelta(milliseconds=100))
        right = asyncio.create_task(scene.runs.respond(request.id, {"good": True}, patience=timedelta(seconds=20)))
        await asyncio.sleep(0.2)
        async with scene.worker():
            assert await right
            return (await scene.runs.result(run_id, Book)).text

    assert on(address, agent, worker=False)(act) == "True"


@pytest.mark.parametrize(("said", "refused"), [({"good": True}, False), ({"bad": True}, True)])
def test_an_answer_may_come_with_the_first_task_of_a_workflow_that_goes_on_with_a_run(address, said, refused):
    agent = asking()

    async def act(scene: Scene) -> None:
        run_id = await scene.runs.submit(agent, Topic(text="x"))
        client = scene.runs.client
        async with scene.worker():
            request = await scene.asked(run_id)
            luggage = await client.get_workflow_handle(run_id).query("planboard.process")
        handle = await client.start_workflow(WORKFLOW, luggage, id=f"{run_id}-on", task_queue=scene.queue)
        told = asyncio.create_task(handle.execute_update("planboard.answer", args=[request.id, {"given": said}]))
        await asyncio.sleep(0.2)
        async with scene.worker():
            if refused:
                with pytest.raises(WorkflowUpdateFailedError):
                    await told
            else:
                await told
                assert scene.runs._home.unpack(await handle.result()).result(Book).text == "True"

    on(address, agent, worker=False)(act)


# Cancelling


def resting() -> Agent:
    @achieves_goal("rested")
    @action
    def rested(slept: Slept) -> Book:
        return Book(text="rested")

    return Agent("resting", [sleep(timedelta(seconds=100), name="nap"), rested], types=[Topic])


def test_a_run_can_be_cancelled_before_any_worker_has_seen_it_and_again(address):
    async def act(scene: Scene) -> ProcessStatus:
        run_id = await scene.runs.submit(scene.agents[0], Topic(text="x"))
        await scene.runs.cancel(run_id)
        await scene.runs.cancel(run_id)
        async with scene.worker():
            status = (await scene.runs.wait(run_id)).status
            await scene.runs.cancel(run_id)
        return status

    assert on(address, resting(), worker=False)(act) is ProcessStatus.CANCELLED


@pytest.mark.parametrize(("which", "ends"), [("", ["CANCELLED"] * 3), (".1.1", ["FAILED", "FAILED", "CANCELLED"])])
def test_cancelling_reaches_down_to_grandchildren_and_is_a_failure_above(address, which, ends):
    middle = Agent("middle", [subagent(resting(), returning=Book, needs=[Topic])], goals=[Book])
    top = Agent("top", [subagent(middle, returning=Book, needs=[Topic]), print_book])

    async def act(scene: Scene) -> list[str]:
        run_id = await scene.runs.submit(top, Topic(text="x"))
        below = f"{run_id}.1.1"

        async def is_asleep() -> bool:
            runs = [run async for run in scene.runs.client.list_workflows(f"WorkflowId = '{below}'")]
            return bool(runs) and (await scene.runs.show(below)).wakes_at is not None

        await until(is_asleep)
        await scene.runs.cancel(run_id + which)
        return [(await scene.runs.wait(name)).status for name in (run_id, f"{run_id}.1", below)]

    assert on(address, top)(act) == ends
