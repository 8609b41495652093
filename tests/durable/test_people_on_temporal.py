"""People, time and cancellation on Temporal: nothing is lost while no worker is there, and every answer counts once."""

import asyncio
from datetime import timedelta

import pytest
from pydantic import BaseModel
from scenes import Scene, on, until

from planboard import (
    Agent,
    Approval,
    Denied,
    Deny,
    Edit,
    Expired,
    Process,
    ProcessCancelledError,
    ProcessOptions,
    ProcessStatus,
    Slept,
    achieves_goal,
    action,
    human,
    sleep,
)
from planboard.errors import AlreadyAnsweredError, DefinitionError, InvalidAnswerError, UnknownRequestError


class Expense(BaseModel):
    amount: int


class Decision(BaseModel):
    approved: bool
    note: str = ""


class Payment(BaseModel):
    amount: int


class Letter(BaseModel):
    text: str


paid: list[int] = []


@pytest.fixture(autouse=True)
def nothing_is_paid():
    paid.clear()


@achieves_goal("Paid")
@action(approval=True)
def pay(expense: Expense) -> Payment:
    paid.append(expense.amount)
    return Payment(amount=expense.amount)


@achieves_goal("Refused", value=0.1)
@action
def refuse(denied: Denied) -> Letter:
    return Letter(text=denied.reason)


paying = Agent("paying", [pay, refuse])


@achieves_goal("Told")
@action
def tell(decision: Decision) -> Letter:
    return Letter(text=f"{decision.approved} {decision.note}")


asking = Agent("asking", [human(Decision, prompt="Is it in order?"), tell], types=[Expense])


def test_a_person_is_asked_and_the_run_goes_on_with_the_answer(address):
    async def act(scene: Scene) -> Letter:
        run_id = await scene.runs.submit(asking, Expense(amount=9))
        request = await scene.asked(run_id)
        assert request.prompt == "Is it in order?"
        assert request.schema["required"] == ["approved"]
        assert (await scene.runs.show(run_id)).status is ProcessStatus.WAITING

        assert await scene.runs.respond(request.id, Decision(approved=False, note="no"))

        return await scene.runs.result(run_id, Letter)

    assert on(address, asking)(act) == Letter(text="False no")


def test_plain_data_is_an_answer_for_those_who_do_not_know_the_agent(address):
    async def act(scene: Scene) -> Letter:
        run_id = await scene.runs.submit(asking, Expense(amount=9))
        stranger = type(scene.runs)(scene.runs.client)

        await stranger.respond((await scene.asked(run_id)).id, {"approved": True})

        return await scene.runs.result(run_id, Letter)

    assert on(address, asking)(act) == Letter(text="True ")


def test_an_answer_that_does_not_fit_is_refused_and_the_request_waits_on(address):
    async def act(scene: Scene) -> None:
        request = await scene.asked(await scene.runs.submit(asking, Expense(amount=9)))

        with pytest.raises(InvalidAnswerError, match="approved"):
            await scene.runs.respond(request.id, {"approvd": True})

        assert await scene.asked(request.process_id) == request

    on(address, asking)(act)


def test_a_second_answer_is_refused(address):
    async def act(scene: Scene) -> None:
        run_id = await scene.runs.submit(paying, Expense(amount=9), options=ProcessOptions())
        request = await scene.asked(run_id)

        said = await asyncio.gather(*(scene.runs.respond(request.id, True) for _ in range(3)), return_exceptions=True)

        assert said.count(True) == 1
        assert all(isinstance(one, AlreadyAnsweredError | UnknownRequestError) for one in said if one is not True)
        await scene.runs.wait(run_id)

    on(address, paying)(act)

    assert paid == [9]


def test_a_request_that_nobody_has_made_is_not_known(address):
    async def act(scene: Scene) -> None:
        run_id = await scene.runs.submit(asking, Expense(amount=9))
        await scene.asked(run_id)
        for wrong in (f"{run_id}:7", "nobody:1"):
            with pytest.raises(UnknownRequestError):
                await scene.runs.respond(wrong, True)

    on(address, asking)(act)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (True, Payment(amount=9)),
        (Edit(expense=Expense(amount=5)), Payment(amount=5)),
        ({"decision": "edit", "arguments": {"expense": {"amount": 4}}}, Payment(amount=4)),
        (Deny("too much"), Letter(text="too much")),
    ],
)
def test_consent_is_given_changed_and_refused(address, answer, outcome):
    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(paying, Expense(amount=9))
        await scene.runs.respond((await scene.asked(run_id, "approval")).id, answer)
        return await scene.runs.wait(run_id)

    process = on(address, paying)(act)

    assert process.result(type(outcome)) == outcome
    assert paid == ([outcome.amount] if isinstance(outcome, Payment) else [])


def test_policies_travel_with_the_run(address):
    agent = Agent("told", [human(Decision, prompt="?"), tell])

    async def act(scene: Scene) -> str:
        options = ProcessOptions(approvals=[Approval("tell", prompt="May it be told?")])
        run_id = await scene.runs.submit(agent, Decision(approved=True), options=options)
        return (await scene.asked(run_id)).prompt

    assert on(address, agent)(act) == "May it be told?"


def test_a_policy_that_is_a_function_cannot_be_sent(address):
    async def act(scene: Scene) -> None:
        options = ProcessOptions(approvals=[lambda name, arguments: True])
        with pytest.raises(DefinitionError, match="cannot be sent"):
            await scene.runs.submit(asking, Expense(amount=9), options=options)

    on(address, asking, worker=False)(act)


def test_an_answer_that_is_given_while_no_worker_is_there_is_not_lost(address):
    async def act(scene: Scene) -> Letter:
        run_id = await scene.runs.submit(asking, Expense(amount=9))
        async with scene.worker():
            request = await scene.asked(run_id)
        assert (await scene.runs.pending(run_id)) == (request,)

        taken = await scene.runs.respond(request.id, Decision(approved=True), patience=timedelta(milliseconds=200))

        assert not taken
        async with scene.worker():
            return await scene.runs.result(run_id, Letter)

    assert on(address, asking, worker=False)(act) == Letter(text="True ")


def test_a_wrong_answer_that_was_left_is_dropped(address):
    async def act(scene: Scene) -> Letter:
        run_id = await scene.runs.submit(asking, Expense(amount=9))
        async with scene.worker():
            request = await scene.asked(run_id)
        for answer in ({"wrong": 1}, {"approved": True}, {"approved": False}):
            await scene.runs.respond(request.id, answer, patience=timedelta(milliseconds=100))
        async with scene.worker():
            return await scene.runs.result(run_id, Letter)

    assert on(address, asking, worker=False)(act) == Letter(text="True ")


@achieves_goal("Rested")
@action
def rest(slept: Slept) -> Letter:
    return Letter(text=slept.step)


def test_a_sleep_is_a_timer_of_temporal(address):
    agent = Agent("resting", [sleep(timedelta(seconds=0.3), name="nap"), rest], types=[Expense])

    async def act(scene: Scene) -> tuple[Letter, list]:
        run_id = await scene.runs.submit(agent, Expense(amount=1))
        return await scene.runs.result(run_id, Letter), await scene.history(run_id)

    letter, events = on(address, agent)(act)

    assert letter == Letter(text="nap")
    assert sum(event.HasField("timer_fired_event_attributes") for event in events) == 1


def test_a_sleep_ends_though_its_worker_is_gone(address):
    agent = Agent("resting", [sleep(timedelta(seconds=0.5), name="nap"), rest], types=[Expense])

    async def act(scene: Scene) -> Letter:
        run_id = await scene.runs.submit(agent, Expense(amount=1))

        async def is_asleep() -> bool:
            return (await scene.runs.show(run_id)).wakes_at is not None

        async with scene.worker():
            await until(is_asleep)
        async with scene.worker():
            return await scene.runs.result(run_id, Letter)

    assert on(address, agent, worker=False)(act) == Letter(text="nap")


def test_a_request_expires(address):
    @achieves_goal("Nobody came", value=0.1)
    @action
    def give_up(expired: Expired) -> Letter:
        return Letter(text="nobody came")

    agent = Agent(
        "expiring", [human(Decision, prompt="?", expires=timedelta(seconds=0.3)), tell, give_up], types=[Expense]
    )

    async def act(scene: Scene) -> Letter:
        return await scene.runs.result(await scene.runs.submit(agent, Expense(amount=1)), Letter)

    assert on(address, agent)(act) == Letter(text="nobody came")


def test_a_run_that_waits_can_be_cancelled(address):
    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(asking, Expense(amount=9))
        await scene.asked(run_id)
        await scene.runs.cancel(run_id)
        process = await scene.runs.wait(run_id)
        assert (await scene.runs.show(run_id)).status is ProcessStatus.CANCELLED
        assert await scene.runs.pending(run_id) == ()
        return process

    process = on(address, asking)(act)

    assert process.board.last(Expense) == Expense(amount=9)
    with pytest.raises(ProcessCancelledError):
        process.result(Letter)


def test_an_action_that_runs_is_stopped_when_its_run_is_cancelled(address):
    began, stopped = asyncio.Event(), asyncio.Event()

    @achieves_goal("never")
    @action
    async def long(expense: Expense) -> Letter:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.set()
            raise
        return Letter(text="")

    agent = Agent("long", [long])

    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(agent, Expense(amount=9))
        await began.wait()
        await scene.runs.cancel(run_id)
        process = await scene.runs.wait(run_id)
        await asyncio.wait_for(stopped.wait(), 20)
        return process

    assert on(address, agent)(act).status is ProcessStatus.CANCELLED


def test_a_run_as_it_stands_can_be_looked_at(address):
    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(asking, Expense(amount=9))
        await scene.asked(run_id)
        return await scene.runs.process(run_id)

    process = on(address, asking)(act)

    assert process.status is ProcessStatus.WAITING
    assert [request.action for request in process.pending] == ["ask_decision"]
