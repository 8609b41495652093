"""Why a kept run cannot be taken up, in words for those who typed a command."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import typer

from planboard.cli.target import Target, loaded
from planboard.errors import AgentChangedError, JournalError, RunExistsError, SecretNotKeptError
from planboard.journal.port import RunInfo


@contextmanager
def complaints() -> Iterator[None]:
    """Say what to type where an error says what to write in a program."""
    try:
        yield
    except AgentChangedError as error:
        lines = "\n".join(f"- {line}" for line in error.differences)
        message = (
            f"The agent of run {error.run_id!r} is not what it was when the run began:\n{lines}\n"
            "Go on with the agent as it was (--target), register a Migration for its types, or add --allow-changes."
        )
        raise AgentChangedError(error.run_id, message, differences=error.differences) from error
    except SecretNotKeptError as error:
        options = " ".join(f"--secret {name}=VARIABLE" for name in error.secrets)
        message = (
            f"Run {error.run_id!r} holds secrets, which are never written: {', '.join(error.secrets)}. "
            f"Put each in an environment variable and name that: {options}"
        )
        raise SecretNotKeptError(error.run_id, message, secrets=error.secrets) from error
    except RunExistsError as error:
        message = f"There is a run {error.run_id!r} already. Go on with it by `planboard resume`, or give another --id."
        raise RunExistsError(error.run_id, message) from error
    except JournalError as error:
        if type(error) is not JournalError or "planner=" not in str(error):
            raise
        message = f"{error} On the command line: --planner NAME."
        raise JournalError(error.run_id, message) from error


@contextmanager
def loaded_for(run: RunInfo, target: str, *, given: bool) -> Iterator[Target]:
    """Load the agent of a run, as `loaded` does.

    Args:
        run: The run.
        target: Where the agent is.
        given: Whether that was said on the command line, not kept with the run.

    Raises:
        typer.BadParameter: It is not there.
    """
    with ExitStack() as stack:
        try:
            found = stack.enter_context(loaded(target))
        except typer.BadParameter as error:
            if given:
                raise
            message = f"Run {run.id!r} was begun with {target!r}. {error.message} If it has moved, add --target TARGET."
            raise typer.BadParameter(message) from error
        yield found
