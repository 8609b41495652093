"""Promises about items that wait: each by itself, answered in any order, in any program, with nothing done twice."""

from dataclasses import replace
from datetime import timedelta

import pytest
from orders import (
    Order,
    Parcel,
    Price,
    Total,
    add_up,
    asked,
    done,
    effects,
    go,
    orders,
    price,
    run_step,
    sell,
    values,
)

from planboard import (
    ActionContext,
    Agent,
    Deny,
    Edit,
    ProcessOptions,
    ProcessStatus,
    Slept,
    action,
    human,
    sleep,
    subagent,
)
from planboard.steps import StepFailed, for_each, map_each, sequence
from planboard.testing import FakeClock

SALES = Agent("sales", [map_each(orders(1, 2, 3), sell), add_up])


def answer(process, text, answer=True):
    """Answer the request with a prompt."""
    (request,) = [request for request in process.pending if request.prompt == text]
    process.respond(request.id, answer)


def test_each_item_asks_by_itself_with_its_own_words_and_data():
    """Cases 081 and 104."""
    process = done(SALES, returning=Total)

    assert [(request.prompt, request.arguments["order"]["id"]) for request in process.pending] == [
        ("Sell 1?", 1), ("Sell 2?", 2), ("Sell 3?", 3),
    ]  # fmt: skip


def test_answering_one_item_leaves_the_others_as_they_were():
    """Cases 103 and 104."""
    process = done(SALES, returning=Total)
    before = [request for request in process.pending if request.prompt != "Sell 2?"]

    answer(process, "Sell 2?")

    assert go(process) is ProcessStatus.WAITING
    assert [(one.id, one.prompt, one.arguments) for one in process.pending] == [
        (one.id, one.prompt, one.arguments) for one in before
    ]
    assert effects["sell"] == 1


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1)])
def test_results_are_in_the_order_of_the_items_however_they_are_answered(order):
    """Case 103."""
    process = run_step(map_each(orders(1, 2, 3), sell))
    for number in order:
        answer(process, f"Sell {number}?", Edit(order=Order(id=number * 10)))
        go(process)

    assert values(process) == [[Price(id=number, euros=number) for number in (10, 20, 30)]]
    assert effects["sell"] == 3


def test_answering_all_at_once_runs_all():
    """Case 104."""
    process = done(SALES, returning=Total)
    for request in asked(process):
        process.respond(request, True)

    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Total) == Total(euros=6)
    assert effects["add_up"] == 1


@pytest.mark.parametrize("waiting", [1, 2])
def test_items_that_wait_do_not_hold_up_the_others(waiting):
    @action
    async def mixed(order: Order, context: ActionContext) -> Price:
        effects["mixed", order.id] += 1
        return Price(id=order.id, euros=order.id)

    asking = sequence(human(Total, "How much?"), mixed, name="asking")

    def is_first(order: Order) -> bool:
        return order.id <= waiting

    from planboard.steps import branch

    worker = branch(is_first, asking, mixed, name="worker")
    process = run_step(map_each(orders(1, 2, 3, 4), worker, concurrency=1))

    assert len(process.pending) == waiting
    assert [effects["mixed", number] for number in (3, 4)] == ([1, 1])


def test_one_after_another_the_next_item_begins_when_the_one_before_is_answered():
    process = run_step(for_each(orders(1, 2), sell))
    prompts = []
    while process.pending:
        (request,) = process.pending
        prompts.append(request.prompt)
        process.respond(request.id, True)
        go(process)

    assert prompts == ["Sell 1?", "Sell 2?"]
    assert values(process) == [[Price(id=1, euros=1), Price(id=2, euros=2)]]


def test_another_program_goes_on_and_does_nothing_again(kept, elsewhere):
    agent = Agent("a", [map_each(orders(1, 1, 2), sequence(price, sell, name="both"))])
    process = done(agent, planner="utility", options=kept())
    while process.pending:
        process = elsewhere(agent, process)
        process.respond(asked(process)[-1], True)
        go(process)

    assert process.status is ProcessStatus.COMPLETED
    assert (effects["price"], effects["sell"]) == (3, 3)
    assert [second.id for _, second in values(process)[0]] == [1, 1, 2]


class Died(BaseException):
    """Stands for the end of the program."""


class Mortal:
    """A journal that is written to no more once the program has died."""

    def __init__(self, journal) -> None:
        self.journal = journal

    def append(self, *given) -> None:
        if not effects["died"]:
            self.journal.append(*given)

    def __getattr__(self, name: str):
        return getattr(self.journal, name)


@pytest.mark.parametrize("each", [map_each, for_each])
def test_a_program_that_dies_between_items_repeats_none_that_was_done(each, kept, elsewhere):
    @action(idempotent=True)
    async def deadly(order: Order) -> Price:
        effects["deadly", order.id] += 1
        if order.id == 3 and effects["died"] == 0:
            effects["died"] = 1  # from here on nothing is written
            raise Died
        return Price(id=order.id, euros=1)

    agent = Agent("a", [each(orders(1, 2, 3, 4), deadly)])
    options = kept()
    process = agent.process(planner="utility", options=replace(options, journal=Mortal(options.journal)), id="run")
    with pytest.raises(Died):
        go(process)
    options.journal.release("run")

    process = elsewhere(agent, "run")

    assert go(process) is ProcessStatus.COMPLETED
    assert [effects["deadly", number] for number in (1, 2, 3)] == [1, 1, 2]
    assert [one.id for one in values(process)[0]] == [1, 2, 3, 4]


def test_an_item_that_is_denied_fails_the_step_or_is_told_of():
    for on_error in ("fail", "collect"):
        process = run_step(map_each(orders(1, 2), sell, on_error=on_error, name="m"))
        answer(process, "Sell 1?", Deny("no"))
        answer(process, "Sell 2?")
        go(process)

        if on_error == "fail":
            assert "'sell' in 'm' was not agreed to: no" in process._core.state.excluded["m"]
        else:
            denied, sold = values(process)[0]
            assert isinstance(denied, StepFailed)
            assert sold == Price(id=2, euros=2)


def test_a_question_that_nobody_answers_in_time_is_a_failure_of_its_item():
    clock = FakeClock()
    worker = human(Total, "How much?", needs=[Order], expires=timedelta(hours=1))
    process = run_step(map_each(orders(1), worker, on_error="collect"), options=ProcessOptions(clock=clock))
    clock.advance(timedelta(hours=2))
    go(process)

    (failed,) = values(process)[0]
    assert "nobody answered in time" in failed.error


def test_items_may_sleep():
    clock = FakeClock()
    worker = sequence(sleep(timedelta(days=1)), price, name="tomorrow")

    process = run_step(map_each(orders(1, 2), worker), options=ProcessOptions(clock=clock))

    assert process.status is ProcessStatus.COMPLETED
    assert clock.time() == timedelta(days=1).total_seconds()
    assert [type(slept) for slept, _ in values(process)[0]] == [Slept, Slept]


WORKER = Agent("seller", [sell], goals=[Price])
MIDDLE = Agent("middle", [map_each(list[Order], subagent(WORKER))], goals=[list[Price]])


def one_order(order: Order) -> list[Order]:
    return [order]


def one_batch(order: Order) -> list[list[Order]]:
    return [[order]]


LEVELS = {
    "top level": lambda: sequence(sell, name="s"),
    "worker": lambda: map_each(one_order, sell),
    "worker of a worker": lambda: map_each(one_batch, MIDDLE, name="m"),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("decision", "sold"), [(True, 1), (Edit(order=Order(id=8)), 8), (Deny("no"), None)],
    ids=["approve", "edit", "deny"],
)  # fmt: skip
def test_decisions_of_every_kind_hold_at_every_depth(level, decision, sold, kept, elsewhere):
    """Case 086: what is denied fails the step; nothing is sold."""
    agent = Agent("a", [LEVELS[level]()])
    process = done(agent, Order(id=1), planner="utility", options=kept())
    process = elsewhere(agent, process)
    (request,) = asked(process)

    process.respond(request, decision)
    go(process)

    assert effects["sell"] == (0 if sold is None else 1)
    assert effects["sell", sold] == (0 if sold is None else 1)
    assert process.status is ProcessStatus.COMPLETED
    assert len(process.history) == (0 if sold is None else 1)


def test_cancelling_what_waits_withdraws_every_question(kept, elsewhere):
    process = done(SALES, returning=Total, options=kept())

    process.cancel("enough")

    assert process.status is ProcessStatus.CANCELLED
    assert process.pending == ()
    assert elsewhere(SALES, process).pending == ()


def test_forks_are_answered_each_for_itself(kept):
    """Case 083: the original is untouched."""
    process = done(Agent("a", [map_each(orders(1), sell, on_error="collect")]), planner="utility", options=kept())
    yes, no = process.fork(), process.fork()
    yes.respond(asked(yes)[0], True)
    no.respond(asked(no)[0], Deny("no"))
    go(yes)
    go(no)

    assert values(yes) == [[Price(id=1, euros=1)]]
    assert isinstance(values(no)[0][0], StepFailed)
    assert process.status is ProcessStatus.WAITING
    assert len(process.pending) == 1


def test_parcels_of_a_map_are_one_entry():
    @action
    def wrap(order: Order) -> Parcel:
        return Parcel(text=str(order.id))

    process = run_step(map_each(orders(1, 2), wrap))

    assert process.board.last(list[Parcel]) == [Parcel(text="1"), Parcel(text="2")]
