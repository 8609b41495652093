"""DeepFlux's workflow: its six kinds of steps in a row, with a gate before one call within a sub-agent.

Shows task, map, subagent, approval, sleep and foreach as steps of one sequence. A step finds its inputs by their types,
so no step names another one. The sub-agent is told its instruction and the state so far as JSON, and its result is
bound to its `ref`. A person lets exactly one of its calls go, and nothing that was done before is done again.
"""

import asyncio
from datetime import timedelta

from pydantic import BaseModel

from planboard import (
    Agent,
    Approved,
    Brief,
    Flow,
    ProcessOptions,
    achieves_goal,
    action,
    approval,
    for_each,
    map_each,
    sequence,
    sleep,
    subagent,
    task,
)  # fmt: skip
from planboard.testing import FakeClock


class Order(BaseModel):
    city: str
    days: int


class Day(BaseModel):
    number: int


class Forecast(BaseModel):
    day: int
    degrees: int


class Advice(BaseModel):
    text: str


class Sent(BaseModel):
    to: str


asked: list[str] = []


def split(order: Order) -> list[Day]:
    """Task: prepare the data."""
    return [Day(number=number + 1) for number in range(order.days)]


async def forecast(day: Day, order: Order) -> Forecast:
    """What is done for each day, all days at once."""
    asked.append(f"{order.city}, day {day.number}")
    return Forecast(day=day.number, degrees=20 + day.number)


@achieves_goal("There is advice on what to pack")
@action(approval=True)
def look_into_wardrobe(brief: Brief) -> Advice:
    """A tool of the sub-agent which nobody may use unasked."""
    print(f"  told: {brief.instruction} {len(brief.state)} characters of state")
    return Advice(text="Pack light.")


def send(to: str, advice: Advice) -> Sent:
    """What is done for each recipient, one after another."""
    print(f"  {to}: {advice.text}")
    return Sent(to=to)


packing = Agent("packing", [look_into_wardrobe])
agent = Flow(
    "trip",
    sequence(
        task(split),
        map_each(list[Day], forecast),
        subagent(packing, "Say what to pack.", ref="advice"),
        approval("Send it: {advice.text}", needs=[Advice], name="release"),
        sleep(timedelta(hours=8), name="until_morning", needs=[Approved]),
        for_each(["ada", "bob"], send),
    ),
)


def main() -> None:
    process = agent.process(Order(city="Beijing", days=3), options=ProcessOptions(clock=FakeClock()))
    while not asyncio.run(process.run()).is_final:
        for request in process.pending:
            print(f"{request.action}: {request.purpose}")
            process.respond(request.id, True)
    print(process.status, asked, [sent.to for sent in process.result(list[Sent])])
    print(process.board.get("advice", Advice))


if __name__ == "__main__":
    main()
