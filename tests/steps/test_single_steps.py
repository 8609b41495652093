"""Promises about `approval` and `task`, about steps in front of planners, and about what never changes."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from orders import Order, Parcel, Price, Tax, Total, add_up, asked, done, go, orders, pack, price, run_step, tax, values
from pydantic import BaseModel

from planboard import (
    Agent,
    Consent,
    DefinitionError,
    Denied,
    Deny,
    Expired,
    ProcessOptions,
    ProcessStatus,
    Utility,
    achieves_goal,
    action,
)
from planboard.steps import Approved, approval, human, map_each, parallel, sequence, task
from planboard.testing import FakeClock


def test_an_approval_asks_its_question_and_shows_what_it_needs():
    process = run_step(approval("Ship order {order.id}?", needs=[Order]), Order(id=7))

    (request,) = process.pending
    assert (request.prompt, request.purpose) == ("Ship order 7?", "approval")
    assert request.arguments["order"]["id"] == 7


@pytest.mark.parametrize(("answer", "came"), [(True, Approved(step="approval")), (Deny("no"), None)], ids=["yes", "no"])
def test_what_comes_of_an_approval(answer, came):
    process = run_step(approval("Ship?"), Order(id=7))
    process.respond(asked(process)[0], answer)
    go(process)

    assert process.board.last(Approved) == came
    assert (process.board.last(Denied) is None) == (came is not None)


def test_an_approval_expires():
    clock = FakeClock()
    step = approval("Ship?", expires=timedelta(hours=1))
    process = run_step(step, Order(id=7), options=ProcessOptions(clock=clock))
    clock.advance(timedelta(hours=2))
    go(process)

    assert isinstance(process.board.last(Denied), Expired)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: approval(""), "give the question"),
        (lambda: approval(None), "give the question"),
        (lambda: approval("Ship?", needs=Order), "give a list of types"),
        (lambda: approval("Ship?", needs=["Order"]), "is no type"),
        (lambda: approval("Ship?", expires=0), "number of seconds above 0"),
        (lambda: task(3), "it is no function"),
        (lambda: task(Order), "it is no function"),
        (lambda: task(price, name="other"), "is an action already"),
    ],
    ids=["no words", "None", "one type", "a name", "no time", "a number", "a class", "an action"],
)
def test_what_cannot_work_is_refused_when_it_is_made(make, says):
    with pytest.raises(DefinitionError, match=says):
        make()


def test_the_question_of_an_action_may_expire():
    clock = FakeClock()

    @action(approval=Consent("Sell {order.id}?", timedelta(hours=1)))
    def sell(order: Order) -> Price:
        return Price(id=1, euros=1)

    process = run_step(sell, Order(id=5), options=ProcessOptions(clock=clock))
    assert process.pending[0].prompt == "Sell 5?"
    clock.advance(timedelta(hours=2))
    go(process)

    assert isinstance(process.board.last(Denied), Expired)


def test_a_task_leaves_its_function_as_it_is_and_may_be_made_twice():
    def weigh(order: Order) -> Tax:
        """Weigh an order."""
        return Tax(cents=order.id)

    agent = Agent("a", [task(weigh, name="once"), task(weigh, name="twice", cost=0.5)])

    assert weigh(Order(id=2)) == Tax(cents=2)
    assert [(each.name, each.cost, each.description) for each in agent.actions.values()] == [
        ("once", 0.0, "Weigh an order."), ("twice", 0.5, "Weigh an order."),
    ]  # fmt: skip


def test_an_action_is_a_task_already():
    assert task(price) is price


def test_an_object_that_can_be_called_is_a_task():
    class Scale:
        def __call__(self, order: Order) -> Tax:
            return Tax(cents=order.id)

    assert values(run_step(task(Scale(), name="scale"), Order(id=2))) == [Tax(cents=2)]


# In front of planners


@achieves_goal("packed")
@action
def hand_over(parcel: Parcel) -> Total:
    """Hand a parcel over."""
    return Total(euros=1)


SHOP = Agent("shop", [sequence(price, pack, cost=0.4), hand_over])


def test_the_plan_and_its_explanation_name_the_step():
    plan = SHOP.plan(Order(id=1))

    assert list(plan.steps) == ["price_then_pack", "hand_over"]
    assert "gives Parcel" in plan.explain()


def test_a_step_is_in_the_diagram_of_its_agent():
    assert '["price_then_pack"]' in SHOP.mermaid()


def test_what_only_parts_had_a_use_for_is_nothing_suspicious():
    assert SHOP.check() == []


def test_a_cheaper_way_than_a_step_is_taken():
    @action(cost=0.1)
    def pack_at_once(order: Order) -> Parcel:
        return Parcel(text="quick")

    agent = Agent("a", [sequence(price, pack, cost=0.4), pack_at_once])

    assert list(agent.plan(Order(id=1), returning=Parcel).steps) == ["pack_at_once"]


def test_utility_chooses_a_step_by_its_value():
    agent = Agent("a", [sequence(price, tax, value=0.2), parallel(tax, price, value=0.9)], planner=Utility())

    assert [run.action for run in done(agent, Order(id=1)).history] == ["tax_and_price", "price_then_tax"]


def test_a_step_waits_for_what_it_requires():
    step = sequence(price, pack, name="s")

    @step.when
    def is_real(order: Order) -> bool:
        return order.id > 0

    assert done(Agent("a", [step]), Order(id=0), planner="utility").history == ()
    assert values(done(Agent("a", [step]), Order(id=1), planner="utility"))[-1] == Parcel(text="1 for 10")


def test_a_step_may_be_run_again_for_new_inputs():
    process = Agent("a", [map_each(list[Order], price, rerun="new_inputs"), add_up]).process(
        orders(1), returning=Total, id="p"
    )

    assert go(process) is ProcessStatus.COMPLETED


SCRIPT = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from orders import Order, go, orders, price, sell, tax
from planboard import Agent, map_each, parallel, sequence
agent = Agent("a", [sequence(map_each(orders(*range(9)), price, concurrency=4), parallel(tax, price, sell, name="p"))])
process = agent.process(Order(id=1), planner="utility", id="run")
go(process)
process.respond(process.pending[0].id, True)
go(process)
print(process.board.to_json(), [(event.kind, event.process_id) for event in process.events])
"""


def test_the_hash_seed_changes_nothing():
    here = str(Path(__file__).parent)
    runs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, here], env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in range(4)
    }  # fmt: skip

    assert len(runs) == 1


class Expense(BaseModel):
    amount: int


@pytest.mark.parametrize("ask", [lambda text, **more: human(bool, text, **more), approval], ids=["human", "approval"])
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Pay {expence.amount}?", "asks for 'expence', which is not among needs=. Did you mean 'expense'?"),
        ("Pay {expense.amont}?", "asks for 'expense.amont'. Did you mean 'amount'?"),
        ("Pay {expense.amount?", "cannot be filled in"),
    ],
)
def test_a_question_that_asks_for_what_is_not_there_is_refused_at_once(ask, question, said):
    with pytest.raises(DefinitionError) as caught:
        ask(question, needs=[Expense])
    assert said in str(caught.value)


def test_a_question_that_needs_nothing_may_hold_braces():
    assert approval("Deploy {service}?").name == "approval"
