"""Kills a run at every point at which it writes, and looks whether anything was lost or done twice.

Runs of ten steps are kept in a SQLite file. The program that runs one is killed (`SIGKILL`, in a process of its own) at
its first SQL statement, its second one, and so on to the last, and besides right before and right after each effect.
Every time another program takes the run up and brings it to its end. Effects are lines in a file.

- *completed* is an action whose result was in the journal when the program was killed. It is *repeated* if its effect
  happens again afterwards, and *lost* if the run ends without it.
- An action that was under way is in doubt. If it is idempotent it is run again, with the same key. Otherwise the run
  asks; here the file of effects is looked at, as a person would look at the bank: what has happened is answered with
  `Finished`, what has not with `Approve`. In the end each effect must have happened once.

Run it with `python tests/faults/kills.py [--every N] [--only SCENARIO]`; it needs a system that can fork.
"""

import argparse
import asyncio
import faulthandler
import inspect
import json
import os
import signal
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, create_model

from planboard import (
    ActionContext,
    Agent,
    Approve,
    Finished,
    Goal,
    Process,
    ProcessOptions,
    ProcessStatus,
    SqliteJournal,
    UnknownRunError,
    action,
    human,
    subagent,
)

STEPS = 10
_HANGS = 60
"""After so many seconds a program says where it hangs, and ends."""
RUN = "run"

passed = 0
"""How many points the program has passed."""
deadly = 0
"""The point at which it is killed; 0 for none."""
effects_in = Path()
"""The file of effects."""


def pass_point(_: object = None) -> None:
    """Pass a point at which the program may be killed."""
    global passed  # noqa: PLW0603 - there is one program
    passed += 1
    if passed == deadly:
        os.kill(os.getpid(), signal.SIGKILL)


class TracedJournal(SqliteJournal):
    """Passes a point at each SQL statement."""

    def _open(self) -> sqlite3.Connection:
        connection = super()._open()
        connection.set_trace_callback(pass_point)
        return connection


class Start(BaseModel):
    x: int = 0


class Joined(BaseModel):
    count: int


class Word(BaseModel):
    text: str


VALUES = [Start, *(create_model(f"Value{number}", x=(int, 0)) for number in range(1, STEPS + 1))]


def effect(name: str) -> None:
    """Have an effect on the world, which no journal takes back."""
    pass_point()
    with effects_in.open("a", encoding="utf-8") as file:
        file.write(f"{name}\n")
    pass_point()


def step(number: int, **options: Any) -> Any:
    """Return an action that makes a value of the one before it."""
    before, after = VALUES[number - 1], VALUES[number]

    def work(state: Any) -> Any:
        effect(f"step{number}")
        return after(x=state.x + 1)

    work.__name__ = f"step{number}"
    work.__annotations__ = {"state": before, "return": after}
    return action(**options)(work)


def with_word(number: int) -> Any:
    """Return an action that needs a word of a person too."""
    before, after = VALUES[number - 1], VALUES[number]

    def work(state: Any, word: Word) -> Any:
        effect(f"step{number}")
        return after(x=state.x + len(word.text))

    work.__name__ = f"step{number}"
    work.__annotations__ = {"state": before, "word": Word, "return": after}
    return action(approval=True)(work)


def by_itself() -> Any:
    """Return an action that runs an agent by itself."""

    async def delegate(state: VALUES[3], context: ActionContext) -> VALUES[6]:
        return await context.run(CHILD, state, returning=VALUES[6])

    return action(idempotent=True)(delegate)


def beside(number: int) -> Any:
    """Return an action that can run at once with the others of its kind."""

    async def work(state: Start) -> Any:
        for _ in range(number % 4):  # they end in another order than they begin
            await asyncio.sleep(0)
        effect(f"step{number}")
        return VALUES[number](x=state.x + 1)

    work.__name__ = f"step{number}"
    work.__annotations__ = {"state": Start, "return": VALUES[number]}
    return action(work)


def joined() -> Any:
    """Return an action that needs all values."""

    def join(**values: Any) -> Joined:
        return Joined(count=len(values))

    made: Any = join
    made.__signature__ = inspect.Signature(
        [
            inspect.Parameter(f"value{number}", inspect.Parameter.KEYWORD_ONLY, annotation=VALUES[number])
            for number in range(1, STEPS + 1)
        ],
        return_annotation=Joined,
    )
    made.__annotations__ = {f"value{number}": VALUES[number] for number in range(1, STEPS + 1)} | {"return": Joined}
    return action(made)


CHILD = Agent("child", [step(4), step(5, approval=True), step(6)], goals=[Goal(VALUES[6])])
AGENTS = {
    "each asks when in doubt": [step(number) for number in range(1, STEPS + 1)],
    "each may be repeated": [step(number, idempotent=True) for number in range(1, STEPS + 1)],
    "people are asked": [
        human(Word, prompt="A word?", name="ask_word"),
        *(with_word(number) if number in (3, 7) else step(number) for number in range(1, STEPS + 1)),
    ],
    "a child does a part": [
        *(step(number) for number in (1, 2, 3)),
        subagent(CHILD, returning=VALUES[6], needs=[VALUES[3]]),
        *(step(number) for number in (7, 8, 9, 10)),
    ],
    "an action runs a child": [
        *(step(number) for number in (1, 2, 3)),
        by_itself(),
        *(step(number) for number in (7, 8, 9, 10)),
    ],
    "four run at once": [*(beside(number) for number in range(1, STEPS + 1)), joined()],
}


def agent_of(name: str) -> Agent:
    """Return the agent of a scenario."""
    goal = Joined if name == "four run at once" else VALUES[-1]
    return Agent("chain", AGENTS[name], goals=[Goal(goal)], agents=[CHILD])


# Programs


def begin(name: str, file: Path) -> None:
    """Begin the run and bring it to its end; people agree to everything."""
    options = ProcessOptions(journal=TracedJournal(file), concurrency=4 if name == "four run at once" else 1)
    to_the_end(agent_of(name).process(Start(), options=options, id=RUN))


def go_on(name: str, file: Path) -> None:
    """Take the run up and bring it to its end."""
    try:
        process = Process.restore(agent_of(name), TracedJournal(file), RUN)
    except UnknownRunError:  # it had not been accepted yet
        begin(name, file)
        return
    to_the_end(process)


def to_the_end(process: Process) -> None:
    """Bring a run to its end; what is in doubt is looked up."""
    while asyncio.run(process.run()) is ProcessStatus.WAITING:
        for request in process.pending:
            process.respond(request.id, answer_to(request))
    assert process.status is ProcessStatus.COMPLETED, process.reason


def answer_to(request: Any) -> Any:
    """Return what a person who can look at the effects answers."""
    if request.purpose == "answer":
        return Word(text="yes")
    if request.purpose == "in_doubt" and request.action in happened():
        number = int(request.action.removeprefix("step"))
        given = request.arguments["state"]["x"]
        return Finished(VALUES[number](x=given + (3 if "word" in request.arguments else 1)))
    return Approve()


def in_a_program(work: Callable[[], None]) -> bool:
    """Do work in a process of its own; tell whether it was killed."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(_HANGS, exit=True)
        try:
            work()
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    if os.waitstatus_to_exitcode(status):
        message = "a program has failed; see above"
        raise RuntimeError(message)
    return False


# Looking


def happened() -> Counter[str]:
    """Return how often each effect has happened."""
    text = effects_in.read_text(encoding="utf-8") if effects_in.exists() else ""
    return Counter(text.split())


def completed(file: Path) -> Counter[str]:
    """Return which actions have succeeded according to the journal, in the run and in its children."""
    if not file.exists():
        return Counter()
    journal = SqliteJournal(file)
    done: Counter[str] = Counter()
    for run in journal.runs():
        bodies = [json.loads(record.body) for record in journal.read(run.id)]
        done.update(body["action"] for body in bodies if body["kind"] == "action_succeeded")
        over = {body["call"] for body in bodies if body["kind"] == "action_succeeded"}
        begun = {body["call"]: body["action"] for body in bodies if body["kind"] == "action_started"}
        kept = (int(name.removeprefix("outcome:")) for name in journal.answers(run.id) if name.startswith("outcome:"))
        done.update(begun[call] for call in kept if call not in over)
    journal.close()
    return Counter({name: count for name, count in done.items() if name.startswith("step")})


@dataclass
class Findings:
    """What came of the kills of one scenario."""

    kills: int = 0
    repeated: list[str] = field(default_factory=list)
    """Completed actions whose effect happened again, with the point."""
    lost: list[str] = field(default_factory=list)
    """Actions without which a run ended, or that ended twice in the journal, with the point."""
    again: int = 0
    """How often an action that was under way had its effect twice, as idempotent ones may."""


def kill_everywhere(name: str, every: int = 1, first: int = 1) -> Findings:
    """Kill a scenario at its points, one after the other."""
    found = Findings()
    for point in points(first, every):
        if not kill_at(name, point, found):
            return found
    return found


def points(first: int, every: int) -> Iterator[int]:
    """Count points."""
    point = first
    while True:
        yield point
        point += every


def kill_at(name: str, point: int, found: Findings) -> bool:
    """Kill a run at a point and take it up; tell whether it got that far."""
    global deadly, passed, effects_in  # noqa: PLW0603 - what programs are told by
    with tempfile.TemporaryDirectory() as folder:
        file, effects_in = Path(folder, "runs.db"), Path(folder, "effects.txt")
        deadly, passed = point, 0
        if not in_a_program(lambda: begin(name, file)):
            return False
        found.kills += 1
        done, before = completed(file), happened()
        deadly = 0
        in_a_program(lambda: go_on(name, file))
        after, in_the_end = happened(), completed(file)
    harmless = name == "each may be repeated"
    for number in range(1, STEPS + 1):
        one = f"step{number}"
        if done[one] and after[one] != before[one]:
            found.repeated.append(f"{one} at {point}")
        if in_the_end[one] != 1:
            found.lost.append(f"{one} at {point}")
        if after[one] > 1 and harmless:
            found.again += 1
        elif after[one] != 1:
            found.repeated.append(f"{one} at {point}")
    return True


def main() -> None:
    """Print what came of all kills."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth point")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="begin with this point")
    parser.add_argument("--only", choices=AGENTS, help="only this scenario")
    chosen = parser.parse_args()
    kills, faults = 0, 0
    print("| scenario | kills | completed actions repeated | completed actions lost | under way, run again |")
    print("|---|---|---|---|---|")
    for name in AGENTS if chosen.only is None else [chosen.only]:
        found = kill_everywhere(name, chosen.every, chosen.first)
        print(f"| {name} | {found.kills} | {len(found.repeated)} | {len(found.lost)} | {found.again} |", flush=True)
        for fault in (*found.repeated, *found.lost):
            print(f"  {fault}", file=sys.stderr)
        kills += found.kills
        faults += len(found.repeated) + len(found.lost)
    print(f"\n{kills} kills, {faults} completed actions repeated or lost")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
