"""A plan in words and as a picture: what each step needs, where that comes from, what it gives and costs.

The text depends on the plan alone, so it is the same on every run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from planboard._diagram import Edge, Node, mermaid
from planboard._text import listed
from planboard.planners.domain import Domain
from planboard.planners.operator import NIRVANA, Operator, Truth
from planboard.planners.plan import Plan, exact_value_of, shown, spelled
from planboard.planners.problem import exact

GIVEN = "given"
ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Support:
    """A fact that a step or the goal relies on, and where it comes from."""

    name: str
    truth: bool
    source: str
    """"given", "assumed" or "from <step>"."""
    step: int | None = None
    """The position of the step it comes from."""

    def __str__(self) -> str:
        return f"{spelled(self.name, self.truth)} ({self.source})"


def explain_plan(plan: Plan, *, alternatives: bool = False) -> str:
    """Return the plan in words; see `Plan.explain`."""
    *steps, goal = supports_of(plan)
    open_ended = plan.goal is NIRVANA  # it is for going on, not for getting anywhere
    lines = [f"Best now: {plan}" if open_ended else f"Plan for {plan.goal.name!r}: {plan}"]
    priced = zip(plan.operators, plan.step_costs, plan.step_values, strict=True)
    for number, (step, supports) in enumerate(zip(priced, steps, strict=True), start=1):
        lines += _step_lines(plan.domain, number, step, supports)
    worth = f", worth {shown(exact_value_of(plan.goal))}" if plan.goal.value else ""
    needs = listed(str(support) for support in goal) or "nothing"
    if not open_ended:
        lines.append(f"Goal {plan.goal.name!r}{worth}: {needs}")
    lines.append(f"Net value {shown(plan.exact_net_value)}; {plan.proof}")
    if plan.assumptions:
        lines.append(f"Assumed: {listed(plan.assumptions)}")
    if alternatives:
        lines += _not_chosen(plan)
    return "\n".join(lines)


def draw_plan(plan: Plan) -> str:
    """Return the plan as a Mermaid flowchart; see `Plan.mermaid`."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    steps = [Node(f"step {position}", operator.label) for position, operator in enumerate(plan.operators)]
    if plan.goal is not NIRVANA:
        steps.append(Node("goal", plan.goal.name, "goal"))
    for node, supports in zip(steps, supports_of(plan), strict=False):
        for support in _shown_of(plan.domain, supports):
            text = spelled(support.name, support.truth)
            if support.step is not None:
                edges.append(Edge(f"step {support.step}", node.key, text))
                continue
            shape = "condition" if plan.domain.kinds.get(support.name) == "condition" else "type"
            fact = Node(f"fact {text}", text, shape)  # type: ignore[arg-type]
            nodes.append(fact)
            edges.append(Edge(fact.key, node.key, dashed=support.source == ASSUMED))
        nodes.append(node)
    return mermaid(nodes, edges)


def supports_of(plan: Plan) -> list[tuple[Support, ...]]:
    """Return what each step relies on, and last what the goal relies on."""
    sources: dict[str, tuple[str, int | None]] = {}
    assumed: dict[int, set[str]] = {}
    for assumption in plan.assumed:
        if assumption.bit:
            assumed.setdefault(assumption.step, set()).update(plan.domain.names(assumption.bit))
    operators = plan.operators
    rows: list[tuple[Support, ...]] = []
    for position, needs in enumerate((*(operator.pre for operator in operators), plan.goal.pre)):
        sources.update(dict.fromkeys(assumed.get(position, ()), (ASSUMED, None)))
        rows.append(tuple(Support(name, truth, *sources.get(name, (GIVEN, None))) for name, truth in needs.items()))
        if position < len(operators):
            operator = operators[position]
            sources.update(dict.fromkeys(operator.effects, (f"from {operator.name}", position)))
    return rows


def _step_lines(
    domain: Domain, number: int, step: tuple[Operator, Fraction, Fraction], supports: Iterable[Support]
) -> list[str]:
    operator, cost, value = step
    worth = f", value {shown(value)}" if value else ""
    lines = [f"{number}. {operator.label} (cost {shown(cost)}{worth})"]
    by_word: dict[str, list[str]] = {}
    for support in _shown_of(domain, supports):
        by_word.setdefault(_word_for(domain, support.name), []).append(str(support))
    for name, truth in operator.effects.items():
        if domain.kinds.get(name) != "bookkeeping":
            by_word.setdefault(_WORDS[truth], []).append(name)
    return lines + [f"   {word} {', '.join(by_word[word])}" for word in _ORDER if word in by_word]


_WORDS: Mapping[Truth, str] = {True: "gives", False: "undoes", None: "leaves open"}
_ORDER = ("inputs", "conditions", "needs", "gives", "undoes", "leaves open")


def _word_for(domain: Domain, name: str) -> str:
    kind = domain.kinds.get(name)
    return "inputs" if kind == "type" else "conditions" if kind == "condition" else "needs"


def _shown_of(domain: Domain, supports: Iterable[Support]) -> list[Support]:
    return [support for support in supports if domain.kinds.get(support.name) != "bookkeeping"]


def _not_chosen(plan: Plan) -> list[str]:
    """Say of each operator that the plan does without why, in brief."""
    chosen = set(plan.operators)
    provided = _provided(plan)
    lines = []
    for operator in plan.domain.operators:
        if operator in chosen:
            continue
        shared = [name for name, truth in operator.effects.items() if provided.get(name) is not None and truth]
        lines.append(f"   {operator.label}: {_why_not(plan, operator, shared, provided)}")
    return ["Not chosen:", *lines] if lines else ["Not chosen: none"]


def _provided(plan: Plan) -> dict[str, int]:
    """Return the facts that steps provide to later steps or the goal, with the step."""
    return {
        support.name: support.step
        for supports in supports_of(plan)
        for support in supports
        if support.step is not None and support.truth and plan.domain.kinds.get(support.name) != "bookkeeping"
    }


def _why_not(plan: Plan, operator: Operator, shared: list[str], provided: Mapping[str, int]) -> str:
    if not shared:
        return "not needed"
    rival = plan.operators[provided[shared[0]]]
    before = set(supports_of(plan)[provided[shared[0]]])
    held = {(support.name, support.truth) for support in before}
    lacking = [
        spelled(name, truth)
        for name, truth in operator.pre.items()
        if plan.start.get(name) is not truth and (name, truth) not in held
    ]
    mine, theirs = operator.cost, plan.step_costs[provided[shared[0]]]
    if not callable(mine) and exact(mine) > theirs:
        return f"gives {listed(shared)} too, but costs {shown(exact(mine))}, more than {rival.label}"
    if lacking:
        return f"gives {listed(shared)} too, but also needs {listed(lacking)}"
    return f"gives {listed(shared)} too, but the plan with {rival.label} is preferred"
