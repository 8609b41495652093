"""Random agents on Temporal come to what they come to here; runs may go on in a new workflow and be replayed."""

import asyncio
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from books import Book, Draft, Printed, Topic, Verdict, bind, draft, run_there
from pydantic import BaseModel
from random_agents import answer_to, random_agent, random_options, what_came_of
from scenes import Scene, on, until
from temporalio.worker import Replayer

from planboard import (
    Agent,
    Process,
    ProcessOptions,
    ProcessStatus,
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

# By chance


@pytest.fixture(scope="module", params=[0, 1], ids=["alone", "with-children"])
def played(address, request) -> tuple[list[Any], list[Any], list[Agent], list[Any]]:
    """What random agents come to here and on Temporal, the agents, and the histories that Temporal has of them."""
    seeds = range(40 * request.param, 40 * request.param + 6)
    made = {seed: random_agent(seed, depth=request.param) for seed in seeds}
    agents = [agent for agent, _ in made.values()]

    async def here(seed: int) -> Process:
        agent, start = made[seed]
        process = agent.process(start, options=random_options(seed))
        await process.run()
        while process.pending:
            asked = process.pending[0]
            process.respond(asked.id, answer_to(asked))
            await process.run()
        return process

    async def there(scene: Scene, seed: int) -> Process:
        agent, start = made[seed]
        run_id = await scene.runs.submit(agent, start, options=random_options(seed))

        async def has_ended() -> bool:
            run = await scene.runs.show(run_id)
            pending = await scene.runs.pending(run_id) if run.status is ProcessStatus.WAITING else ()
            if pending:
                await scene.runs.respond(pending[0].id, answer_to(pending[0]))
            return run.ended_at is not None

        await until(has_ended)
        return await scene.runs.wait(run_id)

    async def act(scene: Scene) -> tuple[list[Any], list[Any], list[Agent], list[Any]]:
        mine = [await here(seed) for seed in seeds]
        theirs = await asyncio.gather(*(there(scene, seed) for seed in seeds))
        histories = [await scene.runs.client.get_workflow_handle(process.id).fetch_history() for process in theirs]
        return [what_came_of(run) for run in mine], [what_came_of(run) for run in theirs], agents, histories

    return on(address, *agents, lost_after=timedelta(seconds=60))(act)


def test_random_agents_come_to_the_same_here_and_on_temporal(played):
    """With failures, retries, replans, conditions that wait, consent, children, budgets, several actions at once."""
    here, there, _, _ = played

    assert there == here


def test_histories_of_random_agents_can_be_replayed(played):
    _, _, agents, histories = played

    async def replay() -> None:
        replayer = Replayer(workflows=[ProcessWorkflow], interceptors=[AtHome(Home.of(agents))])
        for history in histories:
            await replayer.replay_workflow(history)

    asyncio.run(replay())


# Going on in a new workflow


def test_a_run_may_go_on_in_a_new_workflow_in_the_middle_of_everything(address):
    @condition
    async def is_fine(draft: Draft) -> bool:
        return True

    @action(pre=[is_fine], approval=True)
    def check(draft: Draft, slept: Slept) -> Verdict:
        return Verdict(good=True)

    @achieves_goal("x")
    @action
    def finish(verdict: Verdict, book: Book) -> Printed:
        return Printed(text=book.text)

    child = Agent("child", [human(Draft, prompt="?", needs=[Topic]), bind])
    agent = Agent(
        "whole", [draft, sleep(0.1, name="nap"), is_fine, check, subagent(child, returning=Book, needs=[Topic]), finish]
    )

    async def act(scene: Scene) -> Printed:
        run_id = await scene.runs.submit(agent, Topic(text="x"), options=ProcessOptions(concurrency=2))
        for purpose, said in (("answer", {"text": "told"}), ("approval", True)):
            await scene.runs.respond((await scene.asked(run_id, purpose)).id, said)
        return await scene.runs.result(run_id, Printed)

    assert on(address, agent, longest=3)(act) == Printed(text="told")


class Count(BaseModel):
    number: int


@action(rerun="new_inputs")
async def count(count: Count) -> Count:
    return Count(number=count.number + 1)


def test_decisions_are_counted_on_in_a_new_workflow(address):
    agent = Agent("counting", [count], planner="utility")

    async def act(scene: Scene) -> Process:
        return await run_there(scene, agent, Count(number=0), options=ProcessOptions(max_ticks=2))

    process = on(address, agent, longest=3)(act)

    assert process.status is ProcessStatus.TERMINATED
    assert process.reason.startswith("max_ticks: 2")


# Replay


def test_a_run_is_taken_over_by_a_program_with_another_hash_seed(address, tmp_path):
    """The first program has it to the question, the second replays that and ends it."""
    program = Path(__file__).with_name("survivor.py")

    def start(queue: str, seed: str) -> "subprocess.Popen[bytes]":
        env = {**os.environ, "PYTHONHASHSEED": seed, "PLANBOARD_TEST_FOLDER": str(tmp_path)}
        return subprocess.Popen([sys.executable, str(program), address, queue], env=env)

    from survivor import AGENTS, Order, Sent

    (tmp_path / "check-hung").touch()

    async def act(scene: Scene) -> Sent:
        run_id = await scene.runs.submit(
            AGENTS["unsure"], Order(name="x"), options=ProcessOptions(approvals=["send"], concurrency=3)
        )
        with start(scene.queue, "1") as first:
            request = await scene.asked(run_id)
            first.kill()
        with start(scene.queue, "2") as second:
            await scene.runs.respond(request.id, True, patience=timedelta(seconds=20))
            found = await scene.runs.result(run_id, Sent)
            second.kill()
        return found

    assert on(address, AGENTS["unsure"], worker=False)(act) == Sent(by="send")
