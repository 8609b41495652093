"""Promises about runs that outlive their program: each is taken up where it was, and nothing that is done is done again."""

import asyncio

import pytest
from dying import A, B, C, Died, chain, dead, dying, first
from expenses import PAYING, Decision, Expense, Letter, check, confirm, effects, go, pay, regret
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Approval,
    Budget,
    Goap,
    JournalError,
    ProcessOptions,
    ProcessStatus,
    Retry,
    RunClaimedError,
    RunExistsError,
    ScriptedModel,
    Supervisor,
    UnknownRunError,
    Utility,
    achieves_goal,
    action,
    call,
    human,
)
from planboard.testing import FakeClock


def test_nothing_that_is_done_is_done_again(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    other = elsewhere(PAYING, process)
    assert go(other) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "pay": 1, "confirm": 1}


def test_a_run_that_is_taken_up_is_the_same(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    other = elsewhere(PAYING, process)
    assert [*map(str, other.events)] == [*map(str, process.events)]
    assert other.board.to_json() == process.board.to_json()
    assert (other.status, other.reason, other.pending) == (process.status, process.reason, process.pending)


def test_both_ways_of_resuming_come_to_the_same(kept, elsewhere):
    """Case 075."""
    process = PAYING.process(Expense(), options=kept())
    go(process)
    twin = process.fork(at=len(process.events), id="twin")
    for run in (process, twin):
        one = elsewhere(PAYING, run)
        one.respond(one.pending[0].id, True)
        go(one)
    here, there = elsewhere(PAYING, process), elsewhere(PAYING, "twin")
    assert here.board.to_json() == there.board.to_json()


def test_a_run_that_was_accepted_is_not_lost(kept, elsewhere, journal):
    """Case 061."""
    PAYING.process(Expense(), options=kept(), id="accepted")
    assert [run.id for run in journal.runs()] == ["accepted"]
    process = elsewhere(PAYING, "accepted")
    assert go(process) is ProcessStatus.WAITING


@pytest.mark.parametrize("way", ["run", "restore"])
def test_a_run_that_is_over_does_nothing_when_it_is_run_again(kept, elsewhere, way):
    """Case 066."""
    process = chain(dying()).process(A(), options=kept())
    effects["second"] = 1
    go(process)
    before = dict(effects)
    if way == "restore":
        process = elsewhere(chain(dying()), process)
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(C) == C(n=1)
    assert dict(effects) == before


def test_one_id_is_one_run(kept):
    """Case 067."""
    PAYING.process(Expense(), options=kept(), id="one")
    with pytest.raises(RunExistsError, match="restore"):
        PAYING.process(Expense(), options=kept(), id="one")


def test_ten_that_start_one_id_at_once_start_it_once(kept):
    """Case 067."""
    from concurrent.futures import ThreadPoolExecutor

    def start(_: int) -> str:
        try:
            process = PAYING.process(Expense(), options=kept(), id="one")
        except RunExistsError:
            return "exists"
        return str(go(process))

    with ThreadPoolExecutor(10) as pool:
        assert sorted(pool.map(start, range(10))) == ["WAITING", *["exists"] * 9]
    assert effects["check"] == 1


def test_two_that_go_on_with_one_run_do_not_run_anything_twice(kept, elsewhere):
    """Case 116."""
    began, done = asyncio.Event(), asyncio.Event()

    @achieves_goal("there is a C")
    @action
    async def slow(b: B) -> C:
        effects["slow"] += 1
        began.set()
        await done.wait()
        return C(n=b.n)

    agent = Agent("slow", [first, slow])
    process = agent.process(A(), options=kept())
    other = elsewhere(agent, process)

    async def both() -> None:
        running = asyncio.create_task(process.run())
        await began.wait()
        with pytest.raises(RunClaimedError, match="process"):
            await other.run()
        done.set()
        await running
        assert await other.run() is ProcessStatus.COMPLETED

    asyncio.run(both())
    assert (effects["first"], effects["slow"]) == (1, 1)
    assert other.result(C) == C(n=1)


def test_an_unknown_run_is_refused_with_the_closest(kept, elsewhere):
    PAYING.process(Expense(), options=kept(), id="payment-7")
    with pytest.raises(UnknownRunError, match="payment-7"):
        elsewhere(PAYING, "payment-8")


def test_a_failure_can_be_read_again(kept, elsewhere):
    """Case 068: errors are kept as text, so constructors do not matter."""

    class TwoArguments(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} and {two}")

    @achieves_goal("there is a C")
    @action
    def fails(b: B) -> C:
        raise TwoArguments(1, 2)

    agent = Agent("failing", [first, fails])
    process = agent.process(A(), options=kept())
    go(process)
    other = elsewhere(agent, process)
    assert other.status is ProcessStatus.FAILED
    assert "TwoArguments: 1 and 2" in other.reason
    assert other.failure is not None


def test_what_failed_is_left_out_after_a_resume_too(kept, elsewhere):
    """Case 062: what ran because of a failure does not run again."""

    @action(cost=0.1)
    def fails(b: B) -> C:
        effects["fails"] += 1
        message = "no"
        raise RuntimeError(message)

    handle = human(C, prompt="By hand?", needs=[B], cost=0.9)

    @achieves_goal("there is a letter")
    @action
    def tell(c: C) -> Letter:
        return Letter(text=str(c.n))

    agent = Agent("failing", [first, fails, handle, tell])
    process = agent.process(A(), options=kept())
    go(process)
    process.respond(process.pending[0].id, {"n": 7})
    process = elsewhere(agent, process)
    assert go(process) is ProcessStatus.COMPLETED
    assert (effects["first"], effects["fails"]) == (1, 1)
    assert process.result(Letter).text == "7"


def test_an_action_that_was_tried_goes_on_with_its_attempts(kept, elsewhere, journal):
    """Case 065."""

    @achieves_goal("there is a C")
    @action(retry=Retry(4, on=OSError), idempotent=True)
    def flaky(b: B, context: ActionContext) -> C:
        seen.append(context.attempt)
        if len(seen) == 2:
            effects["second"] = 1  # from here on nothing is written
            raise Died
        message = "no"
        raise OSError(message)

    seen: list[int] = []
    agent = Agent("flaky", [first, flaky])
    dead(agent, kept())
    journal.release("run")
    assert go(elsewhere(agent, "run")) is ProcessStatus.FAILED
    assert seen == [1, 2, 2, 3, 4]


def test_values_that_cannot_be_kept_fail_their_action_once(kept):
    """Case 069."""

    class Odd(BaseModel):
        model_config = {"arbitrary_types_allowed": True}
        thing: object

    @achieves_goal("there is an odd thing")
    @action(retry=Retry(3, on=Exception))
    def odd(b: B) -> Odd:
        effects["odd"] += 1
        return Odd(thing=lambda: 1)

    process = Agent("odd", [first, odd]).process(A(), options=kept())
    assert go(process) is ProcessStatus.FAILED
    assert effects["odd"] == 1
    assert "odd" in process.reason
    assert "thing" in process.reason
    assert "function" in process.reason


def test_budgets_go_on_where_they_were(kept, elsewhere):
    """Case 072."""
    process = PAYING.process(Expense(), options=kept(budget=Budget(actions=2)))
    go(process)
    process.respond(process.pending[0].id, True)
    other = elsewhere(PAYING, process)
    assert other.usage.actions == 1
    assert go(other) is ProcessStatus.TERMINATED
    assert other.usage.actions == 2
    assert asyncio.run(other.run(budget=Budget(actions=3))) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "pay": 1, "confirm": 1}


def test_a_second_run_of_the_agent_starts_from_nothing(kept):
    """Case 073."""
    first_run = PAYING.process(Expense(), options=kept())
    go(first_run)
    second_run = PAYING.process(Expense(), options=kept())
    assert (second_run.usage.actions, second_run.history, second_run.pending) == (0, (), ())


def test_a_loop_in_a_run_that_was_only_begun_runs_in_full(kept, elsewhere):
    """Case 071."""

    class Count(BaseModel):
        n: int

    @achieves_goal("counted")
    @action(rerun=True, pre=["count.n < 3"])
    def tick(count: Count) -> Count:
        effects["tick"] += 1
        return Count(n=count.n + 1)

    agent = Agent("loop", [tick], planner="utility")
    agent.process(options=kept(), id="loop", count=Count(n=0))
    process = elsewhere(agent, "loop")
    go(process)
    assert effects["tick"] == 3


def test_the_planner_may_be_another_one_when_it_goes_on(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    other = elsewhere(PAYING, process, planner="utility")
    assert go(other) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "pay": 1, "confirm": 1}


def test_the_planner_goes_on_with_the_settings_it_had(kept, elsewhere):
    """Case 074."""
    agent = Agent("paying", [check, pay, confirm, regret])
    process = agent.process(Expense(), options=kept(), planner=Goap(objective="net"))
    go(process)
    with pytest.raises(JournalError, match="planner="):
        elsewhere(agent, process)
    other = elsewhere(agent, process, planner=Goap(objective="net"))
    assert other.planner.objective == "net"


def test_a_model_is_demanded_not_guessed(kept, elsewhere):
    """Case 074."""
    process = PAYING.process(Expense(), options=kept(), planner=Supervisor(llm=ScriptedModel(call("check"))))
    with pytest.raises(JournalError, match="planner="):
        elsewhere(PAYING, process)


def test_a_policy_that_is_a_function_is_demanded(kept, elsewhere):
    def strict(name: str, _: object) -> bool:
        return name == "check"

    process = PAYING.process(Expense(), options=kept(approvals=(strict,)))
    go(process)
    with pytest.raises(JournalError, match="strict"):
        elsewhere(PAYING, process)
    other = elsewhere(PAYING, process, options=ProcessOptions(approvals=(strict,)))
    assert [request.action for request in other.pending] == ["check"]


def test_options_are_those_it_was_begun_with(kept, elsewhere):
    options = kept(budget=Budget(cost=3.5), concurrency=2, identities={"user": "ada"}, approvals=(Approval("x*", "?"),))
    process = PAYING.process(Expense(), options=options)
    found = elsewhere(PAYING, process).options
    assert (found.budget, found.concurrency, found.identities, found.approvals) == (
        options.budget, 2, {"user": "ada"}, options.approvals,
    )  # fmt: skip


def test_utility_goes_on_too(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept(), planner=Utility())
    go(process)
    process.respond(process.pending[0].id, True)
    assert go(elsewhere(PAYING, process)) is ProcessStatus.COMPLETED


def test_seconds_that_were_used_before_count_in_another_program(kept, elsewhere):
    """Case 072."""
    clock = FakeClock(0.0)

    @action
    def dawdle(a: A) -> B:
        """Take fifty seconds."""
        clock.advance(50)
        return B(n=1)

    @achieves_goal("there is a C")
    @action
    def late(b: B, decision: Decision) -> C:
        """Take none."""
        return C(n=1)

    agent = Agent("slow", [dawdle, human(Decision, prompt="?", needs=[B]), late])
    process = agent.process(A(), options=kept(budget=Budget(seconds=60), clock=clock))
    go(process)
    clock.advance(1000)
    other = elsewhere(agent, process, clock=clock)
    other.respond(other.pending[0].id, {"approved": True})
    clock.advance(1000)
    assert go(other) is ProcessStatus.COMPLETED  # only 50 seconds of running
    third = elsewhere(agent, other, clock=clock)
    assert third._core.ledger.seconds(clock.time()) == 50
