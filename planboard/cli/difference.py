"""What differs between the plans that are locked and those of today, in words.

Compared is what a plan relies on: the choice of goal, the steps in order, what each needs, gives and costs. So an
action that has nothing to do with a plan changes nothing, and each change names the action that it comes from.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from planboard._text import listed
from planboard.cli.lockfile import Entry, Locked, LockedNoPlan, LockedPlan, LockedStep

Kind: TypeAlias = Literal[
    "planner", "choice", "new goal", "lost goal", "reachable", "unreachable", "missing",
    "steps", "order", "declaration", "price", "assumptions", "goal",
]  # fmt: skip
"""What a change is about."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs."""

    kind: Kind
    text: str
    """In words: "now chooses `buy` instead of `research`"."""
    goal: str | None = None
    """The goal whose plan it is; `None` if it is about all goals."""
    lines: tuple[str, ...] = ()
    """The steps, each after "- ", "+ " or two blanks, where they say more than the text."""


def changes(locked: Entry, now: Entry, why: Mapping[str, str] | None = None) -> list[Change]:
    """Return what differs between a situation as locked and as it is; nothing if its plans are the same.

    Args:
        locked: As locked.
        now: As it is.
        why: Why there is no plan now, for the goals that have none.
    """
    found: list[Change] = []
    if locked.planned_by != now.planned_by:
        found.append(Change("planner", f"now planned by {now.planned_by} instead of {locked.planned_by}"))
    if locked.chosen != now.chosen and locked.chosen is not None and now.chosen is not None:
        found.append(Change("choice", f"now pursues {now.chosen!r} instead of {locked.chosen!r}"))
    for goal in sorted({*locked.goals, *now.goals}):
        before, after = locked.goals.get(goal), now.goals.get(goal)
        found += _goal_changes(goal, before, after, (why or {}).get(goal, ""))
    return found


def news(entry: Entry, why: Mapping[str, str] | None = None) -> list[Change]:
    """Return a situation that was not locked before as changes."""
    return [_new(goal, answer, (why or {}).get(goal, "")) for goal, answer in sorted(entry.goals.items())]


def _goal_changes(goal: str, before: Locked | None, after: Locked | None, why: str) -> Iterator[Change]:
    if before is None and after is not None:
        yield _new(goal, after, why)
    elif after is None:
        yield Change("lost goal", "there is no such goal any more", goal)
    elif isinstance(before, LockedPlan) and isinstance(after, LockedPlan):
        yield from _plan_changes(goal, before, after)
    elif isinstance(before, LockedPlan) and isinstance(after, LockedNoPlan):
        lines = tuple(f"- {_line(step)}" for step in before.steps)
        yield Change("unreachable", f"has no plan any more: {_reason(after, why)}", goal, lines)
    elif isinstance(before, LockedNoPlan) and isinstance(after, LockedPlan):
        lines = tuple(f"+ {_line(step)}" for step in after.steps)
        yield Change("reachable", f"has a plan now, cost {_number(after.cost)}", goal, lines)
    elif isinstance(after, LockedNoPlan) and before != after:
        yield Change("missing", f"still has no plan, for another reason: {_reason(after, why)}", goal)


def _new(goal: str, answer: Locked, why: str) -> Change:
    if isinstance(answer, LockedNoPlan):
        return Change("new goal", f"new, without a plan: {_reason(answer, why)}", goal)
    return Change("new goal", f"new, cost {_number(answer.cost)}", goal, tuple(f"+ {_line(s)}" for s in answer.steps))


def _plan_changes(goal: str, before: LockedPlan, after: LockedPlan) -> Iterator[Change]:
    old, new = [step.label for step in before.steps], [step.label for step in after.steps]
    if old != new:
        kind: Kind = "order" if Counter(old) == Counter(new) else "steps"
        yield Change(kind, _choice(old, new), goal, tuple(_diff(before.steps, after.steps)))
    for one, other in _pairs(before.steps, after.steps):
        for text in _declared(one, other):
            yield Change("declaration", f"`{one.label}` {text}", goal)
    if before.needs != after.needs:
        yield Change("goal", _sets("needs", before.needs, after.needs), goal)
    if before.assumptions != after.assumptions:
        text = _sets("assumes", before.assumptions, after.assumptions) or "assumes the same in another order"
        yield Change("assumptions", text, goal)
    prices = [
        f"{what} {_number(was)} -> {_number(is_now)}"
        for what, was, is_now in (
            ("cost", before.cost, after.cost),
            ("value", before.value, after.value),
            ("worth of the goal", before.worth, after.worth),
            ("net value", before.net_value, after.net_value),
        )
        if was != is_now
    ]
    if prices:
        yield Change("price", ", ".join(prices), goal)


def _choice(old: Iterable[str], new: Iterable[str]) -> str:
    was, is_now = Counter(old), Counter(new)
    gone, come = _quoted((was - is_now).elements()), _quoted((is_now - was).elements())
    if gone and come:
        return f"now chooses {come} instead of {gone}"
    if come:
        return f"now also takes {come}"
    return f"no longer takes {gone}" if gone else "takes the same steps in another order"


def _pairs(before: Iterable[LockedStep], after: Iterable[LockedStep]) -> Iterator[tuple[LockedStep, LockedStep]]:
    """Yield the steps that are in both plans, the first of an action with the first, and so on; each change once."""
    left: dict[str, list[LockedStep]] = {}
    for step in after:
        left.setdefault(step.label, []).append(step)
    seen = set()
    for step in before:
        if left.get(step.label):
            pair = (step, left[step.label].pop(0))
            if pair not in seen:
                seen.add(pair)
                yield pair


def _declared(before: LockedStep, after: LockedStep) -> Iterator[str]:
    for what, was, is_now in (("cost", before.cost, after.cost), ("value", before.value, after.value)):
        if was != is_now:
            yield f"{what} {_number(was)} -> {_number(is_now)}"
    if before.needs != after.needs:
        yield _sets("needs", before.needs, after.needs)
    if before.gives != after.gives:
        yield _sets("is relied on for", before.gives, after.gives)


def _sets(verb: str, was: Iterable[str], is_now: Iterable[str]) -> str:
    come = _quoted(sorted(set(is_now) - set(was)))
    gone = _quoted(sorted(set(was) - set(is_now)))
    return ", ".join(filter(None, (come and f"now {verb} {come}", gone and f"no longer {verb} {gone}")))


def _diff(before: Iterable[LockedStep], after: Iterable[LockedStep]) -> Iterator[str]:
    old, new = [_line(step) for step in before], [_line(step) for step in after]
    for tag, left, right, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (f"  {line}" for line in old[left:right])
        else:
            yield from (f"- {line}" for line in old[left:right])
            yield from (f"+ {line}" for line in new[start:end])


def _line(step: LockedStep) -> str:
    worth = f", value {_number(step.value)}" if step.value else ""
    return f"{step.label} (cost {_number(step.cost)}{worth})"


def _reason(answer: LockedNoPlan, why: str) -> str:
    _, _, said = why.partition(": ")
    if said:
        return said
    return f"{answer.reason}; missing: {listed(answer.missing) or 'nothing in particular'}"


def _quoted(names: Iterable[str]) -> str:
    return listed(f"`{name}`" for name in names)


def _number(number: float) -> str:
    return f"{number:.12g}"
