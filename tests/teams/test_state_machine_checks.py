"""Promises about what a state machine refuses when it is built: the graph that cannot work, or is declared otherwise."""

from asyncio import run as wait

import pytest
from papers import (
    PAPER,
    TRIAGE,
    Archived,
    Book,
    Closed,
    Draft,
    Lost,
    Note,
    Published,
    Question,
    Review,
    Ticket,
    line_of,
    refusal,
    triage,
)
from pydantic import BaseModel

from planboard import (
    ProcessStatus,
    StateMachine,
    action,
    state,
)
from planboard.teams.machines.state_graph import Transition

# What cannot work


def test_a_state_that_is_not_among_the_states_is_named_with_the_closest():
    @state
    class Publish(BaseModel):
        pass

    @state
    class Begun(BaseModel):
        @action
        def finish(self) -> Publish: ...

    assert refusal([Begun, Published], initial=Begun, final=Published) == (
        f"State machine 'it': finish ({line_of(Begun.finish)}) returns Publish, which is not among the states. "
        "Did you mean 'Published'?"
    )


def test_an_action_that_takes_a_state_from_elsewhere_is_named():
    @action
    def find(lost: Lost) -> Note: ...

    message = refusal([Draft, Review, Published], initial=Draft, final=Published, parts=[find])

    assert f"find ({line_of(find)}) takes Lost, which is not among the states." in message


def test_what_nothing_enters_cannot_be_reached():
    @state
    class Forgotten(BaseModel):
        @action
        def remember(self) -> Published: ...

    assert refusal([Draft, Review, Published, Forgotten], initial=Draft, final=Published) == (
        "State machine 'it': State Forgotten cannot be reached from Draft: no action returns it."
    )


def test_what_only_a_final_state_could_enter_cannot_be_reached():
    @state
    class Out(BaseModel):
        @action
        def reopen(self) -> "Back": ...

    @state
    class Back(BaseModel):
        @action
        def leave(self) -> Out: ...

    message = refusal([Out, Back], initial=Out, final=Out)

    assert f"State Back cannot be reached from Out: only Out.reopen ({line_of(Out.reopen)}) could enter it." in message


def test_a_dead_end_is_told():
    @state
    class Begun(BaseModel):
        @action
        def go(self) -> Lost | Published: ...

    assert "State Lost is a dead end: it is not final, and no action leads out of it." in refusal(
        [Begun, Lost, Published], initial=Begun, final=Published
    )


def test_a_trap_is_told_with_the_actions_that_only_come_back():
    @state
    class Begun(BaseModel):
        @action
        def go(self) -> Archived | Published: ...

    assert refusal([Begun, Archived, Published], initial=Begun, final=Published) == (
        f"State machine 'it': From state Archived no end can be reached: Archived.keep ({line_of(Archived.keep)}) "
        "only ever come back. Add a way out."
    )


def test_a_cycle_with_a_way_out_is_fine():
    assert wait(PAPER.process(Draft()).run()) is ProcessStatus.COMPLETED


def test_a_final_state_has_no_action_of_its_own():
    assert refusal([Draft, Review, Published], initial=Draft, final=[Review, Published]) == (
        "State machine 'it' cannot work:\n"
        "- State Published cannot be reached from Draft: only "
        f"Review.judge ({line_of(Review.judge)}) could enter it.\n"
        f"- State Review is final, so judge ({line_of(Review.judge)}) never runs. "
        "Take Review out of final=, or judge out of the machine."
    )


def test_what_a_final_state_inherits_is_there_for_others():
    @state
    class Any(BaseModel):
        @action
        def leave(self) -> Published: ...

    class Spam(Any):
        pass

    class Mail(Any):
        pass

    machine = StateMachine("it", [Any, Published], initial=Any, final=[Spam, Published])

    assert Transition(Spam, "leave", Published) in machine.transitions


def test_something_has_to_be_final():
    assert refusal([Draft, Review, Published], initial=Draft) == (
        "State machine 'it': Nothing is final. Name the states that end a run, as in final=Published, or mark an "
        "action of the last one with @achieves_goal."
    )


def test_something_has_to_be_first():
    assert "No state is the first. Name it, as in initial=Draft" in refusal([Draft, Review, Published], final=Published)


def test_a_result_that_nothing_returns_is_not_final():
    message = refusal([Draft, Review, Published], initial=Draft, final=[Published, Note])

    assert message == "State machine 'it': Note is final, but no action of a state returns it."


def test_two_states_of_one_name_are_refused():
    @state
    class Twin(BaseModel):
        pass

    first = Twin

    @state
    class Twin(BaseModel):
        pass

    assert "Two states of machine 'it' are named 'Twin'" in refusal([first, Twin], initial=first, final=Twin)


def test_a_state_that_is_given_twice_is_one():
    assert StateMachine("it", [Draft, Draft, Review, Published], initial=Draft, final=Published).initial == (Draft,)


def test_a_run_enters_one_state_at_a_time():
    @state
    class Begun(BaseModel):
        @action
        def split(self) -> tuple[Lost, Published]: ...

    message = refusal([Begun, Lost, Published], initial=Begun, final=[Published, Lost])

    assert "enters Lost and Published at once; a run is in one state." in message


def test_an_action_that_takes_no_state_does_not_happen_in_the_middle():
    @action
    def publish(note: Note) -> Published: ...

    message = refusal([Draft, Review, Published], initial=Draft, final=Published, parts=[publish])

    assert f"publish ({line_of(publish)}) returns Published and takes no state, so it could happen in any." in message


@pytest.mark.parametrize("argument", ["initial", "final"])
@pytest.mark.parametrize("given", ["Publishd", Lost], ids=["name", "class"])
def test_names_of_states_are_checked(argument, given):
    arguments = {"initial": Draft, "final": Published, argument: given}

    assert f"in {argument}= is not among its states." in refusal([Draft, Review, Published], **arguments)


@pytest.mark.parametrize(
    "states", [[], [Note], [Draft()], ["Draft"], [None]], ids=["none", "class", "object", "name", "null"]
)
def test_states_are_classes_that_are_marked_so(states):
    assert "state" in refusal(states, initial=Draft, final=Published)


@pytest.mark.parametrize("most", [0, -1, True, 2.5, "9"], ids=str)
def test_max_steps_is_a_whole_number(most):
    assert "max_steps" in refusal([Draft, Review, Published], initial=Draft, final=Published, max_steps=most)


def test_goals_are_said_by_final():
    assert "said by final=" in refusal([Draft, Review, Published], initial=Draft, goals=[Published])


# Declared and written


def test_transitions_that_agree_are_taken():
    declared = {"Draft": "Review", Review: [Draft, "Published"]}

    machine = StateMachine("it", [Draft, Review, Published], initial=Draft, final=Published, transitions=declared)

    assert machine.transitions == PAPER.transitions


def test_what_is_declared_and_not_written_is_told_with_both_sides():
    declared = {Draft: [Review, Published], Review: [Draft, Published]}

    message = refusal([Draft, Review, Published], initial=Draft, final=Published, transitions=declared)

    assert message == (
        "State machine 'it': State Draft: no action of it returns Published. Declared: Review and Published. "
        f"Returned: Review by submit ({line_of(Draft.submit)})."
    )


def test_what_is_written_and_not_declared_is_told_with_both_sides():
    declared = {Draft: Review, Review: Published}

    message = refusal([Draft, Review, Published], initial=Draft, final=Published, transitions=declared)

    assert f"transitions= does not have Draft by judge ({line_of(Review.judge)})." in message
    assert "Declared: Published. Returned: Draft by judge" in message


def test_base_classes_are_taken_apart_in_declared_transitions():
    declared = {Ticket: Closed, Question: [Book, Closed]}

    machine = StateMachine("it", [Ticket, Closed], parts=[triage], final=Closed, transitions=declared)

    assert machine.transitions == TRIAGE.transitions


def test_declared_transitions_name_states_of_the_machine():
    message = refusal(
        [Draft, Review, Published], initial=Draft, final=Published, transitions={"Draft": "Reviw", "Review": Lost}
    )

    assert message.endswith("'Reviw' in transitions= is not among its states. Did you mean 'Review'?")
