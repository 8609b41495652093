"""Promises about what is over all items: budgets, cancellation, listeners and identities, and the order of events."""

import asyncio
import json

import pytest
from orders import (
    Order,
    Price,
    Total,
    add_up,
    done,
    effects,
    go,
    orders,
    price,
    run_step,
    values,
)

from planboard import (
    ActionContext,
    Agent,
    Budget,
    ProcessOptions,
    ProcessStatus,
    action,
    subagent,
)
from planboard.steps import for_each, map_each, sequence


@pytest.mark.parametrize("each", [map_each, for_each])
@pytest.mark.parametrize("on_error", ["fail", "collect"])
def test_a_budget_stops_a_map_and_a_larger_one_continues_it(each, on_error):
    """Case 158: no item is run twice."""
    process = done(
        Agent("a", [each(orders(*range(10)), price, on_error=on_error)]),
        planner="utility", options=ProcessOptions(budget=Budget(actions=5)),
    )  # fmt: skip
    assert process.status is ProcessStatus.TERMINATED
    assert effects["price"] == 4

    assert go(process, budget=Budget(actions=11)) is ProcessStatus.COMPLETED
    assert [effects["price", number] for number in range(10)] == [1] * 10
    assert process.usage.actions == 11


def test_what_items_spend_counts_for_all(kept, elsewhere):
    """Case 155: 80 of 100 are spent by workers, and the next one is not begun; so it is in another program."""

    @action
    async def spend(order: Order, context: ActionContext) -> Price:
        effects["spend"] += 1
        context.record_usage(tokens=40)
        return Price(id=1, euros=1)

    agent = Agent("a", [for_each(orders(1, 2, 3), spend)])
    process = done(agent, planner="utility", options=kept(budget=Budget(tokens=80)))

    assert process.status is ProcessStatus.TERMINATED
    assert process.usage.tokens == 80
    process = elsewhere(agent, process)
    assert process.usage.tokens == 80
    assert go(process, budget=Budget(tokens=200)) is ProcessStatus.COMPLETED
    assert effects["spend"] == 3


def test_a_worker_that_exceeds_a_limit_of_its_own_is_a_failure_of_its_item():
    """Case 157."""
    writer = Agent("writer", [price, add_one], goals=[Total])
    worker = subagent(writer, run=ProcessOptions(budget=Budget(actions=1)))

    (found,) = values(run_step(map_each(orders(1, 2), worker, on_error="collect")))

    assert [one.status for one in found] == ["terminated", "terminated"]
    assert "actions: 1 of 1" in found[0].error


@action
def add_one(price: Price) -> Total:
    """Add one price up."""
    return Total(euros=price.euros)


def test_cancelling_in_the_middle_begins_no_later_item():
    """Cases 113, 118 and 172."""

    @action
    async def work(order: Order) -> Price:
        effects["work"] += 1
        if order.id == 2:
            process.cancel("enough")
            await asyncio.sleep(0)
        return Price(id=order.id, euros=1)

    process = Agent("a", [for_each(orders(1, 2, 3), work), add_up]).process(returning=Total)

    assert go(process) is ProcessStatus.CANCELLED
    assert effects["work"] == 2
    assert effects["add_up"] == 0


def test_listeners_and_identities_are_those_of_the_process_at_every_depth():
    """Case 153."""
    seen: list[str] = []
    who: list[object] = []

    @action
    def work(order: Order, context: ActionContext) -> Price:
        who.append(dict(context.identities))
        return Price(id=order.id, euros=1)

    options = ProcessOptions(listeners=[lambda event: seen.append(event.process_id)], identities={"user": "ada"})
    step = map_each(orders(1, 2), sequence(work, name="inner"), name="outer")
    process = run_step(step, options=options)

    assert who == [{"user": "ada"}] * 2
    assert {name.removeprefix(process.id) for name in seen} == {"", ".1", ".1.1", ".1-2", ".1-2.1"}


def test_the_journal_is_the_same_whatever_takes_how_long():
    """Case 118: what is told, in which order, does not depend on delays; only its interleaving may."""

    def run_with(delays: dict[int, int]) -> object:
        @action
        async def work(order: Order) -> Price:
            for _ in range(delays[order.id]):
                await asyncio.sleep(0)
            return Price(id=order.id, euros=1)

        process = Agent("a", [map_each(orders(1, 2, 3), work), add_up]).process(returning=Total, id="p")
        go(process)
        return [json.dumps([event.kind, event.seq]) for event in process.events], process.board.to_json()

    assert run_with({1: 0, 2: 5, 3: 9}) == run_with({1: 9, 2: 0, 3: 3})
