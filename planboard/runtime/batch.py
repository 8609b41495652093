"""Which steps may run at once: those that can be done already and do not get in each other's way."""

from collections.abc import Sequence

from planboard.planners.base import Planner
from planboard.planners.domain import Masks
from planboard.planners.operator import Operator, PlanGoal
from planboard.planners.plan import Plan
from planboard.planners.problem import Resolve
from planboard.planners.world import World


def independent_steps(
    plan: Plan,
    world: World,
    planner: Planner,
    goals: tuple[PlanGoal, ...],
    most: int,
    busy: tuple[Operator, ...] = (),
) -> Sequence[Operator]:
    """Return the steps that may run now and beside each other, in the order of the plan.

    A plan of several steps is searched for them. A planner that chooses one step at a time is asked again, with the
    chosen steps taken as done.

    Args:
        plan: What comes next.
        world: As it is now.
        planner: Made the plan.
        goals: What is planned for.
        most: How many steps there may be at once, those included that are busy.
        busy: Steps that have begun and wait for something.
    """
    look = Look(world)
    chosen = _within(plan, look, most, busy) if len(plan) > 1 else _one_by_one(plan, look, planner, goals, most, busy)
    return chosen[len(busy) :]


class Look:
    """What operators do to the world as it is now."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._masks = {
            operator.key: masks for operator, masks in zip(world.domain.operators, world.domain.masks, strict=True)
        }

    def masks(self, operator: Operator) -> Masks:
        """Return an operator as integers."""
        return self._masks[operator.key]

    def is_achievable(self, operator: Operator) -> bool:
        """Tell whether an operator can be run now."""
        masks, world = self.masks(operator), self.world
        false = ~(world.true | world.unknown)
        return masks.pre_true & world.true == masks.pre_true and masks.pre_false & false == masks.pre_false

    def are_independent(self, one: Operator, other: Operator) -> bool:
        """Tell whether the order of two operators makes no difference to either, nor to what holds afterwards."""
        if one.name == other.name:
            return False
        first, second = self.masks(one), self.masks(other)
        if self._written(first) & self._read(other, second) or self._written(second) & self._read(one, first):
            return False
        return not (
            first.true & (second.false | second.unknown)
            or first.false & (second.true | second.unknown)
            or first.unknown & (second.true | second.false)
        )

    def _read(self, operator: Operator, masks: Masks) -> int:
        return masks.pre_true | masks.pre_false | self.world.reads(operator.name)

    @staticmethod
    def _written(masks: Masks) -> int:
        return masks.true | masks.false | masks.unknown


def _within(plan: Plan, look: Look, most: int, busy: tuple[Operator, ...]) -> list[Operator]:
    """Choose from the plan. A step is taken past others only if it is independent of all of them."""
    chosen: list[Operator] = list(busy)
    begun = {operator.name for operator in busy}
    passed: list[Operator] = []
    for operator in plan.operators:
        if len(chosen) == most:
            break
        if operator.name in begun:
            begun.discard(operator.name)
            continue
        others = (*chosen, *passed)
        if look.is_achievable(operator) and all(look.are_independent(operator, other) for other in others):
            chosen.append(operator)
        else:
            passed.append(operator)
    return chosen


def _one_by_one(
    plan: Plan, look: Look, planner: Planner, goals: tuple[PlanGoal, ...], most: int, busy: tuple[Operator, ...]
) -> list[Operator]:
    world = look.world
    chosen = list(busy)
    first = plan.first
    if first is not None and all(look.are_independent(first, other) for other in busy):
        chosen.append(first)
    true, unknown, touched = world.true, world.unknown, 0
    done = 0
    while len(chosen) < most:
        for operator in chosen[done:]:
            masks = look.masks(operator)
            true, unknown = masks.after(true, unknown)
            touched |= masks.true | masks.false | masks.unknown
        done = len(chosen)
        problem = world.at(true, unknown).problem(goals)
        problem.resolve = _untouched_only(world, touched)
        found = planner.plan(problem)
        step = found.first if isinstance(found, Plan) else None
        if step is None or not look.is_achievable(step):
            break
        if not all(look.are_independent(step, other) for other in chosen):
            break
        chosen.append(step)
    return chosen


def _untouched_only(world: World, touched: int) -> Resolve:
    """What a condition will say after steps that touch its inputs cannot be known yet."""

    def resolve(name: str) -> bool | None:
        return None if world.domain.bit(name) & touched else world.resolve(name)

    return resolve
