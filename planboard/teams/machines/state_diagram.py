"""The graph of a state machine as text that is drawn elsewhere: Mermaid, and DOT for Graphviz."""

from collections.abc import Iterable

from planboard.actions.state import state_of
from planboard.teams.machines.state_graph import Transition
from planboard.types import type_name

_TAKEN = frozenset(
    (
        "as",
        "choice",
        "class",
        "classdef",
        "click",
        "default",
        "direction",
        "end",
        "fork",
        "join",
        "note",
        "state",
        "style",
    )
)
"""Words that Mermaid does not take for names of states."""


def state_mermaid(transitions: Iterable[Transition]) -> str:
    """Return a Mermaid `stateDiagram-v2`, with the actions on the arrows, in the order of the transitions."""
    arrows = list(transitions)
    names = _names(arrows)
    ids = {name: _id(name, number) for number, name in enumerate(names)}
    lines = ["stateDiagram-v2"]
    lines += [f'    state "{_escaped(name)}" as {ids[name]}' for name in names if ids[name] != name]
    for arrow in arrows:
        source = "[*]" if arrow.source is None else ids[arrow.source.__name__]
        target = ids[arrow.target.__name__] if _is_state(arrow) else "[*]"
        label = _label(arrow)
        lines.append(f"    {source} --> {target}" + (f" : {_escaped(label)}" if label else ""))
    return "\n".join(lines) + "\n"


def state_dot(transitions: Iterable[Transition], name: str) -> str:
    """Return a DOT digraph, with the actions on the arrows, in the order of the transitions.

    Args:
        transitions: The arrows.
        name: What the graph is called.
    """
    arrows = list(transitions)
    ends = any(not _is_state(arrow) for arrow in arrows)
    lines = [f"digraph {_dot(name)} {{", "    node [shape=box, style=rounded];", '    "" [shape=point];']
    lines += ['    "end" [shape=doublecircle, label="", width=0.15];'] if ends else []
    lines += [f"    {_dot(f'state {state}')} [label={_dot(state)}];" for state in _names(arrows)]
    for arrow in arrows:
        source = '""' if arrow.source is None else _dot(f"state {arrow.source.__name__}")
        target = _dot(f"state {arrow.target.__name__}") if _is_state(arrow) else '"end"'
        label = _label(arrow)
        lines.append(f"    {source} -> {target}{f' [label={_dot(label)}]' if label else ''};")
    return "\n".join([*lines, "}"]) + "\n"


def _is_state(arrow: Transition) -> bool:
    return arrow.target is not None and state_of(arrow.target) is not None


def _names(arrows: Iterable[Transition]) -> list[str]:
    found: dict[str, None] = {}
    for arrow in arrows:
        if arrow.source is not None:
            found[arrow.source.__name__] = None
        if _is_state(arrow):
            found[arrow.target.__name__] = None
    return list(found)


def _label(arrow: Transition) -> str:
    if arrow.action is None or arrow.target is None or _is_state(arrow):
        return arrow.action or ""
    return f"{arrow.action} / {type_name(arrow.target)}"


def _id(name: str, number: int) -> str:
    plain = name.isascii() and name.isidentifier() and name.lower() not in _TAKEN
    return name if plain else f"state_{number}"


_CODES = str.maketrans({"#": "#35;", ";": "#59;", ":": "#58;", "<": "#lt;", ">": "#gt;", '"': "#quot;"})
"""What has a meaning in Mermaid, as it can stand in a label."""


def _escaped(label: str) -> str:
    return " ".join(label.split()).translate(_CODES)


def _dot(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'
