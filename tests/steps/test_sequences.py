"""Promises about `sequence`: parts in turn, each with what is there by then; what all of them make is what it yields."""

from typing import Annotated

import pytest
from orders import Order, Parcel, Price, Tax, Total, done, effects, go, pack, price, run_step, sell, tax, values
from pydantic import BaseModel

from planboard import Agent, All, DefinitionError, Denied, Deny, Goal, Named, ProcessStatus, action, human
from planboard.steps import Approved, Done, approval, sequence, task


def test_parts_run_in_their_order_and_all_that_they_make_is_yielded():
    process = run_step(sequence(price, tax, pack), Order(id=2))

    assert values(process) == [Price(id=2, euros=20), Tax(cents=2), Parcel(text="2 for 20")]


def test_its_inputs_are_what_its_parts_need_and_none_of_the_earlier_ones_makes():
    step = sequence(price, pack)

    (made,) = Agent("a", [step]).actions.values()

    assert str(made) == "price_then_pack(Order) -> Price, Parcel"


def test_what_a_later_part_makes_does_not_serve_an_earlier_one():
    (made,) = Agent("a", [sequence(pack, price)]).actions.values()

    assert [str(item) for item in made.body.inputs] == ["Price", "Order"]


def test_parts_may_be_given_as_a_list():
    assert values(run_step(sequence([price, tax]), Order(id=1))) == [Price(id=1, euros=10), Tax(cents=1)]


def test_a_part_is_given_the_newest_of_what_is_there():
    @action
    def double(price: Price) -> Price:
        return Price(id=price.id, euros=price.euros * 2)

    process = run_step(sequence(price, double, double, pack), Order(id=1))

    assert values(process)[-1] == Parcel(text="1 for 40")


def test_the_same_action_may_be_a_part_twice():
    process = run_step(sequence(price, price, name="twice"), Order(id=1))

    assert effects["price"] == 2
    assert values(process) == [Price(id=1, euros=10)] * 2


def test_what_yields_nothing_yields_that_it_is_done():
    @action
    def note(order: Order) -> None:
        effects["note"] += 1

    process = run_step(sequence(note, note, name="notes"), Order(id=1))

    assert values(process) == [Done(step="notes")]
    assert effects["note"] == 2


def test_names_of_outputs_are_kept_and_wanted_by_later_parts():
    @action(output="gross")
    def gross(order: Order) -> Price:
        return Price(id=order.id, euros=12)

    @action(output="net")
    def net(order: Order) -> Price:
        return Price(id=order.id, euros=10)

    @action
    def compare(one: Annotated[Price, Named("gross")], other: Annotated[Price, Named("net")]) -> Total:
        return Total(euros=one.euros - other.euros)

    process = run_step(sequence(gross, net, compare), Order(id=1))

    assert process.board["gross"] == Price(id=1, euros=12)
    assert values(process)[-1] == Total(euros=2)


def test_a_named_output_after_one_that_may_be_missing_keeps_its_name():
    @action
    def maybe(order: Order) -> Tax | None:
        return Tax(cents=1) if order.id else None

    @action(output="net")
    def net(order: Order) -> Price:
        return Price(id=order.id, euros=10)

    for number in (0, 1):
        process = run_step(sequence(maybe, net), Order(id=number))

        assert process.board["net"] == Price(id=number, euros=10)
        assert (process.board.last(Tax) is None) == (number == 0)


def test_a_part_that_collects_is_given_all_that_came_before():
    @action
    def count(prices: Annotated[list[Price], All]) -> Total:
        return Total(euros=len(prices))

    process = run_step(sequence(price, price, count), Order(id=1))

    assert values(process)[-1] == Total(euros=2)


def test_a_failure_ends_it_and_names_the_part_and_the_cause():
    @action
    def drop(price: Price) -> Tax:
        message = "it fell"
        raise ValueError(message)

    process = done(Agent("a", [sequence(price, drop, pack)]), Order(id=1), returning=Parcel)

    assert process.status is ProcessStatus.FAILED
    assert "Action 'drop' failed: ValueError: it fell" in str(process.failure)
    assert effects["pack"] == 0


def test_what_was_done_before_a_failure_is_done_by_nobody_else():
    """The board of the process is unchanged by a step that has failed."""

    @action
    def drop(price: Price) -> Tax:
        raise ValueError

    process = run_step(sequence(price, drop), Order(id=1))

    assert [type(entry.value) for entry in process.board.visible] == [Order]


def test_an_approval_lets_the_rest_run():
    process = run_step(sequence(approval("Price {order.id}?", needs=[Order]), price), Order(id=3))
    (request,) = process.pending
    assert request.prompt == "Price 3?"

    process.respond(request.id, True)

    assert go(process) is ProcessStatus.COMPLETED
    assert values(process) == [Approved(step="approval"), Price(id=3, euros=30)]


def test_what_follows_may_demand_that_it_was_approved():
    @action
    def ship(order: Order, approved: Approved) -> Parcel:
        return Parcel(text=approved.step)

    (made,) = Agent("a", [sequence(approval("Ship?", name="consent"), ship)]).actions.values()

    assert str(made) == "consent_then_ship(Order) -> Approved, Parcel"


@pytest.mark.parametrize("part", [approval("Go on?"), sell, human(Tax)], ids=["approval", "action", "human"])
def test_what_is_not_agreed_to_ends_it(part):
    process = run_step(sequence(part, price, name="all"), Order(id=1))
    process.respond(process.pending[0].id, Deny("too dear"))

    go(process)

    assert process.history == ()
    assert "was not agreed to: too dear" in process._core.state.excluded["all"]
    assert effects["price"] == 0


def test_what_takes_a_denial_goes_on_with_it():
    @action
    def settle(outcome: Approved | Denied) -> Parcel:
        return Parcel(text=type(outcome).__name__)

    for answer, text in ((True, "Approved"), (Deny("no"), "Denied")):
        process = run_step(sequence(approval("Go on?"), settle), Order(id=1))
        process.respond(process.pending[0].id, answer)
        go(process)

        assert values(process)[-1] == Parcel(text=text)


def test_the_planner_goes_another_way_when_a_step_was_not_agreed_to():
    @action(cost=0.9)
    def give_away(order: Order) -> Parcel:
        return Parcel(text="a present")

    agent = Agent("shop", [sequence(sell, pack), give_away])
    process = done(agent, Order(id=1), returning=Parcel)
    process.respond(process.pending[0].id, Deny("no"))
    go(process)

    assert process.result(Parcel) == Parcel(text="a present")


def test_sequences_are_parts_of_sequences():
    inner = sequence(price, tax, name="inner")
    process = run_step(sequence(inner, pack, name="outer"), Order(id=1))

    assert values(process) == [Price(id=1, euros=10), Tax(cents=1), Parcel(text="1 for 10")]


def test_an_agent_is_a_part_and_yields_what_its_goals_are():
    shop = Agent("shop", [price, pack], goals=[Parcel])

    process = run_step(sequence(shop, tax), Order(id=1))

    assert values(process) == [Parcel(text="1 for 10"), Tax(cents=1)]


def test_functions_and_bound_methods_are_parts():
    class Scale:
        grams = 5

        def weigh(self, order: Order) -> Tax:
            return Tax(cents=self.grams)

        @action
        def label(self, tax: Tax) -> Parcel:
            return Parcel(text=f"{tax.cents} g")

    scale = Scale()
    process = run_step(sequence(scale.weigh, scale.label), Order(id=1))

    assert values(process) == [Tax(cents=5), Parcel(text="5 g")]


def test_several_outputs_of_a_part_are_several_of_the_whole():
    def both(order: Order) -> tuple[Price, Tax]:
        return Price(id=1, euros=2), Tax(cents=3)

    assert values(run_step(sequence(both, pack), Order(id=1))) == [
        Price(id=1, euros=2), Tax(cents=3), Parcel(text="1 for 2"),
    ]  # fmt: skip


def test_it_is_planned_by_its_inputs_and_outputs():
    class Customer(BaseModel):
        name: str

    @action
    def receive(customer: Customer) -> Order:
        return Order(id=len(customer.name))

    agent = Agent("shop", [receive, sequence(price, pack)], goals=[Goal(Parcel)])

    plan = agent.plan(Customer(name="Ada"))

    assert list(plan.steps) == ["receive", "price_then_pack"]
    assert agent.run(Customer(name="Ada")).result(Parcel) == Parcel(text="3 for 30")


def test_what_parts_spend_is_what_the_process_spends():
    """Case 155: one action for the step itself, and one for each part."""
    assert run_step(sequence(price, tax), Order(id=1)).usage.actions == 3


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sequence(), "made of nothing"),
        (lambda: sequence([]), "made of nothing"),
        (lambda: sequence("write"), "nothing that can be run here"),
        (lambda: sequence(None), "nothing that can be run here"),
        (lambda: sequence(Order), "nothing that can be run here"),
        (lambda: sequence(price, name="a", retry=3), "Retry("),
        (lambda: sequence(lambda x: x), "type"),
    ],
    ids=["nothing", "an empty list", "a name", "None", "a class", "a wrong option", "no types"],
)
def test_what_cannot_be_a_part_is_refused_when_it_is_made(make, says):
    """Case 170: not in the middle of a run."""
    with pytest.raises(DefinitionError, match=says.replace("(", r"\(")):
        make()


def test_a_part_that_requires_a_condition_nobody_there_knows_is_refused():
    @action(pre=["released"])
    def ship(order: Order) -> Parcel:
        return Parcel(text="x")

    with pytest.raises(DefinitionError, match=r"requires the condition 'released'.*pre=\['released'\]"):
        sequence(price, ship)


def test_options_of_actions_hold_for_it():
    step = sequence(price, name="priced", cost=0.3, value=0.4, description="Prices it.", approval=True)

    (made,) = Agent("a", [step]).actions.values()

    assert (made.cost, made.value, made.description, made.approval) == (0.3, 0.4, "Prices it.", True)


def test_a_task_is_a_part():
    def weigh(order: Order) -> Tax:
        return Tax(cents=9)

    assert values(run_step(sequence(task(weigh, name="scale"), price), Order(id=1)))[0] == Tax(cents=9)
