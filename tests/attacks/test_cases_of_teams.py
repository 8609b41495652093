"""Faults that users of such systems reported, met by every kind of step and team: one agent that asks a person before it
pays stands in each of them, and what holds for it alone holds there.
"""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable

import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Approve,
    Budget,
    Crew,
    Deny,
    Edit,
    Flow,
    HandOff,
    Host,
    MemoryJournal,
    Message,
    Network,
    PlanTree,
    Process,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    Specialist,
    TaskPlan,
    TaskStep,
    achieves_goal,
    action,
    call,
    chat_agent,
    human,
    trace_of,
)
from planboard.steps import branch, for_each, loop, map_each, parallel, sequence, subagent

effects: Counter[str] = Counter()
KEY = "open-sesame"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    effects.clear()


class Bill(BaseModel):
    payee: str
    api_key: str = KEY


class Receipt(BaseModel):
    text: str


class Stamp(BaseModel):
    text: str


@action
def read(task: str) -> Bill:
    effects["read"] += 1
    return Bill(payee=task)


@achieves_goal("It is paid")
@action(approval="Pay {bill.payee}?")
def pay(bill: Bill) -> Receipt:
    effects["pay"] += 1
    if bill.payee == "nobody":
        message = f"there is no account for {bill.api_key}"
        raise ValueError(message)
    return Receipt(text=f"paid {bill.payee}")


@action
def stamp(receipt: Receipt) -> Stamp:
    effects["stamp"] += 1
    return Stamp(text=receipt.text)


def always(task: str) -> bool:
    return True


def desk() -> Agent:
    return Agent("desk", [read, pay], description="Pays bills.")


def office(step: object) -> Agent:
    return Agent("office", [step], planner="utility")


def crew_of(name: str, member: Agent) -> Crew:
    """Return a crew that gives one task to its member, and then says what came of it."""

    def decide(history: list[Message]) -> object:
        return HandOff(to=member.name, task="Ada") if len(history) == 1 else f"end: {history[-1].content}"

    return Crew(name, [member], supervisor=decide)


def use_desk(request: object) -> object:
    """Call the desk as a tool, and then say what it said."""
    said = [str(message["content"]) for message in request.wire["messages"] if message["role"] == "tool"]
    return f"end: {said[-1]}" if said else call("desk", text="Ada")


def to_desk(request: object) -> object:
    return call("desk", task="Ada")


SHAPES: dict[str, Callable[[], Agent]] = {
    "alone": desk,
    "subagent": lambda: office(subagent(desk(), returning=Receipt, needs=[str])),
    "sequence": lambda: office(sequence(desk(), stamp, name="all")),
    "parallel": lambda: office(parallel(desk(), name="both")),
    "map_each": lambda: office(map_each(["Ada"], desk(), name="each")),
    "for_each": lambda: office(for_each(["Ada"], desk(), name="each")),
    "loop": lambda: office(loop(desk(), max=1, name="rounds")),
    "branch": lambda: office(branch(always, desk(), name="fork")),
    "flow": lambda: Flow.sequence("flow", desk(), stamp),
    "crew": lambda: crew_of("crew", desk()),
    "crew in crew": lambda: crew_of("outer", crew_of("inner", desk())),
    "host": lambda: Host("host", [Specialist("desk", "Pays.", desk())], llm=ScriptedModel(rules=to_desk)),
    "network": lambda: Network("net", [desk()]),
    "plan tree": lambda: PlanTree("tree", [desk()], planned_by=None, default="desk"),
    "tool of a model": lambda: chat_agent("clerk", "You pay.", tools=[desk()], llm=ScriptedModel(rules=use_desk)),
    "map in flow in crew": lambda: crew_of("crew", Flow.sequence("flow", map_each(["Ada"], desk(), name="each"))),
}  # fmt: skip
PLAN = TaskPlan(goal="paid", steps=(TaskStep(id="a", task="Ada"),))
SECRETS = {"Bill.api_key": KEY}

each_shape = pytest.mark.parametrize("shape", list(SHAPES))


def go(process: Process) -> ProcessStatus:
    return asyncio.run(process.run())


def begun(shape: str, journal: MemoryJournal, **options: object) -> Process:
    """Return a run that waits for consent to the payment."""
    given = PLAN if shape == "plan tree" else "Ada"
    process = SHAPES[shape]().process(given, options=ProcessOptions(journal=journal, **options))
    go(process)
    return process


def restored(shape: str, process: Process, **given: object) -> Process:
    """Return a run as another program takes it up, which makes its agents anew."""
    return Process.restore(SHAPES[shape](), process.options.journal, process.id, secrets=SECRETS, **given)


def written(journal: MemoryJournal) -> str:
    """Return all that is kept of all runs."""
    return "\n".join(record.body for run in journal.runs() for record in journal.read(run.id))


@pytest.mark.parametrize(
    ("answer", "paid"),
    [(Approve(), "paid Ada"), (Edit(bill=Bill(payee="Bob")), "paid Bob"), (Deny("too dear"), None)],
    ids=["approve", "edit", "deny"],
)
@each_shape
def test_each_decision_counts_everywhere_in_another_program_and_nothing_is_done_twice(shape, answer, paid):
    """Cases 077, 086, 088, 097: also what was denied is recorded, with the reason, as not done."""
    journal = MemoryJournal()
    process = restored(shape, begun(shape, journal))
    (request,) = process.pending

    process.respond(request.id, answer)
    go(process)

    assert request.prompt == "Pay Ada?"
    assert process.status.is_final or process.status is ProcessStatus.STUCK
    assert (effects["read"], effects["pay"]) == (1, 0 if paid is None else 1)
    assert (paid or "too dear") in written(journal)
    assert paid is not None or '"paid ' not in written(journal)


@each_shape
def test_two_copies_of_a_run_that_waits_are_answered_apart(shape):
    """Cases 083, 091."""
    journal = MemoryJournal()
    process = begun(shape, journal)
    yes, no = process.fork(), process.fork()

    yes.respond(yes.pending[0].id, Approve())
    no.respond(no.pending[0].id, Deny("no"))
    go(no)
    after_no = effects["pay"]
    go(yes)

    assert (after_no, effects["pay"], effects["read"]) == (0, 1, 1)
    assert len(process.pending) == 1
    assert process.status is ProcessStatus.WAITING


@each_shape
def test_a_wrong_answer_repeats_neither_question_nor_effect(shape):
    """Case 078: three wrong answers, each in another program, and a right one."""
    journal = MemoryJournal()
    process = begun(shape, journal)
    for wrong in ({"decision": "perhaps"}, 7, {"decision": "edit", "arguments": {"bill": 3}}):
        process = restored(shape, process)
        with pytest.raises(ValueError, match="decision|answer|Bill|bill"):
            process.respond(process.pending[0].id, wrong)
        go(process)
    process.respond(process.pending[0].id, True)
    go(process)

    assert written(journal).count('"purpose":"approval"') == 1
    assert (effects["read"], effects["pay"]) == (1, 1)


@each_shape
def test_a_run_that_has_ended_is_not_run_again(shape):
    """Cases 066, 089: asked again, in two programs at that, it has what it had; nothing is asked or done."""
    journal = MemoryJournal()
    process = begun(shape, journal)
    process.respond(process.pending[0].id, Approve())
    go(process)
    done, kept = dict(effects), written(journal)

    statuses = [go(again) for again in (restored(shape, process), restored(shape, process))]

    assert statuses == [process.status] * 2
    assert (dict(effects), written(journal)) == (done, kept)


@each_shape
def test_a_cancelled_run_leaves_nothing_that_waits_and_no_answer_brings_it_back(shape):
    """Cases 113, 118, 172: all levels end CANCELLED."""
    journal = MemoryJournal()
    process = begun(shape, journal)
    (request,) = process.pending
    process.cancel("enough")
    go(process)
    again = restored(shape, process)

    with pytest.raises(LookupError):
        again.respond(request.id, Approve())
    go(again)

    assert again.pending == ()
    assert effects["pay"] == 0
    running = {run.agent: run.standing.status for run in journal.runs() if run.standing.status != "COMPLETED"}
    assert set(running.values()) == {"CANCELLED"}


@pytest.mark.parametrize(
    "answer", [Approve(), Edit(bill=Bill(payee="nobody")), Deny("no")], ids=["approve", "fails", "deny"]
)
@each_shape
def test_whatever_a_secret_is_part_of_it_is_nowhere_to_be_read(shape, answer):
    """Case 165: in no event, request, reason, failure or trace, also if an action fails with it in its words."""
    journal = MemoryJournal()
    process = begun(shape, journal)
    asked = process.pending
    process.respond(asked[0].id, answer)
    go(process)
    told = f"{asked} {process.reason} {process.failure!r} {trace_of(journal, process.id)}"

    assert KEY not in told
    assert KEY not in written(journal)


@each_shape
def test_a_pause_is_no_error_and_splits_no_trace(shape):
    """Cases 148, 149: one root, and every other span below a span that is there."""
    journal = MemoryJournal()
    process = begun(shape, journal)
    waiting = trace_of(journal, process.id)
    again = restored(shape, process)
    again.respond(again.pending[0].id, Approve())
    go(again)
    ended = trace_of(journal, process.id)

    spans = list(ended.spans())
    known = {span.id for span in spans}
    assert [span.name for span in waiting.spans() if span.is_error] == []
    assert (waiting.id, waiting.root.id) == (ended.id, ended.root.id)
    assert [span.parent_id for span in spans if span.parent_id not in known] == [None]


@each_shape
def test_a_listener_that_fails_starves_nobody_at_any_depth(shape, caplog):
    """Cases 152, 153: the others are told all that happens, in children too, and the fault is logged."""
    first: list[str] = []
    third: list[str] = []

    def deaf(event: object) -> None:
        raise RuntimeError("deaf")

    def note(heard: list[str]) -> Callable[[object], None]:
        return lambda event: heard.append(f"{event.process_id} {event.kind}")

    with caplog.at_level(logging.ERROR, logger="planboard"):
        begun(shape, MemoryJournal(), listeners=(note(first), deaf, note(third)))

    assert first == third
    assert any(told.endswith("request_made") for told in first)
    assert "deaf" in caplog.text


@each_shape
def test_a_budget_holds_for_the_tree_and_a_larger_one_ends_the_run_without_repeating(shape):
    """Cases 072, 155, 156, 158: wherever it stops, in another program."""
    whole = begun(shape, MemoryJournal())
    whole.respond(whole.pending[0].id, Approve())
    go(whole)
    needed = whole.usage.actions
    for limit in range(1, needed):
        effects.clear()
        journal = MemoryJournal()
        process = begun(shape, journal, budget=Budget(actions=limit))
        for request in process.pending:
            process.respond(request.id, Approve())
            go(process)
        assert process.usage.actions <= limit
        again = restored(shape, process, options=ProcessOptions(budget=Budget(actions=needed)))
        go(again)
        for request in again.pending:
            again.respond(request.id, Approve())
            go(again)
        assert (effects["read"], effects["pay"], again.usage.actions) == (1, 1, needed), f"stopped after {limit}"


@each_shape
def test_of_two_that_go_on_at_once_one_does_the_work(shape):
    """Case 116: the other has a typed conflict, or the same end."""
    journal = MemoryJournal()
    process = begun(shape, journal)
    process.respond(process.pending[0].id, Approve())
    twins = [restored(shape, process), restored(shape, process)]

    async def both() -> list[object]:
        return await asyncio.gather(*(twin.run() for twin in twins), return_exceptions=True)

    found = asyncio.run(both())

    assert (effects["read"], effects["pay"]) == (1, 1)
    assert {type(one).__name__ for one in found} <= {"ProcessStatus", "RunClaimedError"}


# Loops and joins


class Round(BaseModel):
    number: int


def test_a_loop_that_asks_in_each_round_asks_and_does_each_once():
    """Case 078: four rounds, each with an effect before its question, each in another program."""

    @action
    def prepare(task: str) -> Stamp:
        effects["prepare"] += 1
        return Stamp(text=task)

    def asking() -> Agent:
        question = human(Round, "Round?", needs=[Stamp])
        return office(loop(sequence(prepare, question, name="round"), until=fourth, max=9, name="rounds"))

    def fourth(round: Round) -> bool:
        return round.number == 4

    journal = MemoryJournal()
    process = asking().process("q", options=ProcessOptions(journal=journal))
    go(process)
    prompts = 0
    for number in (1, 2, 3, 4):
        process = Process.restore(asking(), journal, process.id)
        prompts += len(process.pending)
        process.respond(process.pending[0].id, Round(number=number))
        go(process)

    assert process.status is ProcessStatus.COMPLETED
    assert (prompts, effects["prepare"]) == (4, 4)


def test_a_join_that_takes_either_runs_once_and_cancels_neither():
    """Case 108: an any-of join over two branches, one of which is slower."""
    slow_may_end = asyncio.Event()

    class Quick(BaseModel):
        pass

    class Slow(BaseModel):
        pass

    @action
    async def quick(task: str) -> Quick:
        effects["quick"] += 1
        slow_may_end.set()
        return Quick()

    @action
    async def slow(task: str) -> Slow:
        await slow_may_end.wait()
        effects["slow"] += 1
        return Slow()

    @action
    def join(first: Quick | Slow) -> Stamp:
        effects["join"] += 1
        return Stamp(text=type(first).__name__)

    agent = Agent("joining", [quick, slow, join], planner="utility")
    process = agent.process("q", options=ProcessOptions(concurrency=2))
    go(process)

    assert dict(effects) == {"quick": 1, "slow": 1, "join": 1}


@pytest.mark.parametrize("stops", [(), (0,), (1, 2)], ids=["all at once", "one first", "two first"])
def test_joins_of_maps_that_wait_fire_once_with_all_results(stops):
    """Case 107: two by three payments that wait, some answered before the others."""

    @action
    def join(receipts: list[Receipt]) -> Stamp:
        effects["join"] += 1
        return Stamp(text=",".join(receipt.text.removeprefix("paid ") for receipt in receipts))

    @action
    def join_all(pairs: list[tuple[list[Receipt], Stamp]]) -> Round:
        effects["join_all"] += 1
        return Round(number=sum(len(receipts) for receipts, _ in pairs))

    def names(task: str) -> list[str]:
        return [f"{task}{number}" for number in range(3)]

    inner = sequence(map_each(names, desk(), name="names"), join, name="inner")
    step = sequence(map_each(["a", "b"], inner, name="outer"), join_all, name="all")
    process = office(step).process("q")
    go(process)
    requests = process.pending
    for place in (*stops, *(place for place in range(6) if place not in stops)):
        process.respond(requests[place].id, Approve())
        if place in stops:
            go(process)
            assert (process.status, effects["join_all"]) == (ProcessStatus.WAITING, 0)
    go(process)

    assert (effects["join"], effects["join_all"], effects["pay"]) == (2, 1, 6)
    assert Round(number=6) in [entry.value for entry in process.history[-1].outputs]


def test_what_a_person_confirms_is_gone_on_with_and_what_proposed_it_is_not_run_again():
    """A peer's `process/waits-on-confirm` and `hitl/confirm-then-resume`; cases 040, 077."""

    class Person(BaseModel):
        name: str

    class Frog(BaseModel):
        name: str

    @action
    def propose(task: str) -> Stamp:
        effects["propose"] += 1
        return Stamp(text=task)

    @achieves_goal("There is a frog")
    @action
    def to_frog(person: Person) -> Frog:
        effects["to_frog"] += 1
        return Frog(name=person.name)

    def princes() -> Agent:
        return Agent("princes", [propose, human(Person, "Is it {stamp.text}?", needs=[Stamp]), to_frog])

    journal = MemoryJournal()
    process = princes().process("Rod", options=ProcessOptions(journal=journal))
    first = go(process)
    again = Process.restore(princes(), journal, process.id)
    again.respond(again.pending[0].id, Person(name="Rodney"))
    kinds = [go(again), *Counter(event.kind for event in again.events).items()]

    assert (first, kinds[0]) == (ProcessStatus.WAITING, ProcessStatus.COMPLETED)
    assert {("process_created", 1), ("request_made", 1)} <= set(kinds[1:])
    assert (again.result(Frog).name, dict(effects)) == ("Rodney", {"propose": 1, "to_frog": 1})


# What workers make beside what they declare


class Beside(BaseModel):
    text: str


@achieves_goal("It is done")
@action
def work(task: str, context: ActionContext) -> Receipt:
    """Does it, and puts something on the board that nobody was told of."""
    context.add(Beside(text="undeclared"))
    return Receipt(text="done")


@pytest.mark.parametrize("shape", ["sequence", "parallel", "map_each", "flow", "crew", "host", "network"])
def test_what_a_worker_adds_undeclared_is_there_or_told_of_by_worker_and_type(shape, caplog):
    """Case 160: never lost without notice."""
    make = {
        "sequence": lambda: office(sequence(work, name="all")),
        "parallel": lambda: office(parallel(work, name="all")),
        "map_each": lambda: office(map_each(["Ada"], work, name="all")),
        "flow": lambda: Flow.sequence("flow", work),
        "crew": lambda: Crew("crew", [work], supervisor=lambda said: HandOff(to="work") if len(said) == 1 else "end"),
        "host": lambda: Host("host", [Specialist("desk", "Works.", work)], llm=ScriptedModel(rules=to_desk)),
        "network": lambda: Network("net", [work]),
    }[shape]  # fmt: skip
    with caplog.at_level(logging.WARNING, logger="planboard"):
        process = make().process("Ada")
        go(process)
    kept = process.board.all(Beside) or [event for event in process.events if "Beside" in json.dumps(str(event))]

    assert kept or ("Beside" in caplog.text and "work" in caplog.text)
