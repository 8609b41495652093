"""Agents for the tests of commands; a copy leaves its marks in the folder it lies in."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, SecretStr

from planboard import Agent, All, Denied, Slept, achieves_goal, action, human, sleep, subagent

HERE = Path(__file__).parent


class Expense(BaseModel):
    amount: int


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
async def check(expense: Expense) -> Checked:
    print("printed by the action")  # noqa: T201 - it must not get into the result
    return Checked(amount=expense.amount)


@action(approval=True, cost=0.3)
async def pay(checked: Checked, expense: Expense) -> Payment:
    return Payment(amount=expense.amount)


@achieves_goal("It is settled")
@action
async def confirm(payment: Payment) -> Letter:
    return Letter(text=f"paid {payment.amount}")


@achieves_goal("It is settled")
@action
async def regret(denied: Denied) -> Letter:
    return Letter(text=f"{denied.action} not done: {denied.reason}")


paying = Agent("paying", [check, pay, confirm, regret])
boss = Agent("boss", [subagent(paying, returning=Letter, needs=[Expense])], goals=[Letter])


@achieves_goal("It is settled")
@action
async def report(decision: Decision) -> Letter:
    return Letter(text=f"decided {decision.approved} {decision.note}".rstrip())


asking = Agent("asking", [human(Decision, "Is it in order?", needs=[Expense]), report])


@achieves_goal("A note")
@action
async def note(text: str) -> Letter:
    return Letter(text=text)


noting = Agent("noting", [human(str, "What?"), note])


@achieves_goal("Counted")
@action
async def count(checked: Checked) -> Letter:
    return Letter(text=f"counted {checked.amount}")


counting = Agent("counting", [check, count])


@achieves_goal("Never")
@action
async def fail(expense: Expense) -> Letter:
    raise ValueError("no")


failing = Agent("failing", [fail])


@achieves_goal("It has rested")
@action
async def wake(slept: Slept) -> Letter:
    return Letter(text="rested")


resting = Agent("resting", [sleep(timedelta(days=3)), wake])


@action
async def hang(expense: Expense) -> Checked:
    with (HERE / f"hang-{expense.amount}").open("a") as file:
        file.write("x")
    while not (HERE / f"gate-{expense.amount}").exists():
        await asyncio.sleep(0.02)
    return Checked(amount=expense.amount)


hanging = Agent("hanging", [hang, count])


class Login(BaseModel):
    password: SecretStr


@achieves_goal("It is settled")
@action
async def enter(login: Login) -> Letter:
    return Letter(text=login.password.get_secret_value()[::-1])


entering = Agent("entering", [enter])


@achieves_goal("Totalled")
@action
async def total(expenses: Annotated[list[Expense], All]) -> Letter:
    return Letter(text=str(sum(expense.amount for expense in expenses)))


totalling = Agent("totalling", [total])
