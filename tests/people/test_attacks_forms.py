"""Attacks on what people are asked for, what is shown to them, and what is kept of it."""

import enum
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar
from uuid import UUID

import pytest
from expenses import PAYING, Expense, effects, go
from pydantic import BaseModel, Field, SecretStr

from planboard import (
    ActionContext,
    Agent,
    AlreadyAnsweredError,
    Approve,
    Deny,
    Edit,
    Finished,
    InvalidAnswerError,
    MemoryJournal,
    Named,
    PlanboardError,
    Process,
    ProcessOptions,
    ProcessStatus,
    achieves_goal,
    action,
    human,
    state,
)

T = TypeVar("T")


class Box(BaseModel, Generic[T]):
    inside: T


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"


Pet: TypeAlias = Annotated[Cat | Dog, Field(discriminator="kind")]


class Color(enum.Enum):
    RED = "red"


class Point(NamedTuple):
    x: int
    y: int


class Config(TypedDict):
    n: int


@dataclass
class Plain:
    n: int
    when: datetime | None = None


class Done(BaseModel):
    shown: str


FORMS: list[tuple[Any, Any, Any]] = [
    (Cat | Dog, {"kind": "dog"}, Dog()),
    (Pet, {"kind": "cat", "lives": 3}, Cat(lives=3)),
    (list[Cat], [{"lives": 1}], [Cat(lives=1)]),
    (list[Cat | Dog], [{"kind": "dog"}], [Dog()]),
    (dict[str, Cat], {"a": {"lives": 0}}, {"a": Cat(lives=0)}),
    (Box[int], {"inside": 3}, Box[int](inside=3)),
    (Box[Cat], {"inside": {"lives": 3}}, Box[Cat](inside=Cat(lives=3))),
    (Annotated[int, Field(gt=3)], 5, 5),
    (Literal["a", "b"], "b", "b"),
    (Color, "red", Color.RED),
    (Plain, {"n": 1, "when": "2026-01-01T00:00:00Z"}, Plain(1, datetime(2026, 1, 1, tzinfo=UTC))),
    (Point, [1, 2], Point(1, 2)),
    (set[int], [1, 2], {1, 2}),
    (Decimal, "1.10", Decimal("1.10")),
    (date, "2026-01-01", date(2026, 1, 1)),
    (timedelta, "P1D", timedelta(days=1)),
    (UUID, "12345678-1234-5678-1234-567812345678", UUID("12345678-1234-5678-1234-567812345678")),
    (Path, "a/b", Path("a/b")),
    (bytes, "abc", b"abc"),
    (float, "nan", None),
    (Config, {"n": 3}, {"n": 3}),
]


@pytest.mark.parametrize(("form", "data", "value"), FORMS, ids=[str(form) for form, _, _ in FORMS])
def test_a_person_may_be_asked_for_every_kind_of_type(kept, elsewhere, form, data, value):
    def show(got) -> Done:
        return Done(shown=repr(got))

    show.__annotations__ = {"got": form, "return": Done}
    agent = Agent("forms", [human(form, prompt="?", name="ask"), achieves_goal("done")(action(show))])
    process = agent.process(options=kept())
    assert go(process) is ProcessStatus.WAITING, process.reason
    (request,) = process.pending
    json.dumps(request.schema)
    process.respond(request.id, data)
    process = elsewhere(agent, process)
    assert go(process) is ProcessStatus.COMPLETED, process.reason
    got = next(entry.value for entry in process.board.entries if entry.producer == "ask")
    assert value is None or (got == value and type(got) is type(value))


def test_a_name_of_an_output_is_that_of_the_answer(kept, elsewhere):
    @achieves_goal("done")
    @action
    def show(limit: Annotated[int, Named("limit")], other: Annotated[int, Named("other")]) -> Done:
        return Done(shown=f"{limit} {other}")

    agent = Agent(
        "forms",
        [
            human(int, prompt="limit?", name="a", output="limit"),
            human(int, prompt="other?", name="b", output="other"),
            show,
        ],
    )
    process = agent.process(options=kept(concurrency=2))
    go(process)
    for request in process.pending:
        process.respond(request.id, {"limit?": 0, "other?": 1}[request.prompt])
    process = elsewhere(agent, process)
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Done).shown == "0 1"


def test_nothing_is_an_answer_where_it_may_be_one(kept, elsewhere):
    @achieves_goal("done")
    @action(pre=["asked"])
    def show(cat: Cat | None) -> Done:
        return Done(shown=repr(cat))

    agent = Agent("forms", [human(Cat | None, prompt="?", name="ask"), show])
    process = agent.process(options=kept(), planner="utility")
    go(process)
    process.respond(process.pending[0].id, None)
    process = elsewhere(agent, process)
    assert process.pending == ()
    go(process)
    assert [step.action for step in process.history] == ["ask"]
    assert process.pending == ()


@pytest.mark.parametrize("wrong", [object(), lambda: 1, {1: object()}, float("nan"), "\ud800", b"\xff", 1 << 5000])
def test_what_cannot_be_kept_is_refused_as_an_answer(kept, wrong):
    @achieves_goal("done")
    @action
    def show(given: Box[Any]) -> Done:
        return Done(shown="")

    process = Agent("forms", [human(Box[Any], prompt="?", name="ask"), show]).process(options=kept())
    go(process)
    request = process.pending[0].id
    try:
        process.respond(request, Box[Any](inside=wrong))
    except InvalidAnswerError:
        assert [one.id for one in process.pending] == [request]
        process.respond(request, Box[Any](inside=1))
    assert go(process) is ProcessStatus.COMPLETED


@pytest.mark.parametrize("wrong", [object(), lambda: 1])
def test_what_cannot_be_kept_is_refused_as_an_edit(kept, wrong):
    @achieves_goal("done")
    @action(approval=True)
    def show(given: Box[Any]) -> Done:
        return Done(shown="")

    process = Agent("forms", [show]).process(Box[Any](inside=1), options=kept())
    go(process)
    with pytest.raises(InvalidAnswerError):
        process.respond(process.pending[0].id, Edit(given=Box[Any](inside=wrong)))
    assert len(process.pending) == 1


# Kinds of actions


class Bank:
    def __init__(self) -> None:
        self.limit = 5

    @achieves_goal("done")
    @action(approval=True)
    def pay(self, expense: Expense, times: Annotated[int, Named("times")] = 2, *, bank: str | None = None) -> Done:
        """Pay with the component's own limit."""
        effects["pay"] += 1
        return Done(shown=f"{self.limit} {expense.amount} {times} {bank}")


@pytest.mark.parametrize(
    ("edit", "shown"),
    [
        (Approve(), "5 900 2 None"),
        (Edit(expense=Expense(amount=1)), "5 1 2 None"),
        (Edit(times=7), "5 900 7 None"),
        (Edit(bank="B"), "5 900 2 B"),
        (Edit(bank=None), "5 900 2 None"),
        (Edit(times=0, bank="", expense={"amount": 3}), "5 3 0 "),
    ],
)
def test_methods_of_components_are_agreed_to_and_edited(kept, elsewhere, edit, shown):
    agent = Agent("bank", [Bank()])
    process = agent.process(Expense(), options=kept())
    assert go(process) is ProcessStatus.WAITING, process.reason
    assert process.pending[0].arguments["expense"] == {"amount": 900, "payee": "Ada"}
    json.dumps(process.pending[0].arguments)
    process.respond(process.pending[0].id, edit)
    process = elsewhere(Agent("bank", [Bank()]), process)
    assert go(process) is ProcessStatus.COMPLETED, process.reason
    assert process.result(Done).shown == shown


@state
class Open(BaseModel):
    n: int

    @action(approval=True)
    def close(self) -> "Closed":
        """Close it."""
        effects["close"] += 1
        return Closed(n=self.n + 1)


@state
class Closed(BaseModel):
    n: int

    @achieves_goal("done")
    @action
    def tell(self) -> Done:
        """Tell."""
        return Done(shown=str(self.n))


@action
def opening(expense: Expense) -> Open:
    """Open it."""
    return Open(n=expense.amount)


@pytest.mark.parametrize("word", ["approve", "edit", "deny"])
def test_actions_of_states_are_agreed_to(kept, elsewhere, word):
    agent = Agent("states", [opening, Open, Closed])
    process = agent.process(Expense(amount=1), options=kept())
    assert go(process) is ProcessStatus.WAITING
    request = process.pending[0]
    answer = {"approve": True, "edit": {"decision": "edit", "arguments": {"self": {"n": 50}}}, "deny": False}[word]
    process.respond(request.id, answer)
    process = elsewhere(agent, process)
    go(process)
    assert effects["close"] == (word != "deny")
    if word != "deny":
        assert process.result(Done).shown == {"approve": "2", "edit": "51"}[word]


def test_services_and_context_are_not_shown(kept):
    class Db:
        password = "hunter2"

    @achieves_goal("done")
    @action(approval=True)
    def work(expense: Expense, db: Db, context: ActionContext) -> Done:
        """Work."""
        return Done(shown="")

    process = Agent("db", [work], services=[Db()]).process(Expense(), options=kept())
    go(process)
    assert list(process.pending[0].arguments) == ["expense"]


# Secrets


class Login(BaseModel):
    user: str
    password: SecretStr
    api_key: str


SECRETS = ("hunter2", "sk-123-secret", "tok-456-secret")


@pytest.mark.parametrize("way", ["approve", "edit", "deny", "raise"])
def test_secrets_reach_neither_the_file_nor_a_text(kept, tmp_path, way):
    @achieves_goal("done")
    @action(approval=True)
    def log_in(login: Login, access_token: Annotated[str, Named("access_token")]) -> Done:
        """Log in."""
        if way == "raise":
            raise ValueError(login)
        return Done(shown="in")

    agent = Agent("login", [log_in, human(Login, prompt="{expense.payee}, log in", needs=[Expense], name="ask")])
    process = agent.process(Expense(), access_token="tok-456-secret", returning=Done, options=kept())
    go(process)
    process.respond(process.pending[0].id, {"user": "ada", "password": "hunter2", "api_key": "sk-123-secret"})
    go(process)
    texts = [repr(process.pending), repr(process), process.reason]
    answer = {
        "approve": True,
        "raise": True,
        "deny": Deny("no"),
        "edit": Edit(login=Login(user="bob", password=SecretStr("hunter2"), api_key="sk-123-secret")),
    }[way]
    process.respond(process.pending[0].id, answer)
    go(process)
    texts += [process.reason, repr(process), str(process.failure)]
    kept().journal.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    texts.append(stored.decode(errors="replace"))
    found = [(secret, place) for secret in SECRETS for place, text in enumerate(texts) if secret in text]
    assert found == []


def test_a_wrong_answer_does_not_repeat_a_secret():
    process = Agent("login", [human(Login, prompt="?", name="ask")]).process(returning=Login)
    go(process)
    with pytest.raises(InvalidAnswerError) as caught:
        process.respond(process.pending[0].id, {"user": 3, "password": "hunter2", "api_key": ["sk-123-secret"]})
    assert "hunter2" not in str(caught.value)
    assert "sk-123-secret" not in str(caught.value)


# Misuse


@pytest.mark.parametrize(
    "given",
    [{"planner": 3}, {"options": 3}, {"options": ProcessOptions(approvals=("x",)), "clock": None}, {"secrets": {"x": 1}},
     {"listeners": [len]}, {"services": [object()]}],
    ids=["planner", "options", "fine", "needless secret", "listener", "service"],
)  # fmt: skip
def test_restoring_with_something_odd_is_refused_by_our_own_error_or_works(kept, elsewhere, given):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    try:
        again = elsewhere(PAYING, process, **given)
    except (PlanboardError, TypeError):
        return
    assert again.status is ProcessStatus.WAITING


@pytest.mark.parametrize("agent", [None, "paying", 3])
def test_restoring_what_is_no_agent_is_refused(kept, agent):
    process = PAYING.process(Expense(), options=kept())
    with pytest.raises((PlanboardError, TypeError)):
        Process.restore(agent, kept().journal, process.id)


def test_restoring_with_another_agent_is_refused(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    other = Agent("other", [human(Expense, prompt="?")])
    with pytest.raises(PlanboardError, match="paying"):
        elsewhere(other, process)


def test_finished_is_no_answer_to_a_question(kept):
    process = Agent("forms", [human(Cat, prompt="?", name="ask")]).process(returning=Cat, options=kept())
    go(process)
    with pytest.raises(InvalidAnswerError):
        process.respond(process.pending[0].id, Finished(Cat()))


def test_a_second_answer_of_the_same_kind_is_refused_also_after_the_end(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    request = process.pending[0].id
    process.respond(request, True)
    go(process)
    for one in (process, elsewhere(PAYING, process)):
        with pytest.raises(AlreadyAnsweredError):
            one.respond(request, True)


# Two runs give the same journal


def test_what_is_written_does_not_depend_on_the_hash_seed(tmp_path):
    program = textwrap.dedent(
        """
        import asyncio, sys
        sys.path.insert(0, sys.argv[1])
        from test_children_wait import LIBRARY, Expense
        from planboard import MemoryJournal, ProcessOptions
        from planboard.testing import FakeClock
        journal = MemoryJournal()
        options = ProcessOptions(journal=journal, clock=FakeClock(), concurrency=3, approvals=("w*", "p*"),
                                 identities={"b": "1", "a": "2"})
        process = LIBRARY.process(Expense(), options=options, id="run")
        for _ in range(9):
            asyncio.run(process.run())
            for request in process.pending:
                process.respond(request.id, True)
        for run in journal.runs():
            print(run.id, run.fingerprint, journal.manifest(run.fingerprint), run.standing)
            for record in journal.read(run.id):
                print(record.body)
        """
    )
    outputs = set()
    for seed in ("0", "1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True, cwd=tmp_path,
        )  # fmt: skip
        outputs.add(done.stdout)
    assert len(outputs) == 1


# All kinds of events


def test_every_event_of_these_runs_reads_back_as_it_was_written():
    from test_children_wait import LIBRARY

    journal = MemoryJournal()
    process = LIBRARY.process(Expense(), options=ProcessOptions(journal=journal), id="run")
    for _ in range(9):
        go(process)
        for request in process.pending:
            process.respond(request.id, True)
    codec = process._keeper.codec
    for record, event in zip(journal.read("run"), process.events, strict=True):
        assert codec.encode(codec.decode(record.body)) == record.body
        assert codec.decode(record.body).kind == event.kind


def test_policies_of_a_run_that_is_taken_up_with_others_are_the_others(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept(approvals=("confirm",)))
    go(process)
    process.respond(process.pending[0].id, True)
    process = elsewhere(PAYING, process, options=ProcessOptions(approvals=("regret",)))
    assert go(process) is ProcessStatus.COMPLETED


def test_a_question_that_no_policy_asks_for_any_more_still_has_to_be_answered(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept(approvals=("check",)))
    go(process)
    process = elsewhere(PAYING, process, options=ProcessOptions())
    assert go(process) is ProcessStatus.WAITING
    assert [request.action for request in process.pending] == ["check"]


def test_a_stricter_policy_at_resume_does_not_undo_consent(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    process = elsewhere(PAYING, process, options=ProcessOptions(approvals=(lambda *_: Deny("no"),)))
    go(process)
    assert effects["pay"] == 1


def test_an_expired_question_is_not_pending(kept):
    from planboard.testing import FakeClock

    clock = FakeClock()
    process = Agent("p", [human(Cat, prompt="?", expires=60)]).process(returning=Cat, options=kept(clock=clock))
    go(process)
    clock.advance(61)
    for request in process.pending:
        process.respond(request.id, {})
