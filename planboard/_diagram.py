"""Mermaid text: a graph as lines that GitHub, JupyterLab and the docs draw."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Shape = Literal["action", "type", "condition", "goal"]

_BRACKETS: dict[Shape, tuple[str, str]] = {
    "action": ("[", "]"),
    "type": ("([", "])"),
    "condition": ("{{", "}}"),
    "goal": ("[[", "]]"),
}


@dataclass(frozen=True, slots=True)
class Node:
    """A box of a diagram; nodes with equal `key` are one box."""

    key: str
    label: str
    shape: Shape = "action"


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow from one node's key to another's; `dashed` marks what is assumed or optional."""

    source: str
    target: str
    label: str = ""
    dashed: bool = False


def mermaid(nodes: Iterable[Node], edges: Iterable[Edge], *, direction: Literal["LR", "TD"] = "LR") -> str:
    """Return a Mermaid flowchart. The order given is the order drawn; equal nodes and edges are drawn once."""
    unique = list(dict.fromkeys(nodes))
    ids = {node.key: f"n{index}" for index, node in enumerate(unique)}
    lines = [f"flowchart {direction}"]
    for node in unique:
        left, right = _BRACKETS[node.shape]
        lines.append(f'    {ids[node.key]}{left}"{_escape(node.label)}"{right}')
    for edge in dict.fromkeys(edges):
        arrow = "-.->" if edge.dashed else "-->"
        label = f'|"{_escape(edge.label)}"|' if edge.label else ""
        lines.append(f"    {ids[edge.source]} {arrow}{label} {ids[edge.target]}")
    return "\n".join(lines) + "\n"


def _escape(label: str) -> str:
    return label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
