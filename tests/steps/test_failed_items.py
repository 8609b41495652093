"""Promises about items that fail: the step fails, or tells of each in its place."""

import asyncio

import pytest
from orders import (
    Order,
    Parcel,
    Price,
    done,
    effects,
    orders,
    run_step,
    values,
)

from planboard import Agent, ProcessStatus, Retry, action
from planboard.steps import StepFailed, for_each, map_each

EACH = pytest.mark.parametrize("each", [map_each, for_each], ids=["map_each", "for_each"])


def test_a_failed_item_fails_the_step_and_names_item_and_cause():
    @action
    def pick(order: Order) -> Parcel:
        message = f"no {order.id}"
        raise LookupError(message)

    process = done(Agent("a", [map_each(orders(4), pick)]), returning=list[Parcel])

    assert process.status is ProcessStatus.FAILED
    assert "Action 'pick' failed: LookupError: no 4" in str(process.failure)


@action
def odd_only(order: Order) -> Price:
    """Price odd orders only."""
    effects["odd_only"] += 1
    if order.id % 2 == 0:
        message = f"{order.id} is even"
        raise ValueError(message)
    return Price(id=order.id, euros=1)


@EACH
def test_failures_stand_in_their_places_when_they_are_collected(each):
    (found,) = values(run_step(each(orders(1, 2, 3), odd_only, on_error="collect")))

    assert [type(one) for one in found] == [Price, StepFailed, Price]
    assert (found[1].step, found[1].index) == ("odd_only", 1)
    assert "ValueError: 2 is even" in found[1].error


def test_after_a_failure_no_other_item_begins():
    done(Agent("a", [for_each(orders(1, 2, 3), odd_only)]), returning=list[Price])

    assert effects["odd_only"] == 2


def test_a_step_whose_workers_yield_nothing_tells_of_failures_too():
    @action
    def note(order: Order) -> None:
        if order.id == 2:
            raise ValueError

    (found,) = values(run_step(map_each(orders(1, 2), note, on_error="collect")))

    assert found[0] is None
    assert isinstance(found[1], StepFailed)


def test_a_worker_is_tried_again_as_it_says_and_nothing_else_is():
    @action(retry=Retry(attempts=3, on=ConnectionError))
    def flaky(order: Order) -> Price:
        effects["flaky", order.id] += 1
        if order.id == 2 and effects["flaky", 2] < 3:
            raise ConnectionError
        return Price(id=order.id, euros=1)

    (found,) = values(run_step(map_each(orders(1, 2, 3), flaky)))

    assert len(found) == 3
    assert [effects["flaky", number] for number in (1, 2, 3)] == [1, 3, 1]


def test_a_worker_that_takes_too_long_is_a_failure_of_its_item():
    @action(timeout=0.01)
    async def hang(order: Order) -> Price:
        if order.id == 2:
            await asyncio.Event().wait()
        return Price(id=order.id, euros=1)

    (found,) = values(run_step(map_each(orders(1, 2), hang, on_error="collect")))

    assert "timeout" in found[1].error


def test_a_worker_that_returns_something_else_is_a_failure_of_its_item():
    """Case 042."""

    @action
    def wrong(order: Order) -> Price:
        return Price.model_construct(id=order.id, euros="many") if order.id == 2 else Price(id=1, euros=1)

    (found,) = values(run_step(map_each(orders(1, 2), wrong, on_error="collect")))

    assert found[0] == Price(id=1, euros=1)
    assert "'wrong' returned a Price that violates its own model" in found[1].error
