"""Promises about consent.

- An action that needs consent does not run before it; what is agreed to is exactly that call with those arguments.
- Approve, edit, deny and expire do what they say; what is denied is not done, and not asked for again.
- Policies hold for the process and all below it, and the strictest one wins.
"""

import pytest
from expenses import PAYING, Checked, Expense, Letter, Payment, check, confirm, effects, go, pay, regret
from pydantic import BaseModel

from planboard import (
    Agent,
    Approval,
    Approve,
    Denied,
    Deny,
    Edit,
    Expired,
    InvalidAnswerError,
    Process,
    ProcessOptions,
    ProcessStatus,
    achieves_goal,
    action,
)
from planboard.testing import FakeClock


def asked(options: ProcessOptions | None = None) -> Process:
    process = PAYING.process(Expense(), options=options)
    assert go(process) is ProcessStatus.WAITING
    return process


def test_nothing_of_the_action_runs_before_it_is_agreed_to():
    asked()
    assert effects == {"check": 1}


def test_a_request_shows_the_bound_arguments():
    (request,) = asked().pending
    assert request.purpose == "approval"
    assert request.arguments == {"checked": {"amount": 900}, "expense": {"amount": 900, "payee": "Ada"}}


@pytest.mark.parametrize("yes", [Approve(), True, "approve", {"decision": "approve"}])
def test_what_is_agreed_to_runs_once(yes):
    process = asked()
    process.respond(process.pending[0].id, yes)
    assert go(process) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "pay": 1, "confirm": 1}


@pytest.mark.parametrize("no", [Deny("too much"), {"decision": "deny", "reason": "too much"}])
def test_what_is_denied_does_not_run_and_the_planner_goes_on(no):
    """Case 088: it is recorded as not done, everywhere."""
    process = asked()
    process.respond(process.pending[0].id, no)
    assert go(process) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "regret": 1}
    assert process.result(Letter).text == "pay not done: too much"
    assert [step.action for step in process.history] == ["check", "regret"]
    assert process.board.last(Payment) is None


def test_false_denies():
    process = asked()
    process.respond(process.pending[0].id, False)
    go(process)
    assert process.board.last(Denied).action == "pay"


def test_edited_arguments_are_those_it_runs_with():
    process = asked()
    process.respond(process.pending[0].id, Edit(expense=Expense(amount=500)))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Letter).text == "paid 500 to Ada"


def test_arguments_may_be_edited_by_data():
    process = asked()
    process.respond(process.pending[0].id, {"decision": "edit", "arguments": {"expense": {"amount": 7}}})
    go(process)
    assert process.board.last(Payment).amount == 7


@pytest.mark.parametrize(
    ("arguments", "told"),
    [({"expence": {}}, "Did you mean"), ({"expense": {"amount": "much"}}, "amount"), ({"expense": None}, "left out")],
)
def test_edited_arguments_that_do_not_fit_are_refused(arguments, told):
    process = asked()
    with pytest.raises(InvalidAnswerError, match=told):
        process.respond(process.pending[0].id, {"decision": "edit", "arguments": arguments})
    assert process.pending


@pytest.mark.parametrize(
    "strange", [None, 3, "perhaps", {"decision": "aprove"}, {"decide": "approve"}, [], "yes please"]
)
def test_what_means_nothing_is_refused(strange):
    process = asked()
    with pytest.raises(InvalidAnswerError):
        process.respond(process.pending[0].id, strange)
    assert process.pending


def test_what_is_approved_is_exactly_that_call():
    """What comes meanwhile does not slip into a call that was agreed to."""
    process = asked()
    process.board.add(Expense(amount=1_000_000, payee="Mallory"))
    process.respond(process.pending[0].id, Approve())
    go(process)
    assert process.board.last(Payment) == Payment(amount=900, payee="Ada")


def test_a_denied_call_is_not_asked_about_again_but_another_is():
    agent = Agent("insisting", [check, pay, confirm])
    process = agent.process(Expense(), options=ProcessOptions(concurrency=1))
    go(process)
    process.respond(process.pending[0].id, Deny("no"))
    assert go(process) is ProcessStatus.STUCK
    process.board.add(Expense(amount=3))
    go(process)
    assert [request.arguments["expense"]["amount"] for request in process.pending] == [3]


def test_a_stuck_run_says_what_was_denied():
    agent = Agent("insisting", [check, pay, confirm])
    process = agent.process(Expense())
    go(process)
    process.respond(process.pending[0].id, Deny("no"))
    go(process)
    assert "pay" in process.reason
    assert "denied" in process.reason or "not agreed" in process.reason


# Policies


def with_policy(*approvals) -> Process:
    agent = Agent("plain", [check, regret, made, made_letter])
    process = agent.process(Expense(), options=ProcessOptions(approvals=approvals))
    go(process)
    return process


@action
def made(checked: Checked) -> Payment:
    """Pay without asking."""
    effects["made"] += 1
    return Payment(amount=checked.amount)


@achieves_goal("it is settled")
@action
def made_letter(payment: Payment) -> Letter:
    """Tell it."""
    effects["made_letter"] += 1
    return Letter(text=f"made {payment.amount}")


def test_a_policy_by_name_asks():
    process = with_policy("made")
    assert [request.action for request in process.pending] == ["made"]
    assert effects["made"] == 0


def test_a_policy_by_pattern_with_words():
    process = with_policy(Approval("made_*", prompt="Send it?"))
    assert [request.prompt for request in process.pending] == ["Send it?"]


def test_a_policy_may_look_at_the_arguments():
    def big(name, arguments):
        return (
            f"{name} {arguments['checked'].amount}?" if name == "made" and arguments["checked"].amount > 500 else None
        )

    assert [request.prompt for request in with_policy(big).pending] == ["made 900?"]


def test_a_policy_that_forbids_wins_and_nothing_runs():
    """Case 164: a veto comes before the action."""
    process = with_policy("made", lambda name, _: Deny("never") if name == "made" else None)
    assert process.status is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "regret": 1}
    assert process.result(Letter).text == "made not done: never"


def test_a_veto_holds_for_actions_that_run_at_once():
    """Case 164, in parallel."""
    ran: list[str] = []

    class A(BaseModel):
        pass

    class B(BaseModel):
        pass

    class Both(BaseModel):
        pass

    @action
    async def a(expense: Expense) -> A:
        ran.append("a")
        return A()

    @action
    async def b(expense: Expense) -> B:
        ran.append("b")
        return B()

    @achieves_goal("it is settled")
    @action
    def both(a: A, b: B) -> Both:
        return Both()

    process = Agent("two", [a, b, both]).process(
        Expense(), options=ProcessOptions(concurrency=2, approvals=(lambda *_: Deny("no"),))
    )
    assert go(process) is ProcessStatus.STUCK
    assert ran == []


def test_consent_expires():
    clock = FakeClock()
    process = PAYING.process(
        Expense(), options=ProcessOptions(clock=clock, approvals=(Approval("pay", expires=60, prompt="In time?"),))
    )
    go(process)
    clock.advance(60)
    assert go(process) is ProcessStatus.COMPLETED
    assert isinstance(process.board.last(Denied), Expired)
    assert effects["pay"] == 0


# Elsewhere


def test_consent_given_in_another_program_is_heeded(kept, elsewhere):
    process = asked(kept())
    other = elsewhere(PAYING, process)
    other.respond(process.pending[0].id, Approve())
    assert go(other) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "pay": 1, "confirm": 1}


def test_edited_arguments_survive(kept, elsewhere):
    process = asked(kept())
    process.respond(process.pending[0].id, Edit(expense=Expense(amount=5, payee="Bob")))
    other = elsewhere(PAYING, process)
    go(other)
    assert other.result(Letter).text == "paid 5 to Bob"


def test_consent_is_heeded_whatever_services_are_given_at_resume(kept, elsewhere):
    """Case 089."""

    class Bank:
        pass

    process = asked(kept())
    process.respond(process.pending[0].id, Approve())
    other = elsewhere(PAYING, process, services=(Bank(),), options=ProcessOptions(identities={"user": "bob"}))
    assert go(other) is ProcessStatus.COMPLETED
    assert effects["pay"] == 1
    assert [event.kind for event in other.events].count("request_made") == 1


def test_two_restored_copies_do_not_share_decisions():
    """Case 091: forks of a waiting run are answered each for itself; the original is untouched (case 083)."""
    process = asked()
    yes, no = process.fork(), process.fork()
    yes.respond(yes.pending[0].id, Approve())
    no.respond(no.pending[0].id, Deny("no"))
    go(yes)
    go(no)
    assert yes.result(Letter).text == "paid 900 to Ada"
    assert no.result(Letter).text == "pay not done: no"
    assert len(process.pending) == 1


def test_forks_of_a_kept_run_are_answered_each_for_itself(kept):
    process = asked(kept())
    yes, no = process.fork(), process.fork()
    yes.respond(yes.pending[0].id, Approve())
    no.respond(no.pending[0].id, Deny("no"))
    assert (go(yes), go(no)) == (ProcessStatus.COMPLETED, ProcessStatus.COMPLETED)
    assert len(process.pending) == 1
    assert effects["pay"] == 1


# Several at once


class One(BaseModel):
    pass


class Two(BaseModel):
    pass


class Three(BaseModel):
    pass


class All(BaseModel):
    pass


@action(approval=True)
async def one(expense: Expense) -> One:
    """Do the first."""
    effects["one"] += 1
    return One()


@action(approval=True)
async def two(expense: Expense) -> Two:
    """Do the second."""
    effects["two"] += 1
    return Two()


@action(approval=True)
async def three(expense: Expense) -> Three:
    """Do the third."""
    effects["three"] += 1
    return Three()


@achieves_goal("it is settled")
@action
def join(one: One, two: Two, three: Three) -> All:
    """Join them."""
    effects["join"] += 1
    return All()


PARALLEL = Agent("parallel", [one, two, three, join])


def parallel(options: ProcessOptions) -> Process:
    process = PARALLEL.process(Expense(), options=options)
    go(process)
    return process


def names(process: Process) -> list[str]:
    return [request.action for request in process.pending]


def test_all_that_waits_at_once_is_pending(kept):
    """Case 081."""
    assert names(parallel(kept(concurrency=3))) == ["one", "three", "two"]


def test_what_was_answered_is_not_asked_again(kept):
    """Case 082, and 106: a block of two is done when both are."""
    process = parallel(kept(concurrency=3))
    process.respond(process.pending[2].id, True)
    assert go(process) is ProcessStatus.WAITING
    assert names(process) == ["one", "three"]
    assert effects == {"two": 1}


def test_branches_are_joined_once(kept, elsewhere):
    process = parallel(kept(concurrency=3))
    for request in reversed(process.pending):
        process.respond(request.id, True)
        process = elsewhere(PARALLEL, process)
        go(process)
    assert process.status is ProcessStatus.COMPLETED
    assert effects == {"one": 1, "two": 1, "three": 1, "join": 1}


def test_all_may_be_answered_before_the_run_goes_on(kept):
    process = parallel(kept(concurrency=3))
    for request in process.pending:
        process.respond(request.id, True)
    assert go(process) is ProcessStatus.COMPLETED


def test_a_sibling_that_fails_leaves_the_request_pending(kept):
    """Case 095."""

    @action
    async def broken(expense: Expense) -> Two:
        message = "broken"
        raise RuntimeError(message)

    @action(cost=0.9)
    def other_two(expense: Expense) -> Two:
        return Two()

    agent = Agent("parallel", [one, broken, other_two, three, join])
    process = agent.process(Expense(), options=kept(concurrency=3))
    go(process)
    assert "one" in names(process)
    while process.pending:
        process.respond(process.pending[0].id, True)
        go(process)
    assert process.status is ProcessStatus.COMPLETED
    assert effects["one"] == 1


@pytest.mark.parametrize("again", [False, True], ids=["here", "elsewhere"])
def test_who_decided_is_on_record(kept, elsewhere, again):
    process = asked(kept())
    (elsewhere(PAYING, process) if again else process).respond(process.pending[0].id, Approve(), by="ada")
    go(process)
    assert [event.by for event in process.events if event.kind == "request_answered"] == ["ada"]


def test_a_reason_is_kept_without_what_it_says_under_a_secret_name(kept):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, Deny("api_key='k-123' is out of date"))
    go(process)

    assert process.result(Letter).text == "pay not done: api_key=*** is out of date"
    assert "k-123" not in repr(process.events)
