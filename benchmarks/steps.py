"""How long ten independent workers of 0.2 s take: in `parallel`, in `map_each`, and as 200 items that only look.

python benchmarks/steps.py
"""

import asyncio
import time

import anyio
from pydantic import BaseModel

from planboard import Agent, action, map_each, parallel

BAR = 0.4
"""Seconds that ten workers of 0.2 s may take."""


class Order(BaseModel):
    id: int


class Price(BaseModel):
    id: int


def worker(number: int):
    @action(name=f"work_{number}")
    async def work(order: Order) -> Price:  # noqa: ARG001 - it only takes its time
        await anyio.sleep(0.2)
        return Price(id=number)

    return work


@action
async def look(order: Order) -> Price:
    return Price(id=order.id)


@action
async def slowly(order: Order) -> Price:
    await anyio.sleep(0.2)
    return Price(id=order.id)


def measure(step) -> tuple[float, list[Price]]:
    """Return the seconds that a step takes, the best of five, and what came of it."""
    agent = Agent("alone", [step])
    times = []
    for _ in range(5):
        process = agent.process(Order(id=0), planner="utility")
        begun = time.perf_counter()
        asyncio.run(process.run())
        times.append(time.perf_counter() - begun)
    values = [entry.value for entry in process.history[-1].outputs]
    return min(times), values[0] if isinstance(values[0], list) else values


def main() -> None:
    ten = [Order(id=number) for number in range(10)]
    rows = {
        "parallel, 10 workers of 0.2 s": parallel(*map(worker, range(10))),
        "map_each, 10 items of 0.2 s": map_each(ten, slowly),
        "map_each, 200 items, no wait": map_each([Order(id=number) for number in range(200)], look),
    }
    for name, step in rows.items():
        seconds, values = measure(step)
        in_order = [price.id for price in values] == list(range(len(values)))
        print(f"{name:32}{seconds:8.3f} s   in order: {in_order}")
        if "0.2 s" in name and (seconds >= BAR or not in_order):
            raise SystemExit(f"{name}: the bar is {BAR} s, in order")


if __name__ == "__main__":
    main()
