"""Eino's host: a model decides once which of three specialists answers a question on travel.

Shows the three ways of a `Host`: one specialist's answer is the result, several work at once and their answers are
joined, and where nobody fits the host answers itself. Each hand-off is told to whoever listens.
"""

from planboard import Host, ScriptedModel, Specialist, call, run


def weather(question: str) -> str:
    return "Beijing: sunny, 22 °C"


def flight(question: str) -> str:
    return "CA1234 to Shanghai: 08:00, on time"


def hotel(question: str) -> str:
    return "Garden Hotel: 90 a night"


SPECIALISTS = [
    Specialist("weather", "Knows the weather: temperature, humidity, rain.", weather),
    Specialist("flight", "Knows flights: numbers, times, delays.", flight),
    Specialist("hotel", "Knows hotels: prices, rooms, ratings.", hotel),
]


def ask_host(question: str, *replies: object) -> None:
    host = Host("travel", SPECIALISTS, llm=ScriptedModel(*replies), on_handoff=lambda to, _: print(f"  handed to {to}"))
    print(question)
    for line in run(host, question, returning=str).splitlines():
        print(f"  {line}")


def main() -> None:
    ask_host("Is it warm in Beijing?", call("weather", task="Beijing, now"))
    ask_host("Weather and flight?", [call("weather", task="Beijing, now"), call("flight", task="to Shanghai")])
    ask_host("Who are you?", "I answer questions about travel.")


if __name__ == "__main__":
    main()
