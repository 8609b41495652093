"""A plan tree hands the steps of a plan to workers as soon as what they depend on is there, and keeps what comes of it."""

from typing import Annotated

import anyio
import pytest
from pydantic import BaseModel

from planboard import (
    Agent,
    All,
    Assignment,
    DefinitionError,
    EntryTypeError,
    Named,
    PlanOutcome,
    PlanTree,
    ProcessFailedError,
    ProcessStatus,
    StepResult,
    TaskPlan,
    TaskStep,
    UnknownNameError,
    achieves_goal,
    action,
    subagent,
)


class Topic(BaseModel):
    text: str


class Finding(BaseModel):
    text: str


class Chart(BaseModel):
    of: str


class Report(BaseModel):
    lines: list[str]


def step(id: str, *needs: str, tags: tuple[str, ...] = (), steps: tuple[TaskStep, ...] = ()) -> TaskStep:
    return TaskStep(id=id, task=f"do {id}", needs=needs, tags=tags, steps=steps)


def plan(*steps: TaskStep) -> TaskPlan:
    return TaskPlan(goal="it is done", steps=steps)


def look_up(step: TaskStep) -> Finding:
    """Look something up."""
    return Finding(text=f"found {step.id}")


def known_to(assignment: Assignment) -> str:
    """Tell what one was given."""
    return ",".join(result.step for result in assignment.results)


def given(workers, **options) -> PlanTree:
    return PlanTree("tree", workers, planned_by=None, **options)


# Results


def test_each_result_is_on_the_board_under_the_id_of_its_step():
    process = given([look_up]).run(plan(step("tides"), step("moon")))

    assert process.board.get("tides", StepResult) == StepResult(
        step="tides", task="do tides", worker="look_up", value=Finding(text="found tides")
    )


@pytest.mark.parametrize("execution", ["dependencies", "sequential", "parallel"])
def test_results_are_written_in_the_order_of_the_plan_whatever_ends_first(execution):
    """The last step ends first: it waits for nothing, and each of the others for the next."""
    gates = {id: anyio.Event() for id in "abc"}

    async def work(step: TaskStep) -> str:
        if execution != "sequential" and step.id != "c":
            await gates[{"a": "b", "b": "c"}[step.id]].wait()
        gates[step.id].set()
        return step.id

    process = given([work], execution=execution).run(plan(step("a"), step("b"), step("c")))

    assert [entry.name for entry in process.board.entries if entry.name] == ["a", "b", "c"]


def test_the_outcome_has_all_results_and_gives_them_by_type():
    outcome = given([look_up]).run(plan(step("a"), step("b")), returning=PlanOutcome)

    assert outcome.value("b", Finding).text == "found b"
    assert outcome.undone == ()
    assert outcome.outline() == "it is done\n- [x] a: do a\n- [x] b: do b"


def test_a_result_that_is_not_there_or_of_another_type_is_told():
    outcome = given([look_up]).run(plan(step("tides")), returning=PlanOutcome)

    with pytest.raises(UnknownNameError, match="Did you mean 'tides'"):
        outcome.value("tide")
    with pytest.raises(EntryTypeError, match="'tides' is a Finding, and no Chart"):
        outcome.value("tides", Chart)


# What workers are given


def test_a_worker_is_given_the_results_that_its_step_needs_and_no_others():
    outcome = given([known_to]).run(plan(step("a"), step("b"), step("c", "b"), step("d", "c")), returning=PlanOutcome)

    assert [outcome.value(id) for id in "abcd"] == ["", "", "b", "c"]


def test_a_worker_may_be_given_all_that_its_step_depends_on():
    tree = given([known_to], sees="upstream")

    outcome = tree.run(plan(step("a"), step("b"), step("c", "b"), step("d", "c")), returning=PlanOutcome)

    assert outcome.value("d") == "b,c"


def test_a_parent_is_given_the_results_of_its_sub_steps():
    outcome = given([known_to]).run(
        plan(step("p", "x", steps=(step("b"), step("a"))), step("x")), returning=PlanOutcome
    )

    assert (outcome.value("p"), outcome.value("b")) == ("x,b,a", "x")


def test_a_function_is_given_the_task_as_text():
    def shout(task: str) -> str:
        return task.upper()

    assert given([shout]).run(plan(step("a")), returning=PlanOutcome).value("a") == "DO A"


def test_results_are_handed_on_by_type_and_by_name():
    def draw(findings: Annotated[list[Finding], All], tides: Annotated[Finding, Named("tides")]) -> Chart:
        return Chart(of=f"{len(findings)} findings, {tides.text}")

    tree = given([look_up, draw], default="look_up")

    outcome = tree.run(
        plan(step("moon"), step("tides"), step("chart", "tides", "moon", tags=("draw",))), returning=PlanOutcome
    )

    assert outcome.value("chart") == Chart(of="2 findings, found tides")


def test_a_list_is_handed_on_by_the_type_that_its_worker_declares():
    def find(step: TaskStep) -> list[Finding]:
        return []

    def count(findings: list[Finding], step: TaskStep) -> int:
        return len(findings)

    tree = given([find, count], default="find")

    assert tree.run(plan(step("a"), step("b", "a", tags=("count",))), returning=PlanOutcome).value("b") == 0


def test_what_the_tree_is_run_on_is_given_to_workers_that_ask_for_it():
    def about(topic: Topic) -> str:
        return topic.text

    outcome = given([about], needs=[Topic]).run(plan(step("a")), Topic(text="tides"), returning=PlanOutcome)

    assert outcome.value("a") == "tides"


def test_services_of_the_tree_are_those_of_its_workers():
    class Library:
        def find(self, text: str) -> str:
            return f"{text} in the library"

    def look(step: TaskStep, library: Library) -> str:
        return library.find(step.id)

    assert (
        given([look], services=[Library()]).run(plan(step("a")), returning=PlanOutcome).value("a") == "a in the library"
    )


def test_a_worker_that_asks_for_what_no_step_gives_it_is_refused_at_once():
    def about(topic: Topic) -> str:
        return topic.text

    with pytest.raises(DefinitionError, match="Worker 'about' of 'tree' needs Topic, which no step gives it"):
        given([about])


def test_agents_actions_and_steps_are_workers_too():
    @achieves_goal("found")
    @action
    def find(step: TaskStep) -> Finding:
        return Finding(text=step.id)

    @action
    def draw(finding: Finding) -> Chart:
        return Chart(of=finding.text)

    finder = Agent("finder", [find])
    tree = given({"agent": finder, "action": draw, "step": subagent(finder, returning=Finding)}, default="agent")

    outcome = tree.run(
        plan(step("a"), step("b", "a", tags=("action",)), step("c", tags=("step",))), returning=PlanOutcome
    )

    assert [outcome.value(id) for id in "abc"] == [Finding(text="a"), Chart(of="a"), Finding(text="c")]


def test_two_steps_for_a_worker_that_looks_at_neither_are_two_pieces_of_work():
    seen: list[str] = []

    @action
    def look(topic: Topic) -> str:
        seen.append(topic.text)
        return topic.text

    given([look], needs=[Topic]).run(plan(step("a"), step("b")), Topic(text="x"))

    assert seen == ["x", "x"]


# Who does what


@pytest.mark.parametrize(
    ("route", "default", "expected"),
    [
        (None, "look_up", ["known_to", "look_up"]),
        ({"ask": "known_to"}, "look_up", ["look_up", "look_up"]),
        ({"known_to": "look_up"}, "known_to", ["look_up", "known_to"]),
        (lambda step: "known_to" if step.tags else None, "look_up", ["known_to", "look_up"]),
        (lambda step: "known_to", None, ["known_to", "known_to"]),
    ],
    ids=["by tag", "other tag", "mapping", "function", "always"],
)
def test_a_rule_decides_who_does_a_step(route, default, expected):
    tree = given([look_up, known_to], route=route, default=default)

    process = tree.run(plan(step("a", tags=("known_to",)), step("b")))

    assert [process.board.get(id, StepResult).worker for id in "ab"] == expected


@pytest.mark.parametrize("options", [{"default": "lookup"}, {"route": {"code": "lookup"}}], ids=["default", "route"])
def test_a_worker_that_there_is_none_of_is_refused_at_once(options):
    with pytest.raises(UnknownNameError, match="No worker named 'lookup'. Did you mean 'look_up'"):
        given([look_up, known_to], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "no worker is known for step 'b', which has no tags; the tags that name one are 'look_up', 'known_to'"),
        (
            {"route": lambda step: "lookup"},
            "step 'b' is to be done by 'lookup', which is no worker. Did you mean 'look_up'",
        ),
        ({"route": lambda step: 1 / 0}, "the rule that finds the worker of step 'b' raised ZeroDivisionError"),
        ({"route": lambda step: 7}, "step 'b' is to be done by 7, which is no worker"),
        ({"route": lambda step: None}, "the rule names none, and there is no default"),
    ],
    ids=["tags", "unknown", "raises", "nonsense", "nobody"],
)
def test_a_step_that_nobody_does_fails_the_run_and_nothing_is_begun(options, message):
    seen: list[str] = []

    def look_up(step: TaskStep) -> str:
        seen.append(step.id)
        return step.id

    with pytest.raises(ProcessFailedError) as error:
        given([look_up, known_to], max_replans=0, **options).run(
            plan(step("a", tags=("look_up",)), step("b")), returning=PlanOutcome
        )

    assert message in str(error.value)
    assert seen == []


# When a step begins


async def _spans(tree_options, *steps) -> list[str]:
    log: list[str] = []

    async def work(step: TaskStep) -> str:
        log.append(f"+{step.id}")
        await anyio.lowlevel.checkpoint()
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        log.append(f"-{step.id}")
        return step.id

    await given([work], **tree_options).arun(plan(*steps))
    return log


def test_a_step_begins_as_soon_as_what_it_needs_is_there_and_not_in_waves():
    """`b` needs only the quick step, and is there before the slow one that was begun with it has ended."""
    slow = anyio.Event()
    ended: list[str] = []

    async def work(step: TaskStep) -> str:
        if step.id == "slow":
            await slow.wait()
        if step.id == "b":
            slow.set()
        ended.append(step.id)
        return step.id

    given([work]).run(plan(step("slow"), step("quick"), step("b", "quick")))

    assert ended == ["quick", "b", "slow"]


def test_no_more_steps_run_at_once_than_is_said():
    log = anyio.run(_spans, {"concurrency": 2}, *(step(id) for id in "abcde"))

    running = peak = 0
    for event in log:
        running += 1 if event[0] == "+" else -1
        peak = max(peak, running)
    assert peak == 2


def test_steps_are_done_one_by_one_in_the_order_of_the_plan():
    log = anyio.run(_spans, {"execution": "sequential"}, step("c", "b"), step("a"), step("b"))

    assert log == ["+a", "-a", "+b", "-b", "+c", "-c"]


def test_in_parallel_all_steps_begin_at_once_and_none_is_given_results():
    """What is needed is not there yet, so nothing is handed on rather than something stale."""
    here = {id: anyio.Event() for id in "ab"}

    async def work(assignment: Assignment) -> int:
        here[assignment.step.id].set()
        for event in here.values():
            await event.wait()
        return len(assignment.results)

    outcome = given([work], execution="parallel").run(plan(step("a"), step("b", "a")), returning=PlanOutcome)

    assert [outcome.value(id) for id in "ab"] == [0, 0]


# The report


def test_a_report_is_made_of_all_results_in_the_order_of_the_plan():
    def write(outcome: PlanOutcome) -> Report:
        return Report(lines=[result.text for result in outcome.results])

    report = given([known_to], report=write).run(plan(step("b", "a"), step("a")), returning=Report)

    assert report == Report(lines=["", "a"])


def test_a_report_may_take_results_by_their_type_and_what_the_tree_was_run_on():
    def write(findings: Annotated[list[Finding], All], topic: Topic) -> str:
        return f"{topic.text}: {', '.join(finding.text for finding in findings)}"

    tree = given([look_up], report=write, needs=[Topic])

    assert tree.run(plan(step("a"), step("b")), Topic(text="x"), returning=str) == "x: found a, found b"


def test_a_text_that_was_given_is_no_report():
    def write(outcome: PlanOutcome) -> str:
        return "the report"

    assert (
        given([look_up], report=write, needs=[str]).run("the question", plan(step("a")), returning=str) == "the report"
    )


def test_a_report_that_fails_fails_the_run_and_leaves_the_results():
    def write(outcome: PlanOutcome) -> Report:
        raise ValueError("no ink")

    process = given([look_up], report=write).process(plan(step("a")))
    anyio.run(process.run)

    assert process.status is ProcessStatus.FAILED
    assert "There is no report from 'write'" in process.reason
    assert process.board.get("a", StepResult).ok


# What a tree is


@pytest.mark.parametrize("planner", ["goap", "utility", "hybrid"])
def test_any_planner_runs_a_tree(planner):
    assert given([look_up]).run(plan(step("a")), returning=PlanOutcome, planner=planner).undone == ()


def test_a_tree_is_a_worker_of_another_tree():
    def inner_plan(step: TaskStep) -> TaskPlan:
        return TaskPlan(
            goal=step.task, steps=[TaskStep(id="x", task=f"{step.id} x"), TaskStep(id="y", task="y", needs=["x"])]
        )

    inner = PlanTree("inner", [look_up], planned_by=inner_plan)
    outcome = given([inner]).run(plan(step("a"), step("b", "a")), returning=PlanOutcome)

    assert outcome.value("b", PlanOutcome).value("y", Finding).text == "found y"


def test_nothing_about_a_tree_is_suspicious():
    def write(outcome: PlanOutcome) -> Report:
        return Report(lines=[])

    assert PlanTree("tree", [look_up], report=write).check() == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: given([]), "'tree' is made of nothing"),
        (lambda: given([7]), "7 is nothing that can be run here"),
        (lambda: given([lambda: None]), ""),
        (lambda: given([look_up], execution="parrallel"), "Did you mean 'parallel'"),
        (lambda: given([look_up], sees="all"), "there is no such way"),
        (lambda: given([look_up], on_error="collct"), "Did you mean 'collect'"),
        (lambda: given([look_up], concurrency=0), "a whole number of at least 1"),
        (lambda: given([look_up], max_replans=-1), "a whole number of at least 0"),
        (lambda: given([look_up], max_replans=True), "a whole number of at least 0"),
        (lambda: PlanTree("tree", [look_up], planned_by="modle"), "who plans is 'modle'"),
        (lambda: PlanTree("tree", [look_up], planned_by=look_up), "'look_up' yields Finding, and no TaskPlan"),
        (lambda: PlanTree("tree", [look_up], planned_by=plan(step("a"))), "give the plan as an input"),
        (lambda: given([look_up], review=look_up), "a review yields a Verdict or a bool"),
        (lambda: given([look_up], report=look_up, returning=Chart), "'look_up' yields Finding, and no Chart"),
        (lambda: given([look_up], returning="Chart"), "is no type"),
    ],
    ids=[
        "none", "no worker", "lambda", "execution", "sees", "on_error", "concurrency", "max_replans", "bool", "planner",
        "no plan", "a plan", "review", "report", "returning",
    ],
)  # fmt: skip
def test_a_tree_that_cannot_work_is_refused(make, message):
    with pytest.raises(DefinitionError) as error:
        make()

    assert message in str(error.value)


def test_a_worker_that_yields_nothing_is_refused():
    def work(step: TaskStep) -> None: ...

    with pytest.raises(DefinitionError, match="Worker 'work' of 'tree' yields nothing"):
        given([work])


def test_two_workers_of_one_name_are_refused():
    @achieves_goal("found")
    @action
    def find(step: TaskStep) -> Finding:
        return Finding(text=step.id)

    with pytest.raises(DefinitionError, match="Two workers of 'tree' are named 'same'"):
        given([Agent("same", [find]), Agent("same", [find])])
