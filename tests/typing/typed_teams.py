"""What type checkers infer for teams and steps; `mypy --strict` runs over this file in CI."""

from typing import assert_type

from pydantic import BaseModel

from planboard import (
    Agent,
    Approval,
    Budget,
    Crew,
    Event,
    Flow,
    Host,
    Message,
    Network,
    PlanOutcome,
    PlanTree,
    Process,
    ProcessOptions,
    Specialist,
    SqliteJournal,
    StepAction,
    TaskPlan,
    TaskStep,
    Tracer,
    achieves_goal,
    action,
    arun,
    map_each,
    run,
    star,
    subagent,
)


class Topic(BaseModel):
    text: str


class Report(BaseModel):
    text: str


@achieves_goal("A report")
@action
def write(topic: Topic) -> Report:
    return Report(text=topic.text)


def shout(word: str) -> str:
    return word.upper()


def route(step: TaskStep) -> str:
    return "shout" if step.tags else "write"


def hear(to: str, argument: str) -> None: ...


def listen(event: Event) -> None: ...


writer = Agent("writer", [write])
crew = Crew("crew", [shout, writer], llm="a-model")
host = Host("host", [Specialist("shout", "Shouts.", shout)], on_handoff=hear)
network = Network("network", {"a": shout, "b": shout}, topology=star("a"))
flow = Flow.sequence("flow", crew, shout)
tree = PlanTree("tree", [shout, writer], planned_by=None, route=route)

assert_type(crew.run("Shout", returning=str), str)
assert_type(run(host, "Shout"), Process)
assert_type(crew.process("Shout").board.all(Message), list[Message])
assert_type(tree.run(TaskPlan(goal="?", steps=[]), returning=PlanOutcome), PlanOutcome)
assert_type(subagent(crew, "Shout", returning=str), StepAction)
assert_type(map_each(list[Topic], writer), StepAction)
assert_type(writer.as_action("Write", returning=Report), StepAction)
assert_type(flow, Flow)


async def use() -> None:
    assert_type(await network.arun("Shout", returning=str), str)
    assert_type(await arun(flow, "Shout", returning=list[Report]), list[Report])


one = ProcessOptions(planner="utility", listeners=Tracer(), approvals="pay_*")
several = ProcessOptions(
    listeners=[Tracer(), listen], approvals=["pay_*", Approval("send_*")], budget=Budget(actions=3)
)
kept = ProcessOptions(journal=SqliteJournal("runs.db"), identities={"user": "ada"})
