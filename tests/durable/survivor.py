"""A program that works on a queue until it is killed: `survivor.py ADDRESS QUEUE FOLDER VARIANT`."""

import asyncio
import os
import sys
from datetime import timedelta
from pathlib import Path

from pydantic import BaseModel

from planboard import Agent, achieves_goal, action
from planboard.durable.temporal import TemporalRuns, worker

FOLDER = Path(os.environ.get("PLANBOARD_TEST_FOLDER", "."))


class Order(BaseModel):
    name: str


class Packed(BaseModel):
    name: str


class Checked(BaseModel):
    ok: bool


class Sent(BaseModel):
    by: str


def effect(word: str) -> None:
    """Leave a mark that outlives the program."""
    with (FOLDER / "effects").open("a") as file:
        file.write(f"{word}\n")


@action(cost=0.1)
async def pack(order: Order) -> Packed:
    effect("pack")
    return Packed(name=order.name)


async def _hang_once(word: str) -> None:
    effect(word)
    if not (FOLDER / f"{word}-hung").exists():
        (FOLDER / f"{word}-hung").touch()
        await asyncio.Event().wait()


@action(cost=0.1)
async def check(packed: Packed) -> Checked:
    await _hang_once("check")
    return Checked(ok=True)


@action(cost=0.1, idempotent=True)
async def check_again(packed: Packed) -> Checked:
    await _hang_once("check_again")
    return Checked(ok=True)


@achieves_goal("Sent")
@action(cost=0.1)
async def send(packed: Packed, checked: Checked) -> Sent:
    effect("send")
    return Sent(by="send")


@achieves_goal("Sent")
@action(cost=0.1)
async def send_by_air(packed: Packed, checked: Checked) -> Sent:
    effect("send_by_air")
    return Sent(by="air")


AGENTS = {
    "unsure": Agent("unsure", [pack, check, send]),
    "sure": Agent("sure", [pack, check_again, send]),
}


async def main(address: str, queue: str) -> None:
    runs = await TemporalRuns.connect(address)
    await worker(runs.client, AGENTS.values(), queue=queue, lost_after=timedelta(seconds=1)).run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
