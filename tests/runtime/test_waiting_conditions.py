"""Conditions whose answer has to be waited for: asynchronous ones, and those that ask a model."""

import asyncio

import pytest
from pydantic import BaseModel

from planboard import (
    Agent,
    Ai,
    Budget,
    Goap,
    Hybrid,
    Judgement,
    Not,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    Supervisor,
    Utility,
    achieves_goal,
    action,
    call,
    condition,
)
from planboard.errors import ConditionError, PlanningError
from planboard.planners.compile import Compilation
from planboard.planners.world import Bits
from planboard.runtime.state import fold


class Issue(BaseModel):
    text: str


class Owner(BaseModel):
    name: str


class Reply(BaseModel):
    text: str


@condition
async def is_urgent(issue: Issue, ai: Ai) -> bool:
    return await ai.judge("Is this urgent?", 0.7, about=issue)


@achieves_goal("A reply", value=0.9)
@action(pre=[is_urgent], cost=0.1)
def escalate(issue: Issue) -> Reply:
    return Reply(text="escalated")


@achieves_goal("A reply", value=0.9)
@action(pre=[Not(is_urgent)], cost=0.2)
def answer(issue: Issue) -> Reply:
    return Reply(text="answered")


AGENT = Agent("triage", [escalate, answer])


def judged(*probabilities, **settings):
    model = ScriptedModel(*(Judgement(reason="r", probability=number) for number in probabilities))
    options = ProcessOptions(**settings)
    process = AGENT.process(Issue(text="fire"), services=[Ai(model)], options=options)
    asyncio.run(process.run())
    return process, model


@pytest.mark.parametrize("planner", [Goap(), Utility(), Hybrid()], ids=lambda planner: planner.name)
@pytest.mark.parametrize(("probability", "text"), [(0.9, "escalated"), (0.1, "answered")])
def test_every_planner_waits_for_the_answer(planner, probability, text):
    process, _ = judged(*[probability] * 1, planner=planner)

    assert process.history[0].outputs[0].value == Reply(text=text)


def test_a_supervisor_waits_for_it_too():
    model = ScriptedModel(rules={Judgement: Judgement(reason="r", probability=0.9), "escalate": {}})
    process = AGENT.process(Issue(text="fire"), planner=Supervisor(llm=model))
    asyncio.run(process.run())

    assert process.result(Reply).text == "escalated"


def test_the_model_is_asked_once_for_the_same_inputs():
    _, model = judged(0.9)

    assert len(model.requests) == 1


def test_the_answer_is_an_event_and_what_it_took_is_told():
    process, _ = judged(0.9)

    kinds = [event.kind for event in process.events]
    assert kinds.index("model_called") < kinds.index("condition_judged") < kinds.index("plan_made")
    assert next(event for event in process.events if event.kind == "model_called").condition == "is_urgent"
    assert process.usage.llm_calls == 1


def test_a_new_input_is_asked_about_anew():
    answers = []

    @condition
    async def is_short(owner: Owner) -> bool:
        answers.append(owner.name)
        return len(owner.name) < 4

    @action(rerun="always")
    def assign(issue: Issue) -> Owner:
        return Owner(name="Adalbert" if not answers else "Ada")

    @achieves_goal("A reply")
    @action(pre=[is_short])
    def reply(owner: Owner) -> Reply:
        return Reply(text=owner.name)

    agent = Agent("a", [assign, reply])
    process = agent.process(Issue(text="x"), Owner(name="Maximilian"))
    asyncio.run(process.run())

    assert answers[0] == "Maximilian"
    assert process.status is ProcessStatus.COMPLETED
    assert process.result(Reply).text == "Ada"


def test_an_answer_is_taken_from_the_journal_and_not_asked_again():
    process, _ = judged(0.9)
    compilation = Compilation(AGENT, AGENT.goals)

    state = fold(compilation, Bits(compilation), process.events, greedy=False)

    assert state.world.resolve("is_urgent") is True


def test_an_error_is_that_conditions_error_and_never_false():
    """Case 162."""

    @condition
    async def is_ready(issue: Issue) -> bool:
        raise RuntimeError("no network")

    @achieves_goal("A reply")
    @action(pre=[is_ready])
    def reply(issue: Issue) -> Reply: ...

    process = Agent("a", [reply]).process(Issue(text="x"))
    asyncio.run(process.run())

    assert process.status is ProcessStatus.FAILED
    assert isinstance(process.failure, ConditionError)
    assert "'is_ready' raised RuntimeError: no network" in process.reason


def test_an_answer_that_is_neither_true_nor_false_is_an_error():
    @condition
    async def is_ready(issue: Issue) -> bool:
        return "yes"

    @achieves_goal("A reply")
    @action(pre=[is_ready])
    def reply(issue: Issue) -> Reply: ...

    process = Agent("a", [reply]).process(Issue(text="x"))
    asyncio.run(process.run())

    assert "answered 'yes' instead of True or False" in process.reason


def test_a_budget_stops_a_condition_too():
    process, model = judged(0.9, budget=Budget(llm_calls=0))

    assert process.status is ProcessStatus.TERMINATED
    assert model.requests == []


def test_looking_ahead_says_that_it_cannot_wait():
    with pytest.raises(PlanningError, match="'is_urgent', whose answer has to be waited for"):
        AGENT.plan(Issue(text="x"))


def test_a_plain_condition_may_ask_with_the_blocking_form():
    @condition
    def is_short(issue: Issue, ai: Ai) -> bool:
        return ai.blocking.judge("Is it short?")

    @achieves_goal("A reply")
    @action(pre=[is_short])
    def reply(issue: Issue) -> Reply:
        return Reply(text="ok")

    agent = Agent("a", [reply], services=[Ai(ScriptedModel({"reason": "r", "probability": 1}))])

    assert agent.run(Issue(text="x"), returning=Reply).text == "ok"


def test_a_promise_that_has_to_be_waited_for_is_not_taken_for_broken():
    @condition
    async def is_assigned(owner: Owner) -> bool:
        return True

    @achieves_goal("An owner")
    @action(post=[is_assigned])
    def assign(issue: Issue) -> Owner:
        return Owner(name="Ada")

    process = Agent("a", [assign]).process(Issue(text="x"))
    asyncio.run(process.run())

    assert [event.kind for event in process.events].count("expectation_failed") == 0


def test_a_supervisors_call_waits_for_a_condition_on_what_it_built():
    seen = []

    @condition
    async def is_kind(reply: Owner) -> bool:
        seen.append(reply.name)
        return reply.name != "rude"

    @achieves_goal("A reply")
    @action(pre=[is_kind])
    def send(reply: Owner) -> Reply:
        return Reply(text=reply.name)

    model = ScriptedModel(call("send", reply={"name": "rude"}), call("send", reply={"name": "kind"}))
    process = Agent("a", [send]).process(planner=Supervisor(llm=model))
    asyncio.run(process.run())

    assert process.result(Reply).text == "kind"
    assert seen == ["rude", "kind"]
