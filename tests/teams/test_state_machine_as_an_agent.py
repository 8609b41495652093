"""Promises about state machines as agents like others: they wait for people, are kept, nested, and planned.

A run can pause in a state, and go on in another program.
"""

from asyncio import run as wait

from papers import (
    PAPER,
    TRIAGE,
    Book,
    Draft,
    Note,
    Published,
    Verdict,
)
from pydantic import BaseModel

from planboard import (
    Agent,
    Denied,
    Deny,
    Process,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    SqliteJournal,
    StateMachine,
    Supervisor,
    Tracer,
    achieves_goal,
    action,
    current_state,
    human,
    run,
    state,
    subagent,
)


@state
class Checking(BaseModel):
    title: str = ""

    @action
    def decide(self, verdict: Verdict) -> "Printing | Checking":
        return Printing(title=self.title) if verdict.good else Checking(title=f"{self.title}!")


@state
class Printing(BaseModel):
    title: str = ""

    @achieves_goal("It is printed")
    @action(approval=True)
    def print_it(self) -> Book:
        return Book(title=self.title)


ask = human(Verdict, prompt="Is {checking.title} good?", needs=[Checking], rerun="new_inputs")
PRESS = StateMachine("press", [Checking, Printing], initial=Checking, parts=[ask])


def test_a_person_decides_in_a_state_and_the_run_goes_on_in_another_program(tmp_path):
    first = SqliteJournal(tmp_path / "runs.db")
    process = PRESS.process(Checking(title="Tides"), id="run-1", options=ProcessOptions(journal=first))
    wait(process.run())
    first.close()

    for answer, stands in (
        (Verdict(good=False), Checking(title="Tides!")),
        (Verdict(good=True), Printing(title="Tides!")),
    ):
        journal = SqliteJournal(tmp_path / "runs.db")
        process = Process.restore(PRESS, journal, "run-1")
        process.respond(process.pending[0].id, answer)
        assert wait(process.run()) is ProcessStatus.WAITING
        assert current_state(process) == stands
        journal.close()
    journal = SqliteJournal(tmp_path / "runs.db")
    process = Process.restore(PRESS, journal, "run-1")
    process.respond(process.pending[0].id, True)
    assert wait(process.run()) is ProcessStatus.COMPLETED
    assert process.result(Book) == Book(title="Tides!")
    assert [str(step) for step in process.history] == ["ask_verdict", "decide", "ask_verdict", "decide", "print_it"]
    journal.close()


def test_what_is_denied_leaves_the_run_in_its_state():
    process = PRESS.process(Printing(title="Tides"), returning=Book)
    wait(process.run())
    process.respond(process.pending[0].id, Deny("no paper"))

    assert wait(process.run()) is ProcessStatus.STUCK
    assert (current_state(process), process.board.last(Denied).reason) == (Printing(title="Tides"), "no paper")


def test_max_steps_counts_over_programs(tmp_path):
    machine = StateMachine("press", [Checking, Printing], initial=Checking, parts=[ask], max_steps=3)
    journal = SqliteJournal(tmp_path / "runs.db")
    process = machine.process(Checking(), id="run-1", options=ProcessOptions(journal=journal))
    wait(process.run())
    for _ in range(2):
        process.respond(process.pending[0].id, Verdict(good=False))
        wait(process.run())
        process = Process.restore(machine, journal, "run-1")

    assert process.status is ProcessStatus.TERMINATED
    assert process.reason == "budget: actions: 3 of 3 were started"
    journal.close()


# An agent like others


def test_it_nests_as_a_step_of_another_agent():
    @achieves_goal("The book is out")
    @action
    def announce(published: Published) -> Note:
        return Note(text=f"version {published.version}")

    tracer = Tracer()
    house = Agent("house", [subagent(PAPER, returning=Published), announce])
    note = run(house, Draft(), returning=Note, options=ProcessOptions(listeners=[tracer]))

    assert note == Note(text="version 3")
    assert [span.name for span in tracer.trace().spans()][:4] == ["house", "paper", "paper", "submit"]


def test_a_step_of_it_needs_its_first_state():
    assert [query.form for query in PAPER.needed_inputs] == [Draft]
    assert [query.form for query in TRIAGE.needed_inputs] == [Note]


def test_it_is_the_same_machine_with_more_services():
    class Shop:
        def price(self) -> int:
            return 7

    @state
    class Open(BaseModel):
        @action
        def buy(self, shop: Shop) -> "Published":
            return Published(version=shop.price())

    machine = StateMachine("it", [Open, Published], initial=Open, final=Published, services=[Shop()])
    other = PAPER.process(Draft(), services=[Shop()]).agent

    assert run(machine, Open(), returning=Published) == Published(version=7)
    assert isinstance(other, StateMachine)
    assert (other.transitions, other.max_steps) == (PAPER.transitions, PAPER.max_steps)


def test_nothing_about_a_machine_is_suspicious_because_its_first_state_is_given():
    assert PAPER.check() == []
    assert PRESS.check() == []


def test_it_plans_with_its_own_planner_below_another():
    model = ScriptedModel()
    house = Agent("house", [subagent(PAPER, returning=Published)])

    assert run(house, Draft(), returning=Published, planner=Supervisor(llm=model)) == Published(version=3)
    assert model.requests == []
