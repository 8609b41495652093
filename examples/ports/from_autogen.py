"""AutoGen's teams: a writer and a critic in turn until "APPROVE", and a swarm that hands over, also to a person.

Shows that a termination condition is a predicate over what is on the board, and the limit of turns an option. In the
swarm who may hand over to whom is declared. The passenger is a member like the others: when a question is handed to
them the run waits, in a file if need be, and goes on with the member that asked.
"""

import asyncio

from pydantic import BaseModel

from planboard import (
    Ai,
    Flow,
    Message,
    Network,
    ScriptedModel,
    Topology,
    action,
    call,
    chat_agent,
    human,
    run,
)


class Poem(BaseModel):
    text: str


class Feedback(BaseModel):
    text: str


@action
async def writer(task: str, poem: Poem | None, feedback: Feedback | None, ai: Ai) -> Poem:
    """Write, and mind the feedback."""
    return await ai.create(f"Write {ai.data(task)}. So far: {ai.data(poem)}, {ai.data(feedback)}", Poem)


@action
async def critic(poem: Poem, ai: Ai) -> Feedback:
    """Answer APPROVE when the feedback is minded."""
    return Feedback(text=await ai.text(f"Give feedback, or answer APPROVE: {ai.data(poem)}"))


round_robin = Flow.loop("round_robin", writer, critic, until=lambda feedback: "APPROVE" in feedback.text, max=5)


def refund_flight(flight_number: str) -> str:
    """Refund a flight."""
    return f"Flight {flight_number} is refunded."


def question(task: str) -> str:
    """What the passenger is asked: whatever was handed to them."""
    return task


def swarm() -> Network:
    triage = ScriptedModel(
        call("transfer_to_flights_refunder", task="Refund a flight; the number is not known."),
        "You are refunded. Goodbye.",
    )
    refunds = ScriptedModel(
        call("transfer_to_passenger", task="What is the number of your flight?"),
        call("refund_flight", flight_number="507811"),
        call("transfer_to_travel_agent", task="The refund is done."),
    )
    travel_agent = chat_agent("travel_agent", "You plan travel.", llm=triage, sees_history=True)
    refunder = chat_agent(
        "flights_refunder", "You refund flights.", tools=[refund_flight], llm=refunds, sees_history=True
    )
    passenger = human(str, prompt=question, name="passenger")
    allowed = {
        "travel_agent": ("flights_refunder", "passenger"),
        "flights_refunder": ("travel_agent", "passenger"),
        "passenger": (),
    }
    return Network(
        "support", [travel_agent, refunder, passenger], topology=Topology(allowed, {"passenger": "flights_refunder"})
    )


def main() -> None:
    model = ScriptedModel(
        Poem(text="Autumn."), "Say something of leaves.", Poem(text="Autumn, and the leaves are red."), "APPROVE"
    )
    print(run(round_robin, "a line on autumn", services=[Ai(model)], returning=Feedback).text, len(model.requests))

    process = swarm().process("I need to refund my flight.")
    while not asyncio.run(process.run()).is_final:
        (request,) = process.pending
        print(request.action, request.prompt)
        process.respond(request.id, "507811")
    print(process.status, process.result(str))
    for message in process.board.all(Message):
        if message.kind != "inner":
            print(message)


if __name__ == "__main__":
    main()
