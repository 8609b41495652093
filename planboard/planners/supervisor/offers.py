"""Moves as tools: named for providers, described for a model, with what is on the board curried away."""

from collections.abc import Iterable

from planboard.actions.action import Action
from planboard.llm.names import tool_name
from planboard.llm.port import Tool
from planboard.llm.schemas import Parameter, arguments_schema, outline
from planboard.llm.showing import cut
from planboard.planners.ask import Exposed, Offer
from planboard.planners.supervisor.outlook import Move
from planboard.planners.world import World

READY = "READY: all inputs available."
"""What the description of a tool says that needs nothing from the model."""

_DESCRIPTION = 300
_OUTLINE = 160


def offers_of(moves: Iterable[Move], world: World | None) -> dict[str, Offer]:
    """Return the moves as tools, by the tools' names, in order of the actions' names."""
    return {offer.tool.name: offer for offer in (_offer(move, world) for move in moves)}


def _offer(move: Move, world: World | None) -> Offer:
    action = None if world is None else world.compilation.catalogue.actions[move.operator.name]
    parameters = {item.parameter: Parameter(_form(item), required=not item.optional) for item in move.exposed}
    schema, strict = arguments_schema(parameters)
    ready = all(item.optional for item in move.exposed)
    words = [move.operator.name] if tool_name(move.operator.name) != move.operator.name else []
    if action is not None:
        words += [cut(action.description, _DESCRIPTION)] if action.description else []
        words += [f"-> {_result(action)}."]
    words += [READY] if ready else []
    tool = Tool(tool_name(move.operator.name), " ".join(words), schema, strict)
    return Offer(tool, move.operator, move.exposed, move.repeats)


def _form(item: Exposed) -> object:
    return list[item.form] if item.collects else item.form  # type: ignore[name-defined]


def _result(action: Action) -> str:
    ways = [", ".join(map(outline, way)) or "nothing" for way in action.outputs]
    return cut(" | ".join(ways), _OUTLINE)
