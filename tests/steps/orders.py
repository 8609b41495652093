"""What the tests of steps share: orders that are priced, checked and shipped, with counted effects."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from planboard import Agent, Process, ProcessStatus, action
from planboard.steps import map_each

effects: Counter[Any] = Counter()
"""How often actions had their effect; cleared before each test."""


class Order(BaseModel):
    id: int


class Price(BaseModel):
    id: int
    euros: int


class Tax(BaseModel):
    cents: int


class Parcel(BaseModel):
    text: str


class Total(BaseModel):
    euros: int


def orders(*ids: int) -> list[Order]:
    """Return orders."""
    return [Order(id=each) for each in ids]


@action
async def price(order: Order) -> Price:
    """Say what an order costs."""
    effects["price"] += 1
    effects["price", order.id] += 1
    return Price(id=order.id, euros=order.id * 10)


@action
def tax(order: Order) -> Tax:
    """Say what the tax on an order is."""
    effects["tax"] += 1
    return Tax(cents=order.id)


@action
def pack(price: Price) -> Parcel:
    """Pack what is priced."""
    effects["pack"] += 1
    return Parcel(text=f"{price.id} for {price.euros}")


@action(approval="Sell {order.id}?")
def sell(order: Order) -> Price:
    """Sell an order, if a person agrees."""
    effects["sell"] += 1
    effects["sell", order.id] += 1
    return Price(id=order.id, euros=order.id)


@action
def add_up(prices: list[Price]) -> Total:
    """Add prices up."""
    effects["add_up"] += 1
    return Total(euros=sum(one.euros for one in prices))


def priced(ids: Iterable[int]) -> Agent:
    """Return an agent that prices orders and adds the prices up."""
    return Agent("pricing", [map_each(orders(*ids), price), add_up])


def go(process: Process, **given: Any) -> ProcessStatus:
    """Run a process until it ends or waits."""
    return asyncio.run(process.run(**given))


def done(agent: Agent, *inputs: object, **given: Any) -> Process:
    """Run an agent and return its process."""
    process = agent.process(*inputs, **given)
    go(process)
    return process


def run_step(step: Any, *inputs: object, **given: Any) -> Process:
    """Run one step, once, and return the process."""
    return done(Agent("alone", [step]), *inputs, planner="utility", **given)


def values(process: Process) -> list[object]:
    """Return what the last action has put on the board."""
    return [entry.value for entry in process.history[-1].outputs]


def asked(process: Process) -> list[str]:
    """Return the ids of the requests that are pending."""
    return [request.id for request in process.pending]
