"""Agents that are served to MCP clients."""

import asyncio
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, SecretStr

from planboard import Agent, All, Denied, Named, achieves_goal, action, human, sleep, subagent
from planboard.actions.waiting import Slept


class Topic(BaseModel):
    text: str
    depth: int = 1


class Findings(BaseModel):
    notes: list[str]


class Report(BaseModel):
    title: str
    body: str


@action(cost=0.2)
def research(topic: Topic) -> Findings:
    print("printed by research")  # noqa: T201 - it must not get into the protocol
    subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)
    return Findings(notes=[topic.text] * topic.depth)


@achieves_goal("A finished report", value=0.9)
@action(cost=0.3)
async def write(topic: Topic, findings: Findings) -> Report:
    return Report(title=topic.text, body="; ".join(findings.notes))


reporter = Agent("reporter", [research, write], description="Writes reports")


class Expense(BaseModel):
    amount: int


class Payment(BaseModel):
    amount: int


class Letter(BaseModel):
    text: str


@action(approval=True, cost=0.1)
def pay(expense: Expense) -> Payment:
    return Payment(amount=expense.amount)


@achieves_goal("It is settled")
@action
def confirm(payment: Payment) -> Letter:
    return Letter(text=f"paid {payment.amount}")


@achieves_goal("It is settled")
@action
def regret(denied: Denied) -> Letter:
    return Letter(text=f"not paid: {denied.reason}")


paying = Agent("paying", [pay, confirm, regret])
boss = Agent("boss", [subagent(paying, returning=Letter, needs=[Expense])], goals=[Letter])


class Decision(BaseModel):
    approved: bool
    limit: int = 10
    note: str | None = None


@achieves_goal("It is decided")
@action
def decided(decision: Decision) -> Letter:
    return Letter(text=f"{decision.approved} {decision.limit} {decision.note}")


asking = Agent("asking", [human(Decision, prompt="Pay {expense.amount}?", needs=[Expense]), decided, regret])


class Route(BaseModel):
    stops: list[str]
    length: dict[str, float]


@achieves_goal("A route")
@action
def routed(route: Route) -> Letter:
    return Letter(text=" to ".join(route.stops))


routing = Agent("routing", [human(Route, prompt="Which way?"), routed])


class Login(BaseModel):
    user: str
    password: SecretStr


@achieves_goal("In")
@action
def enter(login: Login) -> Letter:
    return Letter(text=f"{login.user} is in")


entering = Agent("entering", [human(Login, prompt="Who?"), enter])


class Gone(BaseModel):
    text: str


@achieves_goal("It fails")
@action
def fail(topic: Topic) -> Gone:
    raise ValueError(f"no luck with api_key='sesame' and {topic.text}")


failing = Agent("failing", [fail])


class Never(BaseModel):
    text: str


@achieves_goal("Never", name="never")
@action(pre=["topic.depth > 100"])
def reach(topic: Topic) -> Never:
    return Never(text=topic.text)


stuck = Agent("stuck", [reach])


def leave_trace(name: str) -> None:
    Path(name).touch()


@achieves_goal("Late")
@action
async def linger(topic: Topic) -> Letter:
    leave_trace("lingers")
    try:
        await asyncio.sleep(60)
    finally:
        leave_trace("cancelled")
    return Letter(text=topic.text)


lingering = Agent("lingering", [linger])


class Person(BaseModel):
    name: str


class Tree(BaseModel):
    name: str
    children: "list[Tree]" = []


class Account(BaseModel):
    owner: str
    api_key: str
    token: SecretStr = SecretStr("hush")


@achieves_goal("A greeting")
@action
def greet(people: Annotated[list[Person], All], host: Annotated[str, Named("host")] | None = None) -> str:
    return f"{host or 'nobody'} greets {', '.join(person.name for person in people)}"


@achieves_goal("Names")
@action
def names(people: Annotated[list[Person], All]) -> list[str]:
    return [person.name for person in people]


@achieves_goal("A tree")
@action
def plant(topic: Topic) -> Tree:
    return Tree(name=topic.text, children=[Tree(name="leaf")])


@achieves_goal("An account")
@action
def account(topic: Topic) -> Account:
    return Account(owner=topic.text, api_key="sesame")


@achieves_goal("A number")
@action
def number() -> float:
    return float(os.environ.get("NUMBER", "inf"))


@achieves_goal("Rest")
@action
def wake(slept: Slept) -> Gone:
    return Gone(text="rested")


many = Agent("many", [greet, names, plant, account, number])
resting = Agent("resting", [sleep(timedelta(milliseconds=1)), wake])
