"""A file with small agents, and two ways to call the command: in this process, and in one of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from typer.testing import CliRunner, Result

import planboard
from planboard.cli.app import app

sys.path.insert(0, str(Path(__file__).parent))

AGENTS = '''
import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel

from planboard import All, Agent, Named, achieves_goal, action


class Topic(BaseModel):
    text: str
    depth: int = 1


class Findings(BaseModel):
    notes: list[str]


class Report(BaseModel):
    title: str
    body: str


@action(cost=0.2, value=0.6)
def research(topic: Topic) -> Findings:
    """Collect notes on the topic."""
    print("printed by the action")
    return Findings(notes=[topic.text] * topic.depth)


@achieves_goal("A finished report", value=0.9)
@action(cost=0.3)
async def write(topic: Topic, findings: Findings) -> Report:
    return Report(title=topic.text, body="; ".join(findings.notes))


agent = Agent("reporter", [research, write])


class RepoRequest(BaseModel):
    path: Path
    tags: list[str] = []


class Brief(BaseModel):
    markdown: str


@achieves_goal("A brief")
@action
def brief(request: RepoRequest) -> Brief:
    return Brief(markdown=f"# Brief of {request.path} {request.tags}")


briefer = Agent("briefer", [brief])


class Issue(BaseModel):
    title: str


class Person(BaseModel):
    name: str


@achieves_goal("Assigned")
@action
def assign(issue: Annotated[Issue, Named("gh_issue")], people: Annotated[list[Person], All]) -> str:
    return f"{issue.title} → {', '.join(person.name for person in people)}"


def make_assigner() -> Agent:
    return Agent("assigner", [assign])


class Cat(BaseModel):
    name: str
    lives: int = 9


class Dog(BaseModel):
    name: str


@achieves_goal("Petted")
@action
def pet(cat: Cat | None, dog: Dog | None) -> str:
    return "purr" if cat else "wuff"


petter = Agent("petter", [pet])


class Odd:
    def __repr__(self) -> str:
        return "<Odd>"


@dataclass
class Box:
    odd: Odd
    number: float = float("inf")


@achieves_goal("A box")
@action
def pack() -> Box:
    return Box(Odd())


packer = Agent("packer", [pack])


@achieves_goal("Never")
@action
def fail() -> Box:
    raise ValueError("no \\x1b[31mboxes")


failing = Agent("failing", [fail])


@achieves_goal("Late")
@action
async def sleep() -> Box:
    await asyncio.sleep(30)


sleeper = Agent("sleeper", [sleep])


@achieves_goal("Late")
@action
def press() -> Box:
    raise KeyboardInterrupt


interrupted = Agent("interrupted", [press])


class Key(BaseModel): ...


class Locked(BaseModel): ...


@action
def open_door(key: Key, wanted: Locked) -> Brief: ...


flawed = Agent("flawed", [open_door], goals=[Locked])

if __name__ == "__main__":
    raise SystemExit("the main block ran")
'''

KEPT = '''
import os
import time
from datetime import timedelta
from pathlib import Path

from pydantic import BaseModel, SecretStr

from planboard import Agent, Denied, Slept, achieves_goal, action, human, sleep, subagent


class Expense(BaseModel):
    amount: int
    payee: str = "Ada"


class Checked(BaseModel):
    amount: int


class Payment(BaseModel):
    amount: int


class Decision(BaseModel):
    approved: bool
    note: str = ""


class Letter(BaseModel):
    text: str


@action(cost=0.2)
def check(expense: Expense) -> Checked:
    with Path("effects.txt").open("a") as file:
        file.write("check\\n")
    return Checked(amount=expense.amount)


@action(approval=True, cost=0.3)
def pay(checked: Checked, expense: Expense) -> Payment:
    return Payment(amount=expense.amount)


@achieves_goal("It is settled")
@action
def confirm(payment: Payment) -> Letter:
    return Letter(text=f"paid {payment.amount}")


@achieves_goal("It is settled")
@action
def regret(denied: Denied) -> Letter:
    return Letter(text=f"{denied.action} not done: {denied.reason}")


paying = Agent("paying", [check, pay, confirm, regret])


@achieves_goal("It is settled")
@action
def report(decision: Decision) -> Letter:
    return Letter(text=f"decided {decision.approved} {decision.note}".rstrip())


asking = Agent("asking", [human(Decision, prompt="Pay {expense.amount}?", needs=[Expense]), report])
hasty = Agent("hasty", [human(Decision, "Now?", expires=timedelta(days=1)), report, regret])


@achieves_goal("A note")
@action
def note(text: str) -> Letter:
    return Letter(text=text)


noting = Agent("noting", [human(str, prompt="What?"), note])
boss = Agent("boss", [subagent(paying, returning=Letter, needs=[Expense])], goals=[Letter])


@achieves_goal("It has rested")
@action
def wake(slept: Slept) -> Letter:
    return Letter(text="rested")


resting = Agent("resting", [sleep(timedelta(days=3)), wake])


class Login(BaseModel):
    user: str
    password: SecretStr


@achieves_goal("It is settled")
@action(approval=True)
def enter(login: Login) -> Letter:
    return Letter(text=login.password.get_secret_value()[::-1])


entering = Agent("entering", [enter])


@action
def hang(expense: Expense) -> Checked:
    """Wait until there is a file named gate."""
    with Path("effects.txt").open("a") as file:
        file.write("hang\\n")
    while not Path("gate").exists():
        time.sleep(0.01)
    return Checked(amount=expense.amount)


@achieves_goal("It hung")
@action
def go_on(checked: Checked) -> Letter:
    return Letter(text=f"went on with {checked.amount}")


hanging = Agent("hanging", [hang, go_on])


@achieves_goal("Both")
@action
def sum_up(checked: Checked, decision: Decision) -> Letter:
    return Letter(text=f"{checked.amount} {decision.approved}")


child = Agent("child", [human(Decision, "Well?")], goals=[Decision])
both = Agent("both", [hang, subagent(child, returning=Decision), sum_up])
asking_and_hanging = Agent("asking_and_hanging", [hang, human(Decision, "Well?"), sum_up])
deep = Agent("deep", [subagent(asking_and_hanging, returning=Letter)], goals=[Letter])
'''


@pytest.fixture
def kept(folder: Path, monkeypatch: pytest.MonkeyPatch, module_file: Callable[[str, str], Path]) -> Path:
    """Return the current folder, which holds `kept.py`; runs are kept in `runs.db` unless it is said otherwise."""
    module_file("kept.py", KEPT)
    monkeypatch.setenv("PLANBOARD_JOURNAL", "runs.db")
    return folder


@pytest.fixture
def paying(kept: Path, cli: Callable[..., Result]) -> Result:
    """Begin a run that waits for consent."""
    return cli("run", "kept.py:paying", "-i", "amount=7", "--id", "pay-1")


@pytest.fixture
def asking(kept: Path, cli: Callable[..., Result]) -> Result:
    """Begin a run that waits for an answer."""
    return cli("run", "kept.py:asking", "-i", "amount=7", "--id", "ask-1")


@pytest.fixture
def days_pass(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function after which it is two days later."""

    def let() -> None:
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + 2 * 24 * 3600)

    return let


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, which holds `agents.py`."""
    for name in ("PLANBOARD_JOURNAL", "PLANBOARD_TEMPORAL", "PLANBOARD_TEMPORAL_NAMESPACE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "agents.py").write_text(AGENTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(folder: Path) -> Callable[..., Result]:
    """Return a function that calls the command in this process."""

    def call(*words: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(app, [*words], input=stdin)

    return call


@pytest.fixture
def module_file(folder: Path) -> Callable[[str, str], Path]:
    """Return a function that writes a module into the current folder."""

    def write(name: str, source: str) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source), encoding="utf-8")
        return path

    return write


@pytest.fixture
def shell(folder: Path) -> Callable[..., subprocess.Popen[str]]:
    """Return a function that starts `python -m planboard` in the current folder."""
    home = str(Path(planboard.__file__).parents[1])

    def start(*words: str, **options: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "planboard", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": home, **options},
        )

    return start
