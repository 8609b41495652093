"""Promises about `loop` and `branch`: what they are decided by, what they yield, and that they end only themselves."""

from typing import Literal

import pytest
from orders import Order, Parcel, Price, Tax, Total, asked, done, effects, go, price, run_step, sell, tax, values
from pydantic import BaseModel

from planboard import (
    Agent,
    Ai,
    DefinitionError,
    Deny,
    ProcessStatus,
    ScriptedModel,
    achieves_goal,
    action,
    human,
)
from planboard.steps import Done, approval, branch, loop, map_each, sequence


class Draft(BaseModel):
    score: int = 0


class Limit(BaseModel):
    score: int


@action
async def improve(draft: Draft) -> Draft:
    """Improve a draft."""
    effects["improve"] += 1
    return Draft(score=draft.score + 1)


def good(draft: Draft) -> bool:
    """Tell whether a draft is good."""
    return draft.score >= 3


def test_a_loop_ends_when_what_it_waits_for_holds():
    assert values(run_step(loop(improve, until=good), Draft())) == [Draft(score=3)]
    assert effects["improve"] == 3


def test_a_loop_goes_so_many_rounds_at_most():
    assert values(run_step(loop(improve, max=2), Draft())) == [Draft(score=2)]


def test_a_loop_may_fail_when_its_rounds_are_over():
    process = run_step(loop(improve, until=good, max=2, at_max="fail", name="polish"), Draft())

    assert process.history == ()
    assert "went 2 rounds, and what it waits for does not hold: until_polish" in process._core.state.excluded["polish"]


def test_a_lambda_names_what_it_looks_at():
    assert values(run_step(loop(improve, until=lambda draft: draft.score == 4), Draft())) == [Draft(score=4)]


def test_what_ends_a_loop_may_look_at_other_things_on_the_board():
    def enough(draft: Draft, limit: Limit) -> bool:
        return draft.score >= limit.score

    step = loop(improve, until=enough)

    assert str(Agent("a", [step]).actions["loop_improve"]) == "loop_improve(Draft, Limit) -> Draft"
    assert values(run_step(step, Draft(), Limit(score=5))) == [Draft(score=5)]


def test_what_ends_a_loop_must_say_yes_or_no():
    def forgets(draft: Draft):
        draft.score >= 3  # noqa: B015 - it forgets to return

    process = run_step(loop(improve, until=forgets, name="l"), Draft())

    assert "'until_l' answered None instead of True or False" in process._core.state.excluded["l"]


def test_an_error_of_what_ends_a_loop_is_its_error_and_not_a_no():
    def breaks(draft: Draft) -> bool:
        raise KeyError("score")

    process = run_step(loop(improve, until=breaks, name="l"), Draft())

    assert "'until_l' raised KeyError" in process._core.state.excluded["l"]


def test_what_ends_a_loop_may_wait_and_ask_a_model():
    async def judge(draft: Draft, ai: Ai) -> bool:
        return await ai.text(f"Is {draft.score} good?") == "yes"

    agent = Agent("a", [loop(improve, until=judge)], services=[Ai(ScriptedModel("no", "no", "yes"))])

    assert values(done(agent, Draft(), planner="utility")) == [Draft(score=3)]


def test_a_model_is_asked_once_for_each_round_whatever_is_waited_for(kept, elsewhere):
    async def judge(draft: Draft, ai: Ai) -> bool:
        effects["judge"] += 1
        return await ai.text(f"Is {draft.score} good?") == "yes"

    @action(approval=True)
    def improve_with_consent(draft: Draft) -> Draft:
        return Draft(score=draft.score + 1)

    agent = Agent("a", [loop(improve_with_consent, until=judge)], services=[Ai(ScriptedModel("no", "no", "yes"))])
    process = done(agent, Draft(), planner="utility", options=kept())
    for _ in range(3):
        process = elsewhere(agent, process)
        process.respond(asked(process)[0], True)
        go(process)

    assert values(process) == [Draft(score=3)]
    assert effects["judge"] == 3


def test_an_inner_loop_ends_itself_only():
    """Case 109: five times five rounds, then what follows."""
    step = sequence(loop(loop(improve, max=5, name="inner"), max=5, name="outer"), price, name="all")

    assert values(run_step(step, Draft(), Order(id=1))) == [Draft(score=25), Price(id=1, euros=10)]
    assert effects["improve"] == 25


def test_an_inner_loop_that_has_what_it_waits_for_does_not_end_the_outer_one():
    """Case 109."""

    @action
    def start_over(draft: Draft) -> Draft:
        return Draft(score=0)

    round_of = sequence(start_over, loop(improve, until=good), name="round")

    process = run_step(loop(round_of, max=4), Draft())

    assert effects["improve"] == 12
    assert process.status is ProcessStatus.COMPLETED


def test_a_denial_ends_a_loop():
    process = run_step(loop(sell, max=3, name="l"), Order(id=1))
    process.respond(asked(process)[0], True)
    go(process)
    process.respond(asked(process)[0], Deny("enough"))
    go(process)

    assert "was not agreed to: enough" in process._core.state.excluded["l"]
    assert effects["sell"] == 1


def test_each_round_asks_anew():
    """Case 079: the answer to the first question is not that to the second."""
    process = run_step(loop(human(Draft), max=2), Order(id=1))
    (first,) = asked(process)
    process.respond(first, Draft(score=1))
    go(process)
    (second,) = asked(process)
    assert first != second
    process.respond(second, Draft(score=2))
    go(process)

    assert values(process) == [Draft(score=2)]


@pytest.mark.parametrize("rounds", [0, -1, True, 2.0, "3"])
def test_rounds_are_a_whole_number(rounds):
    with pytest.raises(DefinitionError, match="whole number of rounds"):
        loop(improve, max=rounds)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: loop(improve, until=3), "it is a function over the board"),
        (lambda: loop(improve, until=lambda drft: True), "Did you mean 'draft'"),
        (lambda: loop(improve, at_max="raise"), '"stop" or "fail"'),
        (lambda: branch(good, {}), "made of nothing"),
        (lambda: branch(None, improve), "it is a function over the board"),
        (lambda: map_each([1], improve, on_error="ignore"), '"fail" or "collect"'),
    ],
    ids=["no function", "a misspelt name", "no policy", "no way", "no decision", "no policy of errors"],
)
def test_what_cannot_work_is_refused_when_it_is_made(make, says):
    with pytest.raises(DefinitionError, match=says):
        make()


# Branches


def is_large(order: Order) -> bool:
    """Tell whether an order is large."""
    return order.id > 10


@pytest.mark.parametrize(("number", "came"), [(11, Price(id=11, euros=110)), (1, Tax(cents=1))])
def test_a_branch_runs_one_of_two(number, came):
    assert values(run_step(branch(is_large, price, tax), Order(id=number))) == [came]
    assert effects["price"] + effects["tax"] == 1


def test_a_branch_without_another_way_may_yield_nothing():
    process = run_step(branch(is_large, price), Order(id=1))

    assert values(process) == []
    assert process.status is ProcessStatus.COMPLETED


def test_a_branch_goes_one_of_many_ways():
    def kind(order: Order) -> Literal["a", "b"]:
        return "a" if order.id == 1 else "b"

    step = branch(kind, {"a": price, "b": tax})

    assert values(run_step(step, Order(id=1))) == [Price(id=1, euros=10)]
    assert values(run_step(step, Order(id=2))) == [Tax(cents=2)]


def test_what_no_way_is_for_goes_the_other_way():
    step = branch(lambda order: order.id, {1: price, 2: price}, otherwise=tax)

    assert values(run_step(step, Order(id=3))) == [Tax(cents=3)]


def test_a_branch_of_ways_that_yield_nothing_yields_that_it_is_done():
    @action
    def note(order: Order) -> None:
        effects["note"] += 1

    assert values(run_step(branch(is_large, note, note, name="notes"), Order(id=1))) == [Done(step="notes")]


def test_what_every_way_needs_is_needed_and_the_rest_is_not():
    @action
    def ship(order: Order, draft: Draft) -> Parcel:
        return Parcel(text="x")

    (made,) = Agent("a", [branch(is_large, ship, tax)]).actions.values()

    assert [(str(item), item.optional) for item in made.body.inputs] == [("Order", False), ("Draft", True)]


def test_a_way_that_lacks_something_says_what():
    @action
    def ship(order: Order, draft: Draft) -> Parcel:
        return Parcel(text="x")

    process = run_step(branch(is_large, ship, tax, name="b"), Order(id=11))

    assert "'ship' could not be run. It needs Draft, and was given" in process._core.state.excluded["b"]


def test_planning_counts_on_each_way():
    @achieves_goal("there is a total")
    @action
    def total(came: Price | Tax) -> Total:
        return Total(euros=1)

    assert done(Agent("a", [branch(is_large, price, tax), total]), Order(id=1)).result(Total) == Total(euros=1)


def test_a_denial_is_what_comes_of_the_way_that_was_taken():
    process = run_step(branch(is_large, sell, tax), Order(id=11))
    process.respond(asked(process)[0], Deny("no"))
    go(process)

    (denied,) = values(process)
    assert denied.reason == "no"


def test_ways_under_one_name_keep_it_and_under_several_are_refused():
    @action(output="gross")
    def gross(order: Order) -> Price:
        return Price(id=1, euros=2)

    assert run_step(branch(is_large, gross), Order(id=11)).board["gross"] == Price(id=1, euros=2)
    with pytest.raises(DefinitionError, match="Give it one name: output="):
        branch(is_large, gross, price)
    named = branch(is_large, gross, price, output="sum")
    assert run_step(named, Order(id=1)).board["sum"] == Price(id=1, euros=10)


def test_a_branch_in_a_loop_in_a_map_in_a_sequence():
    """All in each other."""

    def reach(draft: Draft) -> bool:
        return draft.score % 2 == 0

    @action
    def leap(draft: Draft) -> Draft:
        return Draft(score=draft.score + 2)

    def enough(draft: Draft) -> bool:
        return draft.score >= 9

    each = loop(branch(reach, leap, improve, output="d"), until=enough, max=20)
    step = sequence(map_each([Draft(score=0), Draft(score=1), Draft(score=0)], each), approval("Well?"), name="all")
    process = run_step(step)
    process.respond(asked(process)[0], True)
    go(process)

    drafts, _ = values(process)
    assert [draft.score for draft in drafts] == [10, 10, 10]
