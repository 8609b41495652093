"""Attempts to break runs on Temporal: by chance, by size, by bad timing, by people who answer twice, late or wrongly."""

import asyncio
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr
from random_agents import answer_to, random_agent, random_options, what_came_of
from scenes import Scene, on, until
from temporalio.client import WorkflowUpdateFailedError
from temporalio.worker import Replayer

from planboard import (
    ActionContext,
    Agent,
    Budget,
    Deny,
    Edit,
    Expired,
    ModelUnavailableError,
    Process,
    ProcessFailedError,
    ProcessOptions,
    ProcessStatus,
    Retry,
    ScriptedModel,
    Slept,
    Supervisor,
    achieves_goal,
    action,
    condition,
    human,
    sleep,
    subagent,
)
from planboard.durable.temporal.calling import WORKFLOW
from planboard.durable.temporal.home import Home
from planboard.durable.temporal.workflow import AtHome, ProcessWorkflow
from planboard.errors import DefinitionError, RunExistsError


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


# People


class Paid(BaseModel):
    text: str


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


# Budgets, attempts, models


def test_what_failed_attempts_have_spent_is_spent(address):
    @achieves_goal("x")
    @action(retry=Retry(attempts=3, on=ConnectionError))
    async def dear(topic: Topic, context: ActionContext) -> Book:
        context.record_usage(tokens=5)
        if context.attempt < 3:
            raise ConnectionError("noise")
        return Book(text="")

    agent = Agent("dear", [dear])

    async def act(scene: Scene) -> None:
        there, here = await run_there(scene, agent, Topic(text="x")), await run_here(agent, Topic(text="x"))
        assert there.usage == here.usage
        assert there.usage.tokens == 15

    on(address, agent)(act)


def test_a_limit_of_the_parent_that_stops_a_child_stops_the_parent(address):
    """Case 155: a cost that does not fit any more is the parent's limit too, not the child's failure."""

    @achieves_goal("x")
    @action(cost=0.8)
    def dear(draft: Draft) -> Book:
        return Book(text="")

    child = Agent("spending", [draft, dear])
    agent = Agent("parent", [subagent(child, returning=Book, needs=[Topic]), print_book])
    options = ProcessOptions(budget=Budget(cost=0.5))

    async def act(scene: Scene) -> None:
        there = await run_there(scene, agent, Topic(text="x"), options=options)
        here = await run_here(agent, Topic(text="x"), options=options)
        assert there.status is here.status is ProcessStatus.TERMINATED
        assert there.reason.startswith("budget: cost:")

    on(address, agent)(act)


def test_a_step_that_runs_a_child_is_tried_again(address):
    tries: list[int] = []

    @achieves_goal("x")
    @action
    async def flaky(topic: Topic) -> Book:
        tries.append(1)
        if len(tries) == 1:
            raise ConnectionError("noise")
        return Book(text="second")

    again = Retry(attempts=2, on=ProcessFailedError)
    agent = Agent("parent", [subagent(Agent("flaky", [flaky]), returning=Book, retry=again), print_book])

    async def act(scene: Scene) -> Printed:
        return (await run_there(scene, agent, Topic(text="x"))).result(Printed)

    assert on(address, agent)(act) == Printed(text="second")


@pytest.mark.xfail(strict=True, reason="children that run at once do not know what the other one spends meanwhile")
def test_children_that_run_at_once_keep_within_the_budget_of_their_parent(address):
    @achieves_goal("x")
    @action
    def other(topic: Topic) -> Verdict:
        return Verdict(good=True)

    @achieves_goal("y")
    @action
    def both(book: Book, verdict: Verdict) -> Printed:
        return Printed(text="")

    first, second = Agent("first", [draft, bind]), Agent("second", [other])
    parts = [subagent(first, returning=Book), subagent(second, returning=Verdict, needs=[Topic]), both]
    agent = Agent("parent", parts)
    options = ProcessOptions(concurrency=2, budget=Budget(actions=4))

    async def act(scene: Scene) -> int:
        return (await run_there(scene, agent, Topic(text="x"), options=options)).usage.actions

    assert on(address, agent)(act) <= 4


def test_a_model_that_cannot_be_reached_ends_the_run_and_is_not_asked_on_and_on(address):
    asked: list[int] = []

    class Gone(ScriptedModel):
        async def complete(self, *args: Any, **options: Any) -> Any:
            asked.append(1)
            raise ModelUnavailableError("gone", "it is gone")

    @action
    def other(topic: Topic) -> Draft:
        return Draft(text="other")

    agent = Agent("led", [draft, other, bind], planner=Supervisor(llm=Gone("x")))

    async def act(scene: Scene) -> ProcessStatus:
        return (await run_there(scene, agent, Topic(text="x"))).status

    assert on(address, agent)(act) is ProcessStatus.TERMINATED
    assert asked == [1]


# Size


def four(**options: Any) -> Agent:
    """Return an agent with four actions that are independent, and given the whole topic."""

    @action(**options)
    async def one(topic: Topic) -> Draft:
        return Draft(text="")

    @action(**options)
    async def two(topic: Topic) -> Book:
        return Book(text="")

    @action(**options)
    async def three(topic: Topic) -> Verdict:
        return Verdict(good=True)

    @achieves_goal("all")
    @action
    def everything(draft: Draft, book: Book, verdict: Verdict) -> Printed:
        return Printed(text="all")

    return Agent("four", [one, two, three, everything])


def test_orders_that_do_not_fit_into_one_message_are_sent_one_after_the_other(address):
    agent = four()

    async def act(scene: Scene) -> ProcessStatus:
        topic = Topic(text="x" * 1_500_000)
        return (await run_there(scene, agent, topic, options=ProcessOptions(concurrency=3))).status

    assert on(address, agent)(act) is ProcessStatus.COMPLETED


def test_consent_to_what_is_large_can_be_asked_for(address):
    agent = four(approval=True)

    async def act(scene: Scene) -> ProcessStatus:
        topic = Topic(text="x" * 800_000)
        run_id = await scene.runs.submit(agent, topic, options=ProcessOptions(concurrency=3))

        async def all_three() -> Any:
            pending = await scene.runs.pending(run_id)
            return pending if len(pending) == 3 else None

        for request in await until(all_three):
            await scene.runs.respond(request.id, True)
        return (await scene.runs.wait(run_id)).status

    assert on(address, agent)(act) is ProcessStatus.COMPLETED


def test_an_id_that_is_too_long_is_refused(address):
    agent = resting()

    async def act(scene: Scene) -> None:
        with pytest.raises(DefinitionError, match="too long"):
            await scene.runs.submit(agent, Topic(text="x"), id="x" * 2000)

    on(address, agent, worker=False)(act)


def test_ids_and_values_may_be_in_any_script(address):
    """Case 146."""
    agent = Agent("plain", [draft, bind])

    async def act(scene: Scene) -> Book:
        run_id = await scene.runs.submit(agent, Topic(text="ü 漢字 \U0001f600"), id=f"ü/✓ 'a\" :1 {scene.queue}")
        return await scene.runs.result(run_id, Book)

    assert on(address, agent)(act) == Book(text="ü 漢字 \U0001f600")


# Two at once


def test_of_two_who_begin_a_run_of_one_id_one_succeeds(address):
    """Case 067."""
    agent = resting()

    async def act(scene: Scene) -> list[Any]:
        other = await type(scene.runs).connect(address, [agent], queue=scene.queue)
        clients = [scene.runs, other] * 3
        return await asyncio.gather(
            *(client.submit(agent, Topic(text="x"), id=f"one-{scene.queue}") for client in clients),
            return_exceptions=True,
        )

    said = on(address, agent, worker=False)(act)

    assert sum(isinstance(one, RunExistsError) for one in said) == 5


def test_why_no_worker_can_go_on_with_a_run_is_told(address):
    agent, stranger = Agent("plain", [draft, bind]), Agent("strange", [draft, bind])

    async def act(scene: Scene) -> str:
        run_id = await scene.runs.submit(agent, Topic(text="x"))

        async def reason() -> str:
            return (await scene.runs.show(run_id)).reason

        async with scene.worker(stranger):
            return await until(reason)

    reason = on(address, agent, worker=False)(act)

    assert reason.startswith("no worker can go on with it: No agent 'plain' is known here.")


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


# Secrets


class Login(BaseModel):
    user: str
    key: SecretStr
    api_key: str = ""


@achieves_goal("in", value=0.9)
@action(approval=True)
def log_in(login: Login) -> Book:
    return Book(text=f"{login.user} {len(login.key.get_secret_value())} {len(login.api_key)}")


def test_secrets_are_in_nobodys_history(address):
    """Case 165."""
    agent = Agent("secretive", [log_in])
    known = {"Login.key": "hidden-1", "Login.api_key": "hidden-22"}

    async def act(scene: Scene) -> str:
        runs = await type(scene.runs).connect(address, [agent], queue=scene.queue, secrets=known)
        run_id = await runs.submit(agent, Login(user="ada", key="hidden-1", api_key="hidden-22"))
        await runs.respond((await scene.asked(run_id)).id, True)
        assert (await runs.result(run_id, Book)).text == "ada 8 9"
        return "".join(map(str, await scene.history(run_id)))

    assert "hidden-" not in on(address, agent, secrets=known)(act)


@achieves_goal("in", value=0.9)
@action
def be_refused(login: Login) -> Book:
    raise ValueError(f"no such key: {login.key.get_secret_value()}, {login.api_key}")


def test_what_an_error_says_of_secrets_is_in_nobodys_history(address):
    """Case 165."""
    agent = Agent("refusing", [be_refused])
    known = {"Login.key": "hidden-1", "Login.api_key": "hidden-22"}

    async def act(scene: Scene) -> tuple[str, str]:
        runs = await type(scene.runs).connect(address, [agent], queue=scene.queue, secrets=known)
        run_id = await runs.submit(agent, Login(user="ada", key="hidden-1", api_key="hidden-22"))
        process = await runs.wait(run_id)
        return process.reason, "".join(map(str, await scene.history(run_id)))

    reason, history = on(address, agent, secrets=known)(act)
    assert "no such key: ***, ***" in reason
    assert "hidden-" not in history


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
