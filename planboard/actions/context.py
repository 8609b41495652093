"""What an action may do beside returning its outputs: the injected `ActionContext`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from planboard.blackboard.board import Blackboard, check_value
from planboard.blackboard.entry import Entry
from planboard.errors import DefinitionError, EntryTypeError
from planboard.types import TypeForm

if TYPE_CHECKING:
    from planboard.actions.catalogue import Catalogue
    from planboard.runtime.options import ProcessOptions

T = TypeVar("T")


class Usage(NamedTuple):
    """What has been spent; the sum over a process and its children."""

    actions: int = 0
    """Actions started."""
    cost: float = 0.0
    """Costs of the actions that ran, and costs that they recorded."""
    tokens: int = 0
    llm_calls: int = 0

    def __add__(self, other: object) -> "Usage":
        if not isinstance(other, Usage):
            return NotImplemented
        cost = round(self.cost + other.cost, 12)  # costs are decimal numbers; 0.1 and 0.2 make 0.3
        return Usage(self.actions + other.actions, cost, self.tokens + other.tokens, self.llm_calls + other.llm_calls)

    def __sub__(self, other: "Usage") -> "Usage":
        cost = round(self.cost - other.cost, 12)
        return Usage(self.actions - other.actions, cost, self.tokens - other.tokens, self.llm_calls - other.llm_calls)


NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Addition:
    """An object that an action adds beside what it returns."""

    value: object
    type: TypeForm | None = None
    name: str | None = None
    after: int | None = None
    """After how many of the action's outputs it stands; `None` for after all."""


@dataclass(slots=True)
class Effects:
    """What an action did through its context. Nothing of it reaches the board unless the action succeeds."""

    additions: list[Addition] = field(default_factory=list)
    hidden: list[object] = field(default_factory=list)
    conditions: dict[str, bool] = field(default_factory=dict)
    usage: Usage = NOTHING
    """What it recorded itself."""
    charged: Usage = NOTHING
    """What was charged already while it ran: by child processes that it started, and for calls of models."""
    model_calls: list[Any] = field(default_factory=list)
    """What each call of a model took, in order; see `planboard.llm.port.ModelUsage`."""


NO_EFFECTS = Effects()
"""For actions without a context, which can have none; never changed."""


@dataclass(frozen=True, slots=True)
class ChildOrder:
    """What an action says of a child that it wants to be run."""

    agent: "Catalogue"
    inputs: tuple[object, ...]
    """Objects for its board, unnamed."""
    bindings: Mapping[str, object]
    """Objects for its board, by name."""
    returning: TypeForm
    """The type wanted; `None` for the process itself."""
    options: "ProcessOptions | None"
    effects: Effects
    """Where what it spends is noted."""
    call: int
    """The number of the call that starts it."""
    attempt: int
    label: str = ""
    """What it is for, for traces; see `ActionContext.labelled`."""


ChildRunner = Callable[[ChildOrder], Awaitable[Any]]
"""Runs an agent as a child process, and returns its result."""


def no_children(_: int) -> tuple[tuple[object, ...], ...]:
    """Return what the children of a call were given where there are none."""
    return ()


class Injected:
    """The base of what an action is given by its process, not from the board, when it has a parameter of the type."""

    __slots__ = ()


class ActionContext(Injected):
    """Given to an action that has a parameter of this type.

    What is added through it is committed together with the action's outputs, after them, and only when the action
    succeeds.
    """

    __slots__ = (
        "_begun", "_board", "_effects", "_label", "_read", "_run_child", "action", "attempt", "call", "identities",
        "process_id",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - what a call may look at and do
        self,
        action: str,
        process_id: str,
        board: Blackboard,
        effects: Effects,
        *,
        run_child: ChildRunner,
        identities: Mapping[str, str],
        begun: Callable[[int], Sequence[tuple[object, ...]]] = no_children,
        call: int = 0,
        attempt: int = 1,
    ) -> None:
        self.action = action
        """The name of the action that is running."""
        self.process_id = process_id
        """The id of the process it runs in."""
        self.identities = identities
        """On whose behalf the run acts."""
        self.call = call
        """The number of the call within its process."""
        self.attempt = attempt
        """1 for the first try, more after a retry."""
        self._board = board
        self._effects = effects
        self._label = ""
        self._read: list[Entry] = []
        self._run_child = run_child
        self._begun = begun

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this call, also in another program after a crash, and for no other call.

        Give it to whatever shall happen once: a payment, a message.
        """
        return f"{self.process_id}:{self.call}"

    def add(self, value: object, *, type: TypeForm | None = None) -> None:  # noqa: A002 - as on the board
        """Put one more object on the board.

        Raises:
            EntryTypeError: The value is `None`, is not of the declared type, or violates its own model.
        """
        check_value(value, type)
        self._effects.additions.append(Addition(value, type))

    def bind(self, name: str, value: object, *, type: TypeForm | None = None) -> None:  # noqa: A002
        """Put one more object on the board under a name."""
        if not name.isidentifier():
            message = f"{name!r} cannot be a binding name; use a Python identifier, as 'gh_issue' is."
            raise EntryTypeError(message)
        check_value(value, type)
        self._effects.additions.append(Addition(value, type, name))

    def hide(self, *objects: object) -> None:
        """Make objects that are on the board invisible."""
        self._effects.hidden.extend(objects)

    def set_condition(self, name: str, value: bool) -> None:  # noqa: FBT001 - the value is the point
        """Give a free condition a value; this is how a promise in `post=` is kept."""
        if not isinstance(value, bool):
            message = f"Condition {name!r} is set to {value!r}; a condition is True or False."
            raise EntryTypeError(message)
        self._effects.conditions[name] = value

    def record_usage(self, *, tokens: int = 0, cost: float = 0.0, llm_calls: int = 0) -> None:
        """Charge what this action spends to the budgets of its process and of all processes above it."""
        self._effects.usage += Usage(0, cost, tokens, llm_calls)

    def last(self, form: type[T]) -> T | None:
        """Return the newest visible value of a type, or `None`."""
        found = self._board.newest(self._board.matcher.query(form))
        if found is None:
            return None
        self._read.append(found)
        value: T = found.value
        return value

    def all(self, form: type[T]) -> list[T]:
        """Return every visible value of a type, oldest first."""
        found = self._board.matches(self._board.matcher.query(form))
        self._read.extend(found)
        return [entry.value for entry in found]

    def get(self, name: str, form: TypeForm = None) -> Any:
        """Return the newest visible value bound to a name (and of a type), or `None`."""
        found = self._board.newest(self._board.matcher.query(form, name))
        if found is None:
            return None
        self._read.append(found)
        return found.value

    def again(self, effects: Effects) -> "ActionContext":
        """Return the context for the next attempt at the same call, which collects into other effects."""
        other = copy(self)
        other.attempt += 1
        other._effects = effects  # noqa: SLF001
        other._read = list(self._read)  # noqa: SLF001
        return other

    def labelled(self, label: str) -> "ActionContext":
        """Return the same context, whose children bear a label: `await context.labelled("page 3").run(reader, page)`.

        Traces and progress show it, so that several children of one call can be told apart. It is kept on one line,
        cut to a readable length, and without the secrets that the action was given. It changes nothing else.

        Raises:
            DefinitionError: It is no text.
        """
        if not isinstance(label, str):
            message = f"labelled({label!r}): a label is a text that says what a child is for, such as 'page 3'."
            raise DefinitionError(message)
        other = copy(self)
        other._label = label  # noqa: SLF001
        return other

    @property
    def visible(self) -> tuple[Entry, ...]:
        """Every visible entry of the board, oldest first."""
        found = self._board.visible
        self._read.extend(found)
        return found

    @property
    def begun(self) -> tuple[tuple[object, ...], ...]:
        """What each child that this call has begun was given, those of earlier runs of the call included.

        An action that runs children is run again from its beginning when one of them had to wait. By this it can tell
        what it has begun already.
        """
        return tuple(self._begun(self.call))

    @property
    def entries_read(self) -> tuple[Entry, ...]:
        """The entries looked at through this context."""
        return tuple(self._read)

    @overload
    async def run(
        self,
        agent: "Catalogue",
        *inputs: object,
        returning: type[T],
        options: "ProcessOptions | None" = None,
        **bindings: Any,
    ) -> T: ...
    @overload
    async def run(
        self, agent: "Catalogue", *inputs: object, options: "ProcessOptions | None" = None, **bindings: Any
    ) -> Any: ...
    async def run(
        self,
        agent: "Catalogue",
        *inputs: object,
        returning: TypeForm = None,
        options: "ProcessOptions | None" = None,
        **bindings: Any,
    ) -> Any:
        """Run another agent as a child process, on a board of its own with only these inputs.

        What it spends counts against the budgets of this process too; listeners, identities and the journal are
        inherited. `options` may give it a planner, a budget of its own, and so on.

        Raises:
            ProcessNotCompletedError: The child did not complete.
        """
        order = ChildOrder(
            agent, inputs, bindings, returning, options, self._effects, self.call, self.attempt, self._label
        )
        return await self._run_child(order)
