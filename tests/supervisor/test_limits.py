"""Whatever a model does, a run ends in a typed status within its limits, and the board holds what was done so far."""

import asyncio

import pytest
from supervised_agents import INPUT, KITCHEN, NEWSROOM, Cook, Meal, Order, UserInput, kinds, supervised

from planboard import (
    Agent,
    Budget,
    DefinitionError,
    ModelError,
    ModelReply,
    ModelUnavailableError,
    ProcessOptions,
    ProcessStatus,
    ProcessTerminatedError,
    ScriptedModel,
    Supervisor,
    action,
    call,
    raw_call,
)

ALWAYS = {
    "prose": lambda _: "I think we should cook.",
    "nothing": lambda _: "",
    "garbage": lambda _: raw_call("choose_cook\x00", "{{{"),
    "a tool that is not there": lambda _: call("bake"),
    "a tool that is not available": lambda _: call("prepare_meal"),
    "arguments that are a list": lambda _: raw_call("choose_cook", "[1]"),
    "fifty unknown calls": lambda _: [call("bake")] * 50,
    "a refusal": lambda _: ModelReply(refusal="I will not cook."),
    "an answer that is cut off": lambda _: ModelReply(cut_off=True),
    "the same call without end": lambda _: call("choose_cook"),
}
FAILING = {
    "429": ModelUnavailableError("scripted", "The server answered 429: slow down"),
    "500": ModelUnavailableError("scripted", "The server answered 500: oops"),
    "401": ModelError("scripted", "The server refused the request (401): no key"),
    "a fault of the client": RuntimeError("bug"),
}


@pytest.mark.parametrize("context", ["digest", "transcript"])
@pytest.mark.parametrize("what", ALWAYS)
def test_a_model_that_always_answers_badly_ends_the_run_within_its_limits(what, context):
    process, model = supervised(KITCHEN, INPUT, rules=ALWAYS[what], context=context, ask_when_forced=True)

    assert process.status is ProcessStatus.TERMINATED
    assert process.reason.startswith("supervisor: ")
    assert len(model.requests) <= 25


@pytest.mark.parametrize("what", ALWAYS)
def test_a_bad_answer_leaves_the_board_as_it_was(what):
    process, _ = supervised(KITCHEN, INPUT, script=[ALWAYS[what](None)], repeats=1, ask_when_forced=True)

    produced = [entry for entry in process.board.entries if entry.producer not in ("input", "choose_cook")]
    assert produced == []


@pytest.mark.parametrize("what", ALWAYS)
def test_one_bad_answer_does_no_harm(what):
    script = [ALWAYS[what](None), [call("choose_cook"), call("take_order")], call("take_order")]
    process, _ = supervised(KITCHEN, INPUT, script=script)

    assert process.result(Meal).cooked_by == "Ben"


@pytest.mark.parametrize("what", FAILING)
def test_a_model_that_fails_ends_the_run_in_a_typed_status(what):
    process, _ = supervised(KITCHEN, INPUT, script=[FAILING[what]])

    passing = isinstance(FAILING[what], ModelUnavailableError)
    assert process.status is (ProcessStatus.TERMINATED if passing else ProcessStatus.FAILED)
    assert process.failure is FAILING[what]


def test_a_run_goes_on_once_the_model_answers_again():
    script = [ModelUnavailableError("scripted", "down"), [call("choose_cook"), call("take_order")]]
    process, _ = supervised(KITCHEN, INPUT, script=script)

    asyncio.run(process.run())

    assert process.status is ProcessStatus.COMPLETED


def test_a_model_that_does_not_answer_in_time_ends_the_run():
    class Silent(ScriptedModel):
        async def _send(self, wire):
            await asyncio.Event().wait()

    process, _ = supervised(KITCHEN, INPUT, script=Silent(timeout=0.01))

    assert process.status is ProcessStatus.TERMINATED
    assert "did not answer within 0.01 s" in process.reason


def test_the_same_call_again_and_again_is_a_loop():
    """Case 119."""

    @action(rerun="always")
    def choose_cook(user_input: UserInput) -> Cook:
        return Cook(name="Ben")

    agent = Agent("kitchen", [choose_cook, *KITCHEN.parts[1:]])
    process, model = supervised(agent, INPUT, rules={"choose_cook": {}}, repeats=3, show_irrelevant=True)

    assert process.status is ProcessStatus.TERMINATED
    assert "loop: 'choose_cook' was called in more than 3 turns" in process.reason
    assert len(model.requests) == 4
    assert process.board.last(Cook) == Cook(name="Ben")


def test_calls_with_other_arguments_are_no_loop():
    rules = {"gather_notes": lambda request: {"request": {"question": "x" * request.number, "depth": "bad"}}}
    process, _ = supervised(NEWSROOM, rules=rules, repeats=2)

    assert "called nothing that can be done" in process.reason


def test_an_excluded_worker_that_is_named_each_time_never_runs_again():
    """Case 136."""
    attempts = []

    @action
    def take_order(user_input: UserInput) -> Order:
        attempts.append(1)
        raise RuntimeError("no")

    @action
    def phone_in(user_input: UserInput) -> Order: ...

    agent = Agent("kitchen", [KITCHEN.parts[0], take_order, phone_in, KITCHEN.parts[2]])
    process, _ = supervised(agent, INPUT, rules=lambda _: call("take_order"), ask_when_forced=True)

    assert attempts == [1]
    with pytest.raises(ProcessTerminatedError):
        process.raise_for_status()


def test_a_turn_has_at_most_so_many_calls():
    script = [[call("choose_cook"), *[call("bake")] * 49, call("take_order")], call("take_order")]
    process, _ = supervised(KITCHEN, INPUT, script=script, calls_per_turn=4, repeats=60)

    refused = [event.reason for event in process.events if event.kind == "call_refused"]
    assert sum("at most 4 calls" in reason for reason in refused) == 47


def test_the_number_of_questions_is_limited():
    rules = {"gather_notes": lambda request: {"request": {"question": str(request.number)}}}

    @action(rerun="new_inputs")
    def gather_notes(request: NEWSROOM.actions["gather_notes"].body.inputs[0].query.form) -> Order:
        return Order(dish=request.question, quantity=1)

    agent = Agent("newsroom", [gather_notes, NEWSROOM.parts[1], KITCHEN.parts[0]], goals=[Meal, Cook])
    process, model = supervised(agent, rules=rules, decisions=5, show_irrelevant=True)

    assert len(model.requests) <= 5
    assert process.status is ProcessStatus.TERMINATED


def test_a_run_that_reached_a_limit_may_be_told_to_go_on():
    script = ["prose", "prose", [call("choose_cook"), call("take_order")]]
    process, _ = supervised(KITCHEN, INPUT, script=script, repeats=2)
    assert process.status is ProcessStatus.TERMINATED

    asyncio.run(process.run())

    assert process.status is ProcessStatus.COMPLETED


def test_a_budget_of_calls_is_checked_before_each_question():
    options = ProcessOptions(budget=Budget(llm_calls=1))
    process, model = supervised(
        KITCHEN, INPUT, script=[call("choose_cook"), call("take_order")], ask_when_forced=True, options=options
    )

    assert process.status is ProcessStatus.TERMINATED
    assert "llm_calls: 1 of 1 were made" in process.reason
    assert len(model.requests) == 1


def test_a_budget_of_tokens_counts_what_decisions_take():
    options = ProcessOptions(budget=Budget(tokens=1))
    process, _ = supervised(
        KITCHEN, INPUT, script=[call("choose_cook"), call("take_order")], ask_when_forced=True, options=options
    )

    assert process.reason.startswith("budget: tokens")


def test_an_action_budget_that_is_used_up_asks_nothing():
    options = ProcessOptions(budget=Budget(actions=0))
    process, model = supervised(KITCHEN, INPUT, options=options)

    assert process.status is ProcessStatus.TERMINATED
    assert model.requests == []


def test_what_decisions_take_is_told_event_by_event_and_adds_up():
    """Case 154."""
    process, _ = supervised(
        KITCHEN, INPUT, script=[call("choose_cook"), call("take_order"), call("prepare_meal")], ask_when_forced=True
    )

    told = [event.usage for event in process.events if event.kind == "model_called"]
    assert len(told) == 3
    assert sum(usage.tokens for usage in told) == process.usage.tokens > 0
    assert process.usage.llm_calls == 3


def test_cancelling_while_the_model_thinks_leaves_nothing_behind():
    class Waiting(ScriptedModel):
        async def _send(self, wire):
            process.cancel("enough")
            await asyncio.Event().wait()

    process = KITCHEN.process(INPUT, planner=Supervisor(llm=Waiting()))
    asyncio.run(process.run())

    assert process.status is ProcessStatus.CANCELLED
    assert kinds(process)[-2:] == ["decision_failed", "process_ended"]


def test_a_process_without_a_goal_is_refused():
    with pytest.raises(DefinitionError, match="has no goal for supervisor"):
        Agent("a", [KITCHEN.parts[0]]).process(INPUT, planner=Supervisor(llm=ScriptedModel()))


@pytest.mark.parametrize("wrong", [{"context": "summary"}, {"decisions": 0}, {"repeats": True}, {"board_chars": -1}])
def test_a_setting_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(DefinitionError, match=next(iter(wrong))):
        Supervisor(llm=ScriptedModel(), **wrong)


def test_without_anything_to_do_the_run_is_stuck_and_the_model_is_not_asked():
    process, model = supervised(
        Agent("a", [KITCHEN.parts[2]], goals=[]), rules=lambda _: "?", returning=Meal, script=()
    )

    assert process.status in (ProcessStatus.STUCK, ProcessStatus.TERMINATED)
    assert len(model.requests) <= 25


def test_a_failure_that_nothing_gets_around_is_told_as_the_root_cause():
    @action
    def take_order(user_input: UserInput) -> Order:
        raise RuntimeError("the kitchen is on fire")

    agent = Agent("kitchen", [KITCHEN.parts[0], take_order, KITCHEN.parts[2]])
    process, _ = supervised(agent, INPUT, script=[[call("choose_cook"), call("take_order")]])

    assert process.status is ProcessStatus.FAILED
    assert "the kitchen is on fire" in process.reason


def test_what_needs_no_model_is_done_though_the_budget_for_models_is_used_up():
    process, model = supervised(
        KITCHEN,
        INPUT,
        script=[[call("choose_cook"), call("take_order")]],
        options=ProcessOptions(budget=Budget(llm_calls=1, tokens=1)),
    )

    assert process.status is ProcessStatus.COMPLETED
    assert len(model.requests) == 1


@pytest.mark.parametrize("wrong", [7, ScriptedModel, object()])
def test_what_is_no_model_is_refused_at_once(wrong):
    with pytest.raises(DefinitionError, match="no language model"):
        Supervisor(llm=wrong)
