"""`sleep`: an action that waits, for a length of time or until a moment, also across programs."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from planboard.actions.making import StepAction, parameters_of, step, with_inputs
from planboard.actions.waiting import Duration, Sleep, Slept, moment_of
from planboard.errors import DefinitionError
from planboard.types import TypeForm


def sleep(
    duration: Duration | Callable[..., Duration],
    *,
    name: str = "sleep",
    needs: Iterable[TypeForm] = (),
    **options: Any,
) -> StepAction:
    """Return an action that waits and then puts a `Slept` on the board.

    The moment is fixed when the sleep begins, and kept: a program that is started again goes on waiting for the rest.

    Args:
        duration: Seconds, a length of time, a moment with a time zone, or a typed function over the board that
            returns one of these.
        name: The name of the action.
        needs: What must be on the board before it begins.
        **options: What `@action` takes: `cost`, `value`, `pre`, `post`, `output`, `rerun`, `description`.

    Example:
        >>> sleep(timedelta(days=3), name="wait_for_reply")
        <step 'wait_for_reply'>

    Raises:
        DefinitionError: Something about it cannot work.
    """
    function: Callable[..., Any]
    if callable(duration):
        function = duration
        options.setdefault("description", "Waits.")
    else:
        try:
            moment_of(duration, 0.0)
        except ValueError as error:
            message = f"sleep(...): {error}"
            raise DefinitionError(message) from None
        inputs = parameters_of(needs)

        def length(**_: Any) -> float | timedelta | datetime:
            return duration

        function = with_inputs(length, inputs)
        options.setdefault("description", f"Waits {'until' if isinstance(duration, datetime) else 'for'} {duration}.")
    return step("sleep", function, name=name, returns=Slept, wait=Sleep(), options=options)
