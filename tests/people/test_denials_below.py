"""Promises about refusals further down: whoever has started it has a `Denied` to go on from, at any depth (case 088)."""

import pytest
from expenses import Checked, Expense, Letter, Payment, check, effects, go, pay

from planboard import (
    Agent,
    Approval,
    Denied,
    Deny,
    Expired,
    NotAgreedError,
    ProcessOptions,
    ProcessStatus,
    action,
    branch,
    human,
    map_each,
    parallel,
    sequence,
    subagent,
    task,
)
from planboard.testing import FakeClock

PAYER = Agent("payer", [check, pay], goals=[Payment])
MIDDLE = Agent("middle", [subagent(PAYER, returning=Payment)], goals=[Payment])


@action
def confirm(payment: Payment) -> Letter:
    """Tell that it was paid."""
    return Letter(text=f"paid {payment.amount}")


@action
def regret(denied: Denied) -> Letter:
    """Tell that it was not paid."""
    return Letter(text=f"{denied.action} not done: {denied.reason}")


@action
def settle(outcome: Payment | Denied) -> Letter:
    """Tell what came of it."""
    return Letter(text=f"not: {outcome.reason}" if isinstance(outcome, Denied) else f"paid {outcome.amount}")


def always(expense: Expense) -> bool:
    return True


WAYS = {
    "subagent": [subagent(PAYER, returning=Payment), confirm, regret],
    "subagent of a subagent": [subagent(MIDDLE, returning=Payment), confirm, regret],
    "sequence of an agent": [sequence(PAYER, confirm, name="middle"), regret],
    "sequence of an action": [sequence(check, pay, confirm, name="middle"), regret],
    "parallel": [parallel(PAYER, name="middle"), confirm, regret],
    "branch": [branch(always, PAYER, name="middle"), confirm, regret],
    "task": [task(check), task(pay), confirm, regret],
}


def denied(agent, options=None, answer=None):
    process = agent.process(Expense(), returning=Letter, options=options)
    go(process)
    process.respond(process.pending[0].id, answer or Deny("too much"))
    go(process)
    return process


@pytest.mark.parametrize("way", WAYS)
def test_the_parent_goes_another_way(way):
    process = denied(Agent("office", WAYS[way]))

    assert process.status is ProcessStatus.COMPLETED
    assert process.result(Letter).text.endswith("not done: too much")
    assert effects["pay"] == 0


def test_the_denied_names_the_action_of_the_parent_and_the_request():
    process = denied(Agent("office", WAYS["subagent of a subagent"]))

    told = process.board.last(Denied)

    assert (told.action, told.reason) == ("middle", "too much")
    assert told.request_id.startswith(f"{process.id}.1.1:")


@pytest.mark.parametrize(
    "first", [PAYER, MIDDLE, subagent(PAYER, returning=Payment), parallel(PAYER, name="at_once")], ids=str
)
def test_the_next_part_of_a_sequence_may_take_it(first):
    process = denied(Agent("office", [sequence(first, settle, name="all")]))

    assert process.result(Letter).text == "not: too much"


def test_the_next_part_of_a_sequence_takes_what_was_agreed_to_as_well():
    process = denied(Agent("office", [sequence(PAYER, settle, name="all")]), answer=True)

    assert process.result(Letter).text == "paid 900"


def test_without_another_way_the_run_fails_and_says_what_was_not_agreed_to():
    process = denied(Agent("office", [subagent(MIDDLE, returning=Payment), confirm]))

    assert process.status is ProcessStatus.FAILED
    assert "Action 'pay' was not agreed to: too much." in process.reason


@pytest.mark.parametrize("way", ["subagent of a subagent", "sequence of an agent"])
def test_it_is_the_same_in_another_program(way, kept, elsewhere):
    agent = Agent("office", WAYS[way])
    process = agent.process(Expense(), returning=Letter, options=kept())
    go(process)
    other = elsewhere(agent, process)
    other.respond(other.pending[0].id, Deny("too much"))
    go(other)

    third = elsewhere(agent, other)

    assert third.result(Letter).text == "middle not done: too much"
    assert third.board.last(Denied) == other.board.last(Denied)


def test_a_policy_that_refuses_counts_as_well():
    @action
    def pay_out(checked: Checked) -> Payment:
        return Payment(amount=checked.amount)

    def never(name: str, arguments: object) -> Deny | None:
        return Deny("never") if name == "pay_out" else None

    child = Agent("child", [check, pay_out], goals=[Payment])
    agent = Agent("office", [subagent(child, returning=Payment), confirm, regret])
    process = agent.process(Expense(), returning=Letter, options=ProcessOptions(approvals=[Approval(never)]))
    go(process)

    assert process.result(Letter).text == "child not done: never"


def test_what_expires_further_down_is_an_expired_here():
    clock = FakeClock(0.0)
    child = Agent("child", [human(Payment, prompt="How much?", expires=60)], goals=[Payment])
    agent = Agent("office", [subagent(child, returning=Payment, needs=[Expense]), confirm, regret])
    process = agent.process(Expense(), returning=Letter, options=ProcessOptions(clock=clock))
    go(process)
    clock.advance(61)
    go(process)

    assert isinstance(process.board.last(Denied), Expired)
    assert process.status is ProcessStatus.COMPLETED


def test_a_failure_is_no_refusal():
    @action
    def break_down(checked: Checked) -> Payment:
        message = "no money"
        raise ValueError(message)

    child = Agent("child", [check, break_down], goals=[Payment])
    agent = Agent("office", [subagent(child, returning=Payment), confirm, regret])
    process = agent.process(Expense(), returning=Letter)
    go(process)

    assert process.status is ProcessStatus.FAILED
    assert process.board.last(Denied) is None


def test_a_refusal_that_the_child_went_on_from_is_its_own():
    @action
    def instead(refused: Denied) -> Payment:
        return Payment(amount=0)

    child = Agent("child", [check, pay, instead], goals=[Payment])
    process = denied(Agent("office", [subagent(child, returning=Payment), confirm, regret]))

    assert process.result(Letter).text == "paid 0"
    assert process.board.last(Denied) is None


def test_a_step_raises_what_was_not_agreed_to():
    process = denied(Agent("office", [sequence(check, pay, confirm, name="middle")]))

    assert isinstance(process.failure.__cause__, NotAgreedError)
    assert process.failure.__cause__.denied.reason == "too much"


def test_an_item_that_was_not_agreed_to_is_a_refusal_of_the_map():
    @action(approval=True)
    def pay_one(expense: Expense) -> Payment:
        return Payment(amount=expense.amount)

    @action
    def add_up(payments: list[Payment]) -> Letter:
        return Letter(text=str(len(payments)))

    agent = Agent("office", [map_each(list[Expense], pay_one, name="all"), add_up, regret])
    process = agent.process([Expense(amount=1), Expense(amount=2)], returning=Letter)
    go(process)
    for request, answer in zip(process.pending, [True, Deny("no")], strict=True):
        process.respond(request.id, answer)
    go(process)

    assert process.result(Letter).text == "all not done: no"
