"""What an action was counted on for, and whether it came true."""

from collections.abc import Callable

from planboard.actions.action import Action
from planboard.events import ExpectationFailed
from planboard.planners.plan import Plan
from planboard.planners.world import World
from planboard.runtime.outcome import ActionCall


def compare(call: ActionCall, plan: Plan | None, world: World, record: Callable[..., None]) -> Plan | None:
    """Return what is left of the plan if the action did what was predicted; record what it was counted on for in vain.

    Raises:
        PlanningError: A condition raised. So does `BlackboardError`, if one changed an object.
    """
    rest = plan.rest(world) if plan is not None else None
    if rest is not None and not call.action.post:
        return rest
    promises = broken_promises(call.action, world)
    assumptions = wrong_assumptions(call.action, plan, world) if plan is not None else ()
    if promises or assumptions:
        record(
            ExpectationFailed,
            call=call.number,
            action=call.action.name,
            promises=promises,
            assumptions=assumptions,
        )
    return rest


def broken_promises(action: Action, world: World) -> tuple[str, ...]:
    """Return the conditions of `post=` that do not hold after the action, as they were written."""
    return tuple(
        name if wanted else f"not {name}"
        for name, wanted in action.post
        if not _has_to_be_waited_for(world, name) and truth_of(world, name) is not wanted
    )


def wrong_assumptions(action: Action, plan: Plan, world: World) -> tuple[str, ...]:
    """Return what the plan assumed of its first step, the action, that proved wrong."""
    first = plan.first
    if first is None or first.name != action.name:
        return ()
    unsure = {plan.domain.bit(name): name for name, effect in first.effects.items() if effect is None}
    wrong: list[str] = []
    for assumption in plan.assumed:
        if assumption.bit == 0:
            missed = any(effect is True and world[name] is False for name, effect in first.effects.items())
            if assumption.step == 0 and missed:
                wrong.append(assumption.text)
        elif assumption.bit in unsure:
            name = unsure[assumption.bit]
            if not _has_to_be_waited_for(world, name) and truth_of(world, name) is not (assumption.text == name):
                wrong.append(assumption.text)
    return tuple(dict.fromkeys(wrong))


def _has_to_be_waited_for(world: World, name: str) -> bool:
    """Tell whether a condition's answer is found out later, if the next plan depends on it."""
    condition = world.compilation.catalogue.conditions.get(name)
    return condition is not None and condition.waits


def truth_of(world: World, name: str) -> bool | None:
    """Return whether a fact holds, finding it out if need be."""
    known = world[name]
    return world.resolve(name) if known is None else known
