"""Promises about children that wait.

- A child's request is a request of the parent, at any depth; what is answered goes to the one who asked, and the run
  goes on at the innermost point, with nothing done twice.
- Budgets, listeners, identities and policies are those of the parent too.
"""

import asyncio
import json

import pytest
from expenses import Expense, effects, go
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Approve,
    Budget,
    Denied,
    Deny,
    Edit,
    ProcessStatus,
    Retry,
    Slept,
    achieves_goal,
    action,
    human,
    sleep,
    subagent,
)
from planboard.testing import FakeClock


class Draft(BaseModel):
    text: str


class Text(BaseModel):
    text: str


class Ready(BaseModel):
    text: str


class Book(BaseModel):
    text: str


@action
def write(expense: Expense) -> Draft:
    """Write a draft."""
    effects["write"] += 1
    return Draft(text=f"draft about {expense.amount}")


@achieves_goal("there is a text, or none")
@action(approval=True)
def polish(draft: Draft, expense: Expense) -> Text:
    """Polish the draft."""
    effects["polish"] += 1
    return Text(text=f"{draft.text} for {expense.payee}")


@achieves_goal("there is a text, or none")
@action
def leave_it(denied: Denied) -> Text:
    """Leave it."""
    effects["leave_it"] += 1
    return Text(text=f"none: {denied.reason}")


WRITER = Agent("writer", [write, polish, leave_it], types=[Ready])


@action
def prepare(expense: Expense) -> Ready:
    """Prepare."""
    effects["prepare"] += 1
    return Ready(text="ready")


@achieves_goal("there is a book")
@action
def bind(text: Text, ready: Ready) -> Book:
    """Bind it."""
    effects["bind"] += 1
    return Book(text=text.text)


WRITING = subagent(WRITER, returning=Text, needs=[Expense, Ready])
EDITOR = Agent("editor", [prepare, WRITING, bind])


class Shelf(BaseModel):
    books: list[str]


@achieves_goal("there is a shelf")
@action
def put(book: Book) -> Shelf:
    """Put it on the shelf."""
    effects["put"] += 1
    return Shelf(books=[book.text])


LIBRARY = Agent("library", [subagent(EDITOR, returning=Book, needs=[Expense]), put])
LEVELS = {"top": WRITER, "child": EDITOR, "grandchild": LIBRARY}


@pytest.mark.parametrize("again", [False, True], ids=["here", "elsewhere"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("decision", "text", "polished"),
    [
        (Approve(), "draft about 900 for Ada", 1),
        (Edit(expense=Expense(payee="Bob")), "draft about 900 for Bob", 1),
        (Deny("not good"), "none: not good", 0),
    ],
    ids=["approve", "edit", "deny"],
)
def test_every_decision_works_at_every_depth(kept, elsewhere, level, again, decision, text, polished):
    """Case 086; cases 077 and 097: what is done is not done again, and the answer goes to the one who asked."""
    agent = LEVELS[level]
    process = agent.process(Expense(), options=kept())
    assert go(process) is ProcessStatus.WAITING
    (request,) = process.pending
    assert request.action == "polish"
    process.respond(request.id, decision)
    if again:
        process = elsewhere(agent, process)
    assert go(process) is ProcessStatus.COMPLETED
    results = {Text: lambda made: made.text, Book: lambda made: made.text, Shelf: lambda made: made.books[0]}
    form = {"top": Text, "child": Book, "grandchild": Shelf}[level]
    assert results[form](process.result(form)) == text
    assert (effects["write"], effects["polish"]) == (1, polished)
    assert effects["prepare"] == (0 if level == "top" else 1)


def test_a_request_says_which_run_asks(kept):
    process = LIBRARY.process(Expense(), options=kept(), id="lib")
    go(process)
    (request,) = process.pending
    assert (request.process_id, request.id) == ("lib.1.2", "lib.1.2:2")


def test_the_parent_says_that_it_waits_for_the_child(kept):
    process = EDITOR.process(Expense(), options=kept())
    go(process)
    assert process.status is ProcessStatus.WAITING
    assert process.reason == "it waits for a child of 'writer'"


def test_an_answer_elsewhere_reaches_a_grandchild(kept, elsewhere):
    process = LIBRARY.process(Expense(), options=kept())
    go(process)
    elsewhere(LIBRARY, process).respond(process.pending[0].id, Approve())
    assert process.pending == ()
    assert go(process) is ProcessStatus.COMPLETED
    assert effects["polish"] == 1


def test_a_child_that_is_restored_waits_for_the_same(kept, elsewhere):
    process = LIBRARY.process(Expense(), options=kept())
    go(process)
    asked = process.pending
    assert elsewhere(LIBRARY, process).pending == asked


def test_two_questions_of_one_child_have_two_answers(kept):
    """Case 079."""

    class First(BaseModel):
        text: str

    class Second(BaseModel):
        text: str

    child = Agent("child", [human(First, prompt="1?"), human(Second, prompt="2?", needs=[First])])
    parent = Agent("parent", [subagent(child, returning=Second)])
    process = parent.process(returning=Second, options=kept())
    go(process)
    first = process.pending[0].id
    process.respond(first, {"text": "one"})
    go(process)
    assert [request.prompt for request in process.pending] == ["2?"]
    process.respond(process.pending[0].id, {"text": "two"})
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Second).text == "two"


# Children that actions start by themselves


class Both(BaseModel):
    texts: list[str]


@achieves_goal("there are both")
@action
async def ask_two(expense: Expense, context: ActionContext) -> Both:
    """Ask two writers, one after the other."""
    effects["ask_two"] += 1
    first = await context.run(WRITER, expense, returning=Text)
    second = await context.run(WRITER, Expense(payee="Bob"), returning=Text)
    return Both(texts=[first.text, second.text])


def test_a_child_that_has_finished_is_not_run_again_without_a_journal_either():
    process = Agent("two", [ask_two], agents=[WRITER]).process(Expense())
    go(process)
    while process.pending:
        process.respond(process.pending[0].id, True)
        go(process)
    assert process.status is ProcessStatus.COMPLETED
    assert (effects["write"], effects["polish"]) == (2, 2)


@pytest.mark.parametrize("again", [False, True], ids=["here", "elsewhere"])
def test_an_action_whose_children_wait_is_run_again_and_finds_them(kept, elsewhere, again):
    agent = Agent("two", [ask_two], agents=[WRITER])
    process = agent.process(Expense(), options=kept())
    assert go(process) is ProcessStatus.WAITING
    while process.status is ProcessStatus.WAITING:
        process.respond(process.pending[0].id, True)
        if again:
            process = elsewhere(agent, process)
        go(process)
    assert process.result(Both).texts == ["draft about 900 for Ada", "draft about 900 for Bob"]
    assert (effects["write"], effects["polish"]) == (2, 2)


@achieves_goal("there are both")
@action
async def ask_both(expense: Expense, context: ActionContext) -> Both:
    """Ask two writers at once."""
    import anyio

    texts: dict[int, str] = {}

    async def ask(number: int, payee: str) -> None:
        texts[number] = (await context.run(WRITER, Expense(payee=payee), returning=Text)).text

    async with anyio.create_task_group() as group:
        group.start_soon(ask, 1, "Ada")
        group.start_soon(ask, 2, "Bob")
    return Both(texts=[texts[1], texts[2]])


@pytest.mark.parametrize("first", [0, 1])
def test_children_that_run_at_once_are_all_pending_and_answered_each_for_itself(kept, elsewhere, first):
    """Cases 081, 082, 103 and 104."""
    agent = Agent("both", [ask_both], agents=[WRITER])
    process = agent.process(Expense(), options=kept())
    go(process)
    payees = [request.arguments["expense"]["payee"] for request in process.pending]
    assert payees == ["Ada", "Bob"]
    process.respond(process.pending[first].id, True)
    go(process)
    process = elsewhere(agent, process)
    assert [request.arguments["expense"]["payee"] for request in process.pending] == [payees[1 - first]]
    process.respond(process.pending[0].id, True)
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Both).texts == ["draft about 900 for Ada", "draft about 900 for Bob"]
    assert (effects["write"], effects["polish"]) == (2, 2)


# What is inherited


def test_policies_hold_for_children_and_the_strictest_wins(kept):
    process = LIBRARY.process(
        Expense(), options=kept(approvals=("write", lambda name, _: Deny("no") if name == "polish" else None))
    )
    go(process)
    assert [request.action for request in process.pending] == ["write"]
    process.respond(process.pending[0].id, True)
    go(process)
    assert process.result(Shelf).books == ["none: no"]


def test_a_policy_of_the_parent_holds_for_a_child_that_is_restored(kept, elsewhere):
    process = LIBRARY.process(Expense(), options=kept(approvals=("w*",)))
    go(process)
    while process.status is ProcessStatus.WAITING:
        process = elsewhere(LIBRARY, process)
        process.respond(process.pending[0].id, True)
        go(process)
    assert process.status is ProcessStatus.COMPLETED
    journal = kept().journal
    bodies = [json.loads(record.body) for run in journal.runs() for record in journal.read(run.id)]
    asked = [body["action"] for body in bodies if body["kind"] == "request_made"]
    assert sorted(asked) == ["polish", "write", "writer"]


def test_budgets_hold_over_children_that_wait(kept, elsewhere):
    """Cases 072 and 155: what was spent before a pause, at any depth, counts after it."""
    process = LIBRARY.process(Expense(), options=kept(budget=Budget(actions=5)))
    go(process)
    assert process.usage.actions == 4  # editor, prepare, writer, write
    process.respond(process.pending[0].id, True)
    process = elsewhere(LIBRARY, process)
    assert process.usage.actions == 4
    assert go(process) is ProcessStatus.TERMINATED
    assert process.usage.actions == 5
    assert effects["polish"] == 1


def test_usage_over_a_pause_is_that_of_a_run_without(kept):
    process = LIBRARY.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    go(process)
    assert process.usage.actions == 7  # editor, prepare, writer, write, polish, bind, put


def test_listeners_and_identities_are_those_of_the_parent_at_every_depth(kept, elsewhere):
    """Case 153, over a pause."""
    heard: list[tuple[str, str]] = []
    options = kept(listeners=(lambda event: heard.append((event.process_id, event.kind)),), identities={"user": "ada"})
    process = LIBRARY.process(Expense(), options=options, id="lib")
    go(process)
    process.respond(process.pending[0].id, True)
    heard.clear()
    process = elsewhere(LIBRARY, process, listeners=options.listeners)
    go(process)
    assert ("lib.1.2", "action_succeeded") in heard
    assert heard[-1] == ("lib", "process_ended")
    assert dict(process.options.identities) == {"user": "ada"}


def test_cancelling_the_parent_cancels_the_child_that_waits(kept, elsewhere):
    process = LIBRARY.process(Expense(), options=kept(), id="lib")
    go(process)
    process.cancel("no longer needed")
    journal = kept().journal
    assert [run.standing.status for run in journal.runs()] == ["CANCELLED"] * 3
    assert elsewhere(LIBRARY, "lib").pending == ()


# Time


def test_a_child_that_sleeps_makes_the_parent_wait_for_the_clock(kept, elsewhere):
    class Rested(BaseModel):
        pass

    class Up(BaseModel):
        pass

    @achieves_goal("rested")
    @action
    def rise(slept: Slept) -> Rested:
        return Rested()

    @achieves_goal("up")
    @action
    def up(rested: Rested) -> Up:
        return Up()

    child = Agent("child", [sleep(50), rise])
    parent = Agent("parent", [subagent(child, returning=Rested), up])
    clock = FakeClock(100.0)
    process = parent.process(options=kept(clock=clock))
    assert go(process) is ProcessStatus.COMPLETED
    assert clock.slept_until == [150.0]


def test_a_fork_has_children_of_its_own(kept):
    process = LIBRARY.process(Expense(), options=kept(), id="lib")
    go(process)
    twin = process.fork(id="twin")
    assert [request.id for request in twin.pending] == ["twin.1.2:2"]
    twin.respond("twin.1.2:2", Deny("no"))
    go(twin)
    process.respond("lib.1.2:2", True)
    go(process)
    assert (process.result(Shelf).books, twin.result(Shelf).books) == (["draft about 900 for Ada"], ["none: no"])


def test_a_supervising_budget_terminates_and_goes_on_without_repeating(kept, elsewhere):
    """Case 158, in the tree."""
    process = LIBRARY.process(Expense(), options=kept(budget=Budget(actions=2)))
    assert go(process) is ProcessStatus.TERMINATED
    other = elsewhere(LIBRARY, process)
    assert asyncio.run(other.run(budget=Budget(actions=100))) is ProcessStatus.WAITING
    assert effects["prepare"] == 1


def test_when_a_call_fails_its_children_that_wait_are_cancelled(kept):
    @achieves_goal("there are both")
    @action
    async def ask_and_fail(expense: Expense, context: ActionContext) -> Both:
        """Ask a writer, and fail beside it."""
        import anyio

        async def fail() -> None:
            while not process.pending:
                await anyio.lowlevel.checkpoint()
            message = "broken"
            raise RuntimeError(message)

        async with anyio.create_task_group() as group:
            group.start_soon(context.run, WRITER, expense)
            group.start_soon(fail)
        return Both(texts=[])

    process = Agent("failing", [ask_and_fail], agents=[WRITER]).process(Expense(), options=kept())
    assert go(process) is ProcessStatus.FAILED
    assert process.pending == ()
    assert {run.standing.status for run in kept().journal.runs()} == {"FAILED", "CANCELLED"}


def test_waiting_children_are_no_reason_to_try_again(kept):
    @achieves_goal("there are both")
    @action(retry=Retry(3, on=Exception))
    async def ask_one(expense: Expense, context: ActionContext) -> Both:
        """Ask a writer."""
        effects["ask_one"] += 1
        return Both(texts=[(await context.run(WRITER, expense, returning=Text)).text])

    process = Agent("trying", [ask_one], agents=[WRITER]).process(Expense(), options=kept())
    assert go(process) is ProcessStatus.WAITING
    assert effects["ask_one"] == 1
