"""`human`: an action that produces a value by asking a person for it."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

from planboard.actions.making import StepAction, name_after, step, words_with
from planboard.actions.waiting import AskPerson, Words
from planboard.errors import DefinitionError
from planboard.types import TypeForm, is_type, type_name


def human(
    form: TypeForm,
    prompt: Words | None = None,
    *,
    needs: Iterable[TypeForm] = (),
    expires: timedelta | float | None = None,
    name: str | None = None,
    **options: Any,
) -> StepAction:
    """Return an action that produces a value by asking a person.

    The process becomes WAITING, and `process.pending` has the request; `process.respond(id, value)` answers it. What
    is answered is checked against the type first. If it is denied, or expires, a `Denied` (or `Expired`) is put on
    the board and the planner looks for another way.

    Args:
        form: What the person gives.
        prompt: The question: a text, or a typed function over the board that returns one; its parameters are inputs
            of the action. It must have no effects, for it may be asked for more than once.
        needs: For a text: what must be on the board before. The text may show it: "Pay {expense.amount}?", where
            `Expense` is needed.
        expires: How long the question stands, as a length of time or in seconds; for ever by default.
        name: The name of the action; `ask_` and the type's name by default.
        **options: What `@action` takes: `cost`, `value`, `pre`, `post`, `output`, `rerun`, `consumes`, `description`.

    Example:
        >>> class Decision(BaseModel):
        ...     ok: bool
        >>> human(Decision, prompt="Shall we?", cost=0.2)
        <step 'ask_decision'>

    Raises:
        DefinitionError: Something about it cannot work.
    """
    if not is_type(form):
        message = f"human({form!r}): name the type of what a person shall give, as in human(Decision, prompt=...)."
        raise DefinitionError(message)
    words = prompt if prompt is not None else f"Please give a {type_name(form)}."
    if not isinstance(words, str) and tuple(needs):
        message = "human(prompt=function, needs=...): the function's parameters say what is needed; leave out `needs`."
        raise DefinitionError(message)
    function: Callable[..., Any] = words_with(words, needs) if isinstance(words, str) else words
    length = None if expires is None else seconds_of(expires)
    said = words if isinstance(words, str) else (words.__doc__ or f"Asks a person for a {type_name(form)}.")
    options.setdefault("description", " ".join(said.split()))
    wait = AskPerson(form, length)
    return step("human step", function, name=name or name_after("ask", form), returns=form, wait=wait, options=options)


def seconds_of(expires: Any) -> timedelta:
    """Return how long a question stands.

    Raises:
        DefinitionError: It is no length of time.
    """
    if isinstance(expires, timedelta):
        return expires
    if isinstance(expires, bool) or not isinstance(expires, int | float) or not 0 < expires < float("inf"):
        message = f"expires={expires!r}: it is a timedelta or a number of seconds above 0."
        raise DefinitionError(message)
    return timedelta(seconds=expires)
