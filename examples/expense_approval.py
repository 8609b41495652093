"""An expense that may have to be approved, in a run that survives its program.

Shows consent above a limit, `Denied` as a way to branch, a journal file, and a payment that is made once although its
program was killed: the bank knows the key that the action gives it. Run it, kill it, approve it from another terminal:

    BANK_SECONDS=60 planboard run examples/expense_approval.py --journal runs.db --id trip -i amount=1200 -i payee=Ada
    planboard pending --journal runs.db
    planboard approve trip:2 --journal runs.db --resume

While the bank takes its minute, kill the command (`kill -9`), and take the run up with
`planboard resume trip --journal runs.db`.
"""

import asyncio
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Approve,
    Denied,
    Deny,
    Process,
    ProcessOptions,
    SqliteJournal,
    achieves_goal,
    action,
)

LIMIT = 500


class Expense(BaseModel):
    amount: int
    payee: str


class Policy(BaseModel):
    within_limit: bool


class Payment(BaseModel):
    amount: int
    reference: str


class Settlement(BaseModel):
    text: str


def transfer(expense: Expense, key: str) -> Payment:
    """Let the bank pay. A key it has seen is not paid again. Its books are the file that BANK names."""
    books = Path(os.environ.get("BANK", "bank.txt"))
    with books.open("a+", encoding="utf-8") as file:
        file.seek(0)
        if f"{key} " not in file.read():
            file.write(f"{key} {expense.amount} to {expense.payee}\n")
    time.sleep(float(os.environ.get("BANK_SECONDS", "0")))
    return Payment(amount=expense.amount, reference=key)


@action(cost=0.1, read_only=True)
def check_policy(expense: Expense) -> Policy:
    """Look whether the expense needs consent."""
    return Policy(within_limit=expense.amount <= LIMIT)


@action(cost=0.1, pre=["policy.within_limit"], idempotent=True)
def pay(expense: Expense, policy: Policy, context: ActionContext) -> Payment:
    """Pay what is within the limit."""
    return transfer(expense, context.idempotency_key)


@action(cost=0.3, pre=["!policy.within_limit"], approval=True, idempotent=True)
def pay_above_limit(expense: Expense, policy: Policy, context: ActionContext) -> Payment:
    """Pay what is above the limit, once somebody has agreed to it."""
    return transfer(expense, context.idempotency_key)


@achieves_goal("The expense is settled")
@action(cost=0.1)
def confirm(expense: Expense, payment: Payment) -> Settlement:
    return Settlement(text=f"{expense.payee} got {payment.amount}, reference {payment.reference}")


@achieves_goal("The expense is settled")
@action(cost=0.1)
def turn_down(expense: Expense, denied: Denied) -> Settlement:
    return Settlement(text=f"{expense.payee} got nothing: {denied.reason}")


agent = Agent("expenses", [check_policy, pay, pay_above_limit, confirm, turn_down])


def main() -> None:
    with TemporaryDirectory() as folder:
        os.environ["BANK"] = f"{folder}/bank.txt"
        journal = SqliteJournal(f"{folder}/runs.db")
        options = ProcessOptions(journal=journal)
        runs = {"small": (80, None), "large": (1200, Approve()), "odd": (900, Deny("no receipt"))}
        for run, (amount, decision) in runs.items():
            process = agent.process(Expense(amount=amount, payee="Ada"), options=options, id=run)
            asyncio.run(process.run())
            for request in process.pending:
                print(f"{request.id} waits: {request.prompt} {request.arguments['expense']}")
                process = Process.restore(agent, journal, run)  # as another program would, days later
                process.respond(request.id, decision)
                asyncio.run(process.run())
            print(process.result(Settlement).text)
        journal.close()


if __name__ == "__main__":
    main()
