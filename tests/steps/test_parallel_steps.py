"""Promises about `parallel`: parts at once, results in their order, failures and waits of one that leave the others be."""

import asyncio
import warnings

import pytest
from orders import Order, Parcel, Price, Tax, asked, done, effects, go, pack, price, run_step, sell, tax, values
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Deny,
    Edit,
    Goal,
    ProcessStatus,
    action,
    human,
)
from planboard.steps import StepFailed, approval, parallel, sequence


class Together:
    """Holds everyone up until so many are there."""

    def __init__(self, number: int) -> None:
        self._left = number
        self._all = asyncio.Event()

    async def come(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._all.set()
        await asyncio.wait_for(self._all.wait(), 20)


@action
async def fail(order: Order) -> Parcel:
    """Fail."""
    effects["fail"] += 1
    message = "no parcel"
    raise OSError(message)


def test_parts_run_at_once():
    """Each waits for all others, so one after another they would never end."""
    together = Together(3)

    @action
    async def come(order: Order) -> Price:
        await together.come()
        return Price(id=order.id, euros=1)

    process = run_step(parallel(come, come, come), Order(id=1))

    assert values(process) == [Price(id=1, euros=1)] * 3


def test_plain_functions_run_at_once_too():
    import threading

    barrier = threading.Barrier(3, timeout=20)

    def come(order: Order) -> Price:
        barrier.wait()
        return Price(id=order.id, euros=1)

    assert len(values(run_step(parallel(come, come, come), Order(id=1)))) == 3


def test_results_stand_in_the_order_of_the_parts_and_not_of_time():
    """Case 118."""
    first_is_done = asyncio.Event()

    @action
    async def slow(order: Order) -> Price:
        await asyncio.wait_for(first_is_done.wait(), 20)
        return Price(id=order.id, euros=1)

    @action
    async def quick(order: Order) -> Tax:
        first_is_done.set()
        return Tax(cents=2)

    assert values(run_step(parallel(slow, quick), Order(id=1))) == [Price(id=1, euros=1), Tax(cents=2)]


def test_at_most_so_many_run_at_once():
    running: list[int] = []

    @action
    async def work(order: Order) -> Price:
        running.append(1)
        effects["most"] = max(effects["most"], len(running))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        running.pop()
        return Price(id=order.id, euros=1)

    process = run_step(parallel(*[work] * 6, concurrency=2), Order(id=1))

    assert effects["most"] == 2
    assert len(values(process)) == 6


def test_both_of_two_writers_are_on_the_board():
    """Case 110, a hundred times over."""
    for number in range(100):
        process = run_step(parallel(price, tax), Order(id=number))

        assert values(process) == [Price(id=number, euros=number * 10), Tax(cents=number)]


def test_both_of_two_writers_of_one_type_are_on_the_board_and_the_later_part_counts():
    """Case 110: nothing is lost; the newest is that of the last part."""

    def one(order: Order) -> Price:
        return Price(id=1, euros=1)

    def two(order: Order) -> Price:
        return Price(id=2, euros=2)

    process = run_step(parallel(one, two), Order(id=1))

    assert process.board.all(Price) == [Price(id=1, euros=1), Price(id=2, euros=2)]
    assert process.board.last(Price) == Price(id=2, euros=2)


def test_readers_of_one_thing_are_in_nobodys_way():
    """Case 111."""
    order = Order(id=4)

    process = run_step(parallel(price, tax), order)

    assert process.status is ProcessStatus.COMPLETED
    assert process.board.last(Order) == Order(id=4)


def test_a_failure_leaves_those_that_run_and_the_step_fails():
    """Case 112: what has begun comes to its end."""
    process = done(Agent("a", [parallel(price, fail, tax)], goals=[Goal(Parcel)]), Order(id=1))

    assert process.status is ProcessStatus.FAILED
    assert "OSError: no parcel" in str(process.failure)
    assert (effects["price"], effects["tax"]) == (1, 1)


def test_a_failure_stands_in_its_place_when_failures_are_collected():
    process = run_step(parallel(price, fail, tax, on_error="collect"), Order(id=1))

    first, failed, last = values(process)
    assert (first, last) == (Price(id=1, euros=10), Tax(cents=1))
    assert (failed.step, failed.index, failed.status) == ("fail", 1, "failed")
    assert "OSError: no parcel" in failed.error


def test_the_first_failure_in_order_is_the_one_that_is_told():
    later_has_failed = asyncio.Event()

    @action
    async def first(order: Order) -> Price:
        await asyncio.wait_for(later_has_failed.wait(), 20)
        message = "the first"
        raise ValueError(message)

    @action
    async def second(order: Order) -> Price:
        later_has_failed.set()
        message = "the second"
        raise ValueError(message)

    process = done(Agent("a", [parallel(first, second)]), Order(id=1), returning=Price)

    assert "the first" in str(process.failure)


def test_an_agent_that_gets_stuck_says_so_in_its_place():
    class Never(BaseModel):
        pass

    stuck = Agent("stuck", [action(needs_never)], goals=[Parcel])

    process = run_step(parallel(price, stuck, on_error="collect"), Order(id=1), Tax(cents=1))

    assert values(process)[1].status == "stuck"


def needs_never(tax: Tax, *, key: bytes | None = None) -> Parcel | None:
    """Make nothing."""


def test_all_pauses_are_listed_at_once():
    """Case 081."""
    process = run_step(parallel(sell, human(Tax), approval("Ship?")), Order(id=1))

    assert [request.prompt for request in process.pending] == ["Sell 1?", "Please give a Tax.", "Ship?"]


def test_answering_one_leaves_the_other_and_the_step_goes_on_when_both_are_answered():
    """Cases 082 and 106: A stays done, the step still waits; then it is done, and what follows runs once."""
    process = done(Agent("a", [sequence(parallel(sell, human(Tax), name="both"), pack)]), Order(id=1), returning=Parcel)
    first, second = asked(process)

    process.respond(first, True)
    assert go(process) is ProcessStatus.WAITING
    assert asked(process) == [second]
    assert effects["sell"] == 1

    process.respond(second, Tax(cents=5))
    assert go(process) is ProcessStatus.COMPLETED
    assert (effects["sell"], effects["pack"]) == (1, 1)


def test_results_of_parts_that_asked_nobody_are_not_lost_over_a_pause():
    """Case 085."""
    process = run_step(parallel(price, sell, tax), Order(id=1))
    process.respond(asked(process)[0], Edit(order=Order(id=7)))
    go(process)

    assert values(process) == [Price(id=1, euros=10), Price(id=7, euros=7), Tax(cents=1)]
    assert (effects["price"], effects["tax"]) == (1, 1)


def test_a_pause_outlives_the_failure_of_another_part():
    """Case 095: it can be answered, and then the step fails, or tells of the failure."""
    process = run_step(parallel(sell, fail, on_error="collect"), Order(id=1))
    (request,) = asked(process)

    process.respond(request, True)
    go(process)

    sold, failed = values(process)
    assert sold == Price(id=1, euros=1)
    assert isinstance(failed, StepFailed)
    assert effects["fail"] == 1


def test_what_is_not_agreed_to_is_a_failure_of_its_part():
    process = run_step(parallel(sell, human(Tax), approval("Ship?"), price, on_error="collect"), Order(id=1))
    for request in asked(process):
        process.respond(request, Deny("no"))
    go(process)

    *denied, last = values(process)
    assert [one.step for one in denied] == ["sell", "ask_tax", "approval"]
    assert all("was not agreed to: no" in one.error for one in denied)
    assert last == Price(id=1, euros=10)


def test_another_program_goes_on_with_what_is_open_only(kept, elsewhere):
    agent = Agent("a", [parallel(price, sell, human(Tax))])
    process = done(agent, Order(id=1), planner="utility", options=kept())
    first, second = asked(process)

    process = elsewhere(agent, process)
    process.respond(second, Tax(cents=3))
    assert go(process) is ProcessStatus.WAITING
    process = elsewhere(agent, process)
    process.respond(first, True)

    assert go(process) is ProcessStatus.COMPLETED
    assert values(process) == [Price(id=1, euros=10), Price(id=1, euros=1), Tax(cents=3)]
    assert (effects["price"], effects["sell"]) == (1, 1)


def test_a_failure_is_told_in_the_same_words_in_another_program(kept, elsewhere):
    agent = Agent("a", [parallel(fail, sell, on_error="collect")])
    here = done(agent, Order(id=1), planner="utility", options=kept(), id="here")
    here.respond(asked(here)[0], True)
    go(here)
    there = done(agent, Order(id=1), planner="utility", options=kept(), id="there")
    there = elsewhere(agent, there)
    there.respond(asked(there)[0], True)
    go(there)

    assert values(here) == values(there)


def test_cancelling_leaves_nothing_behind():
    """Cases 113 and 172."""
    begun: list[str] = []

    @action
    async def hang(order: Order) -> Price:
        begun.append("hang")
        await asyncio.Event().wait()
        return Price(id=1, euros=effects["never"])

    process = Agent("a", [sequence(parallel(hang, hang, hang, name="three"), pack)]).process(
        Order(id=1), planner="utility"
    )

    async def cancel_in_the_middle() -> set[asyncio.Task[object]]:
        running = asyncio.create_task(process.run())
        while len(begun) < 3:
            await asyncio.sleep(0)
        process.cancel("enough")
        await running
        return asyncio.all_tasks() - {asyncio.current_task()}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        left = asyncio.run(cancel_in_the_middle())

    assert left == set()
    assert process.status is ProcessStatus.CANCELLED
    assert effects["pack"] == 0


def test_usage_that_parts_record_adds_up():
    """Cases 114 and 154."""

    @action
    async def ask(order: Order, context: ActionContext) -> Price:
        for _ in range(200):
            context.record_usage(tokens=1, llm_calls=1)
            await asyncio.sleep(0)
        return Price(id=order.id, euros=1)

    process = run_step(parallel(*[ask] * 16), Order(id=1))

    assert (process.usage.tokens, process.usage.llm_calls, process.usage.actions) == (3200, 3200, 17)


def test_two_processes_of_one_agent_share_nothing():
    agent = Agent("a", [parallel(price, tax)])
    processes = [agent.process(Order(id=number), planner="utility") for number in range(20)]

    async def run_all() -> None:
        await asyncio.gather(*(process.run() for process in processes))

    asyncio.run(run_all())

    assert [values(process) for process in processes] == [
        [Price(id=number, euros=number * 10), Tax(cents=number)] for number in range(20)
    ]


@pytest.mark.parametrize("concurrency", [0, -1, True, 1.5, "2"])
def test_a_limit_that_is_none_is_refused(concurrency):
    from planboard import DefinitionError

    with pytest.raises(DefinitionError, match="whole number of at least 1"):
        parallel(price, tax, concurrency=concurrency)
