"""Promises about `@state` classes.

- Entering a state hides what is not kept or protected; history shows it all.
- A state's actions are candidates only while it is on the board; substates are found without being named.
"""

from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import Agent, DefinitionError, ProcessStatus, achieves_goal, action, run, state


class Ticket(BaseModel):
    text: str = ""


class Customer(BaseModel):
    name: str = "Ada"


class Note(BaseModel):
    pass


class Resolution(BaseModel):
    by: str = ""


class Category(BaseModel):
    text: str = ""


state(Category)


class Critical(Category):
    @achieves_goal("A critical ticket is handled")
    @action
    def handle_critical(self) -> Resolution:
        return Resolution(by="critical")


class Bug(Category):
    @achieves_goal("A bug is handled")
    @action
    def handle_bug(self, customer: Customer) -> Resolution:
        return Resolution(by=f"bug of {customer.name}")


@action
def triage(ticket: Ticket) -> Category:
    return Critical() if "down" in ticket.text else Bug()


@state(keep=[Customer])
class Phase(BaseModel):
    n: int = 0


class Working(Phase):
    @action(clear_board=True)
    def work(self) -> Phase:
        return Working(n=self.n + 1) if self.n < 2 else Done(n=self.n)


class Done(Phase):
    @achieves_goal("worked")
    @action
    def complete(self) -> Resolution:
        return Resolution(by=str(self.n))


@action
def begin(ticket: Ticket) -> Working:
    return Working()


@pytest.mark.parametrize("planner", ["goap", "utility", "hybrid"])
def test_the_state_that_is_entered_decides_what_is_done(planner):
    """Peer cases state/utility-ticket-critical and state/branch-*."""
    process = run(Agent("desk", [triage]), Ticket(text="all down"), planner=planner)

    assert process.result(Resolution) == Resolution(by="critical")
    assert [step.action for step in process.history] == ["triage", "handle_critical"]


def test_substates_that_an_action_returns_are_found():
    agent = Agent("desk", [triage])

    assert sorted(agent.actions) == ["handle_bug", "handle_critical", "triage"]
    assert {goal.name for goal in agent.goals} == {"handle_bug", "handle_critical"}


def test_entering_a_state_hides_the_rest_and_history_shows_it():
    """Case 026."""
    process = Agent("desk", [triage, begin]).process(Ticket(text="down"), Note(), returning=Resolution)
    process.board.add(Customer(), protected=True)

    wait(process.tick())

    visible = [entry.type_name for entry in process.board.visible]
    assert visible == ["Customer", "Category"]
    assert [type(entry.value).__name__ for entry in process.board.entries] == ["Ticket", "Note", "Customer", "Critical"]


def test_what_a_state_keeps_stays_visible():
    process = Agent("it", [begin]).process(Ticket(), Customer(), returning=Resolution)

    wait(process.tick())

    assert process.board.last(Customer) == Customer()
    assert process.board.last(Ticket) is None


def test_a_state_that_returns_to_itself_is_left_in_the_end():
    """Peer case state/loop."""
    process = run(Agent("it", [begin]), Ticket())

    assert [step.action for step in process.history] == ["begin", "work", "work", "work", "complete"]
    assert process.result(Resolution) == Resolution(by="2")


def test_a_protected_entry_reaches_the_actions_of_a_state():
    """Peer case state/user-identity-preserved."""
    process = Agent("desk", [triage]).process(Ticket(text="slow"))
    process.board.add(Customer(name="Bea"), protected=True)

    assert wait(process.run()) is ProcessStatus.COMPLETED
    assert process.result(Resolution) == Resolution(by="bug of Bea")


def test_what_the_state_left_behind_is_missed_and_said():
    process = Agent("desk", [triage]).process(Ticket(text="slow"), Customer())

    assert wait(process.run()) is ProcessStatus.STUCK
    assert "handle_bug: lacks 'Customer'" in process.reason


def test_from_a_state_one_comes_back_to_ordinary_actions():
    """Peer case state/exit-to-outer."""

    @state
    class Inside(BaseModel):
        @action
        def leave(self) -> Note:
            return Note()

    @action
    def enter(ticket: Ticket) -> Inside:
        return Inside()

    @achieves_goal("done")
    @action
    def outside(ticket: Ticket, note: Note) -> Resolution:
        return Resolution(by=ticket.text)

    process = Agent("it", [enter, outside]).process()
    process.board.add(Ticket(text="kept"), protected=True)

    assert wait(process.run()) is ProcessStatus.COMPLETED
    assert process.result(Resolution) == Resolution(by="kept")


def test_the_final_result_is_no_state():
    @achieves_goal("done")
    @action
    def finish(ticket: Ticket) -> Phase: ...

    with pytest.raises(DefinitionError, match="its output Phase is a state"):
        Agent("it", [finish])


def test_functions_and_methods_receive_the_same_typed_objects():
    """Case 043."""
    seen = []

    class Desk:
        @action
        def by_method(self, customer: Customer) -> Note:
            seen.append(customer)
            return Note()

    @action
    def by_function(customer: Customer, note: Note) -> Resolution:
        seen.append(customer)
        return Resolution()

    run(Agent("it", [Desk(), by_function]), customer := Customer(), returning=Resolution)

    assert [item is customer for item in seen] == [True, True]


@pytest.mark.parametrize("target", [5, lambda: None])
def test_only_classes_are_states(target):
    with pytest.raises(DefinitionError, match="is for classes"):
        state(target)
