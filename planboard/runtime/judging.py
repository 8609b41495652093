"""Conditions that have to be waited for: asked by the driver, answered once for the same inputs."""

from typing import TYPE_CHECKING

from planboard._text import brief
from planboard.blackboard.schema import describe_error
from planboard.errors import BudgetExceededError, ConditionError, PlanningError
from planboard.events import ConditionJudged, ModelCalled, ProcessStatus
from planboard.planners.world import binding_of
from planboard.runtime.outcome import ConditionCall, Failed, Outcome, Succeeded

if TYPE_CHECKING:
    from planboard.runtime.core import ProcessCore


def question_of(core: "ProcessCore", name: str) -> ConditionCall:
    """Return the command to find out what a condition says of the board as it is."""
    world = core.state.world
    condition = world.compilation.catalogue.conditions[name]
    predicate = condition.predicate
    bound = None if predicate is None else predicate.bind(core.state.board)
    if predicate is None or bound is None:
        message = f"Condition {name!r} was asked for, but one of its inputs is not on the board."
        raise PlanningError(message)
    predicate.inject(bound, world.services)
    call = ConditionCall(core.state.calls + 1, condition, bound, binding_of(bound))
    bound.kwargs.update(core.models.for_condition(condition, call.took))
    return call


def take_answer(core: "ProcessCore", call: ConditionCall, outcome: Outcome) -> None:
    """Record what a condition has answered. What is no answer fails the process; an error is never read as false."""
    name, where = call.condition.name, call.condition.where
    for usage in sorted(call.took):
        core.record(ModelCalled, **usage._asdict(), condition=name)
    if isinstance(outcome, Succeeded) and isinstance(outcome.value, bool):
        core.state.board.verify(call.bound.entries)
        core.record(ConditionJudged, condition=name, inputs=call.inputs, value=outcome.value)
        return
    if isinstance(outcome, Failed):
        if isinstance(outcome.error, BudgetExceededError):
            core.end(ProcessStatus.TERMINATED, f"budget: {core.ledger.exhaustion()}")
            return
        message = (
            f"Condition {name!r} raised {describe_error(outcome.error)} ({where}). "
            "A condition answers True or False; an error is not taken for False."
        )
        error = ConditionError(name, message)
        error.__cause__ = outcome.error
        core.fail(error)
        return
    shown = brief(outcome.value) if isinstance(outcome, Succeeded) else "a request to plan anew"
    core.fail(ConditionError(name, f"Condition {name!r} answered {shown} instead of True or False ({where})."))
