"""Children are workflows of their own; what a model decides is asked once, whatever happens to the workers."""

import asyncio

from pydantic import BaseModel
from scenes import Scene, on, until

from planboard import (
    ActionContext,
    Agent,
    Ai,
    Approval,
    Budget,
    Process,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    Supervisor,
    achieves_goal,
    action,
    call,
    human,
    subagent,
)


class Topic(BaseModel):
    text: str


class Draft(BaseModel):
    text: str


class Verdict(BaseModel):
    good: bool


class Book(BaseModel):
    text: str


@action(cost=0.1)
def draft(topic: Topic, context: ActionContext) -> Draft:
    context.record_usage(tokens=3)
    return Draft(text=f"about {topic.text}")


@achieves_goal("judged")
@action(cost=0.1)
def judge(draft: Draft, verdict: Verdict) -> Book:
    return Book(text=f"{draft.text} {verdict.good}")


editor = Agent("editor", [draft, judge, human(Verdict, prompt="Good?")])


class Printed(BaseModel):
    text: str


@achieves_goal("printed")
@action
def print_book(book: Book) -> Printed:
    return Printed(text=book.text.upper())


house = Agent("house", [subagent(editor, returning=Book), print_book])


def test_a_child_is_a_workflow_and_its_requests_are_those_of_its_parent(address):
    async def act(scene: Scene) -> tuple[Process, Process]:
        run_id = await scene.runs.submit(house, Topic(text="tides"))
        request = await scene.asked(run_id)
        assert request.process_id == f"{run_id}.1"
        assert (await scene.runs.show(run_id)).status is ProcessStatus.WAITING
        assert (await scene.runs.show(f"{run_id}.1")).parent_id == run_id

        await scene.runs.respond(request.id, {"good": True})

        return await scene.runs.wait(run_id), await scene.runs.wait(f"{run_id}.1")

    parent, child = on(address, house)(act)

    assert parent.result(Printed) == Printed(text="ABOUT TIDES TRUE")
    assert child.result(Book) == Book(text="about tides True")
    assert parent.usage.tokens == child.usage.tokens == 3
    assert parent.usage.actions == child.usage.actions + 2


def test_a_child_that_fails_is_the_cause_of_its_parents_failure(address):
    @achieves_goal("x")
    @action
    def broken(topic: Topic) -> Book:
        raise ValueError("no paper")

    agent = Agent("house", [subagent(Agent("press", [broken]), returning=Book), print_book])

    async def act(scene: Scene) -> Process:
        return await scene.runs.wait(await scene.runs.submit(agent, Topic(text="x")))

    process = on(address, agent)(act)

    assert process.status is ProcessStatus.FAILED
    assert "no paper" in process.reason


def test_a_child_is_cancelled_with_its_parent(address):
    async def act(scene: Scene) -> tuple[Process, Process]:
        run_id = await scene.runs.submit(house, Topic(text="x"))
        await scene.asked(run_id)
        await scene.runs.cancel(run_id)
        return await scene.runs.wait(run_id), await scene.runs.wait(f"{run_id}.1")

    parent, child = on(address, house)(act)

    assert parent.status is ProcessStatus.CANCELLED
    assert child.status is ProcessStatus.CANCELLED


def test_policies_and_budgets_reach_children(address):
    agent = Agent("house", [subagent(Agent("drafts", [draft], goals=[Draft]), returning=Draft)], goals=[Draft])

    async def act(scene: Scene) -> tuple[str, Process]:
        options = ProcessOptions(approvals=["draft"], budget=Budget(actions=1))
        run_id = await scene.runs.submit(agent, Topic(text="x"), options=options, returning=Draft)
        process = await scene.runs.wait(run_id)
        asked = await scene.runs.submit(
            agent, Topic(text="x"), returning=Draft, options=ProcessOptions(approvals=[Approval("draft", prompt="So?")])
        )
        return (await scene.asked(asked)).prompt, process

    prompt, process = on(address, agent)(act)

    assert prompt == "So?"
    assert process.status is ProcessStatus.TERMINATED
    assert "actions: 1 of 1" in process.reason


def test_an_action_cannot_run_an_agent_by_itself(address):
    @achieves_goal("x")
    @action
    async def by_itself(topic: Topic, context: ActionContext) -> Book:
        return await context.run(editor, topic, returning=Book)

    agent = Agent("house", [by_itself], agents=[editor])

    async def act(scene: Scene) -> Process:
        return await scene.runs.wait(await scene.runs.submit(agent, Topic(text="x")))

    assert "subagent(editor, returning=...)" in on(address, agent)(act).reason


def supervised(model: ScriptedModel) -> Agent:
    return Agent("supervised", [draft, other_draft, finish], planner=Supervisor(llm=model, ask_when_forced=True))


@action
def other_draft(topic: Topic) -> Draft:
    return Draft(text="other")


@achieves_goal("done")
@action
def finish(draft: Draft, note: str) -> Book:
    return Book(text=f"{draft.text}, {note}")


def test_a_model_decides_in_activities(address):
    model = ScriptedModel(call("other_draft"), call("finish", note="fine"))
    agent = supervised(model)

    async def act(scene: Scene) -> tuple[Process, list]:
        run_id = await scene.runs.submit(agent, Topic(text="x"))
        return await scene.runs.wait(run_id), await scene.history(run_id)

    process, events = on(address, agent)(act)

    assert process.result(Book) == Book(text="other, fine")
    assert process.usage.llm_calls == 2
    assert sum(event.HasField("activity_task_scheduled_event_attributes") for event in events) == 4


def test_a_decision_is_not_asked_for_again_when_the_run_is_replayed(address):
    model = ScriptedModel(call("other_draft"), call("finish", note="fine"))
    agent = supervised(model)

    async def act(scene: Scene) -> Book:
        run_id = await scene.runs.submit(agent, Topic(text="x"), options=ProcessOptions(approvals=["finish"]))
        async with scene.worker():
            request = await scene.asked(run_id)
        async with scene.worker():
            await scene.runs.respond(request.id, True)
            return await scene.runs.result(run_id, Book)

    assert on(address, agent, worker=False)(act) == Book(text="other, fine")


def test_an_action_asks_its_model_within_the_budget(address):
    @achieves_goal("asked")
    @action
    async def ask(topic: Topic, ai: Ai) -> Book:
        first = await ai.text("one")
        return Book(text=first + await ai.text("two"))

    def agent(name: str) -> Agent:
        return Agent(name, [ask], services=[Ai(ScriptedModel("a", "b"))])

    rich, poor = agent("rich"), agent("poor")

    async def act(scene: Scene) -> tuple[Process, Process]:
        first = await scene.runs.submit(rich, Topic(text="x"))
        options = ProcessOptions(budget=Budget(llm_calls=1))
        second = await scene.runs.submit(poor, Topic(text="x"), options=options)
        return await scene.runs.wait(first), await scene.runs.wait(second)

    asked, stopped = on(address, rich, poor)(act)

    assert asked.result(Book) == Book(text="ab")
    assert asked.usage.llm_calls == 2
    assert stopped.status is ProcessStatus.TERMINATED


def test_a_parent_goes_on_beside_a_child_that_waits(address):
    class Cover(BaseModel):
        colour: str

    @action(cost=0.1)
    async def paint(topic: Topic) -> Cover:
        return Cover(colour="red")

    @action(cost=0.1)
    async def bind(cover: Cover) -> Verdict:
        return Verdict(good=True)

    @achieves_goal("printed")
    @action
    def assemble(book: Book, verdict: Verdict) -> Printed:
        return Printed(text=book.text)

    agent = Agent("press", [subagent(editor, returning=Book, needs=[Topic]), paint, bind, assemble])

    async def act(scene: Scene) -> Process:
        run_id = await scene.runs.submit(agent, Topic(text="x"), options=ProcessOptions(concurrency=2))
        request = await scene.asked(run_id)

        async def is_bound() -> bool:
            return {"paint", "bind"} <= {event.action for event in (await scene.runs.process(run_id)).history}

        await until(is_bound)
        await scene.runs.respond(request.id, {"good": True})
        return await scene.runs.wait(run_id)

    assert on(address, agent)(act).result(Printed) == Printed(text="about x True")


def test_an_answered_request_is_not_pending_while_its_action_runs(address):
    gate = asyncio.Event()

    @achieves_goal("written")
    @action(approval=True)
    async def slow(topic: Topic) -> Book:
        await gate.wait()
        return Book(text="slow")

    agent = Agent("slow", [slow])

    async def act(scene: Scene) -> None:
        run_id = await scene.runs.submit(agent, Topic(text="x"))
        await scene.runs.respond((await scene.asked(run_id)).id, True)

        async def is_running() -> bool:
            run = await scene.runs.show(run_id)
            return run.status is ProcessStatus.RUNNING and run.pending == ()

        await until(is_running)
        gate.set()
        await scene.runs.wait(run_id)

    on(address, agent)(act)
