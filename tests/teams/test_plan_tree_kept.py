"""A plan that is carried out outlives its program: what is finished is found again, and what waits waits on."""

import asyncio
import json
import random
from collections import Counter
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from planboard import (
    Ai,
    Assignment,
    Budget,
    Deny,
    MemoryJournal,
    PlanOutcome,
    PlanSetback,
    PlanTree,
    Process,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    SqliteJournal,
    StepResult,
    TaskPlan,
    TaskStep,
    action,
    human,
)


class Note(BaseModel):
    text: str


class Word(BaseModel):
    text: str


did: Counter[str] = Counter()


@pytest.fixture(autouse=True)
def _fresh():
    did.clear()


def step(
    id: str, *needs: str, task: str = "", tags: tuple[str, ...] = (), steps: tuple[TaskStep, ...] = ()
) -> TaskStep:
    return TaskStep(id=id, task=task or f"do {id}", needs=needs, tags=tags, steps=steps)


def plan(*steps: TaskStep) -> TaskPlan:
    return TaskPlan(goal="it is done", steps=steps)


async def write(assignment: Assignment) -> Note:
    """Write a note on what is known."""
    did[assignment.step.id] += 1
    if "fail" in assignment.task:
        raise ValueError("cannot")
    return Note(text=f"{assignment.step.id}({','.join(result.value.text for result in assignment.results)})")


@action(approval=True)
def pay(step: TaskStep) -> Note:
    """Pay for something."""
    did[step.id] += 1
    return Note(text=f"paid {step.id}")


ask = human(Word, prompt="What about {task_step.task}?", needs=[TaskStep], name="ask")


def made(**options) -> PlanTree:
    return PlanTree("tree", [write, pay, ask], **{"planned_by": None, "default": "write", **options})


def go(process: Process) -> ProcessStatus:
    return asyncio.run(process.run())


def answer(process: Process, id: str, given: object = True) -> None:
    """Answer what is asked about a step."""
    for request in process.pending:
        if (request.arguments or {}).get("step", {}).get("id") == id or f"do {id}?" in request.prompt:
            process.respond(request.id, given)


def asked(process: Process) -> list[str]:
    found = [(request.arguments or {}).get("step", {}).get("id") or request.prompt for request in process.pending]
    return sorted(found)


THREE = (step("a", tags=("pay",)), step("b", tags=("pay",)), step("c", tags=("pay",)), step("sum", "a", "b", "c"))


# Waiting


def test_an_answer_for_one_step_leaves_the_others_pending():
    """Case 103."""
    process = made().process(plan(*THREE))
    go(process)

    answer(process, "b")
    go(process)

    assert (asked(process), dict(did)) == (["a", "c"], {"b": 1})


def test_steps_that_wait_keep_their_own_questions():
    """Case 104: each question stays, with its own words; answered together, all of them go on."""
    process = made().process(plan(*(step(id, tags=("ask",)) for id in "abc")))
    go(process)
    before = asked(process)
    answer(process, "a", Word(text="A"))
    go(process)
    after = asked(process)
    for id in "bc":
        answer(process, id, Word(text=id.upper()))
    go(process)

    assert before == ["What about do a?", "What about do b?", "What about do c?"]
    assert after == before[1:]
    assert [process.result(PlanOutcome).value(id, Word).text for id in "abc"] == ["A", "B", "C"]


def test_a_plan_waits_until_all_its_steps_are_done_and_what_follows_them_is_done_once():
    """Case 106."""
    process = made().process(plan(*THREE))

    statuses = [go(process)]
    for id in "abc":
        answer(process, id)
        statuses.append(go(process))

    assert [str(status) for status in statuses] == ["WAITING", "WAITING", "WAITING", "COMPLETED"]
    assert did == {"a": 1, "b": 1, "c": 1, "sum": 1}


def test_what_does_not_wait_is_done_meanwhile():
    process = made().process(plan(step("a", tags=("pay",)), step("b"), step("c", "b"), step("d", "a")))

    go(process)

    assert did == {"b": 1, "c": 1}


def test_one_by_one_nothing_is_begun_while_a_step_waits():
    process = made(execution="sequential").process(plan(step("a", tags=("pay",)), step("b")))

    go(process)

    assert did == {}


def test_a_step_that_waits_makes_room_for_others():
    process = made(concurrency=1).process(plan(step("a", tags=("pay",)), step("b"), step("c")))

    go(process)

    assert did == {"b": 1, "c": 1}


@pytest.mark.parametrize("on_error", ["stop", "collect"])
def test_a_failure_leaves_what_others_have_been_asked_and_their_answers_count(on_error):
    """Case 095."""
    process = made(on_error=on_error).process(plan(step("a", tags=("pay",)), step("b", task="fail")))
    waits, pending = go(process), asked(process)
    answer(process, "a")
    go(process)

    assert (waits, pending) == (ProcessStatus.WAITING, ["a"])
    assert (did, process.status) == ({"a": 1, "b": 1}, ProcessStatus.FAILED)
    assert process.board.get("a", StepResult).value == Note(text="paid a")


@pytest.mark.parametrize("kept", [False, True], ids=["here", "elsewhere"])
def test_a_question_that_was_asked_late_is_not_forgotten_after_a_failure(tmp_path, kept):
    """Case 095: `late` was begun before the failure was known, and nothing is begun after it."""
    later = asyncio.Event()

    async def work(step: TaskStep) -> str:
        did[step.id] += 1
        if step.id == "bad":
            await later.wait()
            raise ValueError("cannot")
        return step.id

    @action(approval=True)
    def consent(step: TaskStep) -> str:
        """Ask first."""
        did[step.id] += 1
        return step.id

    def release(event: object) -> None:
        if getattr(event, "kind", "") == "request_made":
            later.set()

    tree = PlanTree("tree", [work, consent], planned_by=None, default="work")
    first = plan(step("bad"), step("first"), step("late", "first", tags=("consent",)), step("never", "late"))
    options = ProcessOptions(journal=SqliteJournal(tmp_path / "runs.db") if kept else None, listeners=(release,))
    process = tree.process(first, options=options, id="run")
    waits = go(process)

    if kept:
        process = Process.restore(tree, SqliteJournal(tmp_path / "runs.db"), "run")
    answer(process, "late")
    go(process)

    assert (waits, process.status) == (ProcessStatus.WAITING, ProcessStatus.FAILED)
    assert did == {"bad": 1, "first": 1, "late": 1}
    assert process.board.get("late", StepResult).ok


def test_what_was_done_beside_a_question_is_kept_when_the_answer_is_a_refusal():
    """With room for one step, the one that waited is first again: its failure must not hide what is finished."""

    def replan(setback: PlanSetback) -> TaskPlan:
        return setback.plan.replace("a", tags=[])

    process = made(replanned_by=replan, concurrency=1).process(
        plan(step("a", tags=("pay",)), step("b"), step("c", "b")), options=ProcessOptions(journal=MemoryJournal())
    )
    go(process)
    answer(process, "a", Deny("no"))
    go(process)

    assert process.status is ProcessStatus.COMPLETED
    assert did == {"a": 1, "b": 1, "c": 1}


# Another program


def elsewhere(folder, **options) -> Process:
    """Take the run up as another program does: with the same definition, and a journal object of its own."""
    return Process.restore(made(**options), SqliteJournal(folder / "runs.db"), "run")


def test_a_run_is_taken_up_by_another_program_and_nothing_is_done_twice(tmp_path):
    journal = SqliteJournal(tmp_path / "runs.db")
    first = plan(step("x"), *THREE, step("end", "sum", "x"))
    go(made().process(first, options=ProcessOptions(journal=journal), id="run"))

    for id in "cab":
        process = elsewhere(tmp_path)
        answer(process, id)
        go(process)

    assert process.result(PlanOutcome).value("end", Note).text == "end(x(),sum(paid a,paid b,paid c))"
    assert did == {"x": 1, "a": 1, "b": 1, "c": 1, "sum": 1, "end": 1}


def test_results_come_back_as_what_they_were(tmp_path):
    journal = SqliteJournal(tmp_path / "runs.db")
    go(made().process(plan(step("a"), step("b", "a")), options=ProcessOptions(journal=journal), id="run"))

    process = elsewhere(tmp_path)

    assert process.result(PlanOutcome).value("b", Note) == Note(text="b(a())")
    assert process.board.get("a", StepResult).value == Note(text="a()")


def test_children_go_by_the_same_ids_whichever_program_runs_them(tmp_path):
    journal = SqliteJournal(tmp_path / "runs.db")
    go(made().process(plan(*THREE), options=ProcessOptions(journal=journal), id="run"))
    before = {run.id for run in journal.runs(parent_id="run")}

    for id in "cba":
        process = elsewhere(tmp_path)
        answer(process, id)
        go(process)

    after = {run.id for run in journal.runs(parent_id="run")}
    assert before == {"run.1", "run.1-2", "run.1-3"}
    assert after == before | {"run.1-4"}


def test_what_was_finished_before_a_setback_is_kept_in_another_program_too(tmp_path):
    def replan(setback: PlanSetback) -> TaskPlan:
        return setback.plan.replace("b", task="do b", tags=["pay"])

    journal = SqliteJournal(tmp_path / "runs.db")
    first = plan(step("a"), step("b", "a", task="fail"), step("c", "a", "b"))
    options = {"replanned_by": replan}
    go(made(**options).process(first, options=ProcessOptions(journal=journal), id="run"))

    process = elsewhere(tmp_path, **options)
    answer(process, "b")
    go(process)

    assert process.result(PlanOutcome).value("c", Note).text == "c(a(),paid b)"
    assert did == {"a": 1, "b": 2, "c": 1}


def test_a_plan_that_a_model_has_made_is_not_asked_for_again(tmp_path):
    journal = SqliteJournal(tmp_path / "runs.db")
    model = ScriptedModel(plan(step("a", tags=("pay",))))
    options = {"planned_by": "model", "services": [Ai(model)]}
    go(made(**options).process("x", options=ProcessOptions(journal=journal), id="run"))

    process = elsewhere(tmp_path, **options)
    answer(process, "a")
    go(process)

    assert (process.status, len(model.requests)) == (ProcessStatus.COMPLETED, 1)


def test_a_tree_within_a_tree_is_taken_up_too(tmp_path):
    def one(step: TaskStep) -> TaskPlan:
        return plan(TaskStep(id=f"{step.id}_x", task="x"))

    inner = PlanTree("inner", [pay], planned_by=one)
    outer = PlanTree("outer", [inner], planned_by=None)
    journal = SqliteJournal(tmp_path / "runs.db")
    go(outer.process(plan(step("a"), step("b", "a")), options=ProcessOptions(journal=journal), id="run"))

    for id in ("a_x", "b_x"):
        process = Process.restore(outer, SqliteJournal(tmp_path / "runs.db"), "run")
        answer(process, id)
        go(process)

    assert process.status is ProcessStatus.COMPLETED
    assert did == {"a_x": 1, "b_x": 1}


# Limits and the end


def test_a_run_that_a_budget_has_stopped_goes_on_with_a_larger_one_and_repeats_nothing():
    made_plan = plan(*(step(f"s{number}") for number in range(5)))
    options = ProcessOptions(budget=Budget(actions=3))
    process = made(execution="sequential").process(made_plan, options=options)
    stopped, before = go(process), sum(did.values())

    asyncio.run(process.run(budget=Budget(actions=50)))

    assert (stopped, before) == (ProcessStatus.TERMINATED, 2)
    assert process.status is ProcessStatus.COMPLETED
    assert did == dict.fromkeys(made_plan.ids, 1)


def test_a_run_that_is_cancelled_leaves_nothing_behind():
    process = made().process(plan(*THREE))
    go(process)

    process.cancel("enough")

    assert (process.status, process.pending) == (ProcessStatus.CANCELLED, ())


def test_a_run_that_is_cancelled_while_steps_run_begins_no_other():
    async def scenario() -> tuple[ProcessStatus, list[str]]:
        begun: list[str] = []
        here = asyncio.Event()

        async def hang(step: TaskStep) -> str:
            begun.append(step.id)
            here.set()
            await asyncio.Event().wait()
            return step.id

        process = PlanTree("tree", [hang], planned_by=None, concurrency=1).process(plan(step("a"), step("b")))
        running = asyncio.create_task(process.run())
        await here.wait()
        process.cancel("enough")
        await running
        return process.status, begun

    assert asyncio.run(scenario()) == (ProcessStatus.CANCELLED, ["a"])


def test_a_denied_step_is_a_failure_also_in_another_program(tmp_path):
    journal = SqliteJournal(tmp_path / "runs.db")
    go(made().process(plan(step("a", tags=("pay",)), step("b")), options=ProcessOptions(journal=journal), id="run"))

    process = elsewhere(tmp_path)
    answer(process, "a", Deny("no money"))

    assert go(process) is ProcessStatus.FAILED
    assert "'pay' was not agreed to: no money" in process.reason
    assert process.board.get("b", StepResult).ok


# For any plan


@st.composite
def runs(draw: st.DrawFn) -> tuple[TaskPlan, dict[str, object]]:
    ids = [f"s{number}" for number in range(draw(st.integers(1, 7)))]
    steps = []
    for number, id in enumerate(ids):
        needs = draw(st.lists(st.sampled_from(ids[:number]), max_size=3, unique=True)) if number else []
        tags = draw(st.sampled_from([(), (), ("pay",)]))
        steps.append(step(id, *needs, tags=tags))
    options = {
        "execution": draw(st.sampled_from(["dependencies", "sequential"])),
        "concurrency": draw(st.sampled_from([None, 1, 2])),
        "sees": draw(st.sampled_from(["needed", "upstream"])),
    }
    return plan(*draw(st.permutations(steps))), options


def expected(made_plan: TaskPlan, sees: str) -> dict[str, str]:
    """Do one step after the other, as the plan says."""
    found: dict[str, str] = {}
    depends = made_plan.dependencies()
    for id in made_plan.order:
        before = depends.upstream(id) if sees == "upstream" else [o for o in depends.order if o in depends.before[id]]
        paid = "pay" in made_plan.step(id).tags
        found[id] = f"paid {id}" if paid else f"{id}({','.join(found[other] for other in before)})"
    return found


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs(), st.integers(0, 1000))
def test_however_often_a_run_is_stopped_and_taken_up_each_step_is_done_once_with_what_it_needs(run, seed):
    did.clear()
    made_plan, options = run
    chance, journal = random.Random(seed), MemoryJournal()
    go(made(**options).process(made_plan, options=ProcessOptions(journal=journal), id="run"))

    for _ in count():
        process = Process.restore(made(**options), journal, "run")
        if process.status.is_final:
            break
        for request in chance.sample(process.pending, chance.randint(1, len(process.pending))):
            process.respond(request.id, True)
        go(process)

    outcome = process.result(PlanOutcome)
    assert {result.step: result.value.text for result in outcome.results} == expected(made_plan, options["sees"])
    assert did == dict.fromkeys(made_plan.ids, 1)
    assert [entry.name for entry in process.board.entries if entry.name] == list(made_plan.order)


def test_two_runs_leave_the_same_board():
    def board() -> object:
        process = made().process(plan(step("a"), step("b", "a"), step("c")), id="run")
        go(process)
        return json.loads(process.board.to_json(types=[Note]))

    assert board() == board()


def test_workers_that_take_only_a_text_are_kept_too():
    def say(task: str) -> str:
        return task.upper()

    journal = MemoryJournal()
    tree = PlanTree("shouting", [say], planned_by=None, default="say")
    process = tree.process(plan(step("a"), step("b", "a")), options=ProcessOptions(journal=journal))

    asyncio.run(process.run())

    assert Process.restore(tree, journal, process.id).board["b"].value == "DO B"
