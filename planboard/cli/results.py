"""What a run came to: the value that met the goal, as text or JSON, and the run as one document.

Rendering never fails: what has no JSON form is shown as its `repr`.
"""

import json
import math
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from planboard._text import brief
from planboard.actions.goal import Goal
from planboard.blackboard.entry import INPUT, Entry
from planboard.planners.ask import Ask, PlannerAnswer
from planboard.planners.plan import NoPlan, Plan
from planboard.runtime.process import Process
from planboard.types import TypeForm


def result_of(process: Process, returning: TypeForm = None) -> Entry | None:
    """Return the entry a completed run was for.

    That is the newest of the type asked for; without one, the newest that met a goal, and where goals are about
    conditions or there are none, the newest that an action produced.
    """
    board, matcher = process.board, process.agent.matcher
    if returning is not None:
        return board.newest(matcher.query(returning))
    goals = sorted(process.agent.goals, key=lambda goal: (goal.name != process.goal, -goal.value))
    for goal in goals:
        found = _met_by(process, goal)
        if found is not None:
            return found
    produced = [entry for entry in board.visible if entry.producer != INPUT]
    return produced[-1] if produced else None


def _met_by(process: Process, goal: Goal) -> Entry | None:
    if goal.form is None:
        return None
    producers = None if goal.producers is None else frozenset(goal.producers)
    return process.board.newest(process.agent.matcher.query(goal.form, None, producers))


def text_of(value: object) -> str | None:
    """Return the text that a value is, or carries as its `markdown`; `None` if it is data."""
    if isinstance(value, str) and type(value).__str__ is str.__str__:
        return value
    try:
        markdown = getattr(value, "markdown", None)
    except Exception:  # noqa: BLE001 - a property of the user's; without it the value is data
        return None
    return markdown if isinstance(markdown, str) else None


def jsonable(value: object) -> Any:
    """Return a value as JSON data; what has no such form becomes its `repr`."""
    for as_bytes in ("utf8", "base64"):
        try:
            data = _finite(to_jsonable_python(value, fallback=repr, bytes_mode=as_bytes))
            json.dumps(data, allow_nan=False)
        except Exception:  # noqa: BLE001, S112 - serialisers are the user's; the next way may do
            continue
        return data
    if isinstance(value, BaseModel):
        return {name: jsonable(getattr(value, name, None)) for name in type(value).model_fields}
    return brief(value, 10_000)


def _finite(data: Any) -> Any:
    """Return JSON data with "NaN" and "Infinity" for the numbers that JSON lacks."""
    if isinstance(data, float) and not math.isfinite(data):
        return "NaN" if math.isnan(data) else f"{'-' if data < 0 else ''}Infinity"
    if isinstance(data, list):
        return [_finite(item) for item in data]
    return {key: _finite(item) for key, item in data.items()} if isinstance(data, dict) else data


def pretty(value: object) -> str:
    """Return a value as JSON that reads well."""
    return json.dumps(jsonable(value), indent=2, ensure_ascii=False)


def run_document(process: Process, result: Entry | None) -> dict[str, Any]:
    """Return a run as JSON data; the same keys in the same order for every run."""
    usage = process.usage
    failure = process.failure
    return {
        "agent": process.agent.name,
        "planner": process.planner.name,
        "status": process.status.value,
        "reason": process.reason,
        "goal": process.goal,
        "result": None if result is None else jsonable(result.value),
        "result_type": None if result is None else result.type_name,
        "error": None if failure is None else f"{type(failure).__name__}: {failure}",
        "history": [
            {
                "call": run.call,
                "action": run.action,
                "inputs": list(run.inputs),
                "outputs": [_entry(entry) for entry in run.outputs],
                "cost": run.cost,
                "value": run.value,
            }
            for run in process.history
        ],
        "board": [_entry(entry) for entry in process.board.visible],
        "usage": {
            "actions": usage.actions,
            "cost": round(usage.cost, 12),
            "tokens": usage.tokens,
            "llm_calls": usage.llm_calls,
        },
        "events": len(process.events),
    }


def plan_document(agent: str, planner: str, result: PlannerAnswer, explanation: str) -> dict[str, Any]:
    """Return a planner's answer as JSON data."""
    head: dict[str, Any] = {"agent": agent, "planner": planner, "goal": result.goal.name}
    if isinstance(result, Ask):
        tools = [{"action": offer.action, "ready": offer.ready} for offer in result.offers.values()]
        return {**head, "found": False, "reason": "asks", "tools": tools, "explanation": explanation}
    if isinstance(result, NoPlan):
        return {
            **head,
            "found": False,
            "reason": result.reason,
            "missing": list(result.missing),
            "best": None if result.best is None else _steps(result.best),
            "bound": result.bound,
            "explanation": explanation,
        }
    proof = result.proof
    return {
        **head,
        "found": True,
        "steps": _steps(result),
        "cost": result.cost,
        "value": result.value,
        "net_value": result.net_value,
        "assumptions": list(result.assumptions),
        "complete": result.complete,
        "proof": {
            "engine": proof.engine,
            "optimal": proof.optimal,
            "bound": proof.bound,
            "nodes": proof.nodes,
            "reason": proof.reason,
        },
        "fingerprint": result.fingerprint,
        "explanation": explanation,
    }


def _steps(plan: Plan) -> list[dict[str, Any]]:
    return [
        {"action": operator.name, "outcome": operator.outcome or None, "cost": float(cost), "value": float(value)}
        for operator, cost, value in zip(plan.operators, plan.step_costs, plan.step_values, strict=True)
    ]


def _entry(entry: Entry) -> dict[str, Any]:
    return {"position": entry.position, "type": entry.type_name, "name": entry.name, "producer": entry.producer}
