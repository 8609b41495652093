"""Promises about `subagent`, `Agent.as_action` and `Agent.as_tool`: what a child is told, and what comes back of it."""

import asyncio
import json

import pytest
from orders import Order, Parcel, Price, Tax, Total, done, effects, orders, pack, price, run_step, values
from pydantic import BaseModel, SecretStr

from planboard import (
    Agent,
    Ai,
    Brief,
    DefinitionError,
    MemoryJournal,
    Process,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    Supervisor,
    achieves_goal,
    action,
    call,
    subagent,
)
from planboard.steps import map_each, sequence

told: list[str] = []


class Report(BaseModel):
    text: str


class Login(BaseModel):
    user: str
    password: SecretStr


class Bank:
    """A service."""

    def rate(self) -> int:
        return 7


@achieves_goal("reported")
@action
def report_on_brief(brief: Brief) -> Report:
    """Report on what one is told."""
    told.append(brief.text)
    return Report(text=brief.instruction)


@achieves_goal("reported")
@action
def report_on_text(text: str) -> Report:
    """Report on a text."""
    told.append(text)
    return Report(text=text)


@achieves_goal("reported")
@action
def report_on_order(order: Order) -> Report:
    """Report on an order."""
    return Report(text=str(order.id))


BRIEFED = Agent("briefed", [report_on_brief], description="Writes reports.")
READER = Agent("reader", [report_on_text])
TYPED = Agent("typed", [report_on_order])
SHOP = Agent("shop", [price, pack], goals=[Parcel])


@pytest.fixture(autouse=True)
def _nothing_told():
    told.clear()


@pytest.mark.parametrize("child", [BRIEFED, READER], ids=["brief", "text"])
def test_a_child_is_told_the_instruction_and_then_the_state_as_json(child):
    run_step(subagent(child, "Sum it up."), Order(id=1), Tax(cents=2), planner_note="x")

    instruction, _, state = told[0].partition("\n\nState so far:\n")
    assert instruction == "Sum it up."
    assert json.loads(state) == {"order": {"id": 1}, "tax": {"cents": 2}, "planner_note": "x"}


@pytest.mark.parametrize("child", [BRIEFED, READER], ids=["brief", "text"])
def test_without_an_instruction_it_is_told_the_state_alone(child):
    run_step(subagent(child), Order(id=1))

    assert json.loads(told[0]) == {"order": {"id": 1}}


@pytest.mark.parametrize("child", [BRIEFED, READER], ids=["brief", "text"])
def test_isolated_it_is_told_the_instruction_only(child):
    run_step(subagent(child, "Say hello.", context="isolated"), Order(id=1))

    assert told == ["Say hello."]


def test_typed_it_is_given_its_inputs_only():
    process = run_step(subagent(TYPED, context="typed"), Order(id=4), Tax(cents=1))

    assert values(process) == [Report(text="4")]


def test_typed_with_an_instruction_it_is_told_that_too():
    run_step(subagent(BRIEFED, "Be brief.", context="typed"), Order(id=4))

    assert told == ["Be brief."]


def test_several_entries_of_a_kind_are_a_list_in_the_state():
    run_step(subagent(BRIEFED), *orders(1, 2))

    assert json.loads(told[0]) == {"order": [{"id": 1}, {"id": 2}]}


def test_no_secret_is_in_the_state():
    run_step(subagent(BRIEFED), Login(user="ada", password=SecretStr("hunter2")))

    assert "hunter2" not in told[0]
    assert json.loads(told[0])["login"]["user"] == "ada"


def test_the_result_is_bound_to_its_ref():
    process = run_step(subagent(BRIEFED, "x", ref="summary"), Order(id=1))

    assert process.board["summary"] == Report(text="x")


def test_the_trail_of_a_child_stays_on_its_own_board():
    process = run_step(subagent(SHOP), Order(id=1))

    assert [type(entry.value) for entry in process.board.visible] == [Order, Parcel]


def test_inputs_keep_their_names_and_types_and_all_of_them_are_given():
    from typing import Annotated

    from planboard import All, Named

    @achieves_goal("added")
    @action
    def child(main: Annotated[Order, Named("main")], taxes: Annotated[list[Tax], All], some: list[Price]) -> Total:
        return Total(euros=main.id + len(taxes) + len(some))

    @action
    def prices() -> list[Price]:
        return [Price(id=1, euros=1)]

    agent = Agent("a", [prices, subagent(Agent("c", [child]), context="typed")])
    process = agent.process(Order(id=9), Tax(cents=1), Tax(cents=2), main=Order(id=5), returning=Total)

    assert done(agent, Tax(cents=1), Tax(cents=2), Order(id=9), main=Order(id=5), returning=Total).result(Total) == (
        Total(euros=8)
    )
    assert process.status is ProcessStatus.NOT_STARTED


def test_an_agent_is_an_action():
    process = done(Agent("a", [SHOP.as_action(ref="parcel")]), Order(id=1), returning=Parcel)

    assert process.board["parcel"] == Parcel(text="1 for 10")
    assert [run.action for run in process.history] == ["shop"]


def test_an_agent_is_a_tool_whose_trail_the_model_does_not_see():
    model = ScriptedModel(call("packing", order={"id": 3}), "All is packed.")

    @achieves_goal("told")
    @action
    async def assist(order: Order, ai: Ai) -> Report:
        tool = SHOP.as_tool(name="packing", description="Packs an order.")
        return Report(text=await ai.agentic("Pack it.", tools=[tool]))

    process = done(Agent("a", [assist], services=[Ai(model)], agents=[SHOP]), Order(id=1))

    assert process.result(Report) == Report(text="All is packed.")
    seen = str(model.requests[-1])
    assert "3 for 30" in seen
    assert "euros" not in seen
    assert (effects["price"], effects["pack"]) == (1, 1)


def test_a_child_has_the_services_that_it_needs_and_lacks(kept, elsewhere):
    @achieves_goal("priced")
    @action(approval=True)
    def convert(order: Order, bank: Bank) -> Total:
        return Total(euros=order.id * bank.rate())

    child = Agent("exchange", [convert])
    agent = Agent("a", [sequence(map_each(orders(1, 2), subagent(child), name="m"), name="s")], services=[Bank()])
    process = done(agent, planner="utility", options=kept())
    while process.pending:
        process = elsewhere(agent, process)
        process.respond(process.pending[0].id, True)
        import asyncio

        asyncio.run(process.run())

    assert values(process) == [[Total(euros=7), Total(euros=14)]]


def test_services_of_one_process_are_those_of_its_children():
    class Half(Bank):
        def rate(self) -> int:
            return 1

    def convert(order: Order, bank: Bank) -> Total:
        return Total(euros=order.id * bank.rate())

    agent = Agent("a", [sequence(convert)])
    found = [done(agent, Order(id=2), planner="utility", services=[bank]) for bank in (Bank(), Half(), Bank())]

    assert [values(process) for process in found] == [[Total(euros=14)], [Total(euros=2)], [Total(euros=14)]]


def test_parts_ask_the_model_of_the_process():
    async def guess(order: Order, ai: Ai) -> Report:
        return Report(text=await ai.text("What is it?"))

    agent = Agent("a", [map_each(orders(1, 2), guess, concurrency=1)], services=[Ai(ScriptedModel("one", "two"))])

    assert values(done(agent, planner="utility")) == [[Report(text="one"), Report(text="two")]]


def test_a_supervisor_is_offered_a_step_as_a_tool():
    model = ScriptedModel(call("price_all", list_order=[{"id": 1}, {"id": 2}]))
    step = map_each(list[Order], price, name="price_all")
    agent = Agent("a", [step], goals=[list[Price]])

    process = done(agent, planner=Supervisor(llm=model))

    assert process.status is ProcessStatus.COMPLETED
    assert process.result(list[Price]) == [Price(id=1, euros=10), Price(id=2, euros=20)]


def test_a_child_with_a_supervisor_is_told_what_to_do():
    model = ScriptedModel(call("report_on_text", text="hello"))
    child = Agent("child", [report_on_text], planner=Supervisor(llm=model, ask_when_forced=True))

    process = run_step(subagent(child, "Greet.", context="isolated", needs=[]))

    assert process.status is ProcessStatus.COMPLETED
    assert "Greet." in str(model.requests[0])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: subagent("shop"), "is no Agent"),
        (lambda: subagent(SHOP, context="all"), '"state", "typed" or "isolated"'),
        (lambda: subagent(SHOP, instruction=3), "it is a text"),
        (lambda: subagent(SHOP, returning="Parcel"), "name the type"),
        (lambda: subagent(SHOP, ref="a", output="b"), "the same thing"),
        (lambda: subagent(SHOP, needs=Order), "give a list of types"),
        (lambda: subagent(SHOP, needs=["Order"]), "is no type"),
        (lambda: subagent(Agent("aimless", [price])), "has no goal with a type"),
        (lambda: Agent("aimless", [price]).as_action(), "has no goal with a type"),
    ],
    ids=["a name", "context", "instruction", "returning", "ref", "needs", "needs a name", "no goal", "as_action"],
)
def test_what_cannot_work_is_refused_when_it_is_made(make, says):
    """Case 170."""
    with pytest.raises(DefinitionError, match=says):
        make()


def test_an_options_object_is_for_the_child_alone():
    from planboard import Budget

    process = run_step(subagent(SHOP, run=ProcessOptions(budget=Budget(actions=1)), name="s"), Order(id=1))

    assert "budget: actions: 1 of 1" in process._core.state.excluded["s"]


def test_a_child_that_takes_only_a_text_is_instructed_in_a_run_that_is_kept():
    @achieves_goal("said")
    @action
    def say(text: str) -> Report:
        return Report(text=text.splitlines()[0])

    journal = MemoryJournal()
    agent = Agent("parent", [subagent(Agent("child", [say]), "Say it.", returning=Report)], goals=[Report])
    process = agent.process(options=ProcessOptions(journal=journal))

    asyncio.run(process.run())

    assert Process.restore(agent, journal, process.id).result(Report) == Report(text="Say it.")
