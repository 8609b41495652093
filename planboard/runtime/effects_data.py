"""What an action did through its context, as JSON data: for outcomes that are kept, or that come from elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Any

from planboard.actions.context import Addition, Effects, Usage
from planboard.blackboard.codec import Codec
from planboard.blackboard.entry import Entry
from planboard.llm.port import ModelUsage


def effects_data(effects: Effects, codec: Codec, positions: Mapping[int, int]) -> dict[str, Any]:
    """Return what an action did beside returning a value.

    Args:
        effects: What it did.
        codec: Writes the values.
        positions: Where objects stand on the board, by identity.

    Raises:
        EntryTypeError: A value cannot be written without loss.
    """
    return {
        "additions": [
            [codec.encode(added.value, name=added.name), form_name(codec, added.type), added.name]
            for added in effects.additions
        ],
        "hidden": [positions[id(item)] for item in effects.hidden if id(item) in positions],
        "conditions": effects.conditions,
        "usage": list(effects.usage),
        "charged": list(effects.charged),
        "models": took_data(effects.model_calls),
    }


def effects_into(effects: Effects, data: Mapping[str, Any], codec: Codec, board: Sequence[Entry]) -> None:
    """Take over what an action did elsewhere.

    Args:
        effects: Where it is noted.
        data: What `effects_data` has made.
        codec: Reads the values.
        board: The entries of the board, by position.
    """
    for value, form, name in data["additions"]:
        declared = None if form is None else codec.registry.form_named(form)
        effects.additions.append(Addition(codec.decode(value, declared), declared, name))
    effects.hidden.extend(board[place].value for place in data["hidden"])
    effects.conditions.update(data["conditions"])
    effects.usage, effects.charged = Usage(*data["usage"]), Usage(*data["charged"])
    effects.model_calls.extend(took_from(data["models"]))


def form_name(codec: Codec, form: Any) -> str | None:
    """Return what a type is called in stored data."""
    return None if form is None else codec.registry.form_name(form)


def took_data(took: Sequence[ModelUsage]) -> list[list[Any]]:
    """Return what requests to models took, as data."""
    return [list(usage) for usage in took]


def took_from(data: Sequence[Sequence[Any]]) -> list[ModelUsage]:
    """Return what requests to models took."""
    return [ModelUsage(*usage) for usage in data]
