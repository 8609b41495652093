"""Agents made by chance, the same for the same seed: what they come to must not depend on where they are run."""

import random
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, create_model

from planboard import (
    ActionContext,
    Agent,
    Budget,
    Process,
    ProcessOptions,
    Replan,
    Retry,
    achieves_goal,
    action,
    condition,
    human,
    subagent,
)
from planboard.runtime.requests import Request

_LAST = 7
_KINDS = ["plain", "plain", "async", "read", "fails", "wrong", "context", "replan", "retry"]
_APART = ("process_created", "plan_made", "action_retried")
"""Events that there are more or fewer of on Temporal."""
_KNOWING = ("context", "replan", "retry")
Boxes = list[type[BaseModel]]


def random_agent(seed: int, *, depth: int = 0, boxes: Boxes | None = None, name: str | None = None) -> Any:
    """Return an agent, with children if `depth` is not 0, and what to start it with."""
    rnd = random.Random(seed)
    boxes = boxes or [create_model(f"Box{number}", n=(int, ...), __module__=__name__) for number in range(_LAST + 1)]
    name = name or f"random-{seed}"
    conditions = [_condition(rnd, boxes, number) for number in rnd.sample(range(1, _LAST - 1), 2)]
    parts: list[Any] = [*conditions]
    for number in range(1, _LAST + 1):
        parts.extend(_action(rnd, boxes, number, way, conditions) for way in range(rnd.choice([1, 2])))
    if rnd.random() < 0.5:
        number = rnd.randrange(1, _LAST)
        parts.append(human(boxes[number], prompt="?", cost=0.05, name=f"ask{number}"))
    for place in range(rnd.choice([1, 2]) if depth else 0):
        number = rnd.randrange(1, _LAST)
        below = list(boxes)
        below[_LAST], below[number] = below[number], below[_LAST]
        child, _ = random_agent(seed * 31 + place, depth=depth - 1, boxes=below, name=f"{name}-{place}")
        options: dict[str, Any] = {"approval": True} if rnd.random() < 0.3 else {}
        step = subagent(child, returning=boxes[number], needs=[boxes[0]], name=f"sub{place}", cost=0.02, **options)
        parts.append(step)
    return Agent(name, parts), boxes[0](n=3)


def random_options(seed: int) -> ProcessOptions:
    """Return options by chance."""
    rnd = random.Random(seed + 1)
    budgets = [Budget()] * 5 + [Budget(actions=3), Budget(cost=1.5), Budget(tokens=9)]
    planner = rnd.choice([None, "utility", "hybrid"])
    concurrency = 1 if seed >= 40 else rnd.choice([1, 4])  # children wait for people beside what is run
    return ProcessOptions(planner=planner, concurrency=concurrency, budget=rnd.choice(budgets))


def answer_to(request: Request) -> Any:
    """Return what somebody answers, always the same to the same action."""
    if request.purpose == "answer":
        return {"n": 5}
    return {"decision": "deny", "reason": "no"} if sum(map(ord, request.action)) % 3 == 0 else True


def what_came_of(process: Process) -> dict[str, Any]:
    """Return what must be the same wherever it was run."""
    kinds = [event.kind for event in process.events]
    return {
        "agent": process.agent.name,
        "status": process.status,
        "usage": process.usage,
        "board": [str(entry) for entry in process.board.visible],
        "entries": [(entry.producer, str(entry.value).replace(process.id, "")) for entry in process.board.entries],
        "events": [] if process.agent.agents else [kind for kind in kinds if kind not in _APART],
        "history": [(event.action, event.inputs) for event in process.history],
    }


def _condition(rnd: random.Random, boxes: Boxes, number: int) -> Any:
    least, waits = rnd.choice([0, 50]), rnd.random() < 0.5

    async def slow(box: Any) -> bool:
        return box.n >= least

    def quick(box: Any) -> bool:
        return box.n >= least

    chosen: Any = slow if waits else quick
    chosen.__name__ = f"is_enough_{number}"
    chosen.__annotations__ = {"box": boxes[number], "return": bool}
    return condition(chosen)


def _action(rnd: random.Random, boxes: Boxes, number: int, way: int, conditions: list[Any]) -> Any:
    needs = [boxes[place] for place in sorted(rnd.sample(range(number), min(number, rnd.choice([1, 1, 2]))))]
    kind = rnd.choice(_KINDS)
    asked: set[str] = set()

    def body(given: Iterable[Any], context: ActionContext | None = None) -> Any:
        given = list(given)
        if kind == "fails":
            raise ValueError("it never works")
        if kind == "wrong":
            return "not a box"
        if context is not None and kind == "context":
            context.record_usage(tokens=number, cost=0.25)
            if number % 2:
                context.add(boxes[0](n=number))
            else:
                context.hide(given[0])
        if context is not None and kind == "replan" and context.process_id not in asked:
            asked.add(context.process_id)
            context.record_usage(tokens=1)
            raise Replan("again", hint=boxes[0](n=99))
        if context is not None and kind == "retry" and context.attempt == 1:
            context.record_usage(tokens=2)
            raise ConnectionError("noise")
        return boxes[number](n=sum(box.n for box in given) + number)

    function = _function(kind, len(needs), body)
    more = {"context": ActionContext} if kind in _KNOWING else {}
    function.__annotations__ = {**dict(zip("ab", needs, strict=False)), **more, "return": boxes[number]}
    function.__name__ = f"make{number}_{way}"
    options: dict[str, Any] = {"cost": round(rnd.random(), 2), "value": round(rnd.random(), 2)}
    options["read_only"] = kind == "read"
    if kind == "retry":
        options["retry"] = Retry(attempts=3, on=ConnectionError)
    if rnd.random() < 0.2:
        options["approval"] = True
    if rnd.random() < 0.3:
        options["pre"] = [rnd.choice(conditions)]
    made = action(**options)(function)
    return achieves_goal(f"goal {way}")(made) if number == _LAST else made


def _function(kind: str, needs: int, body: Any) -> Any:
    """Return a function of as many arguments as are needed."""

    def one(a: Any) -> Any:
        return body([a])

    def two(a: Any, b: Any) -> Any:
        return body([a, b])

    async def later_one(a: Any) -> Any:
        return body([a])

    async def later_two(a: Any, b: Any) -> Any:
        return body([a, b])

    def knowing_one(a: Any, context: Any) -> Any:
        return body([a], context)

    def knowing_two(a: Any, b: Any, context: Any) -> Any:
        return body([a, b], context)

    if kind in _KNOWING:
        return [knowing_one, knowing_two][needs - 1]
    return ([later_one, later_two] if kind == "async" else [one, two])[needs - 1]
