"""Steps met with what nobody planned for: thousands of items, wrong types, misspelt options, odd answers."""

from asyncio import run as wait
from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from planboard import (
    Agent,
    Budget,
    DefinitionError,
    MemoryJournal,
    ProcessFailedError,
    ProcessOptions,
    UnknownRunError,
    action,
    branch,
    human,
    map_each,
    parallel,
    run,
    sequence,
    subagent,
)
from planboard.runtime.process import Process


class Order(BaseModel):
    id: int


class Price(BaseModel):
    euros: int


class Agreed(BaseModel):
    yes: bool


class Kind(Enum):
    NEW = "new"
    OLD = "old"


@action
def price(order: Order) -> Price:
    return Price(euros=order.id * 10)


def orders(count: int) -> list[Order]:
    return [Order(id=number) for number in range(count)]


def kind(order: Order) -> Literal["new", "old"]:
    return "new"


def enum_kind(order: Order) -> Kind:
    return Kind.NEW


def asking(count: int) -> Process:
    ask = sequence(price, human(Agreed, prompt="Good?", needs=[Price]), name="ask")
    process = Agent("a", [map_each(orders(count), ask)]).process(returning=list[tuple[Price, Agreed]], id="r")
    wait(process.run())
    return process


class Journal(MemoryJournal):
    """Counts how often it is asked about a run that it does not know."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def info(self, run_id: str) -> Any:
        try:
            return super().info(run_id)
        except UnknownRunError:
            self.asked += 1
            raise


# Many items


def test_a_journal_is_not_asked_for_children_that_nobody_can_have_begun():
    """It would look for runs with similar names each time, among all that it has."""
    journal = Journal()

    run(Agent("a", [map_each(orders(20), price)]), returning=list[Price], options=ProcessOptions(journal=journal))

    assert journal.asked == 0


def test_an_answer_to_one_of_many_items_looks_at_each_of_the_others_a_few_times(monkeypatch):
    """If each item that waits looked at all others, a hundred answers would take a million looks."""
    process = asking(40)
    looks = []
    can_go_on = Process._can_go_on
    monkeypatch.setattr(Process, "_can_go_on", lambda self: looks.append(self.id) or can_go_on(self))

    process.respond(process.pending[7].id, Agreed(yes=True))
    wait(process.run())

    assert len(process.pending) == 39
    assert len(looks) <= 10 * 40


def test_items_that_wait_are_not_looked_at_by_each_other_when_they_begin(monkeypatch):
    looks = []
    can_go_on = Process._can_go_on
    monkeypatch.setattr(Process, "_can_go_on", lambda self: looks.append(self.id) or can_go_on(self))

    asking(40)

    assert len(looks) <= 5 * 40


# Failures


def test_a_failure_says_which_item_it_was():
    def check(order: Order) -> Price:
        if order.id == 2:
            raise ValueError("no such order")
        return Price(euros=1)

    with pytest.raises(ProcessFailedError, match=r"map_check\[2\]: Action 'check' failed: ValueError: no such order"):
        run(Agent("a", [map_each(orders(4), check)]), returning=list[Price])


def test_a_failure_of_an_agent_says_which_item_it_was():
    def check(order: Order) -> Price:
        raise ValueError("no such order")

    checker = Agent("checker", [action(check)], goals=[])
    worker = subagent(checker, returning=Price)

    with pytest.raises(ProcessFailedError, match=r"map_checker\[0\]: .*no such order"):
        run(Agent("a", [map_each(orders(1), worker)]), returning=list[Price])


# What cannot work is said at once


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sequence(price, cots=0.2), "no option 'cots' of sequence 'price'. Did you mean 'cost'"),
        (lambda: map_each(list[Order], price, on_failure="collect"), "no option 'on_failure' of map_each 'map_price'"),
        (lambda: human(Agreed, promt="?"), "no option 'promt' of human step 'ask_agreed'"),
        (lambda: sequence(price, kind="x"), "no option 'kind'"),
        (lambda: sequence(), "'sequence' is made of nothing"),
        (lambda: parallel(), "'parallel' is made of nothing"),
        (lambda: branch(kind, {}), "'branch' is made of nothing"),
        (lambda: branch(kind, {"nwe": price}), "a way for 'nwe', which its function never returns. Did you mean 'new'"),
        (lambda: branch(enum_kind, {"new": price}), "a way for 'new', which its function never returns"),
        (lambda: subagent(Agent("b", [price]), returning=Agreed), "No action of agent 'b' yields Agreed"),
        (lambda: subagent(Agent("b", [price]), returning=Price, run=Budget(actions=1)), "it takes ProcessOptions"),
    ],
    ids=[
        "option", "option of another", "option of human", "word of ours", "empty sequence", "empty parallel",
        "empty branch", "misspelt way", "value for member", "returning", "run",
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_when_it_is_made(make, said):
    with pytest.raises(DefinitionError) as caught:
        make()

    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("decide", "ways"),
    [(kind, {"new": price}), (enum_kind, {Kind.NEW: price, Kind.OLD: price}), (lambda order: "x", {"x": price})],
    ids=["literal", "enum", "unknown"],
)
def test_ways_that_may_be_taken_are_fine(decide, ways):
    assert run(Agent("a", [branch(decide, ways)]), Order(id=1), returning=Price) == Price(euros=10)


def test_a_function_of_items_that_returns_one_object_is_refused():
    """A model can be gone over, field by field, which nobody means."""

    def newest(price: Price) -> Order:
        return Order(id=price.euros)

    with pytest.raises(DefinitionError, match="returns Order, which is no collection"):
        map_each(newest, price)


def test_an_object_in_the_place_of_items_is_refused_when_they_are_needed():
    worker = map_each(lambda price: Order(id=price.euros), price)

    with pytest.raises(ProcessFailedError, match="was given Order"):
        run(Agent("a", [worker]), Price(euros=1), returning=list[Price])


@pytest.mark.parametrize("journal", [None, MemoryJournal()], ids=["no journal", "journal"])
def test_what_may_hold_failures_and_holds_none_is_handed_on_to_who_takes_none(journal):
    def renumber(order: Order) -> Order:
        return Order(id=order.id + 1)

    def total(orders: list[Order]) -> int:
        return sum(one.id for one in orders)

    step = sequence(map_each(list[Order], renumber, name="anew", on_error="collect"), total, name="all")

    assert run(Agent("shop", [step]), orders(3), returning=int, options=ProcessOptions(journal=journal)) == 6


@pytest.mark.parametrize("journal", [None, MemoryJournal()], ids=["no journal", "journal"])
def test_what_a_step_puts_on_the_board_beside_what_it_promises_can_be_kept(journal):
    def split(order: Order) -> list[Price] | Agreed:
        return [Price(euros=order.id)]

    def agree(order: Order) -> tuple[Agreed, Price] | Agreed:
        return Agreed(yes=True)

    def tell(order: Order, agreed: Agreed) -> str:
        return "yes" if agreed.yes else "no"

    both = parallel(split, agree, name="both", on_error="collect")

    assert (
        run(Agent("shop", [both, action(tell)]), Order(id=1), returning=str, options=ProcessOptions(journal=journal))
        == "yes"
    )
