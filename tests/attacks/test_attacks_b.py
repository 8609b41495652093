"""Attacks on the runtime: what an action, a listener or a caller may do wrong, and how a run must take it."""

import asyncio
import copy
import functools
import subprocess
import sys
import textwrap
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Budget,
    DefinitionError,
    Not,
    Process,
    ProcessNotCompletedError,
    ProcessOptions,
    ProcessStatus,
    achieves_goal,
    action,
    condition,
    run,
)
from planboard.events import Event
from planboard.runtime.runner import run_process


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def run_test(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run_test


class Ask(BaseModel):
    number: int = 0


class Draft(BaseModel):
    number: int = 0


class Extra(BaseModel):
    number: int = 0


class Done(BaseModel):
    number: int = 0


@action
async def draft(ask: Ask) -> Draft:
    return Draft()


@achieves_goal("Done")
@action
async def finish(draft: Draft) -> Done:
    return Done()


chain = Agent("chain", [draft, finish])


def test_a_condition_given_as_an_object_is_evaluated() -> None:
    @condition
    def is_open(ask: Ask) -> bool:
        return True

    @achieves_goal("Done")
    @action(pre=[is_open])
    def close(ask: Ask) -> Done:
        return Done()

    try:
        agent = Agent("closer", [close])
    except DefinitionError:
        return  # refusing it when the agent is built would be as good

    assert run(agent, Ask()).status is ProcessStatus.COMPLETED


def test_a_negated_condition_given_as_an_object_is_never_passed_unevaluated() -> None:
    @condition
    def is_frozen(ask: Ask) -> bool:
        return True

    @achieves_goal("Done")
    @action(pre=[Not(is_frozen)])
    def pay_out(ask: Ask) -> Done:
        return Done()

    try:
        agent = Agent("bank", [pay_out])
    except DefinitionError:
        return

    process = agent.process(Ask())
    run_process(process)
    assert process.history == ()


def parent_of(child: Agent, **options: Any) -> Agent:
    @achieves_goal("Everything is done")
    @action
    async def delegate(ask: Ask, context: ActionContext) -> Extra:
        await context.run(child, ask, returning=Done, **options)
        return Extra()

    return Agent("parent", [delegate])


@in_a_loop
async def test_a_budget_that_a_child_hits_terminates_the_tree() -> None:
    process = parent_of(chain).process(Ask(), options=ProcessOptions(budget=Budget(actions=2)))

    assert await process.run() is ProcessStatus.TERMINATED
    assert process.usage.actions == 2


@in_a_loop
async def test_a_tree_that_a_budget_stopped_goes_on_with_a_larger_one() -> None:
    process = parent_of(chain).process(Ask(), options=ProcessOptions(budget=Budget(actions=2)))
    await process.run()

    assert await process.run(budget=Budget(actions=20)) is ProcessStatus.COMPLETED


@in_a_loop
async def test_the_seconds_of_a_childs_own_budget_are_its_own() -> None:
    @achieves_goal("Done")
    @action
    async def quick(ask: Ask) -> Done:
        return Done()

    @achieves_goal("Everything is done")
    @action
    async def delegate(ask: Ask, context: ActionContext) -> Extra:
        await asyncio.sleep(0.3)
        options = ProcessOptions(budget=Budget(seconds=0.25))
        await context.run(Agent("quick", [quick]), ask, returning=Done, options=options)
        return Extra()

    process = Agent("parent", [delegate]).process(Ask())

    assert await process.run() is ProcessStatus.COMPLETED


@pytest.mark.parametrize("kind", ["plan_made", "action_started", "process_started", "action_succeeded"])
@in_a_loop
async def test_no_action_of_a_child_starts_after_its_parent_was_cancelled(kind: str) -> None:
    started_after: list[Event] = []
    cancelled = False

    def listen(event: Event) -> None:
        nonlocal cancelled
        if cancelled and event.kind == "action_started":
            started_after.append(event)
        if event.process_id != "top" and event.kind == kind and not cancelled:
            cancelled = True
            process.cancel("enough")

    options = ProcessOptions(listeners=(listen,))
    process = parent_of(chain).process(id="top", options=options)
    process.board.add(Ask())

    assert await process.run() is ProcessStatus.CANCELLED
    # an action chosen together with the event at which the cancellation came may still be reported
    assert [event for event in started_after if event.action != "draft"] == []  # type: ignore[union-attr]


@in_a_loop
async def test_a_child_of_a_cancelled_parent_ends_cancelled() -> None:
    ends: list[str] = []

    def listen(event: Event) -> None:
        if event.process_id != "top" and event.kind == "process_started":
            process.cancel("enough")
        if event.process_id != "top" and event.kind == "process_ended":
            ends.append(str(event.status))

    process = parent_of(chain).process(id="top", options=ProcessOptions(listeners=(listen,)))
    process.board.add(Ask())
    await process.run()

    assert ends == ["CANCELLED"]


@in_a_loop
async def test_cancelling_the_task_holds_when_an_action_swallows_the_cancellation() -> None:
    ran: list[str] = []

    @action
    async def stubborn(ask: Ask) -> Draft:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(5)
        return Draft()

    @achieves_goal("Done")
    @action
    async def later(draft: Draft) -> Done:
        ran.append("later")
        return Done()

    process = Agent("stubborn", [stubborn, later]).process(Ask())
    task = asyncio.create_task(process.run())
    await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.wait([task])

    assert (process.status, ran) == (ProcessStatus.CANCELLED, [])


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("this error cannot be shown")


class Odd(BaseException):
    pass


def failing(error: BaseException, *, asynchronous: bool) -> Agent:
    @action(cost=0.1)
    async def slow(ask: Ask) -> Draft:
        await asyncio.sleep(0.01)
        return Draft()

    if asynchronous:

        @action(cost=0.1)
        async def fails(ask: Ask) -> Extra:
            raise error

    else:

        @action(cost=0.1)
        def fails(ask: Ask) -> Extra:
            raise error

    @achieves_goal("Done")
    @action
    def join(draft: Draft, extra: Extra) -> Done:
        return Done()

    return Agent("failing", [slow, fails, join])


@pytest.mark.parametrize("asynchronous", [True, False])
@pytest.mark.parametrize("concurrency", [1, 2])
@in_a_loop
async def test_an_error_that_cannot_be_shown_fails_only_its_action(asynchronous: bool, concurrency: int) -> None:
    agent = failing(Unprintable(), asynchronous=asynchronous)
    process = agent.process(Ask(), options=ProcessOptions(concurrency=concurrency))

    assert await process.run() is ProcessStatus.FAILED
    assert "Unprintable" in process.reason


@pytest.mark.parametrize("make", [Odd, GeneratorExit, asyncio.CancelledError, lambda: BaseExceptionGroup("g", [Odd()])])
@pytest.mark.parametrize("asynchronous", [True, False])
@pytest.mark.parametrize("concurrency", [1, 2])
@in_a_loop
async def test_no_process_stays_running_after_an_action_raised_past_exception(
    make: Callable[[], BaseException], asynchronous: bool, concurrency: int
) -> None:
    agent = failing(make(), asynchronous=asynchronous)
    process = agent.process(Ask(), options=ProcessOptions(concurrency=concurrency))

    raised: BaseException | None = None
    try:
        await process.run()
    except BaseException as error:
        raised = error

    assert process.status.is_final
    assert not isinstance(raised, KeyError)


@in_a_loop
async def test_a_process_can_be_run_after_its_stream_was_left() -> None:
    process = chain.process(Ask())
    async for event in process.stream():
        if event.kind == "action_started":
            break

    assert await process.run() is ProcessStatus.COMPLETED


def test_listeners_hear_events_in_order_when_one_of_them_adds_to_the_board() -> None:
    heard: list[int] = []

    def add(event: Event) -> None:
        if event.kind == "action_succeeded" and event.action == "draft":
            process.board.add(Extra())

    options = ProcessOptions(listeners=(add, lambda event: heard.append(event.seq)))
    process = chain.process(Ask(), options=options)
    run_process(process)

    assert heard == sorted(heard)


def test_a_service_given_to_a_run_takes_precedence_over_the_agents() -> None:
    class Store:
        def __init__(self, number: int) -> None:
            self.number = number

    @achieves_goal("Done")
    @action
    def read(ask: Ask, store: Store) -> Done:
        return Done(number=store.number)

    read.__annotations__["store"] = Store
    agent = Agent("reader", [read], services=[Store(1)])

    assert run(agent, Ask(), services=[Store(2)], returning=Done).number == 2


class Slotted:
    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 1


def test_an_object_with_slots_is_not_taken_for_changed() -> None:
    @action
    def make(ask: Ask) -> Slotted:
        return Slotted()

    @achieves_goal("Done")
    @action
    def use(slotted: Slotted) -> Done:
        return Done(number=slotted.number)

    assert run(Agent("slots", [make, use]), Ask(), returning=Done).number == 1


class Hostile:
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise ValueError("no class")


def test_a_value_that_fights_inspection_fails_its_action() -> None:
    @achieves_goal("Done")
    @action
    def odd(ask: Ask) -> Done:
        return Hostile()  # type: ignore[return-value]

    process = Agent("hostile", [odd]).process(Ask())
    run_process(process)

    assert process.status is ProcessStatus.FAILED


@pytest.mark.parametrize("options", [{"budget": None}, {"budget": 5}, {"listeners": 3}])
def test_process_options_refuse_what_cannot_work(options: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        ProcessOptions(**options)


def test_errors_can_be_copied() -> None:
    process: Process = chain.process()
    run_process(process)
    with pytest.raises(ProcessNotCompletedError) as caught:
        process.raise_for_status()

    copied = copy.copy(caught.value)

    assert str(copied) == str(caught.value)
    assert copied.process is process


def test_an_action_that_hangs_past_its_timeout_does_not_keep_the_program_alive(tmp_path: Any) -> None:
    program = tmp_path / "hanging.py"
    program.write_text(
        textwrap.dedent("""
            import threading
            from pydantic import BaseModel
            from planboard import Agent, PlanboardError, achieves_goal, action, run

            class Ask(BaseModel): ...
            class Done(BaseModel): ...

            @achieves_goal("Done")
            @action(timeout=0.05)
            def hang(ask: Ask) -> Done:
                threading.Event().wait()
                return Done()

            try:
                run(Agent("hanging", [hang]), Ask())
            except PlanboardError as error:
                print(type(error).__name__, flush=True)
        """)
    )
    ended = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=20, check=False)

    assert ended.stdout.strip() == "ProcessFailedError"
