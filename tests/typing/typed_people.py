"""Never run, only type-checked: what editors and type checkers know of people, time, journals and children."""

from datetime import timedelta
from typing import assert_type

from pydantic import BaseModel

from planboard import (
    Agent,
    Approval,
    Approve,
    Blackboard,
    Deny,
    Edit,
    Journal,
    MemoryJournal,
    Migration,
    Process,
    ProcessOptions,
    Request,
    SqliteJournal,
    human,
    sleep,
    subagent,
)
from planboard.steps import StepAction
from planboard.testing import FakeClock


class Topic(BaseModel):
    text: str


class Decision(BaseModel):
    approved: bool


def question(topic: Topic) -> str:
    return topic.text


ask = human(Decision, prompt=question, expires=timedelta(days=1))
assert_type(ask, StepAction)


@ask.cost
def effort(topic: Topic) -> float:
    return 0.1


assert_type(effort(Topic(text="tides")), float)
nap = sleep(timedelta(hours=1), name="nap")
agent = Agent("asking", [ask, nap], migrations=[Migration("OldTopic", Topic)], types=[Topic])
child = subagent(agent, returning=Decision)
journal: Journal = SqliteJournal("runs.db")
options = ProcessOptions(journal=MemoryJournal(), approvals=(Approval("pay_*"),), clock=FakeClock())
process = agent.process(Topic(text="tides"), options=options)
assert_type(process.pending, tuple[Request, ...])
assert_type(process.wakes_at, float | None)
for request in process.pending:
    process.respond(request.id, Approve(), by="ada")
    process.respond(request.id, Edit(topic=Topic(text="winds")))
    process.respond(request.id, Deny("no"))
assert_type(Process.restore(agent, journal, process.id, clock=FakeClock()), Process)
assert_type(process.fork(at=3), Process)
assert_type(process.board_at(3), Blackboard)
