"""The decorators: `@action`, `@achieves_goal`, `@condition`.

A decorator returns the very function it was given, so that it stays callable as before. What it declares hangs on
the function and is read when an agent is built.
"""

from collections.abc import Callable, Iterable
from inspect import cleandoc
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload

from planboard._text import suggest
from planboard.actions.declarations import (
    MARK,
    ActionDeclaration,
    ConditionDeclaration,
    Estimate,
    Rerun,
    Retry,
    declaration_of,
)
from planboard.actions.goal import Achievement, checked_share, is_seconds
from planboard.actions.signature import SignatureReader, is_method
from planboard.actions.waiting import Consent, Wait
from planboard.errors import DefinitionError
from planboard.types import Location, TypeForm, is_type, location_of

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
F = TypeVar("F", bound=Callable[..., Any])

_ACHIEVES = "__planboard_achieves__"


class ActionFunction(Protocol[P, R_co]):
    """A decorated function: what it was, and ways to say more about the action."""

    __name__: str
    __qualname__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Call the function itself, as if it were not decorated."""
        ...

    def cost(self, function: F, /) -> F:
        """Attach a typed function over board types that gives the cost when a plan is made."""
        ...

    def value(self, function: F, /) -> F:
        """Attach a typed function over board types that gives the value when a plan is made."""
        ...

    def when(self, function: F, /) -> F:
        """Attach a typed predicate that must hold before the action runs."""
        ...

    def __get__(self, instance: Any, owner: Any = None, /) -> Callable[..., R_co]:
        """Bind like any function in a class."""
        ...


@overload
def action(function: Callable[P, R_co], /) -> ActionFunction[P, R_co]: ...
@overload
def action(
    *,
    description: str | None = None,
    cost: float | Callable[..., float] = 0.0,
    value: float | Callable[..., float] = 0.0,
    pre: Iterable[Any] | str = (),
    post: Iterable[Any] | str = (),
    output: str | tuple[str, ...] | None = None,
    rerun: Rerun | bool | None = None,
    trigger: TypeForm | None = None,
    clear_board: bool = False,
    consumes: Iterable[Any] | type | str = (),
    read_only: bool = False,
    idempotent: bool = False,
    retry: Retry | None = None,
    timeout: float | None = None,
    approval: bool | str | Consent = False,
    name: str | None = None,
) -> Callable[[Callable[P, R_co]], ActionFunction[P, R_co]]: ...
def action(function: Any = None, /, **options: Any) -> Any:
    """Declare a function, or a method of a component or state, to be an action.

    Its parameters are filled from the board by their types, and what it returns is put there.

    Args:
        function: The function, when used without parentheses.
        **options: As follows.

            description: What it does; the docstring's first paragraph by default.
            cost: What running it costs, 0 to 1, or a typed function that tells when a plan is made.
            value: What running it is worth, 0 to 1, or such a function.
            pre: Conditions that must hold before: a `@condition`, a name, a text expression, or `Not` of one.
            post: Conditions it promises beside its outputs, by name or `Not(name)`.
            output: The name that its output is bound to; a tuple of names for a tuple of outputs.
            rerun: `"never"` (the default), `"new_inputs"`: once for each distinct set of input entries (the default
                in states), or `"always"`.
            trigger: It runs only when the newest entry is of this type.
            clear_board: Hide everything else when it succeeds, and forget what has run.
            consumes: Inputs, by type or parameter name, that are hidden when it succeeds.
            read_only: It has no effects outside the board.
            idempotent: Running it twice does no harm.
            retry: How to treat transient errors.
            timeout: The seconds it may take.
            approval: A person must agree before it runs: `True`, or the question to ask. The question may show the
                arguments: `"Pay {expense.amount}?"`.
            name: Its name; the function's by default.

    Raises:
        DefinitionError: Something about the declaration cannot work; the message says where and what to do.
    """

    def declare(function: Callable[..., Any]) -> Any:
        return declare_action(function, **options)

    return declare if function is None else declare(function)


def achieves_goal(
    description: str | Callable[..., Any] = "", *, value: float = 0.0, name: str | None = None
) -> Callable[[F], F]:
    """Make a goal of an action's output: it is met once the output is on the board and this action produced it.

    Args:
        description: What is achieved.
        value: What it is worth, 0 to 1.
        name: The goal's name; the action's by default.

    Raises:
        DefinitionError: The value is out of range, or it is applied to something that is no function.
    """
    if callable(description):
        message = 'Write @achieves_goal("what is achieved"), with parentheses.'
        raise DefinitionError(message, where=location_of(description))
    achievement = Achievement(description, checked_share("value", value, "@achieves_goal"), name)

    def mark(function: F) -> F:
        declaration = declaration_of(function)
        if isinstance(declaration, ActionDeclaration):
            declaration.achieves = achievement
        else:
            setattr(function, _ACHIEVES, achievement)  # @action, applied next, picks it up
        return function

    return mark


@overload
def condition(function: F, /) -> F: ...
@overload
def condition(*, name: str | None = None) -> Callable[[F], F]: ...
def condition(function: Any = None, /, *, name: str | None = None) -> Any:
    """Declare a typed predicate over entries to be a condition.

    It is evaluated only when the answer can change the plan. While one of its inputs is not on the board it is
    UNKNOWN, which satisfies neither itself nor its negation.

    It may be asynchronous, or take an `Ai` and ask a model. Planning waits for nothing, so the process finds the
    answer out first, records it, and plans again. While its inputs are the same it is not asked twice.

    Raises:
        DefinitionError: A parameter has no type.
    """

    def declare(function: F) -> F:
        _mark(function, _declare_condition(function, name or _name_of(function), "condition"))
        return function

    return declare if function is None else declare(function)


def declare_action(  # noqa: D417, PLR0913 - the options of the decorator
    function: Callable[..., Any],
    *,
    kind: str = "action",
    returns: TypeForm = None,
    wait: Wait | None = None,
    agents: tuple[Any, ...] = (),
    attach: Callable[[ActionDeclaration], Any] | None = None,
    description: str | None = None,
    cost: float | Callable[..., float] = 0.0,
    value: float | Callable[..., float] = 0.0,
    pre: Iterable[Any] | str = (),
    post: Iterable[Any] | str = (),
    output: str | tuple[str, ...] | None = None,
    rerun: Rerun | bool | None = None,
    trigger: TypeForm | None = None,
    clear_board: bool = False,
    consumes: Iterable[Any] | type | str = (),
    read_only: bool = False,
    idempotent: bool = False,
    retry: Retry | None = None,
    timeout: float | None = None,
    approval: bool | str | Consent = False,
    name: str | None = None,
) -> Callable[..., Any]:
    """Declare a function to be an action, or the words of a step.

    Args:
        function: Its parameters are the inputs.
        kind: What it is, for messages.
        returns: What it yields, if that is not what the function returns.
        wait: What the process does instead of running the function.
        agents: The agents that it runs.
        attach: Returns the object that carries the declaration; by default the function does.

    What else it takes are the options of `@action`.

    Raises:
        DefinitionError: Something about the declaration cannot work.
    """
    if attach is None:
        _check_function(function, "action")
    name = name or _name_of(function)
    of, where = f"Action {name!r}", location_of(function)
    if timeout is not None and not (is_seconds(timeout) and timeout > 0):
        message = f"{of} has timeout={timeout!r}; it must be a number of seconds above 0."
        raise DefinitionError(message, where=where)
    if retry is not None and not isinstance(retry, Retry):
        message = f"{of} has retry={retry!r}; write Retry(attempts=3, on=ConnectionError), for example."
        raise DefinitionError(message, where=where)
    if trigger is not None and not is_type(trigger):
        message = f"{of} has trigger={trigger!r}; a trigger is the type that the newest entry must have."
        raise DefinitionError(message, where=where)
    method = attach is None and is_method(function)
    declaration = ActionDeclaration(
        name=name,
        function=function,
        reader=SignatureReader(function, kind=kind, skip_first=method, returns=returns),
        method=method,
        description=description if description is not None else _first_paragraph(function),
        cost=_located(checked_share, "cost", 0.0 if callable(cost) else cost, of, where=where),
        value=_located(checked_share, "value", 0.0 if callable(value) else value, of, where=where),
        pre=_items(pre),
        post=_items(post),
        output=_output_names(output, of, where),
        rerun=_rerun(rerun, of, where),
        trigger=trigger,
        consumes=_items(consumes),
        clear_board=clear_board,
        read_only=read_only,
        idempotent=idempotent,
        retry=retry,
        timeout=timeout,
        approval=_consent(approval, of, where),
        achieves=getattr(function, _ACHIEVES, None),
        wait=wait,
        agents=agents,
        rerun_given=rerun is not None,
    )
    if callable(cost):
        declaration.cost_estimate = _estimate(cost, "cost function", declaration.reader)
    if callable(value):
        declaration.value_estimate = _estimate(value, "value function", declaration.reader)
    carrier = function
    if attach is None:
        _mark(function, declaration)
    else:
        carrier = attach(declaration)
    _attach_methods(carrier, declaration)
    return function


def _attach_methods(function: Any, declaration: ActionDeclaration) -> None:
    def cost(estimate: F) -> F:
        declaration.cost_estimate = _estimate(estimate, "cost function", declaration.reader)
        return estimate

    def value(estimate: F) -> F:
        declaration.value_estimate = _estimate(estimate, "value function", declaration.reader)
        return estimate

    def when(predicate: F) -> F:
        label = _name_of(predicate)
        name = f"{declaration.name}.{'when' if label in ('_', '<lambda>') else label}"
        taken = {known.name for known in declaration.predicates}
        if name in taken:
            name = f"{name}.{len(taken) + 1}"
        declaration.predicates.append(_declare_condition(predicate, name, "predicate", declaration.reader))
        return predicate

    function.cost, function.value, function.when = cost, value, when


def _declare_condition(
    function: Callable[..., Any], name: str, kind: str, like: SignatureReader | None = None
) -> ConditionDeclaration:
    _check_function(function, kind)
    method = is_method(function)
    reader = SignatureReader(function, kind=kind, skip_first=method, needs_return=False, like=like)
    return ConditionDeclaration(name, function, reader, method)


def _estimate(function: Callable[..., float], kind: str, like: SignatureReader) -> Estimate:
    _check_function(function, kind)
    reader = SignatureReader(function, kind=kind, skip_first=is_method(function), needs_return=False, like=like)
    return Estimate(function, reader)


def _check_function(function: Any, kind: str) -> None:
    if isinstance(function, staticmethod | classmethod):
        message = f"A static or class method cannot be an {kind}; declare it as a function or a plain method."
        raise DefinitionError(message)
    if not callable(function) or isinstance(function, type):
        message = f"@{kind} is for functions; {function!r} is none."
        raise DefinitionError(message)
    if declaration_of(function) is not None:
        message = f"{_name_of(function)!r} is declared twice. Wrap it in a function of its own to declare it again."
        raise DefinitionError(message, where=location_of(function))


def _mark(function: Any, declaration: Any) -> None:
    try:
        setattr(function, MARK, declaration)
    except AttributeError:
        message = f"{function!r} cannot be decorated; wrap it in a function of your own."
        raise DefinitionError(message) from None


def _located(check: Callable[..., float], *args: Any, where: Location | None) -> float:
    try:
        return check(*args)
    except DefinitionError as error:
        raise DefinitionError(str(error), where=where) from None


def _name_of(function: Any) -> str:
    return cast("str", getattr(function, "__name__", type(function).__name__))


def _first_paragraph(function: Callable[..., Any]) -> str:
    documentation = cleandoc(function.__doc__ or "")
    return " ".join(documentation.partition("\n\n")[0].split())


def _items(given: Any) -> tuple[Any, ...]:
    if isinstance(given, Iterable) and not isinstance(given, str | type) and not callable(given):
        return tuple(given)
    return (given,)


def _output_names(output: str | tuple[str, ...] | None, of: str, where: Location | None) -> tuple[str, ...]:
    names = () if output is None else (output,) if isinstance(output, str) else tuple(output)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            message = f"{of} has output={name!r}; a binding name is a Python identifier, as 'gh_issue' is."
            raise DefinitionError(message, where=where)
    return names


def _consent(approval: Any, of: str, where: Location | None) -> bool | Consent:
    if isinstance(approval, bool | Consent):
        return approval
    if not isinstance(approval, str) or not approval.strip():
        message = f"{of} has approval={approval!r}; it is True, False, or the question to ask a person."
        raise DefinitionError(message, where=where)
    return Consent(approval)


def _rerun(rerun: Any, of: str, where: Location | None) -> Rerun:
    synonyms: dict[Any, Rerun] = {None: "never", False: "never", True: "always"}
    choices: tuple[Rerun, ...] = ("never", "new_inputs", "always")
    if isinstance(rerun, bool) or rerun is None:
        return synonyms[rerun]
    if rerun not in choices:
        message = f"{of} has rerun={rerun!r}. {suggest(str(rerun), choices)}"
        raise DefinitionError(message, where=where)
    return cast("Rerun", rerun)
