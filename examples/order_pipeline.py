"""A pipeline for orders: each is priced and charged by itself, and a person agrees to the dear ones before.

Shows `map_each` over a worker that is an agent, `branch` and `sequence` within it, `approval`, failures that are
collected in their places, and a run that another program takes up while two of its items wait: nothing is done twice.
"""

import asyncio
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from planboard import (
    Agent,
    Approved,
    Deny,
    Process,
    ProcessOptions,
    SqliteJournal,
    StepFailed,
    achieves_goal,
    action,
    approval,
    branch,
    map_each,
    sequence,
)

LIMIT = 500
done: Counter[str] = Counter()
"""How often something was done; in a shop it would be the books of others."""


class Order(BaseModel):
    id: str
    pieces: int


class Quote(BaseModel):
    order: str
    euros: int


class Charge(BaseModel):
    euros: int


class Receipt(BaseModel):
    text: str


class Summary(BaseModel):
    lines: list[str]


@action
def quote(order: Order) -> Quote:
    """Say what an order costs."""
    done["quoted"] += 1
    if order.pieces < 1:
        message = f"order {order.id} has no pieces"
        raise ValueError(message)
    return Quote(order=order.id, euros=order.pieces * 20)


@action
def charge(quote: Quote, approved: Approved | None) -> Charge:
    """Charge an order: the dear ones once a person has agreed."""
    done["charged"] += 1
    return Charge(euros=quote.euros)


@achieves_goal("The order is paid for")
@action
def write_receipt(quote: Quote, charge: Charge) -> Receipt:
    return Receipt(text=f"order {quote.order} for {charge.euros} euros")


def is_dear(quote: Quote) -> bool:
    """Tell whether a person has to agree."""
    return quote.euros > LIMIT


@achieves_goal("Every order is handled")
@action
def sum_up(outcomes: list[Receipt | StepFailed]) -> Summary:
    return Summary(lines=[one.text if isinstance(one, Receipt) else f"not paid: {one.status}" for one in outcomes])


ask = approval("Charge {quote.euros} euros for order {quote.order}?", needs=[Quote])
charging = branch(is_dear, sequence(ask, charge), charge, name="charging")
handler = Agent("handler", [quote, charging, write_receipt])
agent = Agent("pipeline", [map_each(list[Order], handler, on_error="collect"), sum_up])


def main() -> None:
    pieces = {"a": 2, "b": 40, "c": 0, "d": 60, "e": 3}
    orders = [Order(id=name, pieces=number) for name, number in pieces.items()]
    with TemporaryDirectory() as folder:
        journal = SqliteJournal(Path(folder) / "runs.db")
        process = agent.process(orders, options=ProcessOptions(journal=journal), id="monday")
        print(asyncio.run(process.run()), dict(done))
        for answer in (Deny("too dear"), True):
            process = Process.restore(agent, journal, "monday")  # as another program would, days later
            request = process.pending[-1]
            print(f"{request.id} asks: {request.prompt}")
            process.respond(request.id, answer)
            print(asyncio.run(process.run()), dict(done))
        print(*process.result(Summary).lines, sep="\n")
        journal.close()


if __name__ == "__main__":
    main()
