"""Every error of Planboard, in one tree.

```
PlanboardError
├── DefinitionError                 found at the decorator or when the agent is built
│   ├── UnknownNameError            a name that nothing answers to
│   └── ExpressionError             a text condition that cannot be accepted
├── BlackboardError
│   ├── EntryNotFoundError          nothing on the board answers
│   ├── EntryTypeError              a value is not of the type it was declared to be
│   │   └── SecretMissingError      a secret in it was not written, and has to be given
│   └── MutatedEntryError           an object was changed after it was put on the board
├── PlanningError                   a problem that cannot be planned for as it is stated
│   ├── ConditionError              a condition raised instead of answering
│   ├── CostError                   a cost or value function raised or gave a number that is not allowed
│   └── TranslationError            a problem cannot be put into, or taken from, another planning language
├── ExecutionError
│   ├── ActionError                 an action raised; the cause is chained
│   ├── ActionTimeoutError          an action took longer than its `timeout`
│   └── OutputError                 an action returned something it did not declare
├── ModelError                      a language model did not do what it was asked for
│   ├── ModelUnavailableError       it did not answer: overloaded, broken, too slow
│   └── ModelOutputError            what it answered will not do, however often it was asked
│       └── ModelRefusedError       it declined to answer
├── McpError                        an MCP server did not do what it was asked for
│   ├── McpUnavailableError         it did not start, did not answer in time, or has ended
│   └── McpToolError                a tool of it reports an error
├── BudgetExceededError             a budget forbids another request to a model
├── ProcessNotCompletedError        a run ended otherwise than COMPLETED
│   ├── ProcessStuckError
│   ├── ProcessFailedError
│   ├── ProcessTerminatedError
│   ├── ProcessCancelledError
│   └── ProcessWaitingError
├── ConcurrentRunError              a process is already being run
│   └── RunClaimedError             another program goes on with it
├── RequestError                    an answer to a request that cannot be taken
│   ├── UnknownRequestError         nothing of that id waits for an answer
│   ├── AlreadyAnsweredError        it was answered before
│   └── InvalidAnswerError          the answer is not of the type that was asked for
├── JournalError                    something about runs that are kept
│   ├── UnknownRunError             no run of that id is kept
│   ├── RunExistsError              a run of that id is kept already
│   ├── StaleRunError               somebody else has continued the run
│   ├── CorruptJournalError         what is kept cannot be read
│   ├── AgentChangedError           the agent is no longer what the run was begun with
│   └── SecretNotKeptError          a secret has to be given again
└── RunningLoopError                `run` was called where only `await arun` can work
```

An unreachable goal is a result (`NoPlan`), not an error. `Replan` is a signal that an action raises, not an error.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from planboard._text import suggest
from planboard.types import Location

if TYPE_CHECKING:
    from planboard.actions.waiting import Denied
    from planboard.runtime.process import Process


class PlanboardError(Exception):
    """The root of all errors raised by Planboard."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(cls: type[PlanboardError], args: tuple[Any, ...], attributes: dict[str, Any]) -> PlanboardError:
    """Rebuild an error as it was, for `copy` and `pickle`, whatever its constructor asks for."""
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error


class DefinitionError(PlanboardError, ValueError):
    """An action, condition, goal, state or agent is declared in a way that cannot work."""

    def __init__(self, message: str, *, where: Location | None = None) -> None:
        self.where = where
        super().__init__(f"{message} (declared at {where})" if where else message)


class UnknownNameError(DefinitionError):
    """A name that nothing answers to."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: Location | None = None) -> None:
        self.kind = kind
        self.name = name
        super().__init__(f"No {kind} named {name!r}. {suggest(name, known)}", where=where)


class ExpressionError(DefinitionError):
    """A text condition that cannot be accepted: bad syntax, an unknown root or field, or too large."""


class BlackboardError(PlanboardError):
    """Something about the entries on a blackboard."""


class EntryNotFoundError(BlackboardError, LookupError):
    """Nothing visible on the board answers to the type or name asked for."""


class EntryTypeError(BlackboardError, TypeError):
    """A value is not of the type that it was declared to be."""


class SecretMissingError(EntryTypeError):
    """Secrets are never written; to read a value that holds some, they have to be given."""

    def __init__(self, message: str, *, secrets: tuple[str, ...]) -> None:
        self.secrets = secrets
        """What is missing, such as "Login.password"."""
        super().__init__(message)


class MutatedEntryError(BlackboardError):
    """An object was changed in place after it was put on the board."""

    def __init__(self, message: str, *, action: str | None = None) -> None:
        self.action = action
        """The action that changed the object; `None` when no action was running with it."""
        super().__init__(message)


class PlanningError(PlanboardError):
    """A planning problem that cannot be planned for as it is stated."""


class ConditionError(PlanningError):
    """A condition raised instead of answering; an error is never read as false."""

    def __init__(self, condition: str, message: str) -> None:
        self.condition = condition
        super().__init__(message)


class CostError(PlanningError):
    """A cost or value function raised, or answered with a number that is not allowed."""


class TranslationError(PlanningError):
    """A problem that cannot be put into, or taken from, another planning language."""

    def __init__(self, message: str, *, feature: str = "") -> None:
        self.feature = feature
        """The construct that the other side lacks; empty when the problem itself is faulty."""
        super().__init__(message)


class ExecutionError(PlanboardError):
    """Something went wrong while an action ran."""

    def __init__(self, action: str, message: str) -> None:
        self.action = action
        super().__init__(message)


class ActionError(ExecutionError):
    """An action raised. The exception it raised is the `__cause__`."""


class NotAgreedError(ActionError):
    """Somebody did not agree to a part of an action, and nothing follows from that but its end."""

    def __init__(self, action: str, message: str, denied: "Denied") -> None:
        self.denied = denied
        """The `Denied` that the part came to."""
        super().__init__(action, message)


class ActionTimeoutError(ExecutionError, TimeoutError):
    """An action took longer than its declared `timeout`."""


class OutputError(ExecutionError, TypeError):
    """An action returned something other than what it declares."""


class ModelError(PlanboardError):
    """A language model did not do what it was asked for."""

    def __init__(self, model: str, message: str) -> None:
        self.model = model
        """The name of the model."""
        super().__init__(message)


class ModelUnavailableError(ModelError):
    """A model did not answer: it is overloaded, broken or too slow, also after retries. To try later may help."""

    retry_after: float | None = None
    """Seconds to wait before that, if its server has said so."""


class ModelOutputError(ModelError):
    """What a model answered will not do, however often it was asked. The last fault found is the `__cause__`."""

    def __init__(self, model: str, message: str, *, attempts: int, last_output: str) -> None:
        self.attempts = attempts
        """How many answers there were."""
        self.last_output = last_output
        """The last answer, as the model wrote it."""
        super().__init__(model, message)


class ModelRefusedError(ModelOutputError):
    """A model declined to answer; `last_output` says why."""


class McpError(PlanboardError):
    """An MCP server did not do what it was asked for, or what it gave does not fit."""

    def __init__(self, server: str, message: str) -> None:
        self.server = server
        """The name of the server, as `from_mcp` was told it."""
        super().__init__(message)


class McpUnavailableError(McpError):
    """An MCP server did not start, did not answer in time, or has ended. To try later may help."""


class McpToolError(McpError):
    """A tool of an MCP server reports an error; the message is the server's own."""

    def __init__(self, server: str, tool: str, message: str) -> None:
        self.tool = tool
        """The tool, as the server calls it."""
        super().__init__(server, message)


class BudgetExceededError(PlanboardError):
    """A budget forbids another request to a model. The process ends TERMINATED and can be run again with more."""


class ProcessNotCompletedError(PlanboardError):
    """A run ended otherwise than COMPLETED; `.process` holds the board, the history and the reason."""

    def __init__(self, process: "Process", reason: str) -> None:
        self.process = process
        self.reason = reason
        super().__init__(reason)


class ProcessStuckError(ProcessNotCompletedError):
    """No action can be run, and a goal is not met."""


class ProcessFailedError(ProcessNotCompletedError):
    """An action or a condition failed and there was no way around it; the root cause is chained."""


class ProcessTerminatedError(ProcessNotCompletedError):
    """A budget or a policy ended the run. It can be continued with a larger budget."""


class ProcessCancelledError(ProcessNotCompletedError):
    """The run was cancelled."""


class ProcessWaitingError(ProcessNotCompletedError):
    """The run waits for an answer from outside."""


class ConcurrentRunError(PlanboardError, RuntimeError):
    """A process is already being run; one process has one driver at a time."""


class RunClaimedError(ConcurrentRunError):
    """Somebody goes on with a run already, here or in another program that is alive."""


class RequestError(PlanboardError):
    """An answer to a request cannot be taken."""

    def __init__(self, request_id: str, message: str) -> None:
        self.request_id = request_id
        super().__init__(message)


class UnknownRequestError(RequestError, LookupError):
    """Nothing of that id waits for an answer."""


class AlreadyAnsweredError(RequestError):
    """The request was answered before; that answer stands."""


class InvalidAnswerError(RequestError, ValueError):
    """The answer is not of the type that was asked for. The request waits on."""


class JournalError(PlanboardError):
    """Something about runs that are kept in a journal."""

    def __init__(self, run_id: str, message: str) -> None:
        self.run_id = run_id
        super().__init__(message)


class UnknownRunError(JournalError, LookupError):
    """No run of that id is kept."""


class RunExistsError(JournalError):
    """A run of that id is kept already; go on with it by `Process.restore`."""


class StaleRunError(JournalError):
    """Somebody else has continued the run since this program last looked; restore it anew."""


class CorruptJournalError(JournalError):
    """What is kept of a run cannot be read: it was changed, or was never a journal."""


class AgentChangedError(JournalError):
    """The agent is no longer what the run was begun with, in a way that matters to it."""

    def __init__(self, run_id: str, message: str, *, differences: tuple[str, ...]) -> None:
        self.differences = differences
        """What is different, a line each."""
        super().__init__(run_id, message)


class SecretNotKeptError(JournalError):
    """Secrets are never written, so this one has to be given again."""

    def __init__(self, run_id: str, message: str, *, secrets: tuple[str, ...]) -> None:
        self.secrets = secrets
        """What is missing, such as "Login.password"."""
        super().__init__(run_id, message)


class RunningLoopError(PlanboardError, RuntimeError):
    """`run` was called inside a running event loop for work that needs one of its own; use `await arun`."""


class Replan(Exception):  # noqa: N818 - a signal, not an error
    """Raised by an action to say: the world is not as planned, plan again.

    The keyword arguments are bound on the board first. The action that asked is left out of the next plan when
    there is another way; if there is none it is run again.
    """

    def __init__(self, reason: str = "", **bindings: Any) -> None:
        self.reason = reason
        self.bindings = bindings
        super().__init__(reason or "an action asked for a new plan")
