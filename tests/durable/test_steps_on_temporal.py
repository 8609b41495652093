"""Steps that are made of others run their parts as workflows of their own, several of them for one call."""

import asyncio

import pytest
from pydantic import BaseModel
from scenes import Scene, on, until

from planboard import Agent, Budget, Deny, Process, ProcessOptions, ProcessStatus, achieves_goal, action
from planboard.steps import StepFailed, for_each, map_each, parallel, sequence


class Order(BaseModel):
    id: int


class Price(BaseModel):
    id: int
    euros: int


class Tax(BaseModel):
    cents: int


class Bill(BaseModel):
    text: str


class Rates:
    """A service, which is never written down."""

    euros = 7


ORDERS = [Order(id=place) for place in (3, 1, 3)]


@action
async def price(order: Order) -> Price:
    """Say what an order costs."""
    return Price(id=order.id, euros=order.id * 10)


@action
async def tax(order: Order) -> Tax:
    """Say what the tax is."""
    return Tax(cents=order.id)


@action(approval="Sell {order.id}?")
async def sell(order: Order) -> Price:
    """Sell an order."""
    return Price(id=order.id, euros=order.id)


@achieves_goal("billed")
@action
def bill(prices: list[Price]) -> Bill:
    """Write the bill."""
    return Bill(text=" ".join(f"{one.id}:{one.euros}" for one in prices))


def test_the_parts_of_a_sequence_are_workflows_one_after_another(address):
    @action
    async def total(price: Price, tax: Tax) -> Bill:
        return Bill(text=f"{price.euros}.{tax.cents}")

    agent = Agent("in_turn", [sequence(price, tax, total, name="in_order")])

    async def act(scene: Scene) -> tuple[Process, list[str]]:
        run_id = await scene.runs.submit(agent, Order(id=2), returning=Bill)
        ended = await scene.runs.wait(run_id)
        children = [await scene.runs.show(f"{run_id}.1{suffix}") for suffix in ("", "-2", "-3")]
        return ended, [child.agent for child in children]

    ended, children = on(address, agent)(act)

    assert ended.result(Bill) == Bill(text="20.2")
    assert children == ["in_order.price", "in_order.tax", "in_order.total"]
    assert ended.usage.actions == 4


def test_the_parts_of_a_parallel_step_run_at_once_and_yield_in_their_order(address):
    """Cases 110, 111."""
    began: dict[str, asyncio.Event] = {}

    @action
    async def slow(order: Order) -> Price:
        began.setdefault("quick", asyncio.Event())
        await asyncio.wait_for(began["quick"].wait(), 20)
        return Price(id=order.id, euros=1)

    @action
    async def quick(order: Order) -> Tax:
        began.setdefault("quick", asyncio.Event()).set()
        return Tax(cents=2)

    agent = Agent("at_once", [parallel(slow, quick, name="both")])

    async def act(scene: Scene) -> Process:
        return await scene.runs.wait(await scene.runs.submit(agent, Order(id=2), returning=Tax))

    ended = on(address, agent)(act)

    (run,) = ended.history
    assert [entry.value for entry in run.outputs] == [Price(id=2, euros=1), Tax(cents=2)]


def test_each_item_waits_by_itself_and_equal_items_are_told_apart(address):
    """Cases 103, 104."""
    agent = Agent("sales", [map_each(ORDERS, sell), bill])

    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(agent)

        async def all_asked() -> list[str]:
            found = [request.id for request in await scene.runs.pending(run_id)]
            return found if len(found) == len(ORDERS) else []

        ids = sorted(await until(all_asked))
        assert ids == [f"{run_id}.1-2:1", f"{run_id}.1-3:1", f"{run_id}.1:1"]
        await scene.runs.respond(f"{run_id}.1-2:1", True)
        await scene.runs.wait(f"{run_id}.1-2")
        assert (await scene.runs.show(run_id)).status is ProcessStatus.WAITING
        for request in (f"{run_id}.1-3:1", f"{run_id}.1:1"):
            await scene.runs.respond(request, True)
        return await scene.runs.wait(run_id)

    assert on(address, agent)(act).result(Bill) == Bill(text="3:3 1:1 3:3")


def test_what_is_not_agreed_to_stands_as_a_failure_when_failures_are_collected(address):
    agent = Agent("collected", [map_each(ORDERS[:2], sell, on_error="collect")])

    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(agent, returning=list[Price | StepFailed])

        async def both() -> list[str]:
            found = [request.id for request in await scene.runs.pending(run_id)]
            return found if len(found) == 2 else []

        first, second = sorted(await until(both), key=len, reverse=True)
        await scene.runs.respond(first, Deny("too cheap"))
        await scene.runs.respond(second, True)
        return await scene.runs.wait(run_id)

    found = on(address, agent)(act).result(list[Price | StepFailed])

    assert found[0] == Price(id=3, euros=3)
    assert "too cheap" in found[1].error


def test_items_are_taken_one_after_another(address):
    agent = Agent("one_by_one", [for_each(ORDERS, sequence(price, name="inner")), bill])

    async def act(scene: Scene) -> Process:
        return await scene.runs.wait(await scene.runs.submit(agent))

    assert on(address, agent)(act).result(Bill) == Bill(text="3:30 1:10 3:30")


@pytest.mark.parametrize("on_error", ["fail", "collect"])
def test_a_budget_that_is_reached_in_an_item_stops_the_run(address, on_error):
    agent = Agent(f"thrifty_{on_error}", [for_each(ORDERS, price, on_error=on_error)], goals=[list])

    async def act(scene: Scene) -> Process:
        options = ProcessOptions(budget=Budget(actions=3))
        return await scene.runs.wait(await scene.runs.submit(agent, returning=None, options=options))

    ended = on(address, agent)(act)

    assert ended.status is ProcessStatus.TERMINATED
    assert ended.usage.actions == 3


def test_parts_have_the_services_of_the_agent(address):
    @action
    def rate(order: Order, rates: Rates) -> Price:
        return Price(id=order.id, euros=rates.euros)

    agent = Agent("served", [map_each(ORDERS, sequence(rate, name="inner"), name="rates"), bill], services=[Rates()])

    async def act(scene: Scene) -> Process:
        return await scene.runs.wait(await scene.runs.submit(agent))

    assert on(address, agent)(act).result(Bill) == Bill(text="3:7 1:7 3:7")
