"""`task`: any function as a step, without decorating it."""

from typing import Any

from planboard.actions.declarations import ActionDeclaration, declaration_of
from planboard.actions.making import StepAction, step
from planboard.errors import DefinitionError
from planboard.steps.part import as_function
from planboard.types import TypeForm


def task(function: Any, *, name: str | None = None, returning: TypeForm = None, **options: Any) -> Any:
    """Return an action made of a function, which is left as it is; a decorated action is returned unchanged.

    Use it for functions of others, and to make several actions of one function.

    Args:
        function: A function with types, a bound method, or an object that can be called; or an action already.
        name: The name of the action; the function's by default.
        returning: What it puts on the board, if its annotation does not say so.
        **options: What `@action` takes.

    Raises:
        DefinitionError: It is no function, or something about it cannot work.
    """
    declared = declaration_of(function)
    if isinstance(declared, ActionDeclaration):
        if options or name is not None or returning is not None:
            message = f"{declared.name!r} is an action already; say the rest where it is declared."
            raise DefinitionError(message, where=declared.where)
        return function
    if not callable(function) or isinstance(function, type):
        message = f"task({function!r}): it is no function."
        raise DefinitionError(message)
    called = name or str(getattr(function, "__name__", type(function).__name__))
    said = " ".join((getattr(function, "__doc__", None) or "").partition("\n\n")[0].split())
    options.setdefault("description", said)
    made: StepAction = step("task", as_function(function), name=called, returns=returning, options=options)
    return made
