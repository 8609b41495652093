"""Promises about how often an action runs, and about what it consumes, clears and waits for.

- `never` is once, `new_inputs` once for each distinct set of entries, `always` whenever a plan needs it.
- Consumed inputs and a cleared board are hidden, not forgotten; protected entries stay.
- A triggered action runs when the newest entry is of its type.
"""

from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import Agent, ProcessStatus, achieves_goal, action, run


class Order(BaseModel):
    n: int = 0


class Context(BaseModel):
    text: str = "c"


class Bill(BaseModel):
    n: int = 0


class Report(BaseModel):
    text: str = ""


@pytest.mark.parametrize(
    ("rerun", "expected"), [("never", [1]), ("new_inputs", [1, 2, 2]), ("always", [1, 2, 2]), (False, [1]), (True, [1, 2, 2])]
)  # fmt: skip
def test_how_often_an_action_runs(rerun, expected):
    """Case 014: an equal but new order is a new input."""
    seen = []

    @action(rerun=rerun)
    def bill(order: Order) -> Bill:
        seen.append(order.n)
        return Bill(n=order.n)

    @action(pre=["never"])
    def end(order: Order) -> Report: ...

    process = Agent("it", [bill, end]).process(Order(n=1), returning=Report, planner="utility")
    for new in (None, None, Order(n=2), Order(n=2)):
        if new is not None:
            process.board.add(new)
        assert wait(process.run()) is ProcessStatus.STUCK

    assert seen == expected


def test_new_inputs_that_were_seen_before_are_not_new():
    seen = []

    @action(rerun="new_inputs")
    def bill(order: Order) -> Bill:
        seen.append(order.n)
        return Bill(n=order.n)

    @action(pre=["never"])
    def end(order: Order) -> Report: ...

    process = Agent("it", [bill, end]).process(Order(n=1), returning=Report, planner="utility")
    wait(process.run())
    second = process.board.add(Order(n=2))
    wait(process.run())
    process.board.hide(second)
    wait(process.run())

    assert seen == [1, 2]


def test_a_failed_action_is_tried_again_with_other_inputs_if_it_reruns():
    @action(rerun="new_inputs")
    def bill(order: Order) -> Bill:
        if order.n == 0:
            raise ValueError
        return Bill(n=order.n)

    @action(cost=0.5)
    def reorder(context: Context) -> Order:
        return Order(n=3)

    process = run(Agent("it", [bill, reorder]), Order(n=0), Context(), planner="utility")

    assert [step.action for step in process.history] == ["reorder", "bill"]
    assert process.board.last(Bill) == Bill(n=3)


def test_what_is_consumed_is_hidden_and_kept_in_history():
    """Case 009: it consumes an order and returns a new one, which a later action takes."""

    @action(consumes="order")
    def amend(order: Order) -> tuple[Order, Bill]:
        return Order(n=order.n + 1), Bill()

    @action
    def report(order: Order, bill: Bill) -> Report:
        return Report(text=str(order.n))

    process = Agent("it", [amend, report]).process(Order(n=1), returning=Report)
    wait(process.run())

    assert process.result(Report) == Report(text="2")
    assert process.board.all(Order) == [Order(n=2)]
    assert [e.value for e in process.board.entries if isinstance(e.value, Order)] == [Order(n=1), Order(n=2)]


def test_clearing_hides_all_but_the_output_and_what_is_protected():
    """Peer cases clear/*."""

    @action
    def one(order: Order) -> Bill:
        return Bill()

    @achieves_goal("done")
    @action(clear_board=True)
    def two(bill: Bill) -> Report:
        return Report()

    process = Agent("it", [one, two]).process(Order())
    process.board.add(Context(), protected=True)
    wait(process.run())

    assert process.status is ProcessStatus.COMPLETED
    assert [entry.type_name for entry in process.board.visible] == ["Context", "Report"]
    assert len(process.board.entries) == 4


def test_clearing_forgets_what_has_run():
    seen = []

    @action
    def count(order: Order) -> Bill:
        seen.append(order.n)
        return Bill(n=order.n)

    @action(clear_board=True, rerun="always", pre=["bill.n < 2"])
    def advance(bill: Bill) -> Order:
        return Order(n=bill.n + 1)

    @action(pre=["bill.n == 2"])
    def report(bill: Bill) -> Report:
        return Report()

    assert run(Agent("it", [count, advance, report]), Order(), returning=Report) == Report()
    assert seen == [0, 1, 2]


def test_a_plan_relies_on_what_is_protected_only_while_it_is_visible():
    @action(clear_board=True)
    def wipe(order: Order) -> Bill:
        return Bill()

    @action
    def report(bill: Bill, context: Context) -> Report: ...

    process = Agent("it", [wipe, report]).process(Order(), returning=Report)
    kept = process.board.add(Context(), protected=True)
    process.board.hide(kept)
    process.board.add(Context())
    wait(process.run())

    assert (process.status, process.history) == (ProcessStatus.STUCK, ())


def test_a_triggered_action_waits_until_its_type_is_the_newest():
    """Peer cases trigger/*."""

    @achieves_goal("answered")
    @action(trigger=Order)
    def answer(order: Order, context: Context) -> Report:
        return Report(text=f"{order.n}{context.text}")

    agent = Agent("it", [answer])

    assert run(agent, Context(), Order(n=7), returning=Report) == Report(text="7c")
    process = agent.process(Order(), Context())
    assert wait(process.run()) is ProcessStatus.STUCK
    process.board.add(Order(n=8))
    assert wait(process.run()) is ProcessStatus.COMPLETED


def test_a_triggered_action_that_returns_nothing_runs_once():
    """Peer case trigger/null-return-runs-once."""
    calls = []

    @action(trigger=Order, rerun="always")
    def note(order: Order) -> None:
        calls.append(1)

    process = run(Agent("it", [note]), Context(), Order(), planner="utility")

    assert (process.status, len(calls)) == (ProcessStatus.COMPLETED, 1)
