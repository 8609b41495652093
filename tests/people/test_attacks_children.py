"""Attacks on trees of runs: what is left behind when something ends, forks, other programs, other orders."""

import asyncio

import pytest
from expenses import Expense, effects, go
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Approve,
    Budget,
    Denied,
    ProcessOptions,
    ProcessStatus,
    Slept,
    achieves_goal,
    action,
    human,
    sleep,
    subagent,
)
from planboard.testing import FakeClock


class Draft(BaseModel):
    text: str


class Text(BaseModel):
    text: str


class Other(BaseModel):
    text: str = ""


class Book(BaseModel):
    text: str


@action
def write(expense: Expense) -> Draft:
    """Write a draft."""
    effects["write"] += 1
    return Draft(text=f"{expense.payee} {expense.amount}")


@achieves_goal("there is a text")
@action(approval=True)
def polish(draft: Draft) -> Text:
    """Polish the draft."""
    effects["polish"] += 1
    return Text(text=draft.text)


WRITER = Agent("writer", [write, polish])


@achieves_goal("there is a book")
@action
def bind(text: Text, other: Other) -> Book:
    """Bind it."""
    effects["bind"] += 1
    return Book(text=text.text)


def editor(*parts) -> Agent:
    return Agent("editor", [subagent(WRITER, returning=Text, needs=[Expense]), bind, *parts])


def standings(options: ProcessOptions) -> dict[str, str]:
    return {run.id: run.standing.status for run in options.journal.runs()}


# What ends while a child waits


@pytest.mark.parametrize("how", ["cancel", "task"])
def test_cancelling_while_something_runs_beside_a_child_that_waits_cancels_the_child(kept, how):
    @action
    async def make_other(expense: Expense) -> Other:
        """Work until it is cancelled."""
        if how == "cancel":
            asyncio.get_running_loop().call_soon(process.cancel, "enough")
        else:
            asyncio.get_running_loop().call_soon(tasks[0].cancel)
        await asyncio.sleep(60)
        return Other()

    tasks = []
    options = kept(concurrency=2)
    process = editor(make_other).process(Expense(), options=options, id="run")

    async def main() -> None:
        tasks.append(asyncio.ensure_future(process.run()))
        await asyncio.wait(tasks)

    asyncio.run(main())
    assert process.status is ProcessStatus.CANCELLED
    assert process.pending == ()
    assert set(standings(options).values()) == {"CANCELLED"}


@pytest.mark.parametrize("keep", [False, True])
def test_cancelling_from_a_listener_cancels_the_children_that_wait(kept, keep):
    def stop(event):
        if event.kind == "process_waiting" and event.process_id == "run":
            process.cancel("enough")

    options = kept(listeners=(stop,)) if keep else ProcessOptions(listeners=(stop,))
    process = editor().process(Expense(), Other(), options=options, id="run")
    assert go(process) is ProcessStatus.CANCELLED
    assert process.pending == ()
    if keep:
        assert set(standings(options).values()) == {"CANCELLED"}


@pytest.mark.parametrize("keep", [False, True])
def test_cancelling_from_a_listener_of_the_question_cancels_all(kept, keep):
    def stop(event):
        if event.kind == "request_made":
            process.cancel("enough")

    options = kept(listeners=(stop,)) if keep else ProcessOptions(listeners=(stop,))
    process = editor().process(Expense(), Other(), options=options, id="run")
    assert go(process) is ProcessStatus.CANCELLED
    assert process.pending == ()
    if keep:
        assert set(standings(options).values()) == {"CANCELLED"}


def test_a_run_that_completes_another_way_leaves_no_child_that_waits(kept):
    @action(cost=0.1)
    async def make_other(expense: Expense) -> Other:
        """Make something else."""
        return Other()

    @achieves_goal("there is a book")
    @action(value=0.9)
    def copy(other: Other) -> Book:
        """Copy a book."""
        return Book(text="copied")

    options = kept(concurrency=2)
    process = editor(make_other, copy).process(Expense(), planner="hybrid", options=options, id="run")
    go(process)
    assert process.status is ProcessStatus.COMPLETED
    assert process.pending == ()
    assert set(standings(options).values()) == {"COMPLETED", "CANCELLED"}


def test_a_run_that_fails_leaves_no_child_that_waits(kept):
    @action
    async def make_other(expense: Expense) -> Other:
        """Fail."""
        message = "broken"
        raise RuntimeError(message)

    options = kept(concurrency=2)
    process = editor(make_other).process(Expense(), options=options, id="run")
    go(process)
    if process.status is ProcessStatus.FAILED:
        assert process.pending == ()
        assert "WAITING" not in standings(options).values()
    else:
        assert process.pending


def test_cancelling_a_waiting_tree_in_another_program_reaches_every_child(kept, elsewhere):
    options = kept()
    process = editor().process(Expense(), Other(), options=options, id="run")
    go(process)
    elsewhere(editor(), "run").cancel("enough")
    assert set(standings(options).values()) == {"CANCELLED"}
    assert process.pending == () or go(process) is ProcessStatus.CANCELLED
    assert process.pending == ()


# Forks


@achieves_goal("two")
@action
async def two(expense: Expense, context: ActionContext) -> Book:
    """Ask two writers, one after the other."""
    first = await context.run(WRITER, expense, returning=Text)
    second = await context.run(WRITER, Expense(payee="Bob"), returning=Text)
    return Book(text=f"{first.text} {second.text}")


@pytest.mark.parametrize(("keep", "again"), [(False, False), (True, False), (True, True)])
def test_a_fork_keeps_what_finished_children_have_done(kept, elsewhere, keep, again):
    agent = Agent("two", [two], agents=[WRITER])
    process = agent.process(Expense(), options=kept() if keep else None, id="run")
    go(process)
    process.respond(process.pending[0].id, Approve())
    go(process)
    if again:
        process = elsewhere(agent, process)
    twin = process.fork(id="twin")
    while twin.pending:
        twin.respond(twin.pending[0].id, Approve())
        go(twin)
    assert twin.result(Book).text == "Ada 900 Bob 900"
    assert effects == {"write": 2, "polish": 2}


@pytest.mark.parametrize("keep", [False, True])
def test_a_fork_has_spent_what_the_original_has(kept, keep):
    process = editor().process(Expense(), Other(), options=kept() if keep else None, id="run")
    go(process)
    assert process.fork(id="twin").usage == process.usage


@pytest.mark.parametrize("keep", [False, True])
def test_a_fork_of_a_fork_is_restored_like_it(kept, elsewhere, keep):
    agent = editor()
    process = agent.process(Expense(), Other(), options=kept() if keep else None, id="run")
    go(process)
    twin = process.fork(id="twin").fork(id="triplet")
    if keep:
        found = elsewhere(agent, "triplet")
        assert found.pending == twin.pending
        assert found.usage == twin.usage
        twin = found
    twin.respond(twin.pending[0].id, Approve())
    assert go(twin) is ProcessStatus.COMPLETED
    assert effects == {"write": 1, "polish": 1, "bind": 1}


def test_every_prefix_of_a_tree_can_be_forked_and_goes_on(kept):
    process = editor().process(Expense(), Other(), options=kept(), id="run")
    go(process)
    process.respond(process.pending[0].id, Approve())
    go(process)
    for at in range(3, len(process.events) + 1):  # from its inputs on
        twin = process.fork(at, id=f"twin-{at}")
        for _ in range(5):
            go(twin)
            for request in twin.pending:
                twin.respond(request.id, Approve())
        assert twin.status is ProcessStatus.COMPLETED, at


# Other programs


def test_a_stream_that_was_left_adds_nothing_to_what_another_program_has_finished(kept, elsewhere):
    agent = editor()
    process = agent.process(Expense(), Other(), options=kept(), id="run")

    async def leave() -> None:
        events = process.stream()
        async for event in events:
            if event.kind == "action_started":
                break
        await events.aclose()

    asyncio.run(leave())
    other = elsewhere(agent, "run")
    for _ in range(5):
        go(other)
        for request in other.pending:
            other.respond(request.id, Approve())
    assert other.status is ProcessStatus.COMPLETED
    count = len(other.events)
    assert go(process) is ProcessStatus.COMPLETED
    assert len(process.events) == count
    assert process.board.to_json() == other.board.to_json()


def test_two_objects_of_one_run_take_turns(kept, elsewhere):
    agent = Agent("two", [two], agents=[WRITER])
    objects = [agent.process(Expense(), options=kept(), id="run"), elsewhere(agent, "run"), elsewhere(agent, "run")]
    for turn in range(20):
        process = objects[turn % 3]
        go(process)
        asker = objects[(turn + 1) % 3]
        for request in process.pending:
            asker.respond(request.id, Approve())
    assert {go(process) for process in objects} == {ProcessStatus.COMPLETED}
    assert effects == {"write": 2, "polish": 2}
    assert len({process.board.to_json() for process in objects}) == 1
    assert len({process.usage for process in objects}) == 1


def test_services_of_a_run_are_those_of_its_children_when_it_is_taken_up(kept, elsewhere):
    class Bank:
        name = "bank"

    @achieves_goal("there is a text")
    @action(approval=True)
    def pay(expense: Expense, bank: Bank) -> Text:
        """Pay."""
        return Text(text=bank.name)

    child = Agent("child", [pay], services=[Bank()])
    agent = Agent("parent", [subagent(child, returning=Text)])
    process = agent.process(Expense(), returning=Text, options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    process = elsewhere(agent, process)
    assert go(process) is ProcessStatus.COMPLETED


def test_an_action_that_starts_other_children_when_it_is_run_again_does_not_get_the_wrong_one(kept, elsewhere):
    @achieves_goal("two")
    @action
    async def turning(expense: Expense, context: ActionContext) -> Book:
        """Ask two writers, the other one first the second time."""
        effects["turning"] += 1
        payees = ["Ada", "Bob"] if effects["turning"] == 1 else ["Bob", "Ada"]
        found = {payee: (await context.run(WRITER, Expense(payee=payee), returning=Text)).text for payee in payees}
        return Book(text=f"{found['Ada']}, {found['Bob']}")

    agent = Agent("turning", [turning], agents=[WRITER])
    process = agent.process(Expense(), options=kept(), id="run")
    for _ in range(6):
        go(process)
        for request in process.pending:
            process.respond(request.id, Approve())
    assert process.status is not ProcessStatus.COMPLETED or process.result(Book).text == "Ada 900, Bob 900"


# Time in children


def test_a_request_of_a_child_expires_and_the_parent_goes_on(kept, elsewhere):
    @action
    def give_up(denied: Denied) -> Text:
        """Give up."""
        return Text(text=type(denied).__name__)

    child = Agent("child", [human(Text, prompt="?", expires=60, name="ask"), give_up])
    agent = Agent("parent", [subagent(child, returning=Text), bind])
    clock = FakeClock()
    process = agent.process(Other(), returning=Book, options=kept(clock=clock))
    go(process)
    assert process.wakes_at == 60
    clock.advance(61)
    process = elsewhere(agent, process, clock=clock)
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Book).text == "Expired"


@pytest.mark.parametrize("keep", [False, True])
def test_children_that_sleep_at_once_all_wake(kept, elsewhere, keep):
    @achieves_goal("there is a text")
    @action
    def wake(slept: Slept) -> Text:
        """Wake."""
        effects["wake"] += 1
        return Text(text=str(slept.until.timestamp()))

    @achieves_goal("book")
    @action
    async def three(expense: Expense, context: ActionContext) -> Book:
        """Start three that sleep."""
        import anyio

        found: dict[int, str] = {}

        async def one(number: int) -> None:
            agent = sleepers[number]
            found[number] = (await context.run(agent, returning=Text)).text

        async with anyio.create_task_group() as group:
            for number in range(3):
                group.start_soon(one, number)
        return Book(text=" ".join(found[number] for number in range(3)))

    sleepers = [Agent(f"sleeper{number}", [sleep(10.0 * (3 - number)), wake]) for number in range(3)]
    agent = Agent("three", [three], agents=sleepers)
    options = {"clock": FakeClock()}
    process = agent.process(Expense(), options=kept(**options) if keep else ProcessOptions(**options))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Book).text == "30.0 20.0 10.0"
    assert effects["wake"] == 3


def test_a_budget_that_stops_a_child_is_raised_and_all_goes_on(kept, elsewhere):
    agent = Agent("two", [two], agents=[WRITER])
    process = agent.process(Expense(), options=kept(budget=Budget(actions=1)), id="run")
    actions = 1
    for _ in range(30):
        asyncio.run(process.run(budget=Budget(actions=actions)))
        if process.status is ProcessStatus.COMPLETED:
            break
        if process.status is ProcessStatus.TERMINATED:
            actions += 1
        for request in process.pending:
            process.respond(request.id, Approve())
        process = elsewhere(agent, process)
    assert process.status is ProcessStatus.COMPLETED
    assert effects == {"write": 2, "polish": 2}
    assert process.usage.actions == 5
