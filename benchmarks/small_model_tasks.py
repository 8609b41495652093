"""Three tasks for small models: the functions, ten varied inputs each, and judges of the results.

Nothing here knows any framework. The functions are deterministic, so that only choosing and building arguments is
measured; each side wraps the very same ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

COOKS = {"pie": "Ben", "soup": "Ida", "salad": "Tom", "pizza": "Mia", "curry": "Raj"}
AREAS = {"France": 551_500, "Spain": 505_990, "Norway": 385_207, "Ghana": 238_533, "Chile": 756_102}
REVENUES = {"Nimbus": 10, "Stratus": 4, "Cirrus": 2, "Altus": 7, "Borea": 3, "Corvus": 9}


@dataclass(frozen=True)
class Case:
    """One input, and what has to come of it."""

    request: str
    expected: dict[str, Any]


# Meal preparation


def _dish(request: str) -> str:
    found = next((dish for dish in COOKS if dish in request.lower()), None)
    if found is None:
        message = f"no dish is named; dishes are {', '.join(COOKS)}"
        raise ValueError(message)
    return found


def choose_cook(request: str) -> dict[str, str]:
    return {"name": COOKS[_dish(request)]}


def take_order(request: str) -> dict[str, Any]:
    words = request.replace(",", " ").replace(".", " ").split()
    quantity = next((int(word) for word in words if word.isdigit()), None)
    if quantity is None:
        message = "no quantity is named"
        raise ValueError(message)
    return {"dish": _dish(request), "quantity": quantity, "guest": words[0]}


def prepare_meal(cook: str, dish: str, quantity: int, guest: str) -> dict[str, Any]:
    return {"dish": dish, "quantity": quantity, "ordered_by": guest, "cooked_by": cook}


def _meal(guest: str, quantity: int, dish: str) -> Case:
    expected = {"dish": dish, "quantity": quantity, "ordered_by": guest, "cooked_by": COOKS[dish]}
    return Case(f"{guest} would like {quantity} portions of {dish}, please.", expected)


MEALS = [
    _meal(guest, quantity, dish)
    for guest, quantity, dish in [
        ("Ada", 2, "pie"), ("Alan", 1, "soup"), ("Grace", 4, "salad"), ("Kurt", 3, "pizza"), ("Emmy", 5, "curry"),
        ("Niels", 6, "pie"), ("Marie", 2, "soup"), ("Carl", 7, "salad"), ("Hedy", 1, "pizza"), ("Edsger", 8, "curry"),
    ]
]  # fmt: skip


def _plain(value: Any) -> Any:
    """Return a text without what does not matter: case, spaces, a final full stop."""
    return "".join(value.lower().split()).rstrip(".") if isinstance(value, str) else value


def judge_meal(found: Any, expected: dict[str, Any]) -> bool:
    """The dish, how many of it, for whom and by whom."""
    return isinstance(found, dict) and {key: _plain(value) for key, value in found.items()} == {
        key: _plain(value) for key, value in expected.items()
    }


# Market research


def gather_market_data(topic: str) -> dict[str, Any]:
    return {"topic": topic, "market": "growing by 12 % a year"}


def analyze_competitors(companies: list[str]) -> dict[str, Any]:
    return {"revenues": {name: f"${REVENUES[name]}B" for name in companies if name in REVENUES}}


def compile_report(title: str, market: str, revenues: dict[str, str]) -> dict[str, Any]:
    return {"title": title, "sections": [market, *(f"{name}: {value}" for name, value in sorted(revenues.items()))]}


def _research(topic: str, *companies: str) -> Case:
    request = f"Report on the {topic} market. The companies are {', '.join(companies)}."
    return Case(request, {"topic": topic, "companies": list(companies)})


RESEARCH = [
    _research(topic, *companies)
    for topic, companies in [
        ("cloud storage", ("Nimbus", "Stratus")), ("wind power", ("Borea", "Altus")),
        ("drones", ("Corvus", "Cirrus")), ("weather data", ("Nimbus", "Borea", "Cirrus")),
        ("balloons", ("Altus", "Stratus")), ("bird feed", ("Corvus", "Borea")), ("solar panels", ("Cirrus", "Altus")),
        ("maps", ("Stratus", "Corvus", "Nimbus")), ("kites", ("Borea", "Cirrus")),
        ("gliders", ("Altus", "Nimbus")),
    ]
]  # fmt: skip


def judge_research(found: Any, expected: dict[str, Any]) -> bool:
    """The market, and each company with its true revenue, and a title that is about the topic or a company."""
    if not isinstance(found, dict):
        return False
    wanted = {"growing by 12 % a year", *(f"{name}: ${REVENUES[name]}B" for name in expected["companies"])}
    words = [*expected["topic"].lower().split(), *(name.lower() for name in expected["companies"])]
    return set(map(_plain, wanted)) == set(map(_plain, found["sections"])) and any(
        word.rstrip("s") in found["title"].lower() for word in words
    )


# Researcher and coder


def research(country: str) -> dict[str, Any]:
    name = next((known for known in AREAS if known.lower() == country.strip().lower()), None)
    if name is None:
        message = f"{country!r} is not known; known are {', '.join(AREAS)}"
        raise ValueError(message)
    return {"country": name, "area_km2": AREAS[name]}


def compute(number: int, operation: str) -> dict[str, Any]:
    operations = {"double": number * 2, "halve": number // 2, "square": number**2}
    if operation not in operations:
        message = f"operation is one of {', '.join(operations)}"
        raise ValueError(message)
    return {"result": operations[operation]}


def _figure(country: str, operation: str) -> Case:
    wording = {"double": "twice", "halve": "half of", "square": "the square of"}[operation]
    return Case(f"What is {wording} the area of {country} in square kilometres?", compute(AREAS[country], operation))


FIGURES = [
    _figure(country, operation)
    for country, operation in [
        ("France", "double"), ("Spain", "halve"), ("Norway", "double"), ("Ghana", "square"), ("Chile", "halve"),
        ("France", "square"), ("Spain", "double"), ("Norway", "halve"), ("Ghana", "double"), ("Chile", "square"),
    ]
]  # fmt: skip


def judge_figure(found: Any, expected: dict[str, Any]) -> bool:
    return found == expected


@dataclass(frozen=True)
class TaskSet:
    """A task with its inputs."""

    name: str
    goal: str
    """What the model is told to do, on both sides."""
    cases: list[Case]
    judge: Callable[[Any, dict[str, Any]], bool]


TASKS = {
    task.name: task
    for task in (
        TaskSet("meal", "Prepare the meal that the guest orders.", MEALS, judge_meal),
        TaskSet("research", "Compile a market report.", RESEARCH, judge_research),
        TaskSet("workers", "Find the figure and compute the result.", FIGURES, judge_figure),
    )
}
LIMIT = 10
"""How often the model may be asked to choose, on both sides."""
