"""Why there is no plan: what is missing, who could provide it, and the least that would do.

The least is a smallest set of facts which, were they as needed, would let the goal be reached if actions never
undid anything (delete relaxation). It is exact up to a few facts and says so where it is only small.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import combinations
from math import comb

from planboard._text import listed, suggest
from planboard.planners.domain import bits_of
from planboard.planners.operator import NIRVANA, Truth
from planboard.planners.plan import Describe, NoPlan, spelled
from planboard.planners.proof import Disproof, Obstacle, Producer
from planboard.planners.search.view import View, reached_from, view_of

_TRIALS = 2_000
"""Sets of facts tried before the exact answer is given up for a small one."""
_COMPARED = 200
"""Lines of an explanation after which names are no longer compared with all others to find the closest."""
_SHOWN = 5
"""Producers listed per fact."""


@dataclass(frozen=True, slots=True)
class Unblocking:
    """Facts that would make the goal reachable."""

    facts: tuple[tuple[str, bool], ...]
    smallest: bool
    """Whether no smaller set would do."""


def _found_out(failure: NoPlan) -> NoPlan:
    """Evaluate what a planner could leave unknown: an explanation tells what is so, not what was asked."""
    problem, known = failure.problem, failure.known
    if problem is None or known is None or problem.resolve is None or failure.goal is NIRVANA:
        return failure
    relevant = set(view_of(problem.domain, failure.goal).facts)
    for name in known.unknown_names:
        if name in relevant and name not in failure.found_out:
            failure.found_out[name] = problem.resolve(name)
    return replace(failure, known=known.updated(failure.found_out)) if failure.found_out else failure


def headline(failure: NoPlan) -> str:
    """Return the failure in one line."""
    failure = _found_out(failure)
    goal = f"{failure.goal.name!r}"
    if failure.goal is NIRVANA:
        return f"No plan for {goal}: " + (
            "no action can be run." if failure.reason == "nothing_achievable" else "it is never satisfied."
        )
    missing = listed(repr(name) for name in failure.missing) or "the goal"
    if failure.reason == "limit":
        best = f" The best plan met so far is {failure.best}." if failure.best is not None else ""
        bound = "" if failure.bound is None else f" No plan costs less than {failure.bound:g}."
        if failure.best is None:
            return f"No plan for {goal} yet: the search reached its limit, so there may be one.{bound}"
        stopped = f"No plan for {goal} is proven yet: the search reached its limit, so there may be a better one."
        return f"{stopped}{best}{bound}"
    if failure.reason == "nothing_achievable":
        return f"No plan for {goal}: no action that can be run now brings about {missing}."
    text = f"No plan for {goal}: {missing} cannot be reached."
    least = unblocking(failure)
    if least is None and failure.problem is not None:
        return f"{text} Each part could come about, but not all of them together."
    if least is None or not least.facts or least.facts == tuple(_parsed(failure)):
        return text
    return f"{text} It would take {listed(repr(spelled(*fact)) for fact in least.facts)}."


def explain_no_plan(failure: NoPlan, describe: Describe | None = None) -> str:
    """Return the failure in full; see `NoPlan.explain`."""
    failure = _found_out(failure)
    lines = [headline(failure)]
    if failure.problem is None or failure.goal is NIRVANA:
        return "\n".join(lines)
    describe = describe or failure.problem.state.describe
    lines += _chain(failure, describe)
    least = unblocking(failure)
    if failure.reason == "unreachable" and least is not None and least.facts:
        facts = listed(repr(spelled(*fact)) for fact in least.facts)
        lines.append(
            f"The least that would do: {facts}." if least.smallest else f"This would do, though less might: {facts}."
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


def _leaves(view: View, reached: int) -> list[int]:
    """Return the literals a smallest set is looked for among, by name.

    What nothing can provide comes first. Only where things wait for each other in a circle is the rest considered.
    """
    lacking = _needed(view) & ~reached
    provided = 0
    for mask in view.add:
        provided |= mask
    goal = view.goal & ~reached
    facts = ~_bookkeeping(view)
    groups = (lacking & ~provided, lacking & ~(goal & provided), lacking)
    attempts = (*(group & facts for group in groups), *groups)
    candidates = next((mask for mask in attempts if _reaches(view, reached, [mask])), lacking)
    literals = {literal: view.named(literal)[0] for literal in (1 << bit for bit in bits_of(candidates))}
    return sorted(literals, key=literals.__getitem__)


def _needed(view: View) -> int:
    """Return the literals that the goal or some operator needs; assumptions are made, not needed."""
    mask = view.goal
    for index in range(len(view.chosen)):
        mask |= view.pre[index]
    return mask


def _bookkeeping(view: View) -> int:
    """Return the literals that are about the run itself; to change them is no remedy a person would look for."""
    mask = 0
    for name in view.facts:
        if view.domain.kinds.get(name) == "bookkeeping":
            mask |= view.literal(name, True) | view.literal(name, False)
    return mask


def _reaches(view: View, start: int, granted: Iterable[int]) -> bool:
    for literals in granted:
        start |= literals
    reached, _ = reached_from(view, start)
    return not view.goal & ~reached


def _shrunk(view: View, start: int, chosen: list[int]) -> list[int]:
    """Drop one after the other what the rest can do without: minimal, though perhaps not smallest."""
    for literal in list(chosen):
        fewer = [other for other in chosen if other != literal]
        if _reaches(view, start, fewer):
            chosen = fewer
    return chosen


def disproof(failure: NoPlan) -> Disproof:
    """Return why there is no plan, as data; see `NoPlan.proof`."""
    failure = _found_out(failure)
    least = unblocking(failure)
    spelled_out = tuple(spelled(*fact) for fact in least.facts) if least is not None else ()
    obstacles = tuple(
        Obstacle(
            spelled(*link.fact), link.now, tuple(Producer(label, _spelled(unmet)) for label, unmet in link.producers)
        )
        for link in _links(failure)
    )
    return Disproof(spelled_out, least is None or least.smallest, obstacles, failure.nodes)


@dataclass(frozen=True, slots=True)
class _Link:
    """A missing fact, and who could bring it about with what those lack."""

    fact: tuple[str, bool]
    now: Truth
    producers: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]


def _links(failure: NoPlan) -> Iterator[_Link]:
    """Yield what is missing, from the goal down: then what its producers lack, and so on."""
    if failure.problem is None or failure.known is None or failure.goal is NIRVANA:
        return
    domain = failure.problem.domain
    view = view_of(domain, failure.goal)
    start = view.literals_of(failure.known.true, failure.known.unknown)
    reached = start if failure.reason == "nothing_achievable" else reached_from(view, start)[0]
    pending = list(_parsed(failure))
    told: set[tuple[str, bool]] = set()
    while pending:
        fact = pending.pop(0)
        if fact in told:
            continue
        told.add(fact)
        producers = []
        for index in sorted({*domain.achievers.get(fact, ()), *domain.achievers.get((fact[0], None), ())}):
            operator = domain.operators[index]
            unmet = tuple(need for need in operator.pre.items() if not view.literal(*need) & reached)
            producers.append((operator.label, unmet))
            if len(producers) <= _SHOWN:
                pending += [need for need in unmet if domain.kinds.get(need[0]) != "bookkeeping"]
        yield _Link(fact, failure.known.get(fact[0], False), tuple(producers))


def _chain(failure: NoPlan, describe: Describe) -> list[str]:
    """Say of each missing fact who could provide it, then of what those lack, and so on."""
    lines: list[str] = []
    kinds = failure.problem.domain.kinds if failure.problem is not None else {}
    for link in _links(failure):
        lines.append(_about(failure, link, describe, compared=len(lines) < _COMPARED))
        for label, unmet in link.producers[:_SHOWN]:
            lacks = [need for need in unmet if kinds.get(need[0]) != "bookkeeping"]
            words = [describe(name) or spelled(name, truth) for name, truth in unmet if (name, truth) not in lacks]
            words += [f"lacks {listed(map(repr, _spelled(lacks)))}"] if lacks else []
            lines.append(f"    {label}: {', '.join(words) or 'could run'}")
        if len(link.producers) > _SHOWN:
            lines.append(f"    and {len(link.producers) - _SHOWN} more")
    return lines


def _spelled(facts: Iterable[tuple[str, bool]]) -> tuple[str, ...]:
    return tuple(spelled(*fact) for fact in facts)


def _about(failure: NoPlan, link: _Link, describe: Describe, *, compared: bool) -> str:
    name, truth = link.fact
    now = "is unknown" if link.now is None else f"is {'true' if link.now else 'false'}"
    extra = describe(name)
    subject = "it" if truth else repr(name)
    line = f"  {spelled(name, truth)!r} is needed, but {subject} {now}{f': {extra}' if extra else ''}."
    if link.producers:
        return f"{line} It could come from:"
    return f"{line} Nothing brings it about. {_closest(failure, name, truth=truth) if compared else ''}".rstrip()


def _closest(failure: NoPlan, name: str, *, truth: bool) -> str:
    """Name what is provided under a similar name, and by whom."""
    if failure.problem is None:
        return ""
    domain = failure.problem.domain
    producers = {
        fact: indices
        for (fact, value), indices in domain.achievers.items()
        if value is truth and domain.kinds.get(fact) != "bookkeeping"
    }
    close = get_close_matches(name, sorted(producers), n=3, cutoff=0.5)
    if not close:
        return suggest(name, producers)
    operators = failure.problem.domain.operators
    told = (f"{fact!r} (by {listed(operators[index].label for index in producers[fact][:_SHOWN])})" for fact in close)
    return f"Closest: {listed(told)}."


def _parsed(failure: NoPlan) -> list[tuple[str, bool]]:
    """Return `missing` as facts with values."""
    return [(name, truth) for name, truth in failure.goal.pre.items() if spelled(name, truth) in failure.missing]
