"""An agent as a picture: which types lead through which actions to which goals."""

from typing import TYPE_CHECKING

from planboard._diagram import Edge, Node, mermaid
from planboard.actions.action import Action
from planboard.blackboard.matching import prospect
from planboard.types import type_name

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent


def draw(agent: "Agent") -> str:
    """Return a Mermaid flowchart: types, the actions between them, conditions and goals.

    Optional inputs, and outputs that are only one of several, are dashed.
    """
    nodes: list[Node] = []
    edges: list[Edge] = []
    for action in agent.actions.values():
        _draw_action(action, nodes, edges)
    outputs = {form for action in agent.actions.values() for form in action.output_types}
    for goal in agent.goals:
        key = f"goal {goal.name}"
        nodes.append(Node(key, goal.description or goal.name, "goal"))
        sources = goal.producers or ()
        edges.extend(Edge(f"action {name}", key) for name in sources)
        if not sources and goal.form is not None:
            made = sorted(type_name(form) for form in outputs if prospect(form, goal.form) == "always")
            edges.extend(Edge(f"type {name}", key) for name in made)
        for name, wanted in agent.goal_conditions[goal.name]:
            nodes.append(Node(f"condition {name}", name, "condition"))
            edges.append(Edge(f"condition {name}", key, "" if wanted else "not"))
    return mermaid(sorted(nodes, key=lambda node: node.key), sorted(edges, key=lambda edge: (edge.source, edge.target)))


def _draw_action(action: Action, nodes: list[Node], edges: list[Edge]) -> None:
    key = f"action {action.name}"
    nodes.append(Node(key, action.name))
    for item in action.body.inputs:
        source = f"type {type_name(item.query.form)}"
        nodes.append(Node(source, type_name(item.query.form), "type"))
        edges.append(Edge(source, key, item.query.name or "", dashed=item.optional))
    for name, wanted in action.pre:
        nodes.append(Node(f"condition {name}", name, "condition"))
        edges.append(Edge(f"condition {name}", key, "" if wanted else "not"))
    for name, wanted in action.post:
        nodes.append(Node(f"condition {name}", name, "condition"))
        edges.append(Edge(key, f"condition {name}", "" if wanted else "not"))
    several = len(action.outputs) > 1
    for way in action.outputs:
        for position, form in enumerate(way):
            target = f"type {type_name(form)}"
            nodes.append(Node(target, type_name(form), "type"))
            edges.append(Edge(key, target, action.binding_name(position) or "", dashed=several))
