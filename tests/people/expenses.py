"""What the tests with people share: expenses that are approved and paid, with counted effects."""

import asyncio
from collections import Counter

from pydantic import BaseModel

from planboard import Agent, Denied, Process, ProcessStatus, achieves_goal, action, human

effects: Counter[str] = Counter()
"""How often actions had their effect; tests clear it."""


class Expense(BaseModel):
    amount: int = 900
    payee: str = "Ada"


class Decision(BaseModel):
    approved: bool
    note: str = ""


class Checked(BaseModel):
    amount: int


class Payment(BaseModel):
    amount: int
    payee: str = ""


class Letter(BaseModel):
    text: str


@action
def check(expense: Expense) -> Checked:
    """Check the expense."""
    effects["check"] += 1
    return Checked(amount=expense.amount)


@action(approval=True)
def pay(checked: Checked, expense: Expense) -> Payment:
    """Pay it."""
    effects["pay"] += 1
    return Payment(amount=expense.amount, payee=expense.payee)


@achieves_goal("it is settled")
@action
def confirm(payment: Payment) -> Letter:
    """Tell that it was paid."""
    effects["confirm"] += 1
    return Letter(text=f"paid {payment.amount} to {payment.payee}")


@achieves_goal("it is settled")
@action
def regret(denied: Denied) -> Letter:
    """Tell that it was not paid."""
    effects["regret"] += 1
    return Letter(text=f"{denied.action} not done: {denied.reason}")


@achieves_goal("it is settled")
@action
def report(decision: Decision) -> Letter:
    """Tell what was decided."""
    effects["report"] += 1
    return Letter(text=f"decided {decision.approved} {decision.note}".rstrip())


PAYING = Agent("paying", [check, pay, confirm, regret])
"""Pays with consent."""

ASKING = Agent("asking", [human(Decision, prompt="Pay {expense.amount}?", needs=[Expense]), report])
"""Asks a person what to do."""


def go(process: Process) -> ProcessStatus:
    """Run a process for as long as it can go on."""
    return asyncio.run(process.run())
