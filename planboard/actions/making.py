"""Making an action of something that is no decorated function, with all that decorators can say of one."""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from keyword import iskeyword
from string import Formatter
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

from planboard._text import suggest
from planboard.actions.declarations import MARK, ActionDeclaration
from planboard.actions.decorators import declare_action
from planboard.actions.waiting import Wait
from planboard.errors import DefinitionError
from planboard.types import WRITTEN_AT, Location, Named, TypeForm, is_type, origin_of, snake_case, type_name

F = TypeVar("F", bound=Callable[..., Any])

_OURS = (
    "planboard.actions.",
    "planboard.steps",
    "planboard.teams",
    "planboard.runtime.agent",
    "planboard.runtime.delegating",
)
"""Where steps are made for users, who want to be told of their own lines."""
_OPTIONS = frozenset(inspect.signature(declare_action).parameters) - {
    "function", "kind", "returns", "wait", "agents", "attach", "name",
}  # fmt: skip
"""What may be said of any action, whatever it is made of."""


class StepAction:
    """An action that is not a function. Pass it to an agent among its parts.

    `@step.when`, `@step.cost` and `@step.value` say more about it, as for a decorated function.
    """

    def __init__(self, declaration: ActionDeclaration, module: str) -> None:
        setattr(self, MARK, declaration)
        self.name = declaration.name
        """The name of the action."""
        self.reads_board = False
        """Whether it looks at all that is on the board, and not only at its inputs."""
        self.__module__ = module  # an agent that is made of a module finds its own steps only

    if TYPE_CHECKING:  # they are attached when it is declared

        def cost(self, function: F, /) -> F:
            """Attach a typed function over board types that gives the cost when a plan is made."""
            ...

        def value(self, function: F, /) -> F:
            """Attach a typed function over board types that gives the value when a plan is made."""
            ...

        def when(self, function: F, /) -> F:
            """Attach a typed predicate over board types as a precondition."""
            ...

    def __repr__(self) -> str:
        return f"<step {self.name!r}>"


def step(
    kind: str,
    function: Callable[..., Any],
    *,
    name: str,
    returns: TypeForm,
    wait: Wait | None = None,
    agents: Iterable[Any] = (),
    output: tuple[str, ...] = (),
    options: Mapping[str, Any],
) -> StepAction:
    """Return a step.

    Args:
        kind: What it is, for messages: "human step".
        function: Its parameters are its inputs.
        name: What the action is called.
        returns: What it puts on the board.
        wait: What the process does instead of running the function.
        agents: The agents that it runs, if that is all it does.
        output: The names that its outputs are bound to, by position; "" for none.
        options: What `@action` takes beside.
    """
    frame = _caller()
    place = Location(frame.f_code.co_filename, frame.f_lineno)
    check_options(f"{kind} {name!r}", options, place)
    worded = _located(function, place)
    made: Any = None

    def attach(declaration: ActionDeclaration) -> Any:
        nonlocal made
        made = StepAction(declaration, frame.f_globals.get("__name__", ""))
        return made

    declare_action(
        worded, kind=kind, name=name, returns=returns, wait=wait, agents=tuple(agents), attach=attach, **options
    )
    found: StepAction = made
    if output:
        getattr(found, MARK).output = output
    return found


def check_options(what: str, options: Iterable[str], where: Location) -> None:
    """Refuse what is no option of `@action`.

    Raises:
        DefinitionError: One of the options is none.
    """
    for option in options:
        if option not in _OPTIONS:
            message = f"There is no option {option!r} of {what}. {suggest(option, _OPTIONS)}"
            raise DefinitionError(message, where=where)


def words_with(prompt: str, needs: Iterable[TypeForm]) -> Callable[..., str]:
    """Return a function of inputs that fills them into a text, by their snake case names: `{expense.amount}`."""

    def words(**given: Any) -> str:
        try:
            return prompt.format(**given) if given else prompt
        except (KeyError, IndexError, AttributeError) as error:
            message = f"the prompt {prompt!r} asks for something that is not there: {error}"
            raise ValueError(message) from error

    inputs = parameters_of(needs)
    if inputs:
        check_words(prompt, inputs)
    return with_inputs(words, inputs)


def check_words(text: str, inputs: Mapping[str, TypeForm]) -> None:
    """Refuse a text that asks for what its inputs do not have, before a person is asked with it.

    Args:
        text: What is filled in: `"Pay {expense.amount}?"`.
        inputs: The types of what it is filled with, by name.

    Raises:
        DefinitionError: A name or a field of a model in it is unknown, or its braces do not match.
    """
    try:
        wanted = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError as error:
        message = f"The question {text!r} cannot be filled in: {error}. Write braces that stand for themselves twice."
        raise DefinitionError(message) from None
    for name in wanted:
        root, _, rest = name.partition(".")
        root = root.partition("[")[0]
        if root not in inputs:
            message = f"The question {text!r} asks for {root!r}, which is not among needs=. {suggest(root, inputs)}"
            raise DefinitionError(message)
        form = inputs[root]
        first = rest.partition(".")[0].partition("[")[0]
        known = _fields_of(form)
        if first and known is not None and first not in known and not hasattr(form, first):
            message = f"The question {text!r} asks for {name!r}. {suggest(first, known)}"
            raise DefinitionError(message)


def _fields_of(form: TypeForm) -> Mapping[str, Any] | None:
    """Return the fields of a model; `None` for what may have others."""
    takes_more = getattr(form, "model_config", {}).get("extra") == "allow"
    return None if takes_more else getattr(form, "model_fields", None)


def parameters_of(needs: Iterable[TypeForm]) -> dict[str, TypeForm]:
    """Return the parameters of a step that needs these types, by their names in snake case.

    Raises:
        DefinitionError: One of them is no type.
    """
    if is_type(needs) or isinstance(needs, str):
        message = f"needs={needs!r}: give a list of types, as in needs=[Expense]."
        raise DefinitionError(message)
    found: dict[str, TypeForm] = {}
    for form in dict.fromkeys(needs):
        if not is_type(form):
            message = f"needs=...: {form!r} is no type. Name the types of what must be there before."
            raise DefinitionError(message)
        marks = get_args(form)[1:] if origin_of(form) is Annotated else ()
        named = next((mark.name for mark in marks if isinstance(mark, Named)), None)
        name = parameter_name(get_args(form)[0] if marks else form, named)
        while name in found:
            name += "_"
        found[name] = form
    return found


def parameter_name(form: TypeForm, named: str | None = None) -> str:
    """Return what a parameter of a type, or of a binding name, is called."""
    name = named or snake_case(type_name(form))
    return f"{name}_" if iskeyword(name) else name


def with_inputs(function: Callable[..., Any], inputs: Mapping[str, TypeForm]) -> Callable[..., Any]:
    """Give a function of keywords a signature."""
    made: Any = function
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=form) for name, form in inputs.items()
    ]
    made.__signature__ = inspect.Signature(parameters)
    made.__annotations__ = dict(inputs)
    return function


def name_after(prefix: str, form: TypeForm) -> str:
    """Return a name for a step that yields a type: `ask_decision`."""
    parts = type_name(form).replace("[", " ").replace("]", " ").replace("|", " ")
    return f"{prefix}_{snake_case(parts.split()[-1] if origin_of(form) is not None else parts)}"


def _located(function: Callable[..., Any], place: Location) -> Callable[..., Any]:
    """Let messages point to where the step was asked for, unless the function is the user's own."""
    if not (function.__module__ or "").startswith(_OURS):  # what `exec` makes may be of no module
        return function
    setattr(function, WRITTEN_AT, place)
    return function


def _caller() -> Any:
    frame: Any = sys._getframe(1)  # noqa: SLF001 - a step belongs to where it was asked for
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame = frame.f_back
    return frame
