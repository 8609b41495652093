"""Promises about state machines.

- The graph is what the actions say; what cannot work is refused when the machine is built, with places.
- At run time nothing happens but the transitions of the graph.
"""

import subprocess
import sys
from asyncio import run as wait
from pathlib import Path

import pytest
from papers import (
    PAPER,
    TRIAGE,
    Book,
    Closed,
    Draft,
    Lost,
    Note,
    Published,
    Review,
    Ticket,
)
from pydantic import BaseModel

import planboard
from planboard import (
    ActionContext,
    Budget,
    Process,
    ProcessOptions,
    ProcessStatus,
    Replan,
    ScriptedModel,
    StateMachine,
    Supervisor,
    action,
    call,
    current_state,
    human,
    run,
    state,
)
from planboard.teams.machines.state_graph import Transition

# The graph


def test_the_graph_is_read_from_the_annotations():
    assert [str(arrow) for arrow in PAPER.transitions] == [
        "start → Draft",
        "Draft → Review by submit",
        "Review → Draft by judge",
        "Review → Published by judge",
        "Published → end",
    ]
    assert (PAPER.initial, PAPER.final) == ((Draft,), (Published,))


def test_transitions_are_data():
    assert PAPER.transitions[1] == Transition(Draft, "submit", Review)
    assert PAPER.transitions[1].where.line == Draft.submit.__code__.co_firstlineno


def test_it_is_drawn_as_a_state_diagram():
    assert PAPER.mermaid() == (
        "stateDiagram-v2\n"
        "    [*] --> Draft\n"
        "    Draft --> Review : submit\n"
        "    Review --> Draft : judge\n"
        "    Review --> Published : judge\n"
        "    Published --> [*]\n"
    )


def test_it_is_drawn_for_graphviz():
    dot = PAPER.dot()

    assert dot.startswith('digraph "paper" {\n')
    assert '    "state Review" -> "state Published" [label="judge"];\n' in dot
    assert (dot.count("->"), dot.count('"" ->'), dot.count('-> "end"')) == (5, 1, 1)


_PROGRAM = """
import sys; sys.path.insert(0, {folder!r})
from papers import *
print(PAPER.mermaid(), PAPER.dot(), TRIAGE.mermaid(), refusal([Draft, Review, Lost, Archived, Published], initial=Draft))
print(refusal([Draft, Review, Lost, Archived, Published], initial=Draft, final=Published))
"""


def test_the_drawing_and_the_messages_do_not_depend_on_the_hash_seed():
    folder, root = str(Path(__file__).parent), str(Path(planboard.__file__).parents[1])
    told = {
        subprocess.run(
            [sys.executable, "-c", _PROGRAM.format(folder=folder)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": root},
            capture_output=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip

    assert len(told) == 1


def test_a_base_class_stands_for_its_subclasses():
    assert [str(arrow) for arrow in TRIAGE.transitions] == [
        "start → Bug by triage",
        "start → Question by triage",
        "Bug → Closed by close",
        "Bug → Closed by fix",
        "Question → Closed by close",
        "Question → Book by answer",
        "Closed → end",
    ]


def test_the_result_of_an_achieving_action_is_an_end():
    assert TRIAGE.final == (Closed, Book)
    assert "    Question --> [*] : answer / Book\n" in TRIAGE.mermaid()


def test_a_base_class_that_is_given_beside_a_subclass_is_a_state_of_its_own():
    @state
    class Shape(BaseModel):
        @action
        def round_off(self) -> "Shape":
            return Round()

    class Round(Shape):
        pass

    machine = StateMachine("shapes", [Shape, Round], initial=Shape, final=Round)

    assert [str(arrow) for arrow in machine.transitions if arrow.action] == [
        "Shape → Shape by round_off",
        "Shape → Round by round_off",
        "Round → Shape by round_off",
        "Round → Round by round_off",
    ]


def test_functions_that_take_a_state_lead_out_of_it():
    @action
    def rescue(lost: Lost) -> Published:
        return Published()

    machine = StateMachine("it", [Lost, Published], initial=Lost, final=Published, parts=[rescue])

    assert Transition(Lost, "rescue", Published) in machine.transitions
    assert run(machine, Lost(), returning=Published) == Published()


def test_a_tuple_enters_its_state_and_leaves_the_rest_beside_it():
    @state
    class Begun(BaseModel):
        @action
        def finish(self) -> tuple[Published, Note]:
            return Published(), Note(text="done")

    machine = StateMachine("it", [Begun, Published], initial=Begun, final=Published)
    process = run(machine, Begun())

    assert Transition(Begun, "finish", Published) in machine.transitions
    assert (current_state(process), process.board.last(Note)) == (Published(), Note(text="done"))


def test_names_that_mermaid_keeps_for_itself_get_another_id():
    @state
    class End(BaseModel):
        pass

    @state
    class Beginn(BaseModel):
        @action(name="los: <jetzt>; #1")
        def go(self) -> End:
            return End()

    machine = StateMachine("it", [Beginn, End], initial=Beginn, final=End)

    assert '    state "End" as state_1\n' in machine.mermaid()
    assert "    Beginn --> state_1 : los#58; #lt;jetzt#gt;#59; #35;1\n" in machine.mermaid()


# Running


@pytest.mark.parametrize("planner", ["goap", "utility", "hybrid"])
def test_a_run_goes_from_state_to_state_to_a_final_one(planner):
    process = run(PAPER, Draft(), planner=planner)

    assert [str(step) for step in process.history] == ["submit", "judge"] * 3
    assert current_state(process) == Published(version=3)


def test_a_model_may_choose_among_the_actions_of_a_state():
    @state
    class Fork(BaseModel):
        @action
        def left(self) -> Published:
            return Published(version=1)

        @action
        def right(self) -> Published:
            return Published(version=2)

    machine = StateMachine("it", [Fork, Published], initial=Fork, final=Published)
    planner = Supervisor(llm=ScriptedModel(call("right")))

    assert run(machine, Fork(), returning=Published, planner=planner) == Published(version=2)


def test_the_current_state_can_be_read_at_any_time():
    seen = []
    process = PAPER.process(Draft(version=3), options=ProcessOptions(listeners=[lambda _: seen.append(now())]))

    def now():
        return type(current_state(process)).__name__

    wait(process.run())

    assert list(dict.fromkeys(seen)) == ["Draft", "Review", "Published"]
    assert current_state(TRIAGE.process(Note())) is None


@state
class Placed(BaseModel):
    item: str = "book"

    @action(cost=0.5)
    def ship(self) -> "Shipped":
        return Shipped()

    @action(cost=0.1)
    def call_off(self) -> "CalledOff":
        return CalledOff()


@state
class Shipped(BaseModel):
    pass


@state
class CalledOff(BaseModel):
    pass


@pytest.mark.parametrize(
    ("final", "reached"),
    [
        ([Shipped, CalledOff], CalledOff),
        ({Shipped: 0.9, CalledOff: 0.0}, Shipped),
        ({"Shipped": 0.9, "CalledOff": 0.6}, CalledOff),
    ],
    ids=["cheapest", "worth_most", "worth_it"],
)
def test_of_several_final_states_the_one_that_is_worth_most_is_aimed_at(final, reached):
    machine = StateMachine("order", [Placed, Shipped, CalledOff], initial=Placed, final=final)

    assert type(current_state(run(machine, Placed()))) is reached


def test_what_is_asked_for_is_aimed_at():
    machine = StateMachine("order", [Placed, Shipped, CalledOff], initial=Placed, final=[Shipped, CalledOff])

    assert run(machine, Placed(), returning=Shipped) == Shipped()


def test_guards_say_which_action_runs():
    process = run(TRIAGE, Note(text="a crash"))

    assert [str(step) for step in process.history] == ["triage", "fix"]


def test_a_run_that_goes_on_and_on_is_terminated():
    machine = StateMachine("paper", [Draft, Review, Published], initial=Draft, final=Published, max_steps=5)
    process = machine.process(Draft(version=-100))

    assert wait(process.run()) is ProcessStatus.TERMINATED
    assert (process.reason, current_state(process)) == ("budget: actions: 5 of 5 were started", Review(version=-98))


def test_a_run_that_was_terminated_goes_on_with_more():
    machine = StateMachine("paper", [Draft, Review, Published], initial=Draft, final=Published, max_steps=5)
    process = machine.process(Draft())
    wait(process.run())

    assert wait(process.run(budget=Budget(actions=6))) is ProcessStatus.COMPLETED
    assert len(process.history) == 6


def test_the_stricter_limit_holds():
    process = PAPER.process(Draft(), options=ProcessOptions(budget=Budget(actions=2, cost=3.0)))
    wait(process.run())

    assert (len(process.history), process.options.budget) == (2, Budget(actions=2, cost=3.0))


@pytest.mark.parametrize("planner", ["goap", "utility", "hybrid"])
def test_two_actions_of_a_state_do_not_run_at_once(planner):
    machine = StateMachine("order", [Placed, Shipped, CalledOff], initial=Placed, final=[Shipped, CalledOff])

    process = run(machine, Placed(), planner=planner, options=ProcessOptions(concurrency=4))

    assert len(process.history) == 1


# Only what is declared


def begun(enter, *, final=Published) -> Process:
    """Run a machine whose only action is a function of the state and a context."""

    @state
    class Begun(BaseModel):
        pass

    enter.__annotations__.update({"begun": Begun, "return": Published})
    machine = StateMachine("it", [Begun, Published, Lost], initial=[Begun], final=[final, Lost], parts=[
        action(enter), human(Lost, needs=[Begun], cost=0.9),
    ])  # fmt: skip
    process = machine.process(Begun(), returning=Published)
    wait(process.run())
    return process


def test_a_state_that_is_not_declared_cannot_be_returned():
    def enter(begun):
        return Lost()

    process = begun(enter)

    assert process.status is ProcessStatus.FAILED
    assert "returned Lost() of type Lost, but declares Published" in str(process.failure)


def test_a_state_that_is_not_declared_cannot_be_added():
    def enter(begun, context: ActionContext):
        context.add(Lost())
        return Published()

    process = begun(enter)

    assert "would enter the state Lost, but declares Published" in str(process.failure)
    assert type(current_state(process)).__name__ == "Begun"


def test_a_state_that_is_not_declared_cannot_be_added_by_an_asynchronous_action():
    async def enter(begun, context: ActionContext):
        context.add(Lost())
        return Published()

    assert "would enter the state Lost" in str(begun(enter).failure)


def test_a_state_that_is_not_declared_cannot_be_left_behind_by_asking_for_another_plan():
    def enter(begun):
        raise Replan("look", lost=Lost())

    assert "would enter the state Lost" in str(begun(enter).failure)


def test_a_base_class_is_no_state_that_can_be_entered():
    @action
    def sort(note: Note) -> Ticket:
        return Ticket()

    process = StateMachine("it", [Ticket, Closed], parts=[sort], final=Closed).process(Note())

    assert wait(process.run()) is ProcessStatus.FAILED
    assert "of type Ticket, but declares Bug | Question" in str(process.failure)
