"""A step that fails, or that a review objects to, has the plan made anew; what is finished is kept and not done again."""

import asyncio
from collections import Counter

import pytest

from planboard import (
    Ai,
    Assignment,
    Deny,
    PlanOutcome,
    PlanSetback,
    PlanTree,
    ProcessFailedError,
    ProcessStatus,
    ScriptedModel,
    StepResult,
    TaskPlan,
    TaskStep,
    Verdict,
    action,
)


def step(id: str, *needs: str, task: str = "", tags: tuple[str, ...] = ()) -> TaskStep:
    return TaskStep(id=id, task=task or f"do {id}", needs=needs, tags=tags)


def plan(*steps: TaskStep) -> TaskPlan:
    return TaskPlan(goal="it is done", steps=steps)


class Work:
    """Does steps, but for those whose task says that it fails, and counts."""

    def __init__(self) -> None:
        self.did: Counter[str] = Counter()

    def worker(self):
        def work(assignment: Assignment) -> str:
            self.did[assignment.step.id] += 1
            if "fail" in assignment.task:
                raise ValueError(f"cannot {assignment.task}")
            return f"{assignment.step.id}({', '.join(result.text for result in assignment.results)})"

        return work


@pytest.fixture
def work():
    return Work()


def replacing(**changes):
    """Plan anew with other tasks for steps that failed, and remember what one was told."""
    told: list[PlanSetback] = []

    def replan(setback: PlanSetback) -> TaskPlan:
        told.append(setback)
        made = setback.plan
        for failure in setback.failures:
            made = made.replace(failure.step, **changes.get(failure.step, {}))
        return made

    replan.told = told
    return replan


def tree(work, replan=None, **options) -> PlanTree:
    return PlanTree("tree", [work.worker()], planned_by=None, replanned_by=replan, **options)


def ended(made: PlanTree, *inputs):
    process = made.process(*inputs)
    asyncio.run(process.run())
    return process


# Planning anew


def test_after_a_setback_the_plan_is_made_anew_and_what_is_finished_is_not_done_again(work):
    replan = replacing(b={"task": "do b otherwise"})

    outcome = tree(work, replan).run(
        plan(step("a"), step("b", "a", task="fail"), step("c", "b")), returning=PlanOutcome
    )

    assert outcome.value("c") == "c(b(a()))"
    assert work.did == {"a": 1, "b": 2, "c": 1}


def test_the_planner_is_told_the_plan_what_is_known_what_failed_and_why(work):
    replan = replacing(b={"task": "b"})
    first = plan(step("a"), step("b", "a", task="fail"), step("c", "b"))

    tree(work, replan).run(first)

    (setback,) = replan.told
    assert (setback.plan, setback.replans, setback.undone) == (first, 0, ("b", "c"))
    assert [result.text for result in setback.results] == ["a()"]
    assert "Step 'b' (worker 'work'): " in setback.reason
    assert "ValueError: cannot fail" in setback.reason


def test_a_step_that_is_left_as_it_is_is_tried_again():
    tries: list[str] = []

    def flaky(step: TaskStep) -> str:
        tries.append(step.id)
        if len(tries) == 1:
            raise ConnectionError("busy")
        return "done"

    made = PlanTree("tree", [flaky], planned_by=None, replanned_by=the_same_again)

    assert made.run(plan(step("a")), returning=PlanOutcome).value("a") == "done"


def the_same_again(setback: PlanSetback) -> TaskPlan:
    return setback.plan


def test_what_a_new_plan_leaves_out_but_is_finished_stays_in_it(work):
    def replan(setback: PlanSetback) -> TaskPlan:
        return plan(step("z"))

    outcome = tree(work, replan).run(
        plan(step("a"), step("b", "a"), step("c", "b", task="fail")), returning=PlanOutcome
    )

    assert outcome.plan.order == ("a", "b", "z")
    assert work.did == {"a": 1, "b": 1, "c": 1, "z": 1}


def test_a_finished_step_may_not_become_another_one(work):
    def replan(setback: PlanSetback) -> TaskPlan:
        return setback.plan.replace("a", task="something else").without("b")

    process = ended(tree(work, replan), plan(step("a"), step("b", "a", task="fail")))

    assert process.status is ProcessStatus.FAILED
    assert "step 'a' is finished, and its task cannot change" in process.reason


def test_results_of_an_earlier_setback_are_on_the_board_and_those_of_now_are_newer(work):
    process = tree(work, replacing(b={"task": "b"})).run(plan(step("a"), step("b", task="fail")))

    results = [(entry.name, entry.value.ok) for entry in process.board.entries if isinstance(entry.value, StepResult)]
    assert results == [("a", True), ("b", False), ("b", True)]


# The end


def test_a_plan_that_fails_too_often_fails_the_run_naming_step_and_cause(work):
    process = ended(tree(work, replacing(), max_replans=2), plan(step("a"), step("b", "a", task="fail")))

    assert process.status is ProcessStatus.FAILED
    assert "Step 'b' (worker 'work')" in process.reason
    assert "ValueError: cannot fail" in process.reason
    assert "The plan was made anew 2 times, which is the limit." in process.reason
    assert work.did == {"a": 1, "b": 3}


def test_the_results_of_a_run_that_failed_are_on_the_board(work):
    process = ended(tree(work, max_replans=0), plan(step("a"), step("b", task="fail")))

    assert process.board.get("a", StepResult).value == "a()"
    assert process.board.get("b", StepResult).error is not None


def test_without_anybody_who_plans_anew_the_first_setback_is_the_end(work):
    with pytest.raises(ProcessFailedError, match=r"Nobody makes a new plan: pass `replanned_by=`\."):
        tree(work).run(plan(step("b", task="fail")), returning=PlanOutcome)


def test_a_planner_that_fails_fails_the_run(work):
    def replan(setback: PlanSetback) -> TaskPlan:
        raise RuntimeError("no idea")

    process = ended(tree(work, replan), plan(step("b", task="fail")))

    assert process.status is ProcessStatus.FAILED
    assert "no idea" in process.reason


def test_a_partial_outcome_is_reported_where_that_is_allowed(work):
    def write(outcome: PlanOutcome) -> str:
        return f"{len(outcome.results)} done, {len(outcome.failures)} failed, {len(outcome.undone)} undone"

    made = tree(work, partial=True, report=write, max_replans=0)

    assert (
        made.run(plan(step("a"), step("b", task="fail"), step("c", "b")), returning=str) == "1 done, 1 failed, 2 undone"
    )


def test_a_partial_outcome_comes_after_the_last_new_plan_only(work):
    made = tree(work, replacing(), partial=True, max_replans=1)

    outcome = made.run(plan(step("b", task="fail")), returning=PlanOutcome)

    assert work.did["b"] == 2
    assert outcome.outline() == "it is done\n- [!] b: fail"


# Other steps


def test_when_a_step_fails_no_other_is_begun(work):
    ended(tree(work, execution="sequential"), plan(step("a", task="fail"), step("b")))

    assert work.did == {"a": 1}


def test_what_does_not_depend_on_a_failed_step_is_done_first_where_that_is_wanted(work):
    process = ended(
        tree(work, execution="sequential", on_error="collect"),
        plan(step("a", task="fail"), step("b"), step("c", "a")),
    )

    assert work.did == {"a": 1, "b": 1}
    assert [failure.step for failure in process.board.last(PlanSetback).failures] == ["a"]


def test_all_failures_are_told_at_once_where_all_is_done_first(work):
    replan = replacing(a={"task": "a"}, b={"task": "b"})

    tree(work, replan, on_error="collect").run(plan(step("a", task="fail 1"), step("b", task="fail 2")))

    assert [failure.step for failure in replan.told[0].failures] == ["a", "b"]


def test_a_step_that_nobody_does_is_a_setback_too(work):
    def other(step: TaskStep) -> str:
        return "other"

    made = PlanTree("tree", [work.worker(), other], planned_by=None, replanned_by=replacing(b={"tags": ["other"]}))

    outcome = made.run(plan(step("a", tags=("work",)), step("b")), returning=PlanOutcome)

    assert outcome.value("b") == "other"


def test_a_worker_that_returns_nothing_has_failed():
    def work(step: TaskStep) -> str | None:
        return None

    with pytest.raises(ProcessFailedError, match="it returned nothing"):
        PlanTree("tree", [work], planned_by=None).run(plan(step("a")), returning=PlanOutcome)


def test_a_worker_that_was_not_agreed_to_is_a_setback_with_the_reason():
    @action(approval=True)
    def pay(step: TaskStep) -> str:
        return "paid"

    replan = replacing(a={"tags": ["beg"]})

    def beg(step: TaskStep) -> str:
        return "begged"

    process = PlanTree("tree", [pay, beg], planned_by=None, replanned_by=replan, default="pay").process(plan(step("a")))
    asyncio.run(process.run())
    process.respond(process.pending[0].id, Deny("too much"))
    asyncio.run(process.run())

    assert process.result(PlanOutcome).value("a") == "begged"
    assert replan.told[0].failures[0].error == "'pay' was not agreed to: too much"


# Reviews


def test_a_result_that_a_review_objects_to_is_a_setback(work):
    def review(result: StepResult) -> Verdict:
        return Verdict(satisfied="otherwise" in result.task, reason="too short")

    replan = replacing(a={"task": "do a otherwise"})

    outcome = tree(work, replan, review=review).run(plan(step("a")), returning=PlanOutcome)

    assert outcome.value("a") == "a()"
    failure = replan.told[0].failures[0]
    assert (failure.value, failure.error) == ("a()", "too short")


def test_a_review_may_say_yes_or_no_and_look_at_the_task_and_the_value():
    def work(step: TaskStep) -> int:
        return len(step.task)

    def review(step: TaskStep, value: int) -> bool:
        return value > 3

    with pytest.raises(ProcessFailedError, match="the review is not satisfied"):
        PlanTree("tree", [work], planned_by=None, review=review).run(plan(step("a", task="abc")), returning=PlanOutcome)


def test_a_model_may_judge_results_by_a_question(work):
    model = ScriptedModel(Verdict(satisfied=False, reason="no source"), Verdict(satisfied=True))

    made = tree(work, replacing(a={"task": "a"}), review="Does it name a source?", services=[Ai(model)])

    assert made.run(plan(step("a")), returning=PlanOutcome).undone == ()
    assert "Does it name a source?" in model.requests[0]["messages"][-1]["content"]


def test_a_review_that_fails_is_a_failure_of_the_step(work):
    def review(result: StepResult) -> bool:
        raise RuntimeError("no judge")

    with pytest.raises(ProcessFailedError, match="the review failed: .*no judge"):
        tree(work, review=review).run(plan(step("a")), returning=PlanOutcome)
