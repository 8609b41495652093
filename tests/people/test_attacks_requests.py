"""Attacks on requests: what is asked again, what listeners do, what people write, what policies say."""

from dataclasses import replace
from typing import Annotated

import pytest
from expenses import ASKING, PAYING, Expense, Letter, effects, go
from pydantic import BaseModel

from planboard import (
    Agent,
    All,
    Approve,
    Deny,
    Edit,
    InvalidAnswerError,
    ProcessOptions,
    ProcessStatus,
    achieves_goal,
    action,
    human,
)
from planboard.testing import FakeClock


class Died(BaseException):
    """Stands for the end of the program."""


class A(BaseModel):
    n: int = 0


class B(BaseModel):
    n: int


class Silent:
    """A journal that loses what is written once the program is dead."""

    def __init__(self, journal) -> None:
        self.journal = journal
        self.dead = False

    def append(self, *given) -> None:
        if not self.dead:
            self.journal.append(*given)

    def __getattr__(self, name: str):
        return getattr(self.journal, name)


@pytest.fixture
def dies(kept):
    """Begin a run whose action, once it is agreed to, ends the program the first time it runs."""
    silent = Silent(kept().journal)

    @achieves_goal("there is a B")
    @action(approval=True)
    def work(a: A) -> B:
        """Work."""
        effects["work"] += 1
        if effects["work"] == 1:
            silent.dead = True
            raise Died
        return B(n=a.n)

    agent = Agent("dying", [work])

    def begin(decision) -> tuple[Agent, str]:
        process = agent.process(A(n=1), options=replace(kept(), journal=silent), id="run")
        assert go(process) is ProcessStatus.WAITING
        process.respond(process.pending[0].id, decision)
        with pytest.raises(Died):
            go(process)
        kept().journal.release("run")
        return agent, "run"

    return begin


def test_what_was_agreed_to_and_then_is_in_doubt_can_be_answered(dies, elsewhere):
    process = elsewhere(*dies(Approve()))
    assert go(process) is ProcessStatus.WAITING
    (request,) = process.pending
    assert request.purpose == "in_doubt"
    process.respond(request.id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    assert effects["work"] == 2


def test_the_second_doubt_about_one_call_can_be_answered(kept, elsewhere):
    silent = Silent(kept().journal)

    @achieves_goal("there is a B")
    @action
    def work(a: A) -> B:
        """Work."""
        effects["work"] += 1
        if effects["work"] < 3:
            silent.dead = True
            raise Died
        return B(n=a.n)

    agent = Agent("dying", [work])
    process = agent.process(A(n=1), options=replace(kept(), journal=silent), id="run")
    with pytest.raises(Died):
        go(process)
    silent.dead = False
    silent.journal.release("run")
    process = elsewhere(agent, "run")
    go(process)
    process.respond(process.pending[0].id, Approve())
    lost = Silent(process._keeper.journal)
    process._keeper.journal = lost
    silent = lost
    with pytest.raises(Died):
        go(process)
    lost.journal.release("run")
    process = elsewhere(agent, "run")
    go(process)
    (request,) = process.pending
    process.respond(request.id, Approve())
    assert go(process) is ProcessStatus.COMPLETED


def test_edited_arguments_are_those_that_are_shown_when_the_call_is_in_doubt(dies, elsewhere):
    process = elsewhere(*dies(Edit(a=A(n=7))))
    go(process)
    assert [request.arguments for request in process.pending] == [{"a": {"n": 7}}]


def test_edited_arguments_hold_after_a_doubt(dies, elsewhere):
    process = elsewhere(*dies(Edit(a=A(n=7))))
    go(process)
    process.respond(process.pending[0].id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(B).n == 7


def test_edited_arguments_hold_after_a_doubt_that_changes_another_one(kept, elsewhere):
    silent = Silent(kept().journal)

    class Other(BaseModel):
        n: int = 1

    @achieves_goal("there is a B")
    @action(approval=True)
    def work(a: A, other: Other) -> B:
        effects["work"] += 1
        if effects["work"] == 1:
            silent.dead = True
            raise Died
        return B(n=a.n * 100 + other.n)

    agent = Agent("dying", [work])
    process = agent.process(A(n=1), Other(), options=replace(kept(), journal=silent), id="run")
    go(process)
    process.respond(process.pending[0].id, Edit(a=A(n=7)))
    with pytest.raises(Died):
        go(process)
    kept().journal.release("run")
    process = elsewhere(agent, "run")
    go(process)
    process.respond(process.pending[0].id, Edit(other=Other(n=5)))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(B).n == 705


# Objects that change


@pytest.mark.parametrize("keep", [False, True])
def test_what_is_agreed_to_does_not_run_with_arguments_that_were_changed_in_place(kept, keep):
    expense = Expense(amount=900)
    process = PAYING.process(expense, options=kept() if keep else None)
    go(process)
    expense.amount = 1_000_000
    process.board.last(Expense).amount = 1_000_000
    process.respond(process.pending[0].id, Approve())
    go(process)
    assert effects["pay"] == 0 or process.result(Letter).text == "paid 900 to Ada"


# Listeners


@pytest.mark.parametrize("keep", [False, True])
def test_a_listener_may_agree_at_once(kept, keep):
    def agree(event):
        if event.kind == "request_made":
            process.respond(event.id, True)

    options = kept(listeners=(agree,)) if keep else ProcessOptions(listeners=(agree,))
    process = PAYING.process(Expense(), options=options)
    assert go(process) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "pay": 1, "confirm": 1}


@pytest.mark.parametrize("kind", ["request_made", "process_waiting"])
@pytest.mark.parametrize("keep", [False, True])
def test_a_listener_may_answer_at_once(kept, keep, kind):
    def answer(event):
        if event.kind == kind:
            process.respond(process.pending[0].id, {"approved": True})

    options = kept(listeners=(answer,)) if keep else ProcessOptions(listeners=(answer,))
    process = ASKING.process(Expense(), options=options)
    assert go(process) is ProcessStatus.COMPLETED
    assert effects == {"report": 1}


@pytest.mark.parametrize("keep", [False, True])
def test_a_listener_may_cancel_on_an_answer(kept, elsewhere, keep):
    def stop(event):
        if event.kind == "request_answered":
            process.cancel("enough")

    options = kept(listeners=(stop,)) if keep else ProcessOptions(listeners=(stop,))
    process = ASKING.process(Expense(), options=options)
    go(process)
    process.respond(process.pending[0].id, {"approved": True})
    assert go(process) is ProcessStatus.CANCELLED
    assert effects["report"] == 0
    if keep:
        assert elsewhere(ASKING, process).status is ProcessStatus.CANCELLED


@pytest.mark.parametrize("keep", [False, True])
def test_a_listener_may_cancel_on_an_expiry(kept, elsewhere, keep):
    def stop(event):
        if event.kind == "request_answered":
            process.cancel("enough")

    clock = FakeClock()
    agent = Agent("patient", [human(B, prompt="?", expires=60)])
    options = {"listeners": (stop,), "clock": clock}
    process = agent.process(returning=B, options=kept(**options) if keep else ProcessOptions(**options))
    go(process)
    clock.advance(100)
    assert go(process) is ProcessStatus.CANCELLED
    if keep:
        assert elsewhere(agent, process).status is ProcessStatus.CANCELLED


# What people write


@pytest.mark.parametrize(
    "strange",
    [
        {"decision": "edit", "arguments": {"self": {}}},
        {"decision": "edit", "arguments": {1: 2}},
        {"decision": "edit", "arguments": {"": 2}},
        {"decision": "edit", "arguments": None},
        {"decision": "deny", "reason": None},
        {"decision": "edit", "arguments": {"expense": float("nan")}},
        {"decision": "edit", "arguments": {"expense": object()}},
        {"decision": ["approve"]},
        {1: 2},
        Deny,
        Approve,
        Edit(request_id=3),
    ],
)
def test_what_cannot_be_meant_is_refused_as_such(kept, strange):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    with pytest.raises(InvalidAnswerError):
        process.respond(process.pending[0].id, strange)
    assert len(process.pending) == 1


# Binding


class Item(BaseModel):
    n: int


class Total(BaseModel):
    n: int
    last: int = 0


@pytest.mark.parametrize("again", [False, True])
def test_all_of_a_type_and_the_newest_of_it_are_the_same_after_consent(kept, elsewhere, again):
    @achieves_goal("a total")
    @action(approval=True)
    def add(items: Annotated[list[Item], All], last: Item) -> Total:
        """Add them."""
        return Total(n=sum(item.n for item in items), last=last.n)

    agent = Agent("adding", [add])
    process = agent.process(Item(n=1), Item(n=2), Item(n=3), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    process = elsewhere(agent, process) if again else process
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Total) == Total(n=6, last=3)


def test_all_of_a_type_can_be_edited(kept, elsewhere):
    @achieves_goal("a total")
    @action(approval=True)
    def add(items: Annotated[list[Item], All], last: Item) -> Total:
        """Add them."""
        return Total(n=sum(item.n for item in items), last=last.n)

    agent = Agent("adding", [add])
    process = agent.process(Item(n=1), Item(n=2), options=kept())
    go(process)
    process.respond(process.pending[0].id, {"decision": "edit", "arguments": {"items": [{"n": 5}, {"n": 6}, {"n": 7}]}})
    process = elsewhere(agent, process)
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Total) == Total(n=18, last=2)


def test_all_of_a_type_is_not_edited_to_nothing(kept):
    @achieves_goal("a total")
    @action(approval=True)
    def add(items: Annotated[list[Item], All]) -> Total:
        """Add them."""
        return Total(n=sum(item.n for item in items))

    process = Agent("adding", [add]).process(Item(n=1), options=kept())
    go(process)
    try:
        process.respond(process.pending[0].id, Edit(items=[]))
    except InvalidAnswerError:
        return
    go(process)
    assert process.result(Total) == Total(n=0)


def test_what_is_consumed_after_an_edit_is_not_asked_about_again(kept):
    @achieves_goal("a total")
    @action(approval=True, consumes=Item, rerun="new_inputs")
    def take(item: Item) -> Total:
        """Take it."""
        effects["take"] += 1
        return Total(n=item.n)

    class Never(BaseModel):
        pass

    @achieves_goal("never")
    @action(pre=["never"])
    def never(total: Total) -> Never:
        return Never()

    process = Agent("taking", [take, never]).process(Item(n=1), planner="utility", options=kept())
    go(process)
    process.respond(process.pending[0].id, Edit(item=Item(n=2)))
    go(process)
    assert process.pending == ()
    assert effects["take"] == 1


# Policies


async def slow_policy(name, arguments):
    return Deny("no")


@pytest.mark.parametrize(
    "policy",
    [
        lambda *_: 1 / 0,
        lambda *_: 1,
        lambda *_: Deny,
        lambda *_: Approve(),
        lambda *_: {"decision": "deny"},
        lambda: True,
        slow_policy,
    ],
    ids=["raises", "one", "class", "approve", "dict", "arity", "async"],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_policy_that_says_nonsense_lets_nothing_run(kept, policy):
    process = PAYING.process(Expense(), options=kept(approvals=(policy,)))
    assert go(process) is ProcessStatus.FAILED
    assert "policy" in process.reason
    assert effects == {}


def test_a_policy_cannot_change_what_it_is_shown(kept):
    def mean(name, arguments):
        if name == "pay":
            arguments["expense"] = Expense(amount=1)

    process = PAYING.process(Expense(), options=kept(approvals=(mean,)))
    go(process)
    process.respond(process.pending[0].id, True)
    go(process)
    assert process.result(Letter).text == "paid 900 to Ada"


# Time


def test_an_answer_that_was_left_in_time_counts_although_the_owner_hears_it_late(kept, elsewhere):
    clock = FakeClock()

    @achieves_goal("there is a total")
    @action
    async def slow(item: Item) -> Total:
        """Work while somebody answers elsewhere, for longer than the question stands."""
        other = elsewhere(agent, "run", clock=clock)
        other.respond(other.pending[0].id, {"n": 3})
        clock.advance(100)
        return Total(n=1)

    class Both(BaseModel):
        n: int

    @achieves_goal("both")
    @action
    def both(total: Total, b: B) -> Both:
        return Both(n=b.n)

    agent = Agent("patient", [human(B, prompt="?", expires=60), slow, both])
    process = agent.process(Item(n=1), returning=Both, options=kept(clock=clock, concurrency=2), id="run")
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Both).n == 3
