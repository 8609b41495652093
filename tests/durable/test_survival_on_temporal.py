"""Workers come and go: what is done is not done again, what was running is settled, what was decided stands."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import survivor
from pydantic import BaseModel
from scenes import Scene, on, until
from survivor import AGENTS, Checked, Order, Packed, Sent, pack
from temporalio.worker import Replayer

from planboard import (
    Agent,
    Finished,
    Goap,
    Process,
    ProcessOptions,
    Slept,
    achieves_goal,
    action,
    condition,
    human,
    sleep,
    subagent,
)
from planboard.durable.temporal.home import Home
from planboard.durable.temporal.workflow import AtHome, ProcessWorkflow
from planboard.planners import PlanGoal, Planner, Problem
from planboard.planners.ask import PlannerAnswer


@pytest.fixture
def effects(tmp_path, monkeypatch):
    monkeypatch.setattr(survivor, "FOLDER", tmp_path)
    return lambda: (tmp_path / "effects").read_text().split() if (tmp_path / "effects").exists() else []


@contextmanager
def program(address: str, queue: str, folder: Path) -> Iterator[subprocess.Popen]:
    """Start a worker that is killed at the end."""
    command = [sys.executable, str(Path(survivor.__file__)), address, queue]
    with subprocess.Popen(command, env={**os.environ, "PLANBOARD_TEST_FOLDER": str(folder)}) as process:
        yield process
        process.send_signal(signal.SIGKILL)


async def hangs(folder: Path, word: str) -> None:
    async def look() -> bool:
        return (folder / f"{word}-hung").exists()

    await until(look)


def test_an_action_that_was_running_when_its_worker_was_killed_is_in_doubt(address, tmp_path, effects):
    agent = AGENTS["unsure"]

    async def act(scene: Scene) -> Sent:
        run_id = await scene.runs.submit(agent, Order(name="x"))
        with program(address, scene.queue, tmp_path):
            await hangs(tmp_path, "check")
        async with scene.worker():
            request = await scene.asked(run_id)
            assert (request.action, request.purpose) == ("check", "in_doubt")
            await scene.runs.respond(request.id, Finished(Checked(ok=True)))
            return await scene.runs.result(run_id, Sent)

    assert on(address, agent, worker=False)(act) == Sent(by="send")
    assert effects() == ["pack", "check", "send"]


def test_consent_runs_an_action_in_doubt_again(address, tmp_path, effects):
    agent = AGENTS["unsure"]

    async def act(scene: Scene) -> None:
        run_id = await scene.runs.submit(agent, Order(name="x"))
        with program(address, scene.queue, tmp_path):
            await hangs(tmp_path, "check")
        async with scene.worker():
            await scene.runs.respond((await scene.asked(run_id)).id, True)
            await scene.runs.wait(run_id)

    on(address, agent, worker=False)(act)
    assert effects() == ["pack", "check", "check", "send"]


def test_an_action_that_may_be_repeated_is_run_again_by_another_worker(address, tmp_path, effects):
    agent = AGENTS["sure"]

    async def act(scene: Scene) -> Sent:
        run_id = await scene.runs.submit(agent, Order(name="x"))
        with program(address, scene.queue, tmp_path):
            await hangs(tmp_path, "check_again")
        async with scene.worker():
            return await scene.runs.result(run_id, Sent)

    assert on(address, agent, worker=False)(act) == Sent(by="send")
    assert effects() == ["pack", "check_again", "check_again", "send"]


def test_an_action_that_is_stopped_with_its_worker_is_in_doubt(address, tmp_path, effects):
    agent = AGENTS["unsure"]

    async def act(scene: Scene) -> str:
        run_id = await scene.runs.submit(agent, Order(name="x"))
        async with scene.worker():
            await hangs(tmp_path, "check")
        async with scene.worker():
            return (await scene.asked(run_id)).purpose

    assert on(address, agent, worker=False)(act) == "in_doubt"


def test_recorded_decisions_stand_and_the_new_planner_goes_on(address, effects):
    asks = human(Checked, prompt="?", cost=0.05, needs=[Packed])
    before = Agent("edited", [pack, asks, survivor.send])
    after = Agent("edited", [pack, asks, survivor.send, survivor.send_by_air], planner=ByAir())

    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(before, Order(name="x"))
        async with scene.worker():
            request = await scene.asked(run_id)
        async with scene.worker(after):
            await scene.runs.respond(request.id, Checked(ok=True))
            return await scene.runs.wait(run_id)

    process = on(address, before, worker=False)(act)

    plans = [event.steps for event in process.events if event.kind == "plan_made"]
    assert plans[0] == ("pack", "ask_checked", "send")
    assert process.result(Sent) == Sent(by="air")
    assert effects() == ["pack", "send_by_air"]


class ByAir(Planner):
    """Plans as GOAP does, but never for `send`."""

    name = "by_air"
    plans_ahead = True

    def plan_to(self, problem: Problem, goal: PlanGoal) -> PlannerAnswer:
        allowed = [operator for operator in problem.operators if operator.name != "send"]
        return Goap().plan_to(Problem(dict(problem.state), allowed, problem.goals), goal)


def test_a_run_whose_agent_has_changed_waits_for_the_agent_that_fits(address, effects):
    asks = human(Checked, prompt="?", needs=[Packed])
    before = Agent("drifting", [pack, asks, survivor.send])

    class Other(BaseModel):
        x: int

    @action
    def unlike(order: Order) -> Other:
        return Other(x=1)

    after = Agent("drifting", [unlike, human(Checked, prompt="?", needs=[Other]), achieves_goal("Sent")(unlike_send)])

    async def act(scene: Scene) -> None:
        run_id = await scene.runs.submit(before, Order(name="x"))
        async with scene.worker():
            request = await scene.asked(run_id)
        async with scene.worker(after):
            await scene.runs.client.get_workflow_handle(run_id).signal(
                "planboard.answer_later", args=[request.id, {"given": {"ok": True}}]
            )

            async def is_refused() -> bool:
                failed = [event.workflow_task_failed_event_attributes for event in await scene.history(run_id)]
                return any("action 'pack' is gone" in event.failure.message for event in failed)

            await until(is_refused)
        async with scene.worker():
            assert (await scene.runs.result(run_id, Sent)) == Sent(by="send")

    on(address, before, worker=False)(act)


@action
def unlike_send(checked: Checked) -> Sent:
    return Sent(by="unlike")


class Count(BaseModel):
    number: int


class Enough(BaseModel):
    number: int


@action(rerun="new_inputs", cost=0.1, value=0.5)
def count(count: Count) -> Count:
    return Count(number=count.number + 1)


@condition
def is_enough(count: Count) -> bool:
    return count.number >= 12


@achieves_goal("Enough", value=1.0)
@action(pre=[is_enough])
def enough(count: Count) -> Enough:
    return Enough(number=count.number)


counting = Agent("counting", [count, is_enough, enough], planner="hybrid")


def test_a_long_run_goes_on_in_a_new_workflow(address):
    async def act(scene: Scene):
        run_id = await scene.runs.submit(counting, Count(number=0))
        process = await scene.runs.wait(run_id)
        first = await scene.history(run_id)
        return process, first

    process, last = on(address, counting, longest=30)(act)

    assert process.result(Enough) == Enough(number=12)
    assert len(process.history) == 13
    assert [event.seq for event in process.events] == list(range(1, len(process.events) + 1))
    assert last[0].workflow_execution_started_event_attributes.continued_execution_run_id


@condition
async def is_fine(sent: Sent) -> bool:
    return sent.by == "send"


@achieves_goal("All")
@action(approval=True, pre=[is_fine])
def both(sent: Sent, checked: Checked, slept: Slept) -> Enough:
    return Enough(number=1)


def test_histories_can_be_replayed(address, effects):
    (survivor.FOLDER / "check-hung").touch()
    parts = [subagent(AGENTS["unsure"], returning=Sent), human(Checked, prompt="?"), sleep(0.1), is_fine, both]
    agent = Agent("replayed", parts)

    async def act(scene: Scene) -> list:
        run_id = await scene.runs.submit(agent, Order(name="x"), options=ProcessOptions(concurrency=3))
        for purpose, said in (("answer", {"ok": True}), ("approval", True)):
            await scene.runs.respond((await scene.asked(run_id, purpose)).id, said)
        process = await scene.runs.wait(run_id)
        assert process.result(Enough) == Enough(number=1)
        child = next(event.call for event in process.events if event.kind == "action_suspended")
        long = await scene.runs.submit(counting, Count(number=0))
        await scene.runs.wait(long)
        handles = [scene.runs.client.get_workflow_handle(name) for name in (run_id, f"{run_id}.{child}", long)]
        return [await handle.fetch_history() for handle in handles]

    histories = on(address, agent, counting, longest=60)(act)

    async def replay() -> None:
        replayer = Replayer(workflows=[ProcessWorkflow], interceptors=[AtHome(Home.of([agent, counting]))])
        for history in histories:
            await replayer.replay_workflow(history)

    asyncio.run(replay())
