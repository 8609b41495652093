"""Board, declaration, planning and budget cases of a peer framework, restated.

The name of each test is the peer's case; where ours differs on purpose a comment says how.
"""

import pickle
from asyncio import run as wait
from typing import Annotated

import pytest
from pydantic import BaseModel

from planboard import (
    NIRVANA,
    ActionContext,
    Agent,
    Blackboard,
    Budget,
    EntryTypeError,
    Named,
    ProcessOptions,
    ProcessStatus,
    Replan,
    achieves_goal,
    action,
    condition,
    run,
    state,
)  # fmt: skip


class UserInput(BaseModel):
    text: str = "John is a man"


class Person(BaseModel):
    name: str = "John"


class Fancy(BaseModel):
    pass


class FancyPerson(Fancy):
    name: str = "Rod"


class Dog(BaseModel):
    name: str = "Duke"


class Frog(BaseModel):
    name: str = "Kermit"


class Prince(BaseModel):
    pass


# Boards


def test_board_add_event_and_bind_event():
    process = Agent("it", [make_frog]).process(Person(), returning=Frog, friend=Dog())
    process.board.bind("named", "text")

    added = [event.entry for event in process.events if event.kind == "entry_added"]

    assert [(entry.name, entry.type_name) for entry in added] == [(None, "Person"), ("friend", "Dog"), ("named", "str")]
    assert process.board.newest_entry.value == "text"


def test_binding_parse():
    # A binding is `Named(...)` in a type, not a text; there is no default name "it".
    with pytest.raises(ValueError, match="identifier"):
        Named("")
    with pytest.raises(EntryTypeError):
        Blackboard().bind(" ", 1)
    assert Blackboard().add(1).name is None


@pytest.mark.parametrize(("board", "made"), [((), False), ((UserInput(),), False), ((UserInput(), Person()), True)])
def test_board_aggregation(board, made):
    # There are no aggregate classes: an action takes several parameters, and nothing is built by a mere read.
    @action
    def use(given: UserInput, person: Person) -> Frog:
        return Frog(name=f"{person.name}: {given.text}")

    process = Agent("it", [use]).process(*board, returning=Frog)
    wait(process.run())

    assert (process.status is ProcessStatus.COMPLETED) is made
    assert process.board.last(Frog) == (Frog(name="John: John is a man") if made else None)


def test_board_hide_vs_aggregation():
    process = Agent("it", [both]).process(UserInput(), Person(), returning=Frog)
    process.board.hide(*process.board.all(Person))

    assert wait(process.run()) is ProcessStatus.STUCK


def test_board_hide_one_of_two_and_hide_many():
    board = Blackboard()
    board.add(john := Person())
    board.add(Person(name="Jane"))
    dogs = [board.add(Dog()), board.add(Dog(name="Rex"))]

    board.hide(john)
    board.hide(*dogs)
    board.hide(john)

    assert (board.last(Person).name, board.last(Dog)) == ("Jane", None)


def test_board_protected_survives_clear_and_clear_all():
    board = Blackboard()
    board.bind("conversation", "important", protected=True)
    board.bind("other", "value")

    board.clear()

    assert (board.get("conversation"), board.get("other"), len(board)) == ("important", None, 1)


def test_worldstate_aggregation_achievable_under_other_names():
    plan = Agent("it", [both]).plan(input=UserInput(), person=Person(name="Rod"), returning=Frog)

    assert plan.steps == ("both",)


def test_worldstate_type_checks():
    board = Blackboard()
    board.bind("person", FancyPerson())

    assert board.last(FancyPerson) == board.last(Fancy) == FancyPerson()
    assert board.last(Person) is None


def test_derived_board_spawn_unhides():
    board = Blackboard()
    board.add(john := Person())
    board.hide(john)

    assert board.spawn().last(Person) is board.snapshot().last(Person) is None


def test_derived_board_list_element_type_ignored():
    board = Blackboard()
    board.add([1])

    assert board.last(list[Person]) is None


# Declarations


@action
def make_frog(person: Person) -> Frog:
    return Frog(name=person.name)


@action
def both(given: UserInput, person: Person) -> Frog:
    return Frog(name=person.name)


def test_path_annotation_inheritance():
    class Base:
        @condition
        def done(self, frog: Frog) -> bool:
            return frog is not None

        @action(post=["done"])
        def frog(self) -> Frog:
            return Frog()

    class Derived(Base):
        @achieves_goal("a person")
        @action(pre=["done"])
        def to_person(self) -> Person:
            return Person(name="Kermit")

    agent = Agent("it", [Derived()])

    assert sorted(agent.actions) == ["frog", "to_person"]
    assert run(agent, returning=Person) == Person(name="Kermit")


def test_someof_metadata_and_bind_fields():
    @action
    def frog_or_dog() -> Frog | Dog:
        return Frog()

    agent = Agent("it", [frog_or_dog])

    assert agent.actions["frog_or_dog"].outputs == ((Frog,), (Dog,))
    process = run(agent, planner="utility")
    assert (process.board.last(Frog), process.board.last(Dog)) == (Frog(), None)


def test_state_unroll_nested_and_nested_classes():
    # The peer refuses inner classes; a class inside a function or class is as good as any here.
    @state
    class Second(BaseModel):
        @achieves_goal("done")
        @action
        def complete(self) -> Prince:
            return Prince()

    @state
    class First(BaseModel):
        @action
        def process(self) -> Second:
            return Second()

    @action
    def start(given: UserInput) -> First:
        return First()

    agent = Agent("it", [start])

    assert (sorted(agent.actions), len(agent.goals)) == (["complete", "process", "start"], 1)
    assert run(agent, UserInput(), returning=Prince) == Prince()


def test_utility_metadata_has_nirvana_beside_the_real_goals():
    # NIRVANA belongs to the process and its planner, so the agent lists real goals only.
    assert Agent("it", [make_frog]).goals == ()
    assert Agent("it", [make_frog]).process(planner="utility")._core.goals == (NIRVANA,)


def test_derived_process_preconditions_have_no_absence_of_the_output():
    # The peer demands that the output is absent; ours only that the action has not run.
    once, always = Agent("it", [make_frog]), Agent("it", [action(rerun="always")(lambda_like)])

    assert once.plan(Person(), returning=Frog).steps == ("make_frog",)
    assert run(once, Person(), Frog(name="given"), planner="utility").board.last(Frog) == Frog(name="John")
    assert always.plan(Person(), returning=Dog).steps == ("lambda_like",)


def lambda_like(person: Person) -> Dog:
    return Dog()


def test_process_current_process_available_as_a_context():
    # There is no ambient process; an action that wants one asks for an ActionContext.
    @action
    def look(given: UserInput, context: ActionContext) -> Person:
        return Person(name=context.process_id)

    process = Agent("it", [look]).process(UserInput(), returning=Person, id="me")
    wait(process.run())

    assert process.result(Person) == Person(name="me")


def test_process_not_serialisable():
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        pickle.dumps(Agent("it", [make_frog]).process(Person(), returning=Frog))


# Stuck and replan: what the peer's handlers do is said from outside here


def test_process_stuck_handler_replan():
    process = Agent("it", [make_frog]).process(returning=Frog)
    assert wait(process.run()) is ProcessStatus.STUCK

    process.board.add(Person(name="Rod"))

    assert wait(process.run()) is ProcessStatus.COMPLETED


def test_process_kill_in_stuck_handler_and_killed_stays_killed():
    """Case 015."""

    def handler(event):
        if event.kind == "process_ended" and event.status is ProcessStatus.STUCK:
            process.cancel("killed")
            process.board.add(Person())

    options = ProcessOptions(listeners=(handler,))
    process = Agent("it", [make_frog]).process(returning=Frog, options=options)
    wait(process.run())

    assert (wait(process.run()), wait(process.tick())) == (ProcessStatus.CANCELLED, ProcessStatus.CANCELLED)
    assert (process.status, process.history) == (ProcessStatus.CANCELLED, ())


def routing(attempts, times):
    @action
    def routing_transform(given: UserInput) -> Person:
        attempts.append(1)
        if len(attempts) <= times:
            raise Replan("rerouted", routed_to="alternate")
        return Person(name=f"Alternate: {given.text}")

    return routing_transform


def test_replan_applies_update_and_tick_stays_running():
    process = Agent("it", [routing([], 1), make_frog]).process(UserInput(text="T"), returning=Frog)

    wait(process.tick())
    assert (process.status, process.board["routed_to"]) == (ProcessStatus.RUNNING, "alternate")
    for _ in range(10):
        wait(process.tick())

    assert process.result(Frog) == Frog(name="Alternate: T")


def test_replan_blacklist_fallback():
    attempts = []

    @action(cost=0.5)
    def completes(given: UserInput) -> Person:
        return Person(name="fallback")

    process = run(Agent("it", [routing(attempts, 99), completes, make_frog], goals=[Frog]), UserInput())

    assert (len(attempts), process.board.last(Frog)) == (1, Frog(name="fallback"))


# Budgets


@pytest.mark.parametrize(
    ("limits", "steps"), [({"actions": 2}, 2), ({"actions": 10, "cost": 0.2}, 2), ({"actions": 2, "cost": 9}, 2), ({"actions": 0}, 0)]
)  # fmt: skip
def test_budget_max_actions_first_of_cost_over_and_checked_before_the_first(limits, steps):
    # Limits of one budget combine, and none is overrun: the peer runs the first action whatever the budget.
    @action(cost=0.1)
    def one(given: UserInput) -> Person:
        return Person()

    @action(cost=0.1)
    def two(person: Person) -> Frog:
        return Frog()

    @action(cost=0.1)
    def three(frog: Frog) -> Prince:
        return Prince()

    options = ProcessOptions(budget=Budget(**limits))
    process = Agent("it", [one, two, three]).process(UserInput(), returning=Prince, options=options)

    assert wait(process.run()) is ProcessStatus.TERMINATED
    assert len(process.history) == steps


# Costs


def test_cost_prefers_cheaper_and_both_cost_functions_called():
    asked = []

    def priced(name, price):
        @action(name=name)
        def make(person: Annotated[Person, Named("who")]) -> Frog:
            return Frog(name=name)

        @make.cost
        def cost(dog: Dog | None) -> float:
            asked.append(name)
            return price

        return achieves_goal(name)(make)

    process = run(Agent("it", [priced("dear", 0.9), priced("cheap", 0.1)]), who=Person())

    assert process.board.last(Frog) == Frog(name="cheap")
    assert set(asked) == {"cheap", "dear"}
