"""From the words of a command to a process with its inputs on the board, ready to plan or to run."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from planboard.blackboard.codec import Codec
from planboard.cli.inputs import Given, Reader, start_types
from planboard.cli.reporting import stdout_reserved, usage_errors
from planboard.cli.target import Target, loaded
from planboard.cli.vocabulary import Vocabulary
from planboard.errors import JournalError
from planboard.events.codec import EventCodec
from planboard.planners.ask import Ask, PlannerAnswer
from planboard.planners.base import Planner
from planboard.planners.plan import Plan
from planboard.runtime.agent import as_planner
from planboard.runtime.options import ProcessOptions
from planboard.runtime.process import Process
from planboard.types import TypeForm


@dataclass(frozen=True, slots=True)
class Prepared:
    """A process with its inputs on the board."""

    process: Process
    returning: TypeForm
    hint: str
    """What the agent could be given, if it was given nothing."""
    given: tuple[Given, ...] = ()
    """The inputs."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The file that a word names, for those words that name one."""

    def plan(self) -> PlannerAnswer:
        """Return what the planner would do."""
        return self.process.next_plan()

    def explain(self, result: PlannerAnswer, *, alternatives: bool) -> str:
        """Say why this is the plan, or why there is none and what could be given."""
        if isinstance(result, Plan):
            return result.explain(alternatives=alternatives)
        if isinstance(result, Ask):
            return result.explain()
        return "\n".join(filter(None, (result.explain(), self.hint)))


@contextmanager
def prepared(
    target: str,
    inputs: Sequence[str] | None,
    planner: str | None,
    returning: str | None,
    options: ProcessOptions,
    *,
    run_id: str | None = None,
) -> Iterator[Prepared]:
    """Load an agent and give it its inputs. What users' code prints meanwhile goes to standard error."""
    with stdout_reserved(), loaded(target) as found:
        yield prepare(found, inputs or (), planner, returning, options, run_id=run_id)


def prepare(
    found: Target,
    inputs: Sequence[str],
    planner: str | None,
    returning: str | None,
    options: ProcessOptions,
    *,
    folder: Path | None = None,
    run_id: str | None = None,
) -> Prepared:
    """Give a loaded agent its inputs.

    Args:
        found: The agent and its module.
        inputs: The words after `--input`.
        planner: The word after `--planner`.
        returning: The word after `--returning`.
        options: Of the process.
        folder: Where the files are that inputs name; the current folder by default.
        run_id: The id of the process; a random one by default.

    Raises:
        typer.BadParameter: A word means nothing, or nothing that fits.
        RunExistsError: A run of that id is kept already.
    """
    vocabulary = Vocabulary(found.agent, found.namespace)
    form = None if returning is None else vocabulary.type_named(returning)
    with usage_errors():
        chosen = None if planner is None else as_planner(planner)
    reader = Reader(vocabulary, folder)
    given = reader.read(inputs)
    if options.journal is not None:
        _rehearse(found, given, form, chosen, options)
    with usage_errors(but=JournalError):
        process = found.agent.process(returning=form, planner=chosen, options=options, id=run_id)
    for item in given:
        item.put_on(process.board)
    known = start_types(vocabulary)
    hint = f"No --input was given. The agent starts from: {known}." if known and not given else ""
    return Prepared(process, form, hint, tuple(given), reader.files)


def _rehearse(
    found: Target, given: Sequence[Given], form: TypeForm, planner: Planner | None, options: ProcessOptions
) -> None:
    """See whether inputs can be kept before a run begins to be: a run without its inputs would stand in the journal.

    Raises:
        typer.BadParameter: They cannot; the message says which, and why.
    """
    with usage_errors():
        trial = found.agent.process(returning=form, planner=planner, options=replace(options, journal=None))
        for item in given:
            item.put_on(trial.board)
        codec = EventCodec(Codec(found.agent.types))
        for entry in trial.board.visible:
            codec.check(entry)
