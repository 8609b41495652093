"""What is no refusal though it looks like one, and what is one though it looks like a failure (case 088)."""

import asyncio

import pytest
from pydantic import BaseModel, SecretStr

from planboard import (
    ActionContext,
    Agent,
    Budget,
    Crew,
    Denied,
    Deny,
    Host,
    MemoryJournal,
    Network,
    Process,
    ProcessOptions,
    ProcessStatus,
    ProcessTerminatedError,
    ScriptedModel,
    Supervisor,
    action,
    call,
    parallel,
    subagent,
)


class Order(BaseModel):
    id: int = 1


class Approval(BaseModel):
    by: str = ""


class Price(BaseModel):
    euros: int = 0


class Report(BaseModel):
    text: str


@action
def look_up(order: Order, denied: Denied, approval: Approval) -> Price:
    """Look the price up, which somebody has to approve; nobody does here."""
    return Price(euros=order.id)


@action
def publish(price: Price) -> Report:
    """Publish it."""
    return Report(text=f"{price.euros} euros")


@action
def regret(denied: Denied) -> Report:
    """Say that there is none."""
    return Report(text=f"{denied.action}: {denied.reason}")


@action(approval=True, description="Prices something.")
def guess(task: str) -> Price:
    """Guess a price."""
    return Price(euros=len(task))


def ended(process: Process) -> Process:
    """Run a process to its end; whatever it asks is denied."""
    asyncio.run(process.run())
    while process.status is ProcessStatus.WAITING:
        for request in process.pending:
            process.respond(request.id, Deny("not now"))
        asyncio.run(process.run())
    return process


def test_a_child_that_was_given_a_denied_and_is_stuck_for_another_reason_was_not_refused():
    child = Agent("child", [look_up], goals=[Price])

    @action
    async def work(order: Order, planboard_context: ActionContext) -> Price:
        told = Denied(action="earlier", reason="an old story")
        return await planboard_context.run(child, order, told, returning=Price)

    process = ended(Agent("office", [work, publish, regret]).process(Order(), returning=Report))

    assert process.status is ProcessStatus.FAILED
    assert process.board.last(Denied) is None


def test_an_error_that_is_its_own_cause_is_a_failure_like_any_other():
    @action
    def work(order: Order) -> Report:
        message = "no such order"
        try:
            raise ValueError(message)
        except ValueError as error:
            raise error from error

    process = ended(Agent("office", [work]).process(Order(), returning=Report))

    assert process.status is ProcessStatus.FAILED
    assert "no such order" in process.reason


TEAMS = {
    "host of one that was asked itself": lambda: Host("team", [guess], returning=Price, llm=asking()),
    "host of an agent": lambda: Host("team", [guesser()], returning=Price, llm=asking()),
    "network": lambda: Network("team", {"guess": guess}, returning=Price, llm=ScriptedModel()),
    "network of an agent": lambda: Network("team", {"guess": guesser()}, returning=Price, llm=ScriptedModel()),
}


def guesser() -> Agent:
    return Agent("guess", [guess], goals=[Price], description="Prices something.")


def asking() -> ScriptedModel:
    return ScriptedModel([call("guess", task="a boat")])


@pytest.mark.parametrize("team", TEAMS)
def test_a_team_that_cannot_go_on_because_of_a_refusal_was_refused(team):
    office = Agent("office", [subagent(TEAMS[team](), returning=Price, needs=[str]), publish, regret])

    process = ended(office.process("What is it?", returning=Report))

    assert process.status is ProcessStatus.COMPLETED
    assert process.result(Report).text.startswith("team: ")
    assert "not now" in process.result(Report).text


def test_a_specialist_that_fails_is_no_refusal():
    @action(description="Prices something.")
    def guess(task: str) -> Price:
        message = "no idea"
        raise ValueError(message)

    host = Host("team", [guess], returning=Price, llm=asking())
    office = Agent("office", [subagent(host, returning=Price, needs=[str]), publish, regret])

    process = ended(office.process("What is it?", returning=Report))

    assert process.status is ProcessStatus.FAILED
    assert process.board.last(Denied) is None


def test_a_worker_that_was_refused_one_task_may_be_given_another():
    model = ScriptedModel([call("guess", task="a boat")], [call("guess", task="a car")], "Nobody knows.")
    crew = Crew("crew", [guesser()], llm=model)

    process = ended(crew.process("What is it?", returning=str))

    assert process.result(str) == "Nobody knows."
    assert process.board.last(Denied) is None


@action(approval=True)
def weigh(order: Order) -> Price:
    """Price it by weight."""
    return Price(euros=order.id)


@action(approval=True)
def measure(order: Order) -> Price:
    """Price it by size."""
    return Price(euros=order.id)


def two_at_once(**options: object) -> Agent:
    weighing, measuring = Agent("weighing", [weigh], goals=[Price]), Agent("measuring", [measure], goals=[Price])
    return Agent("office", [parallel(weighing, measuring, name="both", **options), publish, regret])


@pytest.mark.parametrize("refused", [0, 1])
@pytest.mark.parametrize("on_error", ["fail", "collect"])
@pytest.mark.parametrize("kept", [False, True], ids=["no journal", "journal"])
def test_a_step_waits_for_one_child_though_another_was_refused(kept, on_error, refused):
    options = ProcessOptions(journal=MemoryJournal() if kept else None, max_ticks=50)
    process = two_at_once(on_error=on_error).process(Order(), returning=Report, options=options)
    asyncio.run(process.run())

    process.respond(process.pending[refused].id, Deny("not now"))
    asyncio.run(process.run())

    assert process.status is ProcessStatus.WAITING
    assert [request.action for request in process.pending] == [["weigh", "measure"][1 - refused]]


def test_a_step_that_waited_for_another_child_is_refused_in_the_end():
    process = two_at_once().process(Order(), returning=Report)
    asyncio.run(process.run())
    process.respond(process.pending[0].id, Deny("not now"))
    asyncio.run(process.run())

    process.respond(process.pending[0].id, answer=True)
    asyncio.run(process.run())

    assert process.result(Report).text == "both: not now"


def test_an_action_waits_for_one_child_though_the_budget_of_another_is_spent():
    @action
    def note(order: Order) -> Approval:
        return Approval(by=str(order.id))

    @action
    def decide(approval: Approval) -> Report:
        return Report(text=approval.by)

    frugal = Agent("frugal", [note, decide], goals=[Report])
    weighing = Agent("weighing", [weigh], goals=[Price])

    @action(idempotent=True)
    async def work(order: Order, planboard_context: ActionContext) -> Report:
        with pytest.raises(ProcessTerminatedError):
            await planboard_context.run(
                frugal, order, options=ProcessOptions(budget=Budget(actions=1)), returning=Report
            )
        price = await planboard_context.run(weighing, order, returning=Price)
        return Report(text=f"{price.euros} euros")

    process = Agent("office", [work]).process(Order(), returning=Report, options=ProcessOptions(max_ticks=50))
    asyncio.run(process.run())

    assert process.status is ProcessStatus.WAITING


@action(approval=True)
def estimate(price: Price) -> Approval:
    """Estimate it."""
    return Approval(by=str(price.euros))


def test_a_refusal_further_down_says_no_secret_of_the_action_that_ran_it():
    child = Agent("estimating", [estimate], goals=[Approval])

    @action
    async def work(order: Order, token: SecretStr, planboard_context: ActionContext) -> Approval:
        return await planboard_context.run(child, Price(), returning=Approval)

    @action
    def conclude(approval: Approval) -> Report:
        return Report(text=approval.by)

    office = Agent("office", [work, conclude, regret], goals=[Report])
    process = office.process(Order(), SecretStr("hunter2-long"), returning=Report)
    asyncio.run(process.run())
    process.respond(process.pending[0].id, Deny("not with hunter2-long"))
    asyncio.run(process.run())

    assert process.result(Report).text == "work: not with ***"


def test_a_supervisor_goes_another_way_after_a_refusal_in_an_agent():
    @action
    def list_price(order: Order) -> Price:
        """Take the price of the catalogue."""
        return Price(euros=7)

    weighing = subagent(Agent("weighing", [weigh], goals=[Price]), returning=Price, needs=[Order])
    model = ScriptedModel([call("weighing")], [call("list_price")], [call("publish")])
    office = Agent("office", [weighing, list_price, publish, regret], goals=[Report])

    process = ended(office.process(Order(), returning=Report, planner=Supervisor(llm=model)))

    assert process.result(Report).text == "7 euros"
    assert "not now" in str(model.requests[1])
