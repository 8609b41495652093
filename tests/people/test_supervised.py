"""Promises about people beside a model that chooses.

- A call that needs consent waits; the others of its turn are carried out; each has exactly one result.
- A call that was denied is not carried out, the model is told why, and proposing it again asks nobody.
"""

import pytest
from expenses import Decision, Letter, effects, go
from pydantic import BaseModel

from planboard import (
    Agent,
    Approve,
    Deny,
    Edit,
    Process,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    Supervisor,
    achieves_goal,
    action,
    call,
    human,
)


class Ask(BaseModel):
    text: str = "go"


class Facts(BaseModel):
    text: str


class Order(BaseModel):
    item: str
    count: int = 1


class Hired(BaseModel):
    person: str


class Bought(BaseModel):
    item: str
    count: int


@action
def look_up(ask: Ask) -> Facts:
    """Look something up."""
    effects["look_up"] += 1
    return Facts(text="facts")


@action(approval=True, rerun=True)
def buy(order: Order) -> Bought:
    """Buy something."""
    effects["buy"] += 1
    return Bought(item=order.item, count=order.count)


@action(approval=True)
def hire(person: str) -> Hired:
    """Hire somebody."""
    effects["hire"] += 1
    return Hired(person=person)


@achieves_goal("there is a letter")
@action
def write(facts: Facts) -> Letter:
    """Write the letter."""
    effects["write"] += 1
    return Letter(text=facts.text)


BUYER = Agent("buyer", [look_up, buy, hire, write])


def chosen_by(model: ScriptedModel) -> Supervisor:
    """Let a model choose among all there is, whether the goal needs it or not."""
    return Supervisor(llm=model, ask_when_forced=True, show_irrelevant=True, context="transcript")


def begun(*replies, agent: Agent = BUYER, **options) -> tuple[Process, ScriptedModel]:
    model = ScriptedModel(*replies)
    process = agent.process(Ask(), planner=chosen_by(model), options=ProcessOptions(**options))
    go(process)
    return process, model


def results_of(model: ScriptedModel) -> dict[str, list[str]]:
    """Return what the model was told of each of its calls, in its last request."""
    told: dict[str, list[str]] = {}
    for message in model.requests[-1]["messages"]:
        if message["role"] == "tool":
            told.setdefault(message["tool_call_id"], []).append(message["content"])
    return told


TURN = [call("look_up"), call("buy", order={"item": "pen"})]


def test_the_other_calls_of_a_turn_are_carried_out():
    """Case 085."""
    process, _ = begun(TURN, call("write"))
    assert process.status is ProcessStatus.WAITING
    assert effects == {"look_up": 1}
    assert [request.arguments["order"] for request in process.pending] == [{"item": "pen", "count": 1}]


def test_each_call_of_a_turn_has_exactly_one_result():
    """Case 085."""
    process, model = begun(TURN, call("write"))
    process.respond(process.pending[0].id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    told = results_of(model)
    assert [len(results) for results in told.values()] == [1, 1]
    assert effects == {"look_up": 1, "buy": 1, "write": 1}


def test_what_was_edited_is_what_runs():
    process, _ = begun(TURN, call("write"))
    process.respond(process.pending[0].id, Edit(order=Order(item="pen", count=9)))
    go(process)
    assert process.board.last(Bought) == Bought(item="pen", count=9)


def test_the_model_is_told_why_it_was_denied():
    """Case 088."""
    process, model = begun(TURN, call("write"))
    process.respond(process.pending[0].id, Deny("we have pens"))
    assert go(process) is ProcessStatus.COMPLETED
    (told,) = [text for (text,) in results_of(model).values() if "pens" in text]
    assert told.startswith("not run, it was denied")
    assert effects["buy"] == 0


def test_the_same_call_again_asks_nobody_and_ends_within_the_limits():
    """Case 087."""
    model = ScriptedModel(rules=lambda _: call("buy", order={"item": "pen"}))
    process = BUYER.process(Ask(), planner=chosen_by(model), options=ProcessOptions(max_ticks=200))
    go(process)
    process.respond(process.pending[0].id, Deny("we have pens"))
    assert go(process) is ProcessStatus.TERMINATED
    assert process.pending == ()
    assert [event.kind for event in process.events].count("request_made") == 1
    assert any("we have pens" in text for results in results_of(model).values() for text in results)


def test_another_call_of_the_same_action_is_asked_about():
    process, _ = begun(call("buy", order={"item": "pen"}), call("buy", order={"item": "ink"}), TURN[0], call("write"))
    process.respond(process.pending[0].id, Deny("we have pens"))
    go(process)
    assert [request.arguments["order"]["item"] for request in process.pending] == ["ink"]


def test_a_call_that_was_refused_needs_no_answer():
    """Case 096."""
    process, model = begun([call("bake"), call("buy", order={"item": "pen"})], call("look_up"), call("write"))
    assert len(process.pending) == 1
    process.respond(process.pending[0].id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    assert [len(results) for results in results_of(model).values()][:2] == [1, 1]


def test_several_calls_of_a_turn_wait_at_once():
    """Case 081."""
    process, _ = begun([call("buy", order={"item": "pen"}), call("hire", person="Ben")], TURN[0], call("write"))
    assert [request.action for request in process.pending] == ["buy", "hire"]
    process.respond(process.pending[1].id, Approve())
    go(process)
    assert [request.action for request in process.pending] == ["buy"]
    process.respond(process.pending[0].id, Deny("no"))
    assert go(process) is ProcessStatus.COMPLETED
    assert (effects["buy"], effects["hire"]) == (0, 1)


def test_what_achieves_the_goal_beside_a_call_that_waits_ends_the_run_without_it():
    """Case 139: the call is neither carried out without consent nor dropped silently."""
    process, _ = begun(call("look_up"), [call("buy", order={"item": "pen"}), call("write")])
    while process.pending:
        process.respond(process.pending[0].id, Deny("no"))
        go(process)
    assert process.status is ProcessStatus.COMPLETED
    assert effects["buy"] == 0
    fates = [event.kind for event in process.events if getattr(event, "action", None) == "buy"]
    assert "request_answered" in fates or "request_withdrawn" in fates


def test_a_person_may_be_asked_by_the_model():
    class Settled(BaseModel):
        text: str

    @achieves_goal("settled")
    @action
    def settle(decision: Decision) -> Settled:
        """Settle it."""
        return Settled(text=decision.note)

    agent = Agent("asker", [human(Decision, prompt="Well?"), settle])
    process, _ = begun(call("ask_decision"), call("settle"), agent=agent)
    assert [request.prompt for request in process.pending] == ["Well?"]
    process.respond(process.pending[0].id, Decision(approved=True, note="yes"))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Settled).text == "yes"


@pytest.mark.parametrize("decision", [Approve(), Deny("no")])
def test_a_turn_goes_on_elsewhere(kept, elsewhere, decision):
    """Case 097: the waiting call is settled before the model is asked again."""
    model = ScriptedModel(TURN)
    process = BUYER.process(Ask(), planner=chosen_by(model), options=kept())
    go(process)
    later = ScriptedModel(call("write"))
    other = elsewhere(BUYER, process, planner=chosen_by(later))
    other.respond(other.pending[0].id, decision)
    assert go(other) is ProcessStatus.COMPLETED
    assert [len(results) for results in results_of(later).values()] == [1, 1]
    assert effects["look_up"] == 1


def test_a_question_to_a_model_that_was_under_way_is_asked_again(kept, elsewhere, journal):
    class Died(BaseException):
        pass

    def die(_: object) -> str:
        raise Died

    process = BUYER.process(Ask(), planner=chosen_by(ScriptedModel(TURN[0], die)), options=kept(), id="run")
    with pytest.raises(Died):
        go(process)
    other = elsewhere(BUYER, process.fork(at=_last_question(process)), planner=chosen_by(ScriptedModel(call("write"))))
    assert go(other) is ProcessStatus.COMPLETED
    assert effects == {"look_up": 1, "write": 1}


def _last_question(process: Process) -> int:
    return max(event.seq for event in process.events if event.kind == "model_asked")
