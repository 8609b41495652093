"""What a run relies on in the definition of its agent, and how that may have changed since the run began."""

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from planboard.types import type_name

if TYPE_CHECKING:
    from planboard.actions.action import Action
    from planboard.runtime.agent import Agent


def definition(agent: "Agent") -> str:
    """Return what runs of an agent rely on: its actions' inputs and outputs, and the fields of its types.

    Costs, values, conditions and wording are not in it: they may change under a run, whose decisions stand.
    """
    actions = {action.name: _signature(action) for action in agent.actions.values()}
    return json.dumps(
        {"agent": agent.name, "actions": actions, "types": agent.types.manifest()}, sort_keys=True, ensure_ascii=False
    )


def fingerprint(text: str) -> str:
    """Return a short digest of a definition."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def differences(then: str, now: str, migrated: frozenset[str]) -> tuple[str, ...]:
    """Return what matters to a run that was begun with another definition, a line each; additions do not.

    Args:
        then: The definition that it was begun with.
        now: The definition of today.
        migrated: Names of stored types that the agent knows how to bring up to date.
    """
    old, new = json.loads(then), json.loads(now)
    lines = [f"the agent was {old['agent']!r} and is {new['agent']!r}"] if old["agent"] != new["agent"] else []
    for name, signature in sorted(old["actions"].items()):
        if name not in new["actions"]:
            lines.append(f"action {name!r} is gone")
        else:
            lines += _changes(f"action {name!r}", signature, new["actions"][name])
    for name, fields in sorted(old["types"].items()):
        if name in migrated:
            continue
        if name not in new["types"]:
            lines.append(f"type {name!r} is gone")
        else:
            lines += _changes(f"type {name!r}", fields, new["types"][name])
    return tuple(lines)


def _changes(what: str, old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    lines = [f"{what}: {part} was {old[part]} and is gone" for part in sorted(old.keys() - new.keys())]
    lines += [f"{what}: {part} is new, {new[part]}" for part in sorted(new.keys() - old.keys())]
    lines += [
        f"{what}: {part} was {old[part]} and is {new[part]}"
        for part in sorted(old.keys() & new.keys())
        if old[part] != new[part]
    ]
    return lines


def _signature(action: "Action") -> dict[str, Any]:
    inputs = {
        f"input {item.parameter}": f"{item}{' (optional)' if item.optional else ''}" for item in action.body.inputs
    }
    ways = [", ".join(type_name(form) for form in way) or "nothing" for way in action.outputs]
    return {**inputs, "output": " | ".join(ways), "rerun": action.rerun}
