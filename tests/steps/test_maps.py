"""Promises about `map_each` and `for_each`: one result for each item, in the order of the items."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from orders import (
    Order,
    Parcel,
    Price,
    Tax,
    Total,
    add_up,
    done,
    effects,
    orders,
    price,
    priced,
    run_step,
    tax,
    values,
)
from pydantic import BaseModel

from planboard import Agent, All, DefinitionError, Named, ProcessStatus, action, human
from planboard.steps import Done, for_each, map_each, parallel, sequence

EACH = pytest.mark.parametrize("each", [map_each, for_each], ids=["map_each", "for_each"])


class Basket(BaseModel):
    orders: list[Order]


@EACH
def test_results_are_in_the_order_of_the_items(each):
    process = run_step(each(orders(3, 1, 2), price))

    assert values(process) == [[Price(id=number, euros=number * 10) for number in (3, 1, 2)]]


@EACH
def test_items_that_are_equal_are_items_of_their_own(each):
    assert values(run_step(each(orders(1, 1, 1), price))) == [[Price(id=1, euros=10)] * 3]
    assert effects["price"] == 3


def test_items_stand_on_the_board():
    @action
    def fetch() -> list[Order]:
        return orders(1, 2)

    agent = Agent("a", [fetch, map_each(list[Order], price), add_up])

    assert done(agent, returning=Total).result(Total) == Total(euros=30)


def test_items_come_of_a_function():
    def in_basket(basket: Basket) -> list[Order]:
        return basket.orders

    assert values(run_step(map_each(in_basket, price), Basket(orders=orders(2)))) == [[Price(id=2, euros=20)]]


def test_a_function_may_be_a_generator_or_return_a_tuple_or_a_view():
    def generated(basket: Basket) -> Iterator[Order]:
        yield from basket.orders

    def packed(basket: Basket) -> tuple[Order, ...]:
        return tuple(basket.orders)

    def viewed(basket: Basket) -> list[Order]:
        return {order.id: order for order in basket.orders}.values()  # type: ignore[return-value]

    for given in (generated, packed, viewed):
        assert values(run_step(map_each(given, price), Basket(orders=orders(2)))) == [[Price(id=2, euros=20)]]


def test_items_may_be_fetched():
    async def fetch(basket: Basket) -> list[Order]:
        effects["fetch"] += 1
        return basket.orders

    process = run_step(map_each(fetch, price), Basket(orders=orders(2)))

    assert values(process) == [[Price(id=2, euros=20)]]
    assert effects["fetch"] == 1


def test_items_have_a_name_or_are_all_of_a_type():
    class Cart(BaseModel):
        text: str

    named = Agent("a", [map_each(Annotated[list[Order], Named("todo")], price, name="priced")])
    (made,) = named.actions.values()
    assert str(made) == "priced(todo: list[Order]) -> list[Price]"

    process = run_step(map_each(Annotated[list[Order], All], price), *orders(1, 2))
    assert values(process) == [[Price(id=1, euros=10), Price(id=2, euros=20)]]


@EACH
@pytest.mark.parametrize("items", [[], (), iter(()), "none_of"], ids=["list", "tuple", "iterator", "function"])
def test_no_items_no_results_and_what_follows_is_run(each, items):
    """Case 105."""

    def none_of(basket: Basket) -> list[Order]:
        return []

    given = none_of if items == "none_of" else items
    agent = Agent("a", [each(given, price), add_up])

    assert done(agent, Basket(orders=[]), returning=Total).result(Total) == Total(euros=0)
    assert effects["price"] == 0


@EACH
def test_none_is_no_collection(each):
    """Case 105: refused with a message that says what to do."""

    def forgets(basket: Basket) -> list[Order]:
        return None  # type: ignore[return-value]

    with pytest.raises(DefinitionError, match="has no items: None"):
        each(None, price)
    process = done(Agent("a", [each(forgets, price)]), Basket(orders=[]), returning=list[Price])

    assert process.status is ProcessStatus.FAILED
    assert "was given None. It takes a list; one that is empty, if there are none" in str(process.failure)


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ("abc", "has no items"),
        ({"a": 1}, "has no items"),
        ({1, 2}, "has no items"),
        (5, "has no items"),
        (list, "say what is in it"),
        (set[Order], "a set has no order"),
        (dict[str, Order], "say what is in it"),
        (Order, "say what is in it"),
        (list[Tax], "One of its inputs must be an item"),
        ([1, 2], "One of its inputs must be an item"),
    ],
    ids=["text", "mapping", "set", "number", "bare list", "set of", "dict of", "a model", "other items", "numbers"],
)
def test_what_has_no_items_for_the_worker_is_refused(items, says):
    with pytest.raises(DefinitionError, match=says):
        map_each(items, price)


def test_a_set_that_a_function_returns_is_refused():
    """Its order would differ from run to run."""

    def some(basket: Basket) -> list[Order]:
        return frozenset()  # type: ignore[return-value]

    process = done(Agent("a", [map_each(some, price)]), Basket(orders=[]), returning=list[Price])

    assert "goes over items in their order" in str(process.failure)


def test_two_hundred_items():
    process = done(priced(range(200)), returning=Total)

    assert process.result(Total) == Total(euros=199_000)
    assert process.usage.actions == 202


def test_items_run_at_once_or_one_after_another():
    class Watch:
        running = most = 0

    async def work(order: Order) -> Price:
        Watch.running += 1
        Watch.most = max(Watch.most, Watch.running)
        for _ in range(5):
            await asyncio.sleep(0)
        Watch.running -= 1
        return Price(id=order.id, euros=1)

    found = []
    for step in (map_each(orders(*range(8)), work), map_each(orders(*range(8)), work, concurrency=3)):
        Watch.most = 0
        run_step(step)
        found.append(Watch.most)
    Watch.most = 0
    run_step(for_each(orders(*range(8)), work))

    assert [*found, Watch.most] == [8, 3, 1]


def test_the_other_inputs_of_a_worker_come_from_the_board():
    @action
    def with_tax(order: Order, tax: Tax) -> Price:
        return Price(id=order.id, euros=tax.cents)

    step = map_each(orders(1, 2), with_tax)

    (made,) = Agent("a", [step]).actions.values()
    assert str(made) == "map_with_tax(Tax) -> list[Price]"
    assert values(run_step(step, Tax(cents=4))) == [[Price(id=1, euros=4), Price(id=2, euros=4)]]


def test_an_item_on_the_board_is_not_taken_for_the_one_that_is_handed():
    assert values(run_step(map_each(orders(1, 2), price), Order(id=99))) == [
        [Price(id=1, euros=10), Price(id=2, euros=20)]
    ]


def test_items_of_several_kinds():
    def describe(thing: Order | Tax) -> Parcel:
        return Parcel(text=type(thing).__name__)

    process = run_step(map_each((Order(id=1), Tax(cents=2)), describe))

    assert values(process) == [[Parcel(text="Order"), Parcel(text="Tax")]]


def test_items_may_be_lists():
    def count(some: list[Order]) -> Total:
        return Total(euros=len(some))

    assert values(run_step(map_each([orders(1), orders(1, 2)], count))) == [[Total(euros=1), Total(euros=2)]]


def test_workers_that_yield_several_things_or_one_of_several_or_perhaps_nothing():
    def both(order: Order) -> tuple[Price, Tax]:
        return Price(id=order.id, euros=1), Tax(cents=2)

    def either(order: Order) -> Price | Tax:
        return Price(id=1, euros=1) if order.id == 1 else Tax(cents=2)

    def perhaps(order: Order) -> Price | None:
        return Price(id=1, euros=1) if order.id == 1 else None

    items = orders(1, 2)
    assert values(run_step(map_each(items, both))) == [
        [(Price(id=1, euros=1), Tax(cents=2)), (Price(id=2, euros=1), Tax(cents=2))]
    ]
    assert values(run_step(map_each(items, either))) == [[Price(id=1, euros=1), Tax(cents=2)]]
    assert values(run_step(map_each(items, perhaps))) == [[Price(id=1, euros=1), None]]


def test_a_worker_that_yields_nothing_is_done_for_each():
    @action
    def note(order: Order) -> None:
        effects["note"] += 1

    assert values(run_step(map_each(orders(1, 2), note, name="notes"))) == [Done(step="notes")]
    assert effects["note"] == 2


def test_workers_are_agents_steps_functions_or_methods():
    class Shop:
        def price(self, order: Order) -> Price:
            return Price(id=order.id, euros=7)

    workers: list[Any] = [
        Agent("shop", [price], goals=[Price]),
        sequence(price, name="one_step"),
        Shop().price,
        price,
    ]

    for worker in workers:
        (found,) = values(run_step(map_each(orders(1), worker, name="each")))
        assert found[0].id == 1


def test_maps_in_maps_join_once_each_with_all_results():
    """Case 107."""

    @action
    def join(prices: list[Price]) -> Total:
        effects["join"] += 1
        return Total(euros=sum(one.euros for one in prices))

    @action
    def join_all(totals: list[Total]) -> Parcel:
        effects["join_all"] += 1
        return Parcel(text=str([one.euros for one in totals]))

    baskets = [Basket(orders=orders(1, 2, 3)), Basket(orders=orders(4, 5, 6))]

    def of_basket(basket: Basket) -> list[Order]:
        return basket.orders

    inner = sequence(map_each(of_basket, price, name="prices"), join, name="inner")

    @action
    def only_totals(pairs: list[tuple[list[Price], Total]]) -> list[Total]:
        return [total for _, total in pairs]

    process = run_step(sequence(map_each(baskets, inner, name="outer"), only_totals, join_all, name="all"))

    assert values(process)[-1] == Parcel(text="[60, 150]")
    assert (effects["join"], effects["join_all"], effects["price"]) == (2, 1, 6)


def test_a_join_over_two_starts_runs_once_after_both():
    """Case 108: and neither of the two is cancelled."""

    @action
    def join(price: Price, tax: Tax) -> Total:
        effects["join"] += 1
        return Total(euros=price.euros + tax.cents)

    process = run_step(sequence(parallel(price, tax, name="both"), join, name="all"), Order(id=1))

    assert values(process)[-1] == Total(euros=11)
    assert effects["join"] == 1


def test_people_are_asked_for_each_item():
    process = run_step(map_each(orders(1, 2), human(Price, "What is {order.id}?", needs=[Order])))

    assert [request.prompt for request in process.pending] == ["What is 1?", "What is 2?"]


def test_the_results_may_have_a_name():
    assert run_step(map_each(orders(1), price, output="prices")).board["prices"] == [Price(id=1, euros=10)]
