"""The actions of an agent as a list: lines, rows of a table, or JSON data."""

from typing import Any

from planboard.actions.action import Action, TypedFunction
from planboard.runtime.agent import Agent
from planboard.types import type_name

COLUMNS = ("action", "inputs", "outputs", "cost", "value", "conditions")


def rows(agent: Agent) -> list[tuple[str, ...]]:
    """Return a row for each action, in the order of `COLUMNS`."""
    return [
        (
            f"{action.name}{' *' if action.achieves else ''}",
            ", ".join(_inputs(action)) or "-",
            _outputs(action),
            _price(action.cost),
            _price(action.value),
            ", ".join(_conditions(action)) or "-",
        )
        for action in agent.actions.values()
    ]


def lines(agent: Agent) -> list[str]:
    """Return a line for each action, for pipes and for `grep`."""
    listed = []
    for action in agent.actions.values():
        line = f"{action.name}({', '.join(_inputs(action))}) -> {_outputs(action)}"
        line += f"  cost={_price(action.cost)} value={_price(action.value)}"
        if action.pre:
            line += f"  if {' and '.join(_conditions(action))}"
        if action.achieves is not None:
            line += f"  achieves: {action.achieves.description}"
        listed.append(line)
    return listed


def documents(agent: Agent) -> list[dict[str, Any]]:
    """Return each action as JSON data."""
    return [
        {
            "name": action.name,
            "description": action.description,
            "inputs": [
                {
                    "parameter": item.parameter,
                    "type": type_name(item.query.form),
                    "name": item.query.name,
                    "optional": item.optional,
                    "all": item.collects,
                }
                for item in action.body.inputs
            ],
            "outputs": [[type_name(form) for form in way] for way in action.outputs],
            "cost": None if isinstance(action.cost, TypedFunction) else action.cost,
            "value": None if isinstance(action.value, TypedFunction) else action.value,
            "conditions": _conditions(action),
            "promises": [name if truth else f"not {name}" for name, truth in action.post],
            "rerun": action.rerun,
            "achieves": None if action.achieves is None else action.achieves.description,
            "where": None if action.where is None else str(action.where),
        }
        for action in agent.actions.values()
    ]


def _inputs(action: Action) -> list[str]:
    return [f"{item}{'?' if item.optional else ''}" for item in action.body.inputs]


def _outputs(action: Action) -> str:
    return " | ".join(", ".join(type_name(form) for form in way) or "nothing" for way in action.outputs)


def _conditions(action: Action) -> list[str]:
    return [name if truth else f"not {name}" for name, truth in action.pre]


def _price(price: float | TypedFunction) -> str:
    return "dynamic" if isinstance(price, TypedFunction) else f"{price:g}"
