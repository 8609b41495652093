"""A chat agent whose tool has to wait, on Temporal: each of its turns is an activity, and none is done twice."""

from pydantic import BaseModel
from scenes import Scene, on

from planboard import Agent, Process, ScriptedModel, achieves_goal, action, call, chat_agent
from planboard.llm.scripted import ScriptedRequest


class Flight(BaseModel):
    number: str


class Refund(BaseModel):
    text: str


@achieves_goal("A flight is refunded")
@action(approval=True)
def refund(flight: Flight) -> Refund:
    """Refund a flight."""
    return Refund(text=f"{flight.number} is refunded")


def look_up(customer: str) -> str:
    """Look up the flight of a customer."""
    return "507811"


def reply(request: ScriptedRequest) -> object:
    """Go by what is known, for a worker that was silent for long is asked again."""
    said = sum(message["role"] == "tool" for message in request.wire["messages"])
    return [call("look_up", customer="Ada"), call("refunds", flight={"number": "507811"}), "Done."][said]


def test_a_conversation_goes_on_when_a_person_has_answered(address):
    desk = Agent("refunds", [refund], description="Refunds flights.")
    clerk = chat_agent("clerk", "You help.", tools=[look_up, desk], llm=ScriptedModel(rules=reply))

    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(clerk, "Refund my flight.")
        request = await scene.asked(run_id)
        await scene.runs.respond(request.id, True)
        return await scene.runs.wait(run_id)

    ended = on(address, clerk)(act)

    assert ended.result(str) == "Done.", ended.reason
