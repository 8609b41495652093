"""A concierge who knows a weather service, a flight desk and a hotel desk, and who is asked one thing, two, or none.

Shows a Host: its model decides once who is to answer. One specialist answers directly, several work at once and their
answers are summarised, and small talk is answered by the host itself.
"""

import model_choice
from pydantic import BaseModel, Field

from planboard import Host, ScriptedModel, ScriptedRequest, Specialist, action, call, chat_agent

QUESTIONS = (
    "How is the weather in Rome tomorrow?",
    "I want to fly to Rome tomorrow and need a hotel near the Pantheon.",
    "Good morning!",
)


class Forecast(BaseModel):
    city: str = Field(description="Where, such as: Rome.")
    day: str = Field(description="When, such as: tomorrow.")


@action
def forecast(wanted: Forecast) -> str:
    """Tells the weather of a city on a day."""
    return f"Sunny in {wanted.city} {wanted.day}, 24 degrees."


def search_flights(destination: str, day: str) -> list[str]:
    """Find flights to a city on a day."""
    return [f"AZ 1785 to {destination}, {day} at 09:10, 120 euros"]


def search_hotels(near: str) -> list[str]:
    """Find hotels near a place."""
    return [f"Albergo del Senato, 3 minutes from the {near}, 210 euros"]


SPECIALISTS = (
    Specialist("weather", "Weather forecasts.", forecast),
    Specialist("flight", "Finding flights.", chat_agent("flight", "You find flights.", tools=[search_flights])),
    Specialist("hotel", "Finding hotels.", chat_agent("hotel", "You find hotels.", tools=[search_hotels])),
)


def told(to: str, argument: str) -> None:
    """Say who is handed what."""
    print(f"  -> {to}: {argument}")


def play(request: ScriptedRequest) -> object:
    """Play the model of the host and of its specialists."""
    asked = request.wire["messages"][-1]
    if "weather" in request.tools:
        if "weather" in request.prompt:
            return call("weather", forecast={"city": "Rome", "day": "tomorrow"})
        if "fly" in request.prompt:
            return [
                call("flight", task="A flight to Rome tomorrow."),
                call("hotel", task="A hotel near the Pantheon."),
            ]
        return "Good morning! What can I do for you?"
    if asked["role"] == "tool":
        return f"I have found: {asked['content'][2:-2]}."
    if "search_flights" in request.tools:
        return call("search_flights", destination="Rome", day="tomorrow")
    if "search_hotels" in request.tools:
        return call("search_hotels", near="Pantheon")
    return "Fly at 09:10 for 120 euros, and stay at the Albergo del Senato for 210 euros."


def concierge(llm: object) -> Host:
    """Return the host, with a model for all."""
    return Host("concierge", SPECIALISTS, llm=llm, summarize=True, on_handoff=told)


agent = concierge(ScriptedModel(rules=play))


def main() -> None:
    command = model_choice.parser(__doc__)
    command.add_argument("questions", nargs="*", help="what the concierge is asked")
    options = command.parse_args()
    host = concierge(model_choice.chosen(options, ScriptedModel(rules=play)))
    for question in options.questions or QUESTIONS:
        print(question)
        print(f"  {host.run(question).result(str)}")


if __name__ == "__main__":
    main()
