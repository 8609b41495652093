"""Why there is no plan: what is missing, who could provide it, and the least that would do.

The least is a smallest set of facts which, were they as needed, would let the goal be reached if actions never
undid anything (delete relaxation). It is exact up to a few facts and says so where it is only small.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import comb

from planboard._text import listed
from planboard.planners.domain import bits_of
from planboard.planners.operator import NIRVANA
from planboard.planners.plan import Describe, NoPlan, shown, spelled
from planboard.planners.search.view import View, reached_from, view_of

_TRIALS = 2_000
"""Sets of facts tried before the exact answer is given up for a small one."""
_SHOWN = 5
"""Producers listed per fact."""


@dataclass(frozen=True, slots=True)
class Unblocking:
    """Facts that would make the goal reachable."""

    facts: tuple[tuple[str, bool], ...]
    smallest: bool
    """Whether no smaller set would do."""


def headline(failure: NoPlan) -> str:
    """Return the failure in one line."""
    goal = f"{failure.goal.name!r}"
    if failure.goal is NIRVANA:
        return f"No plan for {goal}: " + (
            "no action can be run." if failure.reason == "nothing_achievable" else "it is never satisfied."
        )
    missing = listed(repr(name) for name in failure.missing) or "the goal"
    if failure.reason == "limit":
        best = f" The best plan met so far is {failure.best}." if failure.best is not None else ""
        bound = "" if failure.bound is None else f" No plan costs less than {failure.bound:g}."
        return f"No plan for {goal} yet: the search reached its limit, so there may be one.{best}{bound}"
    if failure.reason == "nothing_achievable":
        return f"No plan for {goal}: no action that can be run now brings about {missing}."
    text = f"No plan for {goal}: {missing} cannot be reached."
    least = unblocking(failure)
    if least is None or not least.facts or least.facts == tuple(_parsed(failure)):
        return text
    return f"{text} It would take {listed(repr(spelled(*fact)) for fact in least.facts)}."


def explain_no_plan(failure: NoPlan, describe: Describe | None = None) -> str:
    """Return the failure in full; see `NoPlan.explain`."""
    lines = [headline(failure)]
    if failure.problem is None or failure.goal is NIRVANA:
        return "\n".join(lines)
    view = view_of(failure.problem.domain, failure.goal)
    lines += _chain(failure, view, describe)
    least = unblocking(failure)
    if failure.reason == "unreachable" and least is not None and least.facts:
        facts = listed(repr(spelled(*fact)) for fact in least.facts)
        lines.append(
            f"The least that would do: {facts}."
            if least.smallest
            else f"This would do, though less might: {facts}."
        )
    return "\n".join(lines)


def unblocking(failure: NoPlan) -> Unblocking | None:
    """Return a smallest set of facts that would make the goal reachable; `None` if undoing is what blocks it.

    Sets of one fact are tried before sets of two and so on; candidates are facts that something needs and nothing
    can provide, which every such set can be exchanged for.
    """
    if failure.problem is None or failure.known is None or failure.goal is NIRVANA:
        return None
    view = view_of(failure.problem.domain, failure.goal)
    start = view.literals_of(failure.known.true, failure.known.unknown)
    reached, _ = reached_from(view, start)
    if not view.goal & ~reached:
        return None
    leaves = _leaves(view, reached)
    trials = 0
    for size in range(1, len(leaves) + 1):
        trials += comb(len(leaves), size)
        if trials > _TRIALS:
            break
        for chosen in combinations(leaves, size):
            if _reaches(view, start, chosen):
                return Unblocking(tuple(sorted(view.named(sum(chosen)))), smallest=True)
    return Unblocking(tuple(sorted(view.named(sum(_shrunk(view, start, leaves))))), smallest=False)
