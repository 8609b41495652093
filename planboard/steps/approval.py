"""`approval`: a step at which a person says whether to go on."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from pydantic import BaseModel, ConfigDict

from planboard.actions.making import StepAction, check_words, parameters_of, step, with_inputs
from planboard.actions.waiting import Consent
from planboard.errors import DefinitionError
from planboard.steps.human import seconds_of
from planboard.types import TypeForm


class Approved(BaseModel):
    """A person has agreed at an `approval` step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    """The name of the step."""


def approval(
    question: str,
    *,
    needs: Iterable[TypeForm] = (),
    expires: timedelta | float | None = None,
    name: str = "approval",
    **options: Any,
) -> StepAction:
    """Return an action at which a person says yes or no.

    The process becomes WAITING, and `process.pending` has the request; `process.respond(id, True)` agrees. Then an
    `Approved` is put on the board, else a `Denied` (or, if nobody answers in time, an `Expired`), and the planner looks
    for another way. In a `sequence` what follows is run only after an `Approved`, unless it takes a `Denied`.

    To ask before one action rather than between two, use `@action(approval=...)`.

    Args:
        question: What the person is asked. It may show what is needed: "Pay {expense.amount}?", where `Expense` is.
        needs: What must be on the board before, by type. The person is shown it.
        expires: How long the question stands, as a length of time or in seconds; for ever by default.
        name: The name of the action.
        **options: What `@action` takes: `cost`, `value`, `pre`, `post`, `rerun`, `description`.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    if not isinstance(question, str) or not question.strip():
        message = f"approval({question!r}): give the question that a person is asked."
        raise DefinitionError(message)
    inputs = parameters_of(needs)
    if inputs:
        check_words(question, inputs)

    def agreed(**_: Any) -> Approved:
        return Approved(step=name)

    options.setdefault("description", " ".join(question.split()))
    options.setdefault("idempotent", True)
    options["approval"] = Consent(question, None if expires is None else seconds_of(expires))
    return step("approval step", with_inputs(agreed, inputs), name=name, returns=Approved, options=options)
