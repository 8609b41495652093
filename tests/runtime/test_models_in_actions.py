"""Actions that ask models: what they are given, and what it costs whom."""

import asyncio
import threading

import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Ai,
    Budget,
    DefinitionError,
    ModelOutputError,
    ProcessOptions,
    ProcessStatus,
    Retry,
    ScriptedModel,
    Supervisor,
    achieves_goal,
    action,
    call,
)


class Topic(BaseModel):
    text: str


class Notes(BaseModel):
    text: str


class Report(BaseModel):
    text: str


@action
async def research(topic: Topic, ai: Ai) -> Notes:
    return await ai.create(topic.text, Notes)


@achieves_goal("A report")
@action
async def write(topic: Topic, notes: Notes, ai: Ai) -> Report:
    return Report(text=await ai.text(notes.text))


def script(**settings):
    return ScriptedModel(rules={Notes: Notes(text="n"), str: "the report"}, **settings)


def process_of(*actions, model=None, budget=None, **settings):
    agent = Agent("a", actions or [research, write], services=[Ai(model or script())])
    options = ProcessOptions(budget=budget or Budget(), **settings)
    return agent.process(Topic(text="tides"), returning=Report, options=options)


def run(process):
    asyncio.run(process.run())
    return process


def test_an_action_asks_the_model_of_the_services():
    assert run(process_of()).result(Report) == Report(text="the report")


def test_run_works_without_a_loop_of_ones_own():
    agent = Agent("a", [research, write], services=[Ai(script())])

    assert agent.run(Topic(text="tides"), returning=Report).text == "the report"


def test_an_ai_is_no_planning_input():
    agent = Agent("a", [research, write])

    assert [item.parameter for item in agent.actions["research"].body.inputs] == ["topic"]
    assert agent.plan(Topic(text="x")).steps == ("research", "write")


def test_without_a_service_actions_use_the_planners_model():
    model = script()
    agent = Agent("a", [research, write])

    report = agent.run(Topic(text="tides"), returning=Report, planner=Supervisor(llm=model))

    assert report.text == "the report"
    assert len(model.requests) == 2


def test_services_of_one_run_go_before_those_of_the_agent():
    agent = Agent("a", [research, write], services=[Ai(ScriptedModel())])

    assert agent.run(Topic(text="x"), returning=Report, services=[Ai(script())]).text == "the report"


def test_usage_is_told_call_by_call_for_the_action_that_asked():
    process = run(process_of(model=script(prices=(1e6, 0.0))))

    told = [event for event in process.events if event.kind == "model_called"]
    assert [(event.action, event.call, event.requests) for event in told] == [("research", 1, 1), ("write", 2, 1)]
    assert sum(event.cost for event in told) == pytest.approx(process.usage.cost)


def test_the_sum_of_what_is_told_is_what_was_spent():
    """Case 154."""
    process = run(process_of())

    told = [event.usage for event in process.events if event.kind == "model_called"]
    assert sum(usage.tokens for usage in told) == process.usage.tokens == process._core.state.usage.tokens
    assert process.usage.llm_calls == 2


def test_a_budget_is_checked_before_each_request():
    model = script()
    process = run(process_of(model=model, budget=Budget(llm_calls=1)))

    assert process.status is ProcessStatus.TERMINATED
    assert "llm_calls: 1 of 1 were made" in process.reason
    assert len(model.requests) == 1


def test_what_a_budget_stopped_goes_on_with_a_larger_one():
    """Case 158."""
    process = run(process_of(budget=Budget(llm_calls=1)))

    asyncio.run(process.run(budget=Budget()))

    assert process.status is ProcessStatus.COMPLETED
    assert [event.action for event in process.history] == ["research", "write"]


def test_a_budget_is_checked_within_an_action_too():
    @achieves_goal("A report")
    @action
    async def chat(topic: Topic, ai: Ai) -> Report:
        for _ in range(10):
            await ai.text("x")
        return Report(text="never")

    model = script()
    process = run(process_of(chat, model=model, budget=Budget(llm_calls=3)))

    assert process.status is ProcessStatus.TERMINATED
    assert len(model.requests) == 3


def test_the_last_action_of_a_budget_may_still_ask():
    assert run(process_of(budget=Budget(actions=2))).status is ProcessStatus.COMPLETED


def test_a_cost_that_is_used_up_forbids_the_next_request():
    process = run(process_of(model=script(prices=(1e6, 0.0)), budget=Budget(cost=0.5)))

    assert process.status is ProcessStatus.TERMINATED
    assert process.reason.startswith("budget: cost")


def test_children_spend_from_the_budget_of_their_parent():
    """Case 155."""
    child = Agent("child", [research, write])

    @achieves_goal("A report")
    @action
    async def delegate(topic: Topic, context: ActionContext, ai: Ai) -> Report:
        return await context.run(child, topic, returning=Report)

    process = run(process_of(delegate, budget=Budget(llm_calls=1)))

    assert process.status is ProcessStatus.TERMINATED
    assert process.usage.llm_calls == 1


def test_a_child_uses_the_models_of_its_parent():
    child = Agent("child", [research, write])

    @achieves_goal("A report")
    @action
    async def delegate(topic: Topic, context: ActionContext) -> Report:
        return await context.run(child, topic, returning=Report)

    assert run(process_of(delegate)).result(Report).text == "the report"


def test_what_failed_attempts_took_is_charged():
    attempts = []

    @achieves_goal("A report")
    @action(retry=Retry(attempts=2, on=ConnectionError, wait=0))
    async def chat(topic: Topic, ai: Ai) -> Report:
        text = await ai.text("x")
        attempts.append(text)
        if len(attempts) == 1:
            raise ConnectionError
        return Report(text=text)

    process = run(process_of(chat))

    assert process.usage.llm_calls == 2
    assert [event.kind for event in process.events].count("model_called") == 2


def test_a_plain_action_asks_with_the_blocking_form():
    @achieves_goal("A report")
    @action
    def write(topic: Topic, ai: Ai) -> Report:
        return Report(text=ai.blocking.text(topic.text))

    agent = Agent("a", [write], services=[Ai(script())])

    assert agent.run(Topic(text="x"), returning=Report).text == "the report"


def test_a_plain_action_asks_from_an_asynchronous_run_too():
    @achieves_goal("A report")
    @action
    def write(topic: Topic, ai: Ai) -> Report:
        return ai.blocking.create("x", Report)

    agent = Agent("a", [write], services=[Ai(ScriptedModel({"text": "t"}))])

    assert asyncio.run(agent.arun(Topic(text="x"), returning=Report)).text == "t"


def test_a_plain_action_with_a_timeout_asks_from_a_thread_of_its_own():
    names = []

    @achieves_goal("A report")
    @action(timeout=30)
    def write(topic: Topic, ai: Ai) -> Report:
        names.append(threading.current_thread().name)
        return Report(text=ai.blocking.text("x"))

    assert run(process_of(write)).status is ProcessStatus.COMPLETED
    assert names == ["planboard-timed-action"]


def test_a_model_that_gives_nothing_valid_fails_the_action_with_the_cause():
    process = run(process_of(model=ScriptedModel(rules=lambda _: "no")))

    assert process.status is ProcessStatus.FAILED
    assert isinstance(process.failure.__cause__, ModelOutputError)
    assert "gave no valid Notes in 3 answers" in process.reason


def test_parallel_actions_are_charged_each_for_its_own_in_declared_order():
    """Cases 114 and 154."""

    @action
    async def slow(topic: Topic, ai: Ai) -> Notes:
        await asyncio.sleep(0)
        await asyncio.gather(*(ai.text("x" * (10 * index)) for index in range(5)))
        return Notes(text="slow")

    @action
    async def quick(topic: Topic, ai: Ai) -> Report:
        await ai.text("y")
        return Report(text="quick")

    class Both(BaseModel):
        text: str

    @achieves_goal("Both")
    @action
    def join(notes: Notes, report: Report) -> Both:
        return Both(text=notes.text + report.text)

    agent = Agent("a", [slow, quick, join], services=[Ai(script())])
    process = run(agent.process(Topic(text="t"), options=ProcessOptions(concurrency=2)))

    told = [event for event in process.events if event.kind == "model_called"]
    assert [event.action for event in told] == ["quick", *["slow"] * 5]
    assert [event.prompt_tokens for event in told[1:]] == sorted(event.prompt_tokens for event in told[1:])


def test_a_cost_cannot_ask_a_model():
    @action
    def work(topic: Topic) -> Notes: ...

    @work.cost
    def cost(topic: Topic, ai: Ai) -> float: ...

    with pytest.raises(DefinitionError, match="computed while planning"):
        Agent("a", [work], goals=[Notes])


def test_an_agentic_loop_inside_an_action_is_charged_to_it():
    def double(number: int) -> int:
        return 2 * number

    @achieves_goal("A report")
    @action
    async def compute(topic: Topic, ai: Ai) -> Report:
        return Report(text=await ai.agentic("Double 4.", tools=[double]))

    process = run(process_of(compute, model=ScriptedModel(call("double", number=4), "8")))

    assert process.result(Report).text == "8"
    assert process.usage.llm_calls == 2


def test_requests_that_go_out_at_once_are_counted_before_they_are_answered():
    gate = asyncio.Event()

    class Slow(ScriptedModel):
        async def _send(self, wire):
            await gate.wait()
            return await super()._send(wire)

    @achieves_goal("A report")
    @action
    async def chat(topic: Topic, ai: Ai) -> Report:
        asking = [asyncio.create_task(ai.text("x")) for _ in range(10)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gate.set()
        answers = await asyncio.gather(*asking, return_exceptions=True)
        return Report(text=str(sum(isinstance(answer, str) for answer in answers)))

    model = Slow(rules={str: "hi"})
    process = run(process_of(chat, model=model, budget=Budget(llm_calls=3)))

    assert process.result(Report).text == "3"
    assert len(model.requests) == process.usage.llm_calls == 3


def test_a_request_without_an_answer_is_given_back():
    from planboard import ModelUnavailableError

    model = ScriptedModel(
        ModelUnavailableError("scripted", "busy"), Notes(text="n"), "the report", retries=1, sleep=_at_once
    )

    assert run(process_of(model=model, budget=Budget(llm_calls=2))).status is ProcessStatus.COMPLETED


async def _at_once(seconds):
    pass
